"""The graph of a report, or the paths between two nodes, as `parsers.reporting.export.graph` writes it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from parsers.reporting.export.graph import Arc, Drawn, Vertex

if TYPE_CHECKING:
    from parsers.graph.between import Ways
    from parsers.graph.graph_model import GraphModel


STEP = 1 << 16
"""Arcs that are converted to text in one batch."""


def whole(things: GraphModel) -> Drawn:
    """Exports all vertices with an id, reachable or not, and all edges between them."""
    known = (things.ids >= 0).nonzero()[0].tolist()
    return Drawn(things.attributes, _vertices(things, known), _arcs(things))


def _arcs(things: GraphModel) -> Iterator[Arc]:
    """Yields arcs; parallel edges of one type are one arc."""
    import numpy as np

    edges, ids, words = things.kept.edges, things.ids, things.words.types
    owners = np.repeat(np.arange(edges.size, dtype=np.uint64), np.diff(edges.starts.astype(np.int64)))
    keys, types = owners << np.uint64(32) | edges.targets, things.edge_types(edges.rows)
    del owners
    if types.any() and not types.all():
        # Parallel edges of two types are two arcs.
        order = np.lexsort((types, keys))
        keys, types = keys[order], types[order]
    else:
        keys.sort()
    firsts = np.flatnonzero(np.append(True, (keys[1:] != keys[:-1]) | (types[1:] != types[:-1]))[: len(keys)])
    counts = np.diff(np.append(firsts, len(keys)))
    keys, types = keys[firsts], types[firsts]
    for start in range(0, len(keys), STEP):
        part = keys[start : start + STEP]
        sources, targets = ids[part >> np.uint64(32)], ids[part & np.uint64(0xFFFF_FFFF)]
        for source, target, type, count in zip(
            *(each.tolist() for each in (sources, targets, types[start : start + STEP], counts[start : start + STEP])),
            strict=True,
        ):
            yield Arc(f"n{source}", f"n{target}", words[type], count)


def between(things: GraphModel, ways: Ways) -> Drawn:
    """Exports the vertices and edges of the paths."""
    import numpy as np

    steps = sorted(ways.steps)
    types = things.edge_types(np.array([step.row for step in steps], np.uint32)).tolist()
    arcs = [
        Arc(_id(things, step.source), _id(things, step.target), things.words.types[type], step.edges)
        for step, type in zip(steps, types, strict=True)
    ]
    return Drawn(things.attributes, _vertices(things, sorted(ways.to_go)), arcs)


def _vertices(things: GraphModel, numbers: Sequence[int]) -> Iterator[Vertex]:
    is_root = things.from_outside()
    for thing, (name, *attributes) in zip(numbers, things.told(numbers), strict=True):
        yield Vertex(_id(things, thing), things.words.label, name, tuple(attributes), bool(is_root[thing]))


def _id(things: GraphModel, thing: int) -> str:
    return f"n{things.id_of(thing)}"
