"""The graph of an object tree: objects and their references, roots, types."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Hashable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from parsers.formats.graalvm.objects.holder import field_row, root_row, shown_vertex, value_row
from parsers.formats.graalvm.objects.index.row import ROOT_OPEN
from parsers.formats.graalvm.text.graph.traces import TracedGraph
from parsers.graph.graph_model import EDGE, EDGE_FROM_OUTSIDE, VERTEX, GraphTerms, Node
from parsers.model.late import numpy as np
from parsers.model.names.java_name import class_spans
from parsers.model.none import NONE
from parsers.model.row import Link
from parsers.views.list_view import ListRow

if TYPE_CHECKING:
    from parsers.formats.graalvm.objects.pointed import Pointed
    from parsers.formats.graalvm.objects.report import ObjectReport
    from parsers.model.arrays import BoolArray, U8Array, U32Array
    from parsers.model.names.patterns import PatternSet

TYPE = "type"
UNKNOWN_TYPE = "(of no known type)"


class ObjectGraphModel(TracedGraph):
    """The reference graph of an object tree."""

    terms = GraphTerms(
        "objects",
        "references",
        {"objects": VERTEX, "by type": TYPE, "by root": EDGE_FROM_OUTSIDE},
        (TYPE,),
        "Object",
        ("REFERS",),
        "a root",
    )
    attributes: tuple[str, ...] = (TYPE,)
    is_object_tree = True
    groups_view = "Types"
    report: ObjectReport
    group_refs: Mapping[str, tuple[str, str]] = dict.fromkeys(
        ("class", TYPE), (TYPE, "no object has exactly this type")
    )

    @cached_property
    def reached(self) -> int:
        """Number of all objects: each is printed below the root that reaches it first."""
        return int((self.ids >= 0).sum())

    # -- types --------------------------------------------------------------------------------------------------------

    @cached_property
    def _groups(self) -> dict[str, U32Array]:
        names = self.report.indexed.array("vertex_name")
        return {TYPE: np.where(self.ids >= 0, names, NONE).astype(np.uint32)}

    def _group_label(self, by: str, number: int) -> str:
        names = self.report.tree.names
        return self.report.text(bytes(names[number])) if number < len(names) else UNKNOWN_TYPE

    def group_named(self, by: str, name: str) -> Node | None:
        """Returns the type of a name."""
        number = self.report.find_name(name)
        return Node(TYPE, number) if number is not None and (self._groups[TYPE] == number).any() else None

    # -- rows ---------------------------------------------------------------------------------------------------------

    def entry(self, node: Node) -> ListRow:
        """Returns the entry of an object, root, field, reference or type."""
        report = self.report
        if node.by == TYPE:
            label = self._group_label(TYPE, node.number)
            if label == UNKNOWN_TYPE:
                return ListRow(TYPE, label, key=(TYPE, label))
            key, found = ("name", bytes(report.tree.names[node.number])), (Link("type", f"class:{label}", "Types"),)
            return ListRow(TYPE, label, ref=f"class:{label}", key=key, links=found, spans=tuple(class_spans(label)))
        row = self.row_of(node)
        assert row is not None
        text, line = report.parsed(row), report.tree.line(row)
        label, spans, kind = text.label, text.spans, text.kind
        if node.by == VERTEX:
            label = text.type or text.label
            spans, kind = tuple(class_spans(label)), "object"
        here = Link("in the heap", f"line:{line}", report.views[0].name)
        return ListRow(
            kind,
            label,
            ref=f"line:{line}",
            line=line,
            offset=report.offset_of(row),
            links=(here, *report.views[0].links(row)),
            # A root that refers to an object is distinct from it.
            key=("line", line) if node.by == EDGE_FROM_OUTSIDE else report.views[0].key(row),
            spans=spans,
        )

    def labels(self, by: str, numbers: Sequence[int]) -> list[str]:
        """Returns the labels: types of objects from the table of names, or sources of roots."""
        if by == TYPE:
            return [self._group_label(by, number) for number in numbers]
        if by == EDGE_FROM_OUTSIDE:
            return [self.entry(Node(by, number)).label for number in numbers]
        return [self.name(number) for number in numbers]

    def names(self, by: str, numbers: Sequence[int]) -> list[str]:
        """Returns the labels: types and sources of roots are matched as they are printed."""
        return self.labels(by, numbers)

    def row_of(self, node: Node) -> int | None:
        """Returns the row of a node: for a root its own row, for a type its first object."""
        if node.by == EDGE_FROM_OUTSIDE:
            return root_row(self.report.tree, int(self.cache.edges.root_rows[node.number]))
        if node.by != TYPE:
            return super().row_of(node)
        members = self.members(node)
        return int(self.report.row_of_vertex(members[0])) if members else None

    def group_of(self, node: Node, by: str) -> int | None:
        """Returns the type of an object, or object of a root; an object is not below its roots."""
        if node.by == by:
            return node.number
        if node.by == TYPE:
            return None
        members = self.members(node)
        if not members:
            return None
        if by == VERTEX:
            return members[0]
        if by == EDGE_FROM_OUTSIDE:
            return None
        group = int(self._groups[by][members[0]])
        return None if group == NONE else group

    def _root_at(self, row: int) -> int | None:
        """Returns the place of the root that a row shows, or whose value it shows."""
        rows = self.cache.edges.root_rows
        place = bisect_left(rows, row)
        return place if place < len(rows) and root_row(self.report.tree, int(rows[place])) in (row, row - 1) else None

    # -- REFs and keys ------------------------------------------------------------------------------------------------

    def of_row(self, row: int) -> Node | None:
        """Returns the object that a row shows, refers to or holds; for a root the root."""
        tree = self.report.tree
        if tree.kind(row) <= ROOT_OPEN:
            place = self._root_at(row)
            return None if place is None else Node(EDGE_FROM_OUTSIDE, place)
        vertex = shown_vertex(tree, row)
        return None if vertex < 0 or tree.vertex_id(vertex) is None else Node(VERTEX, vertex)

    def of_key(self, key: Hashable) -> Node | None:
        """Returns the key of another view's row."""
        match key:
            case ("name", bytes(name)):
                return self.group_named(TYPE, self.report.text(name))
        return super().of_key(key)

    def remark(self, node: Node) -> str:
        """Returns the text of an object."""
        row = self.row_of(node) if node.by == VERTEX else None
        return "" if row is None else self.report.parsed(row).text or ""

    # -- cuts ---------------------------------------------------------------------------------------------------------

    def edge_rows(self, row: int) -> Sequence[int]:
        """Returns the rows of an edge: for a field the row of its value."""
        value_at = value_row(self.report.tree, row)
        return [row if value_at is None else value_at]

    def matching(self, patterns: PatternSet) -> BoolArray:
        """bool by object: True if its type matches."""
        found: BoolArray = self._named(patterns) & (self._groups[TYPE] != NONE)
        return found

    @cached_property
    def _pointed(self) -> Pointed:
        from parsers.formats.graalvm.objects.pointed import Pointed

        return Pointed(self.report, self.cache.edges)

    def matching_edges(self, patterns: PatternSet) -> tuple[U32Array, U32Array]:
        """Roots whose source matches, as printed or as `Class.field`, and fields that match as `Class.field`."""
        return self._pointed.matching_roots(patterns), self._pointed.matching_fields(
            patterns, self._groups[TYPE], self.report.matched_names
        )

    def cut_of_row(self, row: int) -> Node | None:
        """Returns the root, the object that a row declares, or the reference that it shows."""
        tree = self.report.tree
        if tree.kind(row) <= ROOT_OPEN:
            return self.of_row(row)
        vertex = tree.vertex(row)
        if vertex >= 0 and tree.is_declaration(row):
            return Node(VERTEX, vertex)
        return Node(EDGE, row) if shown_vertex(tree, row) >= 0 else None

    def rows_from_outside(self, place: int) -> list[int]:
        """Returns the rows of a root: its own, and that of its object if declared below it."""
        row = int(self.cache.edges.root_rows[place])
        root = root_row(self.report.tree, row)
        return [row] if root == row else [root, row]

    def rows_of_edge(self, row: int) -> list[int]:
        """Returns the rows of an edge: a value, with the field above it."""
        field = field_row(self.report.tree, row)
        return [row] if field is None else [field, row]

    # -- for other programs -------------------------------------------------------------------------------------------

    def describe_vertices(self, numbers: Sequence[int]) -> Iterator[tuple[str, str]]:
        """Yields name with text, and type, of each object."""
        for vertex in numbers:
            yield self.report.title_of(vertex, self.report.row_of_vertex(vertex)), self.name(vertex)

    def edge_types(self, rows: U32Array) -> U8Array:
        """Edge types: all are references."""
        return np.zeros(len(rows), np.uint8)
