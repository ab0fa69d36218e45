"""The view "Heap roots": the file, row by row."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from parsers.formats.graalvm.objects.detail import holder_text, links, sections
from parsers.formats.graalvm.objects.holder import FEW, references, root_row, shown_vertex, value_row
from parsers.formats.graalvm.objects.kind import ID, ROWS_BELOW
from parsers.formats.graalvm.objects.label import ObjectText
from parsers.formats.graalvm.text.tree import arrays_of
from parsers.formats.graalvm.text.view import DocumentView
from parsers.model.late import numpy as np
from parsers.model.names.java_name import class_spans
from parsers.model.names.patterns import Subject, element_type, proposed
from parsers.model.row import Badge, Column, Link, Row, Section, SortKey, Span
from parsers.model.view import References

if TYPE_CHECKING:
    from parsers.formats.graalvm.objects.report import ObjectReport

LOADER = re.compile(r"[\w.$@-]+")
"""Form of class loader names; a text that begins otherwise keeps the part before its first colon."""


class HeapRootsView(DocumentView[ObjectText]):
    """Rows as printed, as a tree by their depth."""

    name = "Heap roots"
    description = "Roots of the image heap with their objects"
    pattern_subject = "types"
    columns: tuple[Column, ...] = (ID, ROWS_BELOW)
    report: ObjectReport

    def kind(self, text: ObjectText) -> str:
        """Returns the word for the kind of a row."""
        return text.kind

    def own_flags(self, text: ObjectText, is_leaf: bool) -> list[str]:
        """Returns the flags of rows suppressed by the printer, and of unknown rows."""
        flags = ["suppressed"] if text.tag == "suppressed" else []
        return [*flags, "unknown"] if text.is_unknown else flags

    def sort_keys(self, order: str, nodes: Sequence[int]) -> Sequence[SortKey]:
        """Returns the sort keys of an order; sizes of hundreds of thousands of roots at once."""
        arrays = arrays_of(self._rows) if order == "rows_below" and len(nodes) > FEW else None
        if arrays is None:
            return super().sort_keys(order, nodes)
        rows = np.asarray(nodes, np.int64)
        return arrays.ends_of(rows) - rows  # type: ignore[return-value]

    def remark(self, row: Row) -> str:
        """Returns the text after the label: that of the object, or `null`. For screens, if there is space.

        The loader before a text (24.2 and newer) is omitted; the side pane shows it.
        """
        text = row.badges.get("text")
        if text is not None:
            loader, colon, value = str(text).partition(":")
            return value if colon and self.report.has_loaders and LOADER.fullmatch(loader) else str(text)
        return "null" if row.kind == "null" or row.badges.get("tag") == "null" else ""

    def suppressed_row(self, row: Row) -> Row:
        """Row as shown when a pattern suppresses it: the text of the hidden value, and no id.

        A field or root keeps its label; an element shows its index alone, a value below a root its type.
        """
        node = row.node
        text = self.report.parsed(node)
        label, spans, kind, shown = row.label, row.spans, row.kind, text.text
        hidden = value_row(self._rows, node)
        if hidden is not None:
            shown = self.report.parsed(hidden).text
        elif not text.is_root and not text.is_field:
            kind, label = "value", text.index or text.label
            spans = (Span(0, len(label), "index"),) if text.index else tuple(class_spans(label))
        badges: dict[str, Badge] = {"tag": "suppressed"}
        if shown is not None:
            badges = {"text": shown, **badges}
        flags = tuple(dict.fromkeys((*row.flags, "suppressed")))
        return replace(row, kind=kind, label=label, spans=spans, badges=badges, flags=flags, link=None)

    def patterns(self, node: int) -> Mapping[Subject, str]:
        """Returns the patterns that match the row: the type of its object, and the source of its root.

        Values that the printer suppressed have no rows that a pattern could hide, nor do roots without a value row.
        """
        report, rows = self.report, self._rows
        found: dict[Subject, str] = {}
        value = value_row(rows, node)
        text = report.parsed(node if value is None else value)
        type = text.field[1] if text.is_field else text.type
        if type and text.tag != "suppressed":
            found["types"] = proposed(element_type(type))
        top = root_row(rows, node)
        root = report.parsed(top)
        if root.is_root and value_row(rows, top) is not None:
            found["roots"] = proposed(root.source)
        return found

    def sections(self, node: int) -> Sequence[Section]:
        """Sections: the object, its holder, its referrers."""
        return sections(self.report, node)

    def links(self, node: int) -> Sequence[Link]:
        """Declaration, holder, root, referrers, type."""
        return links(self.report, node)

    def references(self, node: int) -> References:
        """Returns all rows that refer to the object that the row shows, refers to or holds."""
        vertex = shown_vertex(self._rows, node)
        rows = references(self._rows, vertex) if vertex >= 0 else ()
        title = f"references to {self.report.title_of(vertex, node)}"
        if vertex >= 0 and not len(rows):
            # No row refers to it, but it has a holder: at its declaration.
            holder = holder_text(self.report, vertex)
            title += f", only held by {holder}" if holder else ""
        return References(title, self.name, rows)
