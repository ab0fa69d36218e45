"""Graph algorithms over arrays, which are compiled as they are (`parsers.kernels.compiled`).

A vertex (`vertex` in names) is what has an id in a report: a method with calls, an object with references. Edges are
sorted by source: those of a vertex are at `starts[vertex]` … `starts[vertex + 1]`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from parsers.model.none import NONE

if TYPE_CHECKING:
    from parsers.model.arrays import I64Array, U8Array, U16Array, U32Array

ROOT = 0xFFFF_FFFE
"""As a parent: the vertex is an entry point."""
DECLARES, KIND = 0x80, 0x7F
"""Bits of a row's kind: set if the row declares an id; the kind itself."""


def find_owners(
    vertices: U32Array,
    depths: U16Array,
    kinds: U8Array,
    has_id: U8Array,
    entry: int,
    outside: int,
    above: U32Array,
    owners: U32Array,
) -> None:
    """Finds the source of each row's reference: the vertex of the nearest ancestor row that declares an id.

    vertices   uint32 by row: its vertex; depths uint16, kinds uint8 with `DECLARES`
    has_id   uint8 by vertex
    entry    the kind of rows that are entry points
    outside  source for rows without an ancestor that declares an id: ROOT, or NONE
    above    uint32, two more than the number of levels: scratch
    owners   uint32 by row, filled: the vertex, ROOT, or NONE for no reference
    """
    above[0] = outside
    before = -1
    for row in range(len(vertices)):
        depth = int(depths[row])
        for between in range(before + 2, depth + 1):
            above[between] = above[before + 1]
        before = depth
        vertex, kind = vertices[row], kinds[row]
        owner = above[depth]
        above[depth + 1] = vertex if kind & DECLARES else owner
        owners[row] = NONE
        if vertex != NONE and has_id[vertex]:
            owners[row] = ROOT if kind & KIND == entry else owner


def merge(
    starts: U32Array, targets: U32Array, group_of: U32Array, group_starts: U32Array, members: U32Array,
    marks: U32Array, merged_starts: U32Array, merged_targets: U32Array,
) -> int:  # fmt: skip
    """Builds the graph of groups, without loops and parallel edges; returns the number of edges.

    group_of                uint32 by vertex
    group_starts, members   the vertices of each group
    marks                   uint32[groups], NONE: scratch
    merged_starts           uint32[groups+1]; merged_targets uint32, as many as edges: filled
    """
    filled = 0
    for group in range(len(group_starts) - 1):
        merged_starts[group] = filled
        marks[group] = group
        for member in range(group_starts[group], group_starts[group + 1]):
            vertex = members[member]
            for place in range(starts[vertex], starts[vertex + 1]):
                target = group_of[targets[place]]
                if marks[target] != group:
                    marks[target] = group
                    merged_targets[filled] = target
                    filled += 1
    merged_starts[len(group_starts) - 1] = filled
    return filled


def count_retained_by_groups(
    starts: U32Array, targets: U32Array, in_starts: U32Array, sources: U32Array, child_starts: U32Array,
    children: U32Array, parents: U32Array, group_starts: U32Array, members: U32Array, marks: I64Array,
    visited: U32Array, free: U32Array, retained: U32Array, most: int,
) -> int:  # fmt: skip
    """Counts the vertices that would be unreachable without each group; returns how many groups were counted.

    Only descendants of a group's vertices in a tree of paths can become unreachable: all others have another path. A
    descendant with an edge from outside stays reachable, and so do its successors.

    in_starts, sources      the transposed graph
    child_starts, children     children by vertex in a tree of paths from the roots; parents: that tree
    group_starts, members   the vertices of each group
    marks                   int64[n], zeros; met, free uint32[n]: scratch
    retained                    uint32[groups], filled
    most                    maximum of steps, after which no further group is counted
    """
    steps = 0
    for group in range(len(group_starts) - 1):
        if steps > most:
            return group
        lost, removed = 2 * group + 1, 2 * group + 2
        count = 0
        for member in range(group_starts[group], group_starts[group + 1]):
            vertex = members[member]
            if parents[vertex] != NONE:
                marks[vertex] = removed
                visited[count] = vertex
                count += 1
        own = count
        done = 0
        while done < count:
            vertex = visited[done]
            done += 1
            for place in range(child_starts[vertex], child_starts[vertex + 1]):
                target = children[place]
                if marks[target] < lost:
                    marks[target] = lost
                    visited[count] = target
                    count += 1
        steps += count
        filled = 0
        for place in range(own, count):
            vertex = visited[place]
            for edge in range(in_starts[vertex], in_starts[vertex + 1]):
                source = sources[edge]
                steps += 1
                if marks[source] < lost and parents[source] != NONE:
                    marks[vertex] = 0
                    free[filled] = vertex
                    filled += 1
                    break
        done = 0
        while done < filled:
            vertex = free[done]
            done += 1
            steps += starts[vertex + 1] - starts[vertex]
            for edge in range(starts[vertex], starts[vertex + 1]):
                target = targets[edge]
                if marks[target] == lost:
                    marks[target] = 0
                    free[filled] = target
                    filled += 1
        retained[group] = count - filled
    return len(group_starts) - 1


def place_rows(child_starts: U32Array, children: U32Array, top: int, stack: U32Array, order: U32Array) -> int:
    """Sorts a tree into document order; returns the number of rows.

    child_starts, children  children by number; `top` is the number of the root
    stack                uint32[n+1]: scratch
    order                uint32[n], filled: by row its number
    """
    height = 1
    stack[0] = top
    row = 0
    while height > 0:
        height -= 1
        number = stack[height]
        if number != top:
            order[row] = number
            row += 1
        stop = int(child_starts[number + 1])
        for place in range(stop - int(child_starts[number])):
            stack[height] = children[stop - 1 - place]
            height += 1
    return row


def find_depths(parents: U32Array, depths: U16Array, ends: U32Array) -> None:
    """Computes depths and ends of rows from their parents.

    parents  uint32, NONE at the top; depths uint16, capped at 65,535, and ends uint32: filled
    """
    for row in range(len(parents)):
        above = parents[row]
        depths[row] = 0 if above == NONE else min(int(depths[above]) + 1, 65_535)
        ends[row] = row + 1
    for row in range(len(parents) - 1, -1, -1):
        above = parents[row]
        if above != NONE and ends[row] > ends[above]:
            ends[above] = ends[row]
