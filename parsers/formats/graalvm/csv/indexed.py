"""A CSV call tree over the arrays of an index: those of a text tree, except that rows are no lines of a file.

bci             uint16 by row: position of the call in the calling method; NO_BCI if a row has none, STRANGE if it is no
                small number
bci_row         uint32, ascending: rows whose `bci` is STRANGE
bci_start       uint32, one more than these: start of each text in
bci_bytes       uint8
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

from parsers.formats.graalvm.text.indexed_tree import IndexedTree
from parsers.model.late import numpy as np

if TYPE_CHECKING:
    from parsers.model.arrays import AnyArray, I64Array, U32Array

NO_BCI = 0xFFFF
STRANGE = 0xFFFE


class IndexedCsvTree(IndexedTree):
    """`TextTree` of the index of a set of tables."""

    def bci(self, row: int) -> bytes | None:
        """Returns the position of a row's call in the calling method."""
        view = self._reader.view
        bci = view("bci")[row]
        if bci < STRANGE:
            return b"%d" % bci
        if bci == NO_BCI:
            return None
        place = bisect_left(view("bci_row"), row)
        starts = view("bci_start")
        return bytes(view("bci_bytes")[starts[place] : starts[place + 1]])

    def offset(self, row: int) -> int:
        """Always none: rows are not lines of a file."""
        return 0

    def row_at(self, offset: int) -> int | None:
        """Always none: rows are not lines of a file."""
        return None

    def line(self, row: int) -> int:
        """Returns the line that the row would have had, after the header."""
        return row + 2

    def lines_of(self, rows: U32Array) -> I64Array:
        """Returns `line` of many rows."""
        return np.asarray(rows, np.int64) + 2

    def row_of_line(self, line: int) -> int | None:
        """Returns the row that would have been printed on a line."""
        return line - 2 if 2 <= line < self.rows + 2 else None

    def offsets(self, start: int, stop: int) -> AnyArray:
        """Always none: rows are not lines of a file."""
        return np.zeros(min(stop, self.rows) - start, np.int64)
