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

POOLS, ENTRIES, POOL, CONSTANTS, TRACES, FRAMES, PLACES, ENDED = range(8)
"""State of reading a checkpoint, int64[CHECKPOINT_STATE]: pools left after this one; entries left in it; its type;
numbers of constants, traces, different frames, frames of all traces; the reason why it ended."""
CHECKPOINT_STATE = 8

BEFORE, AFTER, IS_CUT, WIDTH, FRAME, METHOD, LINE, BCI, KIND = range(9)
"""The layout of stack traces, int64[LAYOUT]: programs of the fields before and after the frames; the slot of
`truncated`; the number of fields of a frame if all are compressed integers, else 0; the program of a frame; the places of
its wanted fields: among all fields if WIDTH is not 0, else slots."""
LAYOUT = 9


def read_constants(
    data: U8Array, at: int, stop: int, end: int, ids: I64Array, programs: I64Array, program: I64Array, loops: I64Array,
    slots: I64Array, state: I64Array, trace_type: int, layout: I64Array,
    types: U32Array, keys: I64Array, places: I64Array, hashes: I64Array,
    trace_keys: I64Array, trace_ends: I64Array, trace_cuts: U8Array,
    frames: U32Array, frame_slots: U32Array, frame_fields: I64Array,
) -> int:  # fmt: skip
    """Reads the pools of a checkpoint from its number of pools on, or goes on where it ended before.

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
        return FAILED
    width = int(layout[WIDTH])
    method_at, line_at, bci_at, kind_at = int(layout[METHOD]), int(layout[LINE]), int(layout[BCI]), int(layout[KIND])
    known = int(state[FRAMES])
    for place in range(first, first + count):
        method, line, bci, kind = 0, 0, 0, 0
        if width == 0:
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


STACKS, STACK_FRAMES, TAKEN = range(3)
"""State of the table of stacks, int64[3]: number of stacks, of all their frames, of traces taken."""


def intern_stacks(
    trace_ends: I64Array, trace_cuts: U8Array, frames: U32Array, frame_numbers: U32Array, traces: int,
    slots: U32Array, hashes: I64Array, stack_ends: I64Array, stack_cuts: U8Array, stack_frames: U32Array,
    numbers: U32Array, state: I64Array,
) -> None:  # fmt: skip
    """Numbers the traces of a chunk: equal ones of all chunks have the same number. Ends early if a table is full.

    frame_numbers  by number of a frame in the chunk: its number in the recording
    slots          uint32[2^k]: number of a stack + 1; 0: free
    hashes ...     by stack: hash, end of its frames, 1 if truncated; stack_frames: frames of the recording
    numbers        by trace: its stack, filled
    state          numbers of stacks and of their frames; the trace at which it goes on
    """
    trace = int(state[TAKEN])
    while trace < traces:
        first = int(trace_ends[trace - 1]) if trace > 0 else 0
        end = int(trace_ends[trace])
        count, total = int(state[STACKS]), int(state[STACK_FRAMES])
        if 2 * (count + 1) > len(slots) or count == len(hashes) or end - first > len(stack_frames) - total:
            break
        cut = int(trace_cuts[trace])
        value = cut + 1
        for place in range(first, end):
            frame = int(frame_numbers[int(frames[place])])
            stack_frames[total + place - first] = frame
            value = signed((value ^ frame) * MIX)
        value ^= value >> 31
        slot = value & (len(slots) - 1)
        while True:
            number = int(slots[slot]) - 1
            if number < 0:
                slots[slot] = count + 1
                hashes[count] = value
                stack_cuts[count] = cut
                stack_ends[count] = total + end - first
                state[STACKS] = count + 1
                state[STACK_FRAMES] = total + end - first
                number = count
                break
            if int(hashes[number]) == value and int(stack_cuts[number]) == cut:
                begin = int(stack_ends[number - 1]) if number > 0 else 0
                if int(stack_ends[number]) - begin == end - first:
                    place = 0
                    while place < end - first and int(stack_frames[begin + place]) == int(stack_frames[total + place]):
                        place += 1
                    if place == end - first:
                        break
            slot = (slot + 1) & (len(slots) - 1)
        numbers[trace] = number
        trace += 1
    state[TAKEN] = trace


def rehash_stacks(hashes: I64Array, count: int, slots: U32Array) -> None:
    """Fills an empty hash table with stacks."""
    for number in range(count):
        slot = int(hashes[number]) & (len(slots) - 1)
        while int(slots[slot]) != 0:
            slot = (slot + 1) & (len(slots) - 1)
        slots[slot] = number + 1


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
