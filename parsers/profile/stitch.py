"""Stitches truncated traces: attaches them below the callers on which all similar whole traces agree."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from parsers.profile.merge import merge
from parsers.profile.stacks import Stacks

if TYPE_CHECKING:
    from parsers.model.arrays import AnyArray, BoolArray, I64Array
    from parsers.profile.merge import MergedTree

MOST_FRAMES = 4
"""Maximum of outermost frames compared: one, then two … until all whole traces with them agree."""


def attach_truncated(paths: Stacks, cut: BoolArray) -> tuple[Stacks, AnyArray]:
    """Returns the paths with the likely callers of truncated ones before them; and the stitched ones, bool[paths].

    paths  root first
    cut    bool[paths]: True if truncated, so that the root is unknown
    """
    is_attached = np.zeros(paths.count, np.bool_)
    parent_nodes = np.full(paths.count, -1, np.int64)
    whole = paths.select(np.flatnonzero(~cut))
    if not cut.any() or not len(whole.frames):
        return paths, is_attached
    tree = merge(whole, [np.ones(whole.count, np.int64)])
    lengths = paths.lengths()
    rows = np.flatnonzero(cut & (lengths > 0))
    # By row: a number for its outermost frames so far. Nodes of those frames, their numbers, their callers.
    of_row = np.zeros(len(rows), np.int64)
    nodes, of_node, outside = np.arange(tree.count), np.zeros(tree.count, np.int64), tree.parent
    for place in range(MOST_FRAMES):
        wanted, of_row = np.unique((of_row << 32) | paths.frames[paths.first[rows] + place], return_inverse=True)
        codes = (of_node << 32) | tree.key[nodes]
        of_node = np.searchsorted(wanted, codes)
        is_match = wanted[np.minimum(of_node, len(wanted) - 1)] == codes
        nodes, of_node, outside = nodes[is_match], of_node[is_match], outside[is_match]
        low, high = np.full(len(wanted), tree.count, np.int64), np.full(len(wanted), -2, np.int64)
        np.minimum.at(low, of_node, outside)
        np.maximum.at(high, of_node, outside)
        agrees = low[of_row] == high[of_row]
        parent_nodes[rows[agrees]] = low[of_row[agrees]]
        is_attached[rows[agrees]] = True
        # The others are compared by one frame more, in the nodes below those that matched so far.
        continues = ~agrees & (lengths[rows] > place + 1)
        rows, of_row = rows[continues], of_row[continues]
        if not len(rows) or not len(nodes):
            break
        numbers, outsides = np.full(tree.count, -1, np.int64), np.empty(tree.count, np.int64)
        numbers[nodes], outsides[nodes] = of_node, outside
        nodes = np.flatnonzero((tree.parent >= 0) & (numbers[tree.parent] >= 0))
        of_node, outside = numbers[tree.parent[nodes]], outsides[tree.parent[nodes]]
    return _attach_below(paths, parent_nodes, tree), is_attached


def _attach_below(paths: Stacks, parent_nodes: I64Array, tree: MergedTree) -> Stacks:
    """Returns the paths, each appended to the path to a node of a tree; -1: unchanged."""
    heights = np.where(parent_nodes >= 0, tree.depth[parent_nodes].astype(np.int64) + 1, 0)
    lengths = paths.lengths()
    first = np.cumulative_sum(lengths + heights, include_initial=True)
    frames = np.empty(int(first[-1]), np.int64)
    places = np.arange(len(paths.frames)) + np.repeat(first[:-1] + heights - paths.first[:-1], lengths)
    frames[places] = paths.frames
    rows = np.flatnonzero(parent_nodes >= 0)
    nodes, at = parent_nodes[rows], first[rows] + heights[rows] - 1
    while len(nodes):
        frames[at] = tree.key[nodes]
        nodes, at = tree.parent[nodes], at - 1
        continues = nodes >= 0
        nodes, at = nodes[continues], at[continues]
    return Stacks(first, frames)
