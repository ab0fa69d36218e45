"""Targets of merged paths from roots: the classes of a heap dump, and its packages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parsers.heapdump.graph.labels import HeapDump
from parsers.heapdump.tables.class_groups import ALONE, TOP, ClassGroup, ClassGroups
from parsers.index.bitpacked.columns import numbers
from parsers.model.lazy_sequence import LazySequence

if TYPE_CHECKING:
    from parsers.heapdump.graph.heap_object import HeapObjects
    from parsers.model.arrays import U32Array


class PathGroups(LazySequence[ClassGroup]):
    """Classes of a dump, those with most bytes first; then its packages."""

    def __init__(self, heap: HeapObjects, dump: HeapDump) -> None:
        self._graph, self._dump = heap.graph, dump.number
        self._classes, self._packages = ClassGroups(heap, ALONE, dump), ClassGroups(heap, only=dump)
        self._tops = [group for group, kind in enumerate(self._packages.kinds) if kind == TOP]
        self.classes = len(self._classes)
        """Number of classes."""

    def __len__(self) -> int:
        return self.classes + len(self._tops)

    def item(self, index: int) -> ClassGroup:
        """Returns a group."""
        return self._classes[index] if index < self.classes else self._packages[self._tops[index - self.classes]]

    def of_type(self, type: int) -> int | None:
        """Returns the number of a class; None if it has no objects."""
        return self._classes.of_type(type, self._dump)

    def named(self, kind: str, label: str) -> int | None:
        """Returns the first group of a kind by its label, or `name@id` of a class; None if there is none."""
        groups = self._classes if kind == "class" else self._packages
        found = groups.named(kind, label, self._dump)
        if not found:
            return None
        return found[0] if kind == "class" else self.classes + self._tops.index(found[0])

    def ref(self, number: int) -> str:
        """Returns the REF of a group, without its run."""
        group = self[number]
        is_first = self.named(group.kind, group.label) == number
        return f"{group.kind}:{group.label if is_first else self._graph.type_text(group.type)}"

    def objects(self, number: int) -> U32Array:
        """Returns the objects of a class, or of all classes of a package."""
        group = self[number]
        found: U32Array = numbers(self._graph.table("object_order"), slice(group.first, group.first + group.objects))
        return found
