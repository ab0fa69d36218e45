"""Lookup of ids at a moment, by plain code: one space of ids in which values are reused (XML4Profiling)."""

from __future__ import annotations

from parsers.formats.tptp.join.tables import TraceTables
from parsers.formats.tptp.schema.batch import TraceEvent
from parsers.formats.tptp.schema.columns import (
    CLASS_ENTITY,
    ENTITY_BITS,
    NEVER,
    NOWHERE,
    OBJECT_ENTITY,
    THREAD_ENTITY,
    UNKNOWN_ENTITY,
)
from parsers.formats.tptp.schema.counters import CLASS, METHOD, OBJECT, THREAD, FindingKind, SessionCounter
from parsers.formats.tptp.schema.vocabulary import CLASS as CLASS_ID
from parsers.formats.tptp.schema.vocabulary import (
    CLASS_NAME,
    CLASS_SOURCE,
    FIRST_LINE,
    LAST_LINE,
    METHOD_NAME,
    METHOD_SIGNATURE,
    THREAD_GROUP,
    THREAD_NAME,
    THREAD_PARENT,
    TIME,
)
from parsers.formats.tptp.schema.vocabulary import METHOD as METHOD_ID
from parsers.formats.tptp.schema.vocabulary import OBJECT as OBJECT_ID
from parsers.formats.tptp.schema.vocabulary import THREAD as THREAD_ID
from parsers.model.none import NONE

UNDEFINED_ROWS = {
    THREAD: ("thread", (NEVER, NEVER, NEVER, NOWHERE, *[0] * 5, NONE, NONE, NONE, *[0] * 5)),
    CLASS: ("class", (NOWHERE, NEVER, NEVER, NONE, NONE)),
    METHOD: ("method", (NOWHERE, *[0] * 6, NONE, NONE, NONE, NONE, NONE)),
}
"""Values after the id in the row of an undefined element, by kind."""
FINDINGS = {
    THREAD: FindingKind.UNDEFINED_THREAD,
    CLASS: FindingKind.UNDEFINED_CLASS,
    METHOD: FindingKind.UNDEFINED_METHOD,
    OBJECT: FindingKind.UNDEFINED_OBJECT,
}


class SessionIds:
    """The ids of a session, and the threads, classes and methods that they denote."""

    def __init__(self, tables: TraceTables, counts: list[int]) -> None:
        self._tables = tables
        self._counts = counts
        self._live: tuple[dict[int, int], ...] = ({}, {}, {})
        """Rows of ids in use, by kind (threads, classes, methods)."""
        self._entities: dict[int, int] = {}
        """Live objects, and ids that were never defined."""
        self._threads: dict[int, int] = {}
        """The last row of each thread id."""
        self._ended: dict[int, int] = {}
        """Last meaning of ids that are not in use any more."""

    # -- rows of ids --------------------------------------------------------------------------------------------------

    def _is_undefined(self, kind: int, row: int) -> bool:
        """True if a row is a placeholder for an id without a definition."""
        table, _ = UNDEFINED_ROWS[kind]
        return self._tables.columns[f"{table}_offset"][row] == NOWHERE

    def row(self, kind: int, id: int, offset: int) -> int:
        """Returns the row that an id refers to, adding it if it is new; NONE for no id, or 0, which means none."""
        found = self._live[kind].get(id)
        if id == NEVER or (id == 0 and found is None):
            return NONE
        return self._any_row(kind, id, offset)

    def _any_row(self, kind: int, id: int, offset: int) -> int:
        """Returns the row of an id, adding it if it is new; all references without an id share a row."""
        found = self._live[kind].get(id)
        if id == 0 and found is None:
            id = NEVER
            found = self._live[kind].get(id)
        if found is None:
            table, values = UNDEFINED_ROWS[kind]
            self._live[kind][id] = found = self._tables.add(table, id, *values)
            if id != NEVER:
                self._tables.find(FINDINGS[kind], offset, id)
        if id != NEVER and self._is_undefined(kind, found):
            self._counts[SessionCounter.UNDEFINED_THREAD + kind] += 1
        return found

    def thread_of(self, event: TraceEvent, thread: int) -> int:
        """Returns the thread of an event that must have one."""
        return self._any_row(THREAD, NEVER, event.offset) if thread == NONE else thread

    def method_of(self, event: TraceEvent) -> int:
        """Returns the method that an event names."""
        known = self._tables.length("method")
        row = self._any_row(METHOD, event.numbers[METHOD_ID], event.offset)
        if row == known:
            # Its class may be known.
            self._tables.set("method_class", row, self._live[CLASS].get(event.numbers[CLASS_ID], NONE))
        return row

    def owner(self, id: int, offset: int) -> int:
        """Returns the row of a thread that owns a lock; it may have ended just before."""
        if id not in self._live[THREAD] and id in self._threads:
            return self._threads[id]
        return self.row(THREAD, id, offset)

    # -- definitions --------------------------------------------------------------------------------------------------

    def _define(self, kind: int, id: int, offset: int) -> int:
        """Returns the row of an element being defined: a new one, or that of an id that was used before."""
        table, values = UNDEFINED_ROWS[kind]
        row = self._live[kind].get(id)
        is_in_use = row is not None and not self._is_undefined(kind, row)
        if row is None or is_in_use:
            row = self._tables.add(table, id, *values)
        self._tables.set(f"{table}_offset", row, offset)
        self._note(kind, id, is_in_use, offset)
        self._live[kind][id] = row
        if kind == THREAD:
            self._threads[id] = row
        return row

    def start_thread(self, event: TraceEvent) -> int:
        """Handles threadStart; returns the thread, NONE if it has no id."""
        numbers, tables = event.numbers, self._tables
        if numbers[THREAD_ID] == NEVER:
            return NONE
        row = self._define(THREAD, numbers[THREAD_ID], event.offset)
        tables.set("thread_start", row, numbers[TIME])
        tables.set("thread_object", row, numbers[OBJECT_ID])
        tables.set("thread_name", row, event.word(THREAD_NAME))
        tables.set("thread_group", row, event.word(THREAD_GROUP))
        tables.set("thread_parent", row, event.word(THREAD_PARENT))
        return row

    def define_class(self, event: TraceEvent, thread: int) -> None:
        """Handles classDef."""
        if event.numbers[CLASS_ID] == NEVER:
            return
        row = self._define(CLASS, event.numbers[CLASS_ID], event.offset)
        self._tables.set("class_time", row, event.time)
        self._tables.set("class_name", row, event.word(CLASS_NAME))
        self._tables.set("class_source", row, event.word(CLASS_SOURCE))

    def end_class(self, event: TraceEvent, thread: int) -> None:
        """Handles classUnload, which also ends the methods of the class."""
        class_row = self.end(CLASS, event.numbers[CLASS_ID])
        if class_row == NONE:
            return
        self._tables.set("class_unloaded", class_row, event.time)
        classes = self._tables.columns["method_class"]
        for id, row in list(self._live[METHOD].items()):
            if classes[row] == class_row:
                self.end(METHOD, id)

    def define_method(self, event: TraceEvent, thread: int) -> None:
        """Handles methodDef."""
        numbers, tables = event.numbers, self._tables
        if numbers[METHOD_ID] == NEVER:
            return
        class_row = self.row(CLASS, numbers[CLASS_ID], event.offset)
        row = self._define(METHOD, numbers[METHOD_ID], event.offset)
        tables.set("method_class", row, class_row)
        tables.set("method_name", row, event.word(METHOD_NAME))
        tables.set("method_signature", row, event.word(METHOD_SIGNATURE))
        for column, line in (("method_first_line", numbers[FIRST_LINE]), ("method_last_line", numbers[LAST_LINE])):
            tables.set(column, row, NONE if line < 0 else line)

    def define_object(self, id: int, row: int, offset: int) -> None:
        """Makes an id denote an object from now on."""
        self._note(OBJECT, id, self.object(id) != NONE, offset)
        self._entities[id] = OBJECT_ENTITY | row

    def _note(self, kind: int, id: int, is_in_use: bool, offset: int) -> None:
        if is_in_use:
            self._counts[SessionCounter.REDEFINED] += 1
            self._tables.find(FindingKind.REDEFINED_ID, offset, id)
        elif id in self._ended:
            is_same = self._ended.pop(id) == kind
            self._counts[SessionCounter.CAME_BACK_AS_SAME if is_same else SessionCounter.CAME_BACK_AS_OTHER] += 1

    def end(self, kind: int, id: int) -> int:
        """Ends an id; returns its row, NONE if it wasn't defined."""
        if kind == OBJECT:
            row = self.object(id)
            if row != NONE:
                del self._entities[id]
        else:
            row = self._live[kind].get(id, NONE)
            if row == NONE or self._is_undefined(kind, row):
                return NONE
            del self._live[kind][id]
        if row != NONE:
            self._ended[id] = kind
        return row

    # -- entities -----------------------------------------------------------------------------------------------------

    def object(self, id: int) -> int:
        """Returns the object of an id; NONE if none is alive."""
        entity = self._entities.get(id, NONE)
        return entity if entity < CLASS_ENTITY else NONE

    def entity(self, id: int, offset: int) -> int:
        """Returns the entity of an id (see `columns.OBJECT_ENTITY`); NONE for no id, and for 0, which means none."""
        row = self.object(id)
        if row != NONE:
            return OBJECT_ENTITY | row
        for kind, bits in ((CLASS, CLASS_ENTITY), (THREAD, THREAD_ENTITY)):
            live = self._live[kind].get(id)
            if live is not None and not self._is_undefined(kind, live):
                return bits | live
        if id in (NEVER, 0):
            return NONE
        if id not in self._entities:
            self._entities[id] = UNKNOWN_ENTITY | self._tables.add("unknown", id, offset)
            self._tables.find(FindingKind.UNDEFINED_OBJECT, offset, id)
        self._counts[SessionCounter.UNDEFINED_OBJECT] += 1
        return self._entities[id]


def row_of(entity: int) -> int:
    """Returns the row of an entity in its table."""
    return entity & (1 << ENTITY_BITS) - 1
