"""What all views of a heap stand on: the objects, once all are known; what is told of them stage by stage."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from parsers.heapdump.graph.heap_object import HeapObjects

SIZES_ESTIMATED = "sizes are estimates"


class Heap(Protocol):
    """What the views of a heap share."""

    @property
    def objects(self) -> HeapObjects | None:
        """The objects once all are known; None before."""
        ...

    @property
    def stages(self) -> frozenset[str]:
        """What else is known: the stages of the index that are whole."""
        ...

    def has_stage(self, name: str) -> bool:
        """Whether what a stage makes is known."""
        ...

    def waits_for(self, stage: str) -> str:
        """How far a stage is, in words."""
        ...

    @property
    def estimated(self) -> str:
        """Why sizes of objects are estimates; empty: they are exact."""
        ...

    def view(self, name: str) -> Any:
        """Another view of the report."""
        ...


class HeapView:
    """A view of a heap's objects."""

    needs = "objects"
    """The stage of the index that makes what is shown."""
    begins_at_roots = False
    """Whether there are no rows without roots."""

    def __init__(self, heap: Heap) -> None:
        self._heap = heap
        self._known: frozenset[str] = frozenset()
        """The stages that were whole when objects were asked for last."""

    @property
    def is_ready(self) -> bool:
        """All objects have to be known, as what holds one may stand anywhere; and whatever else is shown of them."""
        return self._heap.objects is not None and self._heap.has_stage(self.needs)

    @property
    def waits_for(self) -> str:
        """Why there are no rows yet."""
        return self._heap.waits_for(self.needs)

    @property
    def empty_because(self) -> str:
        """Why there is no row although all is known; nothing where that isn't told."""
        objects = self._heap.objects
        if not self.begins_at_roots or objects is None or objects.graph.roots:
            return ""
        is_whole = all(dump.is_whole for dump in objects.graph.dumps)
        return "the dump has no roots" + (", from which all else is found" if is_whole else ", as it lacks its end")

    @property
    def estimated(self) -> str:
        """Why bytes are estimates; empty: they are not."""
        return self._heap.estimated

    @property
    def note(self) -> str:
        """The same, as it is said of all rows."""
        return f"{SIZES_ESTIMATED}: {self.estimated}" if self.estimated else ""

    @property
    def objects(self) -> HeapObjects:
        """The objects. Raises `LookupError` before they are known."""
        found = self._heap.objects
        if found is None:
            raise LookupError("the heap dumps are still being read")
        if self._known != self._heap.stages:
            self._known = self._heap.stages
            self.more_is_told()
        return found

    def more_is_told(self) -> None:
        """A stage is whole: what is kept of rows may lack something."""
