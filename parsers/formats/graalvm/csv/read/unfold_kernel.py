"""Compiled construction of the tree of a call graph: first calls of methods, and all printed rows.

Plain twin: `csv.tree`. Vertices are the methods in the order in which they are reached, then targets that calls name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from parsers.formats.graalvm.calls.index.row import CONTINUED, DIRECT, ENTRY, OVERRIDDEN, UNREACHED, VIRTUAL
from parsers.kernels.decorators import int64, kernel, part, uint32
from parsers.kernels.vector import prefetch

if TYPE_CHECKING:
    from parsers.formats.graalvm.csv.read.names import CallArrays, CallTable, ReachedMethods, UnfoldedRows
    from parsers.model.arrays import I64Array, U8Array, U32Array

NONE = uint32(0xFFFFFFFF)
DECLARES = 0x80
AHEAD = 12
FAR, MIDDLE, NEAR = 64, 40, 20
"""Prefetch distances, in calls."""
LARGE = 0xFF
"""Subtrees with at least this many descendants are listed."""
NO_BCI, STRANGE = 0xFFFF, 0xFFFE
EDGES, CHILDREN, EMPTY, LISTED, STRANGES = range(5)
"""Sums of `print_rows`: different pairs of caller and callee; most children of a row; virtual calls without targets;
large subtrees listed; rows with strange bytecode indexes."""


@part
def add_callee(
    graph: CallArrays, tree: ReachedMethods, vertex: int, callee: int, call: int, place: int, parent: int, local: int,
    depth: int, kind: int, deepest: int,
) -> None:  # fmt: skip
    """Numbers a method that a call reaches first. It becomes a root if rows below it would be too deep."""
    distance = tree.distance[parent]
    graph.vertex[callee] = vertex
    graph.declares[call] = 1
    tree.method[vertex] = callee
    tree.place[vertex] = place
    tree.distance[vertex] = distance + uint32(1) if distance != NONE else NONE
    is_root = depth > deepest - 2
    tree.parent[vertex] = NONE if is_root else uint32(parent)
    tree.call[vertex] = NONE if is_root else uint32(call)
    tree.local[vertex] = 0 if is_root else local
    tree.depth[vertex] = 0 if is_root else depth
    tree.kind[vertex] = CONTINUED if is_root else kind


@kernel
def reach(
    calls: CallTable, graph: CallArrays, tree: ReachedMethods, roots: U32Array, are_entries: bool, vertices: int,
    most: int, deepest: int,
) -> int:  # fmt: skip
    """Reaches methods breadth first from some roots, and numbers them; returns the number of vertices, -1 if their
    calls are more than `most` rows.

    calls        `names.CallTable`, in printed order
    graph        `names.CallArrays`
    tree         `names.ReachedMethods`: filled from `vertices` on
    are_entries  True if all roots begin at once, and are entries; else each begins when the ones before are exhausted
    deepest      the greatest depth of a row; methods whose rows and calls would be deeper are roots, too
    """
    done = vertices
    rows = int64(0)
    for number in range(len(roots)):
        root = roots[number]
        if graph.vertex[root] != NONE:
            continue
        graph.vertex[root] = vertices
        tree.method[vertices] = root
        tree.parent[vertices] = NONE
        tree.local[vertices] = 0
        tree.call[vertices] = NONE
        tree.depth[vertices] = 0
        tree.kind[vertices] = ENTRY if are_entries else UNREACHED
        tree.distance[vertices] = uint32(0) if are_entries else NONE
        vertices += 1
        if are_entries and number + 1 < len(roots):
            continue
        while done < vertices:
            caller = tree.method[done]
            depth = int64(tree.depth[done])
            local = int64(0)
            for call in range(graph.first[caller], graph.first[caller + uint32(1)]):
                list = calls.list[call]
                if list == NONE:
                    callee = calls.to[call]
                    if graph.vertex[callee] == NONE:
                        add_callee(graph, tree, vertices, callee, call, 0, done, local, depth + 1, DIRECT, deepest)
                        vertices += 1
                    local += 1
                    continue
                begin, stop = int64(graph.list_first[list]), int64(graph.list_first[list + uint32(1)])
                if not graph.is_done[list]:
                    graph.is_done[list] = 1
                    for place in range(begin, stop):
                        callee = graph.members[place]
                        if graph.vertex[callee] == NONE:
                            at = place - begin
                            below = local + 1 + at
                            add_callee(
                                graph, tree, vertices, callee, call, at, done, below, depth + 2, OVERRIDDEN, deepest
                            )
                            vertices += 1
                local += 1 + stop - begin
            rows += local
            if rows > most:
                return -1
            tree.below[done] = local
            done += 1
    return vertices


@kernel
def examine_calls(calls: CallTable, list_first: U32Array, is_target: U8Array) -> tuple[int, int, int]:
    """Numbers of rows of calls, of rows with so many targets that their subtrees are listed, and of rows with a strange
    bytecode index.

    is_target: uint8 by name, zero: set for targets named by calls
    """
    rows = many = strange = int64(0)
    for call in range(len(calls.list)):
        list = calls.list[call]
        rows += 1
        strange += calls.bci[call] >= STRANGE
        if list != NONE:
            is_target[calls.to[call]] = 1
            size = int64(list_first[list + uint32(1)]) - int64(list_first[list])
            rows += size
            many += size >= LARGE
    return rows, many, strange


@kernel
def measure(tree: ReachedMethods, vertices: int) -> int:
    """Sums the descendants of each method, and determines the row declaring it; returns the number of rows.

    `below` has the rows of a method's own calls first, and all its descendants after that.
    """
    for vertex in range(vertices - 1, -1, -1):
        parent = tree.parent[vertex]
        if parent != NONE:
            tree.below[parent] += tree.below[vertex]
    rows = int64(0)
    inside = int64(0)
    before = NONE
    for vertex in range(vertices):
        parent = tree.parent[vertex]
        if parent == NONE:
            tree.row[vertex] = rows
            rows += 1 + int64(tree.below[vertex])
            continue
        # Methods that are reached from one are consecutive, except for roots between them.
        if parent != before:
            before = parent
            inside = 0
        tree.row[vertex] = int64(tree.row[parent]) + 1 + int64(tree.local[vertex]) + inside
        inside += int64(tree.below[vertex])
    total: int = rows
    return total


@part
def put_row(
    rows: UnfoldedRows, at: int, depth: int, kind: int, vertex: int, below: int, bci: int, sums: I64Array,
) -> None:  # fmt: skip
    """Writes one row; a large subtree is listed too."""
    rows.depth[at] = depth
    rows.kind[at] = kind
    rows.vertex[at] = vertex
    rows.bci[at] = bci
    rows.below[at] = min(below, LARGE)
    if below >= LARGE:
        rows.large_row[sums[LISTED]] = at
        rows.large_end[sums[LISTED]] = at + 1 + below
        sums[LISTED] += 1


@part
def ask_for_rows(rows: UnfoldedRows, row: int) -> None:
    """Prefetches memory that is written soon."""
    prefetch(rows.vertex, row)
    prefetch(rows.depth, row)
    prefetch(rows.kind, row)
    prefetch(rows.below, row)
    prefetch(rows.bci, row)


@part
def ask_for_calls(calls: CallTable, graph: CallArrays, targets: U32Array, seen: U32Array, call: int) -> None:
    """Prefetches memory that the calls after one need, in steps, each of which needs the one before."""
    if call + FAR < len(calls.to):
        list = calls.list[call + FAR]
        if list == NONE:
            prefetch(graph.vertex, int64(calls.to[call + FAR]))
        else:
            prefetch(graph.list_first, int64(list))
            prefetch(targets, int64(calls.to[call + FAR]))
        list = calls.list[call + MIDDLE]
        if list == NONE:
            prefetch(seen, 2 * int64(graph.vertex[calls.to[call + MIDDLE]]))
        else:
            prefetch(graph.members, int64(graph.list_first[list]))
            prefetch(seen, 2 * int64(targets[calls.to[call + MIDDLE]]))
        list = calls.list[call + NEAR]
        if list != NONE:
            start = int64(graph.list_first[list])
            for place in range(start, min(start + AHEAD, int64(graph.list_first[list + uint32(1)]))):
                prefetch(seen, 2 * int64(graph.members[place]))


@part
def see(seen: U32Array, caller: int, callee: int) -> int:
    """Counts a row of a vertex. Returns 1 for a new pair of caller and callee, else 0."""
    seen[2 * callee + 1] += uint32(1)
    if seen[2 * callee] == caller + 1:
        return 0
    seen[2 * callee] = caller + 1
    return 1


@kernel
def print_rows(
    calls: CallTable, graph: CallArrays, tree: ReachedMethods, rows: UnfoldedRows, begin: int, end: int,
    targets: U32Array, seen: U32Array, depths: I64Array, kinds: I64Array, sums: I64Array,
) -> None:  # fmt: skip
    """Fills the rows of the methods begin … end: declarations, if they are roots, and rows of their calls.

    graph    `members` are vertices now
    rows     `UnfoldedRows`, `kind`, `below` and `bci` filled with the most frequent values: OVERRIDDEN, 0, NO_BCI;
             `large_*` and `strange_*` are this call's own
    targets  uint32 by name: its vertex as a target
    seen     uint32, two by vertex: the last caller + 1; its number of rows in these methods, added to
    depths   int64[n], kinds int64[16], sums int64[8]: added to
    """
    edges = int64(0)
    for vertex in range(begin, end):
        at = int64(tree.row[vertex])
        depth = int64(tree.depth[vertex])
        if vertex + AHEAD < end:
            ask_for_rows(rows, int64(tree.row[vertex + AHEAD]) + 1)
        if tree.parent[vertex] == NONE:
            put_row(rows, at, 0, int64(tree.kind[vertex]) | DECLARES, vertex, int64(tree.below[vertex]), NO_BCI, sums)
            seen[2 * vertex + 1] += uint32(1)
            depths[0] += 1
            kinds[tree.kind[vertex]] += 1
        at += 1
        method = tree.method[vertex]
        first, last = int64(graph.first[method]), int64(graph.first[method + uint32(1)])
        sums[CHILDREN] = max(sums[CHILDREN], last - first)
        above, under = depth + 1, depth + 2
        for call in range(first, last):
            ask_for_calls(calls, graph, targets, seen, call)
            code = int64(calls.bci[call])
            bci = code
            if code >= STRANGE:
                bci = STRANGE
                rows.strange_row[sums[STRANGES]] = at
                rows.strange_code[sums[STRANGES]] = code
                sums[STRANGES] += 1
            list = calls.list[call]
            if list == NONE:
                callee = int64(graph.vertex[calls.to[call]])
                edges += see(seen, vertex, callee)
                kinds[DIRECT] += 1
                depths[above] += 1
                if graph.declares[call] and int64(tree.call[callee]) == call:
                    below = int64(tree.below[callee])
                    put_row(rows, at, above, DIRECT | DECLARES, callee, below, bci, sums)
                    at += 1 + below
                else:
                    put_row(rows, at, above, DIRECT, callee, 0, bci, sums)
                    at += 1
                continue
            start, stop = int64(graph.list_first[list]), int64(graph.list_first[list + uint32(1)])
            count = stop - start
            kinds[VIRTUAL] += 1
            kinds[OVERRIDDEN] += count
            depths[above] += 1
            depths[under] += count
            sums[EMPTY] += count == 0
            sums[CHILDREN] = max(sums[CHILDREN], count)
            top = at
            at += 1
            if not graph.declares[call]:
                for place in range(start, stop):
                    if place + AHEAD < stop:
                        prefetch(seen, 2 * int64(graph.members[place + AHEAD]))
                    callee = int64(graph.members[place])
                    edges += see(seen, vertex, callee)
                    rows.vertex[at] = callee
                    rows.depth[at] = under
                    at += 1
            else:
                for place in range(start, stop):
                    callee = int64(graph.members[place])
                    edges += see(seen, vertex, callee)
                    is_here = int64(tree.call[callee]) == call and int64(tree.place[callee]) == place - start
                    if is_here and tree.parent[callee] == vertex:
                        below = int64(tree.below[callee])
                        put_row(rows, at, under, OVERRIDDEN | DECLARES, callee, below, NO_BCI, sums)
                        at += 1 + below
                    else:
                        rows.vertex[at] = callee
                        rows.depth[at] = under
                        at += 1
            target = int64(targets[calls.to[call]])
            seen[2 * target + 1] += uint32(1)
            put_row(rows, top, above, VIRTUAL, target, at - top - 1, bci, sums)
    sums[EDGES] += edges


@kernel
def place_rows(vertex: U32Array, cursors: U32Array, placed: U32Array) -> None:
    """Groups all rows by vertex, ascending within a vertex.

    cursors  uint32 by vertex: place of its next row; incremented
    placed   uint32 by row: filled
    """
    rows = len(vertex)
    for row in range(rows):
        if row + FAR < rows:
            prefetch(cursors, int64(vertex[row + FAR]))
            prefetch(placed, int64(cursors[vertex[row + MIDDLE]]))
        place = cursors[vertex[row]]
        placed[place] = row
        cursors[vertex[row]] = place + uint32(1)
