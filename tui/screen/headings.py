"""Headings of a tree's columns, in one dim line above it; a click sorts."""

from __future__ import annotations

from collections.abc import Callable

from tui.screen.frame import heading_pieces
from tui.screen.text_line import TextLine
from tui.tree.piece import Piece, pad
from tui.tree.tree_view import TreeView


class Headings(TextLine):
    """Name of the view over the labels, title and unit over each column that the tree shows now."""

    def __init__(self, shown_tree: Callable[[], TreeView | None], id: str | None = None) -> None:
        super().__init__(id=id, ground="page")
        self._shown_tree = shown_tree

    def _fitted(self, width: int) -> list[Piece]:
        return pad(self.pieces(), width)

    def pieces(self) -> list[Piece]:
        """The headings of the shown tree; nothing for a list, which has its own."""
        tree = self._shown_tree()
        return [] if tree is None else heading_pieces(tree)
