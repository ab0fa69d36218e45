"""Traces, which find a vertex, group, root or edge in another opening of a report, where rows and ids may differ.

Methods, classes, packages and types are found by their names; objects have none, so id and type are compared. An edge
is found from its source vertex, by the content of the rows down to it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from parsers.formats.graalvm.text.graph.graph import TextGraph
from parsers.graph.graph_model import EDGE, EDGE_FROM_OUTSIDE, VERTEX, Node

if TYPE_CHECKING:
    from parsers.model.row import Badge
    from parsers.model.trees.tree import Tree


class TraceStep(NamedTuple):
    """A row below another one."""

    place: int
    """Index among its siblings; tried first."""
    kind: str
    label: str
    bci: Badge | None


class Trace(NamedTuple):
    """Facts about a node that hold in any opening."""

    by: str
    name: str
    """Name of the group or of the vertex concerned."""
    id: int | None = None
    source: str = ""
    """Source of a root of an object tree."""
    steps: tuple[TraceStep, ...] = ()
    """Steps from the declaration of the vertex to the row of an edge."""


def _step(rows: Tree, row: int, place: int) -> TraceStep:
    shown = rows.row(row)
    return TraceStep(place, shown.kind, shown.label, shown.badges.get("bci"))


class TracedGraph(TextGraph):
    """A graph whose nodes have traces."""

    def trace_of(self, node: Node) -> Trace | None:
        """Returns the trace of a node in this opening; None for an edge without a source vertex."""
        if node.by == VERTEX:
            return Trace(VERTEX, self.name(node.number), self.id_of(node.number))
        if node.by == EDGE_FROM_OUTSIDE:
            vertex, row = int(self.cache.edges.roots[node.number]), self.row_of(node)
            assert row is not None
            return Trace(node.by, self.name(vertex), self.id_of(vertex), self._source(row))
        if node.by == EDGE:
            return self._trace_of_edge(node.number)
        return Trace(node.by, self.labels(node.by, [node.number])[0])

    def _source(self, row: int) -> str:
        """Returns the name of a root of an object tree."""
        return str(self.report.parsed(row).source) if self.is_object_tree else ""

    def _trace_of_edge(self, row: int) -> Trace | None:
        tree, rows = self.report.tree, self.report.views[0].tree
        steps: list[TraceStep] = []
        while True:
            parent = tree.parent(row)
            if parent is None:
                return None
            steps.append(_step(rows, row, rows.children(parent).index(row)))
            if tree.is_declaration(parent):
                vertex = tree.vertex(parent)
                return Trace(EDGE, self.name(vertex), self.id_of(vertex), steps=tuple(reversed(steps)))
            row = parent

    def found_by(self, trace: Trace) -> Node | None:
        """Returns the node of a trace in this opening; None if there is none."""
        if trace.by not in (VERTEX, EDGE_FROM_OUTSIDE, EDGE):
            return self.group_named(trace.by, trace.name)
        vertex = self._vertex(trace)
        if vertex is None:
            return None
        if trace.by == VERTEX:
            return Node(VERTEX, vertex)
        if trace.by == EDGE:
            return self._edge(vertex, trace.steps)
        nodes = [Node(trace.by, place) for place in (self.cache.edges.roots == vertex).nonzero()[0].tolist()]
        return next((node for node in nodes if self._source(self.row_of(node) or 0) == trace.source), None)

    def _vertex(self, trace: Trace) -> int | None:
        """Returns the vertex of that name and id; for methods the id is ignored."""
        number = self.report.find_name(trace.name)
        vertices = [] if number is None else [int(vertex) for vertex in self.report.tree.name_vertices(number)]
        same = [vertex for vertex in vertices if self.id_of(vertex) == trace.id]
        if not same and not self.is_object_tree:
            same = [vertex for vertex in vertices if self.id_of(vertex) is not None]
        return same[0] if same else None

    def _edge(self, vertex: int, steps: tuple[TraceStep, ...]) -> Node | None:
        rows, row = self.report.views[0].tree, self.report.row_of_vertex(vertex)
        for step in steps:
            children = rows.children(row)
            nearest = children[step.place : step.place + 1]
            found = next((each for each in (*nearest, *children) if _step(rows, each, step.place) == step), None)
            if found is None:
                return None
            row = found
        return Node(EDGE, row)
