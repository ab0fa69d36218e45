"""Scans lines by a table of states, at four places at once.

The next state depends on the previous one, so one place alone would leave the processor waiting most of the time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from parsers.kernels.decorators import intrinsic, ir, kernel, part, types, uint64
from parsers.kernels.vector import address_of, equal64, find, high_zeros, lowest_bit
from parsers.query.search.byte_states import FIRST, IDLE, MATCH, SPECIAL, UNKNOWN

if TYPE_CHECKING:
    from parsers.model.arrays import I64Array, RecordArray, U8Array, U16Array

LINE_FEED = 0x0A
LANES = 4
LANE = np.dtype([("position", "i8"), ("end", "i8"), ("state", "i8"), ("start", "i8")], align=True)
"""A section that is searched: the next byte, its end, the state before that byte, its start."""

DONE = 0
ASKS = 1
"""A state is unknown: call `ByteStates.learn` for each lane whose next state is `UNKNOWN`, then call again."""


@intrinsic
def follow(typing_context: Any, table: Any, state: Any, data: Any, index: Any) -> Any:
    """table[256 * state + data[index]], without any check."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        table, state, data, index = arguments
        word = ir.IntType(64)
        byte = builder.zext(builder.load(address_of(context, builder, signature.args[2], data, index, 1)), word)
        place = builder.add(builder.shl(state, ir.Constant(word, 8)), byte)
        next = builder.load(address_of(context, builder, signature.args[0], table, place, 1))
        return builder.zext(next, word)

    return types.int64(table, types.int64, data, types.int64), generate


@part
def line_start(data: U8Array, start: int, place: int) -> int:
    """Start of the line that contains the byte before `place`; `start` is the start of some line."""
    while place - start >= 64:
        mask = equal64(data, place - 64, LINE_FEED)
        if mask:
            return place - high_zeros(mask)
        place -= 64
    mask = equal64(data, start, LINE_FEED) & ((uint64(1) << uint64(place - start)) - uint64(1))
    return start + 64 - high_zeros(mask)


@kernel
def lines_accepted(
    data: U8Array, length: int, table: U16Array, starts: I64Array, stops: I64Array, lanes: RecordArray,
    progress: I64Array, found: I64Array,
) -> int:  # fmt: skip
    """Finds the matching lines of sections, each once, in no order.

    data      uint8[n]      any bytes; `vector.SLACK` more than `length`
    table     uint16[256 s] as in `byte_states`
    starts    int64[m]      starts of sections, each a line start
    stops     int64[m]      their ends, each after an LF; -1: after one line, which ends with one
    lanes     LANE[LANES]   initially zeros
    progress  int64[2]      sections begun, lines found; initially zeros
    found     int64[k]      starts of the lines; k >= number of lines
    returns `DONE`, or `ASKS`: only the table may change until the next call

    Twin: `StateFinder.lines_plain`.
    """
    begun = progress[0]
    count = progress[1]
    asks = False
    while not asks:
        busy = False
        steps = length
        for lane in range(LANES):
            if lanes[lane].position >= lanes[lane].end:
                if begun < starts.shape[0]:
                    start = starts[begun]
                    stop = stops[begun]
                    lanes[lane].position = start
                    lanes[lane].end = stop if stop >= 0 else find(data, start, length, LINE_FEED) + 1
                    lanes[lane].state = FIRST
                    lanes[lane].start = start
                    begun += 1
                else:
                    lanes[lane].position = 0
                    lanes[lane].end = length
                    lanes[lane].state = IDLE
            busy |= lanes[lane].state != IDLE
            steps = min(steps, lanes[lane].end - lanes[lane].position)
        if not busy:
            break
        place_0, place_1, place_2, place_3 = lanes[0].position, lanes[1].position, lanes[2].position, lanes[3].position
        state_0, state_1, state_2, state_3 = lanes[0].state, lanes[1].state, lanes[2].state, lanes[3].state
        next_0, next_1, next_2, next_3 = state_0, state_1, state_2, state_3
        step = 0
        is_special = False
        while step < steps:
            next_0 = follow(table, state_0, data, place_0 + step)
            next_1 = follow(table, state_1, data, place_1 + step)
            next_2 = follow(table, state_2, data, place_2 + step)
            next_3 = follow(table, state_3, data, place_3 + step)
            step += 1
            if (next_0 | next_1 | next_2 | next_3) & SPECIAL:
                is_special = True
                break
            state_0, state_1, state_2, state_3 = next_0, next_1, next_2, next_3
        for lane in range(LANES):
            lanes[lane].position += step
        if not is_special:
            lanes[0].state, lanes[1].state, lanes[2].state, lanes[3].state = state_0, state_1, state_2, state_3
            continue
        for lane in range(LANES):
            if lane == 0:
                following, state = next_0, state_0
            elif lane == 1:
                following, state = next_1, state_1
            elif lane == 2:
                following, state = next_2, state_2
            else:
                following, state = next_3, state_3
            if following < SPECIAL:
                lanes[lane].state = following
                continue
            place = lanes[lane].position - 1
            if following == UNKNOWN:
                lanes[lane].position = place
                lanes[lane].state = state
                asks = True
                continue
            if following == MATCH:
                found[count] = line_start(data, lanes[lane].start, place)
                count += 1
            lanes[lane].position = find(data, place, lanes[lane].end, LINE_FEED) + 1
            lanes[lane].state = FIRST
    progress[0] = begun
    progress[1] = count
    return ASKS if asks else DONE


@kernel
def lines_with(data: U8Array, stop: int, texts: U8Array, counts: I64Array, starts: I64Array) -> int:
    """Finds the lines that contain one of several texts; each place of a text has a set of possible bytes.

    data    uint8[n]        whole lines in the first `stop` bytes, the last of which is an LF; `vector.SLACK` more
    texts   uint8[t, k, m]  by text and place the bytes; none is an LF
    counts  int64[t, k]     their number; 0: the text has ended
    starts  int64[l]        filled from 0 with the starts of the lines, each once, l >= number of lines
    returns the number filled
    """
    place = 0
    count = 0
    begin = 0
    while place < stop:
        hits = uint64(0)
        for text in range(counts.shape[0]):
            all_here = ~uint64(0)
            for index in range(counts.shape[1]):
                if counts[text, index] == 0:
                    break
                here = uint64(0)
                for number in range(counts[text, index]):
                    here |= equal64(data, place + index, texts[text, index, number])
                all_here &= here
                if all_here == uint64(0):
                    break
            hits |= all_here
        if hits == uint64(0):
            place += 64
            continue
        found = place + lowest_bit(hits)
        if found >= stop:
            break
        starts[count] = line_start(data, begin, found)
        count += 1
        feed = find(data, found, stop, LINE_FEED)
        if feed < 0:
            break
        place = feed + 1
        begin = place
    return count
