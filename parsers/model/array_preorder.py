"""A preorder of rows whose depths are all known."""

from __future__ import annotations

from array import array
from collections.abc import Sequence


class ArrayPreorder:
    """A preorder made of the depths of all its rows."""

    def __init__(self, depths: Sequence[int], is_complete: bool = True) -> None:
        self.is_complete = is_complete
        self._depths = depths if isinstance(depths, array) else array("H", depths)
        rows = len(self._depths)
        self._ends = array("I", [rows]) * rows
        self._parents = array("i", [-1]) * rows
        ancestors: list[int] = []
        for node, depth in enumerate(self._depths):
            while ancestors and self._depths[ancestors[-1]] >= depth:
                self._ends[ancestors.pop()] = node
            if ancestors:
                self._parents[node] = ancestors[-1]
            ancestors.append(node)

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(self._depths)

    def depth(self, node: int) -> int:
        """Depth of a row."""
        return self._depths[node]

    def depths(self, start: int, stop: int) -> memoryview:
        """Depths of a range."""
        return memoryview(self._depths)[start:stop]

    def end(self, node: int) -> int:
        """First row after the subtree of a row."""
        return self._ends[node]

    def parent(self, node: int) -> int | None:
        """The nearest earlier row of smaller depth."""
        parent = self._parents[node]
        return None if parent < 0 else parent
