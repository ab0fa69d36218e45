"""Columns of mostly small numbers, in one, two or four bytes each; larger numbers are exceptions, stored separately.

    name         the number, minus the base of its block if the column has bases; TOP: see `_rows`
    name_base    by block of BLOCK numbers: the offset added to each (only if numbers are close to their predecessors):
                 the first of them, or the lowest of a window that contains many of them
    name_rows    rows of the exceptions, ascending
    name_values  numbers of the exceptions

So the width of a column is that of most of its numbers, and no number is too large. A frequent number that means "no
value" (`none`) takes no more space than others.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, overload

from parsers.model.late import numpy as np

if TYPE_CHECKING:
    from parsers.model.arrays import AnyArray

BLOCK = 64
"""Numbers that share a base."""
TOPS = {"u1": 0xFF, "u2": 0xFFFF, "u4": 0xFFFF_FFFF}
"""Mark of an exception, by type of the small numbers."""


FEW = 16
"""Length of a slice whose numbers are read one by one, sooner than by numpy."""


class Packing(NamedTuple):
    """The layout of a packed column."""

    small: str
    """Type of the small numbers: "u1", "u2" or "u4"."""
    wide: str
    """Type of the numbers themselves."""
    has_bases: bool = False
    has_windows: bool = False
    """True if bases are chosen by `window_of`, so that numbers below the first one may fit, too."""
    none: int | None = None
    """The number encoded as TOP - 1; None: there is none."""


SAMPLES = 4
"""Numbers of a block around which a window is tried."""


class Packed(Sequence[int]):
    """A packed column, for reading."""

    def __init__(
        self, small: memoryview, bases: memoryview | None, rows: memoryview, values: memoryview, none: int | None = None
    ) -> None:
        self._small, self._bases, self._rows, self._values, self._none = small, bases, rows, values, none
        self._top = (1 << 8 * small.itemsize) - 1

    def __len__(self) -> int:
        return len(self._small)

    @overload
    def __getitem__(self, index: int) -> int: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[int]: ...
    def __getitem__(self, index: int | slice) -> int | Sequence[int]:
        if isinstance(index, slice):
            rows = range(len(self))[index]
            few = map(self.__getitem__, rows) if len(rows) <= FEW else self.numbers(index).tobytes()
            return array(self._values.format, few)
        number: int = self._small[index]
        if index < 0:
            index += len(self._small)
        if number == self._top:
            return int(self._values[bisect_left(self._rows, index)])
        if self._none is not None and number == self._top - 1:
            return self._none
        return number if self._bases is None else int(self._bases[index // BLOCK]) + number

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        """All numbers, unpacked."""
        found = self.numbers(slice(None))
        return found if dtype is None else found.astype(dtype, copy=False)

    def numbers(self, chosen: Any) -> Any:
        """Numbers of a slice (with step 1) or of an array of rows: a new numpy array of the column's type."""
        wide = np.dtype(self._values.format)
        small = np.asarray(self._small)[chosen]
        numbers = small.astype(wide)
        rows = np.asarray(self._rows)
        is_none = None if self._none is None else small == self._top - 1
        if isinstance(chosen, slice):
            start, stop, _ = chosen.indices(len(self))
            if self._bases is not None and len(numbers):
                self._add_bases(numbers, start)
            if is_none is not None:
                numbers[is_none] = self._none
            first, last = np.searchsorted(rows, np.array((start, stop), rows.dtype)).tolist()
            numbers[rows[first:last] - np.uint32(start)] = np.asarray(self._values)[first:last]
            return numbers
        if self._bases is not None:
            numbers += np.asarray(self._bases)[chosen // BLOCK]
        if is_none is not None:
            numbers[is_none] = self._none
        apart = np.flatnonzero(small == self._top)
        # With another type, each search would convert all rows.
        numbers[apart] = np.asarray(self._values)[np.searchsorted(rows, chosen[apart].astype(rows.dtype))]
        return numbers

    def _add_bases(self, numbers: AnyArray, start: int) -> None:
        """Adds the bases to the numbers from row `start` on."""
        bases = np.asarray(self._bases)
        head = min(-start % BLOCK, len(numbers))
        whole = (len(numbers) - head) // BLOCK
        middle = head + whole * BLOCK
        block = (start + head) // BLOCK
        numbers[:head] += bases[start // BLOCK]
        numbers[head:middle].reshape(whole, BLOCK)[:] += bases[block : block + whole, None]
        if middle < len(numbers):
            numbers[middle:] += bases[block + whole]

    def find(self, number: int) -> list[int]:
        """The rows of a number, ascending. Tests bases and exceptions before it reads blocks."""
        if number == self._none:
            nothing: list[int] = np.flatnonzero(np.asarray(self._small) == self._top - 1).tolist()
            return nothing
        found = np.asarray(self._rows)[np.flatnonzero(np.asarray(self._values) == number)].tolist()
        top = self._top - (self._none is not None)
        blocks: list[int | None] = [None]
        if self._bases is not None:
            bases = np.asarray(self._bases)
            lowest, highest = np.iinfo(bases.dtype).min, np.iinfo(bases.dtype).max
            if not lowest <= number <= highest:
                return []
            least = bases.dtype.type(max(number - self._top + 1, lowest))
            blocks = [*np.flatnonzero((bases >= least) & (bases <= bases.dtype.type(number))).tolist()]
        small = np.asarray(self._small)
        for block in blocks:
            start = 0 if block is None else block * BLOCK
            wanted = number if block is None else number - int(self._bases[block])  # type: ignore[index]
            if 0 <= wanted < top:
                part = small[start : None if block is None else start + BLOCK]
                found += (np.flatnonzero(part == wanted) + start).tolist()
        return sorted(found)


def numbers(column: Any, chosen: Any = slice(None)) -> Any:
    """Numbers of a column, packed or not, as numpy array: of a slice or of an array of rows."""
    return column.numbers(chosen) if isinstance(column, Packed) else np.asarray(column)[chosen]


def open_packed(name: str, packing: Packing, view: Any) -> Packed:
    """Opens a packed column of an index. view: returns an array by its name"""
    bases = view(f"{name}_base") if packing.has_bases else None
    return Packed(view(name), bases, view(f"{name}_rows"), view(f"{name}_values"), packing.none)
