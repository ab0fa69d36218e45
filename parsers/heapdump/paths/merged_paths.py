"""The shortest paths from roots to many objects, merged step by step, from the objects up to the roots.

    ways = MergedWays(graph.held())
    first = ways.begin(objects, weights)
    for each in ways.above(first): …         the steps that retain them, those with most weight first

Repeated steps are skipped, so that a list of a million nodes is one step, not a million.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from parsers.heapdump.paths import merged
from parsers.heapdump.paths.path_to_root import Held, Step
from parsers.heapdump.paths.reachability import NOT_REACHED


@dataclass(frozen=True, slots=True, eq=False)
class Way:
    """Paths with the same last steps."""

    below: Way | None
    """One step nearer to the objects; None for the objects themselves."""
    key: int
    """The key of the step; -1 for the objects themselves."""
    at: Any
    """uint32: current object of each path."""
    weights: Any
    """int64: weight of each path."""
    weight: int

    @property
    def ways(self) -> int:
        """Number of paths."""
        return len(self.at)


class MergedPaths:
    """Merges the paths of one heap."""

    def __init__(self, held: Held) -> None:
        self.held = held

    def begin(self, objects: Any, weights: Any) -> Way:
        """Returns the paths to reachable objects (numpy arrays)."""
        is_reached = self.held.holders[objects] != NOT_REACHED
        at, weights = objects[is_reached].astype(np.uint32), weights[is_reached].astype(np.int64)
        return Way(None, -1, at, weights, int(weights.sum()))

    def step(self, way: Way) -> Step | None:
        """Returns the last step of a group of paths; None for the objects themselves."""
        return None if way.key < 0 else self.held.step(way.key)

    def is_at_root(self, way: Way) -> bool:
        """True if the paths have reached their roots."""
        return way.key >= self.held.first_root

    def above(self, way: Way) -> Sequence[Way]:
        """Returns the paths grouped by their next steps, those with most weight first."""
        if self.is_at_root(way) or not way.ways:
            return ()
        taken: list[int] = []
        below: Way | None = way
        while below is not None and below.key >= 0 and len(taken) < merged.LONGEST_ROUND:
            taken.insert(0, below.key)
            below = below.below
        groups, above = np.empty(way.ways, np.uint32), np.empty(way.ways, np.uint32)
        met = np.empty(self.held.keys_in_all, np.uint32)
        counts, sums = (np.zeros(len(met), np.int64) for _ in range(2))
        room = np.zeros(len(self.held.holders), np.uint32), np.zeros(len(met), np.uint32)
        arrays = (way.at, way.weights, self.held.holders, self.held.keys, np.array(taken, np.uint32), *room)
        found = self._climb(arrays, (groups, above, met, counts, sums))
        ends = np.cumsum(counts[:found]).tolist()
        parted = np.empty(way.ways, np.uint32), np.empty(way.ways, np.int64)
        self._part(groups, np.array([0, *ends[:-1]], np.int64), above, way.weights, *parted)
        ways = []
        for group, end in enumerate(ends):
            at, weights = (each[end - int(counts[group]) : end] for each in parted)
            ways.append(Way(way, int(met[group]), at, weights, int(sums[group])))
        return sorted(ways, key=lambda each: (-each.weight, -each.ways))

    @cached_property
    def _climb(self) -> Callable[..., int]:
        if len(self.held.holders) <= merged.FEW:
            lists = self.held.holders.tolist(), self.held.keys.tolist()
            return lambda arrays, filled: _climb_plainly(arrays, filled, lists)
        from parsers.heapdump.paths.merged_kernel import climb

        return lambda arrays, filled: climb(*arrays, *filled)

    @cached_property
    def _part(self) -> Callable[..., None]:
        if len(self.held.holders) <= merged.FEW:
            return _part_plainly
        from parsers.heapdump.paths.merged_kernel import part_ways

        return part_ways


def _climb_plainly(arrays: Sequence[Any], filled: Sequence[Any], held: Sequence[Any]) -> int:
    at, weights, _, _, *rest = arrays
    lists = [array.tolist() for array in filled]
    found = merged.climb(at.tolist(), weights.tolist(), *held, *(each.tolist() for each in rest), *lists)
    for array, values in zip(filled, lists, strict=True):
        array[:] = values
    return found


def _part_plainly(groups: Any, starts: Any, at: Any, weights: Any, above: Any, parted: Any) -> None:
    order = np.argsort(groups, kind="stable")
    above[:], parted[:] = at[order], weights[order]
