"""The children of each object in the dominator tree, and retained sizes of groups, such as all objects of a class.

The retained size of a group is the sum over its objects, except those dominated by another object of the group:
their retained size is part of that one's. So each byte counts once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from parsers.graph.dominator_tree.semi_nca import NOT_REACHED, ROOTS
from parsers.index.scratch import Scratch, anonymous
from parsers.kernels.compiled import compiled
from parsers.model.late import numpy as np

if TYPE_CHECKING:
    from parsers.model.arrays import I64Array, Numbers, U32Array


class DominatedSums(NamedTuple):
    """Result of `find_dominated`."""

    dominated: U32Array
    """uint32: all reachable objects by dominator; at the end those that no single object dominates."""
    sums: I64Array
    """int64[groupings, groups]: retained size of each group."""


def sort_by_dominator(dominators: Numbers, starts: Numbers, dominated: Numbers) -> None:
    """Sorts objects by dominator, stably.

    dominators  uint32[n]
    starts      uint32[n+3], zeros; filled: children of an object are at starts[object] … starts[object + 1];
                n represents all roots
    dominated   uint32[n], filled
    """
    count = len(dominators)
    for object in range(count):
        above = dominators[object]
        if above < ROOTS:
            starts[above + 2] += 1
        elif above == ROOTS:
            starts[count + 2] += 1
    for place in range(1, count + 3):
        starts[place] += starts[place - 1]
    for object in range(count):
        above = dominators[object]
        if above != NOT_REACHED:
            if above == ROOTS:
                above = count
            dominated[starts[above + 1]] = object
            starts[above + 1] += 1


def add_groups(
    starts: Numbers, dominated: Numbers, retained: Numbers, types: Numbers, groups: Numbers, groupings: int,
    holders: Numbers, sums: Numbers, stack: Numbers, cursors: Numbers,
) -> None:  # fmt: skip
    """Computes retained sizes of all groups, top-down. Inside an open group nothing is added to it.

    starts, dominated  results of `sort_by_dominator`
    retained           int64[n]
    types              uint32[n]
    groups             uint32[groupings * types]: the group of each type, grouping after grouping
    holders            uint32[groupings * types], zeros: by group 1 + the object that opened it
    sums               int64[groupings * types], zeros; filled: by group
    stack, cursors     uint32[n+1]: ancestors, and the next child of each
    """
    count, width = len(types), len(groups) // groupings
    depth = 0
    stack[0], cursors[0] = count, starts[count]
    while depth >= 0:
        here = stack[depth]
        place = cursors[depth]
        if place < starts[here + 1]:
            cursors[depth] = place + 1
            object = dominated[place]
            has_more = starts[object] < starts[object + 1]
            for grouping in range(groupings):
                group = grouping * width + groups[grouping * width + types[object]]
                if holders[group] == 0:
                    sums[group] += retained[object]
                    if has_more:
                        holders[group] = object + 1
            if has_more:
                depth += 1
                stack[depth] = object
                cursors[depth] = starts[object]
        else:
            if here < count:
                for grouping in range(groupings):
                    group = grouping * width + groups[grouping * width + types[here]]
                    if holders[group] == here + 1:
                        holders[group] = 0
            depth -= 1


def find_dominated(
    dominators: U32Array,
    retained: I64Array,
    types: U32Array,
    groups: U32Array,
    scratch: Scratch = anonymous,
) -> DominatedSums:
    """Sorts objects by their dominators, and adds up the retained sizes of groups.

    groups   uint32[groupings, types]
    scratch  makes the tables, also that of the result
    """
    count, flat = len(dominators), np.ascontiguousarray(groups, np.uint32).reshape(-1)
    reached = int(np.count_nonzero(np.asarray(dominators) != NOT_REACHED))
    starts, stack, cursors = (scratch(name, "u4", count + 3) for name in ("starts_below", "stack", "cursors_below"))
    dominated = scratch("dominated", "u4", count)
    sums, holders = np.zeros(len(flat), np.int64), np.zeros(len(flat), np.uint32)
    compiled(sort_by_dominator)(dominators, starts, dominated)
    compiled(add_groups)(starts, dominated, retained, types, flat, len(groups), holders, sums, stack, cursors)
    return DominatedSums(dominated[:reached], sums.reshape(groups.shape))
