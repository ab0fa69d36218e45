"""Columns in blocks of BLOCK numbers, each with as many bits a number as its own need.

    name      int64: of each block its least number, then the differences to it, `width` bits each, the lowest first.
              A block of width w has w words after the first: numbers lie at fixed places of it
    name_end  uint32: by block the end of its words

The last block is filled up. No number is an exception, none is too large.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from parsers.index.bitpacked.block_loops import PENDING, WORDS, number_in
from parsers.index.bitpacked.columns import BLOCK

if TYPE_CHECKING:
    from parsers.index.writer import Writer
    from parsers.kernels.compiled import Functions
    from parsers.model.arrays import AnyArray, I64Array, U32Array

PIECE = 1 << 15
"""Numbers that are packed at a time."""


class BlockColumn:
    """A column of blocks, for reading."""

    def __init__(
        self, loops: Functions, words: memoryview | I64Array, ends: memoryview | U32Array, rows: int, type: str
    ) -> None:
        """loops: `block_loops`; type: that of the numbers it returns"""
        self._loops, self._words, self._ends = loops, np.asarray(words), np.asarray(ends)
        self.arrays = self._words, self._ends
        self._rows, self._type = rows, np.dtype(type)
        self._views: Any = self._words.data, self._ends.data
        """The same, whose numbers are those of Python: quicker for a single one."""
        self._bits = (1 << 8 * self._type.itemsize) - 1 if self._type.kind == "u" else 0

    def __len__(self) -> int:
        return self._rows

    def __getitem__(self, row: int) -> int:
        words, ends = self._views
        return number_in(words, ends, row) & self._bits if self._bits else number_in(words, ends, row)

    def numbers(self, chosen: AnyArray | slice = slice(None)) -> AnyArray:
        """Returns the numbers of a slice (with step 1), or of an array of rows: a new array."""
        # Numbers without sign as those with the same bits: -1 is packed for the largest one.
        signed = np.dtype(f"i{self._type.itemsize}")
        if isinstance(chosen, slice):
            start, stop, _ = chosen.indices(self._rows)
            found = np.empty(max(stop - start, 0), signed)
            self._loops.unpack_slice(self._words, self._ends, start, found)
        else:
            rows = np.ascontiguousarray(chosen, np.int64)
            found = np.empty(len(rows), signed)
            self._loops.unpack_rows(self._words, self._ends, rows, found)
        return found.view(self._type)

    def bounds(self, start: int, stop: int) -> tuple[int, int]:
        """Returns two numbers between which those of a range of rows are, which must begin with a block."""
        blocks = slice(start // BLOCK, -(-stop // BLOCK))
        ends = self._ends[blocks].astype(np.int64)
        begins = np.append(self._ends[blocks.start - 1] if blocks.start else 0, ends[:-1])
        least, widths = self._words[begins].tolist(), (ends - begins - 1).tolist()
        return min(least), max(each + (1 << width) - 1 for each, width in zip(least, widths, strict=True))

    def find(self, number: int, most: int) -> I64Array:
        """Returns the first rows of a number, `most` of them if there are so many."""
        rows = np.empty(most, np.int64)
        return rows[: self._loops.find_number(self._words, self._ends, self._rows, number, rows)]


class BlockWriter:
    """A column of blocks that is written piece by piece."""

    def __init__(self, writer: Writer, name: str) -> None:
        self._writer, self._name = writer, name
        self._pending, self._state = np.zeros(BLOCK, np.int64), np.zeros(2, np.int64)
        self._ends: list[U32Array] = []
        writer.open(name, "i8")

    def add(self, loops: Functions, numbers: AnyArray, words: I64Array) -> None:
        """Adds numbers. words: `space()`, which several columns may share"""
        for start in range(0, max(len(numbers), 1), PIECE):
            before, ends = int(self._state[WORDS]), np.empty(PIECE // BLOCK + 1, np.uint32)
            blocks = loops.pack_blocks(numbers[start : start + PIECE], self._pending, self._state, words, ends)
            if blocks:
                self._writer.put(self._name, before, words[: int(self._state[WORDS]) - before])
                self._ends.append(ends[:blocks])

    @staticmethod
    def space() -> I64Array:
        """Returns an array for the words of a piece."""
        return np.empty((PIECE // BLOCK + 1) * (BLOCK + 1), np.int64)

    def finish(self, loops: Functions, words: I64Array) -> dict[str, AnyArray]:
        """Writes what is left; returns both arrays."""
        held = int(self._state[PENDING])
        if held:
            self.add(loops, np.full(BLOCK - held, self._pending[0]), words)
        ends = np.concatenate([np.zeros(0, np.uint32), *self._ends])
        self._writer.length(self._name, int(self._state[WORDS]))
        self._writer.save(f"{self._name}_end", ends)
        return {self._name: self._writer.column(self._name, int(self._state[WORDS])), f"{self._name}_end": ends}
