"""The view "Callers": from any method back to all call sites that can reach it, to any depth.

It unfolds the call graph, which is unbounded for recursive methods: a method is expanded once on a path and shown with
the flag `recursive` below that.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import lru_cache, partial
from typing import TYPE_CHECKING

from parsers.formats.graalvm.calls.detail import bci_of, sections
from parsers.formats.graalvm.calls.index.row import ENTRY, KINDS
from parsers.formats.graalvm.calls.kind import BCI, CALL_SITES, ID
from parsers.formats.graalvm.calls.sites import owner_row
from parsers.model.names.ref_number import numbered_node, ref_number
from parsers.model.row import Badge, Column, Link, Row, Section, SortKey
from parsers.model.trees.unfolding import UnfoldedTree
from parsers.model.view import References, UnknownReference, View
from parsers.views.base import OfWholeReport

if TYPE_CHECKING:
    from parsers.formats.graalvm.calls.report import CallReport
    from parsers.reporting.rules.array_rows import ArrayRows

DOCUMENT = "Call tree"


class CallersView(OfWholeReport, View):
    """All methods, with their call sites as children, labelled with the calling method."""

    name = "Callers"
    description = "Methods with callers up to entry points"
    columns: tuple[Column, ...] = (BCI, ID, CALL_SITES)
    orders: tuple[str, ...] = ("call_sites", "id")

    def __init__(self, report: CallReport) -> None:
        self.report = report
        self.tree: UnfoldedTree = UnfoldedTree(self)
        self._owner = lru_cache(1 << 16)(partial(owner_row, report.tree))
        """Row of the method that contains a call."""

    @property
    def vertices(self) -> int:
        """Number of methods with an id and virtual call targets; 0 before the view is ready, as numbers would shift."""
        return self.report.tree.vertices if self.is_ready else 0

    @property
    def roots(self) -> Sequence[int]:
        """All methods, in order of their first row in the file."""
        return range(self.vertices)

    def sites(self, vertex: int) -> Sequence[int]:
        """Returns the rows that call a method."""
        return self.report.call_sites(vertex)

    def has_sites(self, vertex: int) -> bool:
        """Returns True if the method is called anywhere."""
        return self.report.call_site_count(vertex) > 0

    def vertex_at(self, site: int) -> int:
        """Returns the method that contains a call; -1: none."""
        owner = self._owner(site)
        return -1 if owner is None else self.report.tree.vertex(owner)

    def row(self, node: int) -> Row:
        """Returns a method, or a call labelled with its calling method."""
        site = self.tree.site(node)
        return self._method(node) if site is None else self._call(node, site)

    def _method(self, node: int) -> Row:
        report = self.report
        tree, at = report.tree, report.row_of_vertex(node)
        text = report.parsed(at)
        sites = report.call_site_count(node)
        badges: dict[str, Badge] = {"call_sites": sites}
        id = tree.vertex_id(node)
        if id is not None:
            badges["id"] = id
        dangling = id is not None and tree.declaration(node) < 0
        return Row(
            node=node,
            kind="method",
            label=text.label,
            badges=badges,
            flags=("dangling",) if dangling else (),
            ref=f"line:{tree.line(at)}",
            line=tree.line(at),
            offset=report.offset_of(at),
            has_children=sites > 0,
            link=f"line:{tree.line(at)}",
            spans=text.spans,
        )

    def _call(self, node: int, site: int) -> Row:
        report = self.report
        tree = report.tree
        owner = self._owner(site)
        text = report.parsed(site if owner is None else owner)
        badges: dict[str, Badge] = {}
        bci = bci_of(report, site)
        if bci is not None:
            badges["bci"] = bci
        flags = []
        vertex = -1 if owner is None else tree.vertex(owner)
        if vertex >= 0:
            badges["call_sites"] = report.call_site_count(vertex)
            id = tree.vertex_id(vertex)
            if id is not None:
                badges["id"] = id
        else:
            flags.append("unknown")
        is_recursive = vertex >= 0 and self.tree.is_recursive(node)
        if is_recursive:
            flags.append("recursive")
        return Row(
            node=node,
            kind=KINDS[tree.kind(site)],
            label="(called from no method)" if owner is None else text.label,
            depth=self.tree.depth(node),
            badges=badges,
            flags=tuple(flags),
            ref=f"line:{tree.line(self._declared(vertex, site))}",
            line=tree.line(site),
            offset=report.offset_of(site),
            has_children=bool(badges.get("call_sites")) and not is_recursive,
            link=f"line:{tree.line(site)}",
            spans=() if owner is None else text.spans,
        )

    def remark(self, row: Row) -> str:
        """Text "entry point" after a method that is an entry of the image."""
        site = self.tree.site(row.node)
        vertex = row.node if site is None else self.vertex_at(site)
        tree = self.report.tree
        declaration = tree.declaration(vertex) if vertex >= 0 else -1
        return "entry point" if declaration >= 0 and tree.kind(declaration) == ENTRY else ""

    def _declared(self, vertex: int, otherwise: int) -> int:
        return self.report.row_of_vertex(vertex) if vertex >= 0 else otherwise

    def row_of(self, node: int) -> int | None:
        """Returns the row of a node: the declaration of a method, or the call."""
        site = self.tree.site(node)
        return self.report.row_of_vertex(node) if site is None else site

    def named_rows(self, kind: str) -> ArrayRows | None:
        """Returns the rows of a kind by their names, for rules; see `parsers.reporting.rules.named_rows`."""
        from parsers.formats.graalvm.text.named_rows import caller_rows

        return caller_rows(self, self.report, self.vertices, kind)

    def sort_keys(self, order: str, nodes: Sequence[int]) -> Sequence[SortKey]:
        """Returns the sort keys of an order."""
        report = self.report
        if nodes == self.roots and not report.is_small:
            return report.ids() if order == "id" else report.call_site_counts()  # type: ignore[return-value]
        vertices = map(self.tree.vertex, nodes)
        if order == "id":
            ids = [report.tree.vertex_id(vertex) if vertex >= 0 else None for vertex in vertices]
            return [-1 if id is None else id for id in ids]
        return [report.call_site_count(vertex) if vertex >= 0 else 0 for vertex in vertices]

    def resolve_all(self, ref: str) -> Sequence[int]:
        """Returns all methods of a REF. Raises `UnknownReference`."""
        if not self.is_ready:
            raise UnknownReference(f"{ref}: callers are known when the index is finished")
        kind, _, value = ref.partition(":")
        if (node := numbered_node(ref, self.vertices, "methods")) is not None:
            return [node]
        tree = self.report.tree
        if kind in ("name", "method"):
            name = self.report.find_name(value)
            vertices = tree.name_vertices(name) if name is not None else ()
            if len(vertices):
                return sorted(map(int, vertices), key=lambda vertex: tree.declaration(vertex) < 0)
            raise UnknownReference(f"{ref}: no method has exactly this name")
        if kind == "id" and (id := ref_number(value)) is not None:
            vertex = tree.vertex_of_id(id)
            if vertex is not None:
                return [vertex]
            raise UnknownReference(f"{ref}: no row has id {int(value):,}")
        vertex = tree.vertex(self.report.views[0].resolve(ref))
        if vertex < 0:
            raise UnknownReference(f"{ref}: this row shows no method")
        return [vertex]

    def key(self, node: int) -> Hashable | None:
        """Returns the id of the method, or its name if it has none."""
        row = self._declared(self.tree.vertex(node), -1)
        return self.report.views[0].key(row) if row >= 0 else None

    def find_key(self, key: Hashable) -> int | None:
        """Returns the method with that id or name."""
        row = self.report.views[0].find_key(key)
        vertex = -1 if row is None else self.report.tree.vertex(row)
        return vertex if 0 <= vertex < self.vertices else None

    def sections(self, node: int) -> Sequence[Section]:
        """Returns the sections of the side pane about the labelled method."""
        vertex = self.tree.vertex(node)
        row = self._declared(vertex, -1) if vertex >= 0 else self.row_of(node)
        return sections(self.report, row) if row is not None else ()

    def links(self, node: int) -> Sequence[Link]:
        """Returns the links to the call and the methods at both of its ends."""
        tree, site = self.report.tree, self.tree.site(node)
        found = []
        if site is not None:
            found.append(Link("call", f"line:{tree.line(site)}", DOCUMENT))
        vertex = self.tree.vertex(node)
        if vertex >= 0:
            ref = f"line:{tree.line(self.report.row_of_vertex(vertex))}"
            is_declared = tree.declaration(vertex) >= 0
            found.append(Link("declaration" if is_declared else "first call", ref, DOCUMENT))
            if is_declared:
                found.append(Link("package", ref, "Packages"))
        return found

    def references(self, node: int) -> References:
        """Returns all call sites of the method."""
        vertex = self.tree.vertex(node)
        if vertex < 0:
            return References("references", DOCUMENT, ())
        return self.report.views[0].references(self.report.row_of_vertex(vertex))
