"""The views of heap dumps, made when they are asked for, and what they share."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

from parsers.report import View

if TYPE_CHECKING:
    from parsers.hprof.heap_object import HeapObjects
    from parsers.hprof.report import HprofReport


MakeObjects = Callable[[], "HeapObjects"]


class SharedHeap:
    """What all views of a report's heap dumps need."""

    def __init__(self, report: HprofReport, make_objects: MakeObjects | None = None) -> None:
        """make_objects: gives the objects once everything is known; without it those of the recording"""
        self._report = report
        self._make_objects = make_objects or self._recorded
        self._objects: HeapObjects | None = None

    @property
    def objects(self) -> HeapObjects | None:
        """The objects once all are known; None before."""
        if self._objects is None and self._report.recording.is_complete:
            self._objects = self._make_objects()
        return self._objects

    def _recorded(self) -> HeapObjects:
        from parsers.hprof.heap_object import HeapObjects
        from parsers.hprof.recorded_graph import RecordedGraph

        recording = self._report.recording
        return HeapObjects(RecordedGraph(recording), recording, self._report.thread_name)

    def view(self, name: str) -> Any:
        """Another view of the report."""
        return self._report.view(name)


def heap_makers(report: HprofReport, heap: SharedHeap | None = None) -> dict[str, Callable[[], View]]:
    """The views by name; nothing is imported before one is asked for."""
    heap = heap or SharedHeap(report)

    def classes() -> View:
        from parsers.changing_view import changing
        from parsers.hprof.classes_view import ClassesView
        from parsers.hprof.known_classes_view import KnownClassesView

        # What columns it has depends on the file: to the checker that is no variable.
        return changing(KnownClassesView(report.recording), cast(View, ClassesView(heap)))

    def roots() -> View:
        from parsers.hprof.roots_view import RootsView

        return RootsView(heap)

    def objects() -> View:
        from parsers.hprof.objects_view import ObjectsView

        return ObjectsView(heap)

    def referrers() -> View:
        from parsers.hprof.referrers_view import ReferrersView

        return ReferrersView(heap)

    def paths() -> View:
        from parsers.hprof.paths_view import PathsView

        return PathsView(heap)

    return {"Classes": classes, "Roots": roots, "Objects": objects, "Referrers": referrers, "Paths": paths}
