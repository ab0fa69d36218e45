"""Merges traces by common prefix to a tree: 100,000 traces of depth 30 in less than half a second.

Traces are sorted level by level: each level only processes those with the same prefix as a neighbour. In sorted order
a trace adds one node per frame that it does not share with the previous trace; that is preorder. Siblings are sorted
heaviest first at the end. Everything is numpy over whole levels, without loops over traces.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from parsers.profile.stacks import Stacks

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from parsers.model.arrays import AnyArray, I32Array, I64Array


@dataclass(frozen=True)
class MergedTree:
    """A tree of merged traces. Nodes are in preorder, children of a node heaviest first."""

    key: NDArray[Any]
    """By node: the number of its frame or group."""
    depth: NDArray[Any]
    """By node, uint16."""
    parent: NDArray[Any]
    """By node; -1 for a root."""
    end: NDArray[Any]
    """By node: the first node after its subtree."""
    total: NDArray[Any]
    """int64[values, nodes]: weight of all traces through a node."""
    own: NDArray[Any]
    """int64[values, nodes]: weight of the traces that end at a node."""
    rows: NDArray[Any]
    """The merged rows, sorted so that those of every node are contiguous."""
    row_start: NDArray[Any]
    """By node: first of its rows in `rows`."""
    row_stop: NDArray[Any]
    """By node: end of its rows."""
    row_node: NDArray[Any]
    """By row: the node where its path ends; -1 for an empty path."""

    @property
    def count(self) -> int:
        """Number of nodes."""
        return len(self.key)


@dataclass(frozen=True)
class Merging:
    """Options of merging traces to a tree. Nodes are distinguished by numbers of `group_of`."""

    group_of: NDArray[Any]
    """By frame: its group (a method, a class, a package, or the frame itself), below `groups`."""
    groups: int
    folds_recursion: bool = False
    """True if a direct recursive call of a group is folded."""
    folds_rings: bool = False
    """True if all frames between two calls of one group in a trace are removed, so that it occurs once."""
    is_attached: bool = False
    """True if truncated traces are attached where whole ones with the same outermost frames agree on the callers."""
    is_hidden: NDArray[Any] | None = field(default=None)
    """By frame: True if hidden, so that its weight counts for the nearest shown frame; None: none is."""

    @property
    def no_frames(self) -> int:
        """The group of traces without a shown frame."""
        return self.groups

    @property
    def not_recorded(self) -> int:
        """The parent group of truncated traces, whose root is unknown."""
        return self.groups + 1


def merge(paths: Stacks, weights: Sequence[NDArray[Any]]) -> MergedTree:
    """Merges paths to a tree.

    paths    numbers below 2^31, root first
    weights  int64[paths] by value; children are sorted by the first
    """
    rows, shared = sorted_paths(paths)
    lengths = paths.lengths()[rows]
    added = lengths - shared
    nodes = int(added.sum())
    # As narrow as possible: touching new pages is much of the cost of merging.
    small = np.int32 if max(nodes, len(paths.frames), len(rows)) < (1 << 31) - 2 else np.int64
    # The row that adds a node, the node's depth, and the row's number at that depth.
    row_of = np.repeat(np.arange(len(rows), dtype=small), added)
    begins = np.cumsum(added) - added
    depth = np.arange(nodes, dtype=small) - (begins - shared).astype(small)[row_of]
    key = paths.frames[paths.first[rows].astype(small)[row_of] + depth]
    levels = _levels(depth)
    parent = _parents(depth, levels)
    end = _ends(parent, levels)
    row_stop = np.append(row_of, small(len(rows)))[end]
    total = np.empty((len(weights), nodes), np.int64)
    for value, weight in enumerate(weights):
        running = np.concatenate([[0], np.cumsum(np.asarray(weight, np.int64)[rows])])
        np.subtract(running[row_stop], running[row_of], out=total[value])
    order = heaviest_first(parent, end, total[0] if len(weights) else np.zeros(nodes, np.int64), levels)
    # A row that adds no node is the same path as the one before it.
    last = np.maximum.accumulate(np.where(added > 0, begins + added - 1, -1))
    row_node = np.full(len(rows), -1, np.int64)
    row_node[rows[lengths > 0]] = order[last[lengths > 0]]
    return MergedTree(
        key=placed(key, order),
        depth=placed(np.minimum(depth, 65_535).astype(np.uint16), order),
        parent=placed(np.where(parent < 0, small(-1), order[parent]), order),
        end=placed(order + (end - np.arange(nodes, dtype=small)), order),
        total=np.array([placed(each, order) for each in total], np.int64).reshape(len(weights), nodes),
        own=np.array([_sums(row_node, weight, nodes) for weight in weights], np.int64).reshape(len(weights), nodes),
        rows=rows,
        row_start=placed(row_of, order),
        row_stop=placed(row_stop, order),
        row_node=row_node,
    )


def merged_part(tree: MergedTree, paths: NDArray[Any], weights: Sequence[NDArray[Any]]) -> MergedTree:
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
    end, depth = places[tree.end[kept]], tree.depth[kept]
    row_node = tree.row_node[paths]
    row_node = np.where(row_node < 0, row_node, places[row_node])
    nodes = len(kept)
    total = np.empty((len(weights), nodes), np.int64)
    for value, weight in enumerate(weights):
        running = np.concatenate([np.zeros(1, np.int64), np.cumsum(np.asarray(weight, np.int64)[rows])])
        np.subtract(running[stops], running[starts], out=total[value])
    key = tree.key[kept]
    order = heaviest_first(parent, end, total[0] if len(weights) else np.zeros(nodes, np.int64), _levels(depth), key)
    # -1 stays -1.
    row_node = np.append(order, -1)[row_node].astype(np.int64)
    return MergedTree(
        key=placed(key, order),
        depth=placed(depth, order),
        parent=placed(np.where(parent < 0, parent, order[parent]), order),
        end=placed(order + (end - np.arange(nodes, dtype=end.dtype)), order),
        total=np.array([placed(each, order) for each in total], np.int64).reshape(len(weights), nodes),
        own=np.array([_sums(row_node, weight, nodes) for weight in weights], np.int64).reshape(len(weights), nodes),
        rows=rows,
        row_start=placed(starts, order),
        row_stop=placed(stops, order),
        row_node=row_node,
    )


def sorted_paths(paths: Stacks) -> tuple[NDArray[Any], NDArray[Any]]:
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


def _levels(depth: I32Array) -> list[NDArray[Any]]:
    """Returns the nodes of each depth, ascending."""
    if not len(depth):
        return []
    # 16-bit numbers are radix sorted; deeper trees are rare.
    small = depth.astype(np.uint16) if int(depth.max()) < 65_536 else depth
    order = np.argsort(small, kind="stable")
    stops = np.cumsum(np.bincount(depth))
    return np.split(order, stops[:-1])


def _parents(depth: I32Array, levels: list[NDArray[Any]]) -> I32Array:
    parent = np.full(len(depth), -1, depth.dtype)
    for above, nodes in pairwise(levels):
        parent[nodes] = above[np.searchsorted(above, nodes) - 1]
    return parent


def _ends(parent: I32Array, levels: list[NDArray[Any]]) -> I32Array:
    """Returns the next sibling of each node, or else the end of its parent."""
    count = len(parent)
    end = np.full(count + 1, count, parent.dtype)
    for nodes in levels:
        above = parent[nodes]
        following = np.append(nodes[1:], count)
        has_sibling = np.append(above[1:] == above[:-1], False)
        end[nodes] = np.where(has_sibling, following, end[above])
    return end[:-1]


def heaviest_first(
    parent: AnyArray, end: AnyArray, total: I64Array, levels: list[NDArray[Any]], key: AnyArray | None = None
) -> AnyArray:
    """Returns the place of each node when siblings are sorted heaviest first.

    key  by node: a number by which siblings of equal weight are sorted; None: they stay in their order
    """
    sizes = end - np.arange(len(parent), dtype=parent.dtype)
    place = np.zeros(len(parent) + 1, parent.dtype)
    place[-1] = -1
    for nodes in levels:
        above = parent[nodes]
        ranked = nodes
        is_next = above[1:] == above[:-1]
        if is_next.any():
            # Only nodes with siblings are sorted; the sort is stable, and they are already sorted by parent.
            places = np.flatnonzero(np.append(is_next, False) | np.append(False, is_next))
            some = nodes[places]
            ranked = nodes.copy()
            ties = () if key is None else (key[some],)
            ranked[places] = some[np.lexsort((*ties, -total[some], parent[some]))]
        taken = np.cumsum(sizes[ranked]) - sizes[ranked]
        begins = np.append(True, above[1:] != above[:-1])
        taken -= taken[begins][np.cumsum(begins) - 1]
        place[ranked] = place[above] + 1 + taken
    return place[:-1]


def placed(values: AnyArray, places: AnyArray) -> AnyArray:
    """Returns the values, each at its place."""
    result = np.empty_like(values)
    result[places] = values
    return result


def _sums(places: I64Array, values: I64Array, count: int) -> I64Array:
    """Returns exact sums of values by place, without those at -1; `bincount` would add floats."""
    result = np.zeros(count, np.int64)
    np.add.at(result, places[places >= 0], np.asarray(values, np.int64)[places >= 0])
    return result
