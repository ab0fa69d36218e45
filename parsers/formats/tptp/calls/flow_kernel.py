"""Compiled loops of `flow`: same arguments, same results."""

from __future__ import annotations

from typing import Any

from parsers.formats.tptp.calls.flow import FIRST as FIRST_NUMBER
from parsers.formats.tptp.calls.flow import MOST_DEPTH, SHAPE_FLAGS
from parsers.formats.tptp.calls.flow import SECOND as SECOND_NUMBER
from parsers.formats.tptp.calls.flow import STEP as STEP_NUMBER
from parsers.formats.tptp.schema.columns import NEVER, NONE
from parsers.kernels.decorators import int64, kernel, part, uint64


@part
def mixed(number: Any) -> Any:
    """See `flow.mixed`."""
    number = (number ^ (number >> uint64(30))) * uint64(FIRST_NUMBER)
    number = (number ^ (number >> uint64(27))) * uint64(SECOND_NUMBER)
    return number ^ (number >> uint64(31))


@kernel
def place_calls(calls: Any, firsts: Any, parents: Any, places: Any, depths: Any, ends: Any, open: Any) -> None:
    """See `flow.place_calls`."""
    for thread in range(len(firsts) - 1):
        deepest = -1
        for place in range(int64(firsts[thread]), int64(firsts[thread + 1])):
            row = int64(calls[place])
            places[row] = place
            depth = 0
            if parents[row] != NONE and parents[row] < row:
                parent = int64(places[int64(parents[row])])
                if int64(firsts[thread]) <= parent < place:
                    depth = min(int64(depths[parent]) + 1, deepest + 1, MOST_DEPTH)
            while deepest >= depth:
                ends[int64(open[deepest])] = place
                deepest -= 1
            depths[place] = depth
            open[depth] = place
            deepest = depth
        while deepest >= 0:
            ends[int64(open[deepest])] = firsts[thread + 1]
            deepest -= 1


@kernel
def count_repetitions(calls: Any, firsts: Any, methods: Any, flags: Any, ends: Any, shapes: Any, times: Any) -> int:
    """See `flow.count_repetitions`."""
    for place in range(len(calls) - 1, -1, -1):
        row = int64(calls[place])
        shape = mixed(uint64(int64(methods[row]) << 8 | (int64(flags[row]) & SHAPE_FLAGS)) + uint64(STEP_NUMBER))
        below = place + 1
        while below < ends[place]:
            shape = mixed((shape + shapes[below]) * uint64(FIRST_NUMBER) + uint64(STEP_NUMBER))
            below = int64(ends[below])
        shapes[place] = shape
    kept = 0
    for thread in range(len(firsts) - 1):
        kept += _count(int64(firsts[thread]), int64(firsts[thread + 1]), ends, shapes, times)
    place = 0
    while place < len(calls):
        if not times[place]:
            place = int64(ends[place])
            continue
        kept += _count(place + 1, int64(ends[place]), ends, shapes, times)
        place += 1
    return kept


@part
def _count(start: Any, stop: Any, ends: Any, shapes: Any, times: Any) -> Any:
    """See `flow._count`."""
    first, rows, at = -1, 0, start
    while at < stop:
        if first >= 0 and shapes[at] == shapes[first]:
            times[first] += 1
            times[at] = 0
        else:
            first, rows = at, rows + 1
            times[at] = 1
        at = int64(ends[at])
    return rows


@kernel
def keep_rows(
    calls: Any,
    starts: Any,
    stops: Any,
    bases: Any,
    ends: Any,
    times: Any,
    kept: Any,
    kept_ends: Any,
    kept_times: Any,
    kept_took: Any,
    kept_bases: Any,
    open: Any,
    depths: Any,
) -> None:
    """See `flow.keep_rows`."""
    place, number, deepest = 0, 0, -1
    while place < len(calls):
        if not times[place]:
            place = int64(ends[place])
            continue
        depth = int64(depths[place])
        while deepest >= depth:
            kept_ends[int64(open[deepest])] = number
            deepest -= 1
        open[depth], deepest = number, depth
        kept[number], kept_times[number] = place, times[place]
        took = base = 0
        at = place
        for _ in range(int64(times[place])):
            row = int64(calls[at])
            if starts[row] != NEVER and stops[row] != NEVER:
                took += int64(stops[row]) - int64(starts[row])
            base += int64(bases[row])
            at = int64(ends[at])
        kept_took[number], kept_bases[number] = took, base
        number, place = number + 1, place + 1
    while deepest >= 0:
        kept_ends[int64(open[deepest])] = number
        deepest -= 1


@kernel
def find_outermost(parents: Any, methods: Any, is_outermost: Any, links: Any, open: Any) -> None:
    """See `flow.find_outermost`."""
    nodes = len(parents)
    for node in range(nodes + 1):
        links[0, node] = links[1, node] = NONE
    for node in range(nodes - 1, -1, -1):
        parent = nodes if parents[node] == NONE else int64(parents[node])
        links[1, node] = links[0, parent]
        links[0, parent] = node
    node = int64(links[0, nodes])
    while node != NONE:
        method = int64(methods[node])
        is_outermost[node] = open[method] == 0
        if links[0, node] != NONE:
            open[method] += 1
            node = int64(links[0, node])
            continue
        while links[1, node] == NONE and parents[node] != NONE:
            node = int64(parents[node])
            open[int64(methods[node])] -= 1
        node = int64(links[1, node])


@kernel
def measure(parents: Any, own: Any, is_open: Any, took: Any, below: Any) -> None:
    """See `flow.measure`."""
    for node in range(len(parents) - 1, -1, -1):
        if is_open[node]:
            took[node] = own[node] + below[node]
        if parents[node] != NONE:
            below[int64(parents[node])] += took[node]
