"""A graph unfolded to a tree: things at the top, below each one the sites that lead to it, to any depth.

It has no end where things lead to each other, so a thing is opened once on a path and shown without children below
that. Nodes are numbers: the first ones are the things themselves, and each opened node gets a run of numbers for its
sites, however many there are; nothing is made per site.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from parsers.model.preorder import MANY, sort_nodes
from parsers.model.report import Preorder, Row


class Unfolding(Protocol):
    """The graph, and what its nodes show. A site is a number of the graph's own, such as a row."""

    @property
    def things(self) -> int:
        """How many there are; a node below this number is the thing of that number."""
        ...

    @property
    def roots(self) -> Sequence[int]:
        """The things at the top."""
        ...

    def sites(self, thing: int) -> Sequence[int]:
        """What leads to a thing."""
        ...

    def has_sites(self, thing: int) -> bool:
        """Whether anything does."""
        ...

    def thing_at(self, site: int) -> int:
        """The thing that a site belongs to, -1 if none."""
        ...

    def row(self, node: int) -> Row:
        """What the line of a node shows."""
        ...

    def sort_keys(self, order: str, nodes: Sequence[int]) -> Sequence[Any]:
        """Keys of an order."""
        ...


@dataclass(frozen=True, slots=True)
class Run:
    """The sites below one opened node: node `first + i` stands for `sites[i]`."""

    first: int
    parent: int
    sites: Sequence[int]
    depth: int
    """Steps between these nodes and their root."""


class UnfoldedTree:
    """A `Tree` over numbers that are given out as nodes are opened."""

    def __init__(self, graph: Unfolding) -> None:
        self._graph = graph
        self._runs: list[Run] = []
        self._firsts: list[int] = []
        self._of_parent: dict[int, Run] = {}
        self._next = 0
        self._last: Run | None = None
        self._sorted: dict[str, Sequence[int]] = {}
        """The things at the top in the order that was last asked for."""
        self._above_last: set[int] = set()
        """Things above the nodes of the run that was last asked for: rows are shown from above to below."""

    @property
    def preorder(self) -> Preorder | None:
        """None: it has no order that could be counted through."""
        return None

    def sorting(self, order: str, node: int | None = None) -> Callable[[], object] | None:
        """What sorts the things at the top; None where they can be asked for at once. See `PreorderTree.sorting`."""
        roots = self._graph.roots
        if node is not None or len(roots) <= MANY or self._kept(roots, order) is not None:
            return None
        return lambda: self.roots(order)

    def roots(self, order: str | None = None) -> Sequence[int]:
        """The things at the top."""
        roots = self._graph.roots
        if order is None:
            return roots
        ranked = self._kept(roots, order)
        if ranked is None:
            ranked = sort_nodes(roots, self._graph.sort_keys, order)
            # Of millions of things each order takes as many times eight bytes.
            self._sorted = {order: ranked}
        return ranked

    def _kept(self, roots: Sequence[int], order: str) -> Sequence[int] | None:
        ranked = self._sorted.get(order)
        return ranked if ranked is not None and len(ranked) == len(roots) else None

    def children(self, node: int, order: str | None = None) -> Sequence[int]:
        """The sites that lead to the thing of a node directly."""
        run = self._of_parent.get(node) or self._open(node)
        return sort_nodes(range(run.first, run.first + len(run.sites)), self._graph.sort_keys, order)

    def has_children(self, node: int) -> bool:
        """Whether anything leads to the node's thing, and it isn't open above already."""
        thing = self.thing(node)
        return thing >= 0 and self._graph.has_sites(thing) and not self.is_recursive(node)

    def parent(self, node: int) -> int | None:
        """The node that this one leads to."""
        run = self.run(node)
        return run.parent if run is not None else None

    def row(self, node: int) -> Row:
        """What the line of this node shows."""
        return self._graph.row(node)

    def depth(self, node: int) -> int:
        """Steps between a node and its root."""
        run = self.run(node)
        return 0 if run is None else run.depth

    def path(self, node: int) -> Sequence[int]:
        """From the root to the node, both included."""
        nodes, above = [node], self.parent(node)
        while above is not None:
            nodes.append(above)
            above = self.parent(above)
        return nodes[::-1]

    def is_recursive(self, node: int) -> bool:
        """Whether the thing of a node stands above it already."""
        run = self.run(node)
        return run is not None and self.thing(node) in self._above(run)

    def _above(self, run: Run) -> set[int]:
        """The things that stand above the nodes of a run."""
        if run is not self._last:
            if self._last is not None and self.run(run.parent) is self._last:
                self._above_last.add(self.thing(run.parent))
            else:
                self._above_last = {self.thing(node) for node in self.path(run.parent)}
            self._last = run
        return self._above_last

    def child(self, node: int, place: int) -> int:
        """The node of one of the sites below a node, by its place among them."""
        return (self._of_parent.get(node) or self._open(node)).first + place

    def thing(self, node: int) -> int:
        """The thing that a node stands for: itself, or the one that its site belongs to; -1 if there is none."""
        site = self.site(node)
        return node if site is None else self._graph.thing_at(site)

    def site(self, node: int) -> int | None:
        """What a node stands for below the top; None for a thing at the top."""
        run = self.run(node)
        return None if run is None else int(run.sites[node - run.first])

    def run(self, node: int) -> Run | None:
        """The run a node is of; None for a thing at the top. Raises `IndexError` for a number not given out."""
        if node < self._graph.things:
            return None
        place = bisect_right(self._firsts, node) - 1
        if place < 0 or node >= self._next:
            raise IndexError(f"no node {node}")
        return self._runs[place]

    def _open(self, node: int) -> Run:
        thing = self.thing(node)
        sites = () if thing < 0 or self.is_recursive(node) else self._graph.sites(thing)
        first = max(self._next, self._graph.things)
        run = Run(first, node, sites, self.depth(node) + 1)
        self._of_parent[node] = run
        if len(sites):
            self._runs.append(run)
            self._firsts.append(first)
            self._next = first + len(sites)
        return run


class Closing(Unfolding, Protocol):
    """A graph of which some things are closed."""

    def is_suppressed(self, node: int) -> bool:
        """Whether nothing is shown below a node because of a pattern."""
        ...


class ClosingTree(UnfoldedTree):
    """An unfolded graph in which nothing is shown below nodes that patterns meet."""

    def __init__(self, graph: Closing) -> None:
        super().__init__(graph)
        self._closing = graph

    def has_children(self, node: int) -> bool:
        """Whether a node has children and is not suppressed."""
        return super().has_children(node) and not self._closing.is_suppressed(node)

    def children(self, node: int, order: str | None = None) -> Sequence[int]:
        """None of a suppressed node."""
        return () if self._closing.is_suppressed(node) else self.all_children(node, order)

    def all_children(self, node: int, order: str | None = None) -> Sequence[int]:
        """Those of a suppressed node, too."""
        return super().children(node, order)
