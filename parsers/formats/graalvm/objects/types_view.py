"""The view "Types": every type with the objects of it, most objects first."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from parsers.formats.graalvm.objects.holder import reference_count, references, shown_vertex
from parsers.formats.graalvm.objects.index.row import OBJECT_FIELDS, OBJECT_UNKNOWN
from parsers.formats.graalvm.objects.kind import ID, OBJECTS, REFERENCES, ROOTS, WEIGHT
from parsers.model.late import numpy as np
from parsers.model.lookup import place_in
from parsers.model.names.java_name import class_spans, short_class
from parsers.model.names.patterns import Subject, type_pattern
from parsers.model.names.ref_number import numbered_node
from parsers.model.row import Column, Link, Row, Section, SectionRow, SortKey, counted
from parsers.model.trees.grouped_preorder import ITSELF, GroupedPreorder
from parsers.model.view import References, UnknownReference
from parsers.views.base import OfWholeReport
from parsers.views.positions_view import PositionsView

if TYPE_CHECKING:
    from parsers.formats.graalvm.objects.index.types import TypeTable
    from parsers.formats.graalvm.objects.report import ObjectReport
    from parsers.formats.graalvm.objects.view import HeapRootsView
    from parsers.model.arrays import AnyArray, I64Array, U32Array
    from parsers.reporting.rules.array_rows import ArrayRows

DOCUMENT = "Heap roots"

SHOWN = 8
"""Objects that a side pane shows initially."""

FEW = 512
"""Up to this many objects of a type, references are looked up one by one; for more, all rows are scanned."""

RANGE = 1 << 20
"""Rows scanned at a time."""


class TypesView(OfWholeReport, PositionsView):
    """Nodes are types, each followed by its objects. A place is the number of a type and of one of its objects."""

    name = "Types"
    description = "Types of the image heap with their objects"
    pattern_subject = "types"
    columns: tuple[Column, ...] = (OBJECTS, ROOTS, REFERENCES, WEIGHT, ID)
    orders: tuple[str, ...] = ("objects", "roots", "references", "weight", "type")

    def __init__(self, report: ObjectReport, document: HeapRootsView) -> None:
        self.report = report
        self._document = document

    @cached_property
    def table(self) -> TypeTable:
        """The table, from the finished index."""
        return self.report.type_table()

    @cached_property
    def rows(self) -> GroupedPreorder:
        """The types and their objects."""
        types = range(self.table.types)
        return GroupedPreorder([0] * len(types), list(map(self.table.objects, types)))

    @cached_property
    def _types_of_names(self) -> I64Array:
        """By name: its type, -1 if the name is no type."""
        numbers = np.full(len(self.report.tree.names), -1, np.int64)
        numbers[self.table.names] = np.arange(self.table.types)
        return numbers

    def _type_named(self, name: int | None) -> int | None:
        type = -1 if name is None or name < 0 else int(self._types_of_names[name])
        return None if type < 0 else type

    def row(self, node: int) -> Row:
        """Returns a type with its counts, or one of its objects."""
        type, object = self.rows.place(node)
        return self._type(node, type) if object < 0 else self._object(node, self._row(type, object))

    def _type(self, node: int, type: int) -> Row:
        table, label = self.table, self.label(type)
        objects = table.objects(type)
        return Row(
            node=node,
            kind="type",
            label=label,
            badges={
                "objects": objects,
                "roots": int(table.roots[type]),
                "references": int(table.references[type]),
                "weight": int(table.weights[type]),
            },
            ref=f"class:{label}",
            rows_below=objects,
            has_children=objects > 0,
            link=f"line:{self.report.tree.line(self._row(type))}",
            spans=tuple(class_spans(label)),
        )

    def _object(self, node: int, at: int) -> Row:
        tree = self.report.tree
        shown = self._document.row(at)
        badges = {**shown.badges, "references": reference_count(tree, tree.vertex(at)), "weight": shown.rows_below}
        return replace(
            shown, node=node, depth=1, badges=badges, rows_below=0, has_children=False, link=shown.ref, is_growing=False
        )

    def _row(self, type: int, object: int = ITSELF) -> int:
        """Returns the row that declares an object; for a type that of its first one."""
        return int(self.table.rows_of(type)[max(object, 0)])

    def label(self, type: int) -> str:
        """Returns the name of a type."""
        return self.report.text(bytes(self.report.tree.names[int(self.table.names[type])]))

    def labels(self, start: int, stop: int) -> list[str]:
        """Returns the labels of a range of nodes; the file is read only for the indexes of array elements."""
        tree, labels = self.report.tree, list[str]()
        while start < stop:
            type, object = self.rows.place(start)
            label = self.label(type)
            if object < 0:
                labels.append(label)
                start += 1
            rows = self.table.rows_of(type)[max(object, 0) :][: stop - start]
            for row in rows.tolist():
                kind = tree.kind(row)
                labels.append(label if OBJECT_FIELDS <= kind < OBJECT_UNKNOWN else self.report.parsed(row).label)
            start += len(rows)
        return labels

    def row_of(self, node: int) -> int:
        """Returns the row that declares an object; for a type that of its first one."""
        return self._row(*self.rows.place(node))

    def leaf_rows(self) -> U32Array:
        """Returns the rows that declare the objects."""
        return self.table.rows

    def named_rows(self, kind: str) -> ArrayRows | None:
        """Returns the rows of a kind by their names, for rules; see `parsers.reporting.rules.named_rows`."""
        from parsers.formats.graalvm.text.named_rows import type_rows

        return type_rows(self, self.rows, self.table, self.label, kind)

    def sort_keys(self, order: str, nodes: Sequence[int]) -> Sequence[SortKey]:
        """Returns the sort keys of an order; texts for `type`, else numbers."""
        table, tree = self.table, self.report.tree
        if not len(nodes):
            return ()
        places = [self.rows.place(node) for node in nodes]
        if places[0][1] < 0:
            match order:
                case "type":
                    return [self.label(type) for type, _ in places]
                case "objects":
                    return [table.objects(type) for type, _ in places]
            columns: Mapping[str, AnyArray] = {"roots": table.roots, "references": table.references}
            return [int(columns.get(order, table.weights)[type]) for type, _ in places]
        rows = [self._row(*place) for place in places]
        match order:
            case "weight":
                return self._document.sort_keys("rows_below", rows)
            case "references":
                return self.report.row_counts([tree.vertex(row) for row in rows])
        return [0] * len(rows)

    def resolve(self, ref: str) -> int:
        """Returns the type of `class:` or `name:`, object of any other REF. Raises `UnknownReference`."""
        kind, _, value = ref.partition(":")
        if kind in ("class", "name"):
            name = self.report.find_name(value)
            type = self._type_named(name)
            if type is None:
                raise UnknownReference(f"{ref}: no object has exactly this type")
            return self.rows.node(type)
        if (node := numbered_node(ref, self.rows.rows, "types and objects")) is not None:
            return node
        row = self._document.resolve(ref)
        found = self._node_of_vertex(shown_vertex(self.report.tree, row))
        if found is None:
            raise UnknownReference(f"{ref}: this row shows no object that is declared")
        return found

    def _node_of_vertex(self, vertex: int) -> int | None:
        tree = self.report.tree
        if vertex < 0 or tree.declaration(vertex) < 0:
            return None
        type = self._type_named(tree.name(vertex))
        place = None if type is None else place_in(self.table.rows_of(type), tree.declaration(vertex))
        return None if type is None or place is None else self.rows.node(type, place)

    def key(self, node: int) -> Hashable | None:
        """Returns the name of a type, or id of an object."""
        type, object = self.rows.place(node)
        if object < 0:
            return ("name", bytes(self.report.tree.names[int(self.table.names[type])]))
        return self._document.key(self._row(type, object))

    def find_key(self, key: Hashable) -> int | None:
        """Returns the type of that name, or object of a key of another view."""
        match key:
            case ("name", bytes(name)):
                type = self._type_named(self.report.tree.find_name(name))
                return None if type is None else self.rows.node(type)
        row = self._document.find_key(key)
        return None if row is None else self._node_of_vertex(shown_vertex(self.report.tree, row))

    def sections(self, node: int) -> Sequence[Section]:
        """Counts and first objects of a type; for an object the sections of the document."""
        table, (type, object) = self.table, self.rows.place(node)
        if object >= 0:
            return self._document.sections(self._row(type, object))
        label = self.label(type)
        objects = table.objects(type)
        first = [
            SectionRow(text.short, text.text or "", f"line:{self.report.tree.line(row)}", DOCUMENT)
            for row in table.rows_of(type)[:SHOWN].tolist()
            for text in (self.report.parsed(row),)
        ]
        return (
            Section(
                short_class(label),
                (
                    SectionRow("type", label),
                    SectionRow("objects", f"{objects:,}"),
                    SectionRow("roots", f"{int(table.roots[type]):,} reach them first"),
                    SectionRow("references", f"{int(table.references[type]):,}"),
                    SectionRow("below", counted(int(table.weights[type]), "row")),
                ),
            ),
            Section(f"Objects ({objects:,})", tuple(first), objects - len(first)),
        )

    def links(self, node: int) -> Sequence[Link]:
        """Returns the links to the first objects of a type; for an object the links of the document."""
        row, ref = self.row_of(node), f"line:{self.report.tree.line(self.row_of(node))}"
        if self.rows.place(node)[1] < 0:
            return [Link("first object", ref, DOCUMENT)]
        return [Link("declaration", ref, DOCUMENT), *self._document.links(row)]

    def references(self, node: int) -> References:
        """Returns all rows that refer to an object, or to any object of a type."""
        type, object = self.rows.place(node)
        if object >= 0:
            return self._document.references(self._row(type, object))
        return References(f"references to objects of {self.label(type)}", DOCUMENT, self._references(type))

    def _references(self, type: int) -> Sequence[int]:
        table, tree = self.table, self.report.tree
        if table.objects(type) <= FEW:
            vertices = map(tree.vertex, table.rows_of(type).tolist())
            return sorted(int(row) for vertex in vertices for row in references(tree, vertex))
        bulk, name = self.report.bulk, int(table.names[type])
        ranges = ((start, min(start + RANGE, tree.rows)) for start in range(0, tree.rows, RANGE))
        found = [np.flatnonzero(bulk.references(*rows) & (bulk.names(*rows) == name)) + rows[0] for rows in ranges]
        rows: Sequence[int] = np.concatenate(found)  # type: ignore[assignment]
        return rows

    def remark(self, row: Row) -> str:
        """Returns the text after the label: that of the object."""
        return self._document.remark(row)

    def patterns(self, node: int) -> Mapping[Subject, str]:
        """Returns a pattern that matches the type."""
        return type_pattern(self.label(self.rows.place(node)[0]))
