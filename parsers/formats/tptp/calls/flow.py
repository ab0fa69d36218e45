"""The calls of threads in order, as a tree: depths, ends, and which calls repeat the one before.

A *place* is an index in `call_of_thread`. Calls are in the order of their entries, so the descendants of a call are the
deeper ones directly after it. Consecutive siblings with equal subtrees are folded: only the first one has a row. Two
subtrees are equal if the same methods are called in the same order, and the same calls did not return. Each subtree has
a 64-bit hash, so no pair is ever compared call by call.

`COMPILED` has the same functions as kernels.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from parsers.formats.tptp.schema.columns import IS_RUNNING, NEVER, NO_ENTRY, NO_EXIT
from parsers.kernels.compiled import CompiledFunctions, signed, unsigned
from parsers.model.none import NONE

if TYPE_CHECKING:
    from parsers.model.arrays import I64Array, Numbers, U8Array, U16Array, U32Array, U64Array

MOST_DEPTH = 65_535
STEP, FIRST, SECOND = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
"""Constants of SplitMix64 (Steele, Lea, Flood 2014), which spreads small numbers over 64 bits."""
SHAPE_FLAGS = NO_ENTRY | NO_EXIT | IS_RUNNING
"""Flags that make two calls different."""


def mixed(number: int) -> int:
    """Returns a number after SplitMix64's finaliser."""
    number = unsigned((number ^ (number >> 30)) * FIRST)
    number = unsigned((number ^ (number >> 27)) * SECOND)
    return number ^ (number >> 31)


def place_calls(
    calls: U32Array,
    firsts: U32Array,
    parents: U32Array,
    places: U32Array,
    depths: U16Array,
    ends: U32Array,
    open: U32Array,
) -> None:
    """Computes depths and ends of the calls of each thread.

    calls    uint32[n]            rows of calls by thread, in order
    firsts   uint32[threads + 1]  first call of each thread
    parents  uint32[n]            by row: the calling row, NONE
    places   uint32[n]            filled: by row its place
    depths   uint16[n]            filled, by place
    ends     uint32[n]            filled, by place: the next call that is no deeper, or the thread's end
    open     uint32[65,536]       scratch: last call at each depth
    """
    for thread in range(len(firsts) - 1):
        deepest = -1
        for place in range(int(firsts[thread]), int(firsts[thread + 1])):
            row = int(calls[place])
            places[row] = place
            depth = 0
            if parents[row] != NONE and parents[row] < row:
                parent = int(places[int(parents[row])])
                if int(firsts[thread]) <= parent < place:
                    depth = min(int(depths[parent]) + 1, deepest + 1, MOST_DEPTH)
            while deepest >= depth:
                ends[int(open[deepest])] = place
                deepest -= 1
            depths[place] = depth
            open[depth] = place
            deepest = depth
        while deepest >= 0:
            ends[int(open[deepest])] = firsts[thread + 1]
            deepest -= 1


def count_repetitions(
    calls: U32Array,
    firsts: U32Array,
    methods: U32Array,
    flags: U8Array,
    ends: U32Array,
    shapes: U64Array,
    times: U32Array,
) -> int:
    """Counts consecutive equal calls; returns the number of remaining rows.

    methods, flags  by row of calls
    shapes          uint64[n]  filled, by place: hash of the subtree
    times           uint32[n]  filled, by place: 0 if the call repeats the one before; its descendants have no rows
    """
    for place in range(len(calls) - 1, -1, -1):
        row = int(calls[place])
        shape = mixed(unsigned(unsigned(int(methods[row]) << 8 | (int(flags[row]) & SHAPE_FLAGS)) + STEP))
        below = place + 1
        while below < ends[place]:
            shape = mixed(unsigned((shape + unsigned(shapes[below])) * FIRST + STEP))
            below = int(ends[below])
        shapes[place] = shape
    kept = 0
    for thread in range(len(firsts) - 1):
        kept += _count(int(firsts[thread]), int(firsts[thread + 1]), ends, shapes, times)
    place = 0
    while place < len(calls):
        if not times[place]:
            place = int(ends[place])
            continue
        kept += _count(place + 1, int(ends[place]), ends, shapes, times)
        place += 1
    return kept


def _count(start: int, stop: int, ends: U32Array, shapes: U64Array, times: U32Array) -> int:
    """Counts repetitions of siblings that begin in a range; returns the number of them with a row."""
    first, rows, at = -1, 0, start
    while at < stop:
        if first >= 0 and shapes[at] == shapes[first]:
            times[first] += 1
            times[at] = 0
        else:
            first, rows = at, rows + 1
            times[at] = 1
        at = int(ends[at])
    return rows


def keep_rows(
    calls: U32Array,
    starts: I64Array,
    stops: I64Array,
    bases: I64Array,
    ends: U32Array,
    times: U32Array,
    kept: U32Array,
    kept_ends: U32Array,
    kept_times: U32Array,
    kept_took: I64Array,
    kept_bases: I64Array,
    open: U32Array,
    depths: U16Array,
) -> None:
    """Fills the arrays of the remaining rows.

    starts, stops, bases     int64, by row of calls
    kept, kept_times         uint32[rows]  filled: places, and numbers of repetitions
    kept_ends                uint32[rows]  filled: the next row that is no deeper
    kept_took, kept_bases    int64[rows]   filled: total and self time of all repetitions
    """
    place, number, deepest = 0, 0, -1
    while place < len(calls):
        if not times[place]:
            place = int(ends[place])
            continue
        depth = int(depths[place])
        while deepest >= depth:
            kept_ends[int(open[deepest])] = number
            deepest -= 1
        open[depth], deepest = number, depth
        kept[number], kept_times[number] = place, times[place]
        took = base = 0
        at = place
        for _ in range(int(times[place])):
            row = int(calls[at])
            if starts[row] != NEVER and stops[row] != NEVER:
                took += int(stops[row]) - int(starts[row])
            base += int(bases[row])
            at = int(ends[at])
        kept_took[number], kept_bases[number] = signed(took), signed(base)
        number, place = number + 1, place + 1
    while deepest >= 0:
        kept_ends[int(open[deepest])] = number
        deepest -= 1


def find_outermost(
    parents: Any, methods: Any, is_outermost: Numbers, children: Numbers, siblings: Numbers, open: Numbers
) -> None:
    """Finds the call paths whose method does not occur among its own callers.

    parents       uint32[nodes]    NONE of outermost ones; parents precede their children
    methods       uint32[nodes]
    is_outermost  uint8[nodes]     filled
    children, siblings  uint32[nodes + 1]  scratch: first child and next sibling of each path
    open          uint32[methods]  zero; number of open paths of a method
    """
    nodes = len(parents)
    for node in range(nodes + 1):
        children[node] = siblings[node] = NONE
    for node in range(nodes - 1, -1, -1):
        parent = nodes if parents[node] == NONE else int(parents[node])
        siblings[node] = children[parent]
        children[parent] = node
    node = int(children[nodes])
    while node != NONE:
        method = int(methods[node])
        is_outermost[node] = open[method] == 0
        if children[node] != NONE:
            open[method] += 1
            node = int(children[node])
            continue
        while siblings[node] == NONE and parents[node] != NONE:
            node = int(parents[node])
            open[int(methods[node])] -= 1
        node = int(siblings[node])


def measure(parents: U32Array, own: I64Array, is_open: U8Array, took: I64Array, below: I64Array) -> None:
    """Computes total times of call paths that were not measured: self time plus that of all descendants.

    parents  uint32[nodes]  as for `find_outermost`
    own      int64[nodes]
    is_open  uint8[nodes]   1 if calls of a path did not return
    took     int64[nodes]   as measured; changed
    below    int64[nodes]   scratch, zero
    """
    for node in range(len(parents) - 1, -1, -1):
        if is_open[node]:
            took[node] = signed(int(own[node]) + int(below[node]))
        if parents[node] != NONE:
            parent = int(parents[node])
            below[parent] = signed(int(below[parent]) + int(took[node]))


COMPILED = CompiledFunctions(sys.modules[__name__])
"""The functions as kernels: durations of damaged recordings overflow as in `signed`."""
