"""A shortest way to each thing, all of them as one tree, and what leads to each thing.

What a cut may take lies below it in this tree, as all else has a way without it: so only that is looked at, and what
leads there.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from parsers.graph.adjacency import Edges, loops_for
from parsers.graph.dominators import in_rows
from parsers.graph.graph_algorithms import NONE, ROOT
from parsers.graph.reachability import CLOSED, NOT_REACHED, Reached, Seeds, ranges, reach, spread

ALL = 3
"""What leads to lost things is gone through that much slower than all edges from the roots on."""


class Shortest(NamedTuple):
    """Ways from outside, and edges the other way round."""

    distance: Any
    """uint32 by thing: edges on a shortest way; NONE for what is not reached."""
    via: Any
    """uint32 by thing: the last edge of that way; NONE for what is reached from outside, or not at all."""
    order: Any
    """uint32: things as the tree of ways has them, each before those that ways lead to through it."""
    place: Any
    """uint32 by thing: where it stands in `order`; NONE for what is not reached."""
    end: Any
    """uint32 by place: the first one behind all that ways lead to through that thing."""
    in_starts: Any
    """uint32[n+1]: where the edges that lead to each thing begin."""
    sources: Any
    """uint32: of each of those edges where it begins."""
    places: Any
    """uint32: of each its place among the edges by what they begin at."""


def find_shortest(edges: Edges, run: Any = None) -> Shortest:
    """Of a graph. run: the loops, by default as it takes least time"""
    run = run or loops_for(len(edges.targets))
    in_starts = np.zeros(edges.size + 2, np.uint32)
    sources, places = (np.empty(len(edges.targets), np.uint32) for _ in range(2))
    run.turn(edges.starts, edges.targets, in_starts, sources, places)
    distance, via = reach(edges.starts, edges.targets, edges.roots)
    above = np.full(edges.size, NONE, np.uint32)
    above[distance == 0] = ROOT
    is_led_to = via != NONE
    owners = np.repeat(np.arange(edges.size, dtype=np.uint32), np.diff(edges.starts.astype(np.int64)))
    above[is_led_to] = owners[via[is_led_to]]
    nothing = np.zeros(edges.size, np.uint32)
    rows = in_rows(run, above, nothing, nothing)
    return Shortest(distance.view(np.uint32), via, rows.number, rows.row, rows.end, in_starts[:-1], sources, places)


def reach_without(edges: Edges, shortest: Shortest, closed: Any, lost: Any, roots: Any) -> tuple[Reached, Any]:
    """What is left without some things, edges and roots, by shortest ways; and what is reached no more.

    closed  uint32: things that may not be entered; lost: places of edges that are not there; roots: of roots
    Gives what a search would find, and things that it would find no more, in the order of the report.
    """
    nowhere = edges.size
    # NONE is NOT_REACHED there.
    distance, via = np.append(shortest.distance.view(np.int32), np.int32(CLOSED)), np.append(shortest.via, NONE)
    is_first = via[edges.targets[lost]] == lost
    below = _below(shortest, np.concatenate([closed, edges.targets[lost[is_first]], edges.roots[roots]]))
    distance[below], via[below] = NOT_REACHED, NONE
    distance[closed] = CLOSED
    targets = edges.targets
    if len(lost):
        targets = targets.copy()
        targets[lost] = nowhere
    entries = int((shortest.in_starts[below + 1] - shortest.in_starts[below]).sum())
    if ALL * entries > len(edges.targets) + ALL * len(edges.roots):
        distance[:] = CLOSED
        distance[:nowhere], via[:nowhere] = _reach_anew(edges, targets, closed, roots)
    elif len(below):
        is_root = np.zeros(nowhere, bool)
        is_root[np.delete(edges.roots, roots)] = True
        front = below[is_root[below] & (distance[below] == NOT_REACHED)]
        distance[front] = 0
        seeds = _seeds(shortest, targets, below[distance[below] == NOT_REACHED], distance, nowhere)
        spread(edges.starts, targets, distance, via, front, seeds)
    gone = np.sort(below[distance[below] < 0])
    return Reached(distance[:nowhere], via[:nowhere]), gone


def _reach_anew(edges: Edges, targets: Any, closed: Any, roots: Any) -> Reached:
    """The same by searching from all roots that are left."""
    is_closed = np.zeros(edges.size, bool)
    is_closed[closed] = True
    return reach(edges.starts, targets, np.delete(edges.roots, roots), is_closed)


def _seeds(shortest: Shortest, targets: Any, things: Any, distance: Any, nowhere: int) -> Seeds:
    """Edges to some things from what is reached."""
    firsts, ends = shortest.in_starts[things], shortest.in_starts[things + 1]
    entries = ranges(firsts, ends)
    levels = distance[shortest.sources[entries]] + np.int32(1)
    which = np.flatnonzero(levels > 0)
    edges, levels = shortest.places[entries[which]], levels[which]
    led_to = np.repeat(things, ends - firsts)[which]
    is_there = targets[edges] != nowhere
    edges, levels, led_to = edges[is_there], levels[is_there], led_to[is_there]
    # Numbers of 16 bits are sorted without comparing.
    order = np.argsort(levels.astype(np.uint16) if levels.max(initial=0) < 1 << 16 else levels, kind="stable")
    return Seeds(levels[order], edges[order], led_to[order])


def _below(shortest: Shortest, tops: Any) -> Any:
    """uint32: some things, and all that the tree has below them; none that is not reached."""
    is_top = np.zeros(len(shortest.order) + 1, bool)
    is_top[np.minimum(shortest.place[tops], len(shortest.order))] = True
    places = np.flatnonzero(is_top[:-1])
    ends = shortest.end[places].astype(np.int64)
    # What stands below another one is there already.
    is_outer = np.ones(len(places), bool)
    is_outer[1:] = places[1:] >= np.maximum.accumulate(ends)[:-1]
    return shortest.order[ranges(places[is_outer], ends[is_outer])]
