"""Merges traces by common prefix to a tree: 100,000 traces of depth 30 in less than half a second.

Traces are sorted level by level: each level only processes those with the same prefix as a neighbour. In sorted order
a trace adds one node per frame that it does not share with the previous trace; that is preorder. Siblings are sorted
heaviest first at the end. Paths are sorted by numpy over whole levels; loops over nodes are compiled.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from parsers.kernels.compiled import run_loop
from parsers.profile.stacks import Stacks
from parsers.profile.tree_loops import add_paths, add_places, count_siblings

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from parsers.model.arrays import AnyArray, I64Array

FEW = 2_000
"""Nodes and paths up to which plain loops take less time than loading kernels."""


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

    @property
    def weight(self) -> I64Array:
        """By node: its first total, by which siblings are sorted; 0 without values."""
        return self.total[0] if len(self.total) else np.zeros(self.count, np.int64)

    def placed(self, places: AnyArray) -> MergedTree:
        """Returns the tree with its nodes at other places. `end` here: the node plus the size of its subtree."""
        # -1 stays -1.
        above = np.append(places, places.dtype.type(-1))
        columns = {name: placed(getattr(self, name), places) for name in BY_NODE}
        columns["parent"] = above[columns["parent"]]
        columns["end"] = placed(places + (self.end - np.arange(self.count, dtype=self.end.dtype)), places)
        return replace(self, row_node=above[self.row_node].astype(np.int64), **columns)


BY_NODE = ("key", "depth", "parent", "total", "own", "row_start", "row_stop")
"""Columns whose values stay those of the node, wherever it is."""


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


def merge(paths: Stacks, weights: Sequence[I64Array]) -> MergedTree:
    """Merges paths to a tree.

    paths    numbers below 2^31, root first; in all fewer than 2^31
    weights  int64[paths] by value; children are sorted by the first
    """
    rows, shared = sorted_paths(paths)
    lengths = paths.lengths()[rows]
    added = lengths - shared
    nodes = int(added.sum())
    depth = np.empty(nodes, np.uint16)
    # As narrow as possible: touching new pages is much of the cost of merging.
    key, parent, end, row_start, row_stop = (np.empty(nodes, np.int32) for _ in range(5))
    inputs = paths.first, paths.frames.astype(np.int32, copy=False), rows, shared
    path = np.empty(int(lengths.max(initial=0)), np.int32)
    run_loop(add_paths, nodes + len(rows) <= FEW, inputs, (key, depth, parent, end, row_start, row_stop, path))
    # A row that adds no node is the same path as the one before it.
    row_node = np.full(len(rows), -1, np.int64)
    row_node[rows[lengths > 0]] = (np.cumsum(added) - 1)[lengths > 0]
    tree = MergedTree(
        key=key,
        depth=depth,
        parent=parent,
        end=end,
        total=_totals(weights, rows, row_start, row_stop),
        own=sums_of(weights, row_node, nodes),
        rows=rows,
        row_start=row_start,
        row_stop=row_stop,
        row_node=row_node,
    )
    return tree.placed(places_of(parent, end - np.arange(nodes, dtype=np.int32), tree.weight))


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
    part = MergedTree(
        key=tree.key[kept],
        depth=tree.depth[kept],
        parent=parent,
        end=end,
        total=_totals(weights, rows, starts, stops),
        own=sums_of(weights, row_node, len(kept)),
        rows=rows,
        row_start=starts,
        row_stop=stops,
        row_node=row_node,
    )
    sizes = end - np.arange(len(kept), dtype=end.dtype)
    return part.placed(places_of(parent, sizes, part.weight, part.key))


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


def places_of(parent: AnyArray, sizes: AnyArray, weight: I64Array, key: AnyArray | None = None) -> AnyArray:
    """Returns the place of each node in preorder when siblings are sorted heaviest first, in the type of `parent`.

    parent  by node: precedes its children; -1 for a root
    sizes   by node: number of nodes of its subtree
    key     by node: a number by which siblings of equal weight are sorted; None: they stay in their order
    """
    place = np.zeros(len(parent), parent.dtype)
    counts = np.zeros(len(parent) + 1, np.uint8)
    run_loop(count_siblings, len(parent) <= FEW, (parent,), (counts,))
    some = np.flatnonzero(counts[parent] > 1)
    ties = () if key is None else (key[some],)
    some = some[np.lexsort((*ties, -weight[some], parent[some]))]
    above, before = parent[some], np.cumsum(sizes[some], dtype=np.int64) - sizes[some]
    begins = np.append(True, above[1:] != above[:-1])[: len(some)]
    place[some] = before - before[begins][np.cumsum(begins) - 1]
    run_loop(add_places, len(parent) <= FEW, (parent,), (place,))
    return place


def placed(values: AnyArray, places: AnyArray) -> AnyArray:
    """Returns the values of nodes, each at its place; nodes are the last axis."""
    result = np.empty_like(values)
    result[..., places] = values
    return result


def _totals(weights: Sequence[I64Array], rows: I64Array, starts: AnyArray, stops: AnyArray) -> I64Array:
    """Returns the weights of ranges of sorted rows, int64[values, ranges]."""
    found = np.empty((len(weights), len(starts)), np.int64)
    for total, weight in zip(found, weights, strict=True):
        running = np.concatenate([[0], np.cumsum(np.asarray(weight, np.int64)[rows])])
        np.subtract(running[stops], running[starts], out=total)
    return found


def sums_of(weights: Sequence[I64Array], places: I64Array, count: int) -> I64Array:
    """Returns exact sums of weights by place, int64[values, count], without those at -1; `bincount` adds floats."""
    found, is_in = np.zeros((len(weights), count), np.int64), places >= 0
    for own, weight in zip(found, weights, strict=True):
        np.add.at(own, places[is_in], np.asarray(weight, np.int64)[is_in])
    return found
