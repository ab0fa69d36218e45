"""Loops over the nodes of merged trees: plain functions, which `compiled` makes kernels.

Parents precede their children; the parent of a root is -1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from parsers.kernels.compiled import unsigned

if TYPE_CHECKING:
    from parsers.model.arrays import I32Array, I64Array, U8Array, U16Array, U32Array

DEEPEST = 65_535
"""The depth that is stored for deeper nodes."""
FEW_SIBLINGS = 24
"""Most siblings that are sorted by insertion."""
HALF, LOW = 32, 0xFFFF_FFFF
"""Bits of half a code, and the mask of its lower half."""
MIX = 0x9E3779B97F4A7C15
"""Multiplier of hashes, whose upper half is well mixed: 2^64 by the golden ratio."""


def add_paths(
    first: I64Array,
    frames: I32Array,
    rows: I64Array,
    shared: I64Array,
    key: I32Array,
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
    key, parent, …       filled, by node: as in `MergedTree`
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
            parent[node] = path[length - 1] if length else -1
            row_start[node] = place
            path[length] = node
            length += 1
            node += 1
    for level in range(length):
        end[path[level]], row_stop[path[level]] = node, len(rows)


def add_children(parents: I64Array, sums: I64Array) -> None:
    """Adds the number of each node to that of its parent, so that it counts the whole subtree."""
    for node in range(len(parents) - 1, -1, -1):
        if parents[node] >= 0:
            sums[int(parents[node])] += sums[node]


def add_node(slots: U32Array, codes: I64Array, above: int, key: int, count: int) -> int:
    """Returns the node with a key below another node, -1: a root. If there is none, it is added as node `count`.

    slots  a hash table of 2^k slots, more than twice the nodes: a node + 1; 0: free
    codes  by node: its key in the lower half, the node above it + 1 in the upper half
    """
    code = (above + 1 << HALF) | key
    slot = int(unsigned(unsigned(code) * MIX) >> HALF) & (len(slots) - 1)
    while slots[slot]:
        node = int(slots[slot]) - 1
        if codes[node] == code:
            return node
        slot = (slot + 1) & (len(slots) - 1)
    slots[slot] = count + 1
    codes[count] = code
    return count


def merge_down(
    traces: I64Array,
    callers: I64Array,
    groups: I32Array,
    nothing: int,
    folds: bool,
    slots: U32Array,
    node_of: I32Array,
    codes: I64Array,
) -> int:
    """Merges nested traces from their outermost frames; returns the number of nodes.

    traces           ascending, with all their callers
    callers, groups  by trace: `NestedStacks.callers`, and the group of its innermost frame; `nothing`: hidden
    folds            True if a direct recursive call of a group is folded
    slots, codes     zero; filled: see `add_node`
    node_of          filled, by trace; of a hidden frame that of its caller
    """
    count = 0
    for place in range(len(traces)):
        trace = int(traces[place])
        group, above, key = int(groups[trace]), -1, -1
        if callers[trace] >= 0:
            above = int(node_of[int(callers[trace])])
            key = int(codes[above]) & LOW
        if key == nothing and group != nothing:
            # Frames without a shown caller are at the top.
            above = -1
        if above < 0 or not (group == nothing or (folds and key == group)):
            above = add_node(slots, codes, above, group, count)
            count = max(count, above + 1)
        node_of[trace] = above
    return count


def merge_up(
    callers: I64Array,
    groups: I32Array,
    nothing: int,
    folds: bool,
    most: int,
    steps: int,
    at: I32Array,
    rows: I32Array,
    slots: U32Array,
    node_of: I32Array,
    codes: I64Array,
    is_open: U8Array,
) -> int:
    """Merges nested traces from their innermost frames, level by level; returns the number of nodes.

    callers, groups, nothing, folds, slots, codes  as for `merge_down`
    most, steps  no deeper level is added after so many nodes, or so many callers examined
    at           the traces to merge; changed
    rows         0 … traces; changed
    node_of      -1; filled, by index of the trace in `at`
    is_open      zero; filled, by node: 1 if further callers are omitted
    """
    count, left = 0, len(at)
    while left:
        active, left = left, 0
        for place in range(active):
            row = int(rows[place])
            here, key = int(at[row]), -1
            if node_of[row] >= 0 and folds:
                key = int(codes[int(node_of[row])]) & LOW
            while here >= 0 and (groups[here] == nothing or groups[here] == key):
                here = int(callers[here])
            if here >= 0:
                at[row], rows[left] = here, row
                left += 1
            elif node_of[row] < 0:
                node_of[row] = add_node(slots, codes, -1, nothing, count)
                count = max(count, int(node_of[row]) + 1)
        is_last = count > most or steps < 0
        steps -= left
        for place in range(left):
            row = int(rows[place])
            if is_last:
                is_open[int(node_of[row])] = 1
            else:
                here = int(at[row])
                node = add_node(slots, codes, int(node_of[row]), int(groups[here]), count)
                count = max(count, node + 1)
                node_of[row], at[row] = node, callers[here]
        if is_last:
            break
    return count


def is_before(left: int, right: int, weights: I64Array, keys: I32Array) -> bool:
    """True if a node precedes its sibling: it is heavier, or its key is smaller."""
    return bool(weights[left] > weights[right] or (weights[left] == weights[right] and keys[left] < keys[right]))


def lay_out(
    parents: I32Array,
    sizes: I32Array,
    weights: I64Array,
    keys: I32Array,
    firsts: I32Array,
    children: I32Array,
    places: I32Array,
    depths: U16Array,
) -> None:
    """Computes the places of nodes in preorder, siblings as by `is_before`, and their depths.

    sizes     by node: number of nodes of its subtree
    firsts    zero, two more than nodes: first child of each node, in `children`
    children  scratch
    places, depths  filled
    """
    count = len(parents)
    for node in range(count):
        firsts[int(parents[node]) + 2] += 1
    for node in range(count):
        firsts[node + 1] += firsts[node]
    # Filling advances each start to its end, which is the start of the next one.
    for node in range(count):
        above = int(parents[node]) + 1
        children[int(firsts[above])] = node
        firsts[above] += 1
    start = 0
    for above in range(-1, count):
        stop, gap = int(firsts[above + 1]), 1
        while stop - start > FEW_SIBLINGS and gap < (stop - start) // 3:
            gap = 3 * gap + 1
        while gap > 0:
            for at in range(start + gap, stop):
                node, hole = int(children[at]), at
                while hole - gap >= start and is_before(node, int(children[hole - gap]), weights, keys):
                    children[hole] = children[hole - gap]
                    hole -= gap
                children[hole] = node
            gap //= 3
        place = depth = 0
        if above >= 0:
            place, depth = int(places[above]) + 1, min(int(depths[above]) + 1, DEEPEST)
        for at in range(start, stop):
            node = int(children[at])
            places[node], depths[node] = place, depth
            place += int(sizes[node])
        start = stop
