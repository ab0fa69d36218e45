"""The view "Packages": packages, classes and methods in the image, and the rows first reached through them."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from parsers.formats.graalvm.calls.detail import links, sections
from parsers.formats.graalvm.calls.index.package_table import PackagePlace
from parsers.formats.graalvm.calls.index.row import method_parts, package_of
from parsers.formats.graalvm.calls.kind import CALL_SITES, METHODS, WEIGHT
from parsers.model.names.java_name import class_spans
from parsers.model.names.ref_number import numbered_node
from parsers.model.none import NONE
from parsers.model.row import Column, Link, Row, Section, SectionRow, SortKey, capitalized, counted
from parsers.model.view import References, UnknownReference
from parsers.views.base import OfWholeReport
from parsers.views.positions_view import PositionsView

if TYPE_CHECKING:
    from parsers.formats.graalvm.calls.index.package_table import PackageTable
    from parsers.formats.graalvm.calls.report import CallReport
    from parsers.reporting.rules.array_rows import ArrayRows


class PackagesView(OfWholeReport, PositionsView):
    """Packages by name, their classes and methods in the order of the file."""

    name = "Packages"
    description = "Packages with their classes and methods"
    columns: tuple[Column, ...] = (METHODS, CALL_SITES, WEIGHT)
    orders: tuple[str, ...] = ("weight", "methods", "call_sites", "name")

    def __init__(self, report: CallReport) -> None:
        self.report = report

    @cached_property
    def table(self) -> PackageTable:
        """Table of the view. Raises `LookupError` before it is ready."""
        if not self.is_ready:
            raise LookupError("the index is not finished")
        return self.report.package_table()

    @property
    def rows(self) -> PackageTable:
        """The three levels."""
        return self.table

    @property
    def root_count(self) -> int | None:
        """Number of packages."""
        return self.table.packages if self.is_ready else None

    def row(self, node: int) -> Row:
        """Returns a package, class or method with its counts."""
        table = self.table
        place = table.place(node)
        methods, call_sites, weight = (self.number(order, place) for order in ("methods", "call_sites", "weight"))
        if place.level == "method":
            return self._method(node, place, call_sites, weight)
        label = self.label(place)
        return Row(
            node=node,
            kind=place.level,
            label=label,
            depth=table.depth(node),
            badges={"methods": methods, "call_sites": call_sites, "weight": weight},
            ref=f"{place.level}:{label}",
            rows_below=table.end(node) - node - 1,
            has_children=True,
            spans=tuple(class_spans(label)) if place.level == "class" else (),
        )

    def _method(self, node: int, place: PackagePlace, call_sites: int, weight: int) -> Row:
        report, at = self.report, self._declaration(place.method)
        text, line = report.parsed(at), report.tree.line(at)
        return Row(
            node=node,
            kind="method",
            label=text.label,
            depth=2,
            badges={"id": text.id, "call_sites": call_sites, "weight": weight},
            ref=f"line:{line}",
            line=line,
            offset=report.offset_of(at),
            rows_below=0,
            link=f"line:{line}",
            spans=text.spans,
        )

    def label(self, place: PackagePlace) -> str:
        """Returns the name of a package or class; for a method its text without loader."""
        return self._part(place, self.report.parsed(self._declaration(self.table.range(place)[0])).method)

    def labels(self, start: int, stop: int) -> list[str]:
        """Labels of a range of nodes; if methods have no loaders, from their names without reading the file."""
        return self.labels_of(range(start, stop))

    def labels_of(self, nodes: Iterable[int]) -> list[str]:
        """Returns the labels of some nodes, as `labels`."""
        table, report, tree = self.table, self.report, self.report.tree
        names, name, vertices, text, place_of = tree.names, tree.name, table.vertices, report.text, table.place
        has_loaders = bool(report.facts.get("loaders"))
        labels = []
        for node in nodes:
            place = place_of(node)
            first = place.method if place.level == "method" else table.range(place)[0]
            if place.level == "method" and has_loaders:
                labels.append(report.parsed(self._declaration(first)).label)
            else:
                labels.append(self._part(place, text(bytes(names[name(vertices[first])]))))
        return labels

    @staticmethod
    def _part(place: PackagePlace, method: str) -> str:
        """Returns the name of a package or class, cut from one of its methods; for a method the whole name."""
        if place.level == "method":
            return method
        holder = method[slice(*method_parts(method).holder)]
        return holder if place.level == "class" else package_of(holder)

    def group_names(self) -> Sequence[tuple[str, str, int]]:
        """Returns REF, name and number of methods of each package and class."""
        table = self.table
        nodes = [*map(int, table.package_nodes[:-1]), *map(int, table.class_nodes[:-1])]
        places = map(table.place, nodes)
        named = zip(places, self.labels_of(nodes), strict=True)
        return [(f"{place.level}:{label}", label, table.methods(place)) for place, label in named]

    def named_rows(self, kind: str) -> ArrayRows | None:
        """Returns the rows of a kind by their names, for rules; see `parsers.reporting.rules.named_rows`."""
        from parsers.formats.graalvm.text.named_rows import package_rows

        return package_rows(self.report, self.table, kind or "package", self.labels_of, self.number)

    def sort_keys(self, order: str, nodes: Sequence[int]) -> Sequence[SortKey]:
        """Returns the sort keys of an order."""
        places = map(self.table.place, nodes)
        if order == "name":
            return [self.label(place) for place in places]
        return [self.number(order, place) for place in places]

    def number(self, order: str, place: PackagePlace) -> int:
        """Returns the number of a package, class or method in a column."""
        table, report = self.table, self.report
        if order == "methods":
            return table.methods(place)
        if place.level == "package":
            return int((table.package_call_sites if order == "call_sites" else table.package_weight)[place.package])
        if place.level == "class":
            return int((table.class_call_sites if order == "call_sites" else table.class_weight)[place.klass])
        if order == "call_sites":
            return report.call_site_count(table.vertices[place.method])
        row = self._declaration(place.method)
        return report.tree.end(row) - row - 1

    def _declaration(self, method: int) -> int:
        return self.report.tree.declaration(self.table.vertices[method])

    def row_of(self, node: int) -> int:
        """Returns the row of a node: for a package or class the declaration of the method nearest to an entry."""
        methods = self.table.range(self.table.place(node))
        return self.report.nearest(self.table.vertices[methods.start : methods.stop])

    def leaf_rows(self) -> Sequence[int]:
        """Returns the rows that declare the methods."""
        declarations: Any = self.report.indexed.array("declaration")
        rows: Sequence[int] = declarations[self.table.vertices]
        return rows

    def resolve_all(self, ref: str) -> Sequence[int]:
        """Returns all nodes of a REF. Raises `UnknownReference`."""
        kind, _, value = ref.partition(":")
        if not self.is_ready:
            raise UnknownReference(f"{ref}: packages are known when the index is finished")
        if kind in ("package", "class"):
            node = self._package(value) if kind == "package" else self._class(value)
            if node is None:
                raise UnknownReference(f"{ref}: no {kind} has exactly this name")
            return [node]
        if (numbered := numbered_node(ref, self.table.rows)) is not None:
            return [numbered]
        document = self.report.views[0]
        rows = document.resolve_all(f"name:{value}" if kind == "method" else ref)
        nodes = [self._method_node(self.report.tree.vertex(row)) for row in rows]
        found = [node for node in nodes if node is not None]
        if not found:
            raise UnknownReference(f"{ref}: no row declares this method")
        return found

    @cached_property
    def _package_numbers(self) -> dict[str, int]:
        return {self.label(PackagePlace("package", package)): package for package in range(self.table.packages)}

    def _package(self, name: str) -> int | None:
        package = self._package_numbers.get(name)
        return None if package is None else int(self.table.package_nodes[package])

    def _class(self, name: str) -> int | None:
        table = self.table
        package = self._package_numbers.get(package_of(name))
        if package is None:
            return None
        for klass in range(table.package_first[package], table.package_first[package + 1]):
            if self.label(PackagePlace("class", package, klass)) == name:
                return int(table.class_nodes[klass])
        return None

    def _method_node(self, vertex: int) -> int | None:
        node = self.table.node_of_vertex[vertex] if vertex >= 0 else NONE
        return None if node == NONE else int(node)

    def key(self, node: int) -> Hashable | None:
        """Returns the key of a method as in the other views; of packages and classes their name."""
        place = self.table.place(node)
        if place.level == "method":
            return self.report.views[0].key(self._declaration(place.method))
        return (place.level, self.label(place))

    def find_key(self, key: Hashable) -> int | None:
        """Node with that key."""
        if not self.is_ready:
            return None
        match key:
            case ("package", str(name)):
                return self._package(name)
            case ("class", str(name)):
                return self._class(name)
        row = self.report.views[0].find_key(key)
        return None if row is None else self._method_node(self.report.tree.vertex(row))

    def sections(self, node: int) -> Sequence[Section]:
        """Counts; for a method also the sections of the call tree."""
        table, place = self.table, self.table.place(node)
        if place.level == "method":
            return sections(self.report, self._declaration(place.method))
        rows = []
        if place.level == "package":
            classes = table.package_first[place.package + 1] - table.package_first[place.package]
            rows.append(SectionRow("classes", f"{classes:,}"))
        rows.append(SectionRow("methods", f"{table.methods(place):,}"))
        rows.append(SectionRow("call sites", f"{self.number('call_sites', place):,}"))
        rows.append(SectionRow("reached first", f"{counted(self.number('weight', place), 'row')} through its methods"))
        nearest = self.row_of(node)
        line = self.report.tree.line(nearest)
        rows.append(SectionRow("nearest", self.report.parsed(nearest).label, f"line:{line}", "Call tree"))
        return [Section(capitalized(place.level), tuple(rows)), *self._entered(node)]

    def _entered(self, node: int) -> Sequence[Section]:
        """Returns the sources of calls from outside, if the graph is there: the first `W`, `r` or `D` makes it."""
        graph, key = self.report.graph, self.key(node)
        group = None if key is None else graph.of_key(key)
        if not graph.cache.has_edges or group is None:
            return ()
        from parsers.graph.entering_edges import entered_sections

        return entered_sections(graph, group)

    def links(self, node: int) -> Sequence[Link]:
        """Returns the links to the call tree and from its rows."""
        place, row = self.table.place(node), self.row_of(node)
        ref = f"line:{self.report.tree.line(row)}"
        if place.level != "method":
            return [Link("method nearest to an entry", ref, "Call tree")]
        here = Link("in the call tree", ref, "Call tree")
        return [here, *(link for link in links(self.report, row) if link.view != self.name)]

    def references(self, node: int) -> References:
        """Returns all call sites of a method; of a class or package those outside of it."""
        table, report = self.table, self.report
        place = table.place(node)
        key = self.key(node)
        if place.level != "method" and key is not None and (group := report.graph.of_key(key)) is not None:
            from parsers.graph.entering_edges import references_in

            return references_in(report.graph, group)
        title = f"references to {self.label(place)}"
        return References(title, "Call tree", report.call_sites(table.vertices[place.method]))
