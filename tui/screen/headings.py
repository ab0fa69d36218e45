"""The titles of a tree's columns, in one dim line above it."""

from __future__ import annotations

from rich.segment import Segment
from textual.strip import Strip

from tui.screen.line_widget import LineWidget
from tui.screen.sanitise import safe
from tui.tree.piece import Piece, cut, pad, segments
from tui.tree.tree_view import TreeView


class Headings(LineWidget):
    """Titles over the columns that the tree shows now."""

    DEFAULT_CSS = "Headings { height: 1; width: 1fr; }"

    def __init__(self, tree: TreeView, id: str | None = None) -> None:
        super().__init__(id=id)
        self._tree = tree
        tree.when_redrawn = self.refresh

    def render_line(self, y: int) -> Strip:
        """Renders the line, exactly as wide as the widget."""
        palette = self.palette
        line: list[Segment] = segments(pad(self.pieces(), self.size.width), palette)
        return Strip(line).crop(0, self.size.width)

    def pieces(self) -> list[Piece]:
        """Name of the view and what it keeps closed over the labels; the title of each column at its right edge."""
        layout, view = self._tree.layout_now, self._tree.view
        if view is None:
            return []
        closes = view.closes
        name = [
            Piece("  " + safe(view.name), "hint"),
            *([Piece(f"  closed: {safe(closes)}  fe", "flag")] if closes else []),
        ]
        line = pad(cut(name, layout.label_width), layout.label_width)
        for column in layout.columns:
            title = cut([Piece(safe(column.title), "hint")], column.width)
            line += [Piece(" " * (1 + column.width - sum(len(piece.text) for piece in title))), *title]
        return line
