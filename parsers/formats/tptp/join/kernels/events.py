"""Kernels that join events to tables, batch after batch in file order. Twin: `join.plain.tables`."""

from __future__ import annotations

from typing import Any

from parsers.formats.tptp.join.buffers import (
    BLOCK_NOW,
    COUNTED,
    EARLIEST,
    ELEMENT,
    FIRST_MOMENT,
    IS_COLLECTING,
    LATEST,
    ODD,
    PAUSE,
    PAUSE_START,
    SESSION_END,
    TOUCHED,
)
from parsers.formats.tptp.join.kernels.calls import enter, leave
from parsers.formats.tptp.join.kernels.heap import (
    add_collection,
    add_object,
    add_root,
    begin_dump,
    finish,
    free,
    move,
    refer,
)
from parsers.formats.tptp.join.kernels.ids import (
    class_of,
    clipped,
    define_class,
    define_method,
    define_thread,
    end_class,
    find,
    method_of,
    minus,
    note_ended,
    object_of,
    owner_of,
    thing_of,
    thread_of,
)
from parsers.formats.tptp.join.kernels.states import begin_state, end_state
from parsers.formats.tptp.schema import columns, counters
from parsers.formats.tptp.schema.columns import (
    BLOCK,
    FOR_LOCK,
    FOR_OBJECT,
    IS_DEFINED_ONLY,
    IS_UNKNOWN_ELEMENT,
    NEVER,
    NONE,
    NOWHERE,
    SLEEPING,
)
from parsers.formats.tptp.schema.counters import THREAD as A_THREAD
from parsers.formats.tptp.schema.vocabulary import (
    CLASS,
    CLASS_NAME,
    CLASS_SOURCE,
    CODES,
    COUNT,
    DEPTH,
    DUMP,
    DUMP_NAME,
    FIRST_LINE,
    IS_ARRAY,
    LAST_LINE,
    METHOD,
    METHOD_NAME,
    METHOD_SIGNATURE,
    NOTHING,
    OBJECT,
    OVERHEAD,
    OWNER,
    ROOT_TYPE,
    SIZE,
    SLOTS,
    TARGET,
    THREAD,
    THREAD_GROUP,
    THREAD_NAME,
    THREAD_PARENT,
    TICKET,
    TIME,
    TIMEOUT,
    TOTAL_BYTES,
    UNKNOWN,
    USED_BYTES,
    USED_OBJECTS,
)
from parsers.kernels.decorators import int64, kernel, part, uint64

TRACE = CODES["TRACE"]
THREAD_START, THREAD_END = CODES["threadStart"], CODES["threadEnd"]
CLASS_DEF, CLASS_UNLOAD, METHOD_DEF = CODES["classDef"], CODES["classUnload"], CODES["methodDef"]
ENTRY, EXIT, METHOD_COUNT = CODES["methodEntry"], CODES["methodExit"], CODES["methodCount"]
OBJ_ALLOC, OBJ_DEF, OBJ_FREE, OBJ_MOVE = (CODES[name] for name in ("objAlloc", "objDef", "objFree", "objMove"))
GC_START, GC_FINISH = CODES["gcStart"], CODES["gcFinish"]
DUMP_DEF, GC_ROOT, REFERENCE = CODES["heapDumpDef"], CODES["gcRoot"], CODES["objectReference"]
MON_ENTER, MON_ENTERED = CODES["monContendedEnter"], CODES["monContendedEntered"]
MON_WAIT, MON_WAITED = CODES["monWait"], CODES["monWaited"]
TRACE_START, TRACE_END = CODES["traceStart"], CODES["traceEnd"]
FIRST_ODD = 256
"""Spellings from here on are names of unknown elements."""


@part
def flush(room: Any) -> None:
    """Writes the element counts of the block."""
    state = room.state
    for touched in range(state[TOUCHED]):
        element = int64(room.touched[touched])
        row = state[COUNTED]
        room.counted[row].counted_block = state[BLOCK_NOW]
        room.counted[row].counted_element = element
        room.counted[row].counted = room.elements[element].element_now
        room.elements[element].element_now = 0
        state[COUNTED] = row + 1
    state[TOUCHED] = 0


@part
def count(room: Any, spelling: int, is_unknown: bool, offset: Any) -> None:
    """Counts an element by its name."""
    state = room.state
    element = int64(room.spelled[spelling])
    if element == NONE:
        element = state[ELEMENT]
        room.spelled[spelling] = element
        room.elements[element].element_first = offset
        room.elements[element].element_flags = IS_UNKNOWN_ELEMENT if is_unknown else 0
        room.elements[element].element_spelling = spelling
        room.elements[element].element_now = 0
        state[ELEMENT] = element + 1
        if is_unknown:
            find(room, columns.UNKNOWN_ELEMENT, offset, 0)
    if offset // BLOCK != state[BLOCK_NOW]:
        flush(room)
        state[BLOCK_NOW] = offset // BLOCK
    if room.elements[element].element_now == 0:
        room.touched[state[TOUCHED]] = element
        state[TOUCHED] += 1
    room.elements[element].element_now += 1
    room.counts[counters.ELEMENTS] += 1


@part
def id_at(events: Any, place: int) -> Any:
    """Returns the id in a slot, as columns encode it."""
    number = events.numbers[place]
    if number >= 0 or number == NEVER:
        return number
    return -1 - int64(events.words[-1 - number])


@part
def word_at(events: Any, place: int) -> int:
    """Returns the word in a slot."""
    number = events.numbers[place]
    return NONE if number >= 0 or number == NEVER else int64(events.words[-1 - number])


@part
def note_moment(room: Any, time: Any) -> None:
    """Includes a moment in the time range of the session."""
    state = room.state
    if state[FIRST_MOMENT] == NEVER:
        state[FIRST_MOMENT] = state[EARLIEST] = state[LATEST] = time
    elif time < state[EARLIEST]:
        state[EARLIEST] = time
    elif time > state[LATEST]:
        state[LATEST] = time


@part
def start_thread(room: Any, events: Any, at: int, offset: Any) -> int:
    """Handles threadStart."""
    if events.numbers[at + THREAD] == NEVER:
        return NONE
    row = define_thread(room, id_at(events, at + THREAD), offset)
    room.threads[row].thread_start = events.numbers[at + TIME]
    room.threads[row].thread_object = id_at(events, at + OBJECT)
    room.threads[row].thread_name = word_at(events, at + THREAD_NAME)
    room.threads[row].thread_group = word_at(events, at + THREAD_GROUP)
    room.threads[row].thread_parent = word_at(events, at + THREAD_PARENT)
    return row


@part
def note_thread_moment(room: Any, thread: int, time: Any, offset: Any) -> None:
    """Records a finding if time steps back within a thread."""
    last = room.threads[thread].thread_moment
    if time < last:
        room.counts[counters.STEPS_BACK] += 1
        find(room, columns.STEPS_BACK, offset, minus(last, time))
    room.threads[thread].thread_moment = time


@part
def object_is_new(room: Any, id: Any) -> Any:
    """True if an id is no live object."""
    return object_of(room, id) == NONE


@part
def define_method_at(room: Any, events: Any, at: int, offset: Any) -> None:
    """Handles methodDef."""
    numbers = events.numbers
    kind = class_of(room, id_at(events, at + CLASS), offset)
    row = define_method(room, id_at(events, at + METHOD), kind, offset)
    room.methods[row].method_name = word_at(events, at + METHOD_NAME)
    room.methods[row].method_signature = word_at(events, at + METHOD_SIGNATURE)
    first, last = numbers[at + FIRST_LINE], numbers[at + LAST_LINE]
    room.methods[row].method_first_line = NONE if first < 0 else clipped(first)
    room.methods[row].method_last_line = NONE if last < 0 else clipped(last)


@part
def end_thread(room: Any, thread: int, time: Any) -> None:
    """Handles threadEnd."""
    room.threads[thread].thread_end = time
    room.threads[thread].thread_lock = NONE
    room.threads[thread].thread_waiting = NONE
    if room.threads[thread].thread_offset != uint64(NOWHERE):
        room.threads[thread].thread_ended = 1
        note_ended(room, A_THREAD, room.threads[thread].thread_id)


@kernel
def join_events(events: Any, first: int, last: int, base: int, room: Any) -> None:
    """Adds events of a batch to the tables. base: offset that their offsets are relative to"""
    state, numbers = room.state, events.numbers
    for row in range(first, last):
        code = int64(events.code[row])
        if code in (NOTHING, TRACE):
            continue
        offset, end, at = base + int64(events.start[row]), base + int64(events.end[row]), row * SLOTS
        if code == UNKNOWN:
            count(room, FIRST_ODD + int64(events.odd[state[ODD]]), True, offset)
            state[ODD] += 1
        else:
            count(room, int64(events.name[row]), False, offset)
        state[SESSION_END] = end
        time = numbers[at + TIME]
        if time != NEVER:
            note_moment(room, time)
        if code == UNKNOWN:
            continue
        if code == THREAD_START:
            thread = start_thread(room, events, at, offset)
            if thread != NONE and time != NEVER:
                note_thread_moment(room, thread, time, offset)
            continue
        is_call = code in (ENTRY, EXIT)
        is_needed = is_call or code in (MON_ENTER, MON_ENTERED, MON_WAIT, MON_WAITED)
        thread = thread_of(room, id_at(events, at + THREAD), False, offset)
        if thread != NONE:
            if time != NEVER:
                note_thread_moment(room, thread, time, offset)
        elif is_needed:
            thread = thread_of(room, int64(NEVER), True, offset)
        if is_call or code == METHOD_COUNT:
            if code == METHOD_COUNT and numbers[at + COUNT] <= 0:
                continue
            method = method_of(room, id_at(events, at + METHOD), id_at(events, at + CLASS), offset)
            ticket, depth = numbers[at + TICKET], numbers[at + DEPTH]
            if code == ENTRY:
                enter(room, thread, method, time, ticket, depth, offset)
            elif code == EXIT:
                leave(room, thread, method, time, ticket, depth, numbers[at + OVERHEAD], offset)
            else:
                counted = int64(room.methods[method].method_count) + clipped(numbers[at + COUNT])
                room.methods[method].method_count = clipped(counted)
        elif code in (OBJ_ALLOC, OBJ_DEF):
            id = id_at(events, at + OBJECT)
            if id == NEVER:
                continue
            kind = class_of(room, id_at(events, at + CLASS), offset)
            if code == OBJ_ALLOC:
                call = int64(room.threads[thread].thread_top) if thread != NONE else NONE
                add_object(room, id, time, offset, numbers[at + SIZE], kind, thread, call, numbers[at + IS_ARRAY], 0)
            elif object_is_new(room, id):
                never = int64(NEVER)
                add_object(
                    room, id, never, offset, numbers[at + SIZE], kind, NONE, NONE, numbers[at + IS_ARRAY],
                    IS_DEFINED_ONLY,
                )  # fmt: skip
        elif code == OBJ_FREE:
            if numbers[at + OBJECT] != NEVER:
                free(room, id_at(events, at + OBJECT), time, offset)
        elif code in (REFERENCE, GC_ROOT, MON_ENTER, MON_WAIT):
            thing = thing_of(room, id_at(events, at + OBJECT), offset)
            if code == REFERENCE:
                refer(room, id_at(events, at + DUMP), thing, id_at(events, at + TARGET), offset, end)
            elif code == GC_ROOT:
                kind = numbers[at + ROOT_TYPE]
                kind = kind if kind >= 0 else word_at(events, at + ROOT_TYPE)
                add_root(room, id_at(events, at + DUMP), thing, kind, offset, end)
            else:
                owner, state_kind, timeout = NONE, FOR_LOCK, int64(NEVER)
                if code == MON_ENTER:
                    owner = owner_of(room, id_at(events, at + OWNER), offset)
                else:
                    state_kind = SLEEPING if thing == NONE else FOR_OBJECT
                    timeout = numbers[at + TIMEOUT]
                begin_state(room, state_kind, thread, thing, owner, time, offset, timeout)
        elif code == MON_ENTERED:
            end_state(room, True, thread, time, offset, int64(NEVER))
        elif code == MON_WAITED:
            end_state(room, False, thread, time, offset, numbers[at + TIMEOUT])
        elif code == METHOD_DEF:
            if numbers[at + METHOD] != NEVER:
                define_method_at(room, events, at, offset)
        elif code == CLASS_DEF:
            if numbers[at + CLASS] != NEVER:
                found = define_class(room, id_at(events, at + CLASS), offset)
                room.classes[found].class_time = time
                room.classes[found].class_name = word_at(events, at + CLASS_NAME)
                room.classes[found].class_source = word_at(events, at + CLASS_SOURCE)
        elif code == CLASS_UNLOAD:
            if numbers[at + CLASS] != NEVER:
                end_class(room, id_at(events, at + CLASS), time)
        elif code == THREAD_END:
            if thread != NONE:
                end_thread(room, thread, time)
        elif code == OBJ_MOVE:
            if numbers[at + TARGET] != NEVER and numbers[at + OBJECT] != NEVER:
                move(room, id_at(events, at + OBJECT), id_at(events, at + TARGET), time, offset)
        elif code == GC_START:
            add_collection(room, time, offset)
            state[IS_COLLECTING] = 1
        elif code == GC_FINISH:
            used, total = numbers[at + USED_BYTES], numbers[at + TOTAL_BYTES]
            finish(room, time, offset, numbers[at + USED_OBJECTS], used, total)
        elif code == DUMP_DEF:
            name = word_at(events, at + DUMP_NAME)
            begin_dump(room, id_at(events, at + DUMP), time, offset, end, name)
        elif code == TRACE_END:
            state[PAUSE_START] = time
        elif code == TRACE_START:
            if state[PAUSE_START] != NEVER:
                room.pauses[state[PAUSE]].pause_start = state[PAUSE_START]
                room.pauses[state[PAUSE]].pause_end = time
                state[PAUSE] += 1
            state[PAUSE_START] = NEVER


@kernel
def flush_counts(room: Any) -> None:
    """Writes the element counts of the last block."""
    flush(room)
