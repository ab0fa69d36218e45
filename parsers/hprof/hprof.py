"""HPROF text and binary files, recognised by its content; the reader is imported late.

A file begins with `JAVA PROFILE 1.0.1, created `, perhaps behind output of the program where both share a file; or,
where other programs write such text, with a trace or a section (format page of HPROF text, sections 1 and 4).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from parsers.format import Confidence, Format, expression

if TYPE_CHECKING:
    from collections.abc import Sequence

    from parsers.cache import Cache
    from parsers.input.source import Source
    from parsers.report import Report

_HEADER = expression(rb"^JAVA PROFILE \d[\w.]*, created [^\0\n]*$", re.MULTILINE)
_BINARY_HEADER = expression(rb"JAVA PROFILE 1\.0\.[123]\0")
_SEGMENT = b"\x1c\0\0\0\0"
"""What parts of heap dumps begin with."""
_RECORDS = expression(
    rb"^(?:TRACE \d+:[^\n]*\r?\n\t[^\n]+\)\r?\n|THREAD START \(obj=[0-9a-f]+, id = \d+, name=\"|"
    rb"CPU (?:SAMPLES|TIME \(ms\)) BEGIN \(total = -?\d+\)|HEAP DUMP BEGIN \(\d+ objects, \d+ bytes\)|"
    rb"SITES BEGIN \(ordered by |"
    rb"(?:CPU SAMPLES|CPU TIME \(ms\)|SITES|HEAP DUMP|MONITOR TIME|MONITOR DUMP) END\r?$)",
    re.MULTILINE,
)
_NAME = re.compile(r"java\.hprof(\.|$)|.*\.hprof\.txt$", re.IGNORECASE)
"""What the agent calls its files, by its manual: `java.hprof.txt`."""


def sniff(head: bytes, name: str) -> Confidence:
    """Sure by the header; likely by records without one, or by the end of a section at the end of the file.

    A program that writes much into the file before the agent does leaves only the name to go by.
    """
    if _HEADER().search(head):
        return Confidence.SURE
    if _RECORDS().search(head):
        return Confidence.LIKELY
    return Confidence.NAME if head and _NAME.match(name) and b"\0" not in head else Confidence.NO


def _open(sources: Sequence[Source], cache: Cache) -> Report:
    from parsers.hprof.report import HprofReport

    return HprofReport(sources, cache)


def sniff_binary(head: bytes, name: str) -> Confidence:
    """Sure by the header; likely a part of a dump that was killed, by its name and a heap record."""
    if _BINARY_HEADER().match(head):
        return Confidence.SURE
    if not head.startswith(_SEGMENT):
        return Confidence.NO
    from parsers.hprof.dump_parts import is_part

    return Confidence.LIKELY if is_part(head, name) else Confidence.NO


def _open_binary(sources: Sequence[Source], cache: Cache) -> Report:
    from parsers.hprof.binary_report import BinaryReport

    return BinaryReport(sources, cache)


def _narrow(source: Source, number: int) -> None:
    from parsers.hprof.dump_run import narrow

    narrow(source, number)


def _part_of(path: str, head: bytes) -> tuple[str, bool] | None:
    from parsers.hprof.dump_parts import part_of

    return part_of(path, head)


FORMATS = (
    Format("hprof-binary", "HPROF binary profile", sniff_binary, _open_binary, narrow=_narrow, part_of=_part_of),
    Format("hprof-text", "HPROF text profile", sniff, _open, looks_at_end=True),
)
