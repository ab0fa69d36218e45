"""Charts of events, and the view "CPU and memory": numbers over time, each choice from one type of events."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from parsers.formats.jfr.tables.field_values import DURATION, START, values_of
from parsers.formats.jfr.time_range import RangedView
from parsers.model.row import Column, Link, Section, Unit
from parsers.model.view import Switch
from parsers.views.chart_view import SHOW_AS, ChartView

if TYPE_CHECKING:
    from parsers.formats.jfr.data.recorded_data import RecordedData
    from parsers.model.arrays import I64Array

TIME = Column("start", "start", "s", width=12)


def chart(type: str, unit: Unit, *fields: str) -> tuple[str, Mapping[str, Column]]:
    """Returns a type of events, and a line for each field; the column of `a.b` is called `a_b`."""
    titles = {field: field.rpartition(".")[2] for field in fields}
    return f"jdk.{type}", {field: Column(field.replace(".", "_"), titles[field], unit, width=16) for field in fields}


CHARTS: Mapping[str, tuple[str, Mapping[str, Column]]] = {
    "CPU": chart("CPULoad", "percent", "jvmUser", "jvmSystem", "machineTotal"),
    "heap": chart("GCHeapSummary", "bytes", "heapUsed", "heapSpace.committedSize"),
    "GC pauses": chart("GCPhasePause", "ns", DURATION),
    "memory of the process": chart("ResidentSetSize", "bytes", "size", "peak"),
    "metaspace": chart("MetaspaceSummary", "bytes", "metaspace.used", "metaspace.committed"),
    "native memory": chart("NativeMemoryUsageTotal", "bytes", "reserved", "committed"),
    "memory of the machine": chart("PhysicalMemory", "bytes", "usedSize", "totalSize"),
    "container memory": chart("ContainerMemoryUsage", "bytes", "memoryUsage", "swapMemoryUsage"),
    "threads": chart("JavaThreadStatistics", "count", "activeCount", "daemonCount", "peakCount"),
    "context switches": chart("ThreadContextSwitchRate", "count/s", "switchRate"),
    "network": chart("NetworkUtilization", "bytes/s", "readRate", "writeRate"),
    "classes": chart("ClassLoadingStatistics", "count", "loadedClassCount", "unloadedClassCount"),
    "exceptions": chart("ExceptionStatistics", "count", "throwables"),
    "compiled code": chart("CompilerStatistics", "bytes", "nmethodsSize", "nmethodCodeSize"),
}
"""By choice: a type of events, and a line for each of some of its fields."""


def has_charts(data: RecordedData) -> bool:
    """True if a recording has any of these events."""
    return any(type in data.type_numbers for type, _ in CHARTS.values())


class EventChartView(RangedView, ChartView):
    """A point for each of some events."""

    @property
    def _rows(self) -> I64Array:
        """The events, in the order of their starts."""
        raise NotImplementedError

    @property
    def _numbers(self) -> Mapping[str, Sequence[float]]:
        """The numbers of the axis and of the lines, by the names of their columns."""
        raise NotImplementedError

    @property
    def is_complete(self) -> bool:
        """True if the index is finished."""
        return self._data.is_complete

    @property
    def switches(self) -> tuple[Switch, ...]:
        """The own switches, the choice between picture and table, and the time range."""
        return (*self.own_switches, SHOW_AS, self._ranges.switch)

    @property
    def points(self) -> int:
        """Number of events."""
        return len(self._rows) if self.is_ready else 0

    def numbers(self, column: Column) -> Sequence[float]:
        """Returns the numbers of the axis or of a line."""
        return self._numbers[column.name]

    def row_at(self, node: int) -> int:
        """Returns the event of a point."""
        return int(self._rows[node])

    def offset(self, node: int) -> int | None:
        """Returns the offset of the event."""
        return self._data.event("place", self.row_at(node))

    def sections(self, node: int) -> Sequence[Section]:
        """Returns the fields of the event, and the extremes of the lines."""
        return [*self._events.sections(self.row_at(node)), *self.extremes()]

    def links(self, node: int) -> Sequence[Link]:
        """Returns the links of the event."""
        row = self.row_at(node)
        return [Link("event", self._events.ref(row), "Events"), *self._events.links(row)]


class ChartsView(EventChartView):
    """A point for each event of the chosen type, in the order of their starts."""

    name = "CPU and memory"
    description = "CPU, heap, pauses, threads and other numbers over time"
    kind = "event"
    axis = TIME

    @property
    def own_switches(self) -> tuple[Switch, ...]:
        """The numbers: those that the file has."""
        known = self._data.type_numbers if self.is_ready else None
        found = tuple(name for name, (type, _) in CHARTS.items() if known is None or type in known)
        return (Switch("numbers", "n", "numbers", found or tuple(CHARTS)),)

    @property
    def _chart(self) -> tuple[str, Mapping[str, Column]]:
        return CHARTS[self.choice("numbers")]

    @property
    def series(self) -> tuple[Column, ...]:
        """The lines of the choice."""
        return tuple(self._chart[1].values())

    @cached_property
    def _rows(self) -> I64Array:
        """Events by start."""
        rows = self.rows_of(self._chart[0])
        return rows[np.argsort(self._data.events("start", rows), kind="stable")]

    @cached_property
    def _numbers(self) -> Mapping[str, Sequence[float]]:
        type, fields = self._chart
        rows = np.sort(self._rows)
        places = np.searchsorted(rows, self._rows)
        found = {}
        for field, column in {START: TIME, **fields}.items():
            values = values_of(self._data, type, field, rows)
            numbers = values.numbers if values.is_known.all() else np.where(values.is_known, values.numbers, np.nan)
            found[column.name] = numbers[places].tolist()
        return found

    def label(self, node: int) -> str:
        """Returns the time since the first event."""
        return f"{self._numbers[TIME.name][node]:,.3f} s"
