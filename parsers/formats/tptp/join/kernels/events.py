"""Kernels that join events to tables, batch after batch in file order. Twin: `join.plain.tables`."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
    add_class,
    add_thread,
    class_of,
    clipped,
    define,
    define_method,
    end_class,
    entity_of,
    find,
    method_of,
    minus,
    note_ended,
    object_of,
    owner_of,
    thread_of,
)
from parsers.formats.tptp.join.kernels.states import begin_state, end_state
from parsers.formats.tptp.schema.columns import (
    BLOCK,
    FOR_LOCK,
    FOR_OBJECT,
    IS_DEFINED_ONLY,
    IS_UNKNOWN_ELEMENT,
    NEVER,
    NOWHERE,
    SLEEPING,
)
from parsers.formats.tptp.schema.counters import CLASS as A_CLASS
from parsers.formats.tptp.schema.counters import THREAD as A_THREAD
from parsers.formats.tptp.schema.counters import FindingKind, SessionCounter
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
from parsers.model.none import NONE

if TYPE_CHECKING:
    from parsers.formats.tptp.join.buffers import Events, TraceBuffers
    from parsers.model.arrays import AnyArray, U32Array

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


@kernel
def flush_counts(state: AnyArray, touched: U32Array, elements: AnyArray, counted: AnyArray) -> None:
    """Writes the element counts of the block. All are fields of `TraceBuffers`."""
    now = state[0]
    for place in range(now.touched):
        element = int64(touched[place])
        row = now.counted
        counted[row].block = now.block_now
        counted[row].element = element
        counted[row].counted = elements[element].now
        elements[element].now = 0
        now.counted = row + 1
    now.touched = 0


@part
def count(buffers: TraceBuffers, name_number: int, is_unknown: bool, offset: int) -> None:
    """Counts an element by its name."""
    state = buffers.state[0]
    element = int64(buffers.element_rows[name_number])
    if element == NONE:
        element = state.elements
        buffers.element_rows[name_number] = element
        buffers.elements[element].first = offset
        buffers.elements[element].flags = IS_UNKNOWN_ELEMENT if is_unknown else 0
        buffers.elements[element].spelling = name_number
        buffers.elements[element].now = 0
        state.elements = element + 1
        if is_unknown:
            find(buffers, FindingKind.UNKNOWN_ELEMENT, offset, 0)
    if offset // BLOCK != state.block_now:
        flush_counts(buffers.state, buffers.touched, buffers.elements, buffers.counted)
        state.block_now = offset // BLOCK
    if buffers.elements[element].now == 0:
        buffers.touched[state.touched] = element
        state.touched += 1
    buffers.elements[element].now += 1
    buffers.counts[SessionCounter.ELEMENTS] += 1


@part
def id_at(events: Events, place: int) -> int:
    """Returns the id in a slot, as columns encode it."""
    number = events.numbers[place]
    if number >= 0 or number == NEVER:
        return int64(number)
    return -1 - int64(events.words[-1 - number])


@part
def word_at(events: Events, place: int) -> int:
    """Returns the word in a slot."""
    number = events.numbers[place]
    return NONE if number >= 0 or number == NEVER else int64(events.words[-1 - number])


@part
def note_moment(buffers: TraceBuffers, time: int) -> None:
    """Includes a moment in the time range of the session."""
    state = buffers.state[0]
    if state.first_moment == NEVER:
        state.first_moment = state.earliest = state.latest = time
    elif time < state.earliest:
        state.earliest = time
    elif time > state.latest:
        state.latest = time


@part
def start_thread(buffers: TraceBuffers, events: Events, at: int, offset: int) -> int:
    """Handles threadStart."""
    if events.numbers[at + THREAD] == NEVER:
        return NONE
    threads = buffers.threads
    row = define(buffers, A_THREAD, buffers.ids.threads, threads, id_at(events, at + THREAD), offset, add_thread)
    buffers.threads[row].start = events.numbers[at + TIME]
    buffers.threads[row].object = id_at(events, at + OBJECT)
    buffers.threads[row].name = word_at(events, at + THREAD_NAME)
    buffers.threads[row].group = word_at(events, at + THREAD_GROUP)
    buffers.threads[row].parent = word_at(events, at + THREAD_PARENT)
    return row


@part
def note_thread_moment(buffers: TraceBuffers, thread: int, time: int, offset: int) -> None:
    """Records a finding if time steps back within a thread."""
    last = buffers.threads[thread].moment
    if time < last:
        buffers.counts[SessionCounter.STEPS_BACK] += 1
        find(buffers, FindingKind.TIME_STEPS_BACK, offset, minus(last, time))
    buffers.threads[thread].moment = time


@part
def define_method_at(buffers: TraceBuffers, events: Events, at: int, offset: int) -> None:
    """Handles methodDef."""
    numbers = events.numbers
    kind = class_of(buffers, id_at(events, at + CLASS), offset)
    row = define_method(buffers, id_at(events, at + METHOD), kind, offset)
    buffers.methods[row].name = word_at(events, at + METHOD_NAME)
    buffers.methods[row].signature = word_at(events, at + METHOD_SIGNATURE)
    first, last = numbers[at + FIRST_LINE], numbers[at + LAST_LINE]
    buffers.methods[row].first_line = NONE if first < 0 else clipped(first)
    buffers.methods[row].last_line = NONE if last < 0 else clipped(last)


@part
def end_thread(buffers: TraceBuffers, thread: int, time: int) -> None:
    """Handles threadEnd."""
    buffers.threads[thread].end = time
    buffers.threads[thread].lock = NONE
    buffers.threads[thread].waiting = NONE
    if buffers.threads[thread].offset != uint64(NOWHERE):
        buffers.threads[thread].ended = 1
        note_ended(buffers, A_THREAD, buffers.threads[thread].id)


@kernel
def join_events(events: Events, first: int, last: int, base: int, buffers: TraceBuffers) -> int:
    """Adds events of a batch to the tables. Returns the first one not added: `last`, unless a hash table is too small.

    base  offset that their offsets are relative to

    Sections by code: unknown elements; the thread, and calls; objects; references, roots and monitors; definitions of
    methods and classes; ends of threads; collections and dumps; ends and pauses of sessions.
    """
    state, numbers = buffers.state[0], events.numbers
    for row in range(first, last):
        if state.is_full:
            return row
        code = int64(events.code[row])
        if code in (NOTHING, TRACE):
            continue
        offset, end, at = base + int64(events.start[row]), base + int64(events.end[row]), row * SLOTS
        if code == UNKNOWN:
            count(buffers, FIRST_ODD + int64(events.odd[state.odd]), True, offset)
            state.odd += 1
        else:
            count(buffers, int64(events.name[row]), False, offset)
        state.session_end = end
        time = numbers[at + TIME]
        if time != NEVER:
            note_moment(buffers, time)
        if code == UNKNOWN:
            continue
        if code == THREAD_START:
            thread = start_thread(buffers, events, at, offset)
            if thread != NONE and time != NEVER:
                note_thread_moment(buffers, thread, time, offset)
            continue
        is_call = code in (ENTRY, EXIT)
        is_needed = is_call or code in (MON_ENTER, MON_ENTERED, MON_WAIT, MON_WAITED)
        thread = thread_of(buffers, id_at(events, at + THREAD), False, offset)
        if thread != NONE:
            if time != NEVER:
                note_thread_moment(buffers, thread, time, offset)
        elif is_needed:
            thread = thread_of(buffers, int64(NEVER), True, offset)
        if is_call or code == METHOD_COUNT:
            if code == METHOD_COUNT and numbers[at + COUNT] <= 0:
                continue
            method = method_of(buffers, id_at(events, at + METHOD), id_at(events, at + CLASS), offset)
            ticket, depth = numbers[at + TICKET], numbers[at + DEPTH]
            if code == ENTRY:
                enter(buffers, thread, method, time, ticket, depth, offset)
            elif code == EXIT:
                leave(buffers, thread, method, time, ticket, depth, numbers[at + OVERHEAD], offset)
            else:
                counted = int64(buffers.methods[method].count) + clipped(numbers[at + COUNT])
                buffers.methods[method].count = clipped(counted)
        elif code in (OBJ_ALLOC, OBJ_DEF):
            id = id_at(events, at + OBJECT)
            if id == NEVER:
                continue
            kind = class_of(buffers, id_at(events, at + CLASS), offset)
            if code == OBJ_ALLOC:
                call = int64(buffers.threads[thread].top) if thread != NONE else NONE
                add_object(buffers, id, time, offset, numbers[at + SIZE], kind, thread, call, numbers[at + IS_ARRAY], 0)
            elif object_of(buffers, id) == NONE:
                never = int64(NEVER)
                add_object(
                    buffers, id, never, offset, numbers[at + SIZE], kind, NONE, NONE, numbers[at + IS_ARRAY],
                    IS_DEFINED_ONLY,
                )  # fmt: skip
        elif code == OBJ_FREE:
            if numbers[at + OBJECT] != NEVER:
                free(buffers, id_at(events, at + OBJECT), time, offset)
        elif code in (REFERENCE, GC_ROOT, MON_ENTER, MON_WAIT):
            entity = entity_of(buffers, id_at(events, at + OBJECT), offset)
            if code == REFERENCE:
                refer(buffers, id_at(events, at + DUMP), entity, id_at(events, at + TARGET), offset, end)
            elif code == GC_ROOT:
                kind = numbers[at + ROOT_TYPE]
                kind = kind if kind >= 0 else word_at(events, at + ROOT_TYPE)
                add_root(buffers, id_at(events, at + DUMP), entity, kind, offset, end)
            else:
                owner, state_kind, timeout = NONE, FOR_LOCK, int64(NEVER)
                if code == MON_ENTER:
                    owner = owner_of(buffers, id_at(events, at + OWNER), offset)
                else:
                    state_kind = SLEEPING if entity == NONE else FOR_OBJECT
                    timeout = numbers[at + TIMEOUT]
                begin_state(buffers, state_kind, thread, entity, owner, time, offset, timeout)
        elif code == MON_ENTERED:
            end_state(buffers, True, thread, time, offset, int64(NEVER))
        elif code == MON_WAITED:
            end_state(buffers, False, thread, time, offset, numbers[at + TIMEOUT])
        elif code == METHOD_DEF:
            if numbers[at + METHOD] != NEVER:
                define_method_at(buffers, events, at, offset)
        elif code == CLASS_DEF:
            if numbers[at + CLASS] != NEVER:
                id, classes = id_at(events, at + CLASS), buffers.classes
                found = define(buffers, A_CLASS, buffers.ids.classes, classes, id, offset, add_class)
                classes[found].time = time
                classes[found].name = word_at(events, at + CLASS_NAME)
                classes[found].source = word_at(events, at + CLASS_SOURCE)
        elif code == CLASS_UNLOAD:
            if numbers[at + CLASS] != NEVER:
                end_class(buffers, id_at(events, at + CLASS), time)
        elif code == THREAD_END:
            if thread != NONE:
                end_thread(buffers, thread, time)
        elif code == OBJ_MOVE:
            if numbers[at + TARGET] != NEVER and numbers[at + OBJECT] != NEVER:
                move(buffers, id_at(events, at + OBJECT), id_at(events, at + TARGET), time, offset)
        elif code == GC_START:
            add_collection(buffers, time, offset)
            state.is_collecting = 1
        elif code == GC_FINISH:
            used, total = numbers[at + USED_BYTES], numbers[at + TOTAL_BYTES]
            finish(buffers, time, offset, numbers[at + USED_OBJECTS], used, total)
        elif code == DUMP_DEF:
            name = word_at(events, at + DUMP_NAME)
            begin_dump(buffers, id_at(events, at + DUMP), time, offset, end, name)
        elif code == TRACE_END:
            state.pause_start = time
        elif code == TRACE_START:
            if state.pause_start != NEVER:
                buffers.pauses[state.pauses].start = state.pause_start
                buffers.pauses[state.pauses].end = time
                state.pauses += 1
            state.pause_start = NEVER
    return last
