"""The trees of `calls_tree`, merged by compiled loops: what `profile.top_down` and `profile.bottom_up` give, sooner."""

from __future__ import annotations

from typing import Any

from parsers.formats.tptp.calls.flow import FIRST, STEP
from parsers.formats.tptp.schema.columns import NONE
from parsers.kernels.decorators import int64, kernel, part, uint64

FEW = 24
"""Siblings that are sorted by inserting them."""


@part
def _number(numbers: Any, tree: Any, above: Any, group: Any, count: Any) -> Any:
    """The node of a group below another node, `count` if it is new; then it is added."""
    mask = uint64(len(numbers) - 1)
    mixed = ((uint64(above) << uint64(32) | uint64(group)) + uint64(STEP)) * uint64(FIRST)
    place = int64((mixed ^ (mixed >> uint64(31))) & mask)
    while numbers[place] != 0:
        node = int64(numbers[place]) - 1
        if int64(tree[0, node]) == group and int64(tree[1, node]) == above:
            return node
        place = int64(uint64(place + 1) & mask)
    numbers[place] = count + 1
    tree[0, count] = group
    tree[1, count] = above
    found: int = count
    return found


@kernel
def merge_down(parents: Any, groups: Any, numbers: Any, node_of: Any, tree: Any) -> int:
    """Merges call paths by what they begin with; gives how many nodes there are.

    parents  int64[n]      the path around each, -1: none; before it
    groups   uint32[n]     what nodes are told apart by
    numbers  uint32[2^k]   room, zero: more than n places
    node_of  uint32[n]     filled: the node of each path
    tree     uint32[2, n]  filled: key and parent (NONE) of each node; parents stand before their children
    """
    count = int64(0)
    for path in range(len(parents)):
        above = int64(NONE)
        if parents[path] >= 0:
            above = int64(node_of[parents[path]])
        node = _number(numbers, tree, above, int64(groups[path]), count)
        if node == count:
            count += 1
        node_of[path] = node
    found: int = count
    return found


@kernel
def merge_up(
    parents: Any, groups: Any, most: int, most_steps: int, at: Any, rows: Any, numbers: Any, node_of: Any, tree: Any,
    is_open: Any,
) -> int:  # fmt: skip
    """Merges call paths from their innermost calls, level by level until there are more than `most` nodes, or more
    than `most_steps` calls were looked at.

    at, rows  uint32[n]          room
    numbers  as for `merge_down`, with room for `most` + n
    node_of  uint32[n]           filled
    tree     uint32[2, most + n]  filled
    is_open  uint8[most + n]     filled: whether callers of a node are left out; zero before
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
            node = _number(numbers, tree, above, int64(groups[here]), count)
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
def add_up(weights: Any, node_of: Any, sums: Any) -> None:
    """Adds the weights of paths to their nodes. weights, sums: int64"""
    for path in range(len(node_of)):
        sums[node_of[path]] += weights[path]


@kernel
def add_below(parents: Any, sums: Any) -> None:
    """Adds to sums of nodes those of all below. parents: uint32[n]; sums: int64[n]"""
    for node in range(len(parents) - 1, -1, -1):
        if parents[node] != NONE:
            sums[int64(parents[node])] += sums[node]


@kernel
def put(values: Any, places: Any, found: Any) -> None:
    """Numbers of nodes, int64, at their places, uint32."""
    for node in range(len(places)):
        found[places[node]] = values[node]


@part
def _is_before(left: Any, right: Any, totals: Any, keys: Any) -> Any:
    if totals[left] != totals[right]:
        return totals[left] > totals[right]
    return keys[left] < keys[right]


@kernel
def lay_out(tree: Any, totals: Any, sizes: Any, firsts: Any, children: Any, places: Any, depths: Any) -> None:
    """Where nodes stand in preorder, the heaviest of siblings first.

    tree      uint32[2, n]   keys and parents, NONE; parents stand before their children
    totals    int64[n]
    sizes     uint32[n]      filled: nodes of a subtree
    firsts    uint32[n + 2]  room, zero: where children of a node begin
    children  uint32[n]      room
    places    uint32[n]      filled
    depths    uint16[n]      filled, by node
    """
    keys, parents, count = tree[0], tree[1], len(sizes)
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
    # Filling moves where each begins to where it ends, so each begins where the one before it does then.
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


@kernel
def sort_rows(row_nodes: Any, starts: Any, rows: Any) -> None:
    """Rows by their nodes.

    row_nodes  uint32[n]          the place of each row's node
    starts     uint32[nodes + 1]  filled: where the rows of each begin; zero before
    rows       uint32[n]          filled
    """
    for row in range(len(row_nodes)):
        starts[int64(row_nodes[row]) + 1] += 1
    for node in range(len(starts) - 1):
        starts[node + 1] += starts[node]
    for row in range(len(row_nodes)):
        node = int64(row_nodes[row])
        rows[starts[node]] = row
        starts[node] += 1
    for node in range(len(starts) - 1, 0, -1):
        starts[node] = starts[node - 1]
    starts[0] = 0
