"""The graph of a call tree: methods and their calls, entries, classes and packages."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from parsers.formats.graalvm.calls.index.row import (
    ENTRY,
    IMPLEMENTED,
    INTERFACE,
    KINDS,
    OVERRIDDEN,
    VIRTUAL,
    method_parts,
    package_of,
)
from parsers.formats.graalvm.calls.sites import virtual_row
from parsers.formats.graalvm.text.graph.traces import TracedGraph
from parsers.graph.graph_model import EDGE, EDGE_FROM_OUTSIDE, VERTEX, GraphTerms, Node
from parsers.model.late import numpy as np
from parsers.model.lookup import place_in
from parsers.model.names.java_name import class_spans
from parsers.model.none import NONE
from parsers.model.row import Link
from parsers.views.list_view import ListRow

if TYPE_CHECKING:
    from parsers.formats.graalvm.calls.report import CallReport
    from parsers.model.arrays import BoolArray, U8Array, U32Array
    from parsers.model.names.patterns import PatternSet
    from parsers.query.selection.texts_met import MatchedTexts

CLASS, PACKAGE = "class", "package"
NOWHERE = "(declared nowhere)"
"""Class of methods that the report only refers to."""

CACHE_SIZE = 10_000
"""Capacity of the cache of looked-up classes and packages."""


class CallGraphModel(TracedGraph):
    """The call graph of a call tree."""

    terms = GraphTerms(
        "methods",
        "calls",
        {"methods": VERTEX, "by class": CLASS, "by package": PACKAGE, "by entry": EDGE_FROM_OUTSIDE},
        (PACKAGE, CLASS),
        "Method",
        ("DIRECT", "VIRTUAL"),
    )
    attributes: tuple[str, ...] = (CLASS, PACKAGE)
    groups_view = "Packages"
    report: CallReport
    group_refs: Mapping[str, tuple[str, str]] = {by: (by, f"no {by} has exactly this name") for by in (CLASS, PACKAGE)}

    @cached_property
    def reached(self) -> int:
        """Number of methods reachable from an entry."""
        distances = self.report.indexed.array("distance")
        return int((distances != (1 << 8 * distances.itemsize) - 1).sum())

    # -- classes and packages -----------------------------------------------------------------------------------------

    @cached_property
    def _groups(self) -> dict[str, U32Array]:
        from parsers.formats.graalvm.text.graph.rows import groups_of_classes

        tree = self.report.indexed
        return dict(groups_of_classes(tree.array("class"), tree.array("class_package")))

    @cached_property
    def _samples(self) -> dict[str, list[int]]:
        """By grouping: the first method of each group in the report."""
        found = {}
        for by in (CLASS, PACKAGE):
            groups = self._groups[by]
            first = np.full(int((groups + np.uint32(1)).max(initial=0)), NONE, np.uint32)
            grouped = np.flatnonzero(groups != NONE)[::-1]
            first[groups[grouped]] = grouped
            found[by] = first.tolist()
        return found

    @cached_property
    def _group_names(self) -> dict[str, MatchedTexts]:
        from parsers.formats.graalvm.calls.group_names import group_names

        names = self.report.bulk.vertex_names
        classes, packages = (
            names[np.minimum(np.array(self._samples[by], np.uint32), len(names) - 1)] for by in (CLASS, PACKAGE)
        )
        found = group_names(self.report.tree.names, classes, packages, self.report.encoding, self.report.text)
        return dict(zip((CLASS, PACKAGE), found, strict=True))

    def _group_label(self, by: str, number: int) -> str:
        samples = self._samples[by]
        if number >= len(samples) or samples[number] == NONE:
            return NOWHERE
        return self._group_names[by].text(number)

    def group_named(self, by: str, name: str) -> Node | None:
        """Returns the class or package of a name."""
        return self._find_group(by, name)

    @cached_property
    def _find_group(self) -> Callable[[str, str], Node | None]:
        @lru_cache(CACHE_SIZE)
        def find(by: str, name: str) -> Node | None:
            samples = self._samples[by]
            found = [number for number in self._group_names[by].equal(name).tolist() if samples[number] != NONE]
            return Node(by, found[-1]) if found else None

        return find

    # -- rows ---------------------------------------------------------------------------------------------------------

    def entry(self, node: Node) -> ListRow:
        """Returns a method, an entry, a class or a package."""
        if node.by in (CLASS, PACKAGE):
            label = self._group_label(node.by, node.number)
            return ListRow(
                node.by,
                label,
                ref=f"{node.by}:{label}" if label != NOWHERE else "",
                key=(node.by, label),
                links=(Link("package", f"{node.by}:{label}", "Packages"),) if label != NOWHERE else (),
                spans=tuple(class_spans(label)) if node.by == CLASS else (),
            )
        report, row = self.report, self.row_of(node)
        assert row is not None
        text, line = report.parsed(row), report.tree.line(row)
        here = Link("in the call tree", f"line:{line}", "Call tree")
        return ListRow(
            "method" if node.by == VERTEX else KINDS[report.tree.kind(row)],
            text.label,
            ref=f"line:{line}",
            line=line,
            offset=report.offset_of(row),
            links=(here, *report.views[0].links(row)),
            key=report.views[0].key(row),
            spans=text.spans,
            look="entry" if node.by == VERTEX and report.tree.kind(row) == ENTRY else "",
        )

    def labels(self, by: str, numbers: Sequence[int]) -> list[str]:
        """Returns the labels of methods or groups, without reading the file if methods have no loaders."""
        if by in (CLASS, PACKAGE) or not self.report.facts.get("loaders"):
            return self.names(by, numbers)
        rows = map(self.report.row_of_vertex, self._vertices(by, numbers))
        return [self.report.parsed(row).label for row in rows]

    def names(self, by: str, numbers: Sequence[int]) -> list[str]:
        """Returns the labels without class loaders, without reading the file."""
        if by in (CLASS, PACKAGE):
            return [self._group_label(by, number) for number in numbers]
        return list(map(self.name, self._vertices(by, numbers)))

    def _vertices(self, by: str, numbers: Sequence[int]) -> Sequence[int]:
        """The methods of vertices or entries."""
        return self.cache.edges.roots[list(numbers)].tolist() if by == EDGE_FROM_OUTSIDE else numbers

    def row_of(self, node: Node) -> int | None:
        """Returns the row of a node; for a class or package the declaration nearest to an entry."""
        if node.by not in (CLASS, PACKAGE):
            return super().row_of(node)
        vertices = np.flatnonzero(self._groups[node.by] == node.number)
        return self.report.nearest(vertices.tolist()) if len(vertices) else None

    def group_of(self, node: Node, by: str) -> int | None:
        """Returns the class or package of a method; for an entry its method."""
        if node.by == by:
            return node.number
        vertex = int(self.cache.edges.roots[node.number]) if node.by == EDGE_FROM_OUTSIDE else node.number
        if node.by in (CLASS, PACKAGE):
            if node.by == PACKAGE or by != PACKAGE:
                return None
            vertex = self._samples[CLASS][node.number]
        if by == VERTEX:
            return vertex
        if by == EDGE_FROM_OUTSIDE:
            return place_in(self.cache.edges.root_rows, self.report.row_of_vertex(vertex))
        group = int(self._groups[by][vertex])
        return None if group == NONE else group

    # -- REFs and keys ------------------------------------------------------------------------------------------------

    def of_row(self, row: int) -> Node | None:
        """Returns the method that a row of the call tree shows or refers to."""
        tree = self.report.tree
        vertex = tree.vertex(row)
        return None if vertex < 0 or tree.vertex_id(vertex) is None else Node(VERTEX, vertex)

    # -- cuts ---------------------------------------------------------------------------------------------------------

    def edge_rows(self, row: int) -> Sequence[int]:
        """Returns the rows of all calls that a row represents: for a virtual call those below it."""
        is_virtual = self.report.tree.kind(row) in (VIRTUAL, INTERFACE)
        return list(self.report.views[0].tree.children(row)) if is_virtual else [row]

    def matching(self, patterns: PatternSet) -> BoolArray:
        """bool by method: True if its name, or that of its class or package, matches."""
        found = self._named(patterns)
        for by, names in self._group_names.items():
            # The last element is for methods without a group.
            matching = np.append(names.of(patterns), False)
            found |= matching[np.minimum(self._groups[by], len(names))]
        return found

    def cut_of_row(self, row: int) -> Node | None:
        """Returns the entry, or the call, that a row shows."""
        tree = self.report.tree
        if tree.kind(row) == ENTRY:
            place = place_in(self.cache.edges.root_rows, row)
            return None if place is None else Node(EDGE_FROM_OUTSIDE, place)
        return Node(EDGE, row) if tree.vertex(row) >= 0 else None

    def rows_from_outside(self, place: int) -> list[int]:
        """Returns the rows of a root: the entry."""
        return [int(self.cache.edges.root_rows[place])]

    def rows_of_edge(self, row: int) -> list[int]:
        """Returns the rows of a call; a virtual call is above its possible targets."""
        virtual = virtual_row(self.report.tree, row)
        return [row] if virtual is None else [virtual, row]

    def describe_vertices(self, numbers: Sequence[int]) -> Iterator[tuple[str, str, str]]:
        """Yields method, class and package of each; no loader."""
        for vertex in numbers:
            method = self.name(vertex)
            holder = method[slice(*method_parts(method).holder)]
            yield method, holder, package_of(holder)

    def edge_types(self, rows: U32Array) -> U8Array:
        """Edge types: 1 for calls of possible targets of a virtual call."""
        kinds = self.report.indexed.kinds(0, self.report.tree.rows)[rows]
        return np.asarray((kinds == OVERRIDDEN) | (kinds == IMPLEMENTED), np.uint8)

    def of_key(self, key: Hashable) -> Node | None:
        """Returns the key of another view's row."""
        match key:
            case ("class" | "package") as by, str(name):
                return self.group_named(by, name)
        return super().of_key(key)
