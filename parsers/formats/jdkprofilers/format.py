"""The old profilers' text, recognised by its content, as file names are arbitrary; readers are imported late.

`java.prof` begins with its header, perhaps behind text of the program. The tables of `-Xprof` and `-Xaprof` are
anywhere in a program's output, mostly at its end, so the end of a file is read too; the first table names the report.
Sources: `fprofiler.cpp` and `aprofiler.cpp` of HotSpot, `hprof_io.c`, `profiler.c` of JDK 1.0.2.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from parsers.formats.format import Confidence, Format, expression, only_file
from parsers.model.late import late

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from parsers.io.cache import Cache
    from parsers.io.source import Source
    from parsers.model.report import Report

_PAIRS = expression(rb"^(?:# )?count callee caller time[ \t]*\r?(?:\n|\Z)", re.MULTILINE)
_FLAT_PROFILE = expression(rb"Flat profile of \d+\.\d+ secs \(\d+ total ticks\): ")
_ALLOCATIONS = expression(rb"Allocation profile \(sizes in bytes, cutoff = \d+ bytes\):")


def sniff_pairs(head: bytes, name: str) -> Confidence:
    """Returns sure if the header is the first line, likely if it is a later one."""
    found = _PAIRS().search(head)
    if found is None:
        return Confidence.NO
    return Confidence.SURE if not head[: found.start()].strip() else Confidence.LIKELY


def sniff_flat_profile(head: bytes, name: str) -> Confidence:
    """Returns sure if the first line with text is one of a flat profile."""
    return _sure_of_first(head, _FLAT_PROFILE(), _ALLOCATIONS())


def sniff_allocations(head: bytes, name: str) -> Confidence:
    """Returns sure if the first line with text is one of an allocation profile."""
    return _sure_of_first(head, _ALLOCATIONS(), _FLAT_PROFILE())


def _sure_of_first(text: bytes, own: re.Pattern[bytes], other: re.Pattern[bytes]) -> Confidence:
    """Returns sure if the text begins with a pattern, likely if it matches later, no if another one is before it."""
    found = own.search(text)
    if found is None:
        return Confidence.NO
    before = other.search(text)
    if before is not None and before.start() < found.start():
        return Confidence.NO
    return Confidence.SURE if not text[: found.start()].strip() else Confidence.LIKELY


def _opens(report: str) -> Callable[[Sequence[Source], Cache], Report]:
    return lambda sources, cache: late(report)(only_file(sources, "such a profile"))


PAIRS = _opens("parsers.formats.jdkprofilers.pairs.profile_report:PairProfile")
FLAT_PROFILE = _opens("parsers.formats.jdkprofilers.xprof.profile_report:FlatProfileReport")
ALLOCATIONS = _opens("parsers.formats.jdkprofilers.xprof.profile_report:AllocationReport")

EXPECTED = "the text of an old JDK profiler"


def unreadable(head: bytes, name: str) -> str | None:
    """Reason why a profile is empty; None for other files."""
    if head or not name.startswith(("java.hprof", "java.prof")):
        return None
    return "is empty: cpu=old of Java 8 can't profile programs with lambdas"


FORMATS = (
    Format(
        "java-prof",
        "java.prof (caller pairs)",
        sniff_pairs,
        PAIRS,
        expected=EXPECTED,
        looks_at_end=True,
        unreadable=unreadable,
    ),
    Format("xprof", "-Xprof flat profile", sniff_flat_profile, FLAT_PROFILE, looks_at_end=True),
    Format("xaprof", "-Xaprof allocation profile", sniff_allocations, ALLOCATIONS, looks_at_end=True),
)
