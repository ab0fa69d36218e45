"""An opened recording with its views."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Literal, cast

from parsers.formats.jfr.report import TABLES, JfrReport
from parsers.model.late import late
from parsers.model.report import Report
from parsers.model.view import Shape, View
from parsers.model.views import Views
from parsers.reporting.comparison.rows import ComparableRows, comparable_rows

if TYPE_CHECKING:
    from parsers.formats.jfr.old_objects_view import OldObjectsView
    from parsers.formats.jfr.profiles import RecordedProfiles
    from parsers.io.cache import Cache
    from parsers.io.source import Source
    from parsers.model.tables.table import Tables
    from parsers.reporting.comparison.lines import Comparing


COMPARED = (
    "Methods",
    "Call tree",
    "Callers",
    "Latencies",
    "Allocation",
    "Monitors",
    "Exceptions",
    "I/O",
    "Compilations",
    "Class loading",
    "Events",
    "Settings",
)
"""Views whose rows are compared: the first one by default."""
COMPARED_TABLES = {
    "gc-pauses": "Garbage collections",
    "gc-pause-phases": "Garbage collections",
    "vm-operations": "Safepoints",
    "allocation-by-class": "Allocation",
    "allocation-by-site": "Allocation",
    "contention-by-class": "Monitors",
    "contention-by-site": "Monitors",
    "object-statistics": "JDK views",
}
"""Tables that are compared, with the views of their events."""


class ComparableTable(ComparableRows):
    """A table, also one of `jfr view`, that is compared by its rows."""

    extremes = ("p50", "p99", "longest")

    def __init__(self, report: Report, name: str, needs: str = "") -> None:
        super().__init__(report, name)
        self.needs = needs


OF_STACKS = ("Call tree", "Callers", "Flame", "Methods")
"""Views that need events with stacks."""
NEEDS = {
    "Thread dumps": "jdk.ThreadDump",
    "GC chart": "jdk.GarbageCollection",
    "Old objects": "jdk.OldObjectSample",
}
"""Types of events without which there is no such view."""


class JfrWithViews(JfrReport):
    """Report of one recording with its views."""

    def __init__(self, sources: Sequence[Source], cache: Cache) -> None:
        """Raises `ReportError`, as `JfrReport`."""
        super().__init__(sources, cache)
        self.views = Views(self.makers(), self.has, lambda name: self.is_complete, None, self.hidden, self.hidden_names)

    def makers(self) -> dict[str, Callable[[], View]]:
        """Returns makers of the views by name, in display order. Each is imported on first use."""
        return {
            "Events": self._events,
            "Call tree": lambda: self._merged("Call tree", "down"),
            "Callers": lambda: self._merged("Callers", "up"),
            "Flame": lambda: self._merged("Flame", "down", "flame"),
            "Methods": self._methods,
            "Threads": late("parsers.formats.jfr.thread_states.threads_view:ThreadsView", self),
            "Time line": late("parsers.formats.jfr.thread_states.timeline_view:RecordingTimelineView", self),
            "Thread dumps": late("parsers.formats.jfr.thread_states.dumps_view:DumpsView", self),
            **{name: late("parsers.formats.jfr.tables.tables_view:declared_view", self, name) for name in TABLES},
            "Monitors": late("parsers.formats.jfr.thread_states.monitors_view:MonitorsView", self),
            "GC chart": late("parsers.formats.jfr.charts.gc_chart_view:GcChartView", self),
            "CPU and memory": late("parsers.formats.jfr.charts.charts_view:ChartsView", self),
            "Old objects": late("parsers.formats.jfr.old_objects_view:OldObjectsView", self),
        }

    def has(self, name: str) -> bool:
        """True if the file has data for a view; True for all until the index is finished."""
        if not self.is_complete:
            return True
        if name in TABLES:
            from parsers.formats.jfr.tables.tables_view import has_declared
            from parsers.formats.jfr.thread_states.dumps import has_deadlocks

            return has_declared(self.data, name) or (name == "Monitors" and has_deadlocks(self.data))
        if name == "CPU and memory":
            from parsers.formats.jfr.charts.charts_view import has_charts

            return has_charts(self.data)
        if name in NEEDS:
            return NEEDS[name] in self.data.type_numbers
        return name not in OF_STACKS or bool(self.data.column("type_stacked").any())

    def hidden(self, name: str) -> View | None:
        """Returns a view that is not listed: a table by its name in `jfr view`, or the events of a type."""
        from parsers.formats.jfr.tables.tables_view import hidden_view

        return hidden_view(self, name)

    def hidden_names(self) -> Sequence[str]:
        """Returns the names of such views."""
        from parsers.formats.jfr.tables.declarations import aliases

        return [*aliases(), *(self.data.type_names if self.is_complete else ())]

    @property
    def comparable(self) -> Mapping[str, Comparing]:
        """Comparable views: those whose rows have names that do not differ between runs; tables of `jfr view`."""
        return {
            **comparable_rows(self, [name for name in COMPARED if name not in TABLES]),
            **{name: ComparableTable(self, name) for name in COMPARED if name in TABLES},
            **{name: ComparableTable(self, name, of) for name, of in COMPARED_TABLES.items()},
        }

    @cached_property
    def profiles(self) -> RecordedProfiles:
        """The events with stacks as a profile."""
        from parsers.formats.jfr.profiles import RecordedProfiles

        return RecordedProfiles(self)

    def own_tables(self) -> Tables:
        """Threads, events, stacks, and a table of each type of events."""
        from parsers.formats.jfr.sql_tables.report_tables import recording_tables

        def old_objects() -> OldObjectsView | None:
            return cast("OldObjectsView", self.view("Old objects")) if self.has("Old objects") else None

        return recording_tables(self.data, self.profiles, old_objects, lambda: self.is_private_shown)

    def _merged(self, name: str, direction: Literal["down", "up"], shape: Shape = "tree") -> View:
        from parsers.profile.views.call_views import CallView

        return CallView(self.profiles, name, direction, shape)

    def _events(self) -> View:
        from parsers.formats.jfr.events.head_events_view import HeadEventsView
        from parsers.views.preview_switch import PreviewSwitch
        from parsers.views.proxy import LateView

        whole = LateView(late("parsers.formats.jfr.events.events_view:EventsView", self))
        return PreviewSwitch(HeadEventsView(self), whole)

    def _methods(self) -> View:
        from parsers.profile.views.cost_view import CostView

        return CostView(self.profiles, "Methods", ("by method", "by class", "by package"))
