"""Base classes of the views of a graph: of rows that show its nodes, and of rows that answer the last query."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from parsers.model.names.patterns import Subject
from parsers.model.row import Row
from parsers.model.view import References, UnknownReference, View
from parsers.views.base import LabelFiltered
from parsers.views.list_view import ListView

if TYPE_CHECKING:
    from parsers.graph.graph_model import GraphModel, Node
    from parsers.query.selection.label_filters import LabelFilters, LabelledRows


if TYPE_CHECKING:

    class NamedRows(LabelledRows, Protocol):
        """Rows with labels, and with names that patterns match."""

        def names(self, start: int, stop: int) -> Sequence[str]: ...


class GraphView(LabelFiltered, View):
    """A view whose rows show nodes of `graph`. Derived classes define `node`."""

    graph: GraphModel

    def node(self, node: int) -> Node | None:
        """The node of the graph that a row shows; None: none."""
        raise NotImplementedError

    @property
    def note(self) -> str:
        """A remark on all rows."""
        return self.graph.note

    @property
    def is_ready(self) -> bool:
        """True if the graph is complete."""
        return self.graph.is_known

    @property
    def pattern_subject(self) -> Subject:
        """What patterns match in the first view."""
        return self.graph.first_view.pattern_subject

    def row_filters(self: NamedRows) -> LabelFilters:
        """Returns the filters of all rows, by their names."""
        from parsers.query.selection.label_filters import LabelFilters

        return LabelFilters(self, self.names)

    def names(self, start: int, stop: int) -> Sequence[str]:
        """Returns the labels of a range of rows without class loaders."""
        rows = map(self.tree.row, range(start, stop))
        return [row.label[sum(span.end + 1 for span in row.spans if span.role == "loader") :] for row in rows]

    def row_of(self, node: int) -> int | None:
        """The row of the first view for this one."""
        shown = self.node(node)
        return None if shown is None else self.graph.row_of(shown)

    def remark(self, row: Row) -> str:
        """The remark after the label."""
        shown = self.node(row.node)
        return "" if shown is None else self.graph.remark(shown)

    def patterns(self, node: int) -> Mapping[Subject, str]:
        """Patterns that match the row, as in the first view."""
        row = self.row_of(node)
        return {} if row is None else self.graph.first_view.patterns(row)

    def references(self, node: int) -> References:
        """All references to the row's vertex; for a group those from outside."""
        first, row, shown = self.graph.first_view, self.row_of(node), self.node(node)
        if shown is not None and shown.by in self.graph.terms.levels:
            from parsers.graph.entering_edges import references_in

            return references_in(self.graph, shown)
        return References("references", first.name, ()) if row is None else first.references(row)


class QueryView(GraphView, ListView):
    """A `View` without rows before a query, and of unknown size before the graph is complete."""

    def __init__(self, graph: GraphModel) -> None:
        super().__init__()
        self.graph = graph
        self._nodes: list[Node | None] = []
        """By row the node that it shows; set by `make`."""

    def node(self, node: int) -> Node | None:
        """Returns the node of a row; None for texts."""
        assert self.entries is not None
        return self._nodes[node]

    @property
    def row_count(self) -> int | None:
        """Number of rows."""
        return len(self.entries) if self.is_ready else None

    @property
    def root_count(self) -> int | None:
        """Number of rows at the top."""
        return super().root_count if self.is_ready else None

    def resolve(self, ref: str) -> int:
        """Returns the row of a REF. Raises `UnknownReference`."""
        if not self.is_ready:
            raise UnknownReference(f"{ref}: known when the index is finished")
        return super().resolve(ref)
