"""Counts of preorder rows that are no deeper than a cap, and the position of the k-th of them.

A plain loop counts a few hundred rows, so that the first screen needs no numpy. Larger ranges are counted with
numpy, in blocks whose counts are cached for each cap. The cache never becomes stale: depths of known rows do not
change, and only whole blocks of known rows are cached.

`prepare` counts all blocks for all usual caps at once, which may run in a thread; afterwards a count over any
number of rows is two subtractions and the scan of two partial blocks. A preorder with its own counts, such as one of
some groups and millions of leaves, is asked instead.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from parsers.model.capabilities import CountedPreorder
from parsers.model.late import numpy as np
from parsers.model.trees.tree import Preorder

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from parsers.model.arrays import I32Array

BLOCK = 4096
"""Rows of a block. Twice 64 * 64 bytes of comparison results are added up as 64-bit words below."""

CHUNK = 64
"""Blocks compared at a time: their depths fit in the second level cache."""

PLAIN = 768
"""Ranges up to this long are counted by a plain loop."""

PLAIN_AT_FIRST = 4096
"""The same while numpy is not loaded."""

MOST_CAPS = 128
"""Maximum number of caps whose block counts are cached."""

USUAL = 64
"""Caps below this are counted by `prepare`."""

DEEPEST = 0xFFFF
"""Depth that represents all deeper rows: a cap of this shows everything."""


def most_plain() -> int:
    """Maximum length of ranges that are counted by a plain loop now."""
    return PLAIN if has_numpy() else PLAIN_AT_FIRST


def has_numpy() -> bool:
    """True if numpy is fully loaded: importing it during its load in another thread would block."""
    spec = getattr(sys.modules.get("numpy"), "__spec__", None)
    return spec is not None and not getattr(spec, "_initializing", False)


class DepthCount:
    """Counts over the depths of one preorder."""

    def __init__(self, preorder: Preorder) -> None:
        self._preorder = preorder
        self._knowing = preorder if isinstance(preorder, CountedPreorder) else None
        self._blocks: dict[int, NDArray[np.int32]] = {}
        self._sums: NDArray[np.int32] | None = None
        """By cap: number of rows within that cap before each block."""

    @property
    def prepared(self) -> int:
        """Number of rows that `prepare` has counted."""
        if self._knowing is not None:
            return self._knowing.rows
        return 0 if self._sums is None else (self._sums.shape[1] - 1) * BLOCK

    def prepare(self, rows: int) -> None:
        """Counts the whole blocks of the first rows for all usual caps."""
        if self._knowing is not None:
            return
        blocks = rows // BLOCK
        counts = np.zeros((blocks + 1, USUAL), dtype=np.int32)
        for first in range(0, blocks, CHUNK):
            last = min(first + CHUNK, blocks)
            depths = np.minimum(self._depths(first * BLOCK, last * BLOCK), USUAL).astype(np.int64)
            depths += np.repeat(np.arange(last - first) * (USUAL + 1), BLOCK)
            found = np.bincount(depths, minlength=(last - first) * (USUAL + 1))
            counts[first + 1 : last + 1] = found.reshape(-1, USUAL + 1)[:, :USUAL].cumsum(axis=1)
        self._sums = np.ascontiguousarray(counts.cumsum(axis=0, dtype=np.int32).T)
        self._blocks.clear()

    def count(self, start: int, stop: int, cap: int) -> int:
        """Number of rows in [start, stop) with a depth of at most `cap`."""
        if stop <= start or cap < 0:
            return 0
        if cap >= DEEPEST:
            return stop - start
        if self._knowing is not None:
            return self._knowing.shown(start, stop, cap)
        if stop - start <= most_plain():
            return sum(depth <= cap for depth in self._preorder.depths(start, stop))
        first, last = -(-start // BLOCK), stop // BLOCK
        if last <= first:
            return self._scan(start, stop, cap)
        return (
            self._scan(start, first * BLOCK, cap)
            + self._between(first, last, cap)
            + self._scan(last * BLOCK, stop, cap)
        )

    def find(self, start: int, stop: int, cap: int, index: int) -> int:
        """Row in [start, stop) that has `index` rows within the cap before it. There must be more than `index`."""
        if cap >= DEEPEST:
            return start + index
        if self._knowing is not None:
            return self._knowing.nth_shown(start, cap, index)
        if stop - start > 2 * BLOCK:
            start, stop, index = self._narrow(start, stop, cap, index)
        if stop - start <= most_plain():
            return self._find_plain(start, stop, cap, index)
        return start + int(np.flatnonzero(self._is_within(start, stop, cap))[index])

    def _find_plain(self, start: int, stop: int, cap: int, index: int) -> int:
        """`find` by a plain loop."""
        for row, depth in enumerate(self._preorder.depths(start, stop), start):
            if depth <= cap:
                if not index:
                    return row
                index -= 1
        raise IndexError("fewer rows than asked for")

    def _narrow(self, start: int, stop: int, cap: int, index: int) -> tuple[int, int, int]:
        """Narrows the search of `find` to at most a block: start, end, and the row's index in it."""
        first, last = -(-start // BLOCK), stop // BLOCK
        before = self._scan(start, first * BLOCK, cap)
        if index < before:
            return start, first * BLOCK, index
        prepared = self._prepared(last, cap)
        if prepared is not None:
            wanted = np.int32(index - before + int(prepared[first]))
            block = int(np.searchsorted(prepared[first + 1 : last + 1], wanted, side="right"))
            before += int(prepared[first + block]) - int(prepared[first])
        else:
            sums = np.cumsum(self._whole_blocks(first, last, cap), dtype=np.int64)
            block = int(np.searchsorted(sums, np.int64(index - before), side="right"))
            before += int(sums[block - 1]) if block else 0
        begin = (first + block) * BLOCK
        return begin, min(begin + BLOCK, stop), index - before

    def _prepared(self, last: int, cap: int) -> NDArray[np.int32] | None:
        """Prepared sums of a cap; None if they do not reach this block."""
        sums = self._sums
        return sums[cap] if sums is not None and cap < USUAL and last < sums.shape[1] else None

    def _between(self, first: int, last: int, cap: int) -> int:
        """Number of rows within the cap in the blocks [first, last)."""
        prepared = self._prepared(last, cap)
        if prepared is not None:
            return int(prepared[last]) - int(prepared[first])
        return int(self._whole_blocks(first, last, cap).sum())

    def _depths(self, start: int, stop: int) -> NDArray[np.uint16]:
        return np.frombuffer(self._preorder.depths(start, stop), dtype=np.uint16)

    def _is_within(self, start: int, stop: int, cap: int) -> NDArray[np.bool_]:
        within: NDArray[np.bool_] = self._depths(start, stop) <= np.uint16(cap)
        return within

    def _scan(self, start: int, stop: int, cap: int) -> int:
        """`count` of less than a few blocks; nothing is cached."""
        if stop <= start:
            return 0
        return int(np.count_nonzero(self._is_within(start, stop, cap)))

    def _whole_blocks(self, first: int, last: int, cap: int) -> NDArray[np.int32]:
        """Counts of the blocks [first, last), all of whose rows are known."""
        counts = self._blocks.pop(cap, None)
        if counts is None or len(counts) < last:
            longer = np.full(max(last, 2 * len(counts) if counts is not None else 0), -1, dtype=np.int32)
            if counts is not None:
                longer[: len(counts)] = counts
            counts = longer
        self._blocks[cap] = counts
        if len(self._blocks) > MOST_CAPS:
            del self._blocks[next(iter(self._blocks))]
        missing = np.flatnonzero(counts[first:last] < 0)
        if len(missing):
            self._fill(counts, first + int(missing[0]), first + int(missing[-1]) + 1, cap)
        return counts[first:last]

    def _fill(self, counts: I32Array, first: int, last: int, cap: int) -> None:
        """Counts the blocks [first, last)."""
        for begin in range(first, last, CHUNK):
            end = min(begin + CHUNK, last)
            within = self._is_within(begin * BLOCK, end * BLOCK, cap)
            # Eight comparison results are added at a time: 64 words of bytes that are 0 or 1 can't overflow a byte.
            words = within.view(np.uint64).reshape(end - begin, BLOCK // 512, 64).sum(axis=2, dtype=np.uint64)
            counts[begin:end] = words.view(np.uint8).reshape(end - begin, -1).sum(axis=1, dtype=np.int32)
