"""Differences of two lists of millions of names: numbers of rows as arrays, each name read when it is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from parsers.formats.graalvm.builds.name_blocks import hashes_of_list
from parsers.formats.graalvm.builds.normalised import normalised_names, normalised_text
from parsers.formats.graalvm.side.names import LineNames
from parsers.model.lookup import place_in
from parsers.model.row import Column
from parsers.reporting.comparison.hashes import differing, having
from parsers.reporting.comparison.lines import (
    ADDED,
    CHANGED,
    OLDER,
    REMOVED,
    Change,
    ComparedLine,
    Differences,
    largest_first,
)
from parsers.reporting.comparison.text_numbers import FEW, number_together

if TYPE_CHECKING:
    from parsers.formats.graalvm.side.table import SideTable
    from parsers.model.arrays import I64Array, U64Array

ROWS = "rows"
NONE = -1
"""Value instead of a row: the list doesn't have the name."""

OLD, NEW = range(2)
"""Sides of a comparison."""


class ListDifferences(Differences):
    """Names whose number of rows differs, the largest change first, then in the order of the lists."""

    def __init__(self, old: SideTable, new: SideTable, column: Column) -> None:
        self.columns: tuple[Column, ...] = (column,)
        self._tables = old, new
        hashes = _hashes(old, new)
        differ = differing(*hashes)
        found = [_groups(each, differ) for each in hashes]
        self._rows = np.stack([rows for rows, _ in found])
        """int64 by side and name: its first row."""
        self._counts = np.stack([counts for _, counts in found])
        growth = self._counts[NEW] - self._counts[OLD]
        order = np.lexsort((np.where(growth > 0, self._rows[NEW], self._rows[OLD]), *reversed(largest_first(growth))))
        self._rows, self._counts = self._rows[:, order], self._counts[:, order]
        self.depths = np.zeros(len(order), np.uint16)
        self.largest = int(np.abs(growth).max(initial=0))

    def change(self, row: int) -> Change:
        """Returns the change of a name, with its number of rows."""
        old, new = self._counts[:, row].tolist()
        kind = ADDED if not old else REMOVED if not new else CHANGED
        numbers = [{ROWS: count} if count else None for count in (old, new)]
        return Change(kind, self._line(row), numbers[0], numbers[1])

    def _place(self, row: int) -> tuple[int, int]:
        """Side that has the name, and the row there."""
        is_new = int(self._rows[NEW, row] != NONE)
        return is_new, int(self._rows[is_new, row])

    def _line(self, row: int) -> ComparedLine:
        is_new, place = self._place(row)
        table = self._tables[is_new]
        cells, numbers = table.cells(place), table.lines.numbers
        spans = table.layout.spans(cells) if cells.kind != "unknown" else ()
        name = normalised_text(cells.name) if cells.name else cells.label
        ref = f"{'' if is_new else OLDER}line:{numbers[place]}"
        old = int(self._rows[OLD, row])
        old_ref = f"line:{self._tables[OLD].lines.numbers[old]}" if is_new and old != NONE else ""
        return ComparedLine((cells.kind, name), cells.kind, cells.label, {}, ref=ref, spans=spans, old_ref=old_ref)

    def labels(self, start: int, stop: int) -> list[str]:
        """Returns the labels of a range of rows."""
        places = map(self._place, range(start, min(stop, len(self.depths))))
        return [self._tables[is_new].cells(row).label for is_new, row in places]

    def find(self, ref: str) -> int | None:
        """Returns the row of a REF: that of the first row of a name."""
        is_new = not ref.startswith(OLDER)
        kind, _, line = ref.removeprefix(OLDER).partition(":")
        if kind != "line" or not line.isdecimal():
            return None
        place = place_in(self._tables[is_new].lines.numbers, int(line))
        if place is None:
            return None
        found = np.flatnonzero(self._rows[int(is_new)] == place)
        return int(found[0]) if len(found) else None


def _hashes(old: SideTable, new: SideTable) -> tuple[U64Array, U64Array]:
    """By row of both lists: a number for its name, equal for equal names. The lowest bit is unused."""
    if len(old.lines) + len(new.lines) <= FEW:
        texts = [normalised_names(LineNames(table), table.report.encoding) for table in (old, new)]
        old_numbers, new_numbers, _ = number_together(texts[0], texts[1])
        return old_numbers.astype(np.uint64) << np.uint64(1), new_numbers.astype(np.uint64) << np.uint64(1)
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(2) as threads:
        first, second = threads.map(hashes_of_list, (old.report, new.report))
    return first, second


def _groups(hashes: U64Array, wanted: U64Array) -> tuple[I64Array, I64Array]:
    """By wanted hash: its first row, or `NONE`, and its number of rows."""
    rows, counts = np.full(len(wanted), NONE, np.int64), np.zeros(len(wanted), np.int64)
    places = having(hashes, wanted)
    found, firsts, number = np.unique(hashes[places] & ~np.uint64(1), return_index=True, return_counts=True)
    into = np.searchsorted(wanted, found)
    rows[into], counts[into] = places[firsts], number
    return rows, counts
