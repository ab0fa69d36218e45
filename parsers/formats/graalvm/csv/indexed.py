"""A CSV call tree over the arrays of an index: those of a text tree without offsets, as rows are no lines of a file.

Row N has the number of the line that it would have had, N + 2: there is one line before the first row, the header.

bci             uint16 by row: position of the call in the calling method; NO_BCI if a row has none, STRANGE if it is no
                small number
bci_row         uint32, ascending: rows whose `bci` is STRANGE
bci_start       uint32, one more than these: start of each text in
bci_bytes       uint8
"""

from __future__ import annotations

from bisect import bisect_left

from parsers.formats.graalvm.text.indexed_tree import IndexedTree

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
