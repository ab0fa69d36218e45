"""Merged trees of very many call paths, stored in the index: merging a million paths is too slow for a key press."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from parsers.formats.tptp.schema.columns import NONE
from parsers.index.scratch import Scratch, anonymous
from parsers.profile.merge import MergedTree, Merging, placed
from parsers.profile.nested import NestedStacks
from parsers.profile.profile import Profile, ProfileTree, bottom_up, top_down

if TYPE_CHECKING:
    from parsers.formats.tptp.store.recorded import HasColumns
    from parsers.model.arrays import AnyArray

MANY = 4_000
"""Number of call paths from which trees are stored …"""
VERY_MANY = 40_000
"""… and from which kernels merge them."""
PLAIN = ("key", "parent", "end", "rows", "row_start", "row_stop", "row_node")
"""Arrays of a merged tree with numbers below 2^31, stored in 32 bits."""
SUMS = ("total", "own")


def merged_tree(profile: Profile, is_down: bool, scratch: Scratch = anonymous) -> ProfileTree:
    """Returns the tree of all call paths, as `top_down` and `bottom_up` merge it. Kernels merge very many paths."""
    if len(profile.traces) >= VERY_MANY:
        return compiled_tree(profile, is_down, scratch)
    merging = Merging(profile.method_of, profile.methods)
    return (top_down if is_down else bottom_up)(profile, merging)


def compiled_tree(profile: Profile, is_down: bool, scratch: Scratch = anonymous) -> ProfileTree:
    """Returns the same tree, merged by kernels. scratch: where its arrays are"""
    from parsers.formats.tptp.calls import merged_trees_kernel as kernels
    from parsers.formats.tptp.join.kernels.calls import order_by
    from parsers.profile import nested

    stacks = profile.stacks
    assert isinstance(stacks, NestedStacks)
    count = stacks.count
    parents, groups = np.ascontiguousarray(stacks.callers, np.int64), scratch("groups", "u4", count)
    np.take(profile.method_of.astype(np.uint32), stacks.frame, out=groups, mode="clip")
    capacity = count if is_down else count + nested.MOST_CALLERS
    node_of, keys = scratch("node_of", "u4", count), scratch("keys", "u8", capacity)
    numbers, is_open = scratch("numbers", "u4", 1 << (2 * capacity).bit_length()), scratch("is_open", "u1", capacity)
    if is_down:
        nodes = kernels.merge_down(parents, groups, numbers, node_of, keys)
    else:
        at, left = scratch("at", "u4", count), scratch("left", "u4", count)
        nodes = kernels.merge_up(
            parents, groups, nested.MOST_CALLERS, nested.most_steps(count), at, left, numbers, node_of, keys, is_open
        )
        del at, left
    tree = np.ascontiguousarray(keys[:nodes].view(np.uint32).reshape(nodes, 2).T)
    del groups, numbers, keys
    values = len(profile.weights)
    own, totals = (scratch(name, "i8", values * nodes).reshape(values, nodes) for name in ("own", "totals"))
    by_node, sums = np.zeros(nodes, np.int64), np.zeros(nodes, np.int64)
    places, sizes, depths = np.empty(nodes, np.uint32), np.empty(nodes, np.uint32), np.empty(nodes, np.uint16)
    for value, weights in enumerate(profile.weights):
        by_node[:] = 0
        kernels.add_up(np.ascontiguousarray(weights, np.int64), node_of, by_node)
        sums[:] = by_node
        kernels.add_below(tree[kernels.PARENT], sums)
        if not value:
            children = scratch("children", "u4", nodes)
            kernels.lay_out(tree, sums, sizes, np.zeros(nodes + 2, np.uint32), children, places, depths)
            del children
        own[value, places], totals[value, places] = by_node, sums
    measured = None
    if is_down:
        assert profile.measured is not None
        by_node[:] = 0
        kernels.add_up(np.ascontiguousarray(profile.measured, np.int64), node_of, by_node)
        measured = placed(by_node, places)
    row_node = places[node_of]
    starts, rows = np.zeros(nodes + 1, np.uint32), node_of
    order_by(row_node, starts, rows)
    end, has_none = placed(places + sizes, places), tree[kernels.PARENT] == NONE
    callers = places[np.where(has_none, 0, tree[kernels.PARENT])].astype(np.int64)
    callers[has_none] = -1
    merged = MergedTree(
        key=placed(tree[kernels.KEY], places),
        depth=placed(depths, places),
        parent=placed(callers, places),
        end=end,
        total=totals,
        own=own,
        rows=rows,
        row_start=starts[:-1],
        row_stop=starts[end],
        row_node=row_node,
    )
    return ProfileTree(merged, np.zeros(count, np.bool_), placed(is_open[:nodes] != 0, places), measured)


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


def saved_tree(recording: HasColumns, name: str) -> ProfileTree | None:
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
    is_cut = np.zeros(len(plain["rows"]), np.bool_)
    return ProfileTree(MergedTree(**plain, **sums), is_cut, array("open") != 0, measured)
