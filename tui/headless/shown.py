"""A view as the commands print it: its rows and what is below them, less what suppress patterns hide."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from parsers.preorder import PreorderTree
from parsers.report import ReportError, Row, View

if TYPE_CHECKING:
    from parsers.cache import Cache
    from parsers.report import Report
    from parsers.selection import Selection


class Shown:
    """Nodes are those of the view. Where nothing is suppressed this only hands on what the view says."""

    def __init__(self, view: View, selection: Selection | None = None) -> None:
        self.view = view
        self._selection = selection
        self._left = None if selection is None else PreorderTree(selection, view.tree.row)

    def roots(self) -> Sequence[int]:
        """The nodes without parent."""
        return self.view.tree.roots()

    def row(self, node: int) -> Row:
        """What the line of a node shows."""
        row = self.view.tree.row(node)
        if self._selection is None:
            return row
        position = self._selection.position_of(node)
        if position is None:
            return row
        below = self._selection.end(position) - position - 1
        row = replace(row, rows_below=below, has_children=below > 0)
        if not self._selection.is_suppressed(node):
            return row
        row = replace(row, flags=(*row.flags, "suppressed") if "suppressed" not in row.flags else row.flags)
        repaint = getattr(self.view, "suppressed_row", None)
        return row if repaint is None else repaint(row)

    def children(self, node: int) -> Sequence[int] | Iterator[int]:
        """The children of a node, to be gone through once."""
        position = self._position(node)
        if position is None or self._left is None or self._selection is None:
            return self.view.tree.children(node)
        return map(self._selection.node_at, self._left.children(position))

    def child_count(self, row: Row) -> int:
        """How many children the node of a row has."""
        if not row.has_children:
            return 0
        position = self._position(row.node)
        if position is None or self._left is None:
            return len(self.view.tree.children(row.node))
        return len(self._left.children(position))

    def has_children(self, node: int) -> bool:
        """Whether there is anything below a node."""
        position = self._position(node)
        if position is None or self._left is None:
            return self.view.tree.has_children(node)
        return self._left.has_children(position)

    def rows_from(self, node: int | None) -> int | None:
        """Rows of the whole tree, or of a node and all below it; None where that has no end."""
        if node is None:
            return self.view.row_count if self._selection is None else self._selection.rows
        below = self.row(node).rows_below
        return None if below is None else below + 1

    def close(self) -> None:
        """Remove what the selection keeps on disk."""
        if self._selection is not None:
            self._selection.close()

    def _position(self, node: int) -> int | None:
        return None if self._selection is None else self._selection.position_of(node)


def suppressing(report: Report, view: View, patterns: Mapping[str, str], cache: Cache) -> Shown:
    """The view without what lies below rows that the patterns meet. Raises `ReportError` where it can't have them."""
    if not any(patterns.values()):
        return Shown(view)
    base = view.tree.preorder
    row_filters = getattr(report, "row_filters", None)
    if base is None or row_filters is None or view is not report.views[0]:
        raise ReportError(f"suppress and expand patterns are for the view {report.views[0].name} only")
    from parsers.number_file import NumberFile, NumberWriter
    from parsers.selecting import select
    from parsers.selection import Filters, Selection

    folder = cache.temporary_folder()
    paths = [os.path.join(folder, name) for name in ("nodes", "suppressed")]
    nodes, suppressed = (NumberWriter(path, 4) for path in paths)
    try:
        for _ in select(row_filters(), Filters(suppress=patterns), None, nodes, suppressed):
            pass
    finally:
        nodes.close()
        suppressed.close()
    return Shown(view, Selection(base, NumberFile(paths[0], 4, nodes.count), NumberFile(paths[1], 4, suppressed.count)))
