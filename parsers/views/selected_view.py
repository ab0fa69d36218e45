"""A view with filters: the same nodes, REFs, links and sections, but only the rows in a `Selection`.

Nodes are those of the unfiltered view, which answers all questions about a node. Roots, children, row counts and
parents are those of the selection. Nodes outside the selection still have their rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, overload

from parsers.model.trees.preorder import Tops
from parsers.views.proxy import ViewProxy

if TYPE_CHECKING:
    from parsers.model.row import Row
    from parsers.model.trees.tree import Preorder
    from parsers.model.view import View
    from parsers.query.selection.selection import Selection


class SelectedView(ViewProxy):
    """The filtered rows of a view whose tree is a preorder."""

    tree: SelectedTree

    def __init__(self, view: View, selection: Selection) -> None:
        self._view = view
        self.selection = selection
        self.tree = SelectedTree(view, selection)

    def shown_view(self) -> View:
        """The view without filters: name, columns, links and sections are the same."""
        return self._view

    @property
    def is_ready(self) -> bool:
        """True: a selection is made of a finished index."""
        return True

    @property
    def row_count(self) -> int:
        """Number of selected rows."""
        return self.selection.rows

    @property
    def root_count(self) -> int:
        """Number of selected roots."""
        return len(self.tree.roots())


class SelectedTree:
    """The selected roots and children, in document order or in the view's sort order."""

    def __init__(self, view: View, selection: Selection) -> None:
        self._view = view
        self._selection = selection

    @property
    def preorder(self) -> Preorder | None:
        """None: positions of a selection are not nodes. The selection itself is a preorder of positions."""
        return None

    def roots(self, order: str | None = None) -> Sequence[int]:
        """The selected roots."""
        nodes = TopNodes(self._selection, 0, self._selection.rows)
        return nodes if order is None else self._only_left(self._view.tree.roots(order))

    def children(self, node: int, order: str | None = None) -> Sequence[int]:
        """The selected children."""
        position = self._selection.position_of(node)
        if position is None:
            return ()
        nodes = TopNodes(self._selection, position + 1, self._selection.end(position))
        return nodes if order is None else self._only_left(self._view.tree.children(node, order))

    def has_children(self, node: int) -> bool:
        """True if any descendant is selected."""
        position = self._selection.position_of(node)
        return position is not None and self._selection.end(position) > position + 1

    def parent(self, node: int) -> int | None:
        """The parent, which is selected if the node is."""
        return self._view.tree.parent(node)

    def row(self, node: int) -> Row:
        """The view's row, with the counts of the selection."""
        row = self._view.tree.row(node)
        position = self._selection.position_of(node)
        if position is None:
            return row
        rows_below = self._selection.end(position) - position - 1
        row = replace(row, rows_below=rows_below, has_children=rows_below > 0, is_growing=False)
        return self._view.suppressed_row(row) if self._selection.is_suppressed(node) else row

    def _only_left(self, nodes: Sequence[int]) -> Sequence[int]:
        position_of = self._selection.position_of
        return [node for node in nodes if position_of(node) is not None]


class TopNodes(Sequence[int]):
    """The tops of a range of positions, as nodes."""

    def __init__(self, selection: Selection, start: int, stop: int) -> None:
        self._tops = Tops(selection, start, stop)
        self._node_at = selection.node_at

    def __len__(self) -> int:
        return len(self._tops)

    def __bool__(self) -> bool:
        return bool(self._tops)

    @overload
    def __getitem__(self, index: int) -> int: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[int]: ...
    def __getitem__(self, index: int | slice) -> int | Sequence[int]:
        if isinstance(index, slice):
            return [self._node_at(position) for position in self._tops[index]]
        return self._node_at(self._tops[index])
