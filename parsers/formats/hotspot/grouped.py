"""Tables of the index: rows grouped by the number in one of their columns, and arrays in their declared dtypes."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from parsers.model.late import numpy as np

if TYPE_CHECKING:
    from parsers.model.arrays import AnyArray, U32Array


class Grouped:
    """The rows of each number; a column that has grown is sorted again."""

    def __init__(self) -> None:
        self._length = -1
        self._order: U32Array | None = None
        self._numbers: AnyArray | None = None

    def of(self, column: memoryview, number: int) -> Sequence[int]:
        """Returns the rows that have a number in a column, ascending."""
        if len(column) != self._length:
            self._length = len(column)
            numbers = np.asarray(column)
            self._order = np.argsort(numbers, kind="stable").astype(np.uint32)
            self._numbers = numbers[self._order]
        assert self._order is not None and self._numbers is not None
        first, stop = bisect_left(self._numbers, number), bisect_right(self._numbers, number)
        rows: list[int] = self._order[first:stop].tolist()
        return rows


def as_declared(arrays: Mapping[str, AnyArray], types: Mapping[str, str]) -> dict[str, AnyArray]:
    """Returns the arrays that a table declares, and no others, in their dtypes. Raises `KeyError` if one is missing."""
    return {name: arrays[name].astype(type, copy=False) for name, type in types.items()}
