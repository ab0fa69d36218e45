"""Nested traces: each is another trace plus one frame, so that they form a tree.

A million call paths of depth 20 take eight bytes each. Merging several threads, or by class, examines each path once
per level instead of all its frames.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from parsers.kernels.compiled import compiled
from parsers.kernels.large_pages import large
from parsers.profile.merge import MergedTree, Merging, ProfileTree, placed, places_of, sums_of
from parsers.profile.stacks import Stacks
from parsers.profile.tree_loops import HALF, LOW, add_children, merge_down, merge_up

if TYPE_CHECKING:
    from parsers.model.arrays import AnyArray, I32Array, I64Array, U32Array

MOST_CALLERS = 1 << 18
"""Nodes of a tree of callers from which no deeper level is added."""
STEPS_A_TRACE, LEAST_STEPS = 256, 1 << 22
"""Callers examined, per trace and in all at least, from which no deeper level is added. Otherwise a thread of n nested
calls would take n * n steps."""


@dataclass(frozen=True)
class NestedStacks:
    """Nested traces, with the interface of `Stacks`."""

    callers: I64Array
    """int64[traces]: the trace without its innermost frame, -1 for a single frame. It precedes the trace."""
    frame: AnyArray
    """By trace: its innermost frame."""

    @property
    def count(self) -> int:
        """Number of traces."""
        return len(self.callers)

    def of(self, trace: int) -> I64Array:
        """Returns the frames of one trace, the innermost first."""
        found = []
        while trace >= 0:
            found.append(self.frame[trace])
            trace = int(self.callers[trace])
        return np.array(found, np.int64)

    @cached_property
    def depths(self) -> I64Array:
        """Returns by trace the number of callers of its innermost frame; int64."""
        at = self.callers.copy()
        depths = (at >= 0).astype(np.int64)
        inner = np.flatnonzero(at >= 0)
        # Each round doubles the distance to the ancestor.
        while len(inner):
            depths[inner] += depths[at[inner]]
            at[inner] = at[at[inner]]
            inner = inner[at[inner] >= 0]
        return depths

    def lengths(self) -> I64Array:
        """Returns the number of frames by trace, int64."""
        return self.depths + 1

    def flat(self) -> Stacks:
        """Returns the same traces as lists of frames."""
        first = np.cumulative_sum(self.lengths(), dtype=np.int64, include_initial=True)
        frames = np.empty(int(first[-1]), np.uint32)
        traces = np.arange(self.count)
        at, place = traces, first[:-1]
        while len(at):
            frames[place] = self.frame[at]
            at = self.callers[at]
            continues = at >= 0
            at, place = at[continues], place[continues] + 1
        return Stacks(first, frames)


def nested_top_down(
    stacks: NestedStacks,
    traces: I64Array,
    weights: Sequence[I64Array],
    measured: I64Array | None,
    merging: Merging,
) -> ProfileTree:
    """Builds the call tree. Needs one row per trace, ascending, with all outer traces; ignores truncation and rings."""
    rows, nothing = len(traces), merging.no_frames
    node_of, codes = np.full(stacks.count + 1, -1, np.int32), large("i8", rows)
    inputs = traces, stacks.callers, _groups(stacks, merging), nothing, merging.folds_recursion
    count = compiled(merge_down)(*inputs, _slots(rows), node_of, codes)
    found = node_of[traces]
    merged, order = _in_preorder(codes[:count], weights, found)
    if measured is not None:
        # A measured total counts once where a node has both a trace and one of its callers.
        is_outer = node_of[stacks.callers[traces]] != found
        sums = sums_of([measured[is_outer]], found[is_outer], count)[0]
        measured = np.where(merged.key == nothing, merged.own[0], placed(sums, order))
    return ProfileTree(merged, np.zeros(count, np.bool_), measured)


def nested_bottom_up(
    stacks: NestedStacks, traces: I64Array, weights: Sequence[I64Array], merging: Merging
) -> ProfileTree:
    """Builds the callers of a profile, level by level up to a maximum size."""
    rows = len(traces)
    most = MOST_CALLERS + rows
    steps = max(STEPS_A_TRACE * rows, LEAST_STEPS)
    groups, nothing, folds = _groups(stacks, merging), merging.no_frames, merging.folds_recursion
    inputs = stacks.callers, groups, nothing, folds, MOST_CALLERS, steps
    scratch = traces.astype(np.int32), np.arange(rows, dtype=np.int32), _slots(most)
    node_of, codes, is_open = np.full(rows, -1, np.int32), large("i8", most), np.zeros(most, np.uint8)
    count = compiled(merge_up)(*inputs, *scratch, node_of, codes, is_open)
    merged, order = _in_preorder(codes[:count], weights, node_of)
    return ProfileTree(merged, placed(is_open[:count] != 0, order))


def _groups(stacks: NestedStacks, merging: Merging) -> I32Array:
    """Returns by trace the group of its innermost frame, `no_frames` for a hidden one."""
    groups = merging.group_of.astype(np.int32)
    if merging.is_hidden is not None:
        groups[merging.is_hidden] = merging.no_frames
    return groups[stacks.frame]


def _slots(most: int) -> U32Array:
    """Returns an empty hash table of nodes."""
    return large("u4", 1 << (2 * most).bit_length())


def _in_preorder(codes: I64Array, weights: Sequence[I64Array], node_of: I32Array) -> tuple[MergedTree, I64Array]:
    """Returns the tree in preorder, children heaviest first; and the new place of each node.

    codes    by node: see `add_node`
    node_of  by row: its node
    """
    count = len(codes)
    keys, parents = (codes & LOW).astype(np.int32), (codes >> HALF).astype(np.int32) - np.int32(1)
    own, counts = sums_of(weights, node_of, count), np.ones(count, np.int64)
    total = own.copy()
    for sums in (counts, *total):
        compiled(add_children)(parents, sums)
    sizes = counts.astype(np.int32)
    order, depths = places_of(parents, sizes, total[0], keys)
    row_places, end = order[node_of].astype(np.int64), placed(order + sizes, order)
    starts = np.cumulative_sum(np.bincount(row_places, minlength=count), include_initial=True)
    # Sorting distinct numbers is much faster than a stable sort of equal ones.
    pairs = row_places << HALF
    pairs |= np.arange(len(node_of))
    pairs.sort()
    tree = MergedTree(
        key=placed(keys, order),
        depth=placed(depths, order),
        # -1 stays -1.
        parent=placed(np.append(order, np.int32(-1))[parents], order),
        end=end,
        total=placed(total, order),
        own=placed(own, order),
        rows=pairs & LOW,
        row_start=starts[:-1],
        row_stop=starts[end],
        row_node=row_places,
    )
    return tree, order
