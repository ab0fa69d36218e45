"""Writing packed columns: complete ones, and ones filled by kernels. See `columns`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from parsers.index.bitpacked.columns import BLOCK, SAMPLES, TOPS, Packed, Packing
from parsers.index.writer import Writer

if TYPE_CHECKING:
    from parsers.model.arrays import AnyArray, U32Array

PIECE = 1 << 20
"""Numbers packed at a time."""


def save_packed(writer: Writer, name: str, packing: Packing, numbers: AnyArray) -> None:
    """Writes a complete column."""
    wide = np.dtype(packing.wide)
    small = np.empty(len(numbers), np.dtype(packing.small))
    top = TOPS[packing.small]
    bases: Any = np.ascontiguousarray(numbers[::BLOCK], wide)
    if packing.has_windows:
        bases = windows_of(np.asarray(numbers, wide), top)
    elif packing.has_bases and packing.none is not None:
        bases = lowest_of_blocks(np.asarray(numbers, wide), packing.none)
    fitting = top if packing.none is None else top - 1
    rows, values = [np.empty(0, np.uint32)], [np.empty(0, wide)]
    for start in range(0, len(numbers), PIECE):
        piece = np.ascontiguousarray(numbers[start : start + PIECE], wide)
        rest = piece
        if packing.has_bases:
            base = np.repeat(bases[start // BLOCK :][: -(-len(piece) // BLOCK)], BLOCK)[: len(piece)]
            rest = piece - base
            fits = (piece >= base) & (rest >= 0) & (rest < fitting)
        else:
            fits = (piece >= 0) & (piece < fitting)
        rest = np.where(fits, rest, wide.type(top))
        if packing.none is not None:
            rest[piece == packing.none] = top - 1
        small[start : start + PIECE] = rest
        apart = np.flatnonzero(rest == top)
        rows.append((apart + start).astype(np.uint32))
        values.append(piece[apart])
    writer.save(name, small)
    if packing.has_bases:
        writer.save(f"{name}_base", bases)
    writer.save(f"{name}_rows", np.concatenate(rows))
    writer.save(f"{name}_values", np.concatenate(values))


def lowest_of_blocks(numbers: AnyArray, none: int) -> AnyArray:
    """The lowest number of each block, ignoring `none`; 0 if there is no other."""
    bases = np.zeros(-(-len(numbers) // BLOCK), numbers.dtype)
    for block in range(len(bases)):
        block_numbers = numbers[block * BLOCK : (block + 1) * BLOCK]
        present = block_numbers[block_numbers != none]
        bases[block] = present.min() if len(present) else 0
    return bases


def windows_of(numbers: U32Array, top: int) -> U32Array:
    """For each block the base of the window with most of its numbers, out of windows around a few of them."""
    blocks, highest = -(-len(numbers) // BLOCK), np.iinfo(numbers.dtype).max - 2 * top
    bases = np.zeros(blocks, numbers.dtype)
    for block in range(blocks):
        block_numbers = numbers[block * BLOCK : (block + 1) * BLOCK]
        best = -1
        for sample in range(SAMPLES):
            middle = int(block_numbers[(2 * sample + 1) * len(block_numbers) // (2 * SAMPLES)])
            base = min(max(middle - top // 2, 0), highest)
            fitting = int(
                np.count_nonzero((block_numbers >= base) & (block_numbers - block_numbers.dtype.type(base) < top))
            )
            if fitting > best:
                best, bases[block] = fitting, base
    return bases


class PackedColumn:
    """A column filled by kernels: they write small numbers and bases, and report the exceptions."""

    def __init__(self, writer: Writer, name: str, packing: Packing, capacity: int) -> None:
        self.packing = packing
        self.small = writer.grow(name, packing.small, capacity)
        self.bases = writer.grow(f"{name}_base", packing.wide, capacity // BLOCK + 1) if packing.has_bases else None
        self._writer = writer
        self._name = name
        self._top = TOPS[packing.small]
        self._apart: list[tuple[Any, Any]] = []
        """Rows and numbers of exceptions, in the order in which threads reported them."""

    def ensure(self, capacity: int) -> bool:
        """Ensures the capacity; True if an array was replaced."""
        is_changed = self.small.ensure(capacity)
        return (self.bases is not None and self.bases.ensure(capacity // BLOCK + 1)) or is_changed

    def set(self, row: int, number: int) -> None:
        """Writes the number of a new row; the rows of its block before it must be written already."""
        rest = number
        if self.bases is not None:
            if row % BLOCK == 0:
                self.bases.array[row // BLOCK] = number
            rest -= int(self.bases.array[row // BLOCK])
        if 0 <= rest < self._top:
            self.small.array[row] = rest
        else:
            self.small.array[row] = self._top
            self.add_exceptions(np.array([row], np.uint32), np.array([number], np.dtype(self.packing.wide)))

    def extend(self, row: int, numbers: Sequence[int]) -> None:
        """Writes the numbers of new rows from `row` on, as `set` does."""
        wide = np.array(numbers, np.dtype(self.packing.wide))
        rest, fits = wide, np.True_
        if self.bases is not None:
            begun = wide[-row % BLOCK :: BLOCK]
            block = -(-row // BLOCK)
            self.bases.array[block : block + len(begun)] = begun
            base = self.bases.array[np.arange(row, row + len(wide)) // BLOCK]
            rest, fits = wide - base, wide >= base
        small = np.where(fits & (rest < self._top), rest, self._top)
        self.small.array[row : row + len(wide)] = small
        apart = np.flatnonzero(small == self._top)
        self.add_exceptions((apart + row).astype(np.uint32), wide[apart])

    def add_exceptions(self, rows: U32Array, numbers: AnyArray) -> None:
        """Adds exceptions; their small numbers are TOP. Callable from any thread."""
        self._apart.append((rows, numbers))

    def apart(self) -> tuple[Any, Any]:
        """Rows, ascending, and numbers of the exceptions; the numbers may be changed."""
        if len(self._apart) != 1:
            rows = np.concatenate([np.empty(0, np.uint32), *(rows for rows, _ in self._apart)])
            wide = np.dtype(self.packing.wide)
            numbers = np.concatenate([np.empty(0, wide), *(numbers.astype(wide) for _, numbers in self._apart)])
            order = np.argsort(rows, kind="stable")
            self._apart = [(rows[order], numbers[order])]
        return self._apart[0]

    def column(self, length: int) -> Packed:
        """The first `length` numbers, for reading."""
        bases = None if self.bases is None else memoryview(self.bases.array[: -(-length // BLOCK)])
        rows, numbers = self.apart()
        return Packed(memoryview(self.small.array[:length]), bases, memoryview(rows), memoryview(numbers))

    def finish(self, length: int) -> None:
        """Sets the number of rows, and writes the exceptions."""
        self.small.length = length
        if self.bases is not None:
            self.bases.length = -(-length // BLOCK)
        rows, numbers = self.apart()
        self._writer.save(f"{self._name}_rows", rows)
        self._writer.save(f"{self._name}_values", numbers)
