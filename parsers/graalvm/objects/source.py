"""Which of many roots patterns meet by their sources: millions of short texts from all over a file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from parsers.charset import boxes_of
from parsers.graalvm.objects.row import ROOT, VALUE_END
from parsers.selection.texts_met import TextsMet, having

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from parsers.graalvm.objects.report import ObjectReport

RETURN = 0x0D

READ = 1 << 22
"""Bytes of the file that are read together; a longer line is taken apart by itself."""


def sources_met(
    report: ObjectReport,
    rows: NDArray[np.int64],
    lines: tuple[NDArray[np.int64], NDArray[np.int64]],
    meet: Callable[[TextsMet], NDArray[np.bool_]],
    meets: Callable[[str], bool],
) -> NDArray[np.bool_]:
    """By root: whether its source is met.

    rows         of the roots, ascending
    lines        where in the file each begins, and the line behind it; 0 for one with lines that are no rows behind it
    meet, meets  the same question to many texts and to one

    Most roots end in ` value:` on their own line; what stands before that is the source. All others are taken apart.
    """
    starts, ends = lines
    met, is_simple = np.zeros(len(rows), np.bool_), np.zeros(len(rows), np.bool_)
    prefix = len(boxes_of(report.encoding).tee) + len(ROOT)
    alone = np.flatnonzero(ends)
    for first, last in _together(starts[alone], ends[alone]):
        which = alone[first:last]
        base = int(starts[which[0]])
        data = np.frombuffer(report.source.pread(int(ends[which[-1]]) - base, base), np.uint8)
        which = which[ends[which] - base <= len(data)]
        begins, stops, simple = _sources(data, starts[which] - base, ends[which] - base, prefix)
        is_simple[which[simple]] = True
        met[which[simple]] = meet(TextsMet(begins, stops, data, report.encoding, report.text))
    for place in np.flatnonzero(~is_simple).tolist():
        met[place] = meets(report.parsed(int(rows[place])).source)
    return met


def _together(starts: NDArray[np.int64], ends: NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    """Ranges of lines that lie near enough to each other to be read together; none that is very long."""
    first = 0
    while first < len(starts):
        last = max(int(np.searchsorted(ends, starts[first] + READ, "right")), first + 1)
        if ends[last - 1] - starts[first] <= READ:
            yield first, last
        first = last


def _sources(
    data: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64], prefix: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Where the sources of roots lie in the data, and which roots have them as said; `starts` and `ends` of lines."""
    which = np.flatnonzero(ends - starts > prefix + len(VALUE_END) + len(b"\r\n"))
    begins, stops = starts + prefix, ends - 1
    stops[which] -= data[stops[which] - 1] == RETURN
    stops -= len(VALUE_END)
    which = having(data, ROOT, which, begins - len(ROOT))
    which = having(data, VALUE_END, which, stops)
    return begins[which], stops[which], which
