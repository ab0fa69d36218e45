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
    distances = _Distances(graph)
    left = [(object, list[int]())]
    while left:
        here, steps = left.pop()
        reached_by = graph.reached_by(here)
        if reached_by == FROM_ROOT:
            yield steps[::-1]
            continue
        wanted, takes_weak = distances.of(here) - 1, _is_weak(graph, reached_by)
        found = [reached_by]
        for site in graph.referrers(here):
            if site < graph.references and site != reached_by and takes_weak >= _is_weak(graph, site):
                owner = graph.owner(site)
                if graph.reached_by(owner) != NOT_REACHED and distances.of(owner) == wanted:
                    found.append(site)
        # The stack is popped from its end.
        left += [(graph.owner(site), [*steps, site]) for site in reversed(found)]


def _is_weak(graph: ObjectGraph, site: int) -> bool:
    return graph.has_weak and site < graph.references and graph.is_weak(site)


class _Distances:
    """Distances from a root, by object, cached as requested."""

    def __init__(self, graph: ObjectGraph) -> None:
        self._graph = graph
        self._known: dict[int, int] = {}

    def of(self, object: int) -> int:
        graph, above = self._graph, list[int]()
        while object not in self._known:
            reached_by = graph.reached_by(object)
            if reached_by == FROM_ROOT:
                self._known[object] = 0
                break
            above.append(object)
            object = graph.owner(reached_by)
        distance = self._known[object]
        for each in reversed(above):
            distance += 1
            self._known[each] = distance
        return self._known[above[0]] if above else distance
