"""Writing of columns to an index in pieces, so that memory never holds a copy of a whole column."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from parsers.formats.tptp.join.kernels.bitpack import pack
from parsers.index.bitpacked.columns import BLOCK, TOPS, Packing

if TYPE_CHECKING:
    from parsers.index.writer import Writer
    from parsers.model.arrays import AnyArray

PIECE = 1 << 18
"""Rows processed at a time."""


class ExtensibleArray:
    """An array that grows at its end."""

    def __init__(self, writer: Writer, name: str, type: str) -> None:
        self._writer, self._name, self._type = writer, name, np.dtype(type)
        self._length = 0

    def add(self, values: AnyArray) -> None:
        """Appends values."""
        if len(values):
            if not self._length:
                self._writer.open(self._name, self._type.str[1:])
            self._writer.put(self._name, self._length, np.ascontiguousarray(values, self._type).view(np.uint8))
            self._length += len(values)

    def end(self) -> None:
        """Ends the array."""
        if self._length:
            self._writer.length(self._name, self._length)
        else:
            self._writer.save(self._name, np.empty(0, self._type))


def save_packed(writer: Writer, name: str, packing: Packing, values: AnyArray) -> None:
    """Writes a column bitpacked. Twin: `parsers.index.bitpacked.writing.save_packed`."""
    count, top = len(values), TOPS[packing.small]
    small, rows, apart = (
        ExtensibleArray(writer, f"{name}{part}", type)
        for part, type in (("", packing.small), ("_rows", "u4"), ("_values", packing.wide))
    )
    bases = np.zeros(-(-count // BLOCK), np.int64)
    capacity = min(count, PIECE)
    wide, places, numbers = np.empty(capacity, np.uint32), np.empty(capacity, np.uint32), np.empty(capacity, np.int64)
    none = 0 if packing.none is None else packing.none
    none = none - (1 << 64) if packing.wide == "u8" and none >> 63 else none
    for start in range(0, count, PIECE):
        piece = np.ascontiguousarray(values[start : start + PIECE])
        piece = piece.view(np.int64) if piece.itemsize == 8 else piece.astype(np.int64)
        found = pack(
            piece, start, packing.none is not None, np.int64(none), top, packing.has_bases, wide,
            bases[start // BLOCK :], places, numbers,
        )  # fmt: skip
        small.add(wide[: len(piece)])
        rows.add(places[:found])
        apart.add(numbers[:found])
    for pieces in (small, rows, apart):
        pieces.end()
    if packing.has_bases:
        writer.save(f"{name}_base", bases.astype(np.dtype(packing.wide)))
