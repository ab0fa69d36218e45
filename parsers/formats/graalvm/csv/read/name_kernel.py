"""Names and ids of a CSV set's methods: registered chunk by chunk in file order, and looked up.

A method is the number of its row among all rows of its table; methods that no table has follow.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from parsers.formats.graalvm.calls.index.kernel import number_class
from parsers.kernels.decorators import int64, kernel, part, uint32, uint64
from parsers.kernels.id_table import HALF, LOWER, number_in, put_number
from parsers.kernels.vector import is_equal, prefetch

if TYPE_CHECKING:
    from parsers.formats.graalvm.csv.read.chunk import MethodChunk
    from parsers.model.arrays import I64Array, U8Array, U32Array

NONE = uint32(0xFFFFFFFF)
KEPT = 1000
UNKNOWN, UNREADABLE = -1, -2
"""Values instead of the number of a name: it is new; it is not known yet."""
AHEAD = 12


@part
def index_of(ids: Any, id: int) -> int:
    """Returns the method with an id; NONE if there is none."""
    if id < len(ids.table):
        entry = ids.table[id]
        return entry - uint32(1) if entry else NONE
    index = number_in(ids.large, id)
    return uint32(index) if index >= 0 else NONE


@part
def known_name(chunk: MethodChunk, names: Any, before: int, readable: int, row: int) -> tuple[int, int]:
    """The number of a row's name, and its slot or the free slot for it; UNKNOWN, or UNREADABLE if that depends on bytes
    not written yet.

    before  number of names before the chunk: others are texts of it
    """
    slots, starts, texts = names.slots, names.starts, chunk.texts
    start, length, hash = chunk.text_start[row], int64(chunk.text_length[row]), chunk.hash[row]
    mask = uint64(len(slots) - 1)
    place = hash & mask
    upper = hash >> HALF
    while slots[place] != 0:
        if slots[place] >> HALF == upper:
            number = int64(slots[place] & LOWER) - 1
            begin = int64(starts[number])
            if int64(starts[number + 1]) - begin == length:
                if number >= before:
                    if is_equal(texts, start, texts, int64(chunk.text_start[chunk.new_row[number - before]]), length):
                        return number, place
                elif begin + length > readable:
                    return UNREADABLE, place
                elif is_equal(texts, start, names.blob, begin, length):
                    return number, place
        place = (place + uint64(1)) & mask
    return UNKNOWN, place


@kernel
def note_methods(
    chunk: MethodChunk, names: Any, ids: Any, base: int, name_of: U32Array, id_of: I64Array,
    flag_of: U8Array, first: int, before: int, readable: int,
) -> int:  # fmt: skip
    """Numbers the names of a chunk's methods and their classes, and registers their ids, from row `first` on.

    names     `CsvNameTable`; ids: `MethodIds`. Bytes of names are not copied: they are texts of the chunk, of
              the rows `new_row`, concatenated
    base      methods before these; name_of uint32, id_of int64, flag_of uint8: filled from there. A method with a
              repeated id has no name
    before    names before these
    readable  bytes of names written so far. Returns the row at which to continue when more are written,
              or the number of rows at the end
    """
    facts, texts, lengths, hashes, holders = (
        names.facts[0],
        chunk.texts,
        chunk.text_length,
        chunk.hash,
        chunk.holder_hash,
    )
    rows = chunk.facts[0].good
    mask, class_mask = uint64(len(names.slots) - 1), uint64(len(names.class_slots) - 1)
    last = facts.last_class
    for row in range(first, rows):
        if row + AHEAD < rows:
            prefetch(names.slots, int64(hashes[row + AHEAD] & mask))
            prefetch(names.class_slots, int64(holders[row + AHEAD] & class_mask))
        index = base + row
        id = chunk.id[row]
        is_duplicate = index_of(ids, id) != NONE
        name, slot = UNKNOWN, uint64(0)
        if not is_duplicate:
            name, slot = known_name(chunk, names, before, readable, row)
            if name == UNREADABLE:
                facts.last_class = last
                return row
        id_of[index] = id
        flag_of[index] = chunk.is_entry[row]
        name_of[index] = NONE
        if is_duplicate:
            if facts.duplicates < KEPT:
                ids.duplicate[facts.duplicates] = index
            facts.duplicates += 1
            continue
        if id < len(ids.table):
            ids.table[id] = index + 1
        else:
            put_number(ids.large, id, index)
        if name != UNKNOWN:
            name_of[index] = name
            continue
        name = facts.names
        name_of[index] = name
        names.slots[slot] = hashes[row] >> HALF << HALF | uint64(name + 1)
        chunk.new_row[name - before] = row
        facts.names += 1
        facts.name_bytes += int64(lengths[row])
        names.starts[name + 1] = facts.name_bytes
        names.opening[name] = chunk.opening[row]
        start = chunk.text_start[row]
        holder = int64(chunk.holder[row])
        if last >= 0:
            begin = int64(names.class_starts[last])
            is_same = int64(names.class_starts[last + 1]) - begin == holder
            if is_same and is_equal(names.class_bytes, begin, texts, start, holder):
                names.name_class[name] = last
                continue
        last = number_class(names, texts, start, holder, holders[row])
        names.name_class[name] = last
    facts.last_class = last
    done: int = rows
    return done


@kernel
def gather_texts(chunk: MethodChunk, count: int) -> int:
    """Moves the texts of the first rows of `new_row`, which ascend, together at the start; returns their bytes."""
    at = int64(0)
    for number in range(count):
        row = chunk.new_row[number]
        start, length = int64(chunk.text_start[row]), int64(chunk.text_length[row])
        for done in range(length):
            chunk.texts[at + done] = chunk.texts[start + done]
        at += length
    size: int = at
    return size


@kernel
def find_ids(ids: Any, wanted: I64Array, found: U32Array) -> int:
    """Looks up the methods with some ids, int64: found uint32, NONE if missing; returns the number of missing ones."""
    unknown = 0
    rows = len(wanted)
    limit = len(ids.table)
    for row in range(rows):
        if row + AHEAD < rows and wanted[row + AHEAD] < limit:
            prefetch(ids.table, wanted[row + AHEAD])
        index = index_of(ids, wanted[row])
        found[row] = index
        unknown += index == NONE
    return unknown
