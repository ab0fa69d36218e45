"""Kernels that need the whole document: rows by vertex, callers and callees, classes and packages.

See `kernel` for the steps before. Plain twins: `plain_tree.PlainTree` and `CallCounts`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from parsers.formats.graalvm.text.read.chunk import NONE
from parsers.formats.graalvm.text.read.join_kernel import DECLARES_BIT, ENTRY
from parsers.kernels.decorators import int64, kernel, part, uint32, uint64
from parsers.kernels.id_table import HALF, LOWER
from parsers.kernels.vector import load64, prefetch

if TYPE_CHECKING:
    from parsers.model.arrays import I64Array, U8Array, U16Array, U32Array, U64Array

AHEAD = 16
"""Rows between prefetching memory and using it."""
BATCH = 64
"""Rows for which memory is prefetched before it is used."""
AS_ENTRY = uint32(0xFFFFFFFE)
"""Owner of an entry row, which is no call."""

EDGES, FORWARD, DANGLING, SHORTER = range(4)
"""Places in the sums of `count_rows`."""

KIND_BITS = DECLARES_BIT - 1
HIGH_BITS = uint64(0x8080808080808080)


@part
def pass_down(above: U32Array, before: int, depth: int) -> int:
    """Returns the owner of a row from the owners of each depth; `before` is the depth of the row before it.

    A row that is deeper by more than one belongs below the row before it, as do later rows at the depths between.
    """
    for between in range(before + 2, depth + 1):
        above[between] = above[before + 1]
    return uint32(above[depth])


@kernel
def sort_rows(
    vertices: U32Array, depths: U16Array, kinds: U8Array, starts: U32Array, first: int, last: int, above: U32Array,
    cursors: I64Array, wanted: U64Array, pairs: U64Array,
) -> None:  # fmt: skip
    """Sorts the rows of the vertices from `first` to `last` by vertex, then in document order, with their owners.

    vertices  uint32 by row: its vertex; depths uint16; kinds uint8 with the bit for declarations
    starts  uint32[n+1] by vertex: start of its rows
    above, cursors, wanted  uint32[`DEEPEST` + 2], int64[last - first], uint64[`BATCH`]: work arrays
    pairs   uint64[starts[last] - starts[first]]: filled with the owner in the upper half, the row in the lower. The
            owner is the vertex of the nearest ancestor that declares an id; NONE without one; AS_ENTRY for entries.
    """
    above[0] = NONE
    before = -1
    shift = int64(starts[first])
    for vertex in range(first, last):
        cursors[vertex - first] = int64(starts[vertex]) - shift
    rows, span = len(vertices), uint32(last - first)
    for begin in range(0, rows, BATCH):
        count = 0
        for row in range(begin, min(begin + BATCH, rows)):
            depth = int64(depths[row])
            owner = pass_down(above, before, depth)
            vertex, kind = vertices[row], kinds[row]
            above[depth + 1] = vertex if kind & DECLARES_BIT else owner
            before = depth
            # Without a branch, as the next vertex is unpredictable.
            wanted[count] = uint64(AS_ENTRY if kind & KIND_BITS == ENTRY else owner) << HALF | uint64(row)
            count += vertex - uint32(first) < span
        for place in range(count):
            prefetch(cursors, int64(vertices[int64(wanted[place] & LOWER)]) - first)
        for place in range(count):
            prefetch(pairs, cursors[int64(vertices[int64(wanted[place] & LOWER)]) - first])
        for place in range(count):
            pair = wanted[place]
            cursor = int64(vertices[int64(pair & LOWER)]) - first
            pairs[cursors[cursor]] = pair
            cursors[cursor] += 1


@kernel
def count_rows(
    pairs: U64Array, starts: U32Array, first: int, last: int, whole_ids: I64Array, declarations: U32Array,
    distances: U32Array, marks: U32Array, rows: U32Array, sums: I64Array,
) -> None:  # fmt: skip
    """Counts over all rows of each vertex.

    pairs         as `sort_rows` left them; starts, first, last as there
    whole_ids     int64 by vertex: its id, -1 if none; declarations, distances uint32 by vertex
    marks         uint32[n+1]: NONE in all places; overwritten
    rows          uint32: filled with the rows alone
    sums          int64[4]: added to. SHORTER gets 1 if a vertex has a shorter path than the tree shows.
    """
    shift = int64(starts[first])
    end = int64(starts[last]) - shift
    nobody = len(marks) - 1
    edges = forward = dangling = shorter = 0
    for vertex in range(first, last):
        begin, stop = int64(starts[vertex]) - shift, int64(starts[vertex + 1]) - shift
        if whole_ids[vertex] < 0:
            for place in range(begin, stop):
                rows[place] = uint32(pairs[place] & LOWER)
            continue
        declaration = declarations[vertex]
        distance = uint64(distances[vertex])
        for place in range(begin, stop):
            if place + AHEAD < end:
                ahead = int64(pairs[place + AHEAD] >> HALF)
                if ahead < nobody:
                    prefetch(marks, ahead)
                    prefetch(distances, ahead)
            pair = pairs[place]
            row = uint32(pair & LOWER)
            owner = uint32(pair >> HALF)
            rows[place] = row
            forward += row < declaration
            if owner == AS_ENTRY:
                continue
            mark = nobody
            if owner != NONE:
                mark = int64(owner)
                shorter |= uint64(distances[owner]) + uint64(1) < distance
            if marks[mark] != vertex:
                marks[mark] = vertex
                edges += 1
        if declaration == NONE:
            dangling += stop - begin
            forward -= stop - begin
    sums[EDGES] += edges
    sums[FORWARD] += forward
    sums[DANGLING] += dangling
    sums[SHORTER] |= shorter


@part
def is_plain_utf8(text: U8Array, at: int, stop: int) -> bool:
    """Returns True if a text is valid UTF-8 without U+FFFD. Twin: Python's strict decoder."""
    while at < stop:
        first = int64(text[at])
        at += 1
        if first < 0x80:
            continue
        if 0xC2 <= first < 0xE0:
            more = 1
        elif 0xE0 <= first < 0xF0:
            more = 2
        elif 0xF0 <= first < 0xF5:
            more = 3
        else:
            return False
        if at + more > stop:
            return False
        second = int64(text[at])
        lowest, highest = 0x80, 0xBF
        if first == 0xE0:
            lowest = 0xA0
        elif first == 0xED:
            highest = 0x9F
        elif first == 0xF0:
            lowest = 0x90
        elif first == 0xF4:
            highest = 0x8F
        if not lowest <= second <= highest:
            return False
        if first == 0xEF and second == 0xBF and text[at + 1] == 0xBD:
            return False
        for place in range(at + 1, at + more):
            if not 0x80 <= text[place] <= 0xBF:
                return False
        at += more
    return True


@kernel
def strange_texts(starts: U64Array, texts: U8Array, count: int, is_utf8: bool, strange: U32Array) -> int:
    """Finds those of `count` texts that may look like another: fills `strange` with their numbers, returns the count.

    These are the texts that are not ASCII; in UTF-8 only those that are invalid or contain a U+FFFD, which replaces
    invalid bytes.
    """
    found = 0
    for number in range(count):
        start, stop = int64(starts[number]), int64(starts[number + 1])
        at = start
        bits = uint64(0)
        while at + 8 <= stop:
            bits |= load64(texts, at)
            at += 8
        while at < stop:
            bits |= uint64(texts[at])
            at += 1
        if bits & HIGH_BITS and not (is_utf8 and is_plain_utf8(texts, start, stop)):
            strange[found] = number
            found += 1
    return found
