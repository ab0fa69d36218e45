"""CPU SAMPLES whose counters were not reset: a later section includes the samples of an earlier one.

A dump that the agent writes by itself (at a quit signal, at the end of the program) resets the counters, so the
sections of a file add up. A section that was requested over a socket leaves them, so the next one includes its samples,
too. A stream that was received here has its steps stored with it, which list the requests. The bytes don't show it.
Source: `hprof_init.c` (reset_all_data) and `hprof_listener.c` of JDK 8; measured with its agent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from parsers.formats.hprof.data.columns import CPU_SAMPLES
from parsers.model.late import numpy as np

if TYPE_CHECKING:
    from parsers.formats.hprof.data.recording import ProfileRecording
    from parsers.model.arrays import I64Array


@dataclass(frozen=True, slots=True)
class CumulativeSections:
    """Sections of CPU SAMPLES, by their rows, whose samples are included in the next section of that kind."""

    known: frozenset[int] = frozenset()
    """Sections that are cumulative by the steps of the stream."""
    possible: frozenset[int] = frozenset()
    """Sections that could be answers of a socket, in a file without steps: no trace has fewer samples in the next."""


_found: WeakKeyDictionary[ProfileRecording, tuple[int, CumulativeSections]] = WeakKeyDictionary()
"""Earlier results, each with the number of sections."""


def cumulative_sections(recording: ProfileRecording) -> CumulativeSections:
    """Returns the sections that must not be added to the next one, and those for which that is unknown."""
    count = len(recording.column("section_kind"))
    if recording not in _found or _found[recording][0] != count:
        _found[recording] = count, _find(recording)
    return _found[recording][1]


def _find(recording: ProfileRecording) -> CumulativeSections:
    sections = recording.sections(CPU_SAMPLES)
    if len(sections) < 2:
        return CumulativeSections()
    from parsers.formats.hprof.profiles.stored_steps import samples_requests

    requests = samples_requests(recording.path)
    if requests is None:
        return CumulativeSections(possible=frozenset(_continued(recording, sections)))
    offsets, answers = recording.column("section_offset"), {answer.start: answer for answer in requests}
    return CumulativeSections(
        frozenset(
            each
            for each, after in pairwise(sections)
            if (answer := answers.get(offsets[each])) is not None and answer.may_be_included_until(offsets[after])
        )
    )


def _continued(recording: ProfileRecording, sections: Sequence[int]) -> list[int]:
    """Returns sections whose traces all have at least as many samples in the next one, which may lack small counts.

    Rows are distinguished by trace and method: rows of IBM have no trace.
    """

    def column(name: str) -> I64Array:
        return np.asarray(recording.column(name)).astype(np.int64)

    rows, totals = (column(f"section_{name}")[sections] for name in ("rows", "total"))
    at, of = recording.rows_of(sections)
    _, same = np.unique(column("rank_trace")[at] << 32 | column("rank_name")[at], return_inverse=True)
    width = int(same.max(initial=0)) + 1
    # The last row counts where a section has several of a trace.
    keys, last = np.unique((of * width + same)[::-1], return_index=True)
    counts, of = column("rank_count")[at[::-1][last]], keys // width
    least = np.full(len(sections) + 1, np.iinfo(np.int64).max)
    np.minimum.at(least, of, counts)
    least[least == np.iinfo(np.int64).max] = 0
    places = np.minimum(np.searchsorted(keys, keys + width), len(keys) - 1)
    is_there = keys[places] == keys + width
    is_less = np.where(is_there, counts[places] < counts, counts >= least[of + 1])
    is_continued = (rows[:-1] > 0) & (totals[1:] >= totals[:-1])
    is_continued &= np.bincount(of[is_less], minlength=len(sections))[:-1] == 0
    found: list[int] = np.asarray(sections)[:-1][is_continued].tolist()
    return found
