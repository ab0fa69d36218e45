"""Merges traces by common prefix to a tree: 100,000 traces of depth 30 in less than half a second.

Traces are sorted level by level: each level only processes those with the same prefix as a neighbour. In sorted order
a trace adds one node per frame that it does not share with the previous trace; that is preorder. Siblings are sorted
heaviest first at the end. Paths are sorted by numpy over whole levels; loops over nodes are compiled.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from parsers.kernels.compiled import compiled
from parsers.profile.stacks import Stacks
from parsers.profile.tree_loops import add_paths, lay_out

if TYPE_CHECKING:
    from parsers.model.arrays import AnyArray, BoolArray, I64Array


@dataclass(frozen=True)
class MergedTree:
    """A tree of merged traces. Nodes are in preorder, children of a node heaviest first."""

    key: AnyArray
    """By node: the number of its frame or group."""
    depth: AnyArray
    """By node, uint16."""
    parent: AnyArray
    """By node; -1 for a root."""
    end: AnyArray
    """By node: the first node after its subtree."""
    total: I64Array
    """int64[values, nodes]: weight of all traces through a node."""
    own: I64Array
    """int64[values, nodes]: weight of the traces that end at a node."""
    rows: AnyArray
    """The merged rows, sorted so that those of every node are contiguous."""
    row_start: AnyArray
    """By node: first of its rows in `rows`."""
    row_stop: AnyArray
    """By node: end of its rows."""
    row_node: AnyArray
    """By row: the node where its path ends; -1 for an empty path."""

    @property
    def count(self) -> int:
        """Number of nodes."""
        return len(self.key)


@dataclass(frozen=True)
class ProfileTree:
    """A merged profile, with the uncertain nodes."""

    merged: MergedTree
    is_open: BoolArray
    """By node: in callers, True if a truncated trace ends here; in call trees, True if only stitched traces pass."""
    measured: AnyArray | None = None
    """By node: its total as measured, where `Profile.measured` has it."""


@dataclass(frozen=True)
class Merging:
    """Options of merging traces to a tree. Nodes are distinguished by numbers of `group_of`."""

    group_of: AnyArray
    """By frame: its group (a method, a class, a package, or the frame itself), below `groups`."""
    groups: int
    folds_recursion: bool = False
    """True if a direct recursive call of a group is folded."""
    folds_rings: bool = False
    """True if all frames between two calls of one group in a trace are removed, so that it occurs once."""
    is_attached: bool = False
    """True if truncated traces are attached where whole ones with the same outermost frames agree on the callers."""
    is_hidden: BoolArray | None = None
    """By frame: True if hidden, so that its weight counts for the nearest shown frame; None: none is."""

    @property
    def no_frames(self) -> int:
        """The group of traces without a shown frame."""
        return self.groups

    @property
    def not_recorded(self) -> int:
        """The parent group of truncated traces, whose root is unknown."""
        return self.groups + 1


def merge(paths: Stacks, weights: Sequence[I64Array]) -> MergedTree:
    """Merges paths to a tree.

    paths    numbers below 2^31, root first; in all fewer than 2^31
    weights  int64[paths] by value; children are sorted by the first
    """
    rows, shared = sorted_paths(paths)
    lengths = paths.lengths()[rows]
    added = lengths - shared
    nodes = int(added.sum())
    # As narrow as possible: touching new pages is much of the cost of merging.
    key, parent, end, row_start, row_stop = (np.empty(nodes, np.int32) for _ in range(5))
    inputs = paths.first, paths.frames.astype(np.int32, copy=False), rows, shared
    path = np.empty(int(lengths.max(initial=0)), np.int32)
    compiled(add_paths)(*inputs, key, parent, end, row_start, row_stop, path)
    # A row that adds no node is the same path as the one before it.
    row_node = np.full(len(rows), -1, np.int64)
    row_node[rows[lengths > 0]] = (np.cumsum(added) - 1)[lengths > 0]
    return _in_preorder(key, parent, end, weights, rows, row_start, row_stop, row_node)


def merged_part(tree: MergedTree, paths: I64Array, weights: Sequence[I64Array]) -> MergedTree:
    """Returns the tree of some of the paths of a tree, as `merge` would make it.

    paths    the numbers of the paths in the tree, ascending: row n of the new tree is path `paths[n]`
    weights  int64[paths] by value
    """
    number_of = np.full(len(tree.rows), -1, np.int64)
    number_of[paths] = np.arange(len(paths))
    numbers = number_of[tree.rows]
    rows = numbers[numbers >= 0]
    before = np.concatenate([np.zeros(1, np.int64), np.cumsum(numbers >= 0)])
    starts, stops = before[tree.row_start], before[tree.row_stop]
    is_kept = stops > starts
    kept = np.flatnonzero(is_kept)
    starts, stops = starts[kept], stops[kept]
    # By node: the number of kept nodes before it.
    places = np.concatenate([np.zeros(1, np.int64), np.cumsum(is_kept)]).astype(tree.parent.dtype)
    parents = tree.parent[kept]
    parent = np.where(parents < 0, parents, places[parents])
    end = places[tree.end[kept]]
    row_node = tree.row_node[paths]
    row_node = np.where(row_node < 0, row_node, places[row_node])
    return _in_preorder(tree.key[kept], parent, end, weights, rows, starts, stops, row_node)


def _in_preorder(
    key: AnyArray,
    parent: AnyArray,
    end: AnyArray,
    weights: Sequence[I64Array],
    rows: AnyArray,
    row_start: AnyArray,
    row_stop: AnyArray,
    row_node: I64Array,
) -> MergedTree:
    """Returns the tree of nodes in preorder, with siblings in their right order. The columns are those of the tree."""
    total = range_sums(weights, rows, row_start, row_stop)
    sizes = end - np.arange(len(key), dtype=end.dtype)
    places, depth = places_of(parent, sizes, total[0] if len(total) else np.zeros(len(key), np.int64), key)
    # -1 stays -1.
    above = np.append(places, np.int32(-1))
    return MergedTree(
        key=placed(key, places),
        depth=placed(depth, places),
        parent=placed(above[parent], places),
        end=placed(places + sizes, places),
        total=placed(total, places),
        own=placed(sums_of(weights, row_node, len(key)), places),
        rows=rows,
        row_start=placed(row_start, places),
        row_stop=placed(row_stop, places),
        row_node=above[row_node].astype(np.int64),
    )


def sorted_paths(paths: Stacks) -> tuple[I64Array, I64Array]:
    """Returns the order of paths by their numbers, and the length of the prefix that each shares with the previous one.

    A prefix of another path precedes it.
    """
    lengths = paths.lengths()
    rows = np.arange(paths.count)
    shared = np.zeros(paths.count, np.int64)
    # Places in `rows` that share all levels so far with a neighbour, and the group of each.
    active = np.arange(paths.count)
    group = np.zeros(paths.count, np.int64)
    level = 0
    while len(active) > 1:
        here = rows[active]
        has_ended = lengths[here] <= level
        number = np.zeros(len(here), np.int64)
        number[~has_ended] = paths.frames[paths.first[:-1][here[~has_ended]] + level].astype(np.int64) + 1
        code = (group << 32) | number
        ranked = np.argsort(code, kind="stable")
        code = code[ranked]
        rows[active] = here[ranked]
        differs = code[1:] != code[:-1]
        is_same_group = (code[1:] >> 32) == (code[:-1] >> 32)
        # Neighbours of a group that differ here share the levels above.
        shared[active[1:][differs & is_same_group]] = level
        has_ended = (code & 0xFFFFFFFF) == 0
        # Paths that end together are equal.
        same_end = ~differs & has_ended[1:]
        shared[active[1:][same_end]] = level
        begins = np.append(True, differs)
        is_last = np.append(differs, True)
        continues = ~(begins & is_last) & ~has_ended
        group = np.cumsum(begins)[continues]
        active = active[continues]
        level += 1
    return rows, shared


def places_of(parent: AnyArray, sizes: AnyArray, weight: I64Array, key: AnyArray) -> tuple[AnyArray, AnyArray]:
    """Returns by node its place in preorder when siblings are sorted heaviest first, then by key, and its depth.

    parent  int32 by node: precedes its children; -1 for a root
    sizes   int32 by node: number of nodes of its subtree
    """
    count = len(parent)
    scratch, places = (np.zeros(count + 2, np.int32), np.empty(count, np.int32)), np.empty(count, np.int32)
    depths = np.empty(count, np.uint16)
    compiled(lay_out)(parent, sizes, weight, key, *scratch, places, depths)
    return places, depths


def placed(values: AnyArray, places: AnyArray) -> AnyArray:
    """Returns the values of nodes, each at its place; nodes are the last axis."""
    result, wide = np.empty_like(values), places.astype(np.int64, copy=False)
    # Row by row, and by numbers of 64 bits: numpy takes a fifth of the time.
    for row, each in zip(np.atleast_2d(result), np.atleast_2d(values), strict=True):
        row[wide] = each
    return result


def range_sums(weights: Sequence[I64Array], rows: I64Array, starts: AnyArray, stops: AnyArray) -> I64Array:
    """Returns the weights of ranges of sorted rows, int64[values, ranges]."""
    found = np.empty((len(weights), len(starts)), np.int64)
    for total, weight in zip(found, weights, strict=True):
        running = np.concatenate([[0], np.cumsum(np.asarray(weight, np.int64)[rows])])
        np.subtract(running[stops], running[starts], out=total)
    return found


def sums_of(weights: Sequence[I64Array], places: AnyArray, count: int) -> I64Array:
    """Returns exact sums of weights by place, int64[values, count], without those at -1; `bincount` adds floats."""
    found, is_in = np.zeros((len(weights), count), np.int64), places >= 0
    chosen = slice(None) if is_in.all() else is_in
    for own, weight in zip(found, weights, strict=True):
        np.add.at(own, places[chosen], np.asarray(weight, np.int64)[chosen])
    return found
