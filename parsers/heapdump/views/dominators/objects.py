"""Dominators object by object: retained size, and the part of it in each child."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from typing import Any, cast

from parsers.graph.dominator_tree.semi_nca import NOT_REACHED, ROOTS
from parsers.heapdump.graph.dominated_graph import DominatedGraph
from parsers.heapdump.graph.dominated_object import DOMINATORS_VIEW, RETAINED
from parsers.heapdump.graph.heap_context import HeapContext
from parsers.heapdump.graph.labels import NO_OBJECT
from parsers.heapdump.paths.reachability import FROM_ROOT
from parsers.heapdump.tables.class_groups import dump_label
from parsers.heapdump.views.graph_view import HeapGraphView
from parsers.heapdump.views.kinds import REFERRERS, SIZE
from parsers.model.late import numpy as np
from parsers.model.row import Column, Row, Section, SectionRow, SortKey, Span, counted
from parsers.model.trees.preorder import RankedNodes, sort_nodes
from parsers.model.trees.tree import Preorder, path_to
from parsers.model.view import UnknownReference

RETAINED_SHARE = Column("share", "%", "percent", width=6, priority=4)
KEPT = 256
"""Objects whose sorted children are cached."""


class DominatorObjectTree:
    """A `Tree` whose nodes are objects: the children are those it immediately dominates, the largest first.

    Numbers after those of objects are dumps, which are at the top if there are several.
    """

    preorder: Preorder | None = None

    def __init__(self, view: DominatorObjects) -> None:
        self._view = view
        self._below = lru_cache(KEPT)(self._find)

    def roots(self, order: str | None = None) -> Sequence[int]:
        """Returns objects that no single object dominates; dumps if there are several."""
        if not self._view.is_ready:
            return ()
        dumps = self._view.dump_nodes
        return sort_nodes(dumps if len(dumps) > 1 else self._below(dumps.start), self._view.sort_keys, order)

    def children(self, node: int, order: str | None = None) -> Sequence[int]:
        """Returns the objects immediately dominated by one."""
        if not self.has_children(node):
            return ()
        return sort_nodes(self._below(node), self._view.sort_keys, order)

    def has_children(self, node: int) -> bool:
        """True if it retains more than itself."""
        graph = self._view.dominated
        if node in self._view.dump_nodes:
            return len(self._below(node)) > 0
        return graph.retained(node) > graph.size(node)

    def parent(self, node: int) -> int | None:
        """Returns the immediate dominator; a dump."""
        graph, dumps = self._view.dominated, self._view.dump_nodes
        if node in dumps:
            return None
        above = graph.dominator(node)
        if above == ROOTS and len(dumps) > 1:
            return dumps[graph.dump_of(node).number]
        return None if above >= ROOTS else above

    def row(self, node: int) -> Row:
        """Returns the row of an object."""
        return self._view.row(node)

    def _find(self, above: int) -> Sequence[int]:
        graph, dumps = self._view.dominated, self._view.dump_nodes
        found = graph.tops(graph.dumps[above - dumps.start]) if above in dumps else graph.dominated(above)
        order = np.argsort(-graph.column("retained", found), kind="stable")
        return RankedNodes(found[order])

    # -- interface of an unfolded tree, for `HeapGraphView` ------------------------------------------------------------

    def depth(self, node: int) -> int:
        """Returns the number of its dominators."""
        return len(self.path(node)) - 1

    def path(self, node: int) -> list[int]:
        """Returns its dominators from the top, and itself."""
        return path_to(node, self.parent)

    def vertex(self, node: int) -> int:
        """Returns the object: the node itself."""
        return NO_OBJECT if node in self._view.dump_nodes else node

    def site(self, node: int) -> None:
        """Returns None: rows are not references."""

    def run(self, node: int) -> None:
        """Returns None: rows are not numbered on demand."""


class DominatorObjects(HeapGraphView):
    """A `View` of objects by retained size, the largest first."""

    name = DOMINATORS_VIEW
    sorted_by = "retained"
    description = "Objects by retained size"
    needs = "dominators"
    columns: tuple[Column, ...] = (RETAINED, RETAINED_SHARE, SIZE, REFERRERS)
    orders: tuple[str, ...] = ("retained", "bytes", "referrers", "class")

    def __init__(self, heap: HeapContext) -> None:
        super().__init__(heap)
        self._dominators = DominatorObjectTree(self)
        self._tree = cast(Any, self._dominators)

    @property
    def dominated(self) -> DominatedGraph:
        """The graph, with dominators."""
        return cast(DominatedGraph, self.graph)

    @property
    def dump_nodes(self) -> range:
        """The nodes of dumps."""
        graph = self.graph
        return range(graph.objects, graph.objects + len(graph.dumps))

    @cached_property
    def _wholes(self) -> list[int]:
        """By dump the reachable bytes."""
        graph = self.dominated
        return [int(graph.column("retained", graph.tops(dump)).sum()) for dump in graph.dumps]

    @property
    def roots(self) -> Sequence[int]:
        """Objects that no single object dominates."""
        return self._dominators.roots()

    @property
    def root_count(self) -> int | None:
        """Number of these."""
        return len(self.roots) if self.is_ready else None

    def row(self, node: int) -> Row:
        """Returns the row of an object, with its share of reachable bytes; of a dump."""
        if node in self.dump_nodes:
            return self._dump_row(node)
        objects, reference_label = self.objects, self._reference_label(node)
        before = f"{reference_label}{'' if reference_label.startswith('[') else ':'} " if reference_label else ""
        label = before + objects.label(node)
        name = (Span(0, len(reference_label), "name"),) if reference_label else ()
        share = self.dominated.retained(node) / max(self._wholes[self.graph.dump_of(node).number], 1)
        row = self.row_of(node, node, label, self._tree.has_children(node), (*name, *objects.spans(label, len(before))))
        badges = {**row.badges, "share": round(100 * share, 1)}
        return replace(row, badges=badges, bars={"retained": share})

    def _dump_row(self, node: int) -> Row:
        number = node - self.dump_nodes.start
        dump = self.graph.dumps[number]
        return Row(
            node=node,
            kind="dump",
            label=dump_label(dump),
            badges={"retained": self._wholes[number]},
            ref=self.objects.run(dump).rstrip("/"),
            offset=dump.offset,
            has_children=self._tree.has_children(node),
        )

    def sort_keys(self, order: str, nodes: Sequence[int]) -> Sequence[SortKey]:
        """Returns sort keys for an order; dumps stay in theirs."""
        return [0] * len(nodes) if len(nodes) and nodes[0] in self.dump_nodes else super().sort_keys(order, nodes)

    def sections(self, node: int) -> Sequence[Section]:
        """Returns the reachable totals of a dump, or what is known of the object."""
        if node not in self.dump_nodes:
            return super().sections(node)
        reached = counted(self._wholes[node - self.dump_nodes.start], "byte")
        return (Section(self._dump_row(node).label, (SectionRow("roots reach", reached),)),)

    def _reference_label(self, node: int) -> str:
        """Returns the field, static or element of its dominator that refers to it, if on the shortest path."""
        graph = self.dominated
        reached_by = graph.reached_by(node) if graph.has("paths") else NOT_REACHED
        if reached_by in (FROM_ROOT, NOT_REACHED) or graph.owner(reached_by) != graph.dominator(node):
            return ""
        return graph.label(reached_by).text

    def status_text(self, node: int) -> str:
        """Returns the path from a root as text."""
        return "" if node in self.dump_nodes else self.objects.path_text(node)

    def resolve_all(self, ref: str) -> Sequence[int]:
        """Returns all objects of a REF. Raises `UnknownReference`, also for unreachable objects."""
        if self.is_ready and len(self.dump_nodes) > 1:
            dumps, rest = self.objects.split(ref)
            if not rest:
                return [self.dump_nodes[dump.number] for dump in dumps]
        found = [node for node in super().resolve_all(ref) if self.dominated.dominator(node) != NOT_REACHED]
        if not found:
            raise UnknownReference(f"{ref}: no root reaches it, so nothing dominates it")
        return found

    def find_key(self, key: Hashable) -> int | None:
        """Returns the row of a reachable object."""
        found = super().find_key(key)
        return None if found is None or self.dominated.dominator(found) == NOT_REACHED else found
