"""The tree of shortest paths from the roots, and the transposed graph.

A cut can only affect descendants in this tree: all other vertices have a path without the cut. So only the
descendants are examined, and the edges to them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from parsers.graph.adjacency import Edges
from parsers.graph.dominators import tree_rows
from parsers.graph.reachability import CLOSED, NOT_REACHED, Reached, Seeds, parents_of, ranges, reach, spread
from parsers.kernels.places import sorted_places
from parsers.model.none import NONE

if TYPE_CHECKING:
    from parsers.model.arrays import I32Array, U32Array

ALL = 3
"""Cost of examining an edge to an affected vertex, relative to an edge of a full search."""


class Shortest(NamedTuple):
    """Shortest paths from the roots, and the transposed graph."""

    distance: U32Array
    """uint32 by vertex: edges on a shortest path; NONE if unreachable."""
    via: U32Array
    """uint32 by vertex: the last edge of that path; NONE for entry points and unreachable vertices."""
    order: U32Array
    """uint32: vertices in preorder of the tree of paths."""
    place: U32Array
    """uint32 by vertex: its place in `order`; NONE if unreachable."""
    end: U32Array
    """uint32 by place: the first place after its descendants."""
    in_starts: U32Array
    """uint32[n+1]: first incoming edge of each vertex."""
    sources: U32Array
    """uint32 by incoming edge: its source."""
    places: U32Array
    """uint32 by incoming edge: its place among the edges sorted by source."""


def find_shortest(edges: Edges) -> Shortest:
    """Computes shortest paths."""
    in_starts, places = sorted_places(edges.targets, edges.size)
    reached, sources = reach(edges.starts, edges.targets, edges.roots), edges.sources
    nothing = np.zeros(edges.size, np.uint32)
    rows = tree_rows(parents_of(sources, reached), nothing, nothing)
    return Shortest(
        reached.distance.view(np.uint32), reached.via, rows.number, rows.row, rows.end, in_starts,
        sources[places], places,
    )  # fmt: skip


def reach_without(
    edges: Edges, shortest: Shortest, closed: U32Array, lost: U32Array, roots: U32Array
) -> tuple[Reached, U32Array]:
    """Computes reachability and shortest paths without some vertices, edges and roots.

    closed  uint32: vertices that may not be entered; lost: places of removed edges; roots: places of removed roots
    Returns the result of a search, and the vertices that become unreachable, in the order of the report.
    """
    nowhere = edges.size
    # NONE becomes NOT_REACHED as int32.
    distance, via = np.append(shortest.distance.view(np.int32), np.int32(CLOSED)), np.append(shortest.via, NONE)
    is_first = via[edges.targets[lost]] == lost
    descendants = _descendants(shortest, np.concatenate([closed, edges.targets[lost[is_first]], edges.roots[roots]]))
    distance[descendants], via[descendants] = NOT_REACHED, NONE
    distance[closed] = CLOSED
    targets = edges.targets
    if len(lost):
        targets = targets.copy()
        targets[lost] = nowhere
    entries = int((shortest.in_starts[descendants + 1] - shortest.in_starts[descendants]).sum())
    if ALL * entries > len(edges.targets) + ALL * len(edges.roots):
        distance[:] = CLOSED
        distance[:nowhere], via[:nowhere] = _reach_in_full(edges, targets, closed, roots)
    elif len(descendants):
        is_root = np.zeros(nowhere, bool)
        is_root[np.delete(edges.roots, roots)] = True
        front = descendants[is_root[descendants] & (distance[descendants] == NOT_REACHED)]
        distance[front] = 0
        seeds = _seeds(shortest, targets, descendants[distance[descendants] == NOT_REACHED], distance, nowhere)
        spread(edges.starts, targets, distance, via, front, seeds)
    unreachable = np.sort(descendants[distance[descendants] < 0])
    return Reached(distance[:nowhere], via[:nowhere]), unreachable


def _reach_in_full(edges: Edges, targets: U32Array, closed: U32Array, roots: U32Array) -> Reached:
    """Computes the same by a full search from the remaining roots."""
    is_closed = np.zeros(edges.size, bool)
    is_closed[closed] = True
    return reach(edges.starts, targets, np.delete(edges.roots, roots), is_closed)


def _seeds(shortest: Shortest, targets: U32Array, vertices: U32Array, distance: I32Array, nowhere: int) -> Seeds:
    """Returns the edges from reached vertices to these."""
    firsts, ends = shortest.in_starts[vertices], shortest.in_starts[vertices + 1]
    entries = ranges(firsts, ends)
    levels = distance[shortest.sources[entries]] + np.int32(1)
    which = np.flatnonzero(levels > 0)
    edges, levels = shortest.places[entries[which]], levels[which]
    seed_targets = np.repeat(vertices, ends - firsts)[which]
    is_there = targets[edges] != nowhere
    edges, levels, seed_targets = edges[is_there], levels[is_there], seed_targets[is_there]
    # 16-bit numbers are radix sorted.
    order = np.argsort(levels.astype(np.uint16) if levels.max(initial=0) < 1 << 16 else levels, kind="stable")
    return Seeds(levels[order], edges[order], seed_targets[order])


def _descendants(shortest: Shortest, tops: U32Array) -> U32Array:
    """Returns these vertices and their descendants in the tree, without unreachable ones: uint32."""
    is_top = np.zeros(len(shortest.order) + 1, bool)
    is_top[np.minimum(shortest.place[tops], len(shortest.order))] = True
    places = np.flatnonzero(is_top[:-1])
    ends = shortest.end[places].astype(np.int64)
    # Skips vertices that are descendants of an earlier one.
    is_outer = np.ones(len(places), bool)
    is_outer[1:] = places[1:] >= np.maximum.accumulate(ends)[:-1]
    return shortest.order[ranges(places[is_outer], ends[is_outer])]
