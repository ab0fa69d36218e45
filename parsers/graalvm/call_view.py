"""The view "Call tree": the file, row by row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from parsers.graalvm.call_detail import links, sections
from parsers.graalvm.call_kind import BCI, ID, ROWS_BELOW
from parsers.graalvm.call_label import CallText
from parsers.graalvm.call_row import ENTRY, INTERFACE, KINDS, UNKNOWN, VIRTUAL, method_parts
from parsers.graalvm.text_view import DocumentView
from parsers.report import Badge, Column, Link, References, Row, Section

if TYPE_CHECKING:
    from parsers.graalvm.call_tree import CallTreeReport
    from parsers.patterns import Subject


class CallTreeView(DocumentView[CallText]):
    """Rows as printed, with their depth as tree."""

    name = "Call tree"
    columns: tuple[Column, ...] = (BCI, ID, ROWS_BELOW)
    orders: tuple[str, ...] = ("rows_below", "name")
    report: CallTreeReport

    def row(self, node: int) -> Row:
        """What the line of this node shows."""
        tree, text = self._rows, self.report.parsed(node)
        below, is_growing = self.rows_below(node)
        return Row(
            node=node,
            kind=KINDS[text.kind],
            label=text.label,
            depth=tree.depth(node),
            badges=call_badges(text),
            flags=self._flags(node, text, below, is_growing),
            ref=self.ref(node),
            line=tree.line(node),
            offset=tree.offset(node),
            rows_below=below,
            is_growing=is_growing,
            has_children=below > 0,
            link=self.link(node),
            spans=text.spans,
        )

    def link(self, node: int) -> str | None:
        """The REF of the declaration that a reference leads to; None if the row is none, or nothing declares it."""
        tree, text = self._rows, self.report.parsed(node)
        if text.id is None or not text.is_ref:
            return None
        thing = tree.thing(node)
        declaration = tree.declaration(thing) if thing >= 0 else -1
        if declaration >= 0:
            return f"line:{tree.line(declaration)}"
        return None if tree.is_complete else f"id:{text.id}"

    def _flags(self, node: int, text: CallText, below: int, is_growing: bool) -> tuple[str, ...]:
        tree = self._rows
        flags = []
        if text.kind == UNKNOWN:
            flags.append("unknown")
        elif text.kind in (VIRTUAL, INTERFACE) and not below and not is_growing:
            flags.append("empty")
        if text.is_damaged:
            flags.append("damaged")
        if text.is_long:
            flags.append("truncated")
        if tree.depth(node) > (tree.depth(node - 1) if node else -1) + 1:
            flags.append("repaired")
        thing = tree.thing(node)
        if thing >= 0 and text.id is not None:
            declaration = tree.declaration(thing)
            if text.is_ref:
                if declaration < 0 and tree.is_complete:
                    flags.append("dangling")
            elif declaration != node:
                flags.append("repaired")
        return tuple(dict.fromkeys(flags))

    def sections(self, node: int) -> Sequence[Section]:
        """Method, callers, targets."""
        return sections(self.report, node)

    def links(self, node: int) -> Sequence[Link]:
        """Declaration, calling method, callers, package, targets."""
        return links(self.report, node)

    def references(self, node: int) -> References:
        """All call sites of the method that the row shows or refers to."""
        report, thing = self.report, self._rows.thing(node)
        rows = report.call_sites(thing) if thing >= 0 else ()
        return References(f"references to {report.parsed(node).label}", self.name, rows)

    def remark(self, row: Row) -> str:
        """Why an entry is one: the first line of it."""
        reason = self.report.parsed(row.node).reason
        return reason.partition("\n")[0] if reason else ""

    def patterns(self, node: int) -> Mapping[Subject, str]:
        """Patterns that meet the row: all methods of its class, and the entry it was reached from."""
        from parsers.patterns import proposed

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

    def row_of(self, node: int) -> int:
        """The row that a node stands for: itself."""
        return node


def call_badges(text: CallText) -> dict[str, Badge]:
    """The id or reference and the bytecode index of a row."""
    badges: dict[str, Badge] = {}
    if text.id is not None:
        badges["id_ref" if text.is_ref else "id"] = text.id
    if text.bci is not None:
        badges["bci"] = text.bci
    return badges
