"""The graph of a report, or the paths between two nodes, as `parsers.reporting.export.graph` writes it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from parsers.model.distinct import begins
from parsers.model.late import numpy as np
from parsers.reporting.export.graph import Arc, GraphExport, Vertex

if TYPE_CHECKING:
    from parsers.graph.between import PathsBetween
    from parsers.graph.graph_model import GraphModel


STEP = 1 << 16
"""Arcs that are converted to text in one batch."""


def whole(graph: GraphModel) -> GraphExport:
    """Exports all vertices with an id, reachable or not, and all edges between them."""
    known = (graph.ids >= 0).nonzero()[0].tolist()
    return GraphExport(graph.attributes, _vertices(graph, known), _arcs(graph))


def _arcs(graph: GraphModel) -> Iterator[Arc]:
    """Yields arcs; parallel edges of one type are one arc."""
    edges, ids, terms = graph.cache.edges, graph.ids, graph.terms.types
    keys = edges.sources.astype(np.uint64) << np.uint64(32) | edges.targets
    types = graph.edge_types(edges.rows)
    if types.any() and not types.all():
        # Parallel edges of two types are two arcs.
        order = np.lexsort((types, keys))
        keys, types = keys[order], types[order]
    else:
        keys.sort()
    firsts = np.flatnonzero(begins(keys, types))
    counts = np.diff(np.append(firsts, len(keys)))
    keys, types = keys[firsts], types[firsts]
    for start in range(0, len(keys), STEP):
        part = keys[start : start + STEP]
        sources, targets = ids[part >> np.uint64(32)], ids[part & np.uint64(0xFFFF_FFFF)]
        for source, target, type, count in zip(
            *(each.tolist() for each in (sources, targets, types[start : start + STEP], counts[start : start + STEP])),
            strict=True,
        ):
            yield Arc(f"n{source}", f"n{target}", terms[type], count)


def between(graph: GraphModel, paths: PathsBetween) -> GraphExport:
    """Exports the vertices and edges of the paths."""
    steps = sorted(paths.steps)
    types = graph.edge_types(np.array([step.row for step in steps], np.uint32)).tolist()
    arcs = [
        Arc(_id(graph, step.source), _id(graph, step.target), graph.terms.types[type], step.edges)
        for step, type in zip(steps, types, strict=True)
    ]
    return GraphExport(graph.attributes, _vertices(graph, sorted(paths.distance_to_end)), arcs)


def _vertices(graph: GraphModel, numbers: Sequence[int]) -> Iterator[Vertex]:
    is_root = graph.from_outside()
    for vertex, (name, *attributes) in zip(numbers, graph.describe_vertices(numbers), strict=True):
        yield Vertex(_id(graph, vertex), graph.terms.label, name, tuple(attributes), bool(is_root[vertex]))


def _id(graph: GraphModel, vertex: int) -> str:
    return f"n{graph.id_of(vertex)}"
