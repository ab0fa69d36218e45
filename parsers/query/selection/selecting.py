"""Computes a selection: the kept rows of a whole tree, for ten million rows in less than a second.

Runs in the worker, with numpy, over ranges of rows. Forward pass: a row is hidden if an earlier suppressed row (not
opened by hand) ends after it; rows that are visible, wanted and not masked are kept. Backward pass: a row is kept too
if the next kept row is in its subtree. Between the two passes a row is one bit.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from parsers.query.selection.number_file import NumberFile, NumberWriter

if TYPE_CHECKING:
    from parsers.model.arrays import BoolArray, I64Array, U8Array, U32Array
    from parsers.query.selection.selection import Filters, RowFilters

RANGE = 1 << 19
"""Rows at a time; a multiple of 8."""

OFFSETS = 1 << 18
"""Matching lines converted to rows at a time."""


MatchingRows = Callable[[int, int], "BoolArray"]
"""Function that returns the matching rows of a range. Ranges are asked for in ascending order."""


def known_rows(is_matching: BoolArray) -> MatchingRows:
    """Rows that are all known in advance."""
    return lambda start, stop: is_matching[start:stop]


def select(
    source: RowFilters,
    filters: Filters,
    wanted: MatchingRows | None,
    nodes: NumberWriter,
    suppressed: NumberWriter,
    rows_a_step: int = RANGE,
) -> Iterator[float]:
    """Writes the kept nodes, and the suppressed ones among them. Yields the fraction done.

    wanted  the matching rows; None: all
    """
    rows = source.rows
    starts = range(0, rows, rows_a_step)
    steps = 3 * len(starts) or 1
    kept_bits: list[U8Array] = []
    hides = _Hidden(source, filters)
    done = 0
    for start in starts:
        stop = min(start + rows_a_step, rows)
        is_kept = hides.visible(start, stop, suppressed)
        if wanted is not None:
            is_kept &= wanted(start, stop)
        for name in filters.hide:
            is_kept &= ~np.asarray(source.mask(name, start, stop), np.bool_)
        kept_bits.append(np.packbits(is_kept))
        done += 1
        yield done / steps
    # An ancestor has a kept row in its subtree: is the next kept row before its end?
    following = rows
    for index in reversed(range(len(starts))):
        start, stop = starts[index], min(starts[index] + rows_a_step, rows)
        is_kept = _unpack(kept_bits[index], stop - start)
        following = _with_ancestors(is_kept, np.asarray(source.ends(start, stop)), start, following, rows)
        kept_bits[index] = np.packbits(is_kept)
        done += 1
        yield done / steps
    for index, start in enumerate(starts):
        stop = min(start + rows_a_step, rows)
        kept = np.flatnonzero(_unpack(kept_bits[index], stop - start)) + start
        nodes.append(kept.astype(np.uint32))
        done += 1
        yield done / steps


def _unpack(bits: U8Array, count: int) -> BoolArray:
    return np.unpackbits(bits, count=count).view(np.bool_)


def _with_ancestors(is_kept: BoolArray, ends: U32Array, start: int, following: int, rows: int) -> int:
    """Sets the bits of the ancestors of kept rows; returns the first kept row of the range, or `following`.

    following  the first kept row after the range; `rows` if there is none
    """
    places = np.where(is_kept, np.arange(start, start + len(is_kept), dtype=np.int64), rows)
    first = np.minimum(np.minimum.accumulate(places[::-1])[::-1], following)
    next_after = np.append(first[1:], following)
    is_kept |= next_after < ends
    return int(first[0]) if len(first) else following


class _Hidden:
    """The descendants of suppressed rows, range by range in ascending order."""

    def __init__(self, source: RowFilters, filters: Filters) -> None:
        self._source = source
        self._options = {name: value for name, value in filters.suppress.items() if value}
        self._opened = np.array(sorted(filters.opened), np.int64)
        self._end = 0

    def visible(self, start: int, stop: int, suppressed: NumberWriter) -> BoolArray:
        """Rows of the range without suppressed ancestor; `suppressed` receives those that are suppressed themselves."""
        if not self._options:
            return np.ones(stop - start, np.bool_)
        closed = np.array(self._source.suppressed(self._options, start, stop), np.bool_)
        opened = self._opened[np.searchsorted(self._opened, start) : np.searchsorted(self._opened, stop)]
        closed[opened - start] = False
        ends = np.where(closed, np.asarray(self._source.ends(start, stop), np.int64), 0)
        # The furthest end of the suppressed rows before each row.
        reached = np.maximum.accumulate(np.append(self._end, ends))
        visible = reached[:-1] <= np.arange(start, stop)
        self._end = int(reached[-1])
        suppressed.append((np.flatnonzero(closed & visible) + start).astype(np.uint32))
        return visible


class LineMatches:
    """The rows that contain a match, from the offsets of the matching lines. `mask` is a `MatchingRows`."""

    def __init__(self, source: RowFilters, offsets: NumberFile) -> None:
        self._source = source
        self._offsets = offsets
        self._read = 0
        self._rows: I64Array = np.empty(0, np.int64)

    def mask(self, start: int, stop: int) -> BoolArray:
        """The rows of the range that match."""
        mask = np.zeros(stop - start, np.bool_)
        while True:
            count = bisect_left(self._rows, stop)
            mask[self._rows[:count] - start] = True
            self._rows = self._rows[count:]
            if len(self._rows) or self._read >= self._offsets.count:
                return mask
            offsets = np.frombuffer(self._offsets.numbers(self._read, self._read + OFFSETS), np.uint64)
            self._read += len(offsets)
            rows = np.asarray(self._source.rows_at(offsets), np.int64)
            self._rows = rows[rows >= 0]
