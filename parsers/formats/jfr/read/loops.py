"""Loops over the bytes of a recording: plain functions, which `compiled` makes kernels.

Data is `bytes` in plain code, uint8[n] in kernels; other arrays are numpy arrays in both. Offsets are relative to the
data. A function that returns the place behind what it read returns FAILED if that is damaged, or ends after `stop`.
Source of the layout: `RecordingInput` and `ChunkParser` of the JDK.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from parsers.kernels.compiled import signed

if TYPE_CHECKING:
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
FARTHEST = 2_000_000_000_000_000_000
"""Longest time in nanoseconds since 1970, and since the start of a chunk: times of damaged events stay below 2^63."""

LONGEST = 9
"""Bytes of the longest compressed integer."""
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


def sound_number(data: U8Array, at: int) -> tuple[int, int]:
    """Returns what `number_at` does, without a test of the end: LONGEST bytes from `at` on must be readable."""
    value = int(data[at])
    at += 1
    if value < 128:
        return value, at
    value &= 127
    shift = 7
    while shift < 56:
        byte = int(data[at])
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7
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
    data: U8Array, at: int, stop: int, end: int, ids: I64Array, unknown: I64Array, sizes: I64Array,
    mark_places: I64Array, mark_types: I64Array, state: I64Array,
) -> int:  # fmt: skip
    """Walks over events by their sizes; returns the place of the first one that was left.

    stop         end of the data that are there; an event that crosses it is left, except at the first place
    end          end of the chunk, at or behind `stop`
    ids          int64[types], ascending: ids of the declared event types
    unknown      ids of undeclared types, in the order of their first events
    sizes        int64[types + len(unknown)]: bytes of the events of each type, added
    mark_places  places of metadata and checkpoints; mark_types: METADATA or CHECKPOINT
    state        overwritten, besides UNKNOWN
    """
    first = at
    rows, marks, others, status = 0, 0, int(state[UNKNOWN]), DONE
    last, number = -1, 0
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
            if type != last:
                last = type
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


EVENTS, THREADS, UNREADABLE = range(3)
"""State of reading events, int64[3]: numbers of events, of different threads, of events with unreadable fields."""
NO_STACK, LOST, FIRST_STACK = range(3)
"""Stacks of events: none; a key that is missing; the first trace."""
COUNTED = 9
"""Numbers of a type: events; those with a duration; sum, least and longest of the durations; events with a stack; sum
and most of their frames; truncated stacks."""
(COUNT, TIMED, SUM_NS, LEAST_NS, MOST_NS, STACKED, STACK_SUM, DEEPEST, TRUNCATED) = range(COUNTED)


def slot_of(key: int, keys: I64Array, slots: U32Array) -> int:
    """Returns the slot of a key, or the free one for it. Neighbours stay in one line of the cache.

    slots  uint32[2^k]: place in `keys` + 1; 0: free
    """
    mixed = signed((key >> 4) * MIX)
    slot = ((mixed ^ mixed >> 32) << 4 | key & 15) & (len(slots) - 1)
    while int(slots[slot]) != 0 and int(keys[int(slots[slot]) - 1]) != key:
        slot = (slot + 1) & (len(slots) - 1)
    return slot


def fill_keys(keys: I64Array, slots: U32Array) -> None:
    """Fills an empty hash table of keys: uint32[2^k], place + 1; of equal keys the last."""
    for place in range(len(keys)):
        slots[slot_of(int(keys[place]), keys, slots)] = place + 1


def read_events(
    data: U8Array, at: int, stop: int, base: int, ids: I64Array, unknown: I64Array, programs: I64Array,
    program: I64Array, loops: I64Array, slots: I64Array, start_ns: int, start_ticks: int, per_ns: float,
    thread_keys: I64Array, thread_slots: U32Array, places: I64Array, starts: I64Array, durations: I64Array,
    threads: U32Array, stack_keys: I64Array, types: U32Array, counts: I64Array, span: I64Array, state: I64Array,
) -> int:  # fmt: skip
    """Reads and counts events that `walk` has found; returns the place of the next one: before `stop` if `thread_keys`
    is full.

    base         offset of the data in the file
    programs     by type: its program; NO_SLOT: none
    thread_keys  keys of different threads, added; thread_slots: uint32[2^k], place + 1, twice as many places
    places ...   by event: its offset in the file, start in nanoseconds since 1970, duration or NO_DURATION, place in
                 `thread_keys`, key of its stack, type (its place in `ids`, or len(ids) and its place in `unknown`)
    counts       int64[types, COUNTED], added to, besides those of stacks
    span         int64[2]: first start, last end
    state        EVENTS, THREADS, UNREADABLE, continued
    """
    row, known, failed = int(state[EVENTS]), int(state[THREADS]), int(state[UNREADABLE])
    last_type, number, last_thread, thread = -1, 0, 0, -1
    while at < stop:
        size, behind = number_at(data, at, stop)
        limit = at + size if size < stop - at else stop
        if behind < 0 or size <= 0:
            break
        type, behind = number_at(data, behind, limit)
        if type <= CHECKPOINT:
            at += size
            continue
        if type != last_type:
            last_type = type
            number = place_in(ids, type)
            if number < 0:
                number = 0
                while number < len(unknown) - 1 and int(unknown[number]) != type:
                    number += 1
                number += len(ids)
        slots[START] = start_ticks
        slots[DURATION] = NO_DURATION
        slots[THREAD] = 0
        slots[STACK] = 0
        pc = int(programs[number])
        is_read = behind >= 0 and (pc < 0 or run_fields(data, behind, limit, program, pc, loops, slots) >= 0)
        key = int(slots[THREAD])
        if key != last_thread or thread < 0:
            slot = slot_of(key, thread_keys, thread_slots)
            if int(thread_slots[slot]) == 0:
                if known == len(thread_keys):
                    break
                thread_keys[known] = key
                known += 1
                thread_slots[slot] = known
            thread = int(thread_slots[slot]) - 1
            last_thread = key
        if not is_read:
            failed += 1
        tick = int(slots[START])
        start = nanoseconds(tick, start_ns, start_ticks, per_ns)
        ended, duration = start, NO_DURATION
        if int(slots[DURATION]) != NO_DURATION:
            ended = nanoseconds(signed(tick + int(slots[DURATION])), start_ns, start_ticks, per_ns)
            duration = ended - start
            if int(counts[number, TIMED]) == 0 or duration < int(counts[number, LEAST_NS]):
                counts[number, LEAST_NS] = duration
            if int(counts[number, TIMED]) == 0 or duration > int(counts[number, MOST_NS]):
                counts[number, MOST_NS] = duration
            counts[number, TIMED] += 1
            counts[number, SUM_NS] = signed(int(counts[number, SUM_NS]) + duration)
        counts[number, COUNT] += 1
        span[0] = min(int(span[0]), start)
        span[1] = max(int(span[1]), max(start, ended))
        places[row] = base + at
        starts[row] = start
        durations[row] = duration
        threads[row] = thread
        stack_keys[row] = slots[STACK]
        types[row] = number
        row += 1
        at += size
    state[EVENTS] = row
    state[THREADS] = known
    state[UNREADABLE] = failed
    return at


def place_keys(keys: I64Array, least: int, places: U32Array) -> None:
    """Fills a table of keys without large gaps: place + 1 by key - `least`; of equal keys the last."""
    for place in range(len(keys)):
        places[int(keys[place]) - least] = place + 1


def find_stacks(keys: I64Array, trace_keys: I64Array, least: int, places: U32Array, stacks: U32Array) -> int:
    """Finds stacks by their keys: NO_STACK, LOST or FIRST_STACK + trace; returns how many are LOST.

    places  from `place_keys`; if `least` is negative, from `fill_keys`
    """
    missing = 0
    for row in range(len(keys)):
        key = int(keys[row])
        if least >= 0:
            trace = int(places[key - least]) - 1 if 0 <= key - least < len(places) else -1
        else:
            trace = int(places[slot_of(key, trace_keys, places)]) - 1
        stacks[row] = FIRST_STACK + trace if trace >= 0 else (LOST if key != 0 else NO_STACK)
        if trace < 0 and key != 0:
            missing += 1
    return missing


def count_stacks(
    stacks: U32Array, types: U32Array, trace_ends: I64Array, trace_cuts: U8Array, counts: I64Array
) -> None:
    """Counts stacks of events by type."""
    for row in range(len(stacks)):
        stack, type = int(stacks[row]), int(types[row])
        if stack >= FIRST_STACK:
            trace = stack - FIRST_STACK
            frames = int(trace_ends[trace]) - (int(trace_ends[trace - 1]) if trace > 0 else 0)
            counts[type, STACKED] += 1
            counts[type, STACK_SUM] += frames
            counts[type, TRUNCATED] += int(trace_cuts[trace])
            counts[type, DEEPEST] = max(int(counts[type, DEEPEST]), frames)


def add_counts(counts: I64Array, numbers: U32Array, sums: I64Array) -> None:
    """Adds counts of types to those of the recording. numbers: by type its number there"""
    for type in range(len(counts)):
        number, is_first = int(numbers[type]), False
        if int(counts[type, TIMED]) > 0:
            is_first = int(sums[number, TIMED]) == 0
            if is_first or int(counts[type, LEAST_NS]) < int(sums[number, LEAST_NS]):
                sums[number, LEAST_NS] = counts[type, LEAST_NS]
            if is_first or int(counts[type, MOST_NS]) > int(sums[number, MOST_NS]):
                sums[number, MOST_NS] = counts[type, MOST_NS]
        sums[number, DEEPEST] = max(int(sums[number, DEEPEST]), int(counts[type, DEEPEST]))
        sums[number, COUNT] += int(counts[type, COUNT])
        sums[number, TIMED] += int(counts[type, TIMED])
        sums[number, SUM_NS] = signed(int(sums[number, SUM_NS]) + int(counts[type, SUM_NS]))
        sums[number, STACKED] += int(counts[type, STACKED])
        sums[number, STACK_SUM] += int(counts[type, STACK_SUM])
        sums[number, TRUNCATED] += int(counts[type, TRUNCATED])


def read_columns(
    data: U8Array, stop: int, places: I64Array, program: I64Array, pc: int, count: int, loops: I64Array,
    slots: I64Array, columns: I64Array,
) -> None:  # fmt: skip
    """Reads `count` wanted fields of events of one type, as far as they can be read.

    columns  int64[count, rows], filled: numbers and keys as they are, bits of floats, places of strings and arrays;
             fields that can't be read are 0
    """
    for row in range(len(places)):
        for slot in range(count):
            slots[slot] = 0
        at = int(places[row])
        size, behind = number_at(data, at, stop)
        limit = at + size if size < stop - at else stop
        at = skip_numbers(data, behind, limit, 1) if behind >= 0 else FAILED
        if at >= 0:
            run_fields(data, at, limit, program, pc, loops, slots)
        for slot in range(count):
            columns[slot, row] = slots[slot]
