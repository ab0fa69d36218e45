"""Base class of the views of a graph: their rows show vertices, edges or groups, of which the first view knows more."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from parsers.graph.graph_model import GraphModel, Node
from parsers.model.patterns import Subject
from parsers.model.report import References, Row

if TYPE_CHECKING:
    from parsers.query.selection.label_filters import LabelFilters


class GraphView:
    """A view of a graph."""

    graph: GraphModel

    def node(self, node: int) -> Node | None:
        """Returns the node of the graph that a row shows; None if it shows none."""
        raise NotImplementedError

    @property
    def note(self) -> str:
        """A remark on all rows."""
        return self.graph.note

    @property
    def is_ready(self) -> bool:
        """True if the graph is complete."""
        return self.graph.is_known

    def row_of(self, node: int) -> int | None:
        """Returns the row of the first view for this one."""
        this = self.node(node)
        return None if this is None else self.graph.row_of(this)

    def remark(self, row: Row) -> str:
        """Returns the remark after the label."""
        this = self.node(row.node)
        return "" if this is None else self.graph.remark(this)

    def patterns(self, node: int) -> Mapping[Subject, str]:
        """Returns patterns that match the row, as in the first view."""
        row, first = self.row_of(node), self.graph.first_view
        found: Mapping[Subject, str] = {} if row is None else first.patterns(row)  # type: ignore[attr-defined]
        return found

    def references(self, node: int) -> References:
        """Returns all references to the row's vertex; for a group those from outside."""
        first, row, this = self.graph.first_view, self.row_of(node), self.node(node)
        if this is not None and this.by in self.graph.terms.levels:
            from parsers.graph.entering_edges import references_in

            return references_in(self.graph, this)
        return References("references", first.name, ()) if row is None else first.references(row)

    def row_filters(self) -> LabelFilters:
        """Filters over the labels of all rows."""
        from parsers.query.selection.label_filters import LabelFilters

        return LabelFilters(self)
