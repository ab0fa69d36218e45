"""The view "GC chart": pauses, and the heap before and after, of each garbage collection."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from math import nan
from typing import TYPE_CHECKING

import numpy as np

from parsers.formats.jfr.charts.charts_view import EventChartView
from parsers.formats.jfr.tables.computed import ComputedTable
from parsers.formats.jfr.tables.declarations import COLLECTION, GARBAGE
from parsers.model.row import Link
from parsers.model.view import UnknownReference

if TYPE_CHECKING:
    from parsers.formats.jfr.tables.computed import Level
    from parsers.formats.jfr.tables.field_values import Values
    from parsers.model.arrays import I64Array

TABLE = GARBAGE.tables[0]
"""The table of collections, by start."""
START = "start"
LINES = ("pauses", "longest_pause", "heap_before", "heap_after")
COLUMNS = {each.column.name: each.column for each in TABLE.cells}


class GcChartView(EventChartView):
    """A point for each collection, in the order of their starts."""

    name = "GC chart"
    description = "Pauses, and heap before and after, of garbage collections over time"
    kind = "collection"
    axis = COLUMNS[START]
    series = tuple(COLUMNS[name] for name in LINES)

    @cached_property
    def _table(self) -> ComputedTable:
        return ComputedTable(self._data, TABLE, self.time_span)

    @property
    def _level(self) -> Level:
        return self._table.levels[0]

    @cached_property
    def _collections(self) -> tuple[I64Array, I64Array]:
        """Groups of the table with an event of their own, others begin before the time range; and those events."""
        events, level = self._table.events, self._level
        own = np.flatnonzero(events.is_of(COLLECTION))
        rows = np.full(len(level.labels), -1)
        rows[level.group_of[own]] = events.rows[own]
        places = np.flatnonzero(rows >= 0)
        return places, rows[places]

    def _cell(self, name: str) -> Values:
        return self._level.cells[list(COLUMNS).index(name)]

    @cached_property
    def _numbers(self) -> Mapping[str, Sequence[float]]:
        places = self._collections[0]
        found = {}
        for name in (START, *LINES):
            cell = self._cell(name)
            pairs = zip(cell.numbers[places].tolist(), cell.is_known[places].tolist(), strict=True)
            found[name] = [number if is_known else nan for number, is_known in pairs]
        return found

    @property
    def _rows(self) -> I64Array:
        """The events of collections, in the order of their starts."""
        return self._collections[1]

    def label(self, node: int) -> str:
        """Returns the id of a collection."""
        return self._level.labels[int(self._collections[0][node])]

    def links(self, node: int) -> Sequence[Link]:
        """Returns the links of the event, and its row among all collections."""
        return [Link("phases", f"collection:{self.label(node)}", "Garbage collections"), *super().links(node)]

    def resolve(self, ref: str) -> int:
        """Returns the node of a REF, such as `collection:GC 7`. Raises `UnknownReference`."""
        kind, _, label = ref.partition(":")
        if kind != "collection":
            return super().resolve(ref)
        found = next((node for node in range(self.points) if self.label(node) == label), None)
        if found is None:
            raise UnknownReference(f"{ref}: no such collection")
        return found
