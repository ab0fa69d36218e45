"""Nodes of a view as a list: each by its own label, or by the row that refers to it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from parsers.model.row import Row
from parsers.model.trees.reference_owner import owner_of
from parsers.model.view import View
from tui.list.list_pane import ListColumn, ListSource, PaneRow, RowLabel
from tui.screen.sanitise import safe
from tui.tree.column_text import column_text, rows_below_text, titled

KIND = ListColumn("kind", 14)
LINE = ListColumn("line", 12, is_right=True)
BELOW = ListColumn("rows below", 11, is_right=True)

LEFT_OUT = ("id", "rows_below")
"""Columns of a view that a list shows in another form."""


class NodeList(ListSource):
    """Nodes of a view as a list, each by its own label; rows are only made when they are shown."""

    label_title = "row"

    def __init__(self, title: str, view: View, nodes: Sequence[int], go: Callable[[View, int], object]) -> None:
        self.title = title
        self.note = f"{len(nodes):,}"
        self.view = view
        self.nodes = nodes
        self._go = go
        self._numbers = [column for column in view.columns if column.name not in LEFT_OUT]
        numbers = [ListColumn(titled(column), column.width, is_right=True) for column in self._numbers]
        self.columns = (KIND, ListColumn(self.label_title), *numbers, LINE, BELOW)

    def __len__(self) -> int:
        return len(self.nodes)

    def row(self, index: int) -> PaneRow:
        """The kind, the label and the numbers of a node."""
        row = self.view.tree.row(self.nodes[index])
        return self._line(row, row, [column_text(row, column) for column in self._numbers])

    def _line(self, row: Row, named: Row, numbers: Sequence[str], via: str = "") -> PaneRow:
        line = "" if row.line is None else f"{row.line:,}"
        below = "↩" if row.link is not None else rows_below_text(row)
        return PaneRow((safe(row.kind), RowLabel(named, via, self.view.remark(named)), *numbers, line, below))

    def place(self, index: int) -> tuple[View, int]:
        """The node."""
        return self.view, self.nodes[index]

    def choose(self, index: int) -> None:
        """Goes to the node."""
        self._go(self.view, self.nodes[index])


class ReferenceList(NodeList):
    """Nodes that refer to an object, each shown by the row that contains it: its own label is always the object's."""

    empty = "no references to it"
    label_title = "from"

    def row(self, index: int) -> PaneRow:
        """The kind of the reference, the containing row, and its numbers or those of the rows between."""
        tree = self.view.tree
        node = self.nodes[index]
        row = tree.row(node)
        owner, between = owner_of(tree, node)
        texts = ([column_text(each, column) for each in between] for column in self._numbers)
        numbers = [next(filter(None, of_column), "") for of_column in texts]
        # Numbers identify the place of a reference in its owner; where there are none, fields and indexes do.
        if between[-1] is owner:
            between.pop()
        via = "" if self._numbers else "".join(map(place_in_owner, reversed(between)))
        return self._line(row, owner, numbers, via)


def place_in_owner(row: Row) -> str:
    """A field as `.name`, an element as `[3]`; empty for other rows."""
    role = next((span.role for span in row.spans if span.role in ("index", "name")), "")
    text = next((row.label[span.start : span.end] for span in row.spans if span.role == role), "")
    return "" if not text else text if role == "index" else f".{text}"
