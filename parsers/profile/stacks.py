"""Stack traces as arrays, and their preparation for merging: direction, filters, nodes at the root.

A *frame* is a place in a method, with the format's own number. A *method* is the group of frames by which traces are
merged; merging by class or by line uses other numbers as "method".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from parsers.model.distinct import begins

if TYPE_CHECKING:
    from parsers.model.arrays import AnyArray, BoolArray, I64Array


@dataclass(frozen=True)
class Stacks:
    """Traces as ranges of frames, the innermost frame first."""

    first: I64Array
    """int64[traces + 1]: the frames of trace t are `frames[first[t]:first[t + 1]]`."""
    frames: AnyArray
    """Numbers of frames."""

    @property
    def count(self) -> int:
        """Number of traces."""
        return len(self.first) - 1

    def lengths(self) -> I64Array:
        """Returns the number of frames by trace, int64."""
        return np.diff(self.first)

    def of(self, trace: int) -> AnyArray:
        """Returns the frames of one trace."""
        return self.frames[self.first[trace] : self.first[trace + 1]]

    def select(self, traces: I64Array) -> Stacks:
        """Returns the stacks of some traces, in that order."""
        if len(traces) and (np.diff(traces) == 1).all():
            first = self.first[traces[0] : traces[-1] + 2]
            return Stacks(first - first[0], self.frames[first[0] : first[-1]])
        lengths = self.lengths()[traces]
        first = np.cumulative_sum(lengths, include_initial=True)
        places = np.arange(int(first[-1])) + np.repeat(self.first[traces] - first[:-1], lengths)
        return Stacks(first, self.frames[places])


def deepest(stacks: Stacks) -> int:
    """Returns the number of frames of the longest trace; 0 without traces."""
    return int(stacks.lengths().max(initial=0))


def cut_traces(stacks: Stacks, method_of: I64Array) -> BoolArray:
    """Returns the traces that may be truncated: those of the largest depth, bool[traces].

    Files do not contain the recorded depth; traces that reach it may be truncated. No trace is truncated if all of
    that depth end in methods that also end shorter ones.
    """
    lengths = stacks.lengths()
    is_long: BoolArray = (lengths == deepest(stacks)) & (lengths > 0)
    outermost = np.full(stacks.count, -1, np.int64)
    outermost[lengths > 0] = method_of[stacks.frames[stacks.first[1:][lengths > 0] - 1]]
    ends, roots = outermost[is_long], outermost[(lengths > 0) & ~is_long]
    # All traces of one depth: truncated ones can't be recognised, unless all have the same root.
    is_whole = np.isin(ends, roots).all() if len(roots) else len(np.unique(ends)) <= 1
    return np.zeros(stacks.count, np.bool_) if is_whole else is_long


def reversed_frames(stacks: Stacks) -> Stacks:
    """Returns the traces with the outermost frame first."""
    lengths = stacks.lengths()
    places = np.repeat(stacks.first[:-1] + stacks.first[1:] - 1, lengths) - np.arange(len(stacks.frames))
    return Stacks(stacks.first, stacks.frames[places])


def filter_frames(stacks: Stacks, is_kept: BoolArray) -> Stacks:
    """Returns the traces without some of their frames. is_kept: bool by place in `frames`"""
    counts = np.concatenate([[0], np.cumsum(is_kept)])
    return Stacks(counts[stacks.first].astype(np.int64), stacks.frames[is_kept])


def without_repeats(stacks: Stacks) -> Stacks:
    """Returns the traces without direct recursion: of equal consecutive frames one remains."""
    is_kept = begins(stacks.frames)
    is_kept[stacks.first[:-1][stacks.lengths() > 0]] = True
    return filter_frames(stacks, is_kept)


def without_rings(stacks: Stacks) -> Stacks:
    """Returns the traces with each frame once: frames between two calls of one method are removed.

    So a method that is called recursively, through any others, is at the place of its first call, and the calls
    of its last one are below it.
    """
    if not len(stacks.frames):
        return stacks
    rows = np.repeat(np.arange(stacks.count), stacks.lengths())
    codes = (rows << 32) | stacks.frames.astype(np.int64)
    order = np.argsort(codes, kind="stable")
    codes = codes[order]
    # By place: the last place of the same trace with the same frame.
    ends = np.flatnonzero(np.append(codes[1:] != codes[:-1], True))
    last = np.empty(len(order), np.int64)
    last[order] = np.repeat(order[ends], np.diff(ends, prepend=-1))
    is_kept = np.zeros(len(order), np.bool_)
    at, stops = stacks.first[:-1], stacks.first[1:]
    while True:
        continues = at < stops
        at, stops = at[continues], stops[continues]
        if not len(at):
            return filter_frames(stacks, is_kept)
        is_kept[last[at]] = True
        at = last[at] + 1


def headed(stacks: Stacks, traces: BoolArray, head: int) -> Stacks:
    """Returns the stacks with one more frame before some of them. traces: bool[traces]"""
    if not traces.any():
        return stacks
    frames = np.insert(stacks.frames, stacks.first[:-1][traces], head)
    return Stacks(np.cumulative_sum(stacks.lengths() + traces, include_initial=True), frames)
