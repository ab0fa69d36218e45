"""Rows grouped by the number in one of their columns: sorted once, then found by bisection."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


class Grouped:
    """The rows of each number; a column that has grown is sorted again."""

    def __init__(self) -> None:
        self._length = -1
        self._order: Any = None
        self._numbers: Any = None

    def of(self, column: memoryview, number: int) -> Sequence[int]:
        """Returns the rows that have a number in a column, ascending."""
        import numpy as np

        if len(column) != self._length:
            self._length = len(column)
            numbers = np.asarray(column)
            self._order = np.argsort(numbers, kind="stable").astype(np.uint32)
            self._numbers = numbers[self._order]
        first, stop = np.searchsorted(self._numbers, number, "left"), np.searchsorted(self._numbers, number, "right")
        rows: list[int] = self._order[first:stop].tolist()
        return rows
