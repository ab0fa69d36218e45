"""Lookup of ids at a moment, for kernels. Twin: `join.plain.ids`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from parsers.formats.tptp.join.buffers import FEW, PAGE, PAGE_BITS, PAGED, SPARSE, blank_row
from parsers.formats.tptp.schema.columns import (
    CLASS_ENTITY,
    KEPT_FINDINGS,
    NEVER,
    NOWHERE,
    THREAD_ENTITY,
    UNKNOWN_ENTITY,
)
from parsers.formats.tptp.schema.counters import CLASS as A_CLASS
from parsers.formats.tptp.schema.counters import METHOD as A_METHOD
from parsers.formats.tptp.schema.counters import OBJECT as AN_OBJECT
from parsers.formats.tptp.schema.counters import FindingKind, SessionCounter
from parsers.kernels.decorators import apart, int64, part, uint64
from parsers.kernels.id_table import number_in, put_number
from parsers.model.none import NONE

if TYPE_CHECKING:
    from parsers.formats.tptp.join.buffers import TraceBuffers
    from parsers.kernels.id_table import IdTable
    from parsers.model.arrays import AnyArray, I64Array

MOST_63 = (1 << 63) - 1
NEW_THREAD = blank_row(
    "thread", object=NEVER, start=NEVER, end=NEVER, offset=NOWHERE, name=NONE, group=NONE, parent=NONE, top=NONE,
    moment=NEVER, lock=NONE, waiting=NONE,
)  # fmt: skip
NEW_CLASS = blank_row(
    "class", offset=NOWHERE, time=NEVER, unloaded=NEVER, name=NONE, source=NONE, methods=NONE
)  # fmt: skip
NEW_METHOD = blank_row(
    "method", offset=NOWHERE, class_row=NONE, name=NONE, signature=NONE, first_line=NONE, last_line=NONE, next=NONE
)  # fmt: skip
"""Rows without a definition."""


@apart
def keep(found: I64Array, state: Any, findings: AnyArray, kind: int, offset: int, value: int) -> None:
    """Counts a finding, and stores it if it is one of the first of its kind."""
    found[kind] += 1
    if found[kind] <= KEPT_FINDINGS:
        row = state.findings
        findings[row].offset = offset
        findings[row].value = value
        findings[row].kind = kind
        state.findings = row + 1


@part
def find(buffers: TraceBuffers, kind: int, offset: int, value: int) -> None:
    """Records a finding."""
    keep(buffers.found, buffers.state[0], buffers.findings, int64(kind), int64(offset), int64(value))


@part
def clipped(value: int) -> int:
    """Returns the nearest number of 32 bits."""
    return min(max(value, 0), NONE)


@part
def minus(first: int, second: int) -> int:
    """Returns a difference, saturated at the largest or smallest 64-bit number."""
    # Unsigned, since the compiler may assume that signed numbers never overflow.
    found = int64(uint64(first) - uint64(second))
    if (first ^ second) & (first ^ found) < 0:
        return int64(NEVER) if first < 0 else int64(MOST_63)
    return found


@part
def plus(first: int, second: int) -> int:
    """Returns a sum, saturated at the largest or smallest 64-bit number."""
    found = int64(uint64(first) + uint64(second))
    if (first ^ found) & (second ^ found) < 0:
        return int64(NEVER) if first < 0 else int64(MOST_63)
    return found


@apart
def row_in(table: IdTable, id: int) -> int:
    """Returns the row of an id in a hash table; -1 if there is none."""
    row: int = number_in(table, id)
    return row


@part
def note_used(state: Any, used: int, slots: int) -> None:
    """Notes that a hash table must be enlarged if half of its slots are used."""
    if 2 * used >= slots:
        state.is_full = 1


@apart
def put_row(table: IdTable, state: Any, id: int, row: int) -> None:
    """Sets the row of an id."""
    put_number(table, id, row)
    note_used(state, table.used[0], len(table.ids))


# -- entities ---------------------------------------------------------------------------------------------------------


@part
def place_of(buffers: TraceBuffers, id: int) -> int:
    """Returns the index of an id in `entities`; -1 if it is absent."""
    ids = buffers.ids
    if 0 <= id < PAGED:
        page = int64(ids.pages[id >> PAGE_BITS])
        if page > 1:
            return (page - 2) * PAGE + (id & (PAGE - 1))
        if page == 0:
            return -1
    return row_in(ids.hashed, id)


@part
def note_hashed(buffers: TraceBuffers) -> None:
    """Notes if the ids that are not in pages need a larger table. The end of a class may add all ids of its methods."""
    ids = buffers.ids
    note_used(buffers.state[0], ids.hashed.used[0] + ids.methods.used[0], len(ids.hashed.ids))


@part
def make_place(buffers: TraceBuffers, id: int) -> int:
    """Returns the index of an id in `entities`; adds the id if it is new."""
    ids, state = buffers.ids, buffers.state[0]
    if 0 <= id < PAGED:
        page = int64(ids.pages[id >> PAGE_BITS])
        if page == 0:
            page = 1
            if state.pool <= SPARSE * (state.objects + FEW):
                state.pool = (state.pool + PAGE - 1) // PAGE * PAGE
                page = state.pool // PAGE + 2
                state.pool += PAGE
            ids.pages[id >> PAGE_BITS] = page
        if page > 1:
            return (page - 2) * PAGE + (id & (PAGE - 1))
    place = row_in(ids.hashed, id)
    if place < 0:
        place = state.pool
        put_row(ids.hashed, state, id, place)
        state.pool += 1
        note_hashed(buffers)
    return place


@part
def object_of(buffers: TraceBuffers, id: int) -> int:
    """Returns the object of an id; NONE if none is alive."""
    place = place_of(buffers, id)
    if place < 0:
        return NONE
    entity = int64(buffers.ids.entities[place]) - 1
    return entity if 0 <= entity < CLASS_ENTITY else NONE


@part
def note_defined(buffers: TraceBuffers, kind: int, id: int, is_in_use: bool, offset: int) -> None:
    """Records that an id is defined."""
    if is_in_use:
        buffers.counts[SessionCounter.REDEFINED] += 1
        find(buffers, FindingKind.REDEFINED_ID, offset, id)
        return
    place = place_of(buffers, id)
    if place >= 0 and buffers.ids.ended_kinds[place] != 0:
        is_same = buffers.ids.ended_kinds[place] == kind + 1
        buffers.counts[SessionCounter.CAME_BACK_AS_SAME if is_same else SessionCounter.CAME_BACK_AS_OTHER] += 1
        buffers.ids.ended_kinds[place] = 0


@part
def note_ended(buffers: TraceBuffers, kind: int, id: int) -> None:
    """Records that an id denotes nothing of that kind any more."""
    place = make_place(buffers, id)
    buffers.ids.ended_kinds[place] = kind + 1


@part
def define_object(buffers: TraceBuffers, id: int, row: int, offset: int) -> None:
    """Makes an id denote an object from now on."""
    place = make_place(buffers, id)
    entity = int64(buffers.ids.entities[place]) - 1
    note_defined(buffers, AN_OBJECT, id, 0 <= entity < CLASS_ENTITY, offset)
    buffers.ids.entities[place] = row + 1


@part
def end_object(buffers: TraceBuffers, id: int) -> int:
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
def live(table: IdTable, rows: AnyArray, id: int) -> int:
    """Returns the row of a thread, class or method that has not ended; -1 if there is none."""
    row = row_in(table, id)
    return row if row >= 0 and rows[row].ended == 0 else -1


@part
def is_defined(rows: AnyArray, row: int) -> bool:
    """True if the thread, class or method of a row has a definition."""
    return bool(rows[row].offset != uint64(NOWHERE))


@part
def entity_of(buffers: TraceBuffers, id: int, offset: int) -> int:
    """Returns the entity (see `columns.OBJECT_ENTITY`) that an id denotes; NONE for no id, or 0, which means none."""
    found = object_of(buffers, id) if id != NEVER else NONE
    if found != NONE:
        return found
    if id != NEVER:
        row = live(buffers.ids.classes, buffers.classes, id)
        if row >= 0 and is_defined(buffers.classes, row):
            return CLASS_ENTITY | row
        row = live(buffers.ids.threads, buffers.threads, id)
        if row >= 0 and is_defined(buffers.threads, row):
            return THREAD_ENTITY | row
    if id == NEVER or id == 0:
        return NONE
    place = make_place(buffers, id)
    entity = int64(buffers.ids.entities[place]) - 1
    if entity < 0:
        row = buffers.state[0].unknowns
        buffers.unknowns[row].id = id
        buffers.unknowns[row].offset = offset
        buffers.state[0].unknowns = row + 1
        entity = UNKNOWN_ENTITY | row
        buffers.ids.entities[place] = entity + 1
        find(buffers, FindingKind.UNDEFINED_OBJECT, offset, id)
    buffers.counts[SessionCounter.UNDEFINED_OBJECT] += 1
    return entity


# -- threads, classes, methods ----------------------------------------------------------------------------------------


@part
def put_blank(rows: AnyArray, row: int, blank: AnyArray, table: IdTable, state: Any, id: int) -> None:
    """Sets a new row without a definition."""
    rows[row] = blank[0]
    rows[row].id = id
    if id != NEVER:
        put_row(table, state, id, row)


@part
def define(buffers: TraceBuffers, kind: int, table: IdTable, rows: AnyArray, id: int, offset: int, add: Any) -> int:
    """Returns the row of an element that is defined: a new one, or that of an id that was used before.

    add  adds a row of this kind
    """
    row = live(table, rows, id)
    is_in_use = row >= 0 and is_defined(rows, row)
    if row < 0 or is_in_use:
        row = add(buffers, id)
    rows[row].offset = offset
    note_defined(buffers, kind, id, is_in_use, offset)
    return row


@part
def add_thread(buffers: TraceBuffers, id: int) -> int:
    """Adds a row for a thread without a definition."""
    threads, state = buffers.threads, buffers.state[0]
    before = row_in(buffers.ids.threads, id) if id != NEVER else -1
    row: int = state.threads
    put_blank(threads, row, NEW_THREAD, buffers.ids.threads, state, id)
    state.threads = row + 1
    if id == NEVER:
        state.no_thread = row
    elif before >= 0:
        threads[row].moment = threads[before].moment
    return row


@part
def thread_of(buffers: TraceBuffers, id: int, is_needed: bool, offset: int) -> int:
    """Returns the row of the thread that an event names; NONE for no id, or 0 (none), unless a thread is required."""
    row = live(buffers.ids.threads, buffers.threads, id) if id != NEVER else -1
    if row < 0 and (id == NEVER or id == 0):
        if not is_needed:
            return NONE
        row = buffers.state[0].no_thread
        return add_thread(buffers, NEVER) if row < 0 else row
    if row < 0:
        row = add_thread(buffers, id)
        find(buffers, FindingKind.UNDEFINED_THREAD, offset, id)
    if not is_defined(buffers.threads, row):
        buffers.counts[SessionCounter.UNDEFINED_THREAD] += 1
    return row


@part
def owner_of(buffers: TraceBuffers, id: int, offset: int) -> int:
    """Returns the row of a thread that owns a lock; it may have ended just before."""
    if id != NEVER:
        row = row_in(buffers.ids.threads, id)
        if row >= 0 and buffers.threads[row].ended != 0:
            return row
    return thread_of(buffers, id, False, offset)


@part
def add_class(buffers: TraceBuffers, id: int) -> int:
    """Adds a row for a class without a definition."""
    state = buffers.state[0]
    row: int = state.classes
    put_blank(buffers.classes, row, NEW_CLASS, buffers.ids.classes, state, id)
    state.classes = row + 1
    return row


@part
def class_of(buffers: TraceBuffers, id: int, offset: int) -> int:
    """Returns the row of the class that an event names; NONE for no id, or 0, which means none."""
    if id == NEVER:
        return NONE
    row = live(buffers.ids.classes, buffers.classes, id)
    if row < 0:
        if id == 0:
            return NONE
        row = add_class(buffers, id)
        find(buffers, FindingKind.UNDEFINED_CLASS, offset, id)
    if not is_defined(buffers.classes, row):
        buffers.counts[SessionCounter.UNDEFINED_CLASS] += 1
    return row


@part
def add_method(buffers: TraceBuffers, id: int) -> int:
    """Adds a row for a method without a definition."""
    state = buffers.state[0]
    row: int = state.methods
    put_blank(buffers.methods, row, NEW_METHOD, buffers.ids.methods, state, id)
    state.methods = row + 1
    if id == NEVER:
        state.no_method = row
    else:
        note_hashed(buffers)
    return row


@part
def method_of(buffers: TraceBuffers, id: int, class_id: int, offset: int) -> int:
    """Returns the row of the method that an event names; those without an id share a row."""
    row = live(buffers.ids.methods, buffers.methods, id) if id != NEVER else -1
    if row < 0 and (id == NEVER or id == 0):
        id = int64(NEVER)
        row = buffers.state[0].no_method
    if row < 0:
        row = add_method(buffers, id)
        if id != NEVER:
            find(buffers, FindingKind.UNDEFINED_METHOD, offset, id)
        if class_id != NEVER:
            # Its class may be known.
            known = live(buffers.ids.classes, buffers.classes, class_id)
            buffers.methods[row].class_row = NONE if known < 0 else known
    if id != NEVER and not is_defined(buffers.methods, row):
        buffers.counts[SessionCounter.UNDEFINED_METHOD] += 1
    return row


@part
def define_method(buffers: TraceBuffers, id: int, class_row: int, offset: int) -> int:
    """Returns the row of a method that is defined. class_row: NONE if unknown"""
    methods = buffers.methods
    row = define(buffers, A_METHOD, buffers.ids.methods, methods, id, offset, add_method)
    methods[row].class_row = class_row
    if class_row != NONE:
        methods[row].next = buffers.classes[class_row].methods
        buffers.classes[class_row].methods = row
    return row


@part
def end_class(buffers: TraceBuffers, id: int, time: int) -> None:
    """Unloads a class and its methods."""
    classes, methods = buffers.classes, buffers.methods
    row = live(buffers.ids.classes, classes, id)
    if row < 0 or not is_defined(classes, row):
        return
    classes[row].unloaded = time
    classes[row].ended = 1
    note_ended(buffers, A_CLASS, id)
    method = int64(classes[row].methods)
    while method != NONE:
        of_method = methods[method].id
        if live(buffers.ids.methods, methods, of_method) == method:
            methods[method].ended = 1
            note_ended(buffers, A_METHOD, of_method)
        method = int64(methods[method].next)
