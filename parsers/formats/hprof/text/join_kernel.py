"""The second step by which kernels read HPROF text: lines become rows, chunk after chunk in file order.

Unexpected records (a reference without an object, a frame without a trace, the first repeated numbers) are left to
plain code, as are lines that `kernel` didn't parse.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from parsers.formats.hprof.data.columns import IS_REPEATED
from parsers.formats.hprof.text.chunk import (
    APART_CLASS,
    APART_ELEMENTS,
    APART_FIRST,
    APART_ID,
    APART_LABEL,
    APART_OFFSET,
    APART_SIZE,
    APART_TRACE,
    ARRAY_OF_REFERENCES,
    CLASSES,
    CLS,
    COUNT,
    FIRST_TRACE,
    FRAME,
    FRAMES,
    LAST_KIND,
    OBJ,
    OBJECTS,
    OPEN,
    OTHER,
    REFERENCE,
    REFERENCES,
    REPEATED,
    SECTION,
    STACK,
    TRACE,
    TRACES,
    WORDS,
)
from parsers.heapdump.graph.columns import (
    CLASS_OBJECT,
    CONSTANT,
    ELEMENT,
    FIELD,
    HEAP_DUMP,
    LABEL_BITS,
    OBJECT_ARRAY,
    PLAIN_OBJECT,
    PRIMITIVE_ARRAY,
    STATIC,
)
from parsers.heapdump.tables.object_size import ALIGNMENT, ARRAY_HEADER
from parsers.index.bitpacked.columns import BLOCK
from parsers.kernels.decorators import int64, kernel, part, uint64
from parsers.kernels.text_table import number_of

if TYPE_CHECKING:
    from parsers.formats.hprof.text.chunk import ChunkSegment, HeapRows, JoinedProfile, LineChunk
    from parsers.model.arrays import AnyArray, I64Array, U8Array, U64Array

A_TRACE, AN_OBJECT = 1, 2
"""The open record: see `plain_text`."""
LETTER_B, LETTER_C, LETTER_D, LETTER_F, LETTER_I, LETTER_L, LETTER_S = (ord(letter) for letter in "bcdfils")
LATE, MOST_LATE = 0x8000_0000, 0x7FFF_FFFE
"""See `tables`."""


@part
def text_number(
    slots: U64Array, starts: U64Array, blob: U8Array, state: I64Array, count: int, chunk: LineChunk, row: int
) -> int:
    """Returns the number of an entry's text. count: index in `state` of the number of texts"""
    known = state[count]
    length = int64(chunk.text_length[row])
    number = number_of(slots, starts, blob, known, chunk.data, int64(chunk.text_at[row]), length, chunk.text_hash[row])
    if number == known:
        state[count] = known + 1
    return number


@part
def kind_of(kind: int) -> int:
    """Returns the kind of an object."""
    if kind == CLS:
        return CLASS_OBJECT
    return PLAIN_OBJECT if kind == OBJ else OBJECT_ARRAY if kind == ARRAY_OF_REFERENCES else PRIMITIVE_ARRAY


@part
def heap_size(chunk: LineChunk, row: int, kind: int) -> int:
    """Returns the bytes in the heap of an object; see `heap_size`. The first letter of an array determines its type."""
    size = int64(chunk.size[row])
    if kind != PRIMITIVE_ARRAY:
        return size
    letter = chunk.data[chunk.text_at[row]]
    each = 0
    if letter == LETTER_B:
        each = 1
    elif letter in (LETTER_C, LETTER_S):
        each = 2
    elif letter in (LETTER_I, LETTER_F):
        each = 4
    elif letter in (LETTER_L, LETTER_D):
        each = 8
    if each == 0 or size != int64(chunk.elements[row]) * each:
        return size
    return (size + ARRAY_HEADER + ALIGNMENT - 1) // ALIGNMENT * ALIGNMENT


@part
def add_object(chunk: LineChunk, whole: JoinedProfile, row: int, kind: int, place: int) -> bool:
    """Adds an object; False if plain code has to read it."""
    state = whole.state
    if state[SECTION] != HEAP_DUMP:
        return False
    serial = int64(chunk.serial[row])
    if serial >= len(whole.trace_of):
        return False
    trace = int64(whole.trace_of[serial]) - 1
    chunk.trace[row] = trace if trace >= 0 else min(serial, MOST_LATE) | LATE
    number = text_number(whole.class_slots, whole.class_starts, whole.class_bytes, state, CLASSES, chunk, row)
    chunk.number[row] = number
    whole.known_objects[number] += uint64(1)
    whole.known_bytes[number] += uint64(heap_size(chunk, row, kind))
    whole.known_printed[number] += uint64(chunk.size[row])
    object = state[OBJECTS]
    if object % BLOCK == 0:
        whole.object_id_base[object // BLOCK] = chunk.id[row]
        whole.object_offset_base[object // BLOCK] = place + int64(chunk.start[row])
        whole.object_first_base[object // BLOCK] = state[REFERENCES]
    state[OBJECTS] = object + 1
    state[OPEN] = AN_OBJECT
    state[LAST_KIND] = kind
    return True


@part
def add_reference(chunk: LineChunk, whole: JoinedProfile, row: int) -> bool:
    """Adds a reference; False if plain code has to read it."""
    state = whole.state
    if state[SECTION] != HEAP_DUMP or state[OPEN] != AN_OBJECT:
        return False
    what = int64(chunk.what[row])
    of_class = state[LAST_KIND] == CLASS_OBJECT
    label = what
    if what in (ELEMENT, CONSTANT):
        if of_class != (what == CONSTANT):
            return False
        label |= int64(chunk.elements[row]) << LABEL_BITS
    elif what in (FIELD, STATIC) or not of_class:
        if what == STATIC:
            if not of_class:
                return False
        else:
            label = FIELD
        name = text_number(whole.word_slots, whole.word_starts, whole.word_bytes, state, WORDS, chunk, row)
        label |= name << LABEL_BITS
    chunk.number[row] = label
    state[REFERENCES] += 1
    return True


@part
def add_trace(chunk: LineChunk, whole: JoinedProfile, row: int, place: int) -> bool:
    """Adds a trace; False if plain code has to read it."""
    state = whole.state
    serial = int64(chunk.id[row])
    if serial >= len(whole.trace_of):
        return False
    is_repeated = int64(whole.trace_of[serial]) > state[FIRST_TRACE]
    if is_repeated:
        if state[REPEATED] < 0:
            return False
        state[REPEATED] += 1
    last = state[TRACES]
    whole.trace_offset[last] = place + int64(chunk.start[row])
    whole.trace_serial[last] = serial
    whole.trace_thread[last] = chunk.serial[row]
    whole.trace_first[last] = state[STACK]
    whole.trace_frames[last] = 0
    whole.trace_phase[last] = 0
    whole.trace_flags[last] = IS_REPEATED if is_repeated else 0
    whole.trace_of[serial] = last + 1
    state[TRACES] = last + 1
    state[OPEN] = A_TRACE
    return True


@part
def add_frame(chunk: LineChunk, whole: JoinedProfile, row: int) -> bool:
    """Adds a frame; False if plain code has to read it."""
    state = whole.state
    if state[OPEN] != A_TRACE:
        return False
    whole.stack[state[STACK]] = text_number(
        whole.frame_slots, whole.frame_starts, whole.frame_bytes, state, FRAMES, chunk, row
    )
    whole.trace_frames[state[TRACES] - 1] += 1
    state[STACK] += 1
    return True


@kernel
def join_text(chunk: LineChunk, whole: JoinedProfile, row: int, place: int) -> int:
    """Makes rows of a chunk's entries from `row` on; returns the first one for plain code, or their number.

    place  file offset of `data`'s first byte
    """
    count = chunk.facts[COUNT]
    while row < count:
        kind = int64(chunk.kind[row])
        is_taken = False
        if kind == OTHER:
            return row
        if kind == REFERENCE:
            is_taken = add_reference(chunk, whole, row)
        elif kind == FRAME:
            is_taken = add_frame(chunk, whole, row)
        elif kind == TRACE:
            is_taken = add_trace(chunk, whole, row, place)
        else:
            is_taken = add_object(chunk, whole, row, kind_of(kind), place)
        if not is_taken:
            return row
        row += 1
    return row


@part
def put_small(
    small: AnyArray, at: int, number: int, base: int, rows: HeapRows, apart: int, column: int, row: int
) -> int:
    """Writes the small number of a packed column, or TOP and the number itself to the list of exceptions.

    small   the column's small numbers; the one `at` an index is written
    number  uint64; base: start value of its block
    apart   length of the list of exceptions; the new length is returned
    row     the number's row in the column
    """
    top = uint64((1 << 8 * small.itemsize) - 1)
    if number >= base and number - base < top:
        small[at] = number - base
        return apart
    small[at] = top
    rows.apart_column[apart] = column
    rows.apart_row[apart] = row
    rows.apart_number[apart] = number
    return apart + 1


@kernel
def fill_rows(
    chunk: LineChunk, whole: JoinedProfile, segment: ChunkSegment, place: int, rows: HeapRows, done: I64Array
) -> None:
    """Fills `rows` from the entries of a segment, which have their numbers.

    place  file offset of `data`'s first byte
    done   int64[3]: filled: objects, references, exceptions
    """
    none = uint64(0)
    objects = references = apart = 0
    for row in range(segment.start, segment.stop):
        kind = int64(chunk.kind[row])
        if kind == REFERENCE:
            rows.reference_id[references] = chunk.id[row]
            apart = put_small(
                rows.reference_label, references, uint64(chunk.number[row]), none, rows, apart, APART_LABEL,
                segment.references + references,
            )  # fmt: skip
            references += 1
        elif kind <= CLS:
            object = segment.objects + objects
            block = object // BLOCK
            apart = put_small(
                rows.object_id, objects, chunk.id[row], whole.object_id_base[block], rows, apart, APART_ID, object
            )
            apart = put_small(
                rows.object_offset, objects, uint64(place + int64(chunk.start[row])),
                whole.object_offset_base[block], rows, apart, APART_OFFSET, object,
            )  # fmt: skip
            apart = put_small(
                rows.object_first, objects, uint64(segment.references + references),
                uint64(whole.object_first_base[block]), rows, apart, APART_FIRST, object,
            )  # fmt: skip
            apart = put_small(rows.object_size, objects, uint64(chunk.size[row]), none, rows, apart, APART_SIZE, object)
            apart = put_small(
                rows.object_trace, objects, uint64(chunk.trace[row]), none, rows, apart, APART_TRACE, object
            )
            apart = put_small(
                rows.object_class, objects, uint64(chunk.number[row]), none, rows, apart, APART_CLASS, object
            )
            apart = put_small(
                rows.object_elements, objects, uint64(chunk.elements[row]), none, rows, apart, APART_ELEMENTS, object
            )
            rows.object_kind[objects] = kind_of(kind)
            objects += 1
    done[0] = objects
    done[1] = references
    done[2] = apart
