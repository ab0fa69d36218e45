"""The view "GC chart": pauses, and the heap before and after, of each garbage collection."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from math import nan
from typing import TYPE_CHECKING

import numpy as np

from parsers.formats.jfr.events.event_rows import EventRows
from parsers.formats.jfr.tables.computed import ComputedTable
from parsers.formats.jfr.tables.declarations import COLLECTION, GARBAGE
from parsers.formats.jfr.time_range import RangedView
from parsers.model.report import Column, Link, Section, Switch, UnknownReference
from parsers.views.chart_view import SHOW_AS, ChartView

if TYPE_CHECKING:
    from parsers.formats.jfr.report import JfrReport
    from parsers.formats.jfr.tables.computed import Level
    from parsers.formats.jfr.tables.field_values import Values
    from parsers.model.arrays import I64Array

TABLE = GARBAGE.tables[0]
"""The table of collections, by start."""
START = "start"
LINES = ("pauses", "longest_pause", "heap_before", "heap_after")
COLUMNS = {each.column.name: each.column for each in TABLE.cells}


class GcChartView(RangedView, ChartView):
    """A point for each collection, in the order of their starts."""

    name = "GC chart"
    description = "Pauses, and heap before and after, of garbage collections over time"
    kind = "collection"
    axis = COLUMNS[START]
    series = tuple(COLUMNS[name] for name in LINES)

    def __init__(self, report: JfrReport) -> None:
        super().__init__(report)
        self._events = EventRows(report.data, lambda: report.is_private_shown)

    @property
    def is_complete(self) -> bool:
        """True if the index is finished."""
        return self._data.is_complete

    @property
    def switches(self) -> tuple[Switch, ...]:
        """The choice between picture and table, and the time range."""
        return (SHOW_AS, self._ranges.switch)

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
    def points(self) -> int:
        """Number of collections."""
        return len(self._collections[0]) if self.is_ready else 0

    def numbers(self, column: Column) -> Sequence[float]:
        """Returns the numbers of the axis or of a line."""
        return self._numbers[column.name]

    def label(self, node: int) -> str:
        """Returns the id of a collection."""
        return self._level.labels[int(self._collections[0][node])]

    def _row(self, node: int) -> int:
        return int(self._collections[1][node])

    def offset(self, node: int) -> int | None:
        """Returns the offset of the event."""
        return self._data.event("place", self._row(node))

    def sections(self, node: int) -> Sequence[Section]:
        """Returns the fields of the event, and the extremes of the lines."""
        return [*self._events.sections(self._row(node)), *self.extremes()]

    def links(self, node: int) -> Sequence[Link]:
        """Returns the links of the event, and its row among all collections."""
        row = self._row(node)
        phases = Link("phases", f"collection:{self.label(node)}", "Garbage collections")
        return [phases, Link("event", self._events.ref(row), "Events"), *self._events.links(row)]

    def resolve(self, ref: str) -> int:
        """Returns the node of a REF, such as `collection:GC 7`. Raises `UnknownReference`."""
        kind, _, label = ref.partition(":")
        if kind != "collection":
            return super().resolve(ref)
        found = next((node for node in range(self.points) if self.label(node) == label), None)
        if found is None:
            raise UnknownReference(f"{ref}: no such collection")
        return found
