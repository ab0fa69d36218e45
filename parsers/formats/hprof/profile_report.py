"""An opened profile with its views."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, cast

from parsers.formats.hprof.profiles.views import profile_makers
from parsers.formats.hprof.report import HprofReport
from parsers.model.late import late
from parsers.model.view import View

if TYPE_CHECKING:
    from parsers.formats.hprof.heap_views import SharedHeap
    from parsers.formats.hprof.profiles.names import ProfileNames
    from parsers.heapdump.graph.heap_object import HeapObjects
    from parsers.heapdump.views.classes_view import HeapClassesView
    from parsers.model.tables.table import Tables
    from parsers.reporting.comparison.lines import Comparing

COMPARED = ("CPU samples", "CPU time", "Call tree", "Allocation sites")
"""Views whose rows can be compared with those of another profile."""


class ProfileReport(HprofReport):
    """Report of one profile with its views."""

    def makers(self) -> dict[str, Callable[[], View]]:
        """Returns makers of the views by name, in display order. Each is imported on first use."""
        from parsers.formats.hprof.heap_views import heap_makers

        more = {
            "Monitors": late("parsers.formats.hprof.monitors.view:HprofMonitorsView", self),
            "Traces": late("parsers.formats.hprof.profiles.traces_view:TracesView", self),
            "Threads": late("parsers.formats.hprof.profiles.threads_view:HprofThreadsView", self),
        }
        return {**profile_makers(self.recording), **heap_makers(self, self.heap), **more}

    @cached_property
    def heap(self) -> SharedHeap:
        """The parts that all views of heap dumps share."""
        from parsers.formats.hprof.heap_views import SharedHeap

        return SharedHeap(self)

    @property
    def comparable(self) -> Mapping[str, Comparing]:
        """Comparable views: the classes of a heap dump, costs of a profile by their rows."""
        from parsers.heapdump.graph.comparable_classes import comparable_classes
        from parsers.reporting.comparison.rows import comparable_rows

        def objects() -> HeapObjects:
            return cast("HeapClassesView", self.view("Classes")).objects

        return {"Classes": comparable_classes(objects, self.has_retained_sizes), **comparable_rows(self, COMPARED)}

    def own_tables(self) -> Tables:
        """Those of the file's sections: heap dumps, stacks and their costs."""
        from parsers.formats.hprof.sql_tables.report_tables import hprof_tables

        return hprof_tables(self)

    def name_table(self) -> ProfileNames:
        """Returns the names of frames' methods and heap dumps' classes."""
        from parsers.formats.hprof.profiles.names import ProfileNames

        return ProfileNames(self)
