"""The shortest paths from roots to many objects, merged step by step, from the objects up to the roots.

    paths = MergedPaths(path_steps)
    first = paths.begin(objects, weights)
    for each in paths.next_steps(first): …   the steps that retain them, those with most weight first

Repeated steps are skipped, so that a list of a million nodes is one step, not a million.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from parsers.heapdump.paths import merged
from parsers.heapdump.paths.path_to_root import PathSteps
from parsers.heapdump.paths.reachability import NOT_REACHED
from parsers.kernels.compiled import compiled

if TYPE_CHECKING:
    from parsers.model.arrays import AnyArray, I64Array, U32Array


@dataclass(frozen=True, slots=True, eq=False)
class MergedPath:
    """Paths with the same last steps."""

    previous: MergedPath | None
    """One step nearer to the objects; None for the objects themselves."""
    key: int
    """The key of the step; -1 for the objects themselves."""
    at: U32Array
    """uint32: current object of each path."""
    weights: I64Array
    """int64: weight of each path."""
    weight: int

    @property
    def paths(self) -> int:
        """Number of paths."""
        return len(self.at)


class MergedPaths:
    """Merges the paths of one heap."""

    def __init__(self, path_steps: PathSteps) -> None:
        self.path_steps = path_steps

    def begin(self, objects: AnyArray, weights: AnyArray) -> MergedPath:
        """Returns the paths to reachable objects (numpy arrays)."""
        is_reached = self.path_steps.holders[objects] != NOT_REACHED
        at, weights = objects[is_reached].astype(np.uint32), weights[is_reached].astype(np.int64)
        return MergedPath(None, -1, at, weights, int(weights.sum()))

    def is_at_root(self, path: MergedPath) -> bool:
        """True if the paths have reached their roots."""
        return path.key >= self.path_steps.first_root

    def next_steps(self, path: MergedPath) -> Sequence[MergedPath]:
        """Returns the paths grouped by their next steps, those with most weight first."""
        if self.is_at_root(path) or not path.paths:
            return ()
        steps_taken: list[int] = []
        previous: MergedPath | None = path
        while previous is not None and previous.key >= 0 and len(steps_taken) < merged.LONGEST_ROUND:
            steps_taken.insert(0, previous.key)
            previous = previous.previous
        groups, next_steps = np.empty(path.paths, np.uint32), np.empty(path.paths, np.uint32)
        group_keys = np.empty(self.path_steps.keys_in_all, np.uint32)
        counts, sums = (np.zeros(len(group_keys), np.int64) for _ in range(2))
        scratch = np.zeros(len(self.path_steps.holders), np.uint32), np.zeros(len(group_keys), np.uint32)
        arrays = (
            path.at,
            path.weights,
            self.path_steps.holders,
            self.path_steps.keys,
            np.array(steps_taken, np.uint32),
            *scratch,
        )
        found = compiled(merged.group_by_next_step)(*arrays, groups, next_steps, group_keys, counts, sums)
        ends = np.cumsum(counts[:found]).tolist()
        sorted_arrays = np.empty(path.paths, np.uint32), np.empty(path.paths, np.int64)
        compiled(merged.sort_by_group)(
            groups, np.array([0, *ends[:-1]], np.int64), next_steps, path.weights, *sorted_arrays
        )
        paths = []
        for group, end in enumerate(ends):
            members = slice(end - int(counts[group]), end)
            at, weights = sorted_arrays[0][members], sorted_arrays[1][members]
            paths.append(MergedPath(path, int(group_keys[group]), at, weights, int(sums[group])))
        return sorted(paths, key=lambda each: (-each.weight, -each.paths))
