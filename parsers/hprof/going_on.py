"""CPU SAMPLES that go on from one section to the next: asked for over a socket, the agent does not begin anew.

A dump (a quit signal, the end of the program) resets the counters, so sections are intervals and add up. A command over
a socket doesn't: each section holds all samples so far. Nothing in a file tells which it was, but no trace ever has
fewer samples than before then. Source: format pages of HPROF text (section 3) and of its socket.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from parsers.hprof.columns import CPU_SAMPLES

if TYPE_CHECKING:
    from parsers.hprof.recording import Recording

LEAST_ROWS = 5
"""Rows from which on it is no chance that all of them have grown."""


def continued_sections(recording: Recording) -> Sequence[int]:
    """The sections whose samples the next one of CPU SAMPLES holds, too."""
    sections = recording.sections(CPU_SAMPLES)
    return [section for section, following in pairwise(sections) if _goes_on(recording, section, following)]


def _goes_on(recording: Recording, section: int, following: int) -> bool:
    totals = recording.column("section_total")
    before, after = _counts(recording, section), _counts(recording, following)
    if len(before) < LEAST_ROWS or totals[following] < totals[section]:
        return False
    # What is too little for the table may be gone.
    least = min(after.values(), default=0)
    return all(after[trace] >= count if trace in after else count < least for trace, count in before.items())


def _counts(recording: Recording, section: int) -> dict[int, int]:
    """Samples by trace."""
    rows = recording.section_range(section)
    traces, counts = (recording.column(name)[rows.start : rows.stop] for name in ("rank_trace", "rank_count"))
    return dict(zip(traces, counts, strict=True))
