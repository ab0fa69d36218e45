"""Loops over the nodes of merged trees: plain functions, which `run_loop` calls as they are or compiled.

Parents precede their children; the parent of a root is -1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from parsers.model.arrays import I32Array, I64Array, U8Array, U16Array

DEEPEST = 65_535
"""The depth that is stored for deeper nodes."""


def add_paths(
    first: I64Array,
    frames: I32Array,
    rows: I64Array,
    shared: I64Array,
    key: I32Array,
    depth: U16Array,
    parent: I32Array,
    end: I32Array,
    row_start: I32Array,
    row_stop: I32Array,
    path: I32Array,
) -> None:
    """Adds a node for each frame of a path that the path before it lacks, in preorder.

    first, frames        paths, as `Stacks`
    rows                 paths in the order in which those with the same outermost frames are neighbours
    shared               by place in `rows`: number of frames that the path shares with the one before
    key, depth, …        filled, by node: as in `MergedTree`
    path                 room for the nodes of the longest path
    """
    node = length = 0
    for place in range(len(rows)):
        row, kept = int(rows[place]), int(shared[place])
        while length > kept:
            length -= 1
            end[path[length]], row_stop[path[length]] = node, place
        for at in range(int(first[row]) + kept, int(first[row + 1])):
            key[node] = frames[at]
            depth[node] = min(length, DEEPEST)
            parent[node] = path[length - 1] if length else -1
            row_start[node] = place
            path[length] = node
            length += 1
            node += 1
    for level in range(length):
        end[path[level]], row_stop[path[level]] = node, len(rows)


def count_siblings(parents: I32Array, counts: U8Array) -> None:
    """Counts the children of each node, up to two; those of no node, the roots, are the last count."""
    for node in range(len(parents)):
        above = int(parents[node])
        if counts[above] < 2:
            counts[above] += 1


def add_children(parents: I64Array, sums: I64Array) -> None:
    """Adds the number of each node to that of its parent, so that it counts the whole subtree."""
    for node in range(len(parents) - 1, -1, -1):
        if parents[node] >= 0:
            sums[int(parents[node])] += sums[node]


def add_places(parents: I64Array, places: I64Array) -> None:
    """Makes places in preorder of those among siblings: the sizes of the subtrees of siblings before the node."""
    for node in range(len(parents)):
        if parents[node] >= 0:
            places[node] += places[int(parents[node])] + 1
