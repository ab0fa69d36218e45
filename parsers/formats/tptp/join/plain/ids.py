"""Lookup of ids at a moment, by plain code: one space of ids in which values are reused (format page, 5)."""

from __future__ import annotations

from parsers.formats.tptp.join.tables import TraceTables
from parsers.formats.tptp.schema import columns
from parsers.formats.tptp.schema.columns import (
    CLASS_ENTITY,
    ENTITY_BITS,
    NEVER,
    NONE,
    NOWHERE,
    OBJECT_ENTITY,
    THREAD_ENTITY,
    UNKNOWN_ENTITY,
)
from parsers.formats.tptp.schema.counters import CLASS, METHOD, OBJECT, THREAD, SessionCounter

UNDEFINED_ROWS = {
    THREAD: ("thread", (NEVER, NEVER, NEVER, NOWHERE, *[0] * 5, NONE, NONE, NONE, *[0] * 5)),
    CLASS: ("class", (NOWHERE, NEVER, NEVER, NONE, NONE)),
    METHOD: ("method", (NOWHERE, *[0] * 6, NONE, NONE, NONE, NONE, NONE)),
}
"""Values after the id in the row of an undefined element, by kind."""
FINDINGS = {
    THREAD: columns.UNDEFINED_THREAD,
    CLASS: columns.UNDEFINED_CLASS,
    METHOD: columns.UNDEFINED_METHOD,
    OBJECT: columns.UNDEFINED_OBJECT,
}


class SessionIds:
    """The ids of a session."""

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

    def is_undefined(self, kind: int, row: int) -> bool:
        """True if a row is a placeholder for an id without a definition."""
        table, _ = UNDEFINED_ROWS[kind]
        return self._tables.columns[f"{table}_offset"][row] == NOWHERE

    def known(self, kind: int, id: int) -> int:
        """Returns the row of an id; NONE if it has none."""
        return self._live[kind].get(id, NONE)

    def owner(self, id: int, offset: int) -> int:
        """Returns the row of a thread that owns a lock; it may have ended just before."""
        if id not in self._live[THREAD] and id in self._threads:
            return self._threads[id]
        return self.row(THREAD, id, offset)

    def row(self, kind: int, id: int, offset: int) -> int:
        """Returns the row that an id refers to, adding it if it is new; NONE for no id, or 0, which means none."""
        found = self._live[kind].get(id)
        if id == NEVER or (id == 0 and found is None):
            return NONE
        return self.any_row(kind, id, offset)

    def any_row(self, kind: int, id: int, offset: int) -> int:
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
        if id != NEVER and self.is_undefined(kind, found):
            self._counts[SessionCounter.UNDEFINED_THREAD + kind] += 1
        return found

    def undefined_row(self, kind: int, id: int) -> int | None:
        """Returns the row of an id that was used before its definition; None if there is none."""
        found = self._live[kind].get(id)
        return found if found is not None and self.is_undefined(kind, found) else None

    def define(self, kind: int, id: int, row: int, offset: int) -> None:
        """Makes an id denote a row from now on."""
        before = self._live[kind].get(id)
        is_in_use = before is not None and before != row
        self._note(kind, id, is_in_use, offset)
        self._live[kind][id] = row
        if kind == THREAD:
            self._threads[id] = row

    def define_object(self, id: int, row: int, offset: int) -> None:
        """Makes an id denote an object from now on."""
        self._note(OBJECT, id, self.object(id) != NONE, offset)
        self._entities[id] = OBJECT_ENTITY | row

    def _note(self, kind: int, id: int, is_in_use: bool, offset: int) -> None:
        if is_in_use:
            self._counts[SessionCounter.REDEFINED] += 1
            self._tables.find(columns.REDEFINED, offset, id)
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
            if row == NONE or self.is_undefined(kind, row):
                return NONE
            del self._live[kind][id]
        if row != NONE:
            self._ended[id] = kind
        return row

    def end_methods(self, class_row: int) -> None:
        """Ends the methods of a class that ends."""
        classes = self._tables.columns["method_class"]
        for id, row in list(self._live[METHOD].items()):
            if classes[row] == class_row:
                self.end(METHOD, id)

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
            if live is not None and not self.is_undefined(kind, live):
                return bits | live
        if id in (NEVER, 0):
            return NONE
        if id not in self._entities:
            self._entities[id] = UNKNOWN_ENTITY | self._tables.add("unknown", id, offset)
            self._tables.find(columns.UNDEFINED_OBJECT, offset, id)
        self._counts[SessionCounter.UNDEFINED_OBJECT] += 1
        return self._entities[id]


def row_of(entity: int) -> int:
    """Returns the row of an entity in its table."""
    return entity & (1 << ENTITY_BITS) - 1
