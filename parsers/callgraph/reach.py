"""What is reached in a graph, and by which shortest ways: breadth first with whole levels at a time.

Sixty milliseconds for three million edges, without compiled code, so in the process that has the screen.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from parsers.callgraph.loops import NONE

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
    distance[front] = level = 0
    while len(front):
        level += 1
        go = _one_by_one if len(front) <= FEW else _all_at_once
        front = go(starts, targets, front, distance, via, level)
    return Reached(distance[:count], via[:count])


def _all_at_once(starts: Any, targets: Any, front: Any, distance: Any, via: Any, level: int) -> Any:
    firsts = starts[front]
    counts = starts[front + 1] - firsts
    ends = np.cumsum(counts, dtype=np.uint32)
    # Differences below zero come right again in the sum.
    edges = np.repeat(firsts - (ends - counts), counts)
    edges += np.arange(len(edges), dtype=np.uint32)
    met = targets[edges]
    is_new = distance[met] == NOT_REACHED
    met, edges = met[is_new], edges[is_new]
    # Of several edges the first one counts, and its target once.
    via[met[::-1]] = edges[::-1]
    found = met[via[met] == edges]
    distance[found] = level
    return found


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
