"""Cut traces put where they most likely belong: below what all whole traces with the same outermost frames agree on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from parsers.profile.merge import merge
from parsers.profile.stacks import Stacks, starts_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_FRAMES = 4
"""Outermost frames of a cut trace that are compared: one, then two … until all whole traces with them agree."""


def stitched(paths: Stacks, cut: NDArray[Any]) -> tuple[Stacks, NDArray[Any]]:
    """The paths with what is likely outside of cut ones put before them; and which were stitched, bool[paths].

    paths  root first
    cut    bool[paths]: whose root is not known; the others are whole
    """
    is_stitched = np.zeros(paths.count, np.bool_)
    above = np.full(paths.count, -1, np.int64)
    whole = paths.taken(np.flatnonzero(~cut))
    if not cut.any() or not len(whole.frames):
        return paths, is_stitched
    tree = merge(whole, [np.ones(whole.count, np.int64)])
    lengths = paths.lengths()
    for count in range(1, MOST_FRAMES + 1):
        open_rows = np.flatnonzero(cut & ~is_stitched & (lengths >= count))
        # A node with its ancestors, `count` of them in all: the innermost first, and what is outside of them.
        nodes, keys = np.arange(tree.count), []
        outside = nodes
        for _ in range(count):
            keys.append(tree.key[outside])
            outside = tree.parent[outside]
            known = outside >= 0
            nodes, outside, keys = nodes[known], outside[known], [key[known] for key in keys]
        wanted = [paths.frames[paths.first[open_rows] + place] for place in range(count - 1, -1, -1)]
        if not len(nodes) or not len(open_rows):
            continue
        _, group = np.unique(
            np.stack([np.concatenate(pair) for pair in zip(keys, wanted, strict=True)]), axis=1, return_inverse=True
        )
        group = group.reshape(-1)
        low = np.full(int(group.max()) + 1, tree.count, np.int64)
        high = np.full(len(low), -1, np.int64)
        np.minimum.at(low, group[: len(nodes)], outside)
        np.maximum.at(high, group[: len(nodes)], outside)
        of_rows = group[len(nodes) :]
        agrees = low[of_rows] == high[of_rows]
        above[open_rows[agrees]] = low[of_rows[agrees]]
        is_stitched[open_rows[agrees]] = True
    return _put_below(paths, above, tree), is_stitched


def _put_below(paths: Stacks, above: NDArray[Any], tree: Any) -> Stacks:
    """The paths, each behind the path to a node of a tree; -1: as it is."""
    heights = np.where(above >= 0, tree.depth[above].astype(np.int64) + 1, 0)
    lengths = paths.lengths()
    first = starts_of(lengths + heights)
    frames = np.empty(int(first[-1]), np.int64)
    places = np.arange(len(paths.frames)) + np.repeat(first[:-1] + heights - paths.first[:-1], lengths)
    frames[places] = paths.frames
    rows = np.flatnonzero(above >= 0)
    nodes, at = above[rows], first[rows] + heights[rows] - 1
    while len(nodes):
        frames[at] = tree.key[nodes]
        nodes, at = tree.parent[nodes], at - 1
        goes_on = nodes >= 0
        nodes, at = nodes[goes_on], at[goes_on]
    return Stacks(first, frames)
