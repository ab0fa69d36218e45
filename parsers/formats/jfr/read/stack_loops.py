"""Loops over constants and stack traces: plain functions, which `compiled` makes kernels. See `loops`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parsers.formats.jfr.read.loops import (
    CROSSES,
    DAMAGED,
    DONE,
    FAILED,
    FULL,
    MIX,
    number_at,
    place_in,
    run_fields,
)
from parsers.kernels.compiled import signed

if TYPE_CHECKING:
    from parsers.model.arrays import I64Array, U8Array, U32Array

POOLS, ENTRIES, POOL, CONSTANTS, TRACES, FRAMES, PLACES, ENDED, NEEDED = range(9)
"""State of reading a checkpoint, int64[CHECKPOINT_STATE]: pools left after this one; entries left in it; its type;
numbers of constants, traces, different frames, frames of all traces; the reason why it ended; frames of a trace for
which there is no space."""
CHECKPOINT_STATE = 9

BEFORE, AFTER, IS_CUT, WIDTH, FRAME, METHOD, LINE, BCI, KIND = range(9)
"""The layout of stack traces, int64[LAYOUT]: programs of the fields before and after the frames; the slot of
`truncated`; the number of fields of a frame if all are compressed integers, else 0; the program of a frame; the places
of its wanted fields: among all fields if WIDTH is not 0, else slots."""
LAYOUT = 9


def read_constants(
    data: U8Array, at: int, stop: int, end: int, ids: I64Array, programs: I64Array, program: I64Array, loops: I64Array,
    slots: I64Array, state: I64Array, trace_type: int, layout: I64Array,
    types: U32Array, keys: I64Array, places: I64Array, hashes: I64Array,
    trace_keys: I64Array, trace_ends: I64Array, trace_cuts: U8Array,
    frames: U32Array, frame_slots: U32Array, frame_fields: I64Array,
) -> int:  # fmt: skip
    """Reads the pools of a checkpoint from its number of pools on, or continues where it ended before.

    stop, end    end of the data that are there; end of the checkpoint
    ids          int64[types], ascending: ids of all declared types; programs: by type, -1: it can't be read
    state        POOLS is -1 at first
    trace_type   the type of stack traces; their constants are not listed
    types ...    by constant: type (its place in `ids`), key, place, hash of its bytes
    trace_keys   by trace: its key; trace_ends: end of its frames in `frames`; trace_cuts: 1 if it is truncated
    frame_slots  uint32[2^k]: hash table of the different frames, number + 1; 0: free
    frame_fields int64[n, 4]: by number of a frame method, line, bci, kind: as they are
    """
    state[ENDED] = DONE
    if int(state[POOLS]) < 0:
        count, behind = number_at(data, at, stop)
        if behind < 0 or count < 0 or count > end - behind:
            state[ENDED] = DAMAGED
            return at
        state[POOLS] = count
        state[ENTRIES] = 0
        at = behind
    while True:
        if int(state[ENTRIES]) == 0:
            if int(state[POOLS]) == 0:
                return at
            id, behind = number_at(data, at, stop)
            count = 0
            if behind >= 0:
                count, behind = number_at(data, behind, stop)
            if behind < 0 or count < 0 or count > end - behind:
                state[ENDED] = CROSSES if behind < 0 and stop < end else DAMAGED
                return at
            number = place_in(ids, id)
            if count > 0 and (number < 0 or int(programs[number]) < 0):
                state[ENDED] = DAMAGED
                return at
            at = behind
            state[POOL] = number
            state[ENTRIES] = count
            state[POOLS] -= 1
            continue
        number = int(state[POOL])
        key, place = number_at(data, at, stop)
        behind = FAILED
        if number == trace_type:
            if int(state[TRACES]) == len(trace_keys):
                state[ENDED] = FULL
                return at
            if place >= 0:
                behind = read_trace(
                    data, place, stop, program, loops, slots, state, layout, trace_cuts, frames, frame_slots,
                    frame_fields,
                )  # fmt: skip
            if int(state[ENDED]) == FULL:
                return at
        else:
            if int(state[CONSTANTS]) == len(keys):
                state[ENDED] = FULL
                return at
            if place >= 0:
                behind = run_fields(data, place, stop, program, int(programs[number]), loops, slots)
        if behind < 0:
            state[ENDED] = CROSSES if stop < end else DAMAGED
            return at
        if number == trace_type:
            trace = int(state[TRACES])
            trace_keys[trace] = key
            trace_ends[trace] = state[PLACES]
            state[TRACES] += 1
        else:
            constant = int(state[CONSTANTS])
            types[constant] = number
            keys[constant] = key
            places[constant] = place
            hashes[constant] = hash_of(data, place, behind)
            state[CONSTANTS] += 1
        state[ENTRIES] -= 1
        at = behind


def hash_of(data: U8Array, start: int, stop: int) -> int:
    """Returns a hash of some bytes, int64."""
    value = stop - start
    for place in range(start, stop):
        value = signed((value ^ int(data[place])) * MIX)
    return value ^ value >> 29


def read_trace(
    data: U8Array, at: int, stop: int, program: I64Array, loops: I64Array, slots: I64Array, state: I64Array,
    layout: I64Array, trace_cuts: U8Array, frames: U32Array, frame_slots: U32Array, frame_fields: I64Array,
) -> int:  # fmt: skip
    """Reads a stack trace: appends its frames, which may be new; returns the place behind it.

    If there is no space for it, state[ENDED] becomes FULL.
    """
    slots[int(layout[IS_CUT])] = 0
    at = run_fields(data, at, stop, program, int(layout[BEFORE]), loops, slots)
    if at < 0:
        return FAILED
    count, at = number_at(data, at, stop)
    if at < 0 or count < 0 or count > stop - at:
        return FAILED
    first = int(state[PLACES])
    if count > len(frames) - first or 2 * (int(state[FRAMES]) + count) > len(frame_slots):
        state[ENDED] = FULL
        state[NEEDED] = count
        return FAILED
    width = int(layout[WIDTH])
    method_at, line_at, bci_at, kind_at = int(layout[METHOD]), int(layout[LINE]), int(layout[BCI]), int(layout[KIND])
    is_usual = width == 4 and method_at == 0 and line_at == 1 and bci_at == 2 and kind_at == 3
    known = int(state[FRAMES])
    for place in range(first, first + count):
        method, line, bci, kind = 0, 0, 0, 0
        if is_usual:
            method, at = number_at(data, at, stop)
            if at >= 0:
                line, at = number_at(data, at, stop)
            if at >= 0:
                bci, at = number_at(data, at, stop)
            if at >= 0:
                kind, at = number_at(data, at, stop)
            if at < 0:
                return FAILED
        elif width == 0:
            slots[method_at] = 0
            slots[line_at] = 0
            slots[bci_at] = 0
            slots[kind_at] = 0
            at = run_fields(data, at, stop, program, int(layout[FRAME]), loops, slots)
            if at < 0:
                return FAILED
            method, line = int(slots[method_at]), int(slots[line_at])
            bci, kind = int(slots[bci_at]), int(slots[kind_at])
        else:
            for field in range(width):
                value, at = number_at(data, at, stop)
                if at < 0:
                    return FAILED
                if field == method_at:
                    method = value
                elif field == line_at:
                    line = value
                elif field == bci_at:
                    bci = value
                elif field == kind_at:
                    kind = value
        mixed = signed(signed(signed(method * 31 + line) * 8191 + bci * 127 + kind) * MIX)
        slot = (mixed ^ mixed >> 32) & (len(frame_slots) - 1)
        while True:
            number = int(frame_slots[slot]) - 1
            if number < 0:
                number = known
                frame_slots[slot] = known + 1
                frame_fields[known, 0] = method
                frame_fields[known, 1] = line
                frame_fields[known, 2] = bci
                frame_fields[known, 3] = kind
                known += 1
                state[FRAMES] = known
                break
            if (
                int(frame_fields[number, 0]) == method
                and int(frame_fields[number, 1]) == line
                and int(frame_fields[number, 2]) == bci
                and int(frame_fields[number, 3]) == kind
            ):
                break
            slot = (slot + 1) & (len(frame_slots) - 1)
        frames[place] = number
    at = run_fields(data, at, stop, program, int(layout[AFTER]), loops, slots)
    if at < 0:
        return FAILED
    trace_cuts[int(state[TRACES])] = 1 if int(slots[int(layout[IS_CUT])]) != 0 else 0
    state[PLACES] = first + count
    return at


def rehash_frames(frame_fields: I64Array, count: int, frame_slots: U32Array) -> None:
    """Fills an empty hash table with frames."""
    for number in range(count):
        method, line = int(frame_fields[number, 0]), int(frame_fields[number, 1])
        bci, kind = int(frame_fields[number, 2]), int(frame_fields[number, 3])
        mixed = signed(signed(signed(method * 31 + line) * 8191 + bci * 127 + kind) * MIX)
        slot = (mixed ^ mixed >> 32) & (len(frame_slots) - 1)
        while int(frame_slots[slot]) != 0:
            slot = (slot + 1) & (len(frame_slots) - 1)
        frame_slots[slot] = number + 1


OTHER_MIX = 0x2545F4914F6CDD1D
LOWER, UPPER = 0xFFFF_FFFF, 0x7FFF_FFFF_0000_0000
"""Bits of the number of a stack, and of its second hash."""
STACKS, STACK_FRAMES, TAKEN = range(3)
"""State of the table of stacks, int64[3]: number of stacks, of all their frames, of traces taken."""


def intern_stacks(
    trace_ends: I64Array, trace_cuts: U8Array, frames: U32Array, frame_numbers: U32Array, traces: int,
    slots: I64Array, stack_ends: I64Array, stack_cuts: U8Array, stack_frames: U32Array, numbers: U32Array,
    state: I64Array,
) -> None:  # fmt: skip
    """Numbers the traces of a chunk: equal ones of all chunks have the same number. Ends early if a table is full.

    Traces are equal if hashes of 64 and 31 bits and the numbers of frames are.

    frame_numbers  by number of a frame in the chunk: its number in the recording
    slots          int64[2^k, 2]: hash of a stack; second hash and number of the stack, 0: free
    stack_ends ... by stack: end of its frames, 1 if truncated; stack_frames: frames of the recording
    numbers        by trace: its stack, filled
    state          numbers of stacks and of their frames; the next trace
    """
    trace = int(state[TAKEN])
    while trace < traces:
        first = int(trace_ends[trace - 1]) if trace > 0 else 0
        end = int(trace_ends[trace])
        count, total = int(state[STACKS]), int(state[STACK_FRAMES])
        if 2 * (count + 1) > len(slots) or count == len(stack_ends) or end - first > len(stack_frames) - total:
            break
        cut = int(trace_cuts[trace])
        one, two = end - first, cut + 1
        for place in range(first, end):
            frame = int(frame_numbers[int(frames[place])])
            one = signed((one ^ frame) * MIX)
            two = signed((two + frame) * OTHER_MIX)
        one ^= one >> 31
        two = (two ^ two >> 29) & UPPER
        slot = one & (len(slots) - 1)
        while True:
            known = int(slots[slot, 1])
            if known == 0:
                for place in range(first, end):
                    stack_frames[total + place - first] = frame_numbers[int(frames[place])]
                slots[slot, 0] = one
                slots[slot, 1] = two | count
                stack_cuts[count] = cut
                stack_ends[count] = total + end - first
                state[STACKS] = count + 1
                state[STACK_FRAMES] = total + end - first
                numbers[trace] = count
                break
            if known & UPPER == two and int(slots[slot, 0]) == one:
                numbers[trace] = known & LOWER
                break
            slot = (slot + 1) & (len(slots) - 1)
        trace += 1
    state[TAKEN] = trace


def move_stacks(slots: I64Array, larger: I64Array) -> None:
    """Fills a larger, empty hash table with stacks."""
    for old in range(len(slots)):
        if int(slots[old, 1]) != 0:
            slot = int(slots[old, 0]) & (len(larger) - 1)
            while int(larger[slot, 1]) != 0:
                slot = (slot + 1) & (len(larger) - 1)
            larger[slot, 0] = slots[old, 0]
            larger[slot, 1] = slots[old, 1]


def fill_keys(keys: I64Array, slots: U32Array) -> None:
    """Fills an empty hash table of keys: uint32[2^k], place + 1; of equal keys the last."""
    for place in range(len(keys)):
        key = int(keys[place])
        mixed = signed(key * MIX)
        slot = (mixed ^ mixed >> 32) & (len(slots) - 1)
        while int(slots[slot]) != 0 and int(keys[int(slots[slot]) - 1]) != key:
            slot = (slot + 1) & (len(slots) - 1)
        slots[slot] = place + 1


def find_keys(
    wanted: I64Array, keys: I64Array, slots: U32Array, values: U32Array, none: int, missing: int, found: U32Array
) -> int:  # fmt: skip
    """Finds the values of keys in a table of `fill_keys`; returns how many keys are missing.

    none, missing  values of the key 0 unless it is in the table; of keys that are not
    """
    absent = 0
    for place in range(len(wanted)):
        key = int(wanted[place])
        mixed = signed(key * MIX)
        slot = (mixed ^ mixed >> 32) & (len(slots) - 1)
        while int(slots[slot]) != 0 and int(keys[int(slots[slot]) - 1]) != key:
            slot = (slot + 1) & (len(slots) - 1)
        if int(slots[slot]) != 0:
            found[place] = values[int(slots[slot]) - 1]
        elif key == 0:
            found[place] = none
        else:
            found[place] = missing
            absent += 1
    return absent


def distinct_keys(keys: I64Array, slots: U32Array, found: I64Array, count: int) -> int:
    """Adds keys to different ones found before; returns how many there are then, or FAILED if there is no space.

    slots  uint32[2^k]: place in `found` + 1; 0: free; it has twice as many places as `found`
    """
    last = 0
    is_first = True
    for place in range(len(keys)):
        key = int(keys[place])
        if key == last and not is_first:
            continue
        is_first = False
        last = key
        mixed = signed(key * MIX)
        slot = (mixed ^ mixed >> 32) & (len(slots) - 1)
        while int(slots[slot]) != 0 and int(found[int(slots[slot]) - 1]) != key:
            slot = (slot + 1) & (len(slots) - 1)
        if int(slots[slot]) == 0:
            if count == len(found):
                return FAILED
            found[count] = key
            count += 1
            slots[slot] = count
    return count


COUNTED = 9
"""Numbers of a type: events; those with a duration; sum, least and longest of the durations; events with a stack; sum
and most of their frames; truncated stacks."""
(COUNT, TIMED, SUM_NS, LEAST_NS, MOST_NS, STACKED, STACK_SUM, DEEPEST, TRUNCATED) = range(COUNTED)


def count_events(
    types: U32Array, starts: I64Array, durations: I64Array, stacks: U32Array, no_duration: int, no_stack: int,
    lost_stack: int, stack_ends: I64Array, stack_cuts: U8Array, counts: I64Array, uses: I64Array, span: I64Array,
) -> None:  # fmt: skip
    """Counts events by type.

    counts  int64[types, COUNTED], added to
    uses    by stack: number of events with it, added to
    span    int64[2]: first start, last end
    """
    for row in range(len(types)):
        type, start, duration, stack = int(types[row]), int(starts[row]), int(durations[row]), int(stacks[row])
        counts[type, COUNT] += 1
        span[0] = min(int(span[0]), start)
        if duration == no_duration:
            span[1] = max(int(span[1]), start)
        else:
            span[1] = max(int(span[1]), signed(start + max(duration, 0)))
            if int(counts[type, TIMED]) == 0 or duration < int(counts[type, LEAST_NS]):
                counts[type, LEAST_NS] = duration
            if int(counts[type, TIMED]) == 0 or duration > int(counts[type, MOST_NS]):
                counts[type, MOST_NS] = duration
            counts[type, TIMED] += 1
            counts[type, SUM_NS] = signed(int(counts[type, SUM_NS]) + duration)
        if stack != no_stack and stack != lost_stack:
            frames = int(stack_ends[stack]) - int(stack_ends[stack - 1])
            uses[stack] += 1
            counts[type, STACKED] += 1
            counts[type, STACK_SUM] += frames
            counts[type, TRUNCATED] += int(stack_cuts[stack])
            if frames > int(counts[type, DEEPEST]):
                counts[type, DEEPEST] = frames


def count_kinds(
    stack_ends: I64Array, stack_frames: U32Array, frame_kinds: U8Array, uses: I64Array, counts: I64Array
) -> None:  # fmt: skip
    """Counts the frames of all events by kind. uses: by stack the number of its events"""
    begin = 0
    for stack in range(len(stack_ends)):
        end, times = int(stack_ends[stack]), int(uses[stack])
        if times > 0:
            for place in range(begin, end):
                counts[int(frame_kinds[int(stack_frames[place])])] += times
        begin = end
