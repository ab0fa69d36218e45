"""Targets of merged paths from roots: the classes of a heap dump, and its packages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parsers.heapdump.graph.object_graph import HeapDump, ObjectGraph
from parsers.heapdump.tables.class_groups import NO_PACKAGE, ClassGroup, groups_of
from parsers.heapdump.tables.class_names import package_of
from parsers.index.bitpacked.columns import numbers
from parsers.model.lazy_sequence import LazySequence

if TYPE_CHECKING:
    from parsers.model.arrays import U32Array


class PathGroups(LazySequence[ClassGroup]):
    """Classes of a dump, those with most bytes first; then its packages."""

    def __init__(self, graph: ObjectGraph, dump: HeapDump) -> None:
        self._graph = graph
        groups = [each for each in groups_of(graph) if each.dump.number == dump.number]
        classes = sorted((each for each in groups if each.kind == "class"), key=lambda each: -each.bytes)
        self._groups = [*classes, *(each for each in groups if each.kind == "package")]
        self.classes = len(classes)
        """Number of classes."""
        self.of_type = {group.type: number for number, group in enumerate(classes)}
        """Classes by their types."""
        self.named: dict[tuple[str, str], int] = {}
        """By kind and label; classes also by their names with the ids of their class objects."""
        for number, group in enumerate(self._groups):
            self.named.setdefault((group.kind, group.label), number)
            if group.kind == "class":
                self.named.setdefault((group.kind, graph.type_text(group.type)), number)

    def __len__(self) -> int:
        return len(self._groups)

    def item(self, index: int) -> ClassGroup:
        """Returns a group."""
        return self._groups[index]

    def ref(self, number: int) -> str:
        """Returns the REF of a group, without its run."""
        group = self._groups[number]
        is_first = self.named[group.kind, group.label] == number
        return f"{group.kind}:{group.label if is_first else self._graph.type_text(group.type)}"

    def objects(self, number: int) -> U32Array:
        """Returns the objects of a class, or of all classes of a package."""
        import numpy as np

        group = self._groups[number]
        of = [group] if group.kind == "class" else [each for each in self if _package(each) == group.label]
        order = self._graph.table("object_order")
        return np.concatenate([numbers(order, slice(each.first, each.first + each.objects)) for each in of])


def _package(group: ClassGroup) -> str:
    """Returns the label of the package of a class."""
    return "" if group.kind != "class" else package_of(group.label) or NO_PACKAGE
