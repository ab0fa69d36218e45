"""Preorders whose rows have their depth, end and parent in columns, made now or when a row is first needed."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from parsers.model.late import numpy as np

if TYPE_CHECKING:
    from parsers.model.arrays import U16Array, U32Array


class ColumnPreorder:
    """A `Preorder` over three columns, which may be arrays of Python or numpy."""

    def __init__(self, depths: array[int] | memoryview, ends: Any, parents: Any, is_complete: bool = True) -> None:
        """
        depths   of the rows: uint16
        ends     by row: the first row after its subtree
        parents  by row: the nearest earlier row of smaller depth; a root has a number that is no earlier row
        """
        self.rows = len(depths)
        self.is_complete = is_complete
        self._depths = depths
        self._ends = ends
        self._parents = parents

    def depth(self, node: int) -> int:
        """Depth of a row."""
        return self._depths[node]

    def depths(self, start: int, stop: int) -> memoryview:
        """Depths of a range."""
        return memoryview(self._depths)[start:stop]

    def end(self, node: int) -> int:
        """First row after the subtree of a row."""
        return int(self._ends[node])

    def ends(self, start: int, stop: int) -> Any:
        """Ends of a range."""
        return self._ends[start:stop]

    def parent(self, node: int) -> int | None:
        """The nearest earlier row of smaller depth."""
        parent = int(self._parents[node])
        return parent if 0 <= parent < node else None


class CurrentPreorder:
    """The `Preorder` that a function returns: one that is made on first use, or another one as the file grows."""

    def __init__(self, current: Callable[[], ColumnPreorder], is_complete: Callable[[], bool] = lambda: True) -> None:
        self._current = current
        self._is_complete = is_complete

    @property
    def rows(self) -> int:
        """Number of rows."""
        return self._current().rows

    @property
    def is_complete(self) -> bool:
        """True if there will be no further rows."""
        return self._is_complete()

    def depth(self, node: int) -> int:
        """Depth of a row."""
        return self._current().depth(node)

    def depths(self, start: int, stop: int) -> memoryview:
        """Depths of a range."""
        return self._current().depths(start, stop)

    def end(self, node: int) -> int:
        """First row after the subtree of a row."""
        return self._current().end(node)

    def parent(self, node: int) -> int | None:
        """The nearest earlier row of smaller depth."""
        return self._current().parent(node)


def preorder_of(depths: Sequence[int], is_complete: bool = True) -> ColumnPreorder:
    """Makes a preorder of the depths of all its rows."""
    depths = depths if isinstance(depths, array) else array("H", depths)
    rows = len(depths)
    ends = array("I", [rows]) * rows
    parents = array("i", [-1]) * rows
    ancestors: list[int] = []
    for node, depth in enumerate(depths):
        while ancestors and depths[ancestors[-1]] >= depth:
            ends[ancestors.pop()] = node
        if ancestors:
            parents[node] = ancestors[-1]
        ancestors.append(node)
    return ColumnPreorder(depths, ends, parents, is_complete)


def ends_of(depths: U16Array) -> U32Array:
    """First row after each subtree: the next one that is no deeper. For trees of few levels."""
    ends = np.empty(len(depths), np.uint32)
    for level in range(int(depths.max(initial=0)) + 1):
        rows = np.flatnonzero(depths <= level)
        is_here = depths[rows] == level
        ends[rows[is_here]] = np.append(rows[1:], len(depths))[is_here]
    return ends
