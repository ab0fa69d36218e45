"""Named rows of the views of call trees and object trees, from arrays, for rules about thousands of rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from parsers.formats.graalvm.calls.index.row import KINDS
from parsers.model.late import numpy as np
from parsers.model.names.patterns import element_type
from parsers.model.none import NONE
from parsers.query.selection.texts_met import MatchedTexts
from parsers.reporting.rules.array_rows import ArrayRows, Number, numbers_of_rows
from parsers.reporting.rules.named_rows import ANY

if TYPE_CHECKING:
    from parsers.formats.graalvm.calls.index.package_table import PackagePlace, PackageTable
    from parsers.formats.graalvm.calls.report import CallReport
    from parsers.formats.graalvm.objects.index.types import TypeTable
    from parsers.model.arrays import AnyArray, I64Array
    from parsers.model.row import Column
    from parsers.model.trees.grouped_preorder import GroupedPreorder
    from parsers.model.view import View

    LabelsOf = Callable[[list[int]], list[str]]
    NumberOf = Callable[[str, PackagePlace], int]


def package_rows(
    report: CallReport, table: PackageTable, kind: str, labels_of: LabelsOf, number_of: NumberOf
) -> ArrayRows | None:
    """Packages, classes or methods."""
    if kind == "method":
        names, vertices = report.indexed.array("vertex_name"), np.asarray(table.vertices)
        nodes = np.asarray(table.node_of_vertex)[vertices].astype(np.int64)

        def of_methods(column: Column, asked: I64Array) -> Sequence[Number | None]:
            chosen = vertices[np.searchsorted(nodes, asked)]
            found = _of_vertices(report, column.name, chosen)
            return [None] * len(asked) if found is None else found

        return ArrayRows(lambda: report.matched_names, names[vertices], nodes, of_methods)
    if kind not in ("package", "class"):
        return None
    nodes = np.asarray(table.package_nodes if kind == "package" else table.class_nodes)[:-1].astype(np.int64)

    def names_of_groups() -> MatchedTexts:
        if kind == "class" and len(nodes):
            return _class_names(report, table)
        return MatchedTexts.of_texts(labels_of(nodes.tolist()))

    def of_groups(column: Column, asked: I64Array) -> Sequence[Number | None]:
        return [number_of(column.name, table.place(node)) for node in asked.tolist()]

    return ArrayRows(names_of_groups, np.arange(len(nodes)), nodes, of_groups)


def _class_names(report: CallReport, table: PackageTable) -> MatchedTexts:
    """Returns the names of classes, taken from those of their first methods."""
    from parsers.formats.graalvm.calls.group_names import class_names

    firsts = np.asarray(table.vertices)[np.asarray(table.class_first, np.int64)[:-1]]
    names = report.indexed.array("vertex_name")[firsts].astype(np.int64)
    return class_names(report.tree.names, names, report.encoding, report.text)


def _of_vertices(report: CallReport, column: str, vertices: AnyArray) -> list[Number | None] | None:
    """Values of declared methods in a column of all methods; None: no such column."""
    if column == "call_sites":
        found = report.call_site_counts()[vertices]
    elif column == "weight":
        declarations = report.indexed.array("declaration")[vertices]
        found = report.indexed.ends_of(declarations) - declarations - 1
    elif column == "id":
        found = report.ids()[vertices]
    else:
        return None
    return list(found.tolist())


def call_rows(view: View, report: CallReport, kind: str) -> ArrayRows | None:
    """Returns the rows of a call tree; None if some of them show no method."""
    tree = report.indexed
    if kind not in (*KINDS, ANY, ""):
        return None
    if not kind:
        nodes = np.asarray(view.tree.roots(), np.int64)
    elif kind == ANY:
        nodes = np.arange(tree.rows)
    else:
        nodes = np.flatnonzero(tree.kinds(0, tree.rows) == KINDS.index(kind))
    return _rows_of_vertices(view, report, nodes, tree.array("vertex")[nodes])


def entry_rows(view: View, report: CallReport, entries: Sequence[int], kind: str) -> ArrayRows | None:
    """Entry points."""
    if kind not in ("", "entry", ANY):
        return None
    rows = np.asarray(entries, np.int64)
    return _rows_of_vertices(view, report, np.arange(len(rows)), report.indexed.array("vertex")[rows])


def caller_rows(view: View, report: CallReport, methods: int, kind: str) -> ArrayRows | None:
    """Returns all methods with their callers."""
    if kind not in ("", "method", ANY):
        return None
    vertices = np.arange(methods)
    return _rows_of_vertices(view, report, vertices, vertices)


def _rows_of_vertices(view: View, report: CallReport, nodes: I64Array, vertices: AnyArray) -> ArrayRows | None:
    """Rows by the names of the methods that they show; None if some show none."""
    names = report.indexed.array("vertex_name")
    if (vertices == NONE).any() or (names[vertices] == NONE).any():
        return None

    def numbers(column: Column, asked: I64Array) -> Sequence[Number | None]:
        if column.name == "call_sites":
            return _of_vertices(report, column.name, vertices[nodes.searchsorted(asked)]) or []
        return numbers_of_rows(view, column, asked)

    return ArrayRows(lambda: report.matched_names, names[vertices], nodes, numbers)


class _TypeRows(ArrayRows):
    """Types and objects: patterns match an array by its innermost element type."""

    def __init__(
        self, view: View, rows: GroupedPreorder, labels: Sequence[str], types: I64Array, nodes: I64Array
    ) -> None:
        """rows: those of the view; labels: by type; types: by row; nodes: ascending"""
        super().__init__(
            lambda: MatchedTexts.of_texts(map(element_type, labels)), types, nodes, partial(numbers_of_rows, view)
        )
        self._rows, self._labels = rows, labels

    def name(self, node: int) -> str:
        """Returns the type."""
        return self._labels[self._rows.place(node)[0]]


def type_rows(
    view: View, rows: GroupedPreorder, table: TypeTable, label: Callable[[int], str], kind: str
) -> ArrayRows | None:
    """Types, or objects by their type."""
    if kind not in ("", "type", "object"):
        return None
    labels = list(map(label, range(table.types)))
    firsts = np.asarray(table.firsts, np.int64)
    if kind != "object":
        return _TypeRows(view, rows, labels, np.arange(table.types), firsts[:-1])
    types = np.repeat(np.arange(table.types), np.diff(firsts) - 1)
    return _TypeRows(view, rows, labels, types, np.delete(np.arange(rows.rows), firsts[:-1]))
