"""The views of the heap dumps of a recording: those of heap dumps of any format, over its graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol, cast

from parsers.model.report import View

if TYPE_CHECKING:
    from parsers.formats.tptp.store.recorded import Recorded
    from parsers.heapdump.graph.heap_object import HeapObjects

DUMPS_VIEW = "Dumps"
NOT_TOLD = ("elements", "frame", "printed")
"""Columns that recordings have nothing for."""


class Opened(Protocol):
    """A report, as these views need it."""

    @property
    def recording(self) -> Recorded:
        """What was recorded."""
        ...

    def view(self, name: str) -> Any:
        """A view."""
        ...


class TraceHeap:
    """What these views share: see `parsers.heapdump.graph.heap_context.Heap`."""

    def __init__(self, report: Opened) -> None:
        self._report = report
        self._objects: HeapObjects | None = None

    @property
    def objects(self) -> HeapObjects | None:
        """The objects once the index is finished; None before, and where there is no dump."""
        recording = self._report.recording
        if self._objects is None and recording.is_complete and recording.rows("dump"):
            from parsers.formats.tptp.heap.graph import TraceGraph
            from parsers.formats.tptp.heap.objects import TraceObjects
            from parsers.formats.tptp.store.names import Names

            names = Names(recording)
            self._objects = TraceObjects(TraceGraph(recording, names), recording, names)
        return self._objects

    @property
    def stages(self) -> frozenset[str]:
        """There are none: all is known at once."""
        return frozenset()

    def has_stage(self, name: str) -> bool:
        """Whether all is known."""
        return self._report.recording.is_complete

    def waits_for(self, stage: str) -> str:
        """Why there are no rows yet."""
        return ""

    @property
    def estimated(self) -> str:
        """Empty: the recording has the sizes of objects."""
        return ""

    def view(self, name: str) -> Any:
        """Another view of the report."""
        return self._report.view(name)


def heap_makers(report: Opened) -> dict[str, Callable[[], View]]:
    """The views by name; nothing is imported before one is asked for."""
    from parsers.heapdump.views.shared import object_makers, retained_makers

    heap = TraceHeap(report)

    def dumps() -> View:
        from parsers.heapdump.views.classes_view import ClassesView

        view = ClassesView(heap)
        view.name = DUMPS_VIEW
        # What columns it has depends on the file: to the checker that is no variable.
        return cast(View, view)

    def objects() -> View:
        from parsers.formats.tptp.heap.objects_view import TraceObjectsView

        return TraceObjectsView(heap, tells_retained=True)

    shared = object_makers(heap, tells_retained=True) | retained_makers(heap)
    makers = {DUMPS_VIEW: dumps, **shared, "Objects": objects}
    return {name: _without_columns(make) for name, make in makers.items()}


def _without_columns(make: Callable[[], View]) -> Callable[[], View]:
    """A view without the columns of what is never told."""

    def made() -> View:
        view = make()
        if any(column.name in NOT_TOLD for column in view.columns):
            view.columns = tuple(column for column in view.columns if column.name not in NOT_TOLD)
            view.orders = tuple(order for order in view.orders if order not in NOT_TOLD)
        return view

    return made
