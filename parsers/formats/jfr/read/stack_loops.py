"""Loops over constants and stack traces: plain functions, which `compiled` makes kernels. See `loops`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parsers.formats.jfr.read.loops import (
    CROSSES,
    DAMAGED,
    DONE,
    FAILED,
    FULL,
    LONGEST,
    MIX,
    number_at,
    place_in,
    run_fields,
    skip_numbers,
    sound_number,
)
from parsers.index.bitpacked.block_loops import number_in
from parsers.kernels.compiled import signed

if TYPE_CHECKING:
    from parsers.model.arrays import I64Array, U8Array, U32Array

POOLS, ENTRIES, POOL, CONSTANTS, TRACES, FRAMES, PLACES, ENDED, NEEDED, REACHED, LIMIT = range(11)
"""State of reading a checkpoint, int64[CHECKPOINT_STATE]: pools left after this one; entries left in it; its type;
numbers of constants, traces, different frames, frames of all traces; the reason why it ended; frames of a trace for
which there is no space; the offsets that were reached, and behind the checkpoint."""
CHECKPOINT_STATE = 11

BEFORE, AFTER, IS_CUT, WIDTH, FRAME, METHOD, LINE, BCI, KIND = range(9)
"""The layout of stack traces, int64[LAYOUT]: programs of the fields before and after the frames; the slot of
`truncated`; the number of fields of a frame if all are compressed integers, else 0; the program of a frame; the places
of its wanted fields: among all fields if WIDTH is not 0, else slots."""
LAYOUT = 9


def read_checkpoints(
    data: U8Array, marks: I64Array, number: int, base: int, stop: int, end: int, damaged: U8Array,
    ids: I64Array, programs: I64Array, program: I64Array, loops: I64Array,
    slots: I64Array, state: I64Array, trace_type: int, layout: I64Array,
    types: U32Array, keys: I64Array, places: I64Array, hashes: I64Array,
    trace_keys: I64Array, trace_ends: I64Array, trace_cuts: U8Array,
    frames: U32Array, frame_slots: U32Array, frame_fields: I64Array,
) -> int:  # fmt: skip
    """Reads checkpoints, from a number on; returns that of the first one that was left.

    state[ENDED] is FULL if it is to be continued with more space, CROSSES with data from state[REACHED] on, else DONE.
    Only a checkpoint at the start of the data is read in part.

    marks    offsets of the checkpoints in the file; base: that of the data
    damaged  by checkpoint: 1 if it can't be read to its end, filled
    others   as of `read_constants`; state[POOLS] is -1 where a checkpoint begins
    """
    while number < len(marks):
        at, limit, is_read = int(state[REACHED]) - base, int(state[LIMIT]) - base, True
        if int(state[POOLS]) < 0:
            at = int(marks[number]) - base
            size, behind = number_at(data, at, stop)
            if at > 0 and stop < end and (behind < 0 or size > stop - at):
                state[REACHED] = at + base
                state[ENDED] = CROSSES
                return number
            is_read = behind >= 0 and 0 < size <= end - at
            if is_read:
                limit = at + size
                state[LIMIT] = limit + base
                # Size, type, time, duration, distance; one byte of flags.
                at = skip_numbers(data, at, min(limit, stop), 5) + 1
                is_read = 0 < at < limit
        if is_read:
            first = int(state[CONSTANTS])
            at = read_constants(
                data, at, min(limit, stop), limit, ids, programs, program, loops, slots, state, trace_type, layout,
                types, keys, places, hashes, trace_keys, trace_ends, trace_cuts, frames, frame_slots, frame_fields,
            )  # fmt: skip
            for constant in range(first, int(state[CONSTANTS])):
                places[constant] += base
            state[REACHED] = at + base
            if int(state[ENDED]) == FULL or int(state[ENDED]) == CROSSES:
                return number
            is_read = int(state[ENDED]) == DONE
        damaged[number] = 0 if is_read else 1
        state[POOLS] = -1
        number += 1
    state[ENDED] = DONE
    return number


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
        if is_usual and stop - at >= 4 * LONGEST:
            method, at = sound_number(data, at)
            line, at = sound_number(data, at)
            bci, at = sound_number(data, at)
            kind, at = sound_number(data, at)
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
        number = frame_number(frame_fields, frame_slots, known, method, line, bci, kind)
        known = max(known, number + 1)
        state[FRAMES] = known
        frames[place] = number
    at = run_fields(data, at, stop, program, int(layout[AFTER]), loops, slots)
    if at < 0:
        return FAILED
    trace_cuts[int(state[TRACES])] = 1 if int(slots[int(layout[IS_CUT])]) != 0 else 0
    state[PLACES] = first + count
    return at


def frame_slot(method: int, line: int, bci: int, kind: int, slots: int) -> int:
    """Returns the first place in a hash table of 2^k slots at which a frame may be."""
    mixed = signed(signed(signed(signed(method * MIX + line) * MIX + bci) * MIX + kind) * MIX)
    return (mixed ^ mixed >> 32) & (slots - 1)


def frame_number(
    frame_fields: I64Array, frame_slots: U32Array, count: int, method: int, line: int, bci: int, kind: int
) -> int:
    """Returns the number of a frame. If it is new, that is `count`, and it is added: there is space for it."""
    slot = frame_slot(method, line, bci, kind, len(frame_slots))
    while True:
        number = int(frame_slots[slot]) - 1
        if number < 0:
            frame_slots[slot] = count + 1
            frame_fields[count, 0] = method
            frame_fields[count, 1] = line
            frame_fields[count, 2] = bci
            frame_fields[count, 3] = kind
            return count
        if (
            int(frame_fields[number, 0]) == method
            and int(frame_fields[number, 1]) == line
            and int(frame_fields[number, 2]) == bci
            and int(frame_fields[number, 3]) == kind
        ):
            return number
        slot = (slot + 1) & (len(frame_slots) - 1)


def number_frames(
    fields: I64Array, frame_fields: I64Array, frame_slots: U32Array, count: int, numbers: U32Array
) -> int:
    """Numbers the frames of a chunk in the recording, which has `count` so far; returns how many it has then.

    fields   int64[n, 4]: method, line, bci, kind
    numbers  by frame, filled; there is space in `frame_fields` and `frame_slots` for all of them
    """
    for frame in range(len(fields)):
        number = frame_number(
            frame_fields, frame_slots, count,
            int(fields[frame, 0]), int(fields[frame, 1]), int(fields[frame, 2]), int(fields[frame, 3]),
        )  # fmt: skip
        count = max(count, number + 1)
        numbers[frame] = number
    return count


def rehash_frames(frame_fields: I64Array, count: int, frame_slots: U32Array) -> None:
    """Fills an empty hash table with frames."""
    for number in range(count):
        method, line = int(frame_fields[number, 0]), int(frame_fields[number, 1])
        bci, kind = int(frame_fields[number, 2]), int(frame_fields[number, 3])
        slot = frame_slot(method, line, bci, kind, len(frame_slots))
        while int(frame_slots[slot]) != 0:
            slot = (slot + 1) & (len(frame_slots) - 1)
        frame_slots[slot] = number + 1


OTHER_MIX = 0x2545F4914F6CDD1D
STACKS, STACK_FRAMES, TAKEN, NEW_FRAMES = range(4)
"""State of the table of stacks, int64[4]: number of stacks, of all their frames, of traces taken, of frames of new
stacks among them."""


def hash_traces(
    trace_ends: I64Array, trace_cuts: U8Array, frames: U32Array, frame_numbers: U32Array, hashes: I64Array
) -> None:
    """Makes frames of a chunk those of the recording, and hashes the traces.

    frame_numbers  by number of a frame in the chunk: its number in the recording
    hashes         int64[traces, 2]
    """
    begin = 0
    for trace in range(len(trace_ends)):
        end = int(trace_ends[trace])
        one, two = end - begin, int(trace_cuts[trace]) + 1
        for place in range(begin, end):
            frame = int(frame_numbers[int(frames[place])])
            frames[place] = frame
            one = signed((one ^ frame) * MIX)
            two = signed((two + frame) * OTHER_MIX)
        hashes[trace, 0] = one ^ one >> 31
        hashes[trace, 1] = two ^ two >> 29
        begin = end


def intern_stacks(
    trace_ends: I64Array, trace_cuts: U8Array, frames: U32Array, hashes: I64Array, slots: U32Array,
    stack_hashes: I64Array, stack_ends: I64Array, stack_cuts: U8Array, numbers: I64Array, state: I64Array,
) -> None:  # fmt: skip
    """Numbers the traces of a chunk: equal ones of all chunks have the same number. Ends early if a table is full.

    Traces are equal if both hashes are: two of a million different stacks have equal ones once in 10^26 recordings.

    frames         those of new stacks are moved to the front
    hashes         from `hash_traces`
    slots          uint32[2^k]: hash table of the stacks, 0: free
    stack_hashes   int64[stacks, 2]; stack_ends: ends of their frames; stack_cuts: 1 if truncated
    numbers        by trace: its stack, filled
    """
    trace, count, moved = int(state[TAKEN]), int(state[STACKS]), int(state[NEW_FRAMES])
    total = int(state[STACK_FRAMES])
    while trace < len(trace_ends):
        if 2 * (count + 1) > len(slots):
            break
        one, two = int(hashes[trace, 0]), int(hashes[trace, 1])
        slot = one & (len(slots) - 1)
        number = int(slots[slot])
        while number != 0 and (int(stack_hashes[number, 0]) != one or int(stack_hashes[number, 1]) != two):
            slot = (slot + 1) & (len(slots) - 1)
            number = int(slots[slot])
        if number == 0:
            first, end = int(trace_ends[trace - 1]) if trace > 0 else 0, int(trace_ends[trace])
            for place in range(first, end):
                frames[moved] = frames[place]
                moved += 1
            total += end - first
            number = count
            slots[slot] = number
            stack_hashes[number, 0] = one
            stack_hashes[number, 1] = two
            stack_cuts[number] = trace_cuts[trace]
            stack_ends[number] = total
            count += 1
        numbers[trace] = number
        trace += 1
    state[STACKS] = count
    state[STACK_FRAMES] = total
    state[TAKEN] = trace
    state[NEW_FRAMES] = moved


def fill_stacks(stack_hashes: I64Array, slots: U32Array) -> None:
    """Fills an empty hash table with all stacks but the first, which no trace has."""
    for number in range(1, len(stack_hashes)):
        slot = int(stack_hashes[number, 0]) & (len(slots) - 1)
        while int(slots[slot]) != 0:
            slot = (slot + 1) & (len(slots) - 1)
        slots[slot] = number


def count_uses(stacks: I64Array, uses: I64Array) -> None:
    """Counts the events with a stack by their stacks; negative: none. uses: by stack, added to"""
    for row in range(len(stacks)):
        if int(stacks[row]) >= 0:
            uses[int(stacks[row])] += 1


def count_kinds(
    stack_ends: I64Array, words: I64Array, ends: U32Array, frame_kinds: U8Array, uses: I64Array, counts: I64Array
) -> None:
    """Counts the frames of all events by kind.

    words, ends  column of the frames of all stacks (`bitpacked.blocks`)
    uses         by stack: number of its events
    """
    begin = 0
    for stack in range(len(stack_ends)):
        end, times = int(stack_ends[stack]), int(uses[stack])
        if times > 0:
            for place in range(begin, end):
                counts[int(frame_kinds[number_in(words, ends, place)])] += times
        begin = end


def count_methods(
    stacks: I64Array, times: I64Array, stack_ends: I64Array, words: I64Array, ends: U32Array, frame_methods: U32Array,
    seen: I64Array, counts: I64Array, tops: I64Array,
) -> None:  # fmt: skip
    """Counts the stacks in which a method is.

    stacks       different stacks; times: how often each counts
    words, ends  column of the frames of all stacks (`bitpacked.blocks`)
    seen         int64[methods]: -1; overwritten; counts: by method, added to
    tops         by stack of `stacks`: its innermost frame, -1: it has none
    """
    for place in range(len(stacks)):
        stack = int(stacks[place])
        begin = int(stack_ends[stack - 1]) if stack > 0 else 0
        end = int(stack_ends[stack])
        tops[place] = number_in(words, ends, begin) if begin < end else -1
        for at in range(begin, end):
            method = int(frame_methods[number_in(words, ends, at)])
            if int(seen[method]) != place:
                seen[method] = place
                counts[method] += int(times[place])
