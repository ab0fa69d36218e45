"""Lookup of ids at a moment, for kernels. Twin: `join.plain.ids`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from parsers.formats.tptp.join.buffers import (
    CLASS,
    CLASS_IDS,
    FEW,
    FINDING,
    HASHED,
    IS_FULL,
    METHOD,
    METHOD_IDS,
    NO_METHOD,
    NO_THREAD,
    OBJECT,
    PAGE,
    PAGE_BITS,
    PAGED,
    POOL,
    SPARSE,
    THREAD,
    THREAD_IDS,
    UNKNOWN,
)
from parsers.formats.tptp.schema import columns, counters
from parsers.formats.tptp.schema.columns import (
    CLASS_ENTITY,
    ENTITY_BITS,
    KEPT_FINDINGS,
    NEVER,
    NONE,
    NOWHERE,
    THREAD_ENTITY,
    UNKNOWN_ENTITY,
)
from parsers.formats.tptp.schema.counters import CLASS as A_CLASS
from parsers.formats.tptp.schema.counters import METHOD as A_METHOD
from parsers.formats.tptp.schema.counters import OBJECT as AN_OBJECT
from parsers.formats.tptp.schema.counters import THREAD as A_THREAD
from parsers.kernels.decorators import apart, int64, kernel, part, uint64

if TYPE_CHECKING:
    from parsers.model.arrays import AnyArray, I64Array, U32Array

GOLDEN = uint64(0x9E3779B97F4A7C15)
HALF = uint64(32)
ROW_MASK = (1 << ENTITY_BITS) - 1
MOST_63 = (1 << 63) - 1


@apart
def keep(found: I64Array, state: I64Array, findings: AnyArray, kind: int, offset: int, value: int) -> None:
    """Counts a finding, and stores it if it is one of the first of its kind."""
    found[kind] += 1
    if found[kind] <= KEPT_FINDINGS:
        row = state[FINDING]
        findings[row].finding_offset = offset
        findings[row].finding_value = value
        findings[row].finding_kind = kind
        state[FINDING] = row + 1


@part
def find(buffers: Any, kind: int, offset: int, value: int) -> None:
    """Records a finding."""
    keep(buffers.found, buffers.state, buffers.findings, int64(kind), int64(offset), int64(value))


@part
def clipped(value: int) -> Any:
    """Returns the nearest number of 32 bits."""
    return min(max(value, 0), NONE)


@part
def minus(first: int, second: int) -> Any:
    """Returns a difference, saturated at the largest or smallest 64-bit number."""
    # Unsigned, since the compiler may assume that signed numbers never overflow.
    found = int64(uint64(first) - uint64(second))
    if (first ^ second) & (first ^ found) < 0:
        return int64(NEVER) if first < 0 else int64(MOST_63)
    return found


@part
def plus(first: int, second: int) -> Any:
    """Returns a sum, saturated at the largest or smallest 64-bit number."""
    found = int64(uint64(first) + uint64(second))
    if (first ^ found) & (second ^ found) < 0:
        return int64(NEVER) if first < 0 else int64(MOST_63)
    return found


@part
def hash_of(id: int, slots: int) -> Any:
    """Returns the first slot to probe."""
    mixed = uint64(id) * GOLDEN
    return int64((mixed ^ (mixed >> HALF)) & uint64(slots - 1))


@apart
def slot_of(ids: I64Array, id: int) -> Any:
    """Returns the slot of an id in a hash table of ids, or the free slot for it."""
    slot = hash_of(id, len(ids))
    while ids[slot] != id and ids[slot] != NEVER:
        slot = (slot + 1) & (len(ids) - 1)
    return slot


@part
def row_in(ids: I64Array, rows: U32Array, id: int) -> int:
    """Returns the row of an id in a hash table; -1 if there is none."""
    slot = slot_of(ids, id)
    return -1 if ids[slot] == NEVER else int64(rows[slot])


@part
def note_used(state: I64Array, used: int, slots: int) -> None:
    """Notes that a hash table must be enlarged if half of its slots are used."""
    if 2 * used >= slots:
        state[IS_FULL] = 1


@part
def put_row(ids: I64Array, rows: U32Array, state: I64Array, count: int, id: int, row: int) -> None:
    """Sets the row of an id. count: index of the id counter in `state`"""
    slot = slot_of(ids, id)
    if ids[slot] == NEVER:
        ids[slot] = id
        state[count] += 1
        note_used(state, state[count], len(ids))
    rows[slot] = row


# -- entities ---------------------------------------------------------------------------------------------------------


@part
def place_of(buffers: Any, id: int) -> Any:
    """Returns the index of an id in `entities`; -1 if it is absent."""
    ids = buffers.ids
    if 0 <= id < PAGED:
        page = int64(ids.pages[id >> PAGE_BITS])
        if page > 1:
            return (page - 2) * PAGE + (id & (PAGE - 1))
        if page == 0:
            return -1
    return row_in(ids.hashed_ids, ids.hashed_places, id)


@part
def note_hashed(buffers: Any) -> None:
    """Notes if the ids that are not in pages need a larger table. The end of a class may add all ids of its methods."""
    note_used(buffers.state, buffers.state[HASHED] + buffers.state[METHOD_IDS], len(buffers.ids.hashed_ids))


@part
def make_place(buffers: Any, id: int) -> Any:
    """Returns the index of an id in `entities`; adds the id if it is new."""
    ids, state = buffers.ids, buffers.state
    if 0 <= id < PAGED:
        page = int64(ids.pages[id >> PAGE_BITS])
        if page == 0:
            page = 1
            if state[POOL] <= SPARSE * (state[OBJECT] + FEW):
                state[POOL] = (state[POOL] + PAGE - 1) // PAGE * PAGE
                page = state[POOL] // PAGE + 2
                state[POOL] += PAGE
            ids.pages[id >> PAGE_BITS] = page
        if page > 1:
            return (page - 2) * PAGE + (id & (PAGE - 1))
    slot = slot_of(ids.hashed_ids, id)
    if ids.hashed_ids[slot] == NEVER:
        ids.hashed_ids[slot] = id
        ids.hashed_places[slot] = state[POOL]
        state[POOL] += 1
        state[HASHED] += 1
        note_hashed(buffers)
    return int64(ids.hashed_places[slot])


@part
def object_of(buffers: Any, id: int) -> Any:
    """Returns the object of an id; NONE if none is alive."""
    place = place_of(buffers, id)
    if place < 0:
        return NONE
    entity = int64(buffers.ids.entities[place]) - 1
    return entity if 0 <= entity < CLASS_ENTITY else NONE


@part
def note_defined(buffers: Any, kind: int, id: int, is_in_use: bool, offset: int) -> None:
    """Records that an id is defined."""
    if is_in_use:
        buffers.counts[counters.REDEFINED] += 1
        find(buffers, columns.REDEFINED, offset, id)
        return
    place = place_of(buffers, id)
    if place >= 0 and buffers.ids.ended_kinds[place] != 0:
        is_same = buffers.ids.ended_kinds[place] == kind + 1
        buffers.counts[counters.CAME_BACK_AS_SAME if is_same else counters.CAME_BACK_AS_OTHER] += 1
        buffers.ids.ended_kinds[place] = 0


@part
def note_ended(buffers: Any, kind: int, id: int) -> None:
    """Records that an id denotes nothing of that kind any more."""
    place = make_place(buffers, id)
    buffers.ids.ended_kinds[place] = kind + 1


@part
def define_object(buffers: Any, id: int, row: int, offset: int) -> None:
    """Makes an id denote an object from now on."""
    place = make_place(buffers, id)
    entity = int64(buffers.ids.entities[place]) - 1
    note_defined(buffers, AN_OBJECT, id, 0 <= entity < CLASS_ENTITY, offset)
    buffers.ids.entities[place] = row + 1


@part
def end_object(buffers: Any, id: int) -> Any:
    """Ends an object's id; returns the object, NONE if none was alive."""
    place = place_of(buffers, id)
    if place < 0:
        return NONE
    entity = int64(buffers.ids.entities[place]) - 1
    if not 0 <= entity < CLASS_ENTITY:
        return NONE
    buffers.ids.entities[place] = 0
    buffers.ids.ended_kinds[place] = AN_OBJECT + 1
    return entity


@part
def entity_of(buffers: Any, id: int, offset: int) -> Any:
    """Returns the thing (see `columns.OBJECT_ENTITY`) that an id denotes; NONE for no id, or 0, which means none."""
    found = object_of(buffers, id) if id != NEVER else NONE
    if found != NONE:
        return found
    if id != NEVER:
        row = row_in(buffers.ids.class_ids, buffers.ids.class_rows, id)
        if row >= 0 and buffers.classes[row].class_ended == 0 and buffers.classes[row].class_offset != uint64(NOWHERE):
            return CLASS_ENTITY | row
        row = row_in(buffers.ids.thread_ids, buffers.ids.thread_rows, id)
        if (
            row >= 0
            and buffers.threads[row].thread_ended == 0
            and buffers.threads[row].thread_offset != uint64(NOWHERE)
        ):
            return THREAD_ENTITY | row
    if id == NEVER or id == 0:
        return NONE
    place = make_place(buffers, id)
    entity = int64(buffers.ids.entities[place]) - 1
    if entity < 0:
        row = buffers.state[UNKNOWN]
        buffers.unknowns[row].unknown_id = id
        buffers.unknowns[row].unknown_offset = offset
        buffers.state[UNKNOWN] = row + 1
        entity = UNKNOWN_ENTITY | row
        buffers.ids.entities[place] = entity + 1
        find(buffers, columns.UNDEFINED_OBJECT, offset, id)
    buffers.counts[counters.UNDEFINED_OBJECTS] += 1
    return entity


# -- threads ----------------------------------------------------------------------------------------------------------


@part
def live_thread(buffers: Any, id: int) -> int:
    """Returns the row of a thread that has not ended; -1 if there is none."""
    row = row_in(buffers.ids.thread_ids, buffers.ids.thread_rows, id)
    return row if row >= 0 and buffers.threads[row].thread_ended == 0 else -1


@part
def add_thread(buffers: Any, id: int) -> Any:
    """Adds a row for a thread without a definition."""
    row = buffers.state[THREAD]
    buffers.threads[row].thread_id = id
    buffers.threads[row].thread_object = NEVER
    buffers.threads[row].thread_start = NEVER
    buffers.threads[row].thread_end = NEVER
    buffers.threads[row].thread_offset = uint64(NOWHERE)
    buffers.threads[row].thread_blocked = 0
    buffers.threads[row].thread_waited = 0
    buffers.threads[row].thread_slept = 0
    buffers.threads[row].thread_longest_block = 0
    buffers.threads[row].thread_overhead = 0
    buffers.threads[row].thread_name = NONE
    buffers.threads[row].thread_group = NONE
    buffers.threads[row].thread_parent = NONE
    buffers.threads[row].thread_blocks = 0
    buffers.threads[row].thread_waits = 0
    buffers.threads[row].thread_sleeps = 0
    buffers.threads[row].thread_calls = 0
    buffers.threads[row].thread_allocations = 0
    buffers.threads[row].thread_top = NONE
    buffers.threads[row].thread_height = 0
    buffers.threads[row].thread_moment = NEVER
    buffers.threads[row].thread_lock = NONE
    buffers.threads[row].thread_waiting = NONE
    buffers.threads[row].thread_ended = 0
    buffers.threads[row].thread_is_mixed = 0
    if id == NEVER:
        buffers.state[NO_THREAD] = row
    else:
        before = row_in(buffers.ids.thread_ids, buffers.ids.thread_rows, id)
        if before >= 0:
            buffers.threads[row].thread_moment = buffers.threads[before].thread_moment
        put_row(buffers.ids.thread_ids, buffers.ids.thread_rows, buffers.state, THREAD_IDS, id, row)
    buffers.state[THREAD] = row + 1
    return row


@part
def thread_of(buffers: Any, id: int, is_needed: bool, offset: int) -> Any:
    """Returns the row of the thread that an event names; NONE for no id, or 0 (none), unless a thread is required."""
    row = live_thread(buffers, id) if id != NEVER else -1
    if row < 0 and (id == NEVER or id == 0):
        if not is_needed:
            return NONE
        row = buffers.state[NO_THREAD]
        return add_thread(buffers, NEVER) if row < 0 else row
    if row < 0:
        row = add_thread(buffers, id)
        find(buffers, columns.UNDEFINED_THREAD, offset, id)
    if buffers.threads[row].thread_offset == uint64(NOWHERE):
        buffers.counts[counters.UNDEFINED_THREADS] += 1
    return row


@part
def owner_of(buffers: Any, id: int, offset: int) -> Any:
    """Returns the row of a thread that owns a lock; it may have ended just before."""
    if id != NEVER:
        row = row_in(buffers.ids.thread_ids, buffers.ids.thread_rows, id)
        if row >= 0 and buffers.threads[row].thread_ended != 0:
            return row
    return thread_of(buffers, id, False, offset)


@part
def define_thread(buffers: Any, id: int, offset: int) -> int:
    """Adds the row of a thread that starts."""
    row = live_thread(buffers, id)
    is_in_use = row >= 0 and buffers.threads[row].thread_offset != uint64(NOWHERE)
    if row < 0 or is_in_use:
        row = add_thread(buffers, id)
    buffers.threads[row].thread_offset = offset
    note_defined(buffers, A_THREAD, id, is_in_use, offset)
    return row


# -- classes ----------------------------------------------------------------------------------------------------------


@part
def live_class(buffers: Any, id: int) -> int:
    """Returns the row of a class that is not unloaded; -1 if there is none."""
    row = row_in(buffers.ids.class_ids, buffers.ids.class_rows, id)
    return row if row >= 0 and buffers.classes[row].class_ended == 0 else -1


@part
def add_class(buffers: Any, id: int) -> Any:
    """Adds a row for a class without a definition."""
    row = buffers.state[CLASS]
    buffers.classes[row].class_id = id
    buffers.classes[row].class_offset = uint64(NOWHERE)
    buffers.classes[row].class_time = NEVER
    buffers.classes[row].class_unloaded = NEVER
    buffers.classes[row].class_name = NONE
    buffers.classes[row].class_source = NONE
    buffers.classes[row].class_ended = 0
    buffers.classes[row].class_methods = NONE
    put_row(buffers.ids.class_ids, buffers.ids.class_rows, buffers.state, CLASS_IDS, id, row)
    buffers.state[CLASS] = row + 1
    return row


@part
def class_of(buffers: Any, id: int, offset: int) -> int:
    """Returns the row of the class that an event names; NONE for no id, or 0, which means none."""
    if id == NEVER:
        return NONE
    row = live_class(buffers, id)
    if row < 0:
        if id == 0:
            return NONE
        row = add_class(buffers, id)
        find(buffers, columns.UNDEFINED_CLASS, offset, id)
    if buffers.classes[row].class_offset == uint64(NOWHERE):
        buffers.counts[counters.UNDEFINED_CLASSES] += 1
    return row


@part
def define_class(buffers: Any, id: int, offset: int) -> int:
    """Adds the row of a class that is defined."""
    row = live_class(buffers, id)
    is_in_use = row >= 0 and buffers.classes[row].class_offset != uint64(NOWHERE)
    if row < 0 or is_in_use:
        row = add_class(buffers, id)
    buffers.classes[row].class_offset = offset
    note_defined(buffers, A_CLASS, id, is_in_use, offset)
    return row


# -- methods ----------------------------------------------------------------------------------------------------------


@part
def live_method(buffers: Any, id: int) -> Any:
    """Returns the row of a method whose class is not unloaded; -1 if there is none."""
    if id == NEVER:
        return buffers.state[NO_METHOD]
    row = row_in(buffers.ids.method_ids, buffers.ids.method_rows, id)
    return row if row >= 0 and buffers.methods[row].method_ended == 0 else -1


@part
def add_method(buffers: Any, id: int) -> Any:
    """Adds a row for a method without a definition."""
    row = buffers.state[METHOD]
    buffers.methods[row].method_id = id
    buffers.methods[row].method_offset = uint64(NOWHERE)
    buffers.methods[row].method_base = 0
    buffers.methods[row].method_cumulative = 0
    buffers.methods[row].method_overhead = 0
    buffers.methods[row].method_calls = 0
    buffers.methods[row].method_returned = 0
    buffers.methods[row].method_count = 0
    buffers.methods[row].method_class = NONE
    buffers.methods[row].method_name = NONE
    buffers.methods[row].method_signature = NONE
    buffers.methods[row].method_first_line = NONE
    buffers.methods[row].method_last_line = NONE
    buffers.methods[row].method_ended = 0
    buffers.methods[row].method_next = NONE
    if id == NEVER:
        buffers.state[NO_METHOD] = row
    else:
        put_row(buffers.ids.method_ids, buffers.ids.method_rows, buffers.state, METHOD_IDS, id, row)
        note_hashed(buffers)
    buffers.state[METHOD] = row + 1
    return row


@part
def method_of(buffers: Any, id: int, class_id: int, offset: int) -> Any:
    """Returns the row of the method that an event names; those without an id share a row."""
    row = live_method(buffers, id)
    if row < 0 and id == 0:
        id = int64(NEVER)
        row = live_method(buffers, id)
    if row < 0:
        row = add_method(buffers, id)
        if id != NEVER:
            find(buffers, columns.UNDEFINED_METHOD, offset, id)
        if class_id != NEVER:
            # Its class may be known.
            known = live_class(buffers, class_id)
            buffers.methods[row].method_class = NONE if known < 0 else known
    if id != NEVER and buffers.methods[row].method_offset == uint64(NOWHERE):
        buffers.counts[counters.UNDEFINED_METHODS] += 1
    return row


@part
def define_method(buffers: Any, id: int, class_row: int, offset: int) -> Any:
    """Returns the row of a method that is defined. class_row: NONE if unknown"""
    row = live_method(buffers, id)
    is_in_use = row >= 0 and buffers.methods[row].method_offset != uint64(NOWHERE)
    if row < 0 or is_in_use:
        row = add_method(buffers, id)
    buffers.methods[row].method_offset = offset
    note_defined(buffers, A_METHOD, id, is_in_use, offset)
    buffers.methods[row].method_class = class_row
    if class_row != NONE:
        buffers.methods[row].method_next = buffers.classes[class_row].class_methods
        buffers.classes[class_row].class_methods = row
    return row


@part
def end_class(buffers: Any, id: int, time: int) -> None:
    """Unloads a class and its methods."""
    row = live_class(buffers, id)
    if row < 0 or buffers.classes[row].class_offset == uint64(NOWHERE):
        return
    buffers.classes[row].class_unloaded = time
    buffers.classes[row].class_ended = 1
    note_ended(buffers, A_CLASS, id)
    method = int64(buffers.classes[row].class_methods)
    while method != NONE:
        of_method = buffers.methods[method].method_id
        if live_method(buffers, of_method) == method:
            buffers.methods[method].method_ended = 1
            note_ended(buffers, A_METHOD, of_method)
        method = int64(buffers.methods[method].method_next)


@kernel
def rehash_ids(ids: I64Array, rows: U32Array, larger_ids: I64Array, larger_rows: U32Array) -> None:
    """Fills a larger, empty hash table of ids."""
    for slot in range(len(ids)):
        if ids[slot] != NEVER:
            other = slot_of(larger_ids, ids[slot])
            larger_ids[other] = ids[slot]
            larger_rows[other] = rows[slot]
