"""Base class of graph views whose rows are the answer to the last query."""

from __future__ import annotations

from parsers.graph.views.graph_view import GraphView
from parsers.model.report import UnknownReference
from parsers.views.list_view import ListView


class QueryView(GraphView, ListView):
    """A `View` without rows before a query, and of unknown size before the graph is complete."""

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
