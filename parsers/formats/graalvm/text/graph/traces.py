"""Traces, which find a vertex, group, root or edge in another opening of a report, where rows and ids may differ.

Methods, classes, packages and types are found by their names; objects have none, so id and type are compared. An edge
is found from its source vertex, by the content of the rows down to it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from parsers.graph.graph_model import EDGE, EDGE_FROM_OUTSIDE, VERTEX, Node

if TYPE_CHECKING:
    from parsers.formats.graalvm.text.graph.graph import TextGraph
    from parsers.model.report import Badge


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


def trace_of(graph: TextGraph, node: Node) -> Trace | None:
    """Returns the trace of a node in this opening; None for an edge without a source vertex."""
    if node.by == VERTEX:
        return Trace(VERTEX, graph.name(node.number), graph.id_of(node.number))
    if node.by == EDGE_FROM_OUTSIDE:
        vertex, row = int(graph.cache.edges.roots[node.number]), graph.row_of(node)
        assert row is not None
        return Trace(node.by, graph.name(vertex), graph.id_of(vertex), _source(graph, row))
    if node.by == EDGE:
        return _trace_of_edge(graph, node.number)
    return Trace(node.by, graph.labels(node.by, [node.number])[0])


def _source(graph: TextGraph, row: int) -> str:
    """Returns the name of a root of an object tree."""
    return str(graph.report.parsed(row).source) if graph.is_object_tree else ""


def _trace_of_edge(graph: TextGraph, row: int) -> Trace | None:
    tree, rows = graph.report.tree, graph.report.views[0].tree
    steps: list[TraceStep] = []
    while True:
        parent = tree.parent(row)
        if parent is None:
            return None
        steps.append(_step(rows, row, rows.children(parent).index(row)))
        if tree.is_declaration(parent):
            vertex = tree.vertex(parent)
            return Trace(EDGE, graph.name(vertex), graph.id_of(vertex), steps=tuple(reversed(steps)))
        row = parent


def _step(rows: Any, row: int, place: int) -> TraceStep:
    shown = rows.row(row)
    return TraceStep(place, shown.kind, shown.label, shown.badges.get("bci"))


def found_by(graph: TextGraph, trace: Trace) -> Node | None:
    """Returns the node of a trace in this opening; None if there is none."""
    if trace.by not in (VERTEX, EDGE_FROM_OUTSIDE, EDGE):
        return graph.group_named(trace.by, trace.name)
    vertex = _vertex(graph, trace)
    if vertex is None:
        return None
    if trace.by == VERTEX:
        return Node(VERTEX, vertex)
    if trace.by == EDGE:
        return _edge(graph, vertex, trace.steps)
    nodes = [Node(trace.by, place) for place in (graph.cache.edges.roots == vertex).nonzero()[0].tolist()]
    return next((node for node in nodes if _source(graph, graph.row_of(node) or 0) == trace.source), None)


def _vertex(graph: TextGraph, trace: Trace) -> int | None:
    """Returns the vertex of that name and id; for methods the id is ignored."""
    number = graph.report.find_name(trace.name)
    vertices = [] if number is None else [int(vertex) for vertex in graph.report.tree.name_vertices(number)]
    same = [vertex for vertex in vertices if graph.id_of(vertex) == trace.id]
    if not same and not graph.is_object_tree:
        same = [vertex for vertex in vertices if graph.id_of(vertex) is not None]
    return same[0] if same else None


def _edge(graph: TextGraph, vertex: int, steps: tuple[TraceStep, ...]) -> Node | None:
    rows, row = graph.report.views[0].tree, graph.report.row_of_vertex(vertex)
    for step in steps:
        children = rows.children(row)
        nearest = children[step.place : step.place + 1]
        found = next((each for each in (*nearest, *children) if _step(rows, each, step.place) == step), None)
        if found is None:
            return None
        row = found
    return Node(EDGE, row)
