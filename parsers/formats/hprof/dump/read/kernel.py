"""Kernels that read sub-records of heap dumps, in pieces. Twins: `plain`, `class_record`, `reference_layouts`.

`data` holds bytes of the file from `base` on; all other positions are offsets in the file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from parsers.formats.hprof.dump.read.class_columns import CONSTANTS, FIELDS, HEADS, ID, SIZE, STATICS, TRACE
from parsers.heapdump.tables.numbers_kernel import number_of
from parsers.kernels.decorators import apart, int64, kernel, part, uint64
from parsers.kernels.id_table import number_in, number_of_key

if TYPE_CHECKING:
    from parsers.formats.hprof.dump.references.reference_layouts import Layouts
    from parsers.heapdump.tables.numbers_kernel import Numbered
    from parsers.kernels.id_table import IdTable
    from parsers.model.arrays import I64Array, U8Array, U32Array, U64Array

(
    AT,
    OBJECTS,
    ROOTS,
    CLASSES,
    NULLS,
    CLASS_DUMPS,
    INSTANCES,
    OBJECT_ARRAYS,
    PRIMITIVE_ARRAYS,
    INFOS,
    NEW_CLASSES,
    ID_BITS,
    SEGMENT,
    PROBLEMS,
    CLASS_VALUES,
) = range(15)
STATE = 15
"""Indexes into `state`: position to continue at; filled entries of the tables; counts; number of new classes; OR of
the ids of objects except classes; the segment being read; number of unreadable segments; filled entries of the table of
constants, statics and fields."""
DONE, MORE, FULL = range(3)
"""Results of `scan`: all segments are read; bytes from AT on are needed; tables are full."""
UNKNOWN = 3
"""Result of `end_of_segment` for a tag that no sub-record has."""
UNKNOWN_TAG, CUT = range(2)
"""Reasons why a segment is not read to its end: unknown tag; cut or impossible sub-record."""
IS_NEW = 1 << 31
"""Bit set in the number of a class missing from the table of all classes; the other bits number the new classes."""
HEAD = 64
"""Maximum bytes of the fixed part of a sub-record, except that of a class."""
PLAIN, ARRAY_OF_OBJECTS, ARRAY_OF_PRIMITIVES, CLASS = range(4)
WEAK = 4
"""Index after the kinds of objects, where references are counted."""
MOST_CLASS_VALUES = 3 * 0xFFFF
"""Maximum constants, statics and fields of one class."""
FIRST_NUMBER, SECOND_NUMBER = range(2)
"""Columns of `ScanBuffers.root_numbers`."""
FIRST_TYPE = 4
"""The type of arrays of the lowest number: boolean."""


class ScanBuffers(NamedTuple):
    """Output buffers for a piece."""

    ids: U64Array
    offsets: U64Array
    kinds: U8Array
    types: U32Array
    lengths: U32Array
    root_offsets: U64Array
    root_ids: U64Array
    root_numbers: U32Array
    """uint32[roots, 2]: the numbers after the id."""
    root_tags: U8Array
    class_heads: U64Array
    """See `classes.ClassColumns`, as the following."""
    class_numbers: U32Array
    class_names: U64Array
    class_types: U8Array
    class_values: U64Array
    new_classes: U64Array
    """uint64: unique ids of classes missing from the table."""
    problem_offsets: I64Array
    problem_segments: I64Array
    problem_kinds: U8Array
    """uint8: UNKNOWN_TAG or CUT."""
    problem_tags: U8Array


@part
def u2(data: U8Array, at: int) -> int:
    """Reads two bytes as a big-endian number."""
    return int64(data[at]) << 8 | int64(data[at + 1])


@part
def u4(data: U8Array, at: int) -> int:
    """Reads four bytes as a big-endian number."""
    return int64(data[at]) << 24 | int64(data[at + 1]) << 16 | int64(data[at + 2]) << 8 | int64(data[at + 3])


@part
def u8(data: U8Array, at: int) -> int:
    """Reads eight bytes as an unsigned big-endian number."""
    return (
        uint64(data[at]) << uint64(56)
        | uint64(data[at + 1]) << uint64(48)
        | uint64(data[at + 2]) << uint64(40)
        | uint64(data[at + 3]) << uint64(32)
        | uint64(data[at + 4]) << uint64(24)
        | uint64(data[at + 5]) << uint64(16)
        | uint64(data[at + 6]) << uint64(8)
        | uint64(data[at + 7])
    )


@part
def id_at(data: U8Array, at: int, size: int) -> int:
    """Reads an id of four or eight bytes, as the twins do by `struct` and `from_bytes`."""
    return u8(data, at) if size == 8 else uint64(u4(data, at))


@part
def width_of(type: int, size: int) -> int:
    """Returns the bytes of a value of a type; 0 if there is no such type."""
    if type == 2:
        return size
    if type == 4 or type == 8:
        return 1
    if type == 5 or type == 9:
        return 2
    if type == 6 or type == 10:
        return 4
    if type == 7 or type == 11:
        return 8
    return 0


@part
def number_of_class(id: int, table: IdTable, new: U32Array, new_classes: U64Array, state: I64Array) -> int:
    """Returns the number of a class. Adds the class to the new ones if it is in neither table."""
    number = number_in(table, id)
    if number >= 0:
        return number
    number = number_of_key(new, new_classes, id, state[NEW_CLASSES])
    state[NEW_CLASSES] = max(state[NEW_CLASSES], number + 1)
    return number | IS_NEW


@part
def root_size(tag: int, size: int) -> int:
    """Returns the bytes of a root with its tag; 0 if it is none."""
    if tag == 0x05 or tag == 0x07 or tag == 0xFF or tag == 0x90 or (0x89 <= tag <= 0x8D):
        return 1 + size
    if tag == 0x01:
        return 1 + 2 * size
    if tag == 0x02 or tag == 0x03 or tag == 0x08 or tag == 0x8E:
        return 9 + size
    if tag == 0x04 or tag == 0x06:
        return 5 + size
    return 0


@part
def end_of_values(data: U8Array, at: int, stop: int, name_size: int, size: int) -> int:
    """Returns the end of constants or statics whose count is at `at`; -1 if cut at `stop`, -2 if impossible."""
    if at + 2 > stop:
        return -1
    count = u2(data, at)
    at += 2
    for _ in range(count):
        if at + name_size + 1 > stop:
            return -1
        width = width_of(int64(data[at + name_size]), size)
        if width == 0:
            return -2
        at += name_size + 1 + width
    return at if at <= stop else -1


@apart
def end_of_class(data: U8Array, at: int, stop: int, size: int) -> int:
    """Returns the end of the class whose sub-record begins at `at`; -1 if beyond `stop`, -2 if impossible."""
    at = end_of_values(data, at + 1 + 7 * size + 8, stop, 2, size)
    if at < 0:
        return at
    at = end_of_values(data, at, stop, size, size)
    if at < 0:
        return at
    if at + 2 > stop:
        return -1
    count = u2(data, at)
    at += 2
    if at + count * (size + 1) > stop:
        return -1
    for field in range(count):
        if width_of(int64(data[at + field * (size + 1) + size]), size) == 0:
            return -2
    return at + count * (size + 1)


@part
def add_values(data: U8Array, at: int, name_size: int, size: int, values: int, rows: ScanBuffers) -> tuple[int, int]:
    """Appends the constants or statics whose count is at `at`. Returns their end, and the new number of values."""
    count = u2(data, at)
    at += 2
    for _ in range(count):
        type = int64(data[at + name_size])
        width = width_of(type, size)
        rows.class_names[values] = uint64(u2(data, at)) if name_size == 2 else id_at(data, at, size)
        rows.class_types[values] = type
        at += name_size + 1
        value = uint64(0)
        for place in range(at, at + width):
            value = value << uint64(8) | uint64(data[place])
        rows.class_values[values] = value
        values += 1
        at += width
    return at, values


@apart
def add_class(data: U8Array, at: int, size: int, row: int, values: int, rows: ScanBuffers) -> int:
    """Fills the columns of the class whose sub-record begins at `at`. Returns the new number of values."""
    rows.class_heads[row, ID] = id_at(data, at + 1, size)
    rows.class_numbers[row, TRACE] = u4(data, at + 1 + size)
    at += 5 + size
    for place in range(1, HEADS):
        rows.class_heads[row, place] = id_at(data, at + (place - 1) * size, size)
    # Two reserved ids follow.
    at += 6 * size
    rows.class_numbers[row, SIZE] = u4(data, at)
    at, after_constants = add_values(data, at + 4, 2, size, values, rows)
    at, after_statics = add_values(data, at, size, size, after_constants, rows)
    fields = u2(data, at)
    at += 2
    for field in range(fields):
        rows.class_names[after_statics + field] = id_at(data, at, size)
        rows.class_types[after_statics + field] = data[at + size]
        rows.class_values[after_statics + field] = 0
        at += size + 1
    rows.class_numbers[row, CONSTANTS] = after_constants - values
    rows.class_numbers[row, STATICS] = after_statics - after_constants
    rows.class_numbers[row, FIELDS] = fields
    return after_statics + fields


@kernel
def scan(
    data: U8Array, base: int, filled: int, starts: I64Array, ends: I64Array, size: int, table: IdTable,
    new: U32Array, state: I64Array, rows: ScanBuffers,
) -> int:  # fmt: skip
    """Reads sub-records of adjacent segments, from state[AT] in segment state[SEGMENT] on.

    data          uint8, `filled` bytes of them valid and HEAD after them readable
    starts, ends  int64: of the segments
    size          bytes of an id
    table, new    numbers of known classes, and of `new_classes` as for `number_of_key`
    returns DONE, MORE or FULL, with state[AT] where reading continues

    The rest of an unreadable segment is skipped.

    One loop over sub-records, so that its counters stay in registers. Sections: damage and ends of segments;
    capacities; instances and arrays; class dumps; heap infos; roots.
    """
    at, segment = state[AT], state[SEGMENT]
    end = ends[segment]
    objects, roots, classes = state[OBJECTS], state[ROOTS], state[CLASSES]
    problems, problem = state[PROBLEMS], -1
    object_capacity, root_capacity, class_capacity = len(rows.ids), len(rows.root_ids), len(rows.class_heads)
    new_capacity, problem_capacity = len(rows.new_classes), len(rows.problem_tags)
    class_values, value_capacity = state[CLASS_VALUES], len(rows.class_types) - MOST_CLASS_VALUES
    here = base + filled
    status = DONE
    last_class, last_number = uint64(0), int64(-1)
    id_bits = uint64(state[ID_BITS])
    while True:
        if problem >= 0:
            rows.problem_offsets[problems] = at
            rows.problem_segments[problems] = segment
            rows.problem_kinds[problems] = problem
            rows.problem_tags[problems] = data[at - base]
            problems += 1
            problem = -1
            at = end
        if at >= end:
            segment += 1
            if segment >= len(ends):
                break
            at, end = starts[segment], ends[segment]
            continue
        if objects >= object_capacity or roots >= root_capacity or classes >= class_capacity:
            status = FULL
            break
        if state[NEW_CLASSES] >= new_capacity or problems >= problem_capacity or class_values > value_capacity:
            status = FULL
            break
        if at >= here or (here < end and at + HEAD > here):
            status = MORE
            break
        place = at - base
        tag = int64(data[place])
        if 0x21 <= tag <= 0x23 or tag == 0xC3:
            if tag == 0x21:
                values = at + 9 + 2 * size
                if values > end:
                    problem = CUT
                    continue
                of = id_at(data, place + 5 + size, size)
                length = u4(data, place + 5 + 2 * size)
                after = values + length
                kind = PLAIN
            elif tag == 0x22:
                values = at + 9 + 2 * size
                if values > end:
                    problem = CUT
                    continue
                length = u4(data, place + 5 + size)
                of = id_at(data, place + 9 + size, size)
                after = values + length * size
                kind = ARRAY_OF_OBJECTS
            else:
                values = at + 10 + size
                if values > end:
                    problem = CUT
                    continue
                length = u4(data, place + 5 + size)
                type = int64(data[place + 9 + size])
                width = width_of(type, size)
                if width == 0 or type == 2:
                    problem = CUT
                    continue
                of = uint64(0)
                after = values + (length * width if tag == 0x23 else 0)
                kind = ARRAY_OF_PRIMITIVES
            if after > end:
                problem = CUT
                continue
            id = id_at(data, place + 1, size)
            if kind == ARRAY_OF_PRIMITIVES:
                number = type - FIRST_TYPE
            elif of == last_class and last_number >= 0:
                number = last_number
            else:
                number = number_of_class(of, table, new, rows.new_classes, state)
                last_class, last_number = of, number
            state[INSTANCES + kind] += 1
            id_bits |= id
            if id == 0:
                state[NULLS] += 1
            else:
                rows.ids[objects] = id
                rows.offsets[objects] = at
                rows.kinds[objects] = kind
                rows.types[objects] = number
                rows.lengths[objects] = length
                objects += 1
            at = after
        elif tag == 0x20:
            stop = min(filled, end - base)
            after = end_of_class(data, place, stop, size)
            if after == -2 or (after == -1 and here >= end):
                problem = CUT
                continue
            if after == -1:
                status = MORE
                break
            id = id_at(data, place + 1, size)
            number = number_of_class(id, table, new, rows.new_classes, state)
            state[CLASS_DUMPS] += 1
            if id == 0:
                state[NULLS] += 1
            else:
                rows.ids[objects] = id
                rows.offsets[objects] = at
                rows.kinds[objects] = CLASS
                rows.types[objects] = number
                rows.lengths[objects] = 0
                objects += 1
                class_values = add_class(data, place, size, classes, class_values, rows)
                classes += 1
            at = base + after
        elif tag == 0xFE:
            after = at + 5 + size
            if after > end:
                problem = CUT
                continue
            state[INFOS] += 1
            at = after
        else:
            bytes = root_size(tag, size)
            if bytes == 0:
                problem = UNKNOWN_TAG
                continue
            if at + bytes > end:
                problem = CUT
                continue
            rows.root_offsets[roots] = at
            rows.root_tags[roots] = tag
            rows.root_ids[roots] = id_at(data, place + 1, size)
            rows.root_numbers[roots, FIRST_NUMBER] = u4(data, place + 1 + size)
            rows.root_numbers[roots, SECOND_NUMBER] = u4(data, place + 5 + size)
            roots += 1
            at += bytes
    state[AT], state[SEGMENT], state[PROBLEMS], state[CLASS_VALUES] = at, segment, problems, class_values
    state[ID_BITS] = int64(id_bits)
    state[OBJECTS], state[ROOTS], state[CLASSES] = objects, roots, classes
    return status


@apart
def end_of_segment(data: U8Array, base: int, filled: int, start: int, end: int, size: int, state: I64Array) -> int:
    """Skips sub-records from `start` on, as `scan` does.

    returns DONE at the end, or where a sub-record is cut; MORE; UNKNOWN: a tag that no sub-record has is at state[AT]
    """
    at, here, status = start, base + filled, DONE
    while at < end:
        if at >= here or (here < end and at + HEAD > here):
            status = MORE
            break
        place = at - base
        tag = int64(data[place])
        if tag == 0x20:
            after = end_of_class(data, place, min(filled, end - base), size)
            if after == -1 and here < end:
                status = MORE
                break
            if after < 0:
                break
            at = base + after
            continue
        if tag == 0x21 or tag == 0x22:
            after = at + 9 + 2 * size
            if after <= end:
                after += u4(data, place + 5 + 2 * size) if tag == 0x21 else u4(data, place + 5 + size) * size
        elif tag == 0x23 or tag == 0xC3:
            after = at + 10 + size
            if after <= end:
                type = int64(data[place + 9 + size])
                width = width_of(type, size)
                if width == 0 or type == 2:
                    break
                after += u4(data, place + 5 + size) * width if tag == 0x23 else 0
        elif tag == 0xFE:
            after = at + 5 + size
        else:
            bytes = root_size(tag, size)
            if bytes == 0:
                status = UNKNOWN
                break
            after = at + bytes
        if after > end:
            break
        at = after
    state[AT] = at
    return status


@part
def add_ids(data: U8Array, at: int, count: int, size: int, ids: U64Array, filled: int) -> int:
    """Appends `count` ids except null. Returns the new length."""
    for each in range(count):
        id = id_at(data, at + each * size, size)
        ids[filled] = id
        filled += 1 if id != 0 else 0
    return filled


@part
def find_all(ids: U64Array, filled: int, numbered: Numbered, targets: U32Array) -> None:
    """Resolves ids. Separate from collecting them, so that the processor looks up many at a time."""
    for place in range(filled):
        targets[place] = number_of(ids[place], numbered)


@kernel
def refer(
    data: U8Array,
    base: int,
    size: int,
    offsets: U64Array,
    kinds: U8Array,
    types: U32Array,
    lengths: U32Array,
    layouts: Layouts,
    most: int,
    numbered: Numbered,
    ids: U64Array,
    firsts: U32Array,
    targets: U32Array,
    weak: U32Array,
    counts: I64Array,
) -> int:
    """Reads the references of some objects, whose bytes are all in `data`. Returns their number.

    most     maximum bytes of an instance that are read
    ids      uint64, filled: ids as written
    firsts   uint32, filled: for each object the number of references before it
    targets  uint32, filled
    weak     uint32, filled: the references that keep nothing alive
    counts   int64[5], added to: references by kind of object; number of weak ones
    """
    filled: int = int64(0)
    for number in range(len(offsets)):
        firsts[number] = filled
        before = filled
        kind = kinds[number]
        if kind == PLAIN:
            values = int64(offsets[number]) - base + 9 + 2 * size
            type = int64(types[number])
            is_holder = layouts.is_holder[type]
            length = min(int64(lengths[number]), layouts.totals[type], most)
            start = int64(0)
            while start < length:
                for place in range(layouts.firsts[type], layouts.firsts[type + 1]):
                    at = start + int64(layouts.places[place])
                    if at + size > length:
                        break
                    id = id_at(data, values + at, size)
                    ids[filled] = id
                    if id != 0:
                        kind_of = layouts.weak[place]
                        if kind_of == 1 or (kind_of == 2 and is_holder != 0):
                            weak[counts[WEAK]] = filled
                            counts[WEAK] += 1
                        filled += 1
                start += layouts.bytes[type]
                type = layouts.above[type]
                if type == 0:
                    break
        elif kind == ARRAY_OF_OBJECTS:
            values = int64(offsets[number]) - base + 9 + 2 * size
            filled = add_ids(data, values, int64(lengths[number]), size, ids, filled)
        elif kind == CLASS:
            type = types[number]
            for place in range(layouts.class_firsts[type], layouts.class_firsts[type + 1]):
                ids[filled] = layouts.class_ids[place]
                filled += 1
        counts[kind] += filled - before
    find_all(ids, filled, numbered, targets)
    return filled


@kernel
def refer_elements(data: U8Array, size: int, count: int, numbered: Numbered, ids: U64Array, targets: U32Array) -> int:
    """Reads the references of `count` elements of a large array, which begin with `data`."""
    filled = add_ids(data, 0, count, size, ids, int64(0))
    find_all(ids, filled, numbered, targets)
    return filled
