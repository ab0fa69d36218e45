"""An opened compilation log with its views."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from parsers.formats.hotspot.report import HotSpotReport
from parsers.model.late import late
from parsers.model.view import View

if TYPE_CHECKING:
    from parsers.formats.hotspot.tasks.view import TasksView
    from parsers.model.tables.table import Tables

VIEWS = {
    "Tasks": "tasks.view:TasksView",
    "Methods": "aggregates.methods_view:CompiledMethodsView",
    "Story": "story_view:StoryView",
    "Inlining failures": "aggregates.inlining_view:InliningView",
    "Deoptimisations": "aggregates.deoptimisation_view:DeoptimisationView",
    "Compile time": "aggregates.compile_time_view:CompileTimeView",
    "Code cache": "aggregates.code_cache_view:CodeCacheView",
    "Threads": "aggregates.threads_view:CompilerThreadsView",
    "VM": "aggregates.vm_view:VMView",
}
"""Module and class of each view, in display order; most import numpy, and the first screen needs one of them."""


class LogReport(HotSpotReport):
    """Report of one run with its views."""

    def makers(self) -> dict[str, Callable[[], View]]:
        """Returns the views by name, in display order."""
        return {name: late(f"parsers.formats.hotspot.{place}", self) for name, place in VIEWS.items()}

    def own_tables(self) -> Tables:
        """Tasks, decisions in them, and events."""
        from parsers.formats.hotspot.tables import log_tables

        return log_tables(self)

    @property
    def _tasks(self) -> TasksView:
        from parsers.formats.hotspot.tasks.view import TasksView

        view = self.views[0]
        assert isinstance(view, TasksView)
        return view

    @property
    def names(self) -> Sequence[bytes]:
        """Labels of the methods that were compiled; empty until all are known."""
        return self._tasks.names

    def name_count(self, name: int) -> int:
        """Returns the number of tasks that compile the method of that number."""
        return len(self._tasks.named(name))

    def name_nodes(self, name: int) -> Sequence[int]:
        """Returns the tasks that compile the method of that number."""
        return self._tasks.named(name)
