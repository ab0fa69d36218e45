"""Merged trees of very many call paths, kept in the index: merging a million paths takes longer than a key may wait."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from parsers.profile.merge import Merged, placed
from parsers.profile.nested import NestedStacks
from parsers.profile.profile import Merging, Profile, ProfileTree, bottom_up, top_down
from parsers.tptp.columns import NONE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from parsers.tptp.recorded import Tables

MANY = 4_000
"""Call paths from which on trees are kept …"""
VERY_MANY = 40_000
"""… and from which on kernels merge them."""
PLAIN = ("key", "parent", "end", "rows", "row_start", "row_stop", "row_node")
"""Arrays of a merged tree with numbers below 2^31, kept in 32 bits."""
SUMS = ("total", "own")


def merged_tree(profile: Profile, is_down: bool) -> ProfileTree:
    """The tree of a profile of all call paths, as `top_down` and `bottom_up` merge it; of very many by kernels."""
    if len(profile.traces) >= VERY_MANY:
        return compiled_tree(profile, is_down)
    merging = Merging(profile.method_of, profile.methods)
    return (top_down if is_down else bottom_up)(profile, merging)


def compiled_tree(profile: Profile, is_down: bool) -> ProfileTree:
    """The same by kernels."""
    from parsers.profile import nested
    from parsers.tptp import calls_tree_kernel as kernels

    stacks = profile.stacks
    assert isinstance(stacks, NestedStacks)
    count = stacks.count
    parents = np.where(stacks.above < 0, NONE, stacks.above).astype(np.uint32)
    groups = profile.method_of[stacks.frame].astype(np.uint32)
    weights = np.ascontiguousarray(profile.weights, np.int64)
    room = count if is_down else count + nested.MOST_CALLERS
    codes = np.empty(1 << (2 * room).bit_length(), np.int64)
    numbers = np.full(len(codes), NONE, np.uint32)
    node_of, tree = np.full(count, NONE, np.uint32), np.empty((2, room), np.int64)
    sums = np.zeros((len(weights) + is_down, room), np.int64)
    is_open = np.zeros(room, np.uint8)
    if is_down:
        assert profile.measured is not None
        took = np.ascontiguousarray(profile.measured, np.int64)
        nodes = kernels.merge_down(parents, groups, weights, took, codes, numbers, node_of, tree, sums)
    else:
        at = np.arange(count, dtype=np.uint32)
        nodes = kernels.merge_up(parents, groups, nested.MOST_CALLERS, at, codes, numbers, node_of, tree, is_open)
        kernels.add_up(weights, node_of, sums)
    del codes, numbers
    tree, sums = np.ascontiguousarray(tree[:, :nodes]), np.ascontiguousarray(sums[:, :nodes])
    own = np.ascontiguousarray(sums[: len(weights)])
    totals, sizes = np.empty_like(own), np.empty(nodes, np.int64)
    places, depths = np.empty(nodes, np.int64), np.empty(nodes, np.uint16)
    children = np.empty(nodes, np.int64)
    kernels.lay_out(tree, own, totals, sizes, np.zeros(nodes + 2, np.int64), children, places, depths)
    row_node = places[node_of].astype(np.uint32)
    starts, rows = np.zeros(nodes + 1, np.uint32), np.empty(count, np.uint32)
    kernels.sort_rows(row_node, starts, rows)
    end = placed(places + sizes, places)
    merged = Merged(
        key=placed(tree[0], places),
        depth=placed(depths, places),
        parent=placed(np.where(tree[1] < 0, -1, places[tree[1]]), places),
        end=end,
        total=np.array([placed(each, places) for each in totals]).reshape(own.shape),
        own=np.array([placed(each, places) for each in own]).reshape(own.shape),
        rows=rows,
        row_start=starts[:-1],
        row_stop=starts[end],
        row_node=row_node,
    )
    measured = placed(sums[-1], places) if is_down else None
    return ProfileTree(merged, np.zeros(count, np.bool_), placed(is_open[:nodes] != 0, places), measured)


def tree_arrays(name: str, tree: ProfileTree) -> Mapping[str, NDArray[Any]]:
    """The arrays of a tree under their names in the index."""
    merged = tree.merged
    # -1 becomes NONE.
    found = {each: getattr(merged, each).astype(np.int64).astype(np.uint32) for each in PLAIN}
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
    plain["parent"] = np.where(plain["parent"] == NONE, -1, plain["parent"].astype(np.int64))
    sums = {each: array(each).reshape(-1, nodes) for each in SUMS}
    try:
        measured = array("measured")
    except KeyError:
        measured = None
    is_cut = np.zeros(len(plain["rows"]), np.bool_)
    return ProfileTree(Merged(**plain, **sums), is_cut, array("open") != 0, measured)
