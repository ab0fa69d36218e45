"""Base of the graphs of call trees and object trees: vertices by id, and the rows that are their edges."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from parsers.graph.cuts import Cuts
from parsers.graph.graph_cache import CachedGraph
from parsers.graph.graph_model import EDGE, EDGE_FROM_OUTSIDE, VERTEX, GraphModel, Node
from parsers.model.capabilities import OfGraph, ShowsFirstRows
from parsers.model.late import numpy as np
from parsers.model.trees.unfolding import UnfoldedTree
from parsers.model.view import UnknownReference

if TYPE_CHECKING:
    from parsers.formats.graalvm.text.report import TextReport
    from parsers.graph.adjacency import RowColumns
    from parsers.model.arrays import BoolArray, I64Array, U32Array
    from parsers.model.names.patterns import PatternSet
    from parsers.model.row import Section
    from parsers.model.view import View


class TextGraph(GraphModel):
    """The graph of a report whose rows are a tree with ids. Derived classes define its vertices and groups."""

    is_object_tree = False
    group_refs: Mapping[str, tuple[str, str]] = {}
    """By kind of REF: the grouping that it names a group of, and the message if there is no such group."""
    groups_view = ""
    """View whose rows are groups and their members."""
    report: TextReport[Any]

    def __init__(self, report: TextReport[Any]) -> None:
        self.report = report
        self.cache = CachedGraph(self._folder, "parsers.formats.graalvm.text.graph.rows:rows_of_index", self._rows)
        self.cuts = Cuts(self)

    def _folder(self) -> str | None:
        return self.report.index_folder

    @property
    def is_known(self) -> bool:
        """True if the index is finished."""
        return self.report.is_complete

    @property
    def first_view(self) -> View:
        """The view of the report as printed."""
        return self.report.views[0]

    def _rows(self) -> RowColumns:
        """Rows of a small report."""
        from parsers.formats.graalvm.text.graph.rows import rows_of

        return rows_of(self.report.indexed, self.is_object_tree)

    @property
    def note(self) -> str:
        """Remark that concerns all answers."""
        return self.report.graph_note

    # -- groups -------------------------------------------------------------------------------------------------------

    def groups(self, by: str) -> U32Array:
        """Returns the group of each vertex: uint32 by vertex."""
        return self._groups[by]

    @cached_property
    def _groups(self) -> dict[str, U32Array]:
        raise NotImplementedError

    def _named(self, patterns: PatternSet) -> BoolArray:
        """Returns True for vertices whose name matches: bool by vertex."""
        return np.asarray(np.append(self.report.matched_names.of(patterns), False)[self.report.bulk.vertex_names[:-1]])

    def name(self, vertex: int) -> str:
        """Returns the name of a vertex from the table of names, so without loader."""
        return self.report.vertex_name(vertex)

    # -- vertices -----------------------------------------------------------------------------------------------------

    def row_of(self, node: Node) -> int | None:
        """Returns the declaration of a vertex, or the row of a root or an edge. Derived classes handle groups."""
        if node.by == VERTEX:
            return self.report.row_of_vertex(node.number)
        if node.by == EDGE_FROM_OUTSIDE:
            return int(self.cache.edges.root_rows[node.number])
        return node.number if node.by == EDGE else None

    def from_outside(self) -> BoolArray:
        """Returns True for vertices reached from outside: bool by vertex."""
        edges = self.cache.edges
        found = np.zeros(edges.size, bool)
        found[edges.roots] = True
        return found

    def id_of(self, vertex: int) -> int | None:
        """Returns the id of the vertex."""
        return self.report.tree.vertex_id(vertex)

    @cached_property
    def ids(self) -> I64Array:
        """Id of each vertex: int64 by vertex, -1 for those that are only referred to."""
        return self.report.indexed.ids()

    def members(self, node: Node) -> Sequence[int]:
        """Returns the vertices of a node: the vertex itself, or the members of a group."""
        if node.by in self._groups:
            members: Sequence[int] = (self._groups[node.by] == node.number).nonzero()[0].tolist()
            return members
        if node.by == EDGE:
            vertices = [self.report.tree.vertex(row) for row in self.edge_rows(node.number)]
            return [vertex for vertex in vertices if 0 <= vertex < self.cache.edges.size]
        found = int(self.cache.edges.roots[node.number]) if node.by == EDGE_FROM_OUTSIDE else node.number
        return [found]

    # -- cuts and paths ----------------------------------------------------------------------------------------------

    def matching_edges(self, patterns: PatternSet) -> tuple[U32Array, U32Array]:
        """Places of roots and edges whose own names match; none for calls, which have the names of methods."""
        return np.zeros(0, np.uint32), np.zeros(0, np.uint32)

    def remark(self, node: Node) -> str:
        """Returns the text after the label of a vertex."""
        return ""

    def sections(self, node: Node) -> Sequence[Section]:
        """Returns the sections of the first view about a node; none for groups."""
        row = None if node.by in self.attributes else self.row_of(node)
        return () if row is None else self.first_view.sections(row)

    def group_named(self, by: str, name: str) -> Node | None:
        """Returns the group with exactly that name."""
        raise NotImplementedError

    def found(self, ref: str) -> list[Node]:
        """Returns the nodes of a REF of a group or of the first view. Raises `UnknownReference`."""
        kind, _, value = ref.partition(":")
        if not self.is_known:
            raise UnknownReference(f"{ref}: known when the index is finished")
        if kind in self.group_refs:
            by, missing = self.group_refs[kind]
            group = self.group_named(by, value)
            if group is None:
                raise UnknownReference(f"{ref}: {missing}")
            return [group]
        is_name = kind == "method" and not self.is_object_tree
        nodes = [self.of_row(row) for row in self.first_view.resolve_all(f"name:{value}" if is_name else ref)]
        if not any(nodes):
            raise UnknownReference(f"{ref}: this row shows no {self.terms.label.lower()} with an id")
        return [node for node in nodes if node is not None]

    def of_row(self, row: int) -> Node | None:
        """Returns the node that a row of the first view shows, refers to or holds."""
        raise NotImplementedError

    def of_key(self, key: Hashable) -> Node | None:
        """Returns the node for the key of a row of another view that is no group."""
        row = self.first_view.find_key(key)
        return None if row is None else self.of_row(row)

    def cut_of(self, view: View, node: int) -> Node | None:
        """Returns the node to cut for a row of a view: a vertex, edge, root or group."""
        if isinstance(view, OfGraph):
            return view.node(node)
        if view.name == self.groups_view:
            key = view.key(node)
            return None if key is None else self.of_key(key)
        if isinstance(view.tree, UnfoldedTree):
            site = view.tree.site(node)
            return Node(VERTEX, node) if site is None else self.cut_of_row(site)
        row = view.row_of(node) if isinstance(view, ShowsFirstRows) else None
        return None if row is None else self.cut_of_row(row)

    def cut_of_row(self, row: int) -> Node | None:
        """Returns the node that cutting a row of the first view removes."""
        raise NotImplementedError

    def cut_of_ref(self, ref: str) -> Node:
        """Returns the node to cut: for a line that of its row, for another REF the node itself."""
        if not ref.startswith("line:"):
            return self.found(ref)[0]
        found = self.cut_of_row(self.first_view.resolve(ref))
        if found is None:
            raise UnknownReference(f"{ref}: this row shows no {self.terms.label.lower()}")
        return found

    def remaining_path(self, node: Node) -> list[int]:
        """Shortest path that the cuts leave to a vertex, or to one of a group, as rows; empty without one."""
        from parsers.graph.reachability import owner_of, path_to

        edges, reached = self.cache.edges, self.cuts.effect.reached
        left = [vertex for vertex in self.members(node) if reached.distance[vertex] >= 0]
        if not left:
            return []
        vertex = min(left, key=reached.distance.__getitem__)
        steps = path_to(edges.starts, reached, vertex)
        first = owner_of(edges.starts, steps[0]) if steps else vertex
        found = self.rows_from_outside(self._root_left(first))
        for step in steps:
            found += self.rows_of_edge(int(edges.rows[step]))
        return found

    def _root_left(self, vertex: int) -> int:
        """Returns the place of the first root of a vertex that is not cut."""
        cut = {int(place) for each in self.cuts.marks for place in each.roots}
        places = (self.cache.edges.roots == vertex).nonzero()[0].tolist()
        return next(int(place) for place in places if place not in cut)

    def rows_from_outside(self, place: int) -> list[int]:
        """Returns the rows that show a root, by its place."""
        raise NotImplementedError
