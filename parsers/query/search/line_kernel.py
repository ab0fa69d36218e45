"""Lines that contain a text, if there are many: compiled, 64 bytes at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parsers.kernels.decorators import kernel, uint64
from parsers.kernels.vector import equal64, find, is_equal, lowest_bit

if TYPE_CHECKING:
    from parsers.model.arrays import I64Array, U8Array

LINE_FEED = 0x0A


@kernel
def lines_holding(
    data: U8Array, stop: int, text: U8Array, length: int, first: int, second: int, starts: I64Array
) -> int:
    """Finds the starts of the lines that contain a text, each once.

    data    uint8[n]  whole lines in the first `stop` bytes; any bytes; `vector.SLACK` more after them
    text    uint8[t]  the text in the first `length` bytes, without LF; `vector.SLACK` more after them
    first   the place of its byte that is rarest in the data; `second` that of the next one
    starts  int64[m]  filled from 0, m >= number of lines
    returns the number filled

    Twin: `TextFinder.lines_plain`.
    """
    end = stop - length + 1
    rare = text[first]
    next_rare = text[second]
    place = 0
    count = 0
    # The last 64 bytes before `place` that contain an LF: the start of the line is computed only for matches.
    feeds_at = 0
    feeds = uint64(0)
    line = 0
    while place < end:
        here = equal64(data, place, LINE_FEED)
        hits = equal64(data, place + first, rare) & equal64(data, place + second, next_rare)
        found = -1
        while hits:
            at = place + lowest_bit(hits)
            if at >= end:
                break
            if is_equal(data, at, text, 0, length):
                found = at
                break
            hits &= hits - uint64(1)
        if found < 0:
            if here:
                feeds = here
                feeds_at = place
            place += 64
            continue
        before = here & ((uint64(1) << uint64(found - place)) - uint64(1))
        if before:
            feeds = before
            feeds_at = place
        while feeds:
            line = feeds_at + lowest_bit(feeds) + 1
            feeds &= feeds - uint64(1)
        starts[count] = line
        count += 1
        feed = find(data, found + length, stop, LINE_FEED)
        if feed < 0:
            break
        place = feed + 1
        line = place
    return count
