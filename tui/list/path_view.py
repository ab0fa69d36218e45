"""A view of one path of another view, from a root to a node; each step can be opened."""

from __future__ import annotations

from collections.abc import Sequence

from parsers.model.row import Column, Row
from parsers.model.trees.tree import path_to
from parsers.model.view import Shape, View
from parsers.views.proxy import ViewProxy
from tui.tree.label import SHORT, label_pieces
from tui.tree.piece import line_width

FRONT = "█  ▾ ● "
"""Cells before a label: cursor, mark, signs of folding and of the kind."""

MEASURED = 50
"""Maximum number of rows whose labels are measured: as many as a screen shows."""


class PathTree:
    """A tree with one path: each node has the next one as its only child; the last one keeps its own."""

    preorder = None

    def __init__(self, view: View, path: Sequence[int]) -> None:
        self._tree = view.tree
        self._path = tuple(path)
        self._following = dict(zip(self._path, self._path[1:], strict=False))
        self._above = {child: parent for parent, child in self._following.items()}

    def roots(self, order: str | None = None) -> Sequence[int]:
        """The start of the path."""
        return self._path[:1]

    def children(self, node: int, order: str | None = None) -> Sequence[int]:
        """The next node of the path; at its end the children of the view."""
        following = self._following.get(node)
        return self._tree.children(node, order) if following is None else (following,)

    def has_children(self, node: int) -> bool:
        """True if opening the node would show anything."""
        return node in self._following or self._tree.has_children(node)

    def parent(self, node: int) -> int | None:
        """The previous node of the path; of a node below its end the view's parent."""
        if node == self._path[0]:
            return None
        return self._above[node] if node in self._above else self._tree.parent(node)

    def row(self, node: int) -> Row:
        """The row of the node, on the path or below it."""
        return self._tree.row(node)


class PathView(ViewProxy):
    """A view that shows one path of another view; everything but the tree is delegated to that view."""

    shape: Shape
    columns: tuple[Column, ...]
    orders: tuple[str, ...] = ()
    sorted_by = ""
    tree: PathTree
    is_ready = True

    def __init__(self, view: View, path: Sequence[int]) -> None:
        self._view = view
        self._path_nodes = tuple(path)
        self.name = view.name
        self.shape = view.shape
        self.columns = view.columns
        self.tree = PathTree(view, path)
        self.row_count: int | None = len(self._path_nodes)
        self.root_count: int | None = 1
        rows = [self.tree.row(node) for node in path[:MEASURED]]
        self.label_width: int = max(
            len(FRONT) + 2 * depth + line_width(label_pieces(row, SHORT)) + len(f"  {view.remark(row)}".rstrip())
            for depth, row in enumerate(rows)
        )
        """Cells of the longest label, so that a path is readable before it has all columns."""

    def shown_view(self) -> View:
        """The view that contains the path."""
        return self._view

    def path(self, node: int) -> Sequence[int]:
        """Nodes from the start of the path to the node."""
        return path_to(node, self.tree.parent)
