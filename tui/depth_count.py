"""How many rows of a preorder are no deeper than a cap, and which is the k-th of them.

A few hundred rows are counted by a plain loop, so that the first screen needs no numpy; larger ranges are counted with
numpy, in blocks whose counts are remembered for each cap. What is remembered never goes stale: depths of rows that are
known do not change, and only whole blocks of known rows are remembered.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from parsers.report import Preorder

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BLOCK = 4096
"""Rows of a block. Twice 64 * 64 bytes of comparison results are added up as 64-bit words below."""

CHUNK = 64
"""Blocks that are compared at a time: their depths fit in the second level cache."""

PLAIN = 768
"""Ranges up to this long are counted by a plain loop."""

PLAIN_AT_FIRST = 4096
"""The same while numpy is not loaded."""

MOST_CAPS = 128
"""Caps whose block counts are remembered."""

DEEPEST = 0xFFFF
"""The depth that all deeper rows count as: a cap of this shows everything."""


def most_plain() -> int:
    """Ranges up to this long are counted by a plain loop now."""
    return PLAIN if "numpy" in sys.modules else PLAIN_AT_FIRST


class DepthCount:
    """Counts over the depths of one preorder."""

    def __init__(self, preorder: Preorder) -> None:
        self._preorder = preorder
        self._blocks: dict[int, NDArray[np.int32]] = {}

    def count(self, start: int, stop: int, cap: int) -> int:
        """Rows in [start, stop) with a depth of at most `cap`."""
        if stop <= start or cap < 0:
            return 0
        if cap >= DEEPEST:
            return stop - start
        if stop - start <= most_plain():
            return sum(depth <= cap for depth in self._preorder.depths(start, stop))
        first, last = -(-start // BLOCK), stop // BLOCK
        if last <= first:
            return self._scan(start, stop, cap)
        return (
            self._scan(start, first * BLOCK, cap)
            + int(self._whole_blocks(first, last, cap).sum())
            + self._scan(last * BLOCK, stop, cap)
        )

    def find(self, start: int, stop: int, cap: int, index: int) -> int:
        """The row in [start, stop) that has `index` rows of the cap before it. There must be more than `index`."""
        if cap >= DEEPEST:
            return start + index
        if stop - start > 2 * BLOCK:
            start, stop, index = self._narrow(start, stop, cap, index)
        if stop - start <= most_plain():
            return self._find_plain(start, stop, cap, index)
        import numpy as np

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
        """A piece of at most a block that holds the row `find` looks for, and its index in the piece."""
        import numpy as np

        first, last = -(-start // BLOCK), stop // BLOCK
        before = self._scan(start, first * BLOCK, cap)
        if index < before:
            return start, first * BLOCK, index
        sums = np.cumsum(self._whole_blocks(first, last, cap), dtype=np.int64)
        block = int(np.searchsorted(sums, np.int64(index - before), side="right"))
        if block:
            before += int(sums[block - 1])
        begin = (first + block) * BLOCK
        return begin, min(begin + BLOCK, stop), index - before

    def _depths(self, start: int, stop: int) -> NDArray[np.uint16]:
        import numpy as np

        return np.frombuffer(self._preorder.depths(start, stop), dtype=np.uint16)

    def _is_within(self, start: int, stop: int, cap: int) -> NDArray[np.bool_]:
        import numpy as np

        within: NDArray[np.bool_] = self._depths(start, stop) <= np.uint16(cap)
        return within

    def _scan(self, start: int, stop: int, cap: int) -> int:
        """`count` of less than a few blocks, nothing remembered."""
        if stop <= start:
            return 0
        import numpy as np

        return int(np.count_nonzero(self._is_within(start, stop, cap)))

    def _whole_blocks(self, first: int, last: int, cap: int) -> NDArray[np.int32]:
        """Counts of the blocks [first, last), all of whose rows are known."""
        import numpy as np

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

    def _fill(self, counts: Any, first: int, last: int, cap: int) -> None:
        """Count the blocks [first, last)."""
        import numpy as np

        for begin in range(first, last, CHUNK):
            end = min(begin + CHUNK, last)
            within = self._is_within(begin * BLOCK, end * BLOCK, cap)
            # Eight comparison results are added at a time: 64 words of bytes that are 0 or 1 can't overflow a byte.
            words = within.view(np.uint64).reshape(end - begin, BLOCK // 512, 64).sum(axis=2, dtype=np.uint64)
            counts[begin:end] = words.view(np.uint8).reshape(end - begin, -1).sum(axis=1, dtype=np.int32)
