"""Loops over the bytes of a recording: plain functions, which `compiled` makes kernels.

Data is `bytes` in plain code, uint8[n] in kernels; other arrays are numpy arrays in both. Offsets are relative to the
data. A function that returns the place behind what it read returns FAILED if that is damaged, or ends after `stop`.
Source of the layout: format page of JFR, sections 1 to 3.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from parsers.kernels.compiled import signed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from parsers.model.arrays import I64Array, U8Array, U32Array

FAILED = -1

# -- field programs: int64[n], three numbers an instruction: operation, slot (NO_SLOT: not wanted), argument ----------

END, VARS, FIXED, STRING, LOOP, NEXT = range(6)
"""End; `argument` compressed integers, the last one wanted; so many bytes; a string; an array up to its NEXT, and the
instruction behind that; the end of an array's element, and its first instruction. Strings and arrays are wanted by
their places."""
WORDS = 3
"""Numbers of an instruction."""
NO_SLOT = -1
MOST_LOOPS = 6
"""Deepest nesting of arrays in a program."""

# -- the state of a walk, int64[STATE] --------------------------------------------------------------------------------

ROWS, MARKS, UNKNOWN, STATUS = range(4)
"""Numbers of events, metadata and checkpoints, undeclared types; the reason why it ended."""
STATE = 4
DONE, DAMAGED, CROSSES, FULL, AT_HEADER = range(5)
"""Reached the end; no event here; an event needs more bytes than are there; arrays are full; a chunk header is here."""

METADATA, CHECKPOINT = 0, 1
"""Types of the events that describe the others."""
START, DURATION, THREAD, STACK = range(4)
"""Slots of the fields in the index."""
NO_DURATION = -1
SLOTS = 64
"""Most wanted fields of a program."""
FARTHEST = 4_000_000_000_000_000_000
"""Latest time in nanoseconds: numbers of damaged events stay below 2^63."""

MIX = 0x1E3779B97F4A7C15


def number_at(data: U8Array, at: int, stop: int) -> tuple[int, int]:
    """Returns a compressed integer, and the place behind it.

    Groups of seven bits, the lowest first; a ninth byte has eight.
    """
    if at >= stop:
        return 0, FAILED
    byte = int(data[at])
    at += 1
    if byte < 128:
        return byte, at
    value = byte & 127
    shift = 7
    while shift < 56:
        if at >= stop:
            return 0, FAILED
        byte = int(data[at])
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7
    if at >= stop:
        return 0, FAILED
    return signed(value | int(data[at]) << 56), at + 1


def skip_numbers(data: U8Array, at: int, stop: int, count: int) -> int:
    """Returns the place behind so many compressed integers."""
    while count > 0:
        if at < 0 or at >= stop:
            return FAILED
        if int(data[at]) < 128:
            at += 1
        else:
            _, at = number_at(data, at, stop)
        count -= 1
    return at


def skip_string(data: U8Array, at: int, stop: int) -> int:
    """Returns the place behind a string. Unknown encodings fail."""
    if at >= stop:
        return FAILED
    encoding = int(data[at])
    at += 1
    if encoding < 2:
        return at
    if encoding > 5:
        return FAILED
    length, at = number_at(data, at, stop)
    if at < 0 or encoding == 2:
        return at
    if length < 0 or length > stop - at:
        return FAILED
    return skip_numbers(data, at, stop, length) if encoding == 4 else at + length


def fixed_number(data: U8Array, at: int, length: int) -> int:
    """Returns 1, 4 or 8 bytes as a number: the first byte is the highest."""
    value = 0
    for place in range(at, at + length):
        value = value << 8 | int(data[place])
    return signed(value)


def run_fields(
    data: U8Array, at: int, stop: int, program: I64Array, pc: int, loops: I64Array, slots: I64Array
) -> int:  # fmt: skip
    """Runs a program over the fields of an event or constant; returns the place behind them.

    loops  int64[2 * MOST_LOOPS], overwritten
    slots  int64[SLOTS]: values of wanted fields; if it fails, those before that are set
    """
    depth = 0
    while True:
        operation, slot, argument = int(program[pc]), int(program[pc + 1]), int(program[pc + 2])
        pc += WORDS
        if operation == VARS:
            at = skip_numbers(data, at, stop, argument - 1)
            if at < 0:
                return FAILED
            value, at = number_at(data, at, stop)
            if at < 0:
                return FAILED
            if slot >= 0:
                slots[slot] = value
        elif operation == FIXED:
            if argument > stop - at:
                return FAILED
            if slot >= 0:
                slots[slot] = fixed_number(data, at, argument)
            at += argument
        elif operation == STRING:
            if slot >= 0:
                slots[slot] = at
            at = skip_string(data, at, stop)
            if at < 0:
                return FAILED
        elif operation == LOOP:
            if slot >= 0:
                slots[slot] = at
            count, at = number_at(data, at, stop)
            # Each element has a byte at least.
            if at < 0 or count < 0 or count > stop - at:
                return FAILED
            if count == 0:
                pc = argument
            else:
                loops[depth] = count
                depth += 1
        elif operation == NEXT:
            loops[depth - 1] -= 1
            if loops[depth - 1] > 0:
                pc = argument
            else:
                depth -= 1
        else:
            return at


def place_in(ids: I64Array, id: int) -> int:
    """Returns the place of an id in ascending ids; -1 if it is not there."""
    low, high = 0, len(ids)
    while low < high:
        middle = (low + high) >> 1
        if int(ids[middle]) < id:
            low = middle + 1
        else:
            high = middle
    return low if low < len(ids) and int(ids[low]) == id else -1


def is_magic(data: U8Array, at: int) -> bool:
    """True if a chunk header is at a place: four bytes are there."""
    return int(data[at + 1]) == 76 and int(data[at + 2]) == 82 and int(data[at + 3]) == 0


def walk(
    data: U8Array, at: int, stop: int, end: int, ids: I64Array, unknown: I64Array, places: I64Array,
    types: U32Array, sizes: I64Array, mark_places: I64Array, mark_types: I64Array, state: I64Array,
) -> int:  # fmt: skip
    """Walks over events by their sizes; returns the place of the first one that is not in the arrays.

    stop         end of the data that are there; an event that crosses it is left, except at the first place
    end          end of the chunk, at or behind `stop`
    ids          int64[types], ascending: ids of the declared event types
    unknown      ids of undeclared types, in the order of their first events
    places       by event: its place
    types        by event: the place of its type in `ids`, or len(ids) and its place in `unknown`
    sizes        int64[types + len(unknown)]: bytes of the events of each type, added
    mark_places  places of metadata and checkpoints; mark_types: METADATA or CHECKPOINT
    state        overwritten
    """
    first = at
    rows, marks, others, status = 0, 0, int(state[UNKNOWN]), DONE
    while at < end:
        if at + 4 <= stop and int(data[at]) == 70 and is_magic(data, at):
            status = AT_HEADER
            break
        size, behind = number_at(data, at, stop)
        if behind < 0:
            status = CROSSES if stop < end and at > first else DAMAGED
            break
        if size <= behind - at or size > end - at:
            status = DAMAGED
            break
        if at + size > stop and at > first:
            status = CROSSES
            break
        limit = at + size if at + size < stop else stop
        type, behind = number_at(data, behind, limit)
        if behind < 0 or type < 0:
            status = DAMAGED
            break
        if type <= CHECKPOINT:
            if marks == len(mark_places):
                status = FULL
                break
            mark_places[marks] = at
            mark_types[marks] = type
            marks += 1
        else:
            if rows == len(places):
                status = FULL
                break
            number = place_in(ids, type)
            if number < 0:
                number = 0
                while number < others and int(unknown[number]) != type:
                    number += 1
                if number == others:
                    if others < len(unknown):
                        unknown[others] = type
                        others += 1
                    else:
                        number -= 1
                number += len(ids)
            places[rows] = at
            types[rows] = number
            sizes[number] += size
            rows += 1
        at += size
        if at >= stop:
            break
    state[ROWS] = rows
    state[MARKS] = marks
    state[UNKNOWN] = others
    state[STATUS] = status
    return at


def nanoseconds(ticks: int, start_ns: int, start_ticks: int, per_ns: float) -> int:
    """Returns the time of a tick: double arithmetic, cut towards zero, as the JDK calculates it."""
    passed = signed(ticks - start_ticks) / per_ns
    if passed > FARTHEST:
        return start_ns + FARTHEST
    if passed < -FARTHEST:
        return start_ns - FARTHEST
    return start_ns + int(passed)


def fields_start(data: U8Array, at: int, stop: int) -> int:
    """Returns the place of the first field of an event, behind size and type."""
    return skip_numbers(data, at, stop, 2)


def index_fields(
    data: U8Array, stop: int, places: I64Array, types: U32Array, rows: int, programs: I64Array, program: I64Array,
    loops: I64Array, slots: I64Array, start_ns: int, start_ticks: int, per_ns: float,
    starts: I64Array, durations: I64Array, threads: I64Array, stacks: I64Array,
) -> int:  # fmt: skip
    """Reads time, thread and stack of events; returns the number of those that could not be read so far.

    places, types   as from `walk`
    programs        by type: its program; NO_SLOT: none
    starts          nanoseconds since 1970; durations: NO_DURATION if the type has none
    threads, stacks keys of constants; 0: none
    """
    failed = 0
    for row in range(rows):
        slots[START] = start_ticks
        slots[DURATION] = NO_DURATION
        slots[THREAD] = 0
        slots[STACK] = 0
        at = int(places[row])
        pc = int(programs[int(types[row])])
        if pc >= 0:
            size, behind = number_at(data, at, stop)
            limit = at + size if size < stop - at else stop
            at = skip_numbers(data, behind, limit, 1)
            if at < 0 or run_fields(data, at, limit, program, pc, loops, slots) < 0:
                failed += 1
        start = int(slots[START])
        starts[row] = nanoseconds(start, start_ns, start_ticks, per_ns)
        if int(slots[DURATION]) == NO_DURATION:
            durations[row] = NO_DURATION
        else:
            ended = nanoseconds(signed(start + int(slots[DURATION])), start_ns, start_ticks, per_ns)
            durations[row] = ended - int(starts[row])
        threads[row] = slots[THREAD]
        stacks[row] = slots[STACK]
    return failed


def read_columns(
    data: U8Array, stop: int, places: I64Array, program: I64Array, pc: int, count: int, loops: I64Array,
    slots: I64Array, columns: I64Array,
) -> int:  # fmt: skip
    """Reads `count` wanted fields of events of one type; returns the number of those that could not be read so far.

    columns  int64[count, rows], filled: numbers and keys as they are, bits of floats, places of strings and arrays;
             fields that can't be read are 0
    """
    failed = 0
    for row in range(len(places)):
        for slot in range(count):
            slots[slot] = 0
        at = int(places[row])
        size, behind = number_at(data, at, stop)
        limit = at + size if size < stop - at else stop
        at = skip_numbers(data, behind, limit, 1) if behind >= 0 else FAILED
        if at < 0 or run_fields(data, at, limit, program, pc, loops, slots) < 0:
            failed += 1
        for slot in range(count):
            columns[slot, row] = slots[slot]
    return failed


def pack_numbers(
    numbers: I64Array, first: int, top: int, below: int, none: int, small: Sequence[int], bases: I64Array,
    base_row: int, apart_rows: U32Array, apart: I64Array,
) -> int:  # fmt: skip
    """Packs a piece of a column (see `bitpacked.columns`); returns the number of exceptions.

    first     row of the first number; small: its small numbers, from that row on
    top       mark of exceptions; none: the number stored as top - 1
    below     how far bases are below the first number of a block; negative: the column has no bases
    bases     by block, from the one of row `base_row` on: those that begin here are set
    """
    count = 0
    for place in range(len(numbers)):
        number, row = int(numbers[place]), first + place
        if number == none:
            if below >= 0 and row & 63 == 0:
                bases[(row - base_row) >> 6] = 0
            small[place] = top - 1  # type: ignore[index]
            continue
        rest = number
        if below >= 0:
            if row & 63 == 0:
                bases[(row - base_row) >> 6] = number - below
            rest = signed(number - int(bases[(row - base_row) >> 6]))
        if 0 <= rest < top - 1:
            small[place] = rest  # type: ignore[index]
        else:
            small[place] = top  # type: ignore[index]
            apart_rows[count] = row
            apart[count] = number
            count += 1
    return count
