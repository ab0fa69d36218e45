"""The shortest paths from a root to one object: the one in the index, and all others of equal length."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from parsers.heapdump.paths.reachability import FROM_ROOT, NOT_REACHED

if TYPE_CHECKING:
    from parsers.heapdump.graph.object_graph import ObjectGraph


def steps_to_root(graph: ObjectGraph, object: int) -> Iterator[int]:
    """Yields the sites of the shortest path from a root to an object, the last one first; none if it has a root."""
    reached_by = graph.reached_by(object)
    while reached_by != FROM_ROOT and reached_by != NOT_REACHED:
        yield reached_by
        reached_by = graph.reached_by(graph.owner(reached_by))


def steps_from_root(graph: ObjectGraph, object: int) -> list[int]:
    """Returns these sites in the order of the path."""
    return [*steps_to_root(graph, object)][::-1]


def all_shortest_paths(graph: ObjectGraph, object: int) -> Iterator[list[int]]:
    """Yields all paths as short as that one, which is the first, each as its sites.

    Weak references are followed where the path in the index follows them.
    """
    known: dict[int, int] = {}
    left = [(object, list[int]())]
    while left:
        here, steps = left.pop()
        reached_by = graph.reached_by(here)
        if reached_by == FROM_ROOT:
            yield steps[::-1]
            continue
        wanted, takes_weak = _distance(graph, here, known) - 1, _is_weak(graph, reached_by)
        found = [reached_by]
        for site in graph.referrers(here):
            if site < graph.references and site != reached_by and takes_weak >= _is_weak(graph, site):
                owner = graph.owner(site)
                if graph.reached_by(owner) != NOT_REACHED and _distance(graph, owner, known) == wanted:
                    found.append(site)
        # The stack is popped from its end.
        left += [(graph.owner(site), [*steps, site]) for site in reversed(found)]


def _is_weak(graph: ObjectGraph, site: int) -> bool:
    return graph.has_weak and site < graph.references and graph.is_weak(site)


def _distance(graph: ObjectGraph, object: int, known: dict[int, int]) -> int:
    """Returns the distance of an object from a root. known: distances by object, completed here"""
    above = list[int]()
    while object not in known and (reached_by := graph.reached_by(object)) != FROM_ROOT:
        above.append(object)
        object = graph.owner(reached_by)
    nearest = known.setdefault(object, 0)
    known.update((each, nearest + steps) for steps, each in enumerate(reversed(above), 1))
    return nearest + len(above)
