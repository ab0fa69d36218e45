"""Side pane of an object tree: the whole object, its holder, its referrers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice
from typing import TYPE_CHECKING

from parsers.formats.graalvm.objects.holder import field_row, holder_row, references, root_row, shown_vertex, value_row
from parsers.formats.graalvm.objects.label import ObjectText, source_parts
from parsers.formats.graalvm.text.subtree import below, id_row
from parsers.model.row import Link, Section, SectionRow

if TYPE_CHECKING:
    from parsers.formats.graalvm.objects.report import ObjectReport

SHOWN = 8
"""References that a side pane shows initially."""

HASHED = re.compile(r".*@[0-9]+", re.DOTALL)
"""Text of an object without a `toString` of its own: `Type@<identity hash>`."""

TAG_WORDS = {
    "fields": "with fields",
    "no_fields": "no fields",
    "elements": "with elements",
    "no_elements": "no elements",
    "unknown": "with an unknown end",
    "suppressed": "expansion suppressed",
    "null": "null",
}


def sections(report: ObjectReport, row: int) -> Sequence[Section]:
    """Returns the sections of the side pane for a row."""
    text = report.parsed(row)
    found = [Section(text.short, tuple(_object_rows(report, row, text)))]
    if "\n" in text.source:
        found.append(Section("Found at", tuple(SectionRow("", line) for line in text.source.split("\n"))))
    vertex = shown_vertex(report.tree, row)
    if vertex >= 0 and report.tree.vertex_id(vertex) is not None:
        found.append(_references(report, vertex))
    return [section for section in found if section.rows or section.more]


def _object_rows(report: ObjectReport, row: int, text: ObjectText) -> list[SectionRow]:
    tree = report.tree
    word = TAG_WORDS.get(text.tag or "")
    rows = [SectionRow("kind", f"{text.kind}, {word}" if word else text.kind)]
    value = value_row(tree, row)
    shown = text if value is None else report.parsed(value)
    if text.is_root:
        loader = text.label[slice(*source_parts(text.label).loader)]
        rows += [SectionRow("loader", loader)] if loader else []
    if text.is_field:
        rows.append(SectionRow("declared", text.field[1]))
    if shown.type:
        rows.append(SectionRow("type", shown.type, *_of_type(report, shown_vertex(tree, row))))
    if shown.text is not None:
        rows.append(SectionRow("value", shown.text))
    rows += _length(report, row if value is None else value, shown)
    rows.append(id_row(tree, row, shown, shown_vertex(tree, row), (row, value)))
    rows += _holder_rows(report, row, text)
    rows.append(SectionRow("below", below(tree, row)))
    return rows


def _of_type(report: ObjectReport, vertex: int) -> tuple[str, str] | tuple[()]:
    """Returns the place of an object's type in the view "Types"; empty for an undeclared object."""
    if not report.is_complete or vertex < 0 or report.tree.declaration(vertex) < 0:
        return ()
    type = report.vertex_name(vertex)
    return (f"class:{type}", "Types") if type else ()


def _length(report: ObjectReport, row: int, text: ObjectText) -> list[SectionRow]:
    """Returns the length of an array: its rows show only those elements that the analysis recorded."""
    length = text.array_length
    if length is None or text.is_ref:
        return []
    listed = len(report.views[0].tree.children(row))
    return [SectionRow("length", f"{length:,}, {listed:,} listed")]


def _holder_rows(report: ObjectReport, row: int, text: ObjectText) -> list[SectionRow]:
    """Returns the holder of an object, and its root."""
    tree = report.tree
    if text.is_root:
        return []
    holder = tree.parent(row) if text.is_field else holder_row(tree, row)
    rows = []
    if holder is not None:
        rows.append(SectionRow("held by", _pointing(report, holder, row), f"line:{tree.line(holder)}"))
    root = root_row(tree, row)
    if root not in (row, holder):
        rows.append(SectionRow("root", report.parsed(root).short, f"line:{tree.line(root)}"))
    return rows


def holder_text(report: ObjectReport, vertex: int) -> str:
    """Returns the holder of an object at its declaration, with the field or index; empty for an undeclared object."""
    row = report.tree.declaration(vertex)
    holder = holder_row(report.tree, row) if row >= 0 else None
    return _pointing(report, holder, row) if holder is not None else ""


def _pointing(report: ObjectReport, holder: int, row: int) -> str:
    """Returns a holder, and its field or index that leads to the value on a row."""
    text = report.parsed(holder)
    if text.is_root:
        return text.short
    way = via(report, row)
    short = text.short.removeprefix(text.index).lstrip()
    return f"{short}{way}" if way.startswith("[") else f"{short}.{way}" if way else short


def via(report: ObjectReport, row: int) -> str:
    """Field or index of a holder that leads to the value on a row; empty for the value of a root."""
    text = report.parsed(row)
    if text.is_field:
        return text.field[0]
    field = field_row(report.tree, row)
    return report.parsed(field).field[0] if field is not None else text.index


def _references(report: ObjectReport, vertex: int) -> Section:
    """Returns the first rows that refer to the object."""
    tree = report.tree
    if not tree.is_complete:
        return Section("References to it (…)", (SectionRow("", "known when the index is finished"),))
    found = references(tree, vertex)
    rows = tuple(reference_row(report, int(row)) for row in islice(found, SHOWN))
    return Section(
        f"References to it ({len(found):,})",
        rows or (SectionRow("", "only where it is declared"),),
        len(found) - len(rows),
    )


def reference_row(report: ObjectReport, row: int) -> SectionRow:
    """Returns a reference, labelled with its holder."""
    tree = report.tree
    holder = holder_row(tree, row)
    label = report.parsed(row).short if holder is None else _pointing(report, holder, row)
    which = "" if holder is None else _which(report.parsed(holder))
    return SectionRow(label, which, f"line:{tree.line(row)}", "Heap roots")


def _which(text: ObjectText) -> str:
    """Distinguishes an object from others of its type: its text, or its id if the text is an identity hash."""
    if text.is_root:
        return ""
    if text.text and not HASHED.fullmatch(text.text):
        return text.text
    return "" if text.id is None else f"#{text.id}"


def links(report: ObjectReport, row: int) -> Sequence[Link]:
    """Returns the links from a row, the most used first."""
    tree, text = report.tree, report.parsed(row)
    vertex = shown_vertex(tree, row)
    found = []
    declaration = tree.declaration(vertex) if vertex >= 0 else -1
    if declaration >= 0 and declaration != row:
        found.append(Link("declaration", f"line:{tree.line(declaration)}", "Heap roots"))
    if not text.is_root:
        holder = tree.parent(row) if text.is_field else holder_row(tree, row)
        root = root_row(tree, row)
        if holder is not None and holder != root:
            found.append(Link(f"held by {_pointing(report, holder, row)}", f"line:{tree.line(holder)}", "Heap roots"))
        if root != row:
            found.append(Link(f"root {report.parsed(root).short}", f"line:{tree.line(root)}", "Heap roots"))
    if declaration >= 0:
        found.append(Link("referrers", f"line:{tree.line(declaration)}", "Referrers"))
        type = report.vertex_name(vertex)
        if type:
            found.append(Link(f"type {type}", f"class:{type}", "Types"))
    return found
