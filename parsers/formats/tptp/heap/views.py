"""Views of a recording's heap dumps: those of any heap dump format, over its graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

from parsers.heapdump.graph.heap_context import HeapContext
from parsers.model.view import View

if TYPE_CHECKING:
    from parsers.formats.tptp.heap.objects import TraceObjectsView
    from parsers.formats.tptp.report import TraceReport
    from parsers.heapdump.graph.heap_object import HeapObjects

DUMPS_VIEW, OBJECTS_VIEW = "Dumps", "Objects"
NOT_RECORDED = ("elements", "frame", "printed")
"""Columns without data in recordings."""


class TraceHeap(HeapContext):
    """Shared parts of these views."""

    def __init__(self, report: TraceReport) -> None:
        self._report = report
        self._objects: HeapObjects | None = None

    @property
    def objects(self) -> HeapObjects | None:
        """The objects once the index is finished; None before, and if there is no dump."""
        recording = self._report.recording
        if self._objects is None and recording.is_complete and recording.rows("dump"):
            from parsers.formats.tptp.heap.graph import TraceGraph
            from parsers.formats.tptp.heap.objects import TraceObjects

            names = self._report.names_of
            self._objects = TraceObjects(TraceGraph(recording, names), recording, names)
        return self._objects

    def has_stage(self, name: str) -> bool:
        """True if all is known."""
        return self._report.recording.is_complete

    def view(self, name: str) -> View:
        """Returns another view of the report."""
        return self._report.view(name)


def heap_objects(report: TraceReport) -> HeapObjects | None:
    """Returns the objects of all heap dumps; None if there is no dump."""
    if not report.recording.rows("dump"):
        return None
    return cast("TraceObjectsView", report.view(OBJECTS_VIEW)).objects


def heap_makers(report: TraceReport) -> dict[str, Callable[[], View]]:
    """Returns makers of the views by name. Each is imported on first use."""
    from parsers.heapdump.views.shared import object_makers, retained_makers

    heap = TraceHeap(report)

    def dumps() -> View:
        from parsers.heapdump.views.classes_view import HeapClassesView

        view = HeapClassesView(heap)
        view.name = DUMPS_VIEW
        # Its columns depend on the file: the type checker does not accept that as a variable.
        return view

    def objects() -> View:
        from parsers.formats.tptp.heap.objects import TraceObjectsView

        return TraceObjectsView(heap, has_retained_sizes=True)

    shared = object_makers(heap, has_retained_sizes=True) | retained_makers(heap)
    fixed = {name: _without_columns(make) for name, make in (shared | {"Objects": objects}).items()}
    return {DUMPS_VIEW: dumps, **fixed}


def _without_columns(make: Callable[[], View]) -> Callable[[], View]:
    """Returns a maker of the view without columns that are never recorded."""

    def made() -> View:
        # Columns are a property of views in general, but attributes of those that have such columns.
        view: Any = make()
        if any(column.name in NOT_RECORDED for column in view.columns):
            view.columns = tuple(column for column in view.columns if column.name not in NOT_RECORDED)
            view.orders = tuple(order for order in view.orders if order not in NOT_RECORDED)
        shown: View = view
        return shown

    return made
