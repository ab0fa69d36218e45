"""What a lane shows in each cell: the state it was in longest there, and whether it was in others too.

How long a lane was in a state up to a moment is looked up in running sums, made once a lane; so a cell costs the same
whether one state is in it or a million are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from parsers.timeline_view import NOTHING, Pieces

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Cells(NamedTuple):
    """By cell."""

    states: NDArray[Any]
    """uint8: the state it is in longest; NOTHING where there is none."""
    is_mixed: NDArray[Any]
    """bool: whether it is in that state for a part of the cell only."""
    shares: dict[int, NDArray[Any]]
    """By state the time that it has of each cell, in nanoseconds."""


class LaneCells:
    """The running sums of one lane."""

    def __init__(self, pieces: Pieces) -> None:
        self.pieces = pieces
        states, starts = pieces.states, pieces.starts
        ends = np.append(starts[1:], np.int64(pieces.end)) if len(starts) else starts
        self._sums: dict[int, tuple[NDArray[Any], NDArray[Any], NDArray[Any]]] = {}
        for state in np.flatnonzero(np.bincount(states, minlength=1)).tolist():
            if state != NOTHING:
                own = np.flatnonzero(states == state)
                begins, stops = starts[own], ends[own]
                before = np.cumsum(stops - begins) - (stops - begins)
                self._sums[state] = begins, stops, before

    def until(self, state: int, moments: NDArray[Any]) -> NDArray[Any]:
        """How long the lane was in a state up to each moment."""
        if state not in self._sums:
            return np.zeros(len(moments), np.int64)
        begins, stops, before = self._sums[state]
        place = begins.searchsorted(moments, "right") - 1
        at = np.maximum(place, 0)
        found = before[at] + np.minimum(moments, stops[at]) - begins[at]
        return np.where(place < 0, 0, found)

    def cells(self, edges: NDArray[Any]) -> Cells:
        """What is in the cells between each edge and the next one. edges: int64[cells + 1], ascending."""
        widths = np.diff(edges)
        shares = {state: np.diff(self.until(state, edges)) for state in self._sums}
        best = np.zeros(len(widths), np.int64)
        states = np.zeros(len(widths), np.uint8)
        for state, share in shares.items():
            is_more = share > best
            best = np.where(is_more, share, best)
            states = np.where(is_more, np.uint8(state), states)
        return Cells(states, (best > 0) & (best < widths), shares)
