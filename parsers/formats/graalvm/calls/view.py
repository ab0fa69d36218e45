"""The view "Call tree": the file, row by row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from parsers.formats.graalvm.calls.detail import links, sections
from parsers.formats.graalvm.calls.index.row import ENTRY, INTERFACE, KINDS, UNKNOWN, VIRTUAL, method_parts
from parsers.formats.graalvm.calls.kind import BCI, ID, ROWS_BELOW
from parsers.formats.graalvm.calls.label import CallText
from parsers.formats.graalvm.text.view import DocumentView, RowsView
from parsers.model.names.patterns import proposed
from parsers.model.row import Column, Link, Row, Section
from parsers.model.view import References

if TYPE_CHECKING:
    from parsers.formats.graalvm.calls.report import CallReport
    from parsers.model.names.patterns import Subject
    from parsers.reporting.rules.array_rows import ArrayRows


class CallRowsView(RowsView[CallText]):
    """Rows as printed, as a tree by their depth."""

    name = "Call tree"
    description = "Entry points with the calls below them"
    columns: tuple[Column, ...] = (BCI, ID, ROWS_BELOW)
    orders: tuple[str, ...] = ("rows_below", "name")
    report: CallReport

    def kind(self, text: CallText) -> str:
        """Returns the word for the kind of a row."""
        return KINDS[text.kind]

    def own_flags(self, text: CallText, is_leaf: bool) -> list[str]:
        """Returns the flags of unknown rows, and of virtual calls without targets."""
        if text.kind == UNKNOWN:
            return ["unknown"]
        return ["empty"] if is_leaf and text.kind in (VIRTUAL, INTERFACE) else []

    def sections(self, node: int) -> Sequence[Section]:
        """Method, callers, targets."""
        return sections(self.report, node)

    def links(self, node: int) -> Sequence[Link]:
        """Declaration, calling method, callers, package, targets."""
        return links(self.report, node)

    def references(self, node: int) -> References:
        """Returns all call sites of the method that the row shows or refers to."""
        report, vertex = self.report, self._rows.vertex(node)
        rows = report.call_sites(vertex) if vertex >= 0 else ()
        return References(f"references to {report.parsed(node).label}", self.name, rows)

    def remark(self, row: Row) -> str:
        """Returns the first line of an entry's reason."""
        reason = self.report.parsed(row.node).reason
        return reason.partition("\n")[0] if reason else ""

    def named_rows(self, kind: str) -> ArrayRows | None:
        """Returns the rows of a kind by their names, for rules; see `parsers.reporting.rules.named_rows`."""
        from parsers.formats.graalvm.text.named_rows import call_rows

        return call_rows(self, self.report, kind)

    def patterns(self, node: int) -> Mapping[Subject, str]:
        """Returns the patterns that match the row: all methods of its class, and the entry it was reached from."""
        text = self.report.parsed(node)
        holder = text.method[slice(*method_parts(text.method).holder)]
        if text.kind == UNKNOWN:
            return {}
        root = self.report.parsed(self.path(node)[0])
        found: dict[Subject, str] = {
            "methods": f"{holder}.*" if holder and "," not in holder else proposed(text.method)
        }
        if root.kind == ENTRY:
            found["roots"] = proposed(root.method)
        return found


class CallTreeView(CallRowsView, DocumentView[CallText]):
    """Rows of a text tree, which are lines of its file."""
