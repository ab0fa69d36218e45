"""The trees of `calls_tree`, merged by compiled loops: what `profile.top_down` and `profile.bottom_up` give, sooner."""

from __future__ import annotations

from typing import Any

from parsers.index.jit import int64, kernel, part, uint64
from parsers.tptp.calls_flow import FIRST, STEP
from parsers.tptp.columns import NONE

FEW = 24
"""Siblings that are sorted by inserting them."""


@part
def _number(codes: Any, numbers: Any, code: Any, count: Any) -> Any:
    """The number of a code in a table of 2^n places, `count` if it is new; then it is added."""
    mask = uint64(len(codes) - 1)
    mixed = (uint64(code) + uint64(STEP)) * uint64(FIRST)
    place = int64((mixed ^ (mixed >> uint64(31))) & mask)
    while numbers[place] != NONE:
        if codes[place] == code:
            return int64(numbers[place])
        place = int64(uint64(place + 1) & mask)
    codes[place] = code
    numbers[place] = count
    found: int = count
    return found


@kernel
def merge_down(
    parents: Any, groups: Any, weights: Any, took: Any, codes: Any, numbers: Any, node_of: Any, tree: Any, sums: Any
) -> int:
    """Merges call paths by what they begin with; gives how many nodes there are.

    parents  uint32[n]     the path around each, NONE; before it
    groups   uint32[n]     what nodes are told apart by
    weights  int64[v, n]
    took     int64[n]      measured
    codes    int64[2^k]    room, more than n places
    numbers  uint32[2^k]   NONE
    node_of  uint32[n]     filled: the node of each path
    tree     int64[2, n]   filled: key and parent of each node (-1: none); parents stand before their children
    sums     int64[v + 1, n]  filled: weights of each node, then what was measured; zero before
    """
    count = int64(0)
    for path in range(len(parents)):
        above = int64(-1)
        if parents[path] != NONE:
            above = int64(node_of[int64(parents[path])])
        node = _number(codes, numbers, (above + 1) << 32 | int64(groups[path]), count)
        if node == count:
            tree[0, node] = int64(groups[path])
            tree[1, node] = above
            count += 1
        node_of[path] = node
        for value in range(len(weights)):
            sums[value, node] += weights[value, path]
        sums[len(weights), node] += took[path]
    found: int = count
    return found


@kernel
def merge_up(
    parents: Any,
    groups: Any,
    most: int,
    at: Any,
    codes: Any,
    numbers: Any,
    node_of: Any,
    tree: Any,
    is_open: Any,
) -> int:
    """Merges call paths from their innermost calls, level by level until there are more than `most` nodes.

    at       uint32[n]         each path's own number; used up
    codes, numbers, node_of    as for `merge_down`, with room for `most` + n
    tree     int64[2, most + n]  filled
    is_open  uint8[most + n]     filled: whether callers of a node are left out; zero before
    """
    count = int64(0)
    begun = int64(-1)
    while begun < count:
        is_last = count > most
        begun = count
        for path in range(len(parents)):
            if at[path] == NONE:
                continue
            above = int64(-1)
            if node_of[path] != NONE:
                above = int64(node_of[path])
            if is_last:
                is_open[above] = 1
                continue
            here = int64(at[path])
            node = _number(codes, numbers, (above + 1) << 32 | int64(groups[here]), count)
            if node == count:
                tree[0, node] = int64(groups[here])
                tree[1, node] = above
                count += 1
            node_of[path] = node
            at[path] = parents[here]
    found: int = count
    return found


@kernel
def add_up(weights: Any, node_of: Any, sums: Any) -> None:
    """Adds the weights of paths to their nodes."""
    for value in range(len(weights)):
        for path in range(len(node_of)):
            sums[value, node_of[path]] += weights[value, path]


@part
def _is_before(left: Any, right: Any, totals: Any, keys: Any) -> Any:
    if totals[left] != totals[right]:
        return totals[left] > totals[right]
    return keys[left] < keys[right]


@kernel
def lay_out(tree: Any, own: Any, totals: Any, sizes: Any, firsts: Any, children: Any, places: Any, depths: Any) -> None:
    """Where nodes stand in preorder, the heaviest of siblings first.

    tree      int64[2, n]     keys and parents; parents stand before their children
    own       int64[v, n]
    totals    int64[v, n]     filled: with all that is below
    sizes     int64[n]        filled
    firsts    int64[n + 2]    room, zero: where children of a node begin
    children  int64[n]        room
    places    int64[n]        filled
    depths    uint16[n]       filled, by node
    """
    keys, parents, count = tree[0], tree[1], len(sizes)
    for node in range(count):
        sizes[node] = 1
        for value in range(len(own)):
            totals[value, node] = own[value, node]
    for node in range(count - 1, -1, -1):
        above = parents[node]
        if above >= 0:
            sizes[above] += sizes[node]
            for value in range(len(own)):
                totals[value, above] += totals[value, node]
        firsts[above + 2] += 1
    for node in range(count):
        firsts[node + 1] += firsts[node]
    # Filling moves where each begins to where it ends, so each begins where the one before it does then.
    for node in range(count):
        above = parents[node]
        children[firsts[above + 1]] = node
        firsts[above + 1] += 1
    start = int64(0)
    for above in range(-1, count):
        stop = firsts[above + 1]
        gap = int64(1)
        while gap < (stop - start) // 3 and stop - start > FEW:
            gap = 3 * gap + 1
        while gap > 0:
            for at in range(start + gap, stop):
                node, hole = children[at], at
                while hole - gap >= start and _is_before(node, children[hole - gap], totals[0], keys):
                    children[hole] = children[hole - gap]
                    hole -= gap
                children[hole] = node
            gap //= 3
        place, depth = int64(0), int64(0)
        if above >= 0:
            place, depth = places[above] + 1, min(int64(depths[above]) + 1, 65_535)
        for at in range(start, stop):
            node = children[at]
            places[node] = place
            depths[node] = depth
            place += sizes[node]
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
