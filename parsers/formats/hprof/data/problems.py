"""Problems of a text profile, with byte offsets and descriptions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from parsers.formats.hprof.data.columns import (
    CUT,
    FOREIGN_LINE,
    KEPT_PROBLEMS,
    MANY_DUMPS,
    MISSING_TRACE,
    NO_PROFILE,
    NO_ROW,
    OVERFLOW,
    PROBLEM_KINDS,
    REPEATED_TRACE,
    SECOND_HEADER,
)
from parsers.formats.hprof.totals import text
from parsers.model.report import Problem

if TYPE_CHECKING:
    from parsers.formats.hprof.data.recording import ProfileRecording

SHOWN = 120
"""Most characters of a line in a problem."""


def find_problems(recording: ProfileRecording, file: str, size: int) -> Iterator[Problem]:
    """Yields all stored problems, ordered by offset. Yields none until the profile is complete."""
    if not recording.is_complete:
        return
    found = sorted(zip(*(recording.column(f"problem_{name}") for name in ("offset", "kind", "value")), strict=True))
    for offset, kind, value in found:
        what, done = _words(recording, kind, offset, value, size)
        yield Problem(PROBLEM_KINDS[kind], what, done, file, offset, recording.line(offset))
    for kind, count in enumerate(recording.facts["problem_counts"]):
        if count > KEPT_PROBLEMS:
            more = f"{count - KEPT_PROBLEMS:,} more of the kind {PROBLEM_KINDS[kind]!r}"
            yield Problem(PROBLEM_KINDS[kind], more, "they are counted", file)


def _words(recording: ProfileRecording, kind: int, offset: int, value: int, size: int) -> tuple[str, str]:
    """Returns the problem, and what was done about it."""
    if kind == FOREIGN_LINE:
        return f"no known record: {_line(recording, offset)}", "the line is kept and counted, the rest is read"
    if kind == NO_PROFILE:
        return "the file has neither the header of a profile nor a record", "its lines are counted"
    if kind == NO_ROW:
        return f"no row of its section: {_line(recording, offset)}", "the line is skipped, the section continues"
    if kind == MISSING_TRACE:
        return f"names trace {value}, which is not in the file", "what names it is shown without frames"
    if kind == REPEATED_TRACE:
        return f"trace {value} was there before", "it holds for what follows"
    if kind == SECOND_HEADER:
        return "a second profile begins", "both are shown, each with its own dumps"
    if kind == OVERFLOW:
        return "the printed total is less than the rows add up to: it has overflowed", "the sum of the rows is used"
    if kind == MANY_DUMPS:
        return "more heap dumps than are shown one by one", "its objects are added to the last dump shown"
    assert kind == CUT
    if offset >= size:
        return f"the file ends at byte {size:,} inside a section: it was cut, or the VM killed", "all rows are used"
    line = _line(recording, offset)
    return f"ends early, in the line {line}", "what is before it is used, the line is not"


def _line(recording: ProfileRecording, offset: int) -> str:
    """Returns the beginning of a line of the file."""
    return text(recording.pread(4 * SHOWN, offset).partition(b"\n")[0])[:SHOWN].rstrip("\r")
