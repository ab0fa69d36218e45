"""The second step by which kernels read HPROF text: lines become rows, chunk after chunk in file order.

What doesn't fit where it stands (a reference without an object, a frame without a trace, a number that was there
before) is left to plain code, as lines are that `text_kernel` didn't take apart.
"""

from __future__ import annotations

from typing import Any

from parsers.hprof.columns import (
    CLASS_OBJECT,
    CONSTANT,
    ELEMENT,
    FIELD,
    HEAP_DUMP,
    LABEL_SHIFT,
    NONE,
    OBJECT_ARRAY,
    PLAIN_OBJECT,
    PRIMITIVE_ARRAY,
    STATIC,
)
from parsers.hprof.text_chunk import (
    ARRAY_OF_PRIMITIVES,
    ARRAY_OF_REFERENCES,
    CLASS_BYTES,
    CLASSES,
    COUNT,
    FRAME,
    FRAME_BYTES,
    FRAMES,
    LAST_KIND,
    OBJ,
    OBJECTS,
    OPEN,
    OTHER,
    REFERENCE,
    REFERENCES,
    SECTION,
    STACK,
    TRACE,
    TRACES,
    WORD_BYTES,
    WORDS,
)
from parsers.index.jit import int64, kernel, part
from parsers.index.text_table import number_of

A_TRACE, AN_OBJECT = 1, 2
"""What is open: see `plain_text`."""
LATE, MOST_LATE = 0x8000_0000, 0x7FFF_FFFE
"""See `tables`."""
MOST_AT = NONE - 1


@part
def text_number(slots: Any, starts: Any, blob: Any, state: Any, count: int, size: int, chunk: Any, row: int) -> int:
    """The number of an entry's text. count, size: places in `state` of the texts and of their bytes."""
    known = state[count]
    length = int64(chunk.text_length[row])
    number = number_of(slots, starts, blob, known, chunk.data, int64(chunk.text_at[row]), length, chunk.text_hash[row])
    if number == known:
        state[count] = known + 1
        state[size] += length
    return number


@part
def kind_of(kind: int) -> int:
    """The kind of an object."""
    return PLAIN_OBJECT if kind == OBJ else OBJECT_ARRAY if kind == ARRAY_OF_REFERENCES else PRIMITIVE_ARRAY


@part
def add_object(chunk: Any, whole: Any, row: int, kind: int) -> bool:
    """An object; False if plain code has to see to it."""
    state = whole.state
    if state[SECTION] != HEAP_DUMP:
        return False
    serial = int64(chunk.serial[row])
    if serial >= len(whole.trace_of):
        return False
    trace = int64(whole.trace_of[serial]) - 1
    chunk.trace[row] = trace if trace >= 0 else min(serial, MOST_LATE) | LATE
    chunk.number[row] = text_number(
        whole.class_slots, whole.class_starts, whole.class_bytes, state, CLASSES, CLASS_BYTES, chunk, row
    )
    state[OBJECTS] += 1
    state[OPEN] = AN_OBJECT
    state[LAST_KIND] = kind
    return True


@part
def add_reference(chunk: Any, whole: Any, row: int) -> bool:
    """A reference; False if plain code has to see to it."""
    state = whole.state
    if state[SECTION] != HEAP_DUMP or state[OPEN] != AN_OBJECT:
        return False
    what = int64(chunk.what[row])
    of_class = state[LAST_KIND] == CLASS_OBJECT
    label = what << LABEL_SHIFT
    if what in (ELEMENT, CONSTANT):
        if of_class != (what == CONSTANT):
            return False
        label |= int64(chunk.elements[row])
    elif what in (FIELD, STATIC) or not of_class:
        if what == STATIC:
            if not of_class:
                return False
        else:
            label = FIELD << LABEL_SHIFT
        label |= text_number(
            whole.word_slots, whole.word_starts, whole.word_bytes, state, WORDS, WORD_BYTES, chunk, row
        )
    chunk.number[row] = label
    state[REFERENCES] += 1
    return True


@part
def add_trace(chunk: Any, whole: Any, row: int, place: int) -> bool:
    """A trace; False if plain code has to see to it."""
    state = whole.state
    serial = int64(chunk.id[row])
    if serial >= len(whole.trace_of) or whole.trace_of[serial] != 0:
        return False
    last = state[TRACES]
    whole.trace_offset[last] = place + int64(chunk.start[row])
    whole.trace_serial[last] = serial
    whole.trace_thread[last] = chunk.serial[row]
    whole.trace_first[last] = state[STACK]
    whole.trace_frames[last] = 0
    whole.trace_phase[last] = 0
    whole.trace_flags[last] = 0
    whole.trace_of[serial] = last + 1
    state[TRACES] = last + 1
    state[OPEN] = A_TRACE
    return True


@part
def add_frame(chunk: Any, whole: Any, row: int) -> bool:
    """A frame; False if plain code has to see to it."""
    state = whole.state
    if state[OPEN] != A_TRACE:
        return False
    whole.stack[state[STACK]] = text_number(
        whole.frame_slots, whole.frame_starts, whole.frame_bytes, state, FRAMES, FRAME_BYTES, chunk, row
    )
    whole.trace_frames[state[TRACES] - 1] += 1
    state[STACK] += 1
    return True


@kernel
def join_text(chunk: Any, whole: Any, row: int, place: int) -> int:
    """Makes rows of a chunk's entries from `row` on; the first entry that plain code has to see to, or their number.

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
            is_taken = add_object(chunk, whole, row, kind_of(kind))
        if not is_taken:
            return row
        row += 1
    return row


@kernel
def fill_rows(chunk: Any, start: int, stop: int, place: int, section_offset: int, references: int, rows: Any) -> int:
    """Fills `rows` from entries of a chunk that have their numbers; how many of them are objects.

    place  file offset of `data`'s first byte; references: row of the first reference
    """
    objects = 0
    done = 0
    for row in range(start, stop):
        kind = int64(chunk.kind[row])
        if kind == REFERENCE:
            rows.reference_id[done] = chunk.id[row]
            rows.reference_label[done] = chunk.number[row]
            done += 1
        elif kind in (OBJ, ARRAY_OF_REFERENCES, ARRAY_OF_PRIMITIVES):
            rows.object_id[objects] = chunk.id[row]
            rows.object_at[objects] = min(place + int64(chunk.start[row]) - section_offset, MOST_AT)
            rows.object_size[objects] = chunk.size[row]
            rows.object_trace[objects] = chunk.trace[row]
            rows.object_class[objects] = chunk.number[row]
            rows.object_elements[objects] = chunk.elements[row]
            rows.object_first[objects] = references + done
            rows.object_kind[objects] = kind_of(kind)
            objects += 1
    return objects
