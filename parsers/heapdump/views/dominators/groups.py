"""Dominators merged: at each level the objects of one class, package or loader are one row.

Children of a row are the objects that its objects immediately dominate, merged again. Retained sizes of these do
not overlap, so sums are exact.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, cast

import numpy as np

from parsers.graph.dominator_tree.semi_nca import NOT_REACHED, ROOTS
from parsers.heapdump.graph.columns import CLASS_OBJECT
from parsers.heapdump.graph.dominated_graph import DominatedGraph
from parsers.heapdump.graph.dominated_object import DOMINATORS_VIEW, RETAINED
from parsers.heapdump.graph.heap_context import HeapContext
from parsers.heapdump.graph.heap_object import CLASSES_VIEW, OBJECTS_VIEW
from parsers.heapdump.graph.labels import HeapDump
from parsers.heapdump.tables.class_names import package_of
from parsers.heapdump.views.dominators.objects import RETAINED_SHARE
from parsers.heapdump.views.kinds import OBJECTS, SIZE
from parsers.heapdump.views.opened_rows import OTHER_DUMP, OpenedRows
from parsers.model.names.java_name import NO_PACKAGE
from parsers.model.names.patterns import Subject, type_pattern
from parsers.model.row import Badge, Column, Link, Row, Section, SectionRow, SortKey
from parsers.model.trees.preorder import RankedNodes, sort_nodes
from parsers.model.view import References

if TYPE_CHECKING:
    from parsers.model.arrays import AnyArray, I64Array, U32Array

SHOWN = 8
"""Number of objects of a row listed in its side pane."""


@dataclass(frozen=True, slots=True)
class DominatorGroup:
    """Objects in one row. `members` are uint32, those that retain most first."""

    group: int
    members: U32Array
    retained: int
    size: int


class DominatorGroups(OpenedRows[DominatorGroup]):
    """Rows of one class, package or loader each; below each row the objects that its objects immediately dominate."""

    name = DOMINATORS_VIEW
    sorted_by = "retained"
    description = "Objects by retained size, grouped"
    key_kinds = ("class", "package", "loader")
    needs = "dominators"
    columns: tuple[Column, ...] = (RETAINED, RETAINED_SHARE, replace(OBJECTS, priority=6), SIZE)
    orders: tuple[str, ...] = ("retained", "bytes", "objects", "name")

    def __init__(self, heap: HeapContext, grouping: str, dump: Callable[[], HeapDump]) -> None:
        """
        grouping  "type", "package" or "loader"
        dump      returns the dump shown, once it is known
        """
        super().__init__(heap)
        self._grouping = grouping
        self._dump = dump

    @property
    def only_dump(self) -> HeapDump:
        """The dump shown."""
        return self._dump()

    @property
    def graph(self) -> DominatedGraph:
        """The graph, with dominators."""
        return cast(DominatedGraph, self.objects.graph)

    # -- groups -------------------------------------------------------------------------------------------------------

    @cached_property
    def _groups(self) -> I64Array:
        """int64 by type: the number of its group."""
        graph = self.graph
        if self._grouping == "type":
            return np.arange(graph.types)
        if self._grouping == "package":
            return np.unique([*map(package_of, graph.type_names())], return_inverse=True)[1]
        loaders = [graph.loader(type, self._dump()) for type in range(graph.types)]
        return np.unique(loaders, return_inverse=True)[1]

    def _groups_of(self, objects: AnyArray) -> I64Array:
        """Returns the groups of many objects. Class objects form groups of their own."""
        groups = self._groups[self.graph.column("type", objects)]
        if self._grouping == "type":
            groups[np.asarray(self.graph.table("object_kind"))[objects] == CLASS_OBJECT] += self.graph.types
        return groups

    def _label(self, merged: DominatorGroup) -> str:
        first = int(merged.members[0])
        if self._grouping == "type":
            return self.objects.label(first)
        type = self.graph.type(first)
        if self._grouping == "package":
            return package_of(self.graph.type_name(type)) or NO_PACKAGE
        return self.objects.loader_label(self.graph.loader(type, self._dump()))

    def _kind(self, merged: DominatorGroup) -> str:
        if self._grouping == "type":
            return "class object" if merged.group >= self.graph.types else "class"
        return self._grouping

    # -- the tree -----------------------------------------------------------------------------------------------------

    def roots(self, order: str | None = None) -> Sequence[int]:
        """Returns groups of objects that no single object dominates."""
        return sort_nodes(self.opened(None), self.sort_keys, order) if self.is_ready else ()

    def has_children(self, node: int) -> bool:
        """True if its objects retain more than themselves."""
        merged = self.content(node)
        return merged.retained > merged.size

    def contents_below(self, node: int | None) -> list[DominatorGroup]:
        """Returns groups of the objects immediately dominated by those of a row, those that retain most first."""
        graph = self.graph
        below = graph.tops(self._dump()) if node is None else graph.dominated_by(self.content(node).members)
        retained = graph.column("retained", below)
        order = np.argsort(-retained, kind="stable")
        below, retained = below[order], retained[order]
        _, groups, counts = np.unique(self._groups_of(below), return_inverse=True, return_counts=True)
        order = np.argsort(groups, kind="stable")
        ends = np.cumsum(counts)
        found = []
        for start, end in zip((ends - counts).tolist(), ends.tolist(), strict=True):
            places = order[start:end]
            members = below[places]
            sums = int(retained[places].sum()), int(graph.column("bytes", members).sum())
            group = int(self._groups_of(members[:1])[0])
            found.append(DominatorGroup(group, members.astype(np.uint32), *sums))
        return sorted(found, key=lambda each: -each.retained)

    # -- the view -----------------------------------------------------------------------------------------------------

    @property
    def root_count(self) -> int | None:
        """Number of groups at the top."""
        return len(self.roots()) if self.is_ready else None

    @cached_property
    def _whole(self) -> int:
        """Reachable bytes."""
        return sum(self.content(node).retained for node in self.opened(None))

    def row(self, node: int) -> Row:
        """Returns the row of a group."""
        merged = self.content(node)
        label = self._label(merged)
        share = merged.retained / max(self._whole, 1)
        badges: dict[str, Badge] = {
            "retained": merged.retained,
            "share": round(100 * share, 1),
            "bytes": merged.size,
            "objects": len(merged.members),
        }
        return Row(
            node=node,
            kind=self._kind(merged),
            label=label,
            depth=self.depth(node),
            badges=badges,
            ref=self.objects.ref(int(merged.members[0])),
            has_children=self.has_children(node),
            spans=self.objects.spans(label) if self._grouping == "type" else (),
            bars={"retained": share},
        )

    def sort_keys(self, order: str, nodes: Sequence[int]) -> Sequence[SortKey]:
        """Returns sort keys for an order."""
        rows = [self.content(node) for node in nodes]
        if order == "name":
            return [self._label(each) for each in rows]
        if order == "objects":
            return [len(each.members) for each in rows]
        return [each.retained if order == "retained" else each.size for each in rows]

    # -- REFs and keys ------------------------------------------------------------------------------------------------

    def node_of(self, object: int) -> int | None:
        """Returns the row of an object's group, below those of its dominators."""
        if self.why_absent(object):
            return None
        above = [object]
        while (dominator := self.graph.dominator(above[-1])) < ROOTS:
            above.append(dominator)
        node: int | None = None
        for each in reversed(above):
            group = int(self._groups_of(np.array([each]))[0])
            node = next(row for row in self.opened(node) if self.content(row).group == group)
        return node

    def why_absent(self, object: int) -> str:
        """Returns the reason why an object has no row: another dump, or no root; empty if it has one."""
        if object not in self._dump().objects:
            return OTHER_DUMP
        is_reached = self.graph.dominator(object) != NOT_REACHED
        return "" if is_reached else "no root reaches it, so nothing dominates it"

    def node_named(self, kind: str, name: str) -> int | None:
        """Returns the top row of a class, a package or a loader; of kind "name" the first with that label."""
        for node in self.opened(None):
            row = self.content(node)
            if kind in ("name", self._kind(row)) and self._label(row) == name:
                return node
        return None

    def key(self, node: int) -> Hashable | None:
        """Returns the key of a class, a package, a loader."""
        merged = self.content(node)
        kind = self._kind(merged)
        return self.objects.key(int(merged.members[0])) if kind == "class object" else (kind, self._label(merged))

    # -- side pane ----------------------------------------------------------------------------------------------------

    def sections(self, node: int) -> Sequence[Section]:
        """Returns its numbers, and the objects that retain most."""
        merged, objects = self.content(node), self.objects
        rows = (
            SectionRow("objects", f"{len(merged.members):,}"),
            SectionRow("shallow", f"{merged.size:,}"),
            SectionRow("retained", f"{merged.retained:,}"),
        )
        largest = tuple(
            SectionRow(objects.label(each), f"{self.graph.retained(each):,}", objects.ref(each), OBJECTS_VIEW)
            for each in merged.members[:SHOWN].tolist()
        )
        more = len(merged.members) - len(largest)
        return (Section(self._label(merged), rows), Section("Objects, by what they retain", largest, more))

    def links(self, node: int) -> Sequence[Link]:
        """Returns links to the object that retains most, and to all objects of its class."""
        ref = self.objects.ref(int(self.content(node).members[0]))
        return (Link("largest object", ref, OBJECTS_VIEW), Link("objects of its class", ref, CLASSES_VIEW))

    def references(self, node: int) -> References:
        """Returns the objects of a row, those that retain most first."""
        merged = self.content(node)
        nodes = RankedNodes(merged.members)
        return References(f"objects of {self._label(merged)}, by what they retain", OBJECTS_VIEW, nodes, True)

    def why(self, node: int) -> References:
        """Returns the shortest path from a root to the object that retains most."""
        return self.path_from_root(int(self.content(node).members[0]))

    def status_text(self, node: int) -> str:
        """Returns the path from a root to the object that retains most, as text."""
        return self.objects.path_text(int(self.content(node).members[0]))

    def patterns(self, node: int) -> Mapping[Subject, str]:
        """Returns a pattern that matches the class."""
        merged = self.content(node)
        name = self.objects.type_name(int(merged.members[0]))
        return type_pattern(name) if self._kind(merged) == "class" else {}
