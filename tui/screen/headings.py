"""Headings of a tree's columns, in one dim line above it; a click sorts."""

from __future__ import annotations

from collections.abc import Callable

from parsers.model.report import Column
from tui.screen.frame import TextLine, order_words
from tui.screen.sanitise import safe
from tui.tree.column_text import titled
from tui.tree.piece import Piece, cut, pad, width_of
from tui.tree.tree_view import TreeView

LABELS = ("name", "class")
"""Sort orders by the labels of rows."""


class Headings(TextLine):
    """Name of the view over the labels, title and unit over each column that the tree shows now."""

    def __init__(self, shown_tree: Callable[[], TreeView | None], id: str | None = None) -> None:
        super().__init__(id=id, ground="page")
        self._shown_tree = shown_tree

    def _fitted(self, width: int) -> list[Piece]:
        return pad(self.pieces(), width)

    def pieces(self) -> list[Piece]:
        """Name of the view and the rows it keeps closed; a title where the numbers of each column end."""
        tree = self._shown_tree()
        if tree is None or tree.view is None:
            return []
        view, layout, is_ascii = tree.view, tree.layout_now, self.is_ascii
        order = tree.order or view.sorted_by
        sorted_by = order.removeprefix("-")
        of_columns = {column.name: column.unit for column in view.columns}
        # Numbers are sorted with the largest first, texts from A to Z.
        is_number = sorted_by not in LABELS and of_columns.get(sorted_by) != "text"
        rises = order.startswith("-") == is_number
        sign = ("^" if rises else "v") if is_ascii else "▲" if rises else "▼"
        by_name = f" {sign}" if sorted_by in LABELS and sorted_by in view.orders else ""
        name = [Piece(f"  {safe(view.name)}{by_name}", "hint", "sort:name" * ("name" in view.orders))]
        if sorted_by in view.orders and sorted_by not in of_columns and not by_name:
            name.append(Piece(f"  {order_words(view, sorted_by)} {sign}", "hint", f"sort:{sorted_by}"))
        if view.closes:
            name.append(Piece(f"  closed: {safe(view.closes)}  fe", "flag"))
        if tree.picture_heading:
            return cut([*name, Piece(f"   {safe(tree.picture_heading)}", "hint")], layout.width)
        line = pad(cut(name, layout.label_width), layout.label_width)
        for column in layout.columns:
            mark = sign if column.name == sorted_by else ""
            line += heading(column, mark, is_ascii, f"sort:{column.name}" if column.name in view.orders else "")
        return line


def heading(column: Column, mark: str, is_ascii: bool, action: str = "") -> list[Piece]:
    """Heading of a column, as wide as the column and the gap before it; its end is where the numbers end.

    mark: the sign of the sort order; empty: rows are not sorted by the column
    """
    title = titled(column).replace("↩", "^") if is_ascii else titled(column)
    if width_of(title) > column.width:
        title = "".join(piece.text for piece in cut([Piece(title)], column.width))
    text = mark + title
    # A long title extends over the bar after the numbers.
    after = min(column.bar + 1 if column.bar else 0, max(0, column.width - width_of(text)))
    return [Piece(" " * (1 + column.width - after - width_of(text))), Piece(text, "hint", action), Piece(" " * after)]
