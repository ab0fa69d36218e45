"""Merged trees of very many call paths, stored in the index: merging a million paths is too slow for a key press."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from parsers.model.none import NONE
from parsers.profile.merge import MergedTree, ProfileTree

if TYPE_CHECKING:
    from parsers.formats.tptp.store.recording import TraceRecording
    from parsers.model.arrays import AnyArray

MANY = 4_000
"""Number of call paths from which trees are stored."""
PLAIN = ("key", "parent", "end", "rows", "row_start", "row_stop", "row_node")
"""Arrays of a merged tree with numbers below 2^31, stored in 32 bits."""
SUMS = ("total", "own")


def tree_arrays(name: str, tree: ProfileTree) -> Iterator[tuple[str, AnyArray]]:
    """Yields the arrays of a tree with their names in the index."""
    merged = tree.merged
    for each in PLAIN:
        # -1 is stored as NONE.
        yield f"{name}_{each}", getattr(merged, each).astype(np.uint32, copy=False)
    for each in SUMS:
        yield f"{name}_{each}", getattr(merged, each).reshape(-1)
    yield f"{name}_depth", merged.depth
    yield f"{name}_open", tree.is_open.astype(np.uint8)
    if tree.measured is not None:
        yield f"{name}_measured", tree.measured


def saved_tree(recording: TraceRecording, name: str) -> ProfileTree | None:
    """Returns the stored tree of a name; None if there is none."""

    def array(each: str) -> AnyArray:
        return np.asarray(recording.column(f"{name}_{each}"))

    try:
        plain = {each: array(each) for each in (*PLAIN, "depth")}
    except KeyError:
        return None
    nodes = len(plain["key"])
    plain["parent"] = np.where(plain["parent"] == NONE, -1, plain["parent"].astype(np.int64))
    sums = {each: array(each).reshape(-1, nodes) for each in SUMS}
    try:
        measured = array("measured")
    except KeyError:
        measured = None
    return ProfileTree(MergedTree(**plain, **sums), array("open") != 0, measured)
