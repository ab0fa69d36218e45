"""The view "Referrers": from any object back to all objects and roots that refer to it, to any depth.

Objects are at the top. Their children are their referrers: the holder at the declaration first, then the others, each
with its field or index. A root ends a path; an object that is already on the path gets the flag `recursive` and is not
expanded again.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from typing import TYPE_CHECKING

from parsers.formats.graalvm.objects.detail import via
from parsers.formats.graalvm.objects.holder import holder_row, reference_count, shown_vertex
from parsers.formats.graalvm.objects.kind import ID, REFERENCES, VIA
from parsers.model.names.java_name import class_spans
from parsers.model.names.ref_number import numbered_node
from parsers.model.row import Badge, Column, Link, Row, Section, SortKey
from parsers.model.trees.unfolding import UnfoldedTree
from parsers.model.view import References, UnknownReference, View
from parsers.views.base import OfWholeReport

if TYPE_CHECKING:
    from parsers.formats.graalvm.objects.report import ObjectReport
    from parsers.formats.graalvm.objects.view import HeapRootsView

DOCUMENT = "Heap roots"


class ObjectReferrersView(OfWholeReport, View):
    """Nodes less than `vertices` are objects; each other node is a row that declares or refers to the object above."""

    name = "Referrers"
    description = "Objects with everything that refers to them"
    pattern_subject = "types"
    columns: tuple[Column, ...] = (VIA, ID, REFERENCES)
    orders: tuple[str, ...] = ("references", "id")

    def __init__(self, report: ObjectReport, document: HeapRootsView) -> None:
        self.report = report
        self._document = document
        self.tree: UnfoldedTree = UnfoldedTree(self)
        self._holder = lru_cache(1 << 16)(partial(holder_row, report.tree))
        """Row that holds the value on a row."""
        self._roots: Sequence[int] | None = None

    @property
    def vertices(self) -> int:
        """Number of objects, and of types of values that the report does not expand."""
        return self.report.tree.vertices

    @property
    def roots(self) -> Sequence[int]:
        """All declared objects, in the order of their first rows."""
        if not self.is_ready:
            return ()
        if self._roots is None:
            self._roots = self.report.objects()
        return self._roots

    @property
    def root_count(self) -> int | None:
        """Number of declared objects."""
        return len(self.roots) if self.is_ready else None

    def sites(self, vertex: int) -> Sequence[int]:
        """Returns the rows that declare or refer to an object."""
        return self.report.tree.vertex_rows(vertex)

    def has_sites(self, vertex: int) -> bool:
        """Returns True if an object has referrers: at least the holder at its declaration."""
        return len(self.report.tree.vertex_rows(vertex)) > 0

    def vertex_at(self, site: int) -> int:
        """Returns the object that holds the value on a row; -1 for a root."""
        holder = self._holder(site)
        return -1 if holder is None or not self.report.tree.is_declaration(holder) else self.report.tree.vertex(holder)

    def row(self, node: int) -> Row:
        """Returns an object, or a referrer of the object above."""
        site = self.tree.site(node)
        return self._object(node) if site is None else self._referrer(node, site)

    def _object(self, node: int) -> Row:
        shown = replace(self._document.row(self.report.row_of_vertex(node)), node=node, depth=0, rows_below=None)
        badges = {**shown.badges, "references": reference_count(self.report.tree, node)}
        return replace(shown, badges=badges, has_children=self.has_sites(node), link=shown.ref)

    def _referrer(self, node: int, site: int) -> Row:
        report, tree = self.report, self.report.tree
        holder = self._holder(site)
        at = site if holder is None else holder
        text = report.parsed(at)
        vertex = self.vertex_at(site)
        way = "" if text.is_root else via(report, site)
        badges: dict[str, Badge] = {"via": way} if way else {}
        is_recursive = vertex >= 0 and self.tree.is_recursive(node)
        if vertex >= 0:
            badges |= {"id": tree.vertex_id(vertex), "references": reference_count(tree, vertex)}
            if text.text is not None:
                badges["text"] = text.text
        label = text.type or text.label
        declared = tree.declaration(vertex) if vertex >= 0 else at
        return Row(
            node=node,
            kind=text.kind,
            label=label if not text.is_root else text.label,
            depth=self.tree.depth(node),
            badges=badges,
            flags=("recursive",) if is_recursive else () if holder is not None else ("unknown",),
            ref=f"line:{tree.line(declared)}",
            line=tree.line(site),
            offset=tree.offset(site),
            has_children=vertex >= 0 and not is_recursive,
            link=f"line:{tree.line(site)}",
            spans=text.spans if text.is_root else tuple(class_spans(label)),
        )

    def row_of(self, node: int) -> int:
        """Returns the row of a node: the declaration of an object, the row that refers to it, or its root."""
        site = self.tree.site(node)
        if site is None:
            return self.report.row_of_vertex(node)
        vertex = self.vertex_at(site)
        holder = self._holder(site)
        return self.report.row_of_vertex(vertex) if vertex >= 0 else site if holder is None else holder

    def sort_keys(self, order: str, nodes: Sequence[int]) -> Sequence[SortKey]:
        """Returns the sort keys of an order."""
        is_top = len(nodes) > 0 and max(nodes) < self.vertices
        vertices = nodes if is_top else [self.tree.vertex(node) for node in nodes]
        if order == "id":
            return self.report.ids(vertices)
        return self.report.row_counts(vertices)

    def resolve_all(self, ref: str) -> Sequence[int]:
        """Returns all objects of a REF; objects of one type share a name. Raises `UnknownReference`."""
        kind, _, value = ref.partition(":")
        tree = self.report.tree
        if (node := numbered_node(ref, self.vertices, "objects")) is not None:
            return [node]
        if kind in ("name", "class"):
            name = self.report.find_name(value)
            vertices = [int(vertex) for vertex in tree.name_vertices(name)] if name is not None else []
            found = [vertex for vertex in vertices if tree.declaration(vertex) >= 0]
            if not found:
                raise UnknownReference(f"{ref}: no object has exactly this type")
            return found
        vertex = shown_vertex(tree, self._document.resolve(ref))
        if vertex < 0:
            raise UnknownReference(f"{ref}: this row shows no object")
        return [vertex]

    def key(self, node: int) -> Hashable | None:
        """Returns the id of the object, or line of the root."""
        return self._document.key(self.row_of(node))

    def find_key(self, key: Hashable) -> int | None:
        """Object with a key of another view."""
        row = self._document.find_key(key)
        vertex = -1 if row is None else shown_vertex(self.report.tree, row)
        return vertex if vertex >= 0 else None

    def sections(self, node: int) -> Sequence[Section]:
        """Returns the sections of the document about the object or root."""
        return self._document.sections(self.row_of(node))

    def links(self, node: int) -> Sequence[Link]:
        """Returns the links to the row that refers to the object above, and those of the object or root itself."""
        tree, site, row = self.report.tree, self.tree.site(node), self.row_of(node)
        found = [] if site is None else [Link("reference", f"line:{tree.line(site)}", DOCUMENT)]
        found.append(Link("declaration", f"line:{tree.line(row)}", DOCUMENT))
        return [*found, *(link for link in self._document.links(row) if link.view != self.name)]

    def references(self, node: int) -> References:
        """Returns all rows that refer to the object."""
        return self._document.references(self.row_of(node))

    def remark(self, row: Row) -> str:
        """Returns the text after the label: that of the object."""
        return self._document.remark(row)
