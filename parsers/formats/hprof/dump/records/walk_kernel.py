"""Walks the records of binary files: the kernel of `walk`, which does what `DumpRecords` does.

`data` holds `filled` bytes of the file from `base` on; all other positions are offsets in the file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from parsers.formats.hprof.dump.read.kernel import MORE as BODY_GOES_ON
from parsers.formats.hprof.dump.read.kernel import UNKNOWN, end_of_segment, u4
from parsers.formats.hprof.dump.read.problem_list import END as LOST_END
from parsers.formats.hprof.dump.read.problem_list import KIND, NUMBER, OFFSET, START
from parsers.formats.hprof.dump.records.record_search import CLOCK, MOST_TEXT
from parsers.kernels.decorators import kernel, part

if TYPE_CHECKING:
    from parsers.model.arrays import BoolArray, I64Array, U8Array

(
    AT, NEEDED, RECORDS, SEGMENTS, PROBLEMS, DUMPS, IS_OPEN, BODY_AT, TAG, END, ASKED, ANSWER, WRAPS, CHECKED,
    CHECKED_END, BEGUN, FOUND, TRUSTS,
) = range(18)  # fmt: skip
WALK_STATE = 18
"""Indices in `state`: the record to read next; the offset from which bytes are needed; filled entries of the tables;
dumps so far, and whether segments of the last one may follow; the sub-record at which the search for the end of a heap
record continues, 0 outside of one; tag and end of that record; an offset that was asked about, -1 for none, and the
answer (see `record_at`); how often 4 GiB must be added to its length, -1 if that is not known; a record whose length
was checked, -1 for none, and its end; begin and result of the last search (see `RecordSearch`); 1 if lengths are no
longer checked.
"""
DONE, MORE, FULL, LAST, ASKS, ASKS_WRAPS, ASKS_END, ASKS_INSIDE = range(8)
"""Results of `walk`: all is read; bytes from NEEDED on are needed; tables are full; the record at AT ends behind the
file; it must be known what is at ASKED; how often 4 GiB must be added to reach a record behind ASKED; where the record
at AT ends; whether a record begins near BODY_AT.
"""
LEAST, ROW, COUNT_AT, IS_SUB_RECORD = range(4)
"""Columns of `shapes`, by tag: fields of `BodyShape`, LEAST is -1 without one; 1 for tags of sub-records."""
WRONG, RIGHT, NOT_THERE = range(3)
"""Results of `has_right_length`: NOT_THERE if bytes outside of `data` are needed."""
NO_RECORD, UNLIKELY, LIKELY, FAR = range(4)
"""Results of `record_at`: no known tag; a known tag, but no believable record; a believable record or the end of the
file; bytes outside of `data` are needed.
"""
UNKNOWN_RECORD, MISSING, NO_LENGTH, WRAPPED, NO_NEXT, INSIDE = range(6)
"""Kinds of damage."""
HEAP_DUMP, HEAP_DUMP_SEGMENT, HEAP_DUMP_END = 0x0C, 0x1C, 0x2C
TEXT = 0x01
RECORD_HEAD = 9
WRAP = 1 << 32


class WalkRows(NamedTuple):
    """Tables that are filled."""

    offsets: I64Array
    """int64 by record, with the following fields"""
    tags: U8Array
    """uint8"""
    micros: I64Array
    """int64"""
    ends: I64Array
    """int64"""
    segment_offsets: I64Array
    """int64 by heap record, with the following fields"""
    segment_ends: I64Array
    """int64"""
    segment_dumps: I64Array
    """int64"""
    problems: I64Array
    """int64[n, 5]; columns as in `problem_list`"""
    counts: I64Array
    """int64[256]: records by tag"""


@part
def has_right_length(data: U8Array, base: int, filled: int, size: int, at: int, shapes: I64Array) -> int:
    """Returns WRONG to NOT_THERE. See `RecordSearch.has_right_length`."""
    start, place = at + RECORD_HEAD, at - base
    if start > size:
        return WRONG
    if place < 0 or place + RECORD_HEAD > filled:
        return NOT_THERE
    tag = data[place]
    length = u4(data, place + 5)
    body = place + RECORD_HEAD
    if start + length > size or (length == 0 and u4(data, place + 1) % CLOCK != 0):
        return WRONG
    least = shapes[tag, LEAST]
    if least < 0:
        if tag != HEAP_DUMP and tag != HEAP_DUMP_SEGMENT:
            return WRONG
        if length != 0 and body >= filled:
            return NOT_THERE
        return RIGHT if length == 0 or shapes[data[body], IS_SUB_RECORD] == 1 else WRONG
    if length < least:
        return WRONG
    if tag == TEXT:
        return RIGHT if length <= MOST_TEXT else WRONG
    if shapes[tag, ROW] > 0:
        if body + least > filled:
            return NOT_THERE
        least += shapes[tag, ROW] * u4(data, body + shapes[tag, COUNT_AT])
    return RIGHT if length == least else WRONG


@part
def is_usual(data: U8Array, base: int, filled: int, size: int, at: int, end: int, shapes: I64Array) -> bool:
    """Returns True if a record besides heap records is right or unknown, and the length of the next one is right."""
    if end != size and has_right_length(data, base, filled, size, end, shapes) != RIGHT:
        return False
    tag = data[at - base]
    if shapes[tag, LEAST] < 0:
        return True
    if has_right_length(data, base, filled, size, at, shapes) != RIGHT or (tag == TEXT and end - base > filled):
        return False
    if tag == TEXT:
        for place in range(at - base + RECORD_HEAD + shapes[tag, LEAST], end - base):
            if data[place] == 0:
                return False
    return True


@part
def record_at(
    data: U8Array, base: int, filled: int, size: int, offset: int, is_known: BoolArray, shapes: I64Array,
    state: I64Array,
) -> int:  # fmt: skip
    """Returns what is at an offset: NO_RECORD to FAR. See `DumpRecords.is_believable`."""
    if offset == state[ASKED]:
        return int(state[ANSWER])
    found, at = NO_RECORD, offset
    for number in range(2):
        if at == size:
            return LIKELY
        place = at - base
        right = has_right_length(data, base, filled, size, at, shapes)
        if right == NOT_THERE or place < 0 or place >= filled:
            return FAR
        if right == RIGHT:
            return LIKELY
        has_head = at + RECORD_HEAD <= size
        if number == 0 and is_known[data[place]] and (not has_head or u4(data, place + 1) % CLOCK == 0):
            found = UNLIKELY
        if not has_head:
            return found
        at += RECORD_HEAD + u4(data, place + 5)
        if at > size:
            return found
    return found


@part
def add_problem(kind: int, number: int, offset: int, start: int, end: int, rows: WalkRows, state: I64Array) -> None:
    """Appends damage."""
    row = rows.problems[state[PROBLEMS]]
    row[KIND], row[NUMBER], row[OFFSET], row[START], row[LOST_END] = kind, number, offset, start, end
    state[PROBLEMS] += 1


@part
def take_other(
    data: U8Array, base: int, filled: int, size: int, tag: int, end: int, is_known: BoolArray, shapes: I64Array,
    rows: WalkRows, state: I64Array,
) -> int:  # fmt: skip
    """Adds the record at state[AT], which is not one of a heap; returns DONE, ASKS_END or LAST."""
    at = state[AT]
    if state[CHECKED] == at:
        end = state[CHECKED_END]
    elif (
        state[TRUSTS] == 0
        and (is_known[tag] or at < state[BEGUN] or end > state[FOUND])
        and not is_usual(data, base, filled, size, at, end, shapes)
    ):
        return ASKS_END
    if not is_known[tag]:
        add_problem(UNKNOWN_RECORD, tag, at, at, end, rows, state)
    elif end > size:
        return LAST
    else:
        row = state[RECORDS]
        rows.offsets[row], rows.tags[row], rows.ends[row] = at, tag, end
        rows.micros[row] = u4(data, at - base + 1)
        state[RECORDS] = row + 1
        if tag == HEAP_DUMP_END:
            state[IS_OPEN] = 0
    rows.counts[tag] += 1
    state[AT] = end
    return DONE


@kernel
def walk(
    data: U8Array, base: int, filled: int, size: int, id_size: int, is_known: BoolArray, shapes: I64Array,
    may_begin: BoolArray, repairs: bool, inner: I64Array, state: I64Array, rows: WalkRows,
) -> int:  # fmt: skip
    """Reads records from state[AT] on; returns DONE to ASKS_INSIDE.

    size       bytes of the file
    is_known   bool by tag of records
    shapes     int64[256, 4], columns LEAST to IS_SUB_RECORD
    may_begin  bool by tag: a heap record may end before it
    repairs    True if heap records end where a record begins inside them
    inner      int64[STATE], see `kernel`, used for sub-records
    """
    record_room, segment_room, problem_capacity = len(rows.offsets), len(rows.segment_offsets), len(rows.problems) - 2
    while state[AT] < size:
        if state[RECORDS] >= record_room or state[SEGMENTS] >= segment_room or state[PROBLEMS] >= problem_capacity:
            return FULL
        at = state[AT]
        start = at + RECORD_HEAD
        if state[BODY_AT] == 0:
            if start > size:
                return LAST
            place = at - base
            if place < 0 or place + RECORD_HEAD > filled:
                state[NEEDED] = at
                return MORE
            tag = data[place]
            end = start + u4(data, place + 5)
            if tag != HEAP_DUMP and tag != HEAP_DUMP_SEGMENT:
                status = take_other(data, base, filled, size, tag, end, is_known, shapes, rows, state)
                if status != DONE:
                    return status
                continue
            if end > size:
                add_problem(MISSING, end - size, at, -1, -2, rows, state)
                end = size
            else:
                found = record_at(data, base, filled, size, end, is_known, shapes, state)
                if found == FAR:
                    state[ASKED] = end
                    return ASKS
                if found == LIKELY:
                    pass
                elif end == start:
                    add_problem(NO_LENGTH, 0, at, -1, -2, rows, state)
                    end = size
                elif found == NO_RECORD:
                    if state[WRAPS] < 0 and size - end >= WRAP:
                        state[ASKED], state[ANSWER] = end, found
                        return ASKS_WRAPS
                    if state[WRAPS] > 0:
                        add_problem(WRAPPED, state[WRAPS], at, -1, -2, rows, state)
                        end += state[WRAPS] * WRAP
                    else:
                        add_problem(NO_NEXT, 0, at, -1, -2, rows, state)
                        end = size
            state[TAG], state[END], state[BODY_AT], state[WRAPS] = tag, end, start, -1
        if repairs and start < state[END]:
            status = end_of_segment(data, base, filled, state[BODY_AT], state[END], id_size, inner)
            state[BODY_AT] = inner[0]
            if status == BODY_GOES_ON:
                state[NEEDED] = state[BODY_AT]
                return MORE
            if state[BODY_AT] < state[END]:
                found = NO_RECORD
                if status == UNKNOWN and may_begin[data[state[BODY_AT] - base]]:
                    found = record_at(data, base, filled, size, state[BODY_AT], is_known, shapes, state)
                    if found == FAR:
                        state[ASKED] = state[BODY_AT]
                        return ASKS
                if found == LIKELY:
                    add_problem(INSIDE, 0, state[BODY_AT], at, state[BODY_AT], rows, state)
                    state[END] = state[BODY_AT]
                elif state[TRUSTS] == 0 and (
                    state[END] == size
                    or record_at(data, base, filled, size, state[END], is_known, shapes, state) != LIKELY
                ):
                    return ASKS_INSIDE
        rows.counts[state[TAG]] += 1
        if state[TAG] == HEAP_DUMP or state[IS_OPEN] == 0:
            state[DUMPS] += 1
        state[IS_OPEN] = 1 if state[TAG] == HEAP_DUMP_SEGMENT else 0
        row = state[SEGMENTS]
        rows.segment_offsets[row], rows.segment_ends[row] = at, state[END]
        rows.segment_dumps[row] = state[DUMPS] - 1
        state[SEGMENTS] = row + 1
        state[AT], state[BODY_AT] = state[END], 0
    return DONE
