"""`PreorderTree`: any preorder as a `Tree`, with lazy sequences of roots and children.

Iteration skips from subtree to subtree by `end`. `len` and indexing find all tops of the range once: by skipping if the
range is small, else with numpy over blocks of depths. A row is a *top* of a range iff no earlier row of the range is
less deep.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

from parsers.model.capabilities import HasTops
from parsers.model.late import numpy as np
from parsers.model.lookup import place_in
from parsers.model.row import Row, SortKey
from parsers.model.trees.tree import Preorder, path_to

if TYPE_CHECKING:
    from parsers.model.arrays import AnyArray

HOPS = 2048
"""Ranges up to this many rows are iterated in Python, so that the head of a file needs no numpy."""

BLOCK = 1 << 20
"""Rows whose depths are read in one step."""

MANY = 20_000
"""Number of nodes that may take longer to sort than a key may wait."""

KEPT = 64
"""Maximum number of cached lists of children."""

MOST_KEPT = 1_000_000
"""Length of a sorted list that is cached alone."""

Keys = Callable[[str, Sequence[int]], Sequence[SortKey]]
"""Function that returns sort keys of nodes for the name of an order: numbers (descending) or texts (ascending)."""


class Tops(Sequence[int]):
    """The nodes of a range of positions that have no ancestor in the range, in document order."""

    def __init__(self, preorder: Preorder, start: int, stop: int, found: Sequence[int] | None = None) -> None:
        """found: the nodes, if already known"""
        self._preorder = preorder
        self._start = start
        self._stop = stop
        self._found = found

    def __iter__(self) -> Iterator[int]:
        if self._found is not None:
            yield from map(int, self._found)
            return
        node, end = self._start, self._preorder.end
        while node < self._stop:
            yield node
            node = max(end(node), node + 1)

    def __bool__(self) -> bool:
        return self._start < self._stop

    def __len__(self) -> int:
        return len(self.all())

    @overload
    def __getitem__(self, index: int) -> int: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[int]: ...
    def __getitem__(self, index: int | slice) -> int | Sequence[int]:
        if isinstance(index, slice):
            return [int(node) for node in self.all()[index]]
        if index == 0 and self._start < self._stop:
            return self._start
        return int(self.all()[index])

    def __contains__(self, node: object) -> bool:
        return isinstance(node, int) and self._position(node) is not None

    def index(self, node: int, start: int = 0, stop: int | None = None) -> int:
        """Returns the position of a node among the tops. Raises `ValueError` if it is none."""
        position = self._position(node)
        if position is None or position < start or (stop is not None and position >= stop):
            raise ValueError(f"{node} is not here")
        return position

    def _position(self, node: int) -> int | None:
        return place_in(self.all(), node)

    def all(self) -> Sequence[int]:
        """All tops: a list, a range or int64[n]."""
        if self._found is None:
            small = self._stop - self._start <= HOPS
            # A list made of the iterator: `list(self)` would call `__len__` first.
            self._found = list(iter(self)) if small else tops(self._preorder, self._start, self._stop)
        return self._found


def tops(preorder: Preorder, start: int, stop: int) -> Any:
    """The tops of a range as int64[n], by running minima of the depths."""
    parts, lowest = [], 65_536
    for first in range(start, stop, BLOCK):
        depths = np.frombuffer(preorder.depths(first, min(first + BLOCK, stop)), np.uint16)
        if not len(depths):
            break
        minima = np.minimum(np.minimum.accumulate(depths), min(lowest, 65_535))
        parts.append(np.flatnonzero(depths <= minima) + first)
        lowest = int(minima[-1])
    return np.concatenate(parts) if parts else np.empty(0, np.int64)


class RankedNodes(Sequence[int]):
    """Many nodes in sorted order."""

    def __init__(self, nodes: AnyArray) -> None:
        """nodes: a numpy array of whole numbers"""
        self._nodes = nodes

    def __len__(self) -> int:
        return len(self._nodes)

    def __iter__(self) -> Iterator[int]:
        for start in range(0, len(self._nodes), HOPS):
            yield from self._nodes[start : start + HOPS].tolist()

    @overload
    def __getitem__(self, index: int) -> int: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[int]: ...
    def __getitem__(self, index: int | slice) -> int | Sequence[int]:
        found: int | Sequence[int] = self._nodes[index].tolist()
        return found

    def index(self, node: int, start: int = 0, stop: int | None = None) -> int:
        """Returns the position of a node. Raises `ValueError` if it is not present."""
        places = (self._nodes[start:stop] == node).nonzero()[0]
        if not len(places):
            raise ValueError(f"{node} is not here")
        return start + int(places[0])


def sort_nodes(nodes: Sequence[int], keys: Keys | None, order: str | None) -> Sequence[int]:
    """Sorts nodes by a sort key of their view. A leading "-" reverses the order; None keeps it.

    Numbers descend, texts ascend; nodes with equal keys stay in document order.
    """
    if order is None or keys is None:
        return nodes
    name = order.removeprefix("-")
    values = keys(name, nodes)
    if not len(values):
        return nodes
    if isinstance(values[0], str | bytes):
        places = sorted(range(len(values)), key=values.__getitem__, reverse=order.startswith("-"))
        return [nodes[place] for place in places]
    if len(values) <= HOPS:
        places = sorted(range(len(values)), key=values.__getitem__, reverse=not order.startswith("-"))
        return [int(nodes[place]) for place in places]
    numbers = np.asarray(values)
    if numbers.dtype.kind != "f":
        # Negative numbers of an unsigned type would be large ones.
        numbers = numbers.astype(np.int64)
    ranked = np.argsort(numbers if order.startswith("-") else -numbers, kind="stable")
    ranked = ranked.astype(np.uint32) if len(ranked) < 1 << 32 else ranked
    if isinstance(nodes, range):
        if nodes == range(len(nodes)):
            return RankedNodes(ranked)
        return RankedNodes(ranked.astype(np.int64) * nodes.step + nodes.start)
    return RankedNodes(np.asarray(nodes, np.int64)[ranked])


class PreorderTree:
    """A `Tree` over positions. `row` makes the row of a node; `keys` returns sort keys, if the view has orders."""

    def __init__(self, preorder: Preorder, row: Callable[[int], Row], keys: Keys | None = None) -> None:
        self.preorder = preorder
        self._row = row
        self._keys = keys
        self._found: dict[int, Tops] = {}
        self._sorted: dict[tuple[int, str], tuple[int, Sequence[int]]] = {}

    @cached_property
    def _finds_tops(self) -> Callable[[int, int], Any] | None:
        return self.preorder.tops if isinstance(self.preorder, HasTops) else None

    def sorting(self, order: str, node: int | None = None) -> Callable[[], object] | None:
        """Work that sorts the children of a node (None: the roots).

        None if sorting is fast or done already. It may run in a thread as long as they are not shown in that order.
        """
        rows = self.preorder.rows
        kept = self._sorted.get((-1 if node is None else node, order))
        below = rows if node is None else self.preorder.end(node) - node
        if below <= MANY or (kept is not None and kept[0] == rows):
            return None
        return lambda: self.roots(order) if node is None else self.children(node, order)

    def roots(self, order: str | None = None) -> Sequence[int]:
        """The nodes without parent."""
        return self._ordered(-1, self._tops(-1, 0, self.preorder.rows), order)

    def children(self, node: int, order: str | None = None) -> Sequence[int]:
        """The children of a node."""
        return self._ordered(node, self._tops(node, node + 1, self.preorder.end(node)), order)

    def has_children(self, node: int) -> bool:
        """True if the next position is deeper."""
        preorder = self.preorder
        return node + 1 < preorder.rows and preorder.depth(node + 1) > preorder.depth(node)

    def parent(self, node: int) -> int | None:
        """The parent; None for a root."""
        return self.preorder.parent(node)

    def row(self, node: int) -> Row:
        """Returns the contents of this node's line."""
        return self._row(node)

    def path(self, node: int) -> Sequence[int]:
        """The path from the root to the node, both included."""
        return path_to(node, self.parent)

    def _tops(self, node: int, start: int, stop: int) -> Tops:
        """The tops of a range; cached if the preorder is complete, because counting them reads the whole range."""
        kept = self._found.get(node)
        if kept is None:
            preorder = self.preorder
            kept = Tops(preorder, start, stop, self._finds_tops and self._finds_tops(start, stop))
            if preorder.is_complete:
                if len(self._found) >= KEPT:
                    self._found.pop(next(iter(self._found)))
                self._found[node] = kept
        return kept

    def _ordered(self, node: int, nodes: Tops, order: str | None) -> Sequence[int]:
        if order is None or self._keys is None:
            return nodes
        rows = self.preorder.rows
        kept = self._sorted.get((node, order))
        if kept is not None and kept[0] == rows:
            return kept[1]
        ranked = sort_nodes(nodes.all(), self._keys, order)
        if len(ranked) > MOST_KEPT:
            self._sorted.clear()
        if len(self._sorted) >= KEPT:
            self._sorted.pop(next(iter(self._sorted)))
        self._sorted[node, order] = rows, ranked
        return ranked


class FlatPreorder:
    """A table as a preorder: every position is a root."""

    def __init__(self, count: Callable[[], int], is_complete: Callable[[], bool]) -> None:
        self._count = count
        self._is_complete = is_complete

    @property
    def rows(self) -> int:
        """Number of rows."""
        return self._count()

    @property
    def is_complete(self) -> bool:
        """True if `rows` is final."""
        return self._is_complete()

    def depth(self, node: int) -> int:
        """Always 0."""
        return 0

    def depths(self, start: int, stop: int) -> memoryview:
        """A range of zeros."""
        return memoryview(bytes(2 * max(0, stop - start))).cast("H")

    def end(self, node: int) -> int:
        """The next position."""
        return node + 1

    def parent(self, node: int) -> int | None:
        """Always None."""
        return None
