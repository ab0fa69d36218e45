"""The content of each cell of a lane: its longest state, and the presence of others.

The time of a state up to a moment is looked up in cumulative sums, built once per lane. So a cell costs the same with
one state in it or a million.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from parsers.views.timelines.timeline_view import NOTHING, LaneStates

if TYPE_CHECKING:
    from parsers.model.arrays import BoolArray, I64Array, U8Array


class CellStates(NamedTuple):
    """Arrays with one element per cell."""

    states: U8Array
    """The longest state; NOTHING where there is none."""
    is_mixed: BoolArray
    """True if that state covers only a part of the cell."""
    shares: dict[int, I64Array]
    """Time of each state in each cell, in nanoseconds."""
    has_marks: BoolArray
    """True if the cell has samples."""


class LaneCells:
    """The cumulative sums of one lane.

    The state with most pieces has none: it has the time that no other state has.
    """

    def __init__(self, pieces: LaneStates, marks: I64Array | None = None) -> None:
        """marks: moments of samples, ascending"""
        self._marks = np.zeros(0, np.int64) if marks is None else marks
        states, starts = pieces.states, pieces.starts
        counts = np.bincount(states, minlength=1)
        self._first, self._end = (int(starts[0]), pieces.end) if len(starts) else (0, 0)
        self._rest = int(counts.argmax())
        self._sums: dict[int, tuple[I64Array, I64Array, I64Array]] = {}
        ends = np.append(starts[1:], np.int64(pieces.end))
        for state in np.flatnonzero(counts).tolist():
            if state != self._rest:
                own = np.flatnonzero(states == state)
                begins, stops = starts[own], ends[own]
                lengths = stops - begins
                self._sums[state] = begins, stops, np.cumsum(lengths) - lengths

    def _until(self, state: int, moments: I64Array) -> I64Array:
        """Time of a state in the lane up to each moment."""
        begins, stops, before = self._sums[state]
        place = begins.searchsorted(moments, "right") - 1
        at = np.maximum(place, 0)
        return np.where(place < 0, 0, before[at] + np.minimum(moments, stops[at]) - begins[at])

    def cells(self, edges: I64Array) -> CellStates:
        """Content of the cells between each edge and the next one. edges: int64[cells + 1], ascending."""
        widths = np.diff(edges)
        shares = {state: np.diff(self._until(state, edges)) for state in self._sums}
        there = np.diff(np.clip(edges, self._first, self._end))
        shares[self._rest] = there - sum(shares.values(), np.zeros(len(widths), np.int64))
        shares.pop(NOTHING, None)
        best = np.zeros(len(widths), np.int64)
        states = np.zeros(len(widths), np.uint8)
        for state in sorted(shares):
            is_more = shares[state] > best
            best = np.where(is_more, shares[state], best)
            states = np.where(is_more, np.uint8(state), states)
        marked = np.diff(self._marks.searchsorted(edges)) > 0
        return CellStates(states, (best > 0) & (best < widths), shares, marked)
