"""The views of heap dumps, created on first use, and their shared parts."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from parsers.heapdump.graph.columns import HEAP_DUMP
from parsers.heapdump.graph.heap_context import HeapContext
from parsers.heapdump.views.shared import object_makers
from parsers.model.view import View

if TYPE_CHECKING:
    from parsers.formats.hprof.report import HprofReport
    from parsers.heapdump.graph.heap_object import HeapObjects


OBJECTS, ALL = "objects", "all"
STAGE_WORDS = {
    "reading": "reading",
    "classes": "classes",
    "objects": "objects",
    "references": "references",
    "paths": "paths from roots",
    "strings": "texts",
    "dominators": "dominators",
}
"""Stages of an index in words."""


class SharedHeap(HeapContext):
    """Shared parts of all views of a report's heap dumps."""

    def __init__(self, report: HprofReport) -> None:
        self._report = report
        self._objects: HeapObjects | None = None
        self._known: frozenset[str] = frozenset()
        """Stages known to the objects."""

    @property
    def objects(self) -> HeapObjects | None:
        """The objects once all are known; None before, and if the file has no heap dump."""
        if ALL in self._known:
            return self._objects
        if self._objects is None:
            if not self.has_stage(OBJECTS) or HEAP_DUMP not in self._report.recording.column("section_kind"):
                return None
            self._objects = self._report.heap_objects()
        elif self._known != self.stages:
            self._objects.graph.follow()
        self._known = self.stages
        return self._objects

    @property
    def stages(self) -> frozenset[str]:
        """The complete stages of the index."""
        if ALL in self._known:
            return self._known
        recording = self._report.recording
        return recording.stages | {ALL} if recording.is_complete else recording.stages

    def has_stage(self, name: str) -> bool:
        """True if the results of a stage are known."""
        return self._report.recording.has_stage(name)

    def waits_for(self, stage: str) -> str:
        """Returns the progress of a stage in words; empty if there are no stages."""
        progress = self._report.progress
        if not progress.stage:
            return ""
        wanted, now = STAGE_WORDS[stage], STAGE_WORDS[progress.stage]
        far = f"{100 * progress.share:.0f} %" if progress.share else "…"
        if progress.state in ("stopped", "failed"):
            return f"indexing {'was stopped' if progress.state == 'stopped' else 'ended'} before {wanted} were known"
        return f"{wanted}: {far}" if progress.stage == stage else f"waits for {wanted}: {now} {far}"

    @property
    def estimated(self) -> str:
        """Reason why sizes are estimates; empty if they are not."""
        return self._report.estimated

    def view(self, name: str) -> View:
        """Returns another view of the report."""
        return self._report.view(name)


def heap_makers(report: HprofReport, heap: SharedHeap) -> dict[str, Callable[[], View]]:
    """Returns makers of the views by name. Each is imported on first use."""

    def classes() -> View:
        from parsers.formats.hprof.text.known_classes_view import HEADER_ASSUMED, KnownClassesView
        from parsers.heapdump.views.classes_view import HeapClassesView
        from parsers.views.preview_switch import PreviewSwitch

        # Its columns depend on the file: the type checker does not accept that as a variable.
        first = KnownClassesView(report.recording, "" if report.has_retained_sizes else HEADER_ASSUMED)
        return PreviewSwitch(first, HeapClassesView(heap))

    return {"Classes": classes, **object_makers(heap, report.has_retained_sizes)}
