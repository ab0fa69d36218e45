"""The state shared by all views of a heap: the objects, once complete, and the progress of index stages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, cast

if TYPE_CHECKING:
    from parsers.heapdump.graph.heap_object import HeapObjects
    from parsers.model.names.patterns import Subject
    from parsers.model.view import References, View

SIZES_ESTIMATED = "sizes are estimates"


class HeapContext(Protocol):
    """State shared by the views of a heap; base class with the answers of an index without stages."""

    @property
    def objects(self) -> HeapObjects | None:
        """The objects once complete; None before."""
        ...

    @property
    def stages(self) -> frozenset[str]:
        """The complete stages of the index."""
        return frozenset()

    def has_stage(self, name: str) -> bool:
        """True if a stage is complete."""
        ...

    def waits_for(self, stage: str) -> str:
        """Returns the progress of a stage as text; empty if there are no stages."""
        return ""

    @property
    def estimated(self) -> str:
        """Reason why sizes of objects are estimates; empty: they are exact."""
        return ""

    def view(self, name: str) -> View:
        """Returns another view of the report."""
        ...


class HeapView:
    """A view of a heap's objects."""

    needs = "objects"
    """The stage of the index that rows need."""
    pattern_subject: Subject = "types"
    begins_at_roots = False
    """True if there are no rows without roots."""

    def __init__(self, heap: HeapContext) -> None:
        self._heap = heap
        self._known: frozenset[str] = frozenset()
        """The stages that were complete when objects were last requested."""

    @property
    def is_ready(self) -> bool:
        """True if all objects and whatever else rows need are known: a referrer may be anywhere in the file."""
        return self._heap.objects is not None and self._heap.has_stage(self.needs)

    @property
    def waits_for(self) -> str:
        """Reason why there are no rows yet."""
        return self._heap.waits_for(self.needs)

    @property
    def empty_because(self) -> str:
        """Reason why there are no rows although all is read; empty if unknown."""
        objects = self._heap.objects
        if not self.begins_at_roots or objects is None or objects.graph.roots:
            return ""
        is_whole = all(dump.is_whole for dump in objects.graph.dumps)
        return "the dump has no roots" + (", from which all else is found" if is_whole else ", as it lacks its end")

    @property
    def estimated(self) -> str:
        """Reason why bytes are estimates; empty: they are exact."""
        return self._heap.estimated

    @property
    def note(self) -> str:
        """The same as a remark on all rows."""
        return f"{SIZES_ESTIMATED}: {self.estimated}" if self.estimated else ""

    @property
    def objects(self) -> HeapObjects:
        """The objects. Raises `LookupError` before they are known."""
        found = self._heap.objects
        if found is None:
            raise LookupError("the heap dumps are still being read")
        if self._known != self._heap.stages:
            self._known = self._heap.stages
            self.on_stage_complete()
        return found

    def referrers_of(self, object: int) -> References:
        """Returns the referrers of an object: its child rows in "Referrers"."""
        return cast(HeapView, self._heap.view("Referrers")).referrers_of(object)

    def path_from_root(self, object: int) -> References:
        """Returns the shortest path from a root to an object, as nodes of "Objects"."""
        return cast(HeapView, self._heap.view("Objects")).path_from_root(object)

    def on_stage_complete(self) -> None:
        """Hook for discarding cached rows, which may be incomplete; called when a stage is complete."""
