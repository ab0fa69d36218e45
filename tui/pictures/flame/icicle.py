"""Layout of a flame's boxes: level by level, only those at least a cell wide, which bounds the work.

An icicle has a base node (or all roots), which occupies the full width; its ancestors above it are equally wide.
Children are below their parent, the widest first. Those too narrow for a cell are merged into one box without a node,
as wide as all of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from parsers.model.trees.tree import Tree
    from parsers.profile.views.call_views import CallView

MOST_ABOVE = 3
"""Maximum ancestors shown above the base node."""

LEAST = 0.5
"""Minimum width in cells of a drawn node."""

REST = -1
"""Node of the box that merges nodes too narrow to be drawn."""


class FlameWidths:
    """The widths of a view's nodes; in a selection only of the selected nodes."""

    def __init__(self, view: CallView, tree: Tree) -> None:
        self._view = view
        self._tree = tree

    def roots(self) -> Iterable[int]:
        """The nodes at the top."""
        return self._widest_first(self._tree.roots())

    def children(self, node: int) -> Iterable[int]:
        """The nodes below one."""
        return self._widest_first(self._tree.children(node))

    def _widest_first(self, nodes: Iterable[int]) -> Iterable[int]:
        return nodes if self._view.is_widest_first else sorted(nodes, key=self.width, reverse=True)

    def parent(self, node: int) -> int | None:
        """The node above."""
        return self._tree.parent(node)

    def width(self, node: int) -> float:
        """The view's weight of the node."""
        return float(self._view.width(node))

    def below(self, node: int) -> float:
        """The view's weight of the children; in a selection the sum of the selected ones."""
        if self._tree is self._view.tree:
            return float(self._view.width(node) - self._view.own_width(node))
        return sum(map(self.width, self._tree.children(node)))

    def whole(self) -> float:
        """The sum of all roots."""
        return float(self._view.whole)


class Box(NamedTuple):
    """A node with its cells of a level, half open; low and high are the same without rounding."""

    node: int
    start: int
    stop: int
    low: float
    high: float


class Icicle:
    """The boxes for one width, created when their level is first requested."""

    def __init__(self, tree: FlameWidths, base: int | None, cells: int) -> None:
        self._tree = tree
        self.base = base
        self.cells = cells
        self._levels: list[list[Box]] = []
        if base is None:
            whole = tree.whole()
            if whole > 0 and cells > 0:
                self._levels.append(self._row_of(tree.roots(), 0.0, cells / whole, whole))
            return
        path = [base]
        while len(path) <= MOST_ABOVE and (above := tree.parent(path[0])) is not None:
            path.insert(0, above)
        self._levels += [[Box(node, 0, cells, 0.0, float(cells))] for node in path]

    def width_of(self, box: Box) -> float:
        """Width of a box in the tree's unit; without a node, the sum of the merged nodes."""
        base = self._tree.whole() if self.base is None else self._tree.width(self.base)
        return (box.high - box.low) * base / self.cells

    @property
    def above(self) -> int:
        """Number of levels above the base."""
        if self.base is None:
            return 0
        return next(at for at, level in enumerate(self._levels) if level[0].node == self.base)

    def level(self, number: int) -> list[Box]:
        """The boxes of a level from the top of the picture; empty below the last one."""
        while len(self._levels) <= number and self._levels and self._levels[-1]:
            self._levels.append(self._below(self._levels[-1]))
        return self._levels[number] if number < len(self._levels) else []

    def _below(self, boxes: list[Box]) -> list[Box]:
        tree = self._tree
        found: list[Box] = []
        for box in boxes:
            if box.node == REST:
                continue
            below = tree.below(box.node)
            width = max(tree.width(box.node), below)
            if width > 0:
                scale = (box.high - box.low) / width
                found += self._row_of(tree.children(box.node), box.low, scale, below)
        return found

    def _row_of(self, nodes: Iterable[int], low: float, scale: float, whole: float) -> list[Box]:
        """Adjacent boxes from a place on, up to the first one narrower than a cell; whole: sum of all nodes."""
        end = low + whole * scale
        found: list[Box] = []
        for node in nodes:
            high = low + self._tree.width(node) * scale
            start, stop = round(low), round(high)
            if high - low < LEAST:
                # The following ones are no wider.
                stop = min(max(round(end), start + 1), self.cells)
                return [*found, Box(REST, start, stop, low, end)] if stop > start else found
            if stop > start:
                found.append(Box(node, start, stop, low, high))
            low = high
        return found

    def box_of(self, node: int, number: int) -> Box | None:
        """The box of a node on a level; None if it is too narrow or missing."""
        return next((box for box in self.level(number) if box.node == node), None)

    def at(self, cell: int, number: int) -> Box | None:
        """The box of a level at a cell."""
        return next((box for box in self.level(number) if box.start <= cell < box.stop), None)
