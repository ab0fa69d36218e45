"""Nested traces: each is another trace plus one frame, so that they form a tree.

A million call paths of depth 20 take eight bytes each. Merging several threads, or by class, examines each path once
per level instead of all its frames.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from parsers.kernels.compiled import run_loop
from parsers.profile.merge import FEW, MergedTree, Merging, placed, places_of, sums_of
from parsers.profile.stacks import Stacks, starts_of
from parsers.profile.tree_loops import DEEPEST, add_children

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from parsers.model.arrays import AnyArray, I64Array

MOST_CALLERS = 1 << 18
"""Nodes of a tree of callers from which no deeper level is added."""
STEPS_A_TRACE, LEAST_STEPS = 256, 1 << 22
"""Callers examined, per trace and in all at least, from which no deeper level is added. Otherwise a thread of n nested
calls would take n * n steps."""


@dataclass(frozen=True)
class NestedStacks:
    """Nested traces, with the interface of `Stacks`."""

    callers: NDArray[Any]
    """int64[traces]: the trace without its innermost frame, -1 for a single frame. It precedes the trace."""
    frame: NDArray[Any]
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
        first = starts_of(self.lengths())
        frames = np.empty(int(first[-1]), np.uint32)
        traces = np.arange(self.count)
        at, place = traces, first[:-1]
        while len(at):
            frames[place] = self.frame[at]
            at = self.callers[at]
            continues = at >= 0
            at, place = at[continues], place[continues] + 1
        return Stacks(first, frames)


@dataclass(frozen=True)
class NestedTree:
    """A merged tree, with properties of its nodes."""

    merged: MergedTree
    is_open: NDArray[Any]
    """By node: True if further callers are omitted."""
    measured: NDArray[Any] | None
    """By node: the measured total including calls; None: not measured."""


def nested_top_down(
    stacks: NestedStacks,
    traces: I64Array,
    weights: Sequence[I64Array],
    measured: I64Array | None,
    merging: Merging,
) -> NestedTree:
    """Builds the call tree. Needs one row per trace, with all outer traces; ignores truncation and rings."""
    place = np.full(stacks.count + 1, -1, np.int64)
    place[traces] = np.arange(len(traces))
    callers = place[stacks.callers[traces]]
    frames = stacks.frame[traces]
    keys_of, head, outer, depths = _heads(stacks.depths[traces], callers, frames, merging)
    node_of = np.full(len(traces) + 1, -1, np.int64)
    found, count = [np.zeros(0, np.int64)], 0
    heads = np.flatnonzero(head == np.arange(len(traces)))
    for rows in _by_depth(depths[heads]):
        rows = heads[rows]
        codes, number = np.unique((node_of[outer[rows]] + 1 << 32) | keys_of[rows], return_inverse=True)
        node_of[rows] = count + number.reshape(-1)
        found.append(codes)
        count += len(codes)
    keys, parents = _number_distinct(found)
    node_of[:-1] = node_of[head]
    own_sums = sums_of(weights, node_of[:-1], len(keys))
    merged, order = _in_preorder(keys, parents, own_sums, node_of[:-1])
    if measured is not None:
        # A measured total counts once where a node has both a trace and one of its callers.
        is_outer = node_of[callers] != node_of[:-1]
        sums = np.zeros(len(keys), np.int64)
        np.add.at(sums, node_of[:-1][is_outer], measured[is_outer])
        measured = placed(np.where(keys == merging.no_frames, own_sums[0], sums), order)
    return NestedTree(merged, np.zeros(len(keys), np.bool_), measured)


def _heads(
    depths: I64Array, callers: I64Array, frames: AnyArray, merging: Merging
) -> tuple[I64Array, I64Array, I64Array, I64Array]:
    """Returns the traces without hidden frames, and with direct recursion folded.

    By trace: its key, the equal trace (mostly itself), the parent of that (-1: none), its depth.
    """
    keys, head = merging.group_of[frames].astype(np.int64), np.arange(len(frames))
    if merging.is_hidden is None and not merging.folds_recursion:
        return keys, head, callers, depths
    hidden = np.zeros(len(frames), np.bool_) if merging.is_hidden is None else merging.is_hidden[frames]
    outer, left = callers.copy(), np.zeros(len(frames) + 1, np.int64)
    left[-1] = -1
    keys = np.append(keys, -1)
    for rows in _by_depth(depths):
        around = callers[rows]
        # Frames without a shown caller are at the top.
        around = np.where((keys[around] == merging.no_frames) & ~hidden[rows], -1, around)
        joins = (around >= 0) & (hidden[rows] | (merging.folds_recursion & (keys[around] == keys[rows])))
        same, own = rows[joins], rows[~joins]
        head[same], keys[same] = head[around[joins]], keys[around[joins]]
        left[same] = left[around[joins]]
        keys[own] = np.where(hidden[own], merging.no_frames, keys[own])
        outer[own] = np.where(around[~joins] >= 0, head[around[~joins]], -1)
        left[own] = left[around[~joins]] + 1
    return keys[:-1], head, outer, left[:-1]


def nested_bottom_up(
    stacks: NestedStacks, traces: I64Array, weights: Sequence[I64Array], merging: Merging
) -> NestedTree:
    """Builds the callers of a profile, level by level up to a maximum size."""
    group_of = merging.group_of
    rows, at = np.arange(len(traces)), traces.astype(np.int64)
    node_of = np.full(len(rows), -1, np.int64)
    found, count, steps = [np.zeros(0, np.int64)], 0, most_steps(len(rows))
    cut = np.zeros(0, np.int64)
    last_keys = np.full(len(rows), -1, np.int64)
    while len(rows):
        at = _shown(at, last_keys[rows], stacks, merging)
        has_ended = at < 0
        nameless = rows[has_ended & (node_of[rows] < 0)]
        rows, at = rows[~has_ended], at[~has_ended]
        if count > MOST_CALLERS or steps < 0:
            cut = node_of[rows]
            break
        steps -= len(rows)
        last_keys[rows] = group_of[stacks.frame[at]]
        codes, number = np.unique((node_of[rows] + 1 << 32) | last_keys[rows], return_inverse=True)
        node_of[rows] = count + number.reshape(-1)
        found.append(codes)
        count += len(codes)
        if len(nameless):
            node_of[nameless] = count
            found.append(np.array([merging.no_frames]))
            count += 1
        at = stacks.callers[at]
    keys, parents = _number_distinct(found)
    own = sums_of(weights, node_of, len(keys))
    merged, order = _in_preorder(keys, parents, own, node_of)
    is_open = np.zeros(count, np.bool_)
    is_open[order[cut]] = True
    return NestedTree(merged, is_open, None)


def most_steps(traces: int) -> int:
    """Returns the approximate maximum of callers examined to merge this number of traces."""
    return max(STEPS_A_TRACE * traces, LEAST_STEPS)


def _number_distinct(found: Sequence[I64Array]) -> tuple[I64Array, I64Array]:
    """Returns the distinct keys and parents of nodes. found: codes: key, and above 32 bits its parent + 1"""
    codes = np.concatenate(found)
    return codes & 0xFFFF_FFFF, (codes >> 32) - 1


def _shown(at: I64Array, keys: I64Array, stacks: NestedStacks, merging: Merging) -> I64Array:
    """Returns the next outer traces whose innermost frame is shown, and not folded as recursion; -1: none.

    keys  of the nodes below, -1: none
    """
    if merging.is_hidden is None and not merging.folds_recursion:
        return at
    at = at.copy()
    active = np.flatnonzero(at >= 0)
    while len(active):
        frames = stacks.frame[at[active]]
        skipped = np.zeros(len(active), np.bool_) if merging.is_hidden is None else merging.is_hidden[frames]
        if merging.folds_recursion:
            skipped = skipped | (keys[active] == merging.group_of[frames])
        active = active[skipped]
        at[active] = stacks.callers[at[active]]
        active = active[at[active] >= 0]
    return at


def _depths(parents: I64Array) -> I64Array:
    """Returns depths by node; parents precede their children."""
    return NestedStacks(parents, parents).depths


def _by_depth(depths: I64Array) -> list[I64Array]:
    """Returns the nodes of each depth, ascending."""
    if not len(depths):
        return []
    order = np.argsort(depths.astype(np.uint16) if int(depths.max()) < 65_536 else depths, kind="stable")
    return np.split(order, np.cumsum(np.bincount(depths))[:-1])


def _in_preorder(keys: I64Array, parents: I64Array, own: I64Array, node_of: I64Array) -> tuple[MergedTree, AnyArray]:
    """Returns the tree in preorder, children heaviest first; and the new place of each node."""
    total, sizes = own.copy(), np.ones(len(keys), np.int64)
    for sums in (sizes, *total):
        run_loop(add_children, len(keys) <= FEW, (parents,), (sums,))
    depth = np.minimum(_depths(parents), DEEPEST).astype(np.uint16)
    order = places_of(parents, sizes, total[0])
    rows = np.argsort(order[node_of], kind="stable")
    starts = starts_of(np.bincount(order[node_of], minlength=len(keys)))
    tree = MergedTree(
        key=keys,
        depth=depth,
        parent=parents,
        end=np.arange(len(keys)) + sizes,
        total=total,
        own=own,
        rows=rows,
        row_start=starts[order],
        row_stop=starts[order + sizes],
        row_node=node_of,
    )
    return tree.placed(order), order
