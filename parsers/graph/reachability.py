"""Reachability and shortest paths in a graph: breadth-first search, a whole level at a time.

Three million edges take 60 ms without compiled code, so it runs in the process of the screen.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from parsers.graph.graph_algorithms import ROOT
from parsers.model.none import NONE

if TYPE_CHECKING:
    from parsers.model.arrays import AnyArray, BoolArray, I32Array, U32Array

FEW = 24
"""Size of levels that are processed vertex by vertex; long chains have one vertex per level."""
NOT_REACHED, CLOSED = -1, -2
"""As a distance: unreachable; may not be entered."""


class Reached(NamedTuple):
    """Result of a search."""

    distance: I32Array
    """int32 by vertex: edges on a shortest path; NOT_REACHED, or CLOSED for vertices that may not be entered."""
    via: U32Array
    """uint32 by vertex: the edge that first leads to it; NONE for starting points and unreachable vertices."""


def reach(starts: U32Array, targets: U32Array, begin: AnyArray, closed: BoolArray | None = None) -> Reached:
    """Searches from all of `begin`.

    starts, targets  uint32[n+1], uint32: edges by source; the target `n` means none
    closed           bool[n]: may not be entered, and is not left if the search begins there
    """
    count = len(starts) - 1
    distance, via = np.full(count + 1, NOT_REACHED, np.int32), np.full(count + 1, NONE, np.uint32)
    distance[count] = CLOSED
    if closed is not None:
        distance[:count][closed] = CLOSED
    front = np.unique(np.asarray(begin, np.uint32))
    front = front[distance[front] == NOT_REACHED]
    distance[front] = 0
    spread(starts, targets, distance, via, front)
    return Reached(distance[:count], via[:count])


def parents_of(sources: U32Array, reached: Reached) -> U32Array:
    """Returns the source of the edge that first leads to each vertex: uint32; ROOT for starting points, else NONE.

    sources  uint32 by edge: its source, as `Edges.sources`
    """
    parents = np.full(len(reached.distance), NONE, np.uint32)
    parents[reached.distance == 0] = ROOT
    has_incoming = reached.via != NONE
    parents[has_incoming] = sources[reached.via[has_incoming]]
    return parents


class Seeds(NamedTuple):
    """Edges from reached to unreached vertices, those on shorter paths first."""

    levels: I32Array
    """int32: the distance of the target."""
    edges: U32Array
    vertices: U32Array
    """uint32: the target."""


NO_SEEDS = Seeds(np.empty(0, np.int32), np.empty(0, np.uint32), np.empty(0, np.uint32))


def spread(
    starts: U32Array, targets: U32Array, distance: I32Array, via: U32Array, front: U32Array, seeds: Seeds = NO_SEEDS
) -> None:
    """Continues from `front`, vertices at distance 0, and from seeds to all vertices that are NOT_REACHED.

    distance, via  as in `Reached`, with one more element for the target `n`; updated
    """
    level = begin = 0
    while len(front) or begin < len(seeds.levels):
        level = level + 1 if len(front) else int(seeds.levels[begin])
        if len(front):
            go = _one_by_one if len(front) <= FEW else _all_at_once
            front = go(starts, targets, front, distance, via, level)
        end = bisect_right(seeds.levels, level)
        if end > begin:
            found = _first_of_each(seeds.vertices[begin:end], seeds.edges[begin:end], distance, via, level)
            front, begin = np.append(front, found), end


def _first_of_each(
    reached_targets: U32Array, edges: U32Array, distance: I32Array, via: AnyArray, level: int,
) -> U32Array:  # fmt: skip
    """Sets the first edge to each unreached target; returns those targets without repetition."""
    is_new = distance[reached_targets] == NOT_REACHED
    reached_targets, edges = reached_targets[is_new], edges[is_new]
    via[reached_targets[::-1]] = edges[::-1]
    found: U32Array = reached_targets[via[reached_targets] == edges]
    distance[found] = level
    return found


def ranges(firsts: AnyArray, ends: AnyArray) -> U32Array:
    """Returns the numbers of several ranges, concatenated: uint32."""
    counts = (ends - firsts).astype(np.uint32)
    behind = np.cumsum(counts, dtype=np.uint32)
    # Negative differences cancel out in the sum.
    found = np.repeat(firsts.astype(np.uint32) - (behind - counts), counts)
    found += np.arange(len(found), dtype=np.uint32)
    return found


def _all_at_once(
    starts: U32Array, targets: U32Array, front: U32Array, distance: I32Array, via: AnyArray, level: int
) -> U32Array:
    edges = ranges(starts[front], starts[front + 1])
    return _first_of_each(targets[edges], edges, distance, via, level)


def _one_by_one(
    starts: U32Array, targets: U32Array, front: U32Array, distance: I32Array, via: U32Array, level: int
) -> U32Array:
    found = []
    for vertex in front.tolist():
        first, end = int(starts[vertex]), int(starts[vertex + 1])
        for edge, target in enumerate(targets[first:end].tolist(), first):
            if distance[target] == NOT_REACHED:
                distance[target], via[target] = level, edge
                found.append(target)
    return np.array(found, np.uint32)


def owner_of(starts: U32Array, edge: int) -> int:
    """Returns the source of an edge."""
    return bisect_right(starts, edge) - 1


def path_to(starts: U32Array, reached: Reached, vertex: int) -> list[int]:
    """Returns the edges of a shortest path to a vertex, first edge first."""
    edges = []
    while reached.via[vertex] != NONE:
        edges.append(int(reached.via[vertex]))
        vertex = owner_of(starts, edges[-1])
    return edges[::-1]
