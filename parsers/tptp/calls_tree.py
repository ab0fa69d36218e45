"""Merged trees of very many call paths, kept in the index: merging a million paths takes longer than a key may wait."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from parsers.profile.merge import Merged
from parsers.profile.profile import ProfileTree

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from parsers.tptp.recorded import Tables

MANY = 40_000
"""Call paths from which on trees are kept."""
PLAIN = ("key", "parent", "end", "rows", "row_start", "row_stop", "row_node")
"""Arrays of a merged tree with numbers below 2^31, kept in 32 bits."""
SUMS = ("total", "own")


def tree_arrays(name: str, tree: ProfileTree) -> Mapping[str, NDArray[Any]]:
    """The arrays of a tree under their names in the index."""
    merged = tree.merged
    found = {each: getattr(merged, each).astype(np.int32) for each in PLAIN}
    found |= {each: getattr(merged, each).reshape(-1) for each in SUMS}
    found |= {"depth": merged.depth, "open": tree.is_open.astype(np.uint8)}
    if tree.measured is not None:
        found["measured"] = tree.measured
    return {f"{name}_{each}": values for each, values in found.items()}


def kept_tree(recording: Tables, name: str) -> ProfileTree | None:
    """The tree of a name as it was kept; None: there is none."""

    def array(each: str) -> NDArray[Any]:
        return np.asarray(recording.column(f"{name}_{each}"))

    try:
        plain = {each: array(each) for each in (*PLAIN, "depth")}
    except KeyError:
        return None
    nodes = len(plain["key"])
    sums = {each: array(each).reshape(-1, nodes) for each in SUMS}
    try:
        measured = array("measured")
    except KeyError:
        measured = None
    is_cut = np.zeros(len(plain["rows"]), np.bool_)
    return ProfileTree(Merged(**plain, **sums), is_cut, array("open") != 0, measured)
