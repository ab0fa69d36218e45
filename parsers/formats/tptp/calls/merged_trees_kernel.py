"""Compiled loops that merge the trees of `merged_trees`: same results as `profile.top_down` and `bottom_up`, faster."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parsers.formats.tptp.schema.columns import NONE
from parsers.kernels.decorators import int64, kernel, part, uint64
from parsers.kernels.id_table import HALF, number_of_key

if TYPE_CHECKING:
    from parsers.model.arrays import I64Array, U8Array, U16Array, U32Array, U64Array

FEW = 24
"""Most siblings that are sorted by insertion."""

KEY, PARENT = range(2)
"""Rows of a tree, by node."""


@part
def key_of(above: int, group: int) -> int:
    """Returns the key of the node of a group below another node, NONE: a root."""
    return uint64(above) << HALF | uint64(group)


@kernel
def merge_down(parents: I64Array, groups: U32Array, numbers: U32Array, node_of: U32Array, keys: U64Array) -> int:
    """Merges call paths by their first calls; returns the number of nodes.

    parents  int64[n]      the parent path, -1: none; parents precede children
    groups   uint32[n]     the group of each path; nodes of one parent have distinct groups
    numbers  uint32[2^k]   scratch, zero: more than n slots
    node_of  uint32[n]     filled: the node of each path
    keys     uint64[n]     filled: `key_of` of each node; parents precede their children
    """
    count = int64(0)
    for path in range(len(parents)):
        above = int64(NONE)
        if parents[path] >= 0:
            above = int64(node_of[parents[path]])
        node = number_of_key(numbers, keys, key_of(above, groups[path]), count)
        if node == count:
            count += 1
        node_of[path] = node
    found: int = count
    return found


@kernel
def merge_up(
    parents: I64Array, groups: U32Array, most: int, most_steps: int, at: U32Array, rows: U32Array, numbers: U32Array,
    node_of: U32Array, keys: U64Array, is_open: U8Array,
) -> int:  # fmt: skip
    """Merges call paths from their innermost calls, level by level, until there are more than `most` nodes, or more
    than `most_steps` calls were visited.

    at, rows  uint32[n]          scratch
    numbers  as for `merge_down`, with capacity for `most` + n
    node_of  uint32[n]           filled
    keys     uint64[most + n]     filled
    is_open  uint8[most + n]     filled: 1 if callers of a node are omitted; zero before
    """
    count = steps = int64(0)
    left = int64(len(parents))
    for path in range(len(parents)):
        at[path] = rows[path] = path
        node_of[path] = NONE
    while left > 0:
        is_last = count > most or steps > most_steps
        steps += left
        active = left
        left = int64(0)
        for place in range(active):
            path = int64(rows[place])
            above = int64(node_of[path])
            if is_last:
                is_open[above] = 1
                continue
            here = int64(at[path])
            node = number_of_key(numbers, keys, key_of(above, groups[here]), count)
            if node == count:
                count += 1
            node_of[path] = node
            if parents[here] >= 0:
                at[path] = parents[here]
                rows[left] = path
                left += 1
    found: int = count
    return found


@kernel
def add_up(weights: I64Array, node_of: U32Array, sums: I64Array) -> None:
    """Adds the weights of paths to their nodes. weights, sums: int64"""
    for path in range(len(node_of)):
        sums[node_of[path]] += weights[path]


@kernel
def add_below(parents: U32Array, sums: I64Array) -> None:
    """Adds the sums of all descendants to each node. parents: uint32[n]; sums: int64[n]"""
    for node in range(len(parents) - 1, -1, -1):
        if parents[node] != NONE:
            sums[int64(parents[node])] += sums[node]


@part
def _is_before(left: int, right: int, totals: I64Array, keys: U32Array) -> bool:
    if totals[left] != totals[right]:
        return bool(totals[left] > totals[right])
    return bool(keys[left] < keys[right])


@kernel
def lay_out(
    tree: U32Array, totals: I64Array, sizes: U32Array, firsts: U32Array, children: U32Array, places: U32Array,
    depths: U16Array,
) -> None:  # fmt: skip
    """Computes positions of nodes in preorder, the heaviest of siblings first.

    tree      uint32[2, n]   keys and parents, NONE; parents precede their children
    totals    int64[n]
    sizes     uint32[n]      filled: nodes of a subtree
    firsts    uint32[n + 2]  scratch, zero: first child of each node
    children  uint32[n]      scratch
    places    uint32[n]      filled
    depths    uint16[n]      filled, by node
    """
    keys, parents, count = tree[KEY], tree[PARENT], len(sizes)
    for node in range(count):
        sizes[node] = 1
    for node in range(count - 1, -1, -1):
        if parents[node] == NONE:
            firsts[1] += 1
        else:
            above = int64(parents[node])
            sizes[above] += sizes[node]
            firsts[above + 2] += 1
    for node in range(count):
        firsts[node + 1] += firsts[node]
    # Filling advances each start to its end, which is the start of the next one.
    for node in range(count):
        above = int64(-1) if parents[node] == NONE else int64(parents[node])
        children[firsts[above + 1]] = node
        firsts[above + 1] += 1
    start = int64(0)
    for above in range(-1, count):
        stop = int64(firsts[above + 1])
        gap = int64(1)
        while gap < (stop - start) // 3 and stop - start > FEW:
            gap = 3 * gap + 1
        while gap > 0:
            for at in range(start + gap, stop):
                node, hole = children[at], at
                while hole - gap >= start and _is_before(node, children[hole - gap], totals, keys):
                    children[hole] = children[hole - gap]
                    hole -= gap
                children[hole] = node
            gap //= 3
        place, depth = int64(0), int64(0)
        if above >= 0:
            place, depth = int64(places[above]) + 1, min(int64(depths[above]) + 1, 65_535)
        for at in range(start, stop):
            node = children[at]
            places[node] = place
            depths[node] = depth
            place += int64(sizes[node])
        start = stop
