"""Joins chunks into one document: numbers rows, vertices and names, and joins the tree at the borders.

See `kernel` for all steps. Plain twin of all: `plain_scan.PlainTextScan`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from parsers.formats.graalvm.calls.index.kernel import number_class
from parsers.formats.graalvm.text.read.chunk import BLOCK, DECLARES, FARTHEST, KNOWN, LATE, NAMED, NONE
from parsers.formats.graalvm.text.read.resolve_kernel import LENGTH_BITS
from parsers.formats.graalvm.text.summary import KEPT_PROBLEMS
from parsers.kernels.decorators import int64, kernel, part, uint32, uint64
from parsers.kernels.id_table import LOWER, number_in, put_number
from parsers.kernels.text_table import number_of
from parsers.kernels.vector import hash64, prefetch

if TYPE_CHECKING:
    from parsers.formats.graalvm.text.read.chunk import TextChunk, TextState

BATCH = 64
"""Rows for which memory is prefetched before it is used."""
ENTRY = 0
DECLARES_BIT = 0x80
"""Bit added to a stored kind: the row declares an id."""


@part
def close_outer(chunk: TextChunk, whole: TextState, low: int, row: int, base: int, open_rows: int) -> tuple[int, int]:
    """Ends subtrees that were begun before the chunk, which rows close that are less deep than all rows of the chunk
    before them.

    Takes such rows (`low_row`) up to `row`; `low` of them were taken before. Returns how many are taken now, and the
    number of rows still open.
    """
    sums = whole.facts[0]
    while low < chunk.facts[0].lows and chunk.low_row[low] <= row:
        while open_rows and whole.stack_depth[open_rows - 1] >= chunk.low_depth[low]:
            open_rows -= 1
            whole.listed_end[whole.stack_listed[open_rows]] = base + chunk.low_row[low]
            sums.most_children = max(sums.most_children, int64(whole.stack_children[open_rows]))
        if open_rows:
            whole.stack_children[open_rows - 1] += chunk.low_count[low]
        low += 1
    return low, open_rows


@part
def owner_above(whole: TextState, open_rows: int) -> int:
    """Returns the vertex that owns the calls directly below the innermost open row; NONE without one."""
    return uint32(whole.stack_owner[open_rows - 1] if open_rows else NONE)


@part
def prefetch_batch(chunk: TextChunk, whole: TextState, first: int, last: int) -> None:
    """Prefetches what joining some busy rows reads, in steps that each need the result of the one before."""
    busy_rows, flags_of, ids, vertices, hashes = chunk.busy, chunk.flags, chunk.id, chunk.vertex, chunk.hash
    begins, lengths, data = chunk.name_start, chunk.name_length, chunk.data
    holder_lengths, holder_hashes = chunk.holder_length, chunk.holder_hash
    id_vertex, declaration, distance, vertex_class = (
        whole.id_vertex,
        whole.declaration,
        whole.distance,
        whole.vertex_class,
    )
    name_slots, name_starts, name_bytes = whole.name_slots, whole.name_starts, whole.name_bytes
    name_target = whole.name_target
    class_slots, class_starts, class_bytes = whole.class_slots, whole.class_starts, whole.class_bytes
    known_ids = len(id_vertex)
    mask, class_mask = uint64(len(name_slots) - 1), uint64(len(class_slots) - 1)
    for place_busy in range(first, last):
        row = int64(busy_rows[place_busy])
        id = ids[row]
        if flags_of[row] & KNOWN:
            prefetch(declaration, int64(vertices[row]))
            prefetch(distance, int64(vertices[row]))
            prefetch(vertex_class, int64(vertices[row]))
        elif 0 <= id < known_ids:
            prefetch(id_vertex, id)
        if hashes[row]:
            prefetch(name_slots, int64(hashes[row] & mask))
            prefetch(data, int64(begins[row]))
            prefetch(data, int64(begins[row]) + 64)
        if holder_lengths[row]:
            prefetch(class_slots, int64(holder_hashes[row] & class_mask))
    for place_busy in range(first, last):
        row = int64(busy_rows[place_busy])
        id = ids[row]
        if flags_of[row] & (DECLARES | KNOWN) == DECLARES and id < known_ids and id_vertex[id]:
            vertex = int64(id_vertex[id] & ~LATE) - 1
            prefetch(declaration, vertex)
            prefetch(distance, vertex)
            prefetch(vertex_class, vertex)
        if hashes[row]:
            slot = name_slots[hashes[row] & mask]
            if slot:
                prefetch(name_starts, int64(slot & LOWER) - 1)
                prefetch(name_target, int64(slot & LOWER) - 1)
        if holder_lengths[row]:
            slot = class_slots[holder_hashes[row] & class_mask]
            if slot:
                prefetch(class_starts, int64(slot & LOWER) - 1)
    for place_busy in range(first, last):
        row = int64(busy_rows[place_busy])
        if hashes[row]:
            slot = name_slots[hashes[row] & mask]
            if slot:
                start = int64(name_starts[int64(slot & LOWER) - 1])
                prefetch(name_bytes, start)
                prefetch(name_bytes, start + 64)
                prefetch(name_bytes, start + int64(lengths[row]))
        if holder_lengths[row]:
            slot = class_slots[holder_hashes[row] & class_mask]
            if slot:
                prefetch(class_bytes, int64(class_starts[int64(slot & LOWER) - 1]))


@part
def count_loader(chunk: TextChunk, whole: TextState, row: int) -> None:
    """Counts the class loader before a row's name."""
    sums, data, length = whole.facts[0], chunk.data, int64(chunk.loader_length[row])
    begin = int64(chunk.name_start[row]) - 1 - length
    hash = hash64(data, begin, length)
    loader = number_of(
        whole.loader_slots,
        whole.loader_starts,
        whole.loader_bytes,
        sums.loaders,
        data,
        begin,
        length,
        hash,
    )
    if loader == sums.loaders:
        whole.loader_counts[loader] = 0
        sums.loaders += 1
    whole.loader_counts[loader] += 1


@part
def list_subtrees(chunk: TextChunk, whole: TextState, base: int) -> int:
    """Lists the ends of subtrees that are large or open; returns the number of those before."""
    facts, sums = chunk.facts[0], whole.facts[0]
    first_listed = sums.listed
    for listed in range(facts.listed):
        row = int64(chunk.listed[listed])
        end = chunk.end[row]
        whole.listed_row[first_listed + listed] = base + row
        whole.listed_end[first_listed + listed] = end if end == NONE else end + uint32(base)
    sums.listed += facts.listed
    return first_listed


@part
def keep_open_rows(chunk: TextChunk, whole: TextState, base: int, first_listed: int, open_rows: int, outer: int) -> int:
    """Adds the rows that are open at the chunk's end to those of earlier chunks; returns the number of all."""
    facts = chunk.facts[0]
    listed = 0
    for place_open in range(facts.open):
        row = int64(chunk.open_row[place_open])
        whole.stack_row[open_rows] = base + row
        whole.stack_depth[open_rows] = chunk.depth[row]
        whole.stack_children[open_rows] = chunk.open_children[place_open]
        while chunk.listed[listed] != row:
            listed += 1
        whole.stack_listed[open_rows] = first_listed + listed
        if chunk.flags[row] & DECLARES:
            outer = chunk.vertex[row]
        whole.stack_owner[open_rows] = outer
        open_rows += 1
    return open_rows


@part
def extend_blocks(chunk: TextChunk, whole: TextState, base: int, rows: int, place: int) -> None:
    """Continues the blocks of offsets; lists rows too far from the first of their block, which are rare."""
    sums, offsets = whole.facts[0], chunk.offset
    start = sums.block_start
    row = 0
    while row < rows:
        if (base + row) % BLOCK == 0:
            start = place + int64(offsets[row])
        last = min(rows, row + BLOCK - (base + row) % BLOCK)
        if place + int64(offsets[last - 1]) - start >= FARTHEST:
            for far in range(row, last):
                if place + int64(offsets[far]) - start >= FARTHEST:
                    whole.far_row[sums.far] = base + far
                    whole.far_offset[sums.far] = place + int64(offsets[far])
                    sums.far += 1
        row = last
    sums.block_start = start


@kernel
def join_chunk(chunk: TextChunk, whole: TextState, place: int, is_call: bool) -> None:
    """Joins the rows of a chunk to all chunks before it.

    chunk   as `resolve_chunk` left it; `vertex` of busy rows is filled. Rows that give a vertex its name lose
            the flag NAMED, as there is no name to compare with
    whole   state after the chunks before it; all arrays must have capacity for as many entries as the chunk has
    place   offset in the file of the first byte of `chunk.data`
    is_call True for a call tree: its declarations have classes and packages
    """
    facts, sums = chunk.facts[0], whole.facts[0]
    vertices = chunk.vertex
    flags_of = chunk.flags
    ids = chunk.id
    kinds = chunk.kind
    depths = chunk.depth
    owners = chunk.owner
    hashes = chunk.hash
    begins = chunk.name_start
    lengths = chunk.name_length
    loaders = chunk.loader_length
    data = chunk.data
    low_row = chunk.low_row
    id_vertex = whole.id_vertex
    large_ids = whole.large_ids
    name_slots = whole.name_slots
    name_starts = whole.name_starts
    name_bytes = whole.name_bytes
    name_target = whole.name_target
    vertex_name = whole.vertex_name
    vertex_text = whole.vertex_text
    vertex_id = whole.vertex_id
    declaration = whole.declaration
    distance = whole.distance
    declared_row = whole.declared_row
    entries = whole.entries
    vertex_class = whole.vertex_class
    base, rows = sums.rows, facts.rows
    names, count, open_rows = sums.names, sums.vertices, sums.stack
    ids_declared, max_id, declared = sums.ids, sums.max_id, sums.declared
    low = 0
    lows = facts.lows
    outer = uint32(NONE)
    sums.most_children = max(sums.most_children, facts.most_children)
    known_ids = len(id_vertex)
    busy, busy_rows = facts.busy, chunk.busy
    for first in range(0, busy, BATCH):
        last = min(first + BATCH, busy)
        prefetch_batch(chunk, whole, first, last)
        for place_busy in range(first, last):
            row = int64(busy_rows[place_busy])
            if low < lows and low_row[low] <= row:
                low, open_rows = close_outer(chunk, whole, low, row, base, open_rows)
                outer = owner_above(whole, open_rows)
            flags = flags_of[row]

            # The vertex, known or new.
            id = ids[row]
            length = int64(lengths[row])
            vertex = -1
            is_nameless = False
            if flags & KNOWN:
                vertex = int64(vertices[row])
            elif id >= known_ids:
                vertex = number_in(large_ids, id)
                is_nameless = vertex >= 0 and vertex_name[vertex] == NONE
            elif id >= 0:
                entry = id_vertex[id]
                vertex = int64(entry & ~LATE) - 1
                is_nameless = entry & LATE != 0 and vertex_name[vertex] == NONE
            name = -1
            if id < 0 or (flags & NAMED and length and (vertex < 0 or is_nameless)):
                begin = int64(begins[row])
                hash = hashes[row]
                if hash == 0:
                    hash = hash64(data, begin, length)
                name = number_of(name_slots, name_starts, name_bytes, names, data, begin, length, hash)
                if name == names:
                    names += 1
                    sums.name_bytes += length
                    name_target[name] = NONE
                if id < 0 and name_target[name] != NONE:
                    vertex = int64(name_target[name])
            if vertex < 0:
                vertex = count
                count += 1
                vertex_name[vertex] = NONE
                vertex_id[vertex] = id
                declaration[vertex] = NONE
                distance[vertex] = NONE
                entries[vertex] = 0
                vertex_class[vertex] = NONE
                is_nameless = True
                if id < 0:
                    name_target[name] = vertex
                elif id < known_ids:
                    id_vertex[id] = uint32(vertex + 1) | (uint32(0) if name >= 0 else LATE)
                else:
                    put_number(large_ids, id, vertex)
            if name >= 0 and is_nameless:
                vertex_name[vertex] = name
                flags_of[row] = flags & ~NAMED
                vertex_text[vertex] = name_starts[name] << uint64(LENGTH_BITS) | uint64(length)
            vertices[row] = vertex

            # True if it is declared here.
            if not flags & DECLARES:
                continue
            if kinds[row] == ENTRY:
                entries[vertex] += uint32(1)
                distance[vertex] = 0
            else:
                above = owners[row]
                owner = int64(vertices[above]) if above != NONE else int64(outer)
                if owner != NONE and distance[owner] != NONE and distance[owner] + uint32(1) < distance[vertex]:
                    distance[vertex] = distance[owner] + uint32(1)
            if flags & NAMED:
                declared_row[declared] = base + row
                declared += 1
                if is_call:
                    holder = int64(chunk.holder_length[row])
                    number = number_class(whole, data, int64(begins[row]), holder, chunk.holder_hash[row])
                    if vertex_class[vertex] == NONE:
                        vertex_class[vertex] = number
            if declaration[vertex] != NONE:
                if sums.duplicates < KEPT_PROBLEMS:
                    whole.duplicate_row[sums.duplicates] = base + row
                sums.duplicates += 1
                continue
            declaration[vertex] = base + row
            ids_declared += 1
            max_id = max(max_id, id)
            if loaders[row]:
                count_loader(chunk, whole, row)
    if low < lows:
        _, open_rows = close_outer(chunk, whole, low, rows, base, open_rows)
        outer = owner_above(whole, open_rows)
    sums.names, sums.vertices = names, count
    sums.ids, sums.max_id, sums.declared = ids_declared, max_id, declared
    sums.id_refs += facts.references

    first_listed = list_subtrees(chunk, whole, base)
    open_rows = keep_open_rows(chunk, whole, base, first_listed, open_rows, outer)
    facts.block_start = sums.block_start
    if rows:
        sums.last_depth = depths[rows - 1]
        sums.last_kind = kinds[rows - 1]
        extend_blocks(chunk, whole, base, rows, place)
    sums.stack = open_rows
    sums.rows = base + rows
