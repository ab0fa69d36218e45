"""Resolves a chunk's rows before its turn in file order: vertices of earlier chunks, and hashes of names that must be
looked up in order. See `kernel` for the steps before and after."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parsers.formats.graalvm.calls.index.kernel import holder_length
from parsers.formats.graalvm.text.read.chunk import DECLARES, HAS_VERTEX, KNOWN, NAMED, NONE
from parsers.kernels.decorators import int64, kernel, part, uint32, uint64
from parsers.kernels.vector import hash64, is_equal, prefetch

if TYPE_CHECKING:
    from parsers.formats.graalvm.text.read.chunk import TextChunk, TextState
    from parsers.model.arrays import U8Array, U32Array

BATCH = 64
"""Rows for which memory is prefetched before it is used."""
LENGTH_BITS = 24
LENGTH_MASK = uint64((1 << LENGTH_BITS) - 1)


@part
def is_text(text: int, data: U8Array, start: int, length: int, name_bytes: U8Array) -> bool:
    """Returns True if `length` bytes of `data` are a vertex's name; text: its place, as in `TextState.vertex_text`."""
    begin = int64(text >> uint64(LENGTH_BITS))
    return length == int64(text & LENGTH_MASK) and is_equal(data, start, name_bytes, begin, length)


@kernel
def resolve_chunk(chunk: TextChunk, whole: TextState, known_vertices: int, counts: U32Array, is_call: bool) -> None:
    """Looks up the vertices of a chunk's rows and compares names.

    chunk         as `parse_chunk` left it. `vertex` and `otherwise` are filled for rows whose id is known, `busy` with
                  the others and with all that declare an id, and hashes for these; `flags` get KNOWN
    whole         state after some of the chunks before it; may be written to meanwhile
    known_vertices  number of vertices in these chunks: their entries in `whole` are final
    counts        uint32 by vertex: rows that show or refer to it; those of known vertices are added
    is_call       True for a call tree: its declarations have classes
    """
    facts = chunk.facts[0]
    flags_of = chunk.flags
    vertices = chunk.vertex
    ids = chunk.id
    data = chunk.data
    begins = chunk.name_start
    lengths = chunk.name_length
    hashes = chunk.hash
    holder_lengths = chunk.holder_length
    holder_hashes = chunk.holder_hash
    busy_rows = chunk.busy
    batch = chunk.batch
    otherwise = chunk.otherwise
    kinds, depths, tags = chunk.kind, chunk.depth, chunk.tag
    kind_sums, depth_sums, tag_sums = chunk.kinds, chunk.depths, chunk.tags
    texts, name_bytes, id_vertex = whole.vertex_text, whole.name_bytes, whole.id_vertex
    known_ids, last = len(id_vertex), uint32(known_vertices)
    rows = facts.rows
    busy = big = references = strange = 0
    # Memory is prefetched in steps, each of which needs the result of the one before.
    for row in range(min(BATCH, rows)):
        if 0 <= ids[row] < known_ids:
            prefetch(id_vertex, ids[row])
    for first in range(0, rows, BATCH):
        known = 0
        for row in range(first, min(first + BATCH, rows)):
            ahead = row + BATCH
            if ahead < rows and 0 <= ids[ahead] < known_ids:
                prefetch(id_vertex, ids[ahead])
            depth_sums[depths[row]] += 1
            kind_sums[kinds[row]] += 1
            tag_sums[tags[row]] += 1
            id, flags = ids[row], flags_of[row]
            vertices[row] = NONE
            if not flags & HAS_VERTEX:
                continue
            references += id >= 0 and not flags & DECLARES
            big += id >= known_ids
            entry = id_vertex[id] if 0 <= id < known_ids else uint32(0)
            # Entries of vertices without a name have the bit LATE, so they are larger.
            if 0 < entry <= last:
                vertex = int64(entry) - 1
                prefetch(counts, vertex)
                prefetch(texts, vertex)
                vertices[row] = vertex
                batch[known] = row
                known += 1
                flags_of[row] = flags | KNOWN
                if not flags & DECLARES:
                    continue
                hashes[row] = 0
            elif flags & NAMED:
                hashes[row] = hash64(data, int64(begins[row]), int64(lengths[row]))
            else:
                hashes[row] = 0
            holder_lengths[row] = 0
            if is_call and id >= 0 and flags & DECLARES and flags & NAMED:
                begin = int64(begins[row])
                length = holder_length(data, begin, begin + int64(lengths[row]))
                holder_lengths[row] = length
                holder_hashes[row] = hash64(data, begin, length)
            busy_rows[busy] = row
            busy += 1
        for place in range(known):
            row = int64(batch[place])
            begin = int64(texts[vertices[row]] >> uint64(LENGTH_BITS))
            prefetch(name_bytes, begin)
            prefetch(name_bytes, begin + 64)
            prefetch(name_bytes, begin + int64(lengths[row]))
            prefetch(data, int64(begins[row]))
            prefetch(data, int64(begins[row]) + 64)
        for place in range(known):
            row = int64(batch[place])
            vertex = int64(vertices[row])
            counts[vertex] += uint32(1)
            length = int64(lengths[row])
            has_name = flags_of[row] & NAMED and length
            if has_name and not is_text(texts[vertex], data, int64(begins[row]), length, name_bytes):
                otherwise[strange] = row
                strange += 1
    facts.busy = busy
    facts.big_ids = big
    facts.references = references
    facts.otherwise = strange
