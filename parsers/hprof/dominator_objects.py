"""Dominators object by object: what would be freed without it, and what of that hangs on which object below it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import cached_property, lru_cache
from typing import Any, cast

from parsers.heap.dominators import NOT_REACHED, ROOTS
from parsers.hprof.dominated_graph import DominatedGraph
from parsers.hprof.dominated_object import DOMINATORS_VIEW, RETAINED
from parsers.hprof.graph_view import GraphView
from parsers.hprof.heap_words import REFERRERS, SIZE
from parsers.hprof.known_heap import Heap
from parsers.hprof.object_graph import Dump
from parsers.hprof.ways import FROM_ROOT
from parsers.preorder import Ranked, sort_nodes
from parsers.report import Column, Preorder, Row, Span, UnknownReference

RETAINED_SHARE = Column("share", "%", "percent", badges=(("share", ""),), width=6, priority=4)
KEPT = 256
"""Objects of which those below are kept in their order."""


class DominatorTree:
    """A `Tree` whose nodes are objects: below each those that it is the nearest dominator of, the largest first."""

    def __init__(self, view: DominatorObjects) -> None:
        self._view = view
        self._below = lru_cache(KEPT)(self._find)

    @property
    def preorder(self) -> Preorder | None:
        """None: rows are found as they are opened."""
        return None

    def roots(self, order: str | None = None) -> Sequence[int]:
        """What no single object dominates."""
        return sort_nodes(self._below(ROOTS), self._view.sort_keys, order) if self._view.is_ready else ()

    def children(self, node: int, order: str | None = None) -> Sequence[int]:
        """What an object is the nearest dominator of."""
        if not self.has_children(node):
            return ()
        return sort_nodes(self._below(node), self._view.sort_keys, order)

    def has_children(self, node: int) -> bool:
        """Whether it retains more than itself."""
        graph = self._view.dominated
        return graph.retained(node) > graph.size(node)

    def parent(self, node: int) -> int | None:
        """The nearest dominator."""
        above = self._view.dominated.dominator(node)
        return None if above >= ROOTS else above

    def row(self, node: int) -> Row:
        """An object."""
        return self._view.row(node)

    def _find(self, above: int) -> Sequence[int]:
        import numpy as np

        graph = self._view.dominated
        found = graph.tops(self._view.dump()) if above == ROOTS else graph.dominated(above)
        order = np.argsort(-graph.column("retained", found), kind="stable")
        return Ranked(found[order])

    # -- as `GraphView` asks of an unfolded tree ----------------------------------------------------------------------

    def depth(self, node: int) -> int:
        """Objects that dominate it."""
        return len(self.path(node)) - 1

    def path(self, node: int) -> list[int]:
        """All that dominate it, the farthest first, and itself."""
        path = [node]
        while (above := self.parent(path[-1])) is not None:
            path.append(above)
        return path[::-1]

    def thing(self, node: int) -> int:
        """The object: itself."""
        return node

    def site(self, node: int) -> None:
        """Rows are no references."""

    def run(self, node: int) -> None:
        """Neither are rows given out."""


class DominatorObjects(GraphView):
    """What holds most memory stands first."""

    name = DOMINATORS_VIEW
    needs = "dominators"
    columns: tuple[Column, ...] = (RETAINED, RETAINED_SHARE, SIZE, REFERRERS)
    orders: tuple[str, ...] = ("retained", "bytes", "referrers", "class")

    def __init__(self, heap: Heap, dump: Callable[[], Dump]) -> None:
        """dump: gives the one that is shown, once it is known"""
        super().__init__(heap)
        self.dump = dump
        self._dominators = DominatorTree(self)
        self._tree = cast(Any, self._dominators)

    @property
    def shown(self) -> Dump | None:
        """The dump whose objects are shown."""
        return self.dump()

    @property
    def dominated(self) -> DominatedGraph:
        """The graph, which knows dominators."""
        return cast(DominatedGraph, self.graph)

    @cached_property
    def _whole(self) -> int:
        """Bytes that roots reach."""
        import numpy as np

        roots = np.asarray(self.tree.roots())
        return int(self.dominated.column("retained", roots).sum()) if len(roots) else 0

    @property
    def roots(self) -> Sequence[int]:
        """What no single object dominates."""
        return self._dominators.roots()

    @property
    def root_count(self) -> int | None:
        """How many these are."""
        return len(self.roots) if self.is_ready else None

    @property
    def row_count(self) -> int | None:
        """All that roots reach."""
        return None

    def row(self, node: int) -> Row:
        """An object, with its share of all that roots reach."""
        objects, held_by = self.objects, self._held_by(node)
        before = f"{held_by}{'' if held_by.startswith('[') else ':'} " if held_by else ""
        label = before + objects.label(node)
        name = (Span(0, len(held_by), "name"),) if held_by else ()
        share = self.dominated.retained(node) / max(self._whole, 1)
        return Row(
            node=node,
            kind=objects.kind(node),
            label=label,
            depth=self._tree.depth(node),
            badges={**objects.badges(node), "share": round(100 * share, 1)},
            flags=objects.flags(node),
            ref=objects.ref(node),
            offset=self.graph.offset(node),
            has_children=self._tree.has_children(node),
            spans=(*name, *objects.spans(label, len(before))),
            look=objects.look(node),
            bars={"retained": share},
        )

    def _held_by(self, node: int) -> str:
        """The field, static or element by which its dominator refers to it, if the shortest way comes from there."""
        graph = self.dominated
        way = graph.way(node) if graph.has("ways") else NOT_REACHED
        if way in (FROM_ROOT, NOT_REACHED) or graph.owner(way) != graph.dominator(node):
            return ""
        return graph.label(way).text

    def standing(self, node: int) -> str:
        """The way from a root."""
        return self.objects.way_text(node)

    def resolve_all(self, ref: str) -> Sequence[int]:
        """All objects of a REF. Raises `UnknownReference` also where no root reaches them."""
        mine = [node for node in super().resolve_all(ref) if node in self.dump().objects]
        if not mine:
            raise UnknownReference(f"{ref}: is of another dump than the one that is shown")
        found = [node for node in mine if self.dominated.dominator(node) != NOT_REACHED]
        if not found:
            raise UnknownReference(f"{ref}: no root reaches it, so nothing dominates it")
        return found

    def find_key(self, key: Hashable) -> int | None:
        """The row of an object that roots reach."""
        found = super().find_key(key)
        return None if found is None or self.dominated.dominator(found) == NOT_REACHED else found
