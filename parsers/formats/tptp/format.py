"""TPTP traces, recognised by content. The reader is imported on first use.

A recording is a stream of small elements on one line, in a `TRACE` element or without a root. Source: XML4Profiling.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

from parsers.formats.format import Confidence, Format, expression
from parsers.model.late import late
from parsers.model.report import ReportError

if TYPE_CHECKING:
    from parsers.io.source import Source

LOOKED_AT = 16 << 10
"""Bytes at the start in which an element of a recording must occur."""
ENOUGH = 3
"""Number of elements to find if there is no root."""

_ROOT = expression(
    rb"[\s\0]*(?:<\?xml[^>]{0,200}\?>\s*)?(?:<!--.{0,2000}?-->\s*)*(?:<!DOCTYPE\s+TRACE\b|<TRACE\s*>)", re.DOTALL
)
_FIRST = expression(
    rb"""[\s\0]*(?:<\?xml[^>]{0,200}\?>\s*)?<(?:node\s[^<>]*\bnodeId=|processCreate\s[^<>]*\bprocessId=|"""
    rb"""agentCreate\s[^<>]*\bagentId=|traceStart\s[^<>]*\btraceId=)"""
)
_ELEMENT = expression(
    rb"""<(?:methodEntry|methodExit|objAlloc|objFree|objDef|classDef|methodDef|threadStart|objectReference|objReference|"""
    rb"""mon(?:Wait|Waited|ContendedEnter|ContendedEntered|ContendedExit)|gcRoot|gcFinish|heapDumpDef)"""
    rb"""(?:\s+\w+\s*=\s*(?:"[^"]*"|'[^']*'))+\s*/?>"""
)
_RECORDING_TIME = expression(rb"""<traceStart\s[^<>]*\btime\s*=\s*["'](\d{1,18}(?:\.\d{1,18})?)""")
_ANY_TIME = expression(rb"""\btime\s*=\s*["'](\d{1,18}(?:\.\d{1,18})?)""")


def sniff(head: bytes, name: str) -> Confidence:
    """Returns "sure" for the root or the beginning of a recording, "likely" for some of its elements."""
    looked_at = head[:LOOKED_AT]
    if _ROOT().match(looked_at) or _FIRST().match(looked_at):
        return Confidence.SURE
    found = sum(1 for _ in islice(_ELEMENT().finditer(looked_at), ENOUGH))
    return Confidence.LIKELY if found == ENOUGH else Confidence.NO


def place_of(head: bytes) -> float:
    """Returns the sort position of a recording in a zip: its start time. Names of members don't sort by time."""
    found = _RECORDING_TIME().search(head) or _ANY_TIME().search(head)
    return float(found[1]) if found is not None else 0.0


def settings() -> str:
    """Returns the element and attribute names that a user has added."""
    from parsers.formats.tptp.schema.vocabulary import vocabulary

    return vocabulary().digest


def _narrow(source: Source, number: int) -> None:
    """Raises `ReportError`: no session can be opened alone."""
    raise ReportError(
        f"{source.path}#{number}: the sessions of a recording are shown together: leave out #{number}; "
        f"run:{number}/ before a REF names what is of one"
    )


def unreadable(head: bytes, name: str) -> str | None:
    """Reason why a binary trace can't be read; None for other files."""
    if not name.lower().endswith(".trcbin"):
        return None
    return "is a binary TPTP trace, whose layout was never published: record it again as XML (.trcxml)"


FORMATS = (
    Format(
        "tptp-trace",
        "TPTP trace",
        sniff,
        late("parsers.formats.tptp.views.makers:RecordingReport"),
        expected="a TPTP trace",
        index=late("parsers.formats.tptp.build:TraceBuild"),
        kernels=("parsers.formats.tptp.kernels:KERNELS",),
        narrow=_narrow,
        place_of=place_of,
        settings=settings,
        unreadable=unreadable,
        tables="parsers.formats.tptp.tables:RECORDING_TABLES",
    ),
)
