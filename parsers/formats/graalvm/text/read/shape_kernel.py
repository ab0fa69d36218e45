"""Converts a joined chunk to its stored form. See `kernel` for the steps before."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parsers.formats.graalvm.text.read.chunk import BLOCK, DECLARES, FARTHEST, KNOWN, NAMED
from parsers.formats.graalvm.text.read.join_kernel import DECLARES_BIT
from parsers.formats.graalvm.text.read.resolve_kernel import BATCH, is_text
from parsers.kernels.decorators import int64, kernel, uint32
from parsers.kernels.vector import prefetch

if TYPE_CHECKING:
    from parsers.formats.graalvm.text.read.chunk import TextChunk, TextState
    from parsers.model.arrays import U32Array


@kernel
def shape_chunk(chunk: TextChunk, whole: TextState, base: int, place: int, counts: U32Array) -> int:
    """Converts a joined chunk to its stored form, and compares the names that `resolve_chunk` could not.

    chunk     as `join_chunk` left it. `kind` gets its stored form, `delta` and `base` are filled
    base      number of the chunk's first row; place: offset in the file of the first byte of `chunk.data`
    counts    uint32 by vertex: rows that show or refer to it; the chunk's busy ones are added
    returns   the number of rows that name a vertex differently from its first row; `otherwise` lists them

    May run while later chunks are joined: the entries of `whole` that it reads are final.
    """
    facts = chunk.facts[0]
    flags_of = chunk.flags
    vertices = chunk.vertex
    data = chunk.data
    offsets = chunk.offset
    kinds = chunk.kind
    deltas = chunk.delta
    bases = chunk.base
    otherwise = chunk.otherwise
    texts, name_bytes = whole.vertex_text, whole.name_bytes
    rows, busy = facts.rows, facts.busy
    start = facts.block_start
    blocks = 0
    row = 0
    while row < rows:
        if (base + row) % BLOCK == 0:
            start = place + int64(offsets[row])
            bases[blocks] = start
            blocks += 1
        stop = min(rows, row + BLOCK - (base + row) % BLOCK)
        for each in range(row, stop):
            deltas[each] = min(place + int64(offsets[each]) - start, FARTHEST)
        row = stop
    for row in range(rows):
        if flags_of[row] & DECLARES:
            kinds[row] |= DECLARES_BIT
    strange = facts.otherwise
    for first in range(0, busy, BATCH):
        last = min(first + BATCH, busy)
        for busy_place in range(first, last):
            vertex = int64(vertices[chunk.busy[busy_place]])
            prefetch(counts, vertex)
            prefetch(texts, vertex)
        for busy_place in range(first, last):
            row = int64(chunk.busy[busy_place])
            flags = flags_of[row]
            if flags & KNOWN:
                continue
            vertex = int64(vertices[row])
            counts[vertex] += uint32(1)
            length = int64(chunk.name_length[row])
            has_name = chunk.id[row] >= 0 and flags & NAMED and length
            if has_name and not is_text(texts[vertex], data, int64(chunk.name_start[row]), length, name_bytes):
                otherwise[strange] = row
                strange += 1
    return int(strange)
