"""A graph unfolded to a tree: vertices as roots, below each one the sites that lead to it, to any depth.

The tree is unbounded if the graph has cycles, so a vertex is expanded once on a path and has no children below that.
The first node numbers are the vertices themselves. Each opened node gets a range of numbers for its sites; nothing is
allocated per site.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from parsers.model.row import Row, SortKey
from parsers.model.trees.preorder import MANY, sort_nodes
from parsers.model.trees.tree import Preorder, path_to


class Unfolding(Protocol):
    """The graph, and the rows of its nodes. A site is a number of the graph's own, such as a row."""

    @property
    def vertices(self) -> int:
        """Number of vertices; a node below this number is the vertex of that number."""
        ...

    @property
    def roots(self) -> Sequence[int]:
        """The vertices that are roots."""
        ...

    def sites(self, vertex: int) -> Sequence[int]:
        """The sites that lead to a vertex."""
        ...

    def has_sites(self, vertex: int) -> bool:
        """True if any site leads to the vertex."""
        ...

    def vertex_at(self, site: int) -> int:
        """The vertex that a site belongs to, -1 if none."""
        ...

    def row(self, node: int) -> Row:
        """Returns the contents of a node's line."""
        ...

    def sort_keys(self, order: str, nodes: Sequence[int]) -> Sequence[SortKey]:
        """Sort keys of nodes for an order."""
        ...


@dataclass(frozen=True, slots=True)
class ChildRange:
    """The sites below one opened node: node `first + i` shows `sites[i]`."""

    first: int
    parent: int
    sites: Sequence[int]
    depth: int
    """Steps between these nodes and their root."""


class UnfoldedTree:
    """A `Tree` whose nodes are numbered as they are opened."""

    def __init__(self, graph: Unfolding) -> None:
        self._graph = graph
        self._runs: list[ChildRange] = []
        self._firsts: list[int] = []
        self._of_parent: dict[int, ChildRange] = {}
        self._next = 0
        self._last: ChildRange | None = None
        self._sorted: dict[str, Sequence[int]] = {}
        """The roots in the order requested last."""
        self._last_ancestors: set[int] = set()
        """Vertices on the path to the run requested last: rows are shown from top to bottom."""

    @property
    def preorder(self) -> Preorder | None:
        """None: an unfolded graph has no document order."""
        return None

    def sorting(self, order: str, node: int | None = None) -> Callable[[], object] | None:
        """Work that sorts the roots; None if they are available at once. See `PreorderTree.sorting`."""
        roots = self._graph.roots
        if node is not None or len(roots) <= MANY or self._kept(roots, order) is not None:
            return None
        return lambda: self.roots(order)

    def roots(self, order: str | None = None) -> Sequence[int]:
        """The root nodes."""
        roots = self._graph.roots
        if order is None:
            return roots
        ranked = self._kept(roots, order)
        if ranked is None:
            ranked = sort_nodes(roots, self._graph.sort_keys, order)
            # Only one order is cached: it takes eight bytes per root, and there may be millions.
            self._sorted = {order: ranked}
        return ranked

    def _kept(self, roots: Sequence[int], order: str) -> Sequence[int] | None:
        ranked = self._sorted.get(order)
        return ranked if ranked is not None and len(ranked) == len(roots) else None

    def children(self, node: int, order: str | None = None) -> Sequence[int]:
        """The sites that lead directly to the vertex of a node."""
        run = self._of_parent.get(node) or self._open(node)
        return sort_nodes(range(run.first, run.first + len(run.sites)), self._graph.sort_keys, order)

    def has_children(self, node: int) -> bool:
        """True if any site leads to the node's vertex, and the vertex is not expanded above already."""
        vertex = self.vertex(node)
        return vertex >= 0 and self._graph.has_sites(vertex) and not self.is_recursive(node)

    def parent(self, node: int) -> int | None:
        """The parent: the node that this one leads to."""
        run = self.run(node)
        return run.parent if run is not None else None

    def row(self, node: int) -> Row:
        """Returns the contents of this node's line."""
        return self._graph.row(node)

    def depth(self, node: int) -> int:
        """Steps between a node and its root."""
        run = self.run(node)
        return 0 if run is None else run.depth

    def path(self, node: int) -> Sequence[int]:
        """The path from the root to the node, both included."""
        return path_to(node, self.parent)

    def is_recursive(self, node: int) -> bool:
        """True if an ancestor of the node shows the same vertex."""
        run = self.run(node)
        return run is not None and self.vertex(node) in self._ancestors_of(run)

    def _ancestors_of(self, run: ChildRange) -> set[int]:
        """The vertices of all ancestors of a run's nodes."""
        if run is not self._last:
            if self._last is not None and self.run(run.parent) is self._last:
                self._last_ancestors.add(self.vertex(run.parent))
            else:
                self._last_ancestors = {self.vertex(node) for node in self.path(run.parent)}
            self._last = run
        return self._last_ancestors

    def child(self, node: int, place: int) -> int:
        """The child of a node at an index among its sites."""
        return (self._of_parent.get(node) or self._open(node)).first + place

    def vertex(self, node: int) -> int:
        """The vertex of a node: itself, or the one that its site belongs to; -1 if there is none."""
        site = self.site(node)
        return node if site is None else self._graph.vertex_at(site)

    def site(self, node: int) -> int | None:
        """The site of a node; None for a root."""
        run = self.run(node)
        return None if run is None else int(run.sites[node - run.first])

    def run(self, node: int) -> ChildRange | None:
        """The run that contains a node; None for a root. Raises `IndexError` for a number not assigned."""
        if node < self._graph.vertices:
            return None
        place = bisect_right(self._firsts, node) - 1
        if place < 0 or node >= self._next:
            raise IndexError(f"no node {node}")
        return self._runs[place]

    def _open(self, node: int) -> ChildRange:
        vertex = self.vertex(node)
        sites = () if vertex < 0 or self.is_recursive(node) else self._graph.sites(vertex)
        first = max(self._next, self._graph.vertices)
        run = ChildRange(first, node, sites, self.depth(node) + 1)
        self._of_parent[node] = run
        if len(sites):
            self._runs.append(run)
            self._firsts.append(first)
            self._next = first + len(sites)
        return run


class Closing(Unfolding, Protocol):
    """A graph with suppressed nodes."""

    def is_suppressed(self, node: int) -> bool:
        """True if a pattern hides the children of a node."""
        ...


class ClosingTree(UnfoldedTree):
    """An unfolded graph that hides the children of nodes that patterns match."""

    def __init__(self, graph: Closing) -> None:
        super().__init__(graph)
        self._closing = graph

    def has_children(self, node: int) -> bool:
        """True if a node has children and is not suppressed."""
        return super().has_children(node) and not self._closing.is_suppressed(node)

    def children(self, node: int, order: str | None = None) -> Sequence[int]:
        """The children of a node; none if it is suppressed."""
        return () if self._closing.is_suppressed(node) else self.all_children(node, order)

    def all_children(self, node: int, order: str | None = None) -> Sequence[int]:
        """The children of a node, even if it is suppressed."""
        return super().children(node, order)
