"""What all views of a heap stand on: the objects, once all of them are known."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from parsers.hprof.heap_object import HeapObjects


class Heap(Protocol):
    """What the views of a heap share."""

    @property
    def objects(self) -> HeapObjects | None:
        """The objects once all are known; None before."""
        ...

    def view(self, name: str) -> Any:
        """Another view of the report."""
        ...


class OfHeap:
    """A view of a heap's objects."""

    def __init__(self, heap: Heap) -> None:
        self._heap = heap

    @property
    def is_ready(self) -> bool:
        """All objects have to be known: what holds one may stand anywhere."""
        return self._heap.objects is not None

    @cached_property
    def objects(self) -> HeapObjects:
        """The objects. Raises `LookupError` before they are known."""
        found = self._heap.objects
        if found is None:
            raise LookupError("the heap dumps are still being read")
        return found
