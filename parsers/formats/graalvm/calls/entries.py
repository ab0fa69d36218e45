"""The view "Entry points": a table of all roots of the analysis, with the reason if the version prints one."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from parsers.formats.graalvm.calls.detail import links, sections
from parsers.formats.graalvm.calls.index.row import ENTRY
from parsers.formats.graalvm.calls.kind import ID, REASON, ROWS_BELOW
from parsers.formats.graalvm.text.view import name_keys
from parsers.model.lookup import place_in
from parsers.model.names.ref_number import numbered_node
from parsers.model.row import Column, Link, Row, Section, SortKey
from parsers.model.trees.preorder import FlatPreorder
from parsers.model.view import References, Shape, UnknownReference
from parsers.views.base import OfWholeReport
from parsers.views.positions_view import PositionsView

if TYPE_CHECKING:
    from parsers.formats.graalvm.calls.report import CallReport
    from parsers.reporting.rules.array_rows import ArrayRows


class EntryPointsView(OfWholeReport, PositionsView):
    """Entries in the order of the file; node i is the i-th of them."""

    name = "Entry points"
    description = "Entry points with the methods they reach"
    shape: Shape = "table"

    def __init__(self, report: CallReport) -> None:
        self.report = report
        # Either all entries of a file have a reason or none has, so the columns are final from the start.
        self.columns: tuple[Column, ...] = (REASON, ID, ROWS_BELOW) if report.has_reasons else (ID, ROWS_BELOW)
        self.orders: tuple[str, ...] = ("rows_below", "id", "name", *(("reason",) if report.has_reasons else ()))
        self._entries: Sequence[int] = ()
        self._counted = 0
        self._rows = FlatPreorder(self._count, lambda: report.is_complete)

    @property
    def rows(self) -> FlatPreorder:
        """The entries, all of depth 0."""
        return self._rows

    @property
    def entries(self) -> Sequence[int]:
        """Rows of the entries, as far as they are known."""
        rows = self.report.tree.rows if self.is_ready else 0
        if self._counted != rows:
            self._entries, self._counted = self.report.rows_of_kind(ENTRY), rows
        return self._entries

    def _count(self) -> int:
        return len(self.entries)

    def row(self, node: int) -> Row:
        """Returns an entry; Enter opens it in the call tree."""
        at = self.row_of(node)
        shown = self.report.views[0].tree.row(at)
        badges = dict(shown.badges)
        reason = self.report.parsed(at).reason
        if reason is not None:
            badges["reason"] = reason
        return replace(shown, node=node, depth=0, badges=badges, has_children=False, link=shown.ref)

    def row_of(self, node: int) -> int:
        """Returns the row of the call tree for a node."""
        return int(self.entries[node])

    def leaf_rows(self) -> Sequence[int]:
        """Returns the rows of the call tree for all nodes."""
        return self.entries

    def named_rows(self, kind: str) -> ArrayRows | None:
        """Returns the rows of a kind by their names, for rules; see `parsers.reporting.rules.named_rows`."""
        from parsers.formats.graalvm.text.named_rows import entry_rows

        return entry_rows(self, self.report, self.entries, kind)

    def sort_keys(self, order: str, nodes: Sequence[int]) -> Sequence[SortKey]:
        """Returns the sort keys of an order."""
        report, tree = self.report, self.report.tree
        rows = [self.row_of(node) for node in nodes]
        match order:
            case "id":
                return [tree.vertex_id(tree.vertex(row)) or 0 for row in rows]
            case "name":
                return name_keys(tree, rows)
            case "reason":
                return [report.parsed(row).reason or "" for row in rows]
        return [tree.end(row) - row for row in rows]

    def resolve_all(self, ref: str) -> Sequence[int]:
        """Returns all entries of a REF. Raises `UnknownReference`."""
        if not self.is_ready:
            raise UnknownReference(f"{ref}: entries are known when the index is finished")
        if (numbered := numbered_node(ref, self._count(), "entries")) is not None:
            return [numbered]
        document = self.report.views[0]
        found = [self.find_key(document.key(row)) for row in document.resolve_all(ref)]
        entries = [entry for entry in found if entry is not None]
        if not entries:
            raise UnknownReference(f"{ref}: this method is no entry point")
        return entries

    def key(self, node: int) -> Hashable | None:
        """Returns the id of the entry."""
        return self.report.views[0].key(self.row_of(node))

    def find_key(self, key: Hashable) -> int | None:
        """Returns the entry with that id."""
        row = self.report.views[0].find_key(key) if self.is_ready else None
        return None if row is None else place_in(self.entries, row)

    def sections(self, node: int) -> Sequence[Section]:
        """Returns the sections of the side pane about the entry."""
        return sections(self.report, self.row_of(node))

    def links(self, node: int) -> Sequence[Link]:
        """Returns the links to the call tree and from its rows."""
        row = self.row_of(node)
        here = Link("in the call tree", f"line:{self.report.tree.line(row)}", "Call tree")
        return [here, *(link for link in links(self.report, row) if link.view != self.name)]

    def references(self, node: int) -> References:
        """Returns all call sites of the entry's method."""
        return self.report.views[0].references(self.row_of(node))
