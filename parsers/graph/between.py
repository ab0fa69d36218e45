"""All paths between two sets of vertices as one small graph: shortest first, up to a maximum size."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from parsers.graph.reachability import Reached, reach
from parsers.model.none import NONE

if TYPE_CHECKING:
    from parsers.graph.adjacency import Edges
    from parsers.graph.shortest_paths import Shortest
    from parsers.model.arrays import BoolArray, I32Array, I64Array, U32Array

MOST = 1_000
"""Default maximum of steps of all paths together."""


ENOUGH = 4
"""Candidate edges that are examined, as a multiple of the maximum of steps."""


class PathEdge(NamedTuple):
    """One or several parallel edges from one vertex to another."""

    source: int
    target: int
    row: int
    """Row of the first edge."""
    edges: int
    """Number of parallel edges."""
    length: int
    """Length in steps of the shortest path through this step."""


class PathsBetween(NamedTuple):
    """The graph of all paths found."""

    steps: list[PathEdge]
    """Steps, those on the shortest paths first."""
    begin: list[int]
    """First vertices of the paths, in the order of the report."""
    distance_to_end: dict[int, int]
    """By vertex on a path: the minimum of steps left to the end."""
    left_out: int
    """Number of edges on longer paths that are not in `steps`."""
    complete_to: int
    """Maximum path length in steps up to which all paths are included."""


def find_paths_between(
    edges: Edges,
    shortest: Shortest,
    begin: BoolArray,
    end: BoolArray,
    closed: BoolArray | None = None,
    lost: BoolArray | None = None,
    most: int | None = MOST,
) -> PathsBetween:
    """Finds all paths from `begin` to `end` that touch neither in between.

    begin, end  bool by vertex
    closed      bool by vertex: may not be entered; lost: bool by edge: removed
    most        maximum of steps; None: unbounded
    """
    owners = edges.sources
    # No path leaves an end or returns to a beginning.
    is_removed = end[owners] | begin[edges.targets]
    if lost is not None:
        is_removed |= lost
    targets = np.where(is_removed, edges.size, edges.targets).astype(np.uint32)
    sources = np.where(is_removed[shortest.places], edges.size, shortest.sources).astype(np.uint32)
    down = reach(edges.starts, targets, np.flatnonzero(begin), closed)
    up = reach(shortest.in_starts, sources, np.flatnonzero(end), closed)
    places = np.flatnonzero(~is_removed & (down.distance[owners] >= 0))
    places = places[up.distance[targets[places]] >= 0]
    lengths = down.distance[owners[places]] + 1 + up.distance[targets[places]]
    steps = _steps(edges, owners, places, lengths, most)
    taken, complete_to = _take(steps, edges, shortest, owners, down, up, most)
    return _paths(steps, len(places), taken, up, complete_to)


class _Steps(NamedTuple):
    """Steps with parallel edges merged, those on the shortest paths first."""

    sources: I64Array
    targets: I64Array
    rows: U32Array
    """Row of the first edge."""
    edges: I64Array
    """Number of parallel edges."""
    lengths: I32Array


def _steps(edges: Edges, owners: U32Array, places: I64Array, lengths: I32Array, most: int | None) -> _Steps:
    """Merges the edges at these places; only those on the shortest paths if there are too many."""
    counts = np.cumsum(np.bincount(lengths)) if len(lengths) else np.zeros(1, np.int64)
    bound = len(counts) - 1 if most is None else int(np.searchsorted(counts, ENOUGH * most))
    while True:
        near = lengths <= bound
        steps = _merged(edges, owners, places[near], lengths[near])
        if bound >= len(counts) - 1 or len(steps.sources) > (most or 0):
            return steps
        # Many edges between few vertices.
        bound = int(np.searchsorted(counts, ENOUGH * counts[bound], "right"))


def _merged(edges: Edges, owners: U32Array, places: I64Array, lengths: I32Array) -> _Steps:
    keys = owners[places].astype(np.uint64) << np.uint64(32) | edges.targets[places]
    keys, firsts, counts = np.unique(keys, return_index=True, return_counts=True)
    sources, targets = (keys >> np.uint64(32)).astype(np.int64), (keys & np.uint64(NONE)).astype(np.int64)
    order = np.lexsort((firsts, lengths[firsts]))
    firsts = firsts[order]
    return _Steps(sources[order], targets[order], edges.rows[places[firsts]], counts[order], lengths[firsts])


def _take(
    steps: _Steps, edges: Edges, shortest: Shortest, owners: U32Array, down: Reached, up: Reached, most: int | None
) -> tuple[set[tuple[int, int]], int]:
    """Selects pairs of vertices so that whole paths fit; also returns the length up to which all paths are included."""
    taken: set[tuple[int, int]] = set()
    for place in range(len(steps.sources)):
        source, target = int(steps.sources[place]), int(steps.targets[place])
        if (source, target) in taken:
            continue
        if most is not None and len(taken) >= most:
            return taken, int(steps.lengths[place]) - 1
        taken.add((source, target))
        while down.via[source] != NONE:
            above = int(owners[down.via[source]])
            if (above, source) in taken:
                break
            taken.add((above, source))
            source = above
        while up.via[target] != NONE:
            below = int(edges.targets[shortest.places[up.via[target]]])
            if (target, below) in taken:
                break
            taken.add((target, below))
            target = below
    return taken, int(steps.lengths.max(initial=0))


def _paths(steps: _Steps, edges: int, taken: set[tuple[int, int]], up: Reached, complete_to: int) -> PathsBetween:
    """Builds the result. edges: total number of edges on paths"""
    wanted = np.array([source << 32 | target for source, target in taken], np.int64)
    is_taken = np.isin(steps.sources << 32 | steps.targets, wanted)
    found = [PathEdge(*values) for values in zip(*(each[is_taken].tolist() for each in steps), strict=True)]
    inner = {step.target for step in found}
    begin = sorted({step.source for step in found} - inner)
    distance_to_end = {vertex: int(up.distance[vertex]) for step in found for vertex in step[:2]}
    return PathsBetween(found, begin, distance_to_end, edges - int(steps.edges[is_taken].sum()), complete_to)
