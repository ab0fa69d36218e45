"""Base class of views whose rows are entries at the places of a preorder."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from parsers.model.names.ref_number import numbered_node
from parsers.model.row import Link, Row, SortKey
from parsers.model.view import StrangeReference, UnknownReference
from parsers.views.list_view import ListRow, sort_values
from parsers.views.positions_view import PositionsView


class EntryView(PositionsView):
    """A `View`. Derived classes define `name`, `columns`, `orders`, `rows`, the entries, and the nodes of REFs."""

    starts_closed = True
    """True: a screen shows the roots first, with all closed."""
    known_when = "all of the file has been read"
    """When the view is ready, for messages."""

    def entry_of(self, node: int) -> ListRow:
        """The contents of a row."""
        raise NotImplementedError

    def nodes_of(self, ref: str) -> Sequence[int]:
        """The nodes of a REF other than `node:`, perhaps none. Raises `UnknownReference`."""
        return ()

    def link_of(self, node: int, entry: ListRow) -> str | None:
        """The REF that Enter follows."""
        return entry.links[0].ref if entry.links else None

    def row(self, node: int) -> Row:
        """The row of a node."""
        entry, rows = self.entry_of(node), self.rows
        return entry.row(node, rows.depth(node), rows.end(node) - node - 1, self.link_of(node, entry))

    def labels(self, start: int, stop: int) -> list[str]:
        """Labels of a range of nodes."""
        return [self.entry_of(node).label for node in range(start, stop)]

    def sort_keys(self, order: str, nodes: Sequence[int]) -> Sequence[SortKey]:
        """Sort keys: numbers of a badge, -1 where there is none."""
        return sort_values(order, map(self.entry_of, nodes))

    def key(self, node: int) -> Hashable | None:
        """The key that identifies what a row shows in other views."""
        return self.entry_of(node).key

    def links(self, node: int) -> Sequence[Link]:
        """All links of a row."""
        return self.entry_of(node).links

    def resolve_all(self, ref: str) -> Sequence[int]:
        """All nodes of a REF. Raises `UnknownReference`."""
        if not self.is_ready:
            raise UnknownReference(f"{ref}: known when {self.known_when}")
        node = numbered_node(ref, self.rows.rows)
        found = self.nodes_of(ref) if node is None else [node]
        if not found:
            raise StrangeReference(f"{ref}: nothing of that name in {self.name}")
        return found
