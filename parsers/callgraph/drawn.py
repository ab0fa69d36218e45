"""The graph of a report, or the ways between two things of it, as `parsers.export.graph` writes it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from parsers.export.graph import Arc, Drawn, Vertex

if TYPE_CHECKING:
    from parsers.callgraph.between import Ways
    from parsers.callgraph.things import Things


def whole(things: Things) -> Drawn:
    """All things with an id, whether they are reached or not, and all edges between them."""
    import numpy as np

    edges = things.kept.edges
    known = things.with_id()

    def arcs() -> Iterator[Arc]:
        owners = np.repeat(np.arange(edges.size, dtype=np.uint64), np.diff(edges.starts.astype(np.int64)))
        types = things.edge_types(edges.rows)
        keys, counts = np.unique(owners << np.uint64(32) | edges.targets, return_counts=True)
        if types.any() and not types.all():
            # Edges of two types between the same things are two.
            keys = owners << np.uint64(32) | edges.targets
            order = np.lexsort((types, keys))
            keys, types = keys[order], types[order]
            firsts = np.flatnonzero(np.append(True, (keys[1:] != keys[:-1]) | (types[1:] != types[:-1])))
            counts = np.diff(np.append(firsts, len(keys)))
            keys, types = keys[firsts], types[firsts]
        else:
            types = np.full(len(keys), types[0] if len(types) else 0)
        words = things.words.types
        for key, count, type in zip(keys.tolist(), counts.tolist(), types.tolist(), strict=True):
            yield Arc(_id(things, key >> 32), _id(things, key & 0xFFFF_FFFF), words[type], count)

    return Drawn(things.attributes, _vertices(things, known), arcs())


def between(things: Things, ways: Ways) -> Drawn:
    """What lies on the ways."""
    import numpy as np

    steps = sorted(ways.steps)
    types = things.edge_types(np.array([step.row for step in steps], np.uint32)).tolist()
    arcs = [
        Arc(_id(things, step.source), _id(things, step.target), things.words.types[type], step.edges)
        for step, type in zip(steps, types, strict=True)
    ]
    return Drawn(things.attributes, _vertices(things, sorted(ways.to_go)), arcs)


def _vertices(things: Things, numbers: Sequence[int]) -> Iterator[Vertex]:
    is_root = things.from_outside()
    for thing, (name, *attributes) in zip(numbers, things.told(numbers), strict=True):
        yield Vertex(_id(things, thing), things.words.label, name, tuple(attributes), bool(is_root[thing]))


def _id(things: Things, thing: int) -> str:
    return f"n{things.id_of(thing)}"
