"""A joined chunk gets the form that is kept. See `text_kernel` for what comes before."""

from __future__ import annotations

from typing import Any

from parsers.graalvm.chunk import BLOCK, BLOCK_START, DECLARES, FARTHEST, LOOK_UP, NAMED, NAMELESS, NONE, ROWS
from parsers.graalvm.join_kernel import DECLARES_BIT, LENGTH_BITS, LENGTH_MASK
from parsers.index.jit import int64, kernel, uint32, uint64
from parsers.index.vector import is_equal, prefetch

BATCH = 64
"""Rows for which memory is asked before it is used."""


@kernel
def shape_chunk(chunk: Any, whole: Any, base: int, place: int, counts: Any) -> int:
    """Gives a joined chunk the form that is kept, looks up things that were known before, and compares names.

    chunk     as `join_chunk` left it. `kind` becomes what is kept, `thing`, `delta` and `base` are filled
    base      number of the chunk's first row; place: offset in the file of the first byte of `chunk.data`
    counts    uint32 by thing: rows that show or refer to it; the chunk's are added
    returns   how many rows call a thing otherwise than its first row did: they stand in `otherwise`

    May run while later chunks are joined: what it reads of `whole` doesn't change any more.
    """
    facts = chunk.facts
    flags_of = chunk.flags
    things = chunk.thing
    ids = chunk.id
    data = chunk.data
    offsets = chunk.offset
    kinds = chunk.kind
    begins = chunk.name_start
    lengths = chunk.name_length
    deltas = chunk.delta
    bases = chunk.base
    otherwise = chunk.otherwise
    texts, name_bytes, id_thing = whole.thing_text, whole.name_bytes, whole.id_thing
    rows = facts[ROWS]
    start = facts[BLOCK_START]
    blocks = strange = 0
    for row in range(rows):
        offset = place + int64(offsets[row])
        if (base + row) % BLOCK == 0:
            start = offset
            bases[blocks] = offset
            blocks += 1
        deltas[row] = min(offset - start, FARTHEST)
        if flags_of[row] & DECLARES:
            kinds[row] |= DECLARES_BIT
    # Memory is asked for in steps, each of which needs what the one before has brought.
    for first in range(0, rows, BATCH):
        last = min(first + BATCH, rows)
        for row in range(first, last):
            if things[row] == LOOK_UP:
                prefetch(id_thing, ids[row])
        for row in range(first, last):
            thing = things[row]
            if thing == LOOK_UP:
                thing = (id_thing[ids[row]] & ~NAMELESS) - uint32(1)
                things[row] = thing
            if thing != NONE:
                prefetch(counts, int64(thing))
                prefetch(texts, int64(thing))
        for row in range(first, last):
            if things[row] != NONE and ids[row] >= 0:
                begin = int64(texts[things[row]] >> uint64(LENGTH_BITS))
                prefetch(name_bytes, begin)
                prefetch(name_bytes, begin + 64)
                prefetch(name_bytes, begin + int64(lengths[row]))
                prefetch(data, int64(begins[row]))
                prefetch(data, int64(begins[row]) + 64)
        for row in range(first, last):
            if things[row] == NONE:
                continue
            thing = int64(things[row])
            counts[thing] += uint32(1)
            if ids[row] >= 0 and flags_of[row] & NAMED and lengths[row]:
                text = texts[thing]
                length = int64(lengths[row])
                begin = int64(text >> uint64(LENGTH_BITS))
                if length != int64(text & LENGTH_MASK) or not is_equal(
                    data, int64(begins[row]), name_bytes, begin, length
                ):
                    otherwise[strange] = row
                    strange += 1
    return strange
