"""What is reached in a graph, and by which shortest ways: breadth first with whole levels at a time.

Sixty milliseconds for three million edges, without compiled code, so in the process that has the screen.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from parsers.graph.graph_algorithms import NONE

FEW = 24
"""Things of a level that are gone through one by one; long chains are levels of one thing each."""
NOT_REACHED, CLOSED = -1, -2
"""In place of a distance."""


class Reached(NamedTuple):
    """What a search has found."""

    distance: Any
    """int32 by thing: edges on a shortest way; NOT_REACHED, or CLOSED for what may not be entered."""
    via: Any
    """uint32 by thing: the edge that leads to it first; NONE for what the search began with or did not reach."""


def reach(starts: Any, targets: Any, begin: Any, closed: Any = None) -> Reached:
    """Goes from all of `begin`.

    starts, targets  uint32[n+1], uint32: edges by where they begin; what leads to `n` leads nowhere
    closed           bool[n]: what may not be entered, and is not left if the search begins there
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


class Seeds(NamedTuple):
    """Edges from what is reached already to what is not, those that make shorter ways first."""

    levels: Any
    """int32: how far what they lead to would be."""
    edges: Any
    things: Any
    """uint32: what they lead to."""


NO_SEEDS = Seeds(*(np.empty(0, kind) for kind in (np.int32, np.uint32, np.uint32)))


def spread(starts: Any, targets: Any, distance: Any, via: Any, front: Any, seeds: Seeds = NO_SEEDS) -> None:
    """Goes on from `front`, things at the distance 0, and along seeds, to all that is NOT_REACHED yet.

    distance, via  of `Reached`, and one of each more, for what leads nowhere; written
    """
    level = begin = 0
    while len(front) or begin < len(seeds.levels):
        level = level + 1 if len(front) else int(seeds.levels[begin])
        if len(front):
            go = _one_by_one if len(front) <= FEW else _all_at_once
            front = go(starts, targets, front, distance, via, level)
        end = int(np.searchsorted(seeds.levels, level, "right"))
        if end > begin:
            found = _first_of_each(seeds.things[begin:end], seeds.edges[begin:end], distance, via, level)
            front, begin = np.append(front, found), end


def _first_of_each(met: Any, edges: Any, distance: Any, via: Any, level: int) -> Any:
    """Of several edges to a thing that is not reached yet the first one counts, and its target once."""
    is_new = distance[met] == NOT_REACHED
    met, edges = met[is_new], edges[is_new]
    via[met[::-1]] = edges[::-1]
    found = met[via[met] == edges]
    distance[found] = level
    return found


def ranges(firsts: Any, ends: Any) -> Any:
    """Numbers of several ranges, one range behind the other: uint32."""
    counts = (ends - firsts).astype(np.uint32)
    behind = np.cumsum(counts, dtype=np.uint32)
    # Differences below zero come right again in the sum.
    found = np.repeat(firsts.astype(np.uint32) - (behind - counts), counts)
    found += np.arange(len(found), dtype=np.uint32)
    return found


def _all_at_once(starts: Any, targets: Any, front: Any, distance: Any, via: Any, level: int) -> Any:
    edges = ranges(starts[front], starts[front + 1])
    return _first_of_each(targets[edges], edges, distance, via, level)


def _one_by_one(starts: Any, targets: Any, front: Any, distance: Any, via: Any, level: int) -> Any:
    found = []
    for thing in front.tolist():
        first, end = int(starts[thing]), int(starts[thing + 1])
        for edge, target in enumerate(targets[first:end].tolist(), first):
            if distance[target] == NOT_REACHED:
                distance[target], via[target] = level, edge
                found.append(target)
    return np.array(found, np.uint32)


def owner_of(starts: Any, edge: int) -> int:
    """The thing that an edge begins at."""
    return int(np.searchsorted(starts, edge, "right")) - 1


def way(starts: Any, reached: Reached, thing: int) -> list[int]:
    """Edges of a shortest way to a thing, the first one first."""
    edges = []
    while reached.via[thing] != NONE:
        edges.append(int(reached.via[thing]))
        thing = owner_of(starts, edges[-1])
    return edges[::-1]
