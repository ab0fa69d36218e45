"""Objects, collections and heap dumps by plain code."""

from __future__ import annotations

from parsers.formats.tptp.join.plain.calls import SessionCalls
from parsers.formats.tptp.join.plain.ids import SessionIds
from parsers.formats.tptp.join.tables import TraceTables
from parsers.formats.tptp.schema.batch import TraceEvent
from parsers.formats.tptp.schema.columns import IS_ARRAY, IS_DEFINED_ONLY, IS_RECORDED_ARRAY, NEVER, NOWHERE
from parsers.formats.tptp.schema.counters import CLASS, OBJECT, FindingKind, SessionCounter
from parsers.formats.tptp.schema.vocabulary import CLASS as CLASS_ID
from parsers.formats.tptp.schema.vocabulary import (
    DUMP,
    DUMP_NAME,
    ROOT_TYPE,
    SIZE,
    TARGET,
    TOTAL_BYTES,
    USED_BYTES,
    USED_OBJECTS,
)
from parsers.formats.tptp.schema.vocabulary import IS_ARRAY as IS_ARRAY_SLOT
from parsers.formats.tptp.schema.vocabulary import OBJECT as OBJECT_ID
from parsers.model.none import NONE


class SessionHeap:
    """The objects of a session."""

    def __init__(
        self, tables: TraceTables, counts: list[int], ids: SessionIds, calls: SessionCalls,
        dump_of: tuple[list[int], list[int]],
    ) -> None:  # fmt: skip
        """dump_of: rows of dumps, by edge and by root"""
        self._tables = tables
        self._counts = counts
        self._ids = ids
        self._calls = calls
        self._edge_dump, self._root_dump = dump_of
        self._live = 0
        self._live_bytes = 0
        self._finished = 0
        """Number of collections so far."""
        self._collection = NONE
        """Row of the last collection."""
        self._is_collecting = False
        self._dumps: dict[int, int] = {}
        self._dump = NONE

    # -- objects ------------------------------------------------------------------------------------------------------

    def allocate(self, event: TraceEvent, thread: int) -> None:
        """Handles objAlloc."""
        if event.numbers[OBJECT_ID] == NEVER:
            return
        class_row, call = self._class_of(event), NONE if thread == NONE else self._calls.top(thread)
        row = self._add(event, event.time, class_row, thread, call, 0)
        self._live += 1
        self._live_bytes += self._tables.columns["object_size"][row]
        if thread != NONE:
            self._tables.plus("thread_allocations", thread, 1)

    def define(self, event: TraceEvent, thread: int) -> None:
        """Handles objDef."""
        if event.numbers[OBJECT_ID] == NEVER:
            return
        class_row = self._class_of(event)
        if self._ids.object(event.numbers[OBJECT_ID]) == NONE:
            self._add(event, NEVER, class_row, NONE, NONE, IS_DEFINED_ONLY)

    def _class_of(self, event: TraceEvent) -> int:
        return self._ids.row(CLASS, event.numbers[CLASS_ID], event.offset)

    def _add(self, event: TraceEvent, time: int, class_row: int, thread: int, call: int, flags: int) -> int:
        """Adds an object; returns its row."""
        numbers = event.numbers
        if numbers[IS_ARRAY_SLOT] != NEVER:
            flags |= IS_RECORDED_ARRAY | (IS_ARRAY if numbers[IS_ARRAY_SLOT] else 0)
        row = self._tables.add(
            "object", numbers[OBJECT_ID], event.offset, time, NEVER, max(numbers[SIZE], 0), class_row, thread, call,
            self._finished, NONE, NONE, flags,
        )  # fmt: skip
        self._ids.define_object(numbers[OBJECT_ID], row, event.offset)
        return row

    def free(self, event: TraceEvent, thread: int) -> None:
        """Handles objFree."""
        tables, id = self._tables, event.numbers[OBJECT_ID]
        if id == NEVER:
            return
        row = self._ids.end(OBJECT, id)
        size = 0
        if row == NONE:
            self._counts[SessionCounter.FREES_OF_UNKNOWN] += 1
            tables.find(FindingKind.FREE_OF_AN_UNKNOWN_OBJECT, event.offset, id)
        else:
            tables.set("object_freed", row, event.time)
            tables.set("object_freed_collection", row, self._finished)
            tables.set("object_freed_dump", row, tables.length("dump"))
            size = tables.columns["object_size"][row]
            if not tables.columns["object_flags"][row] & IS_DEFINED_ONLY:
                self._live -= 1
                self._live_bytes -= size
        if self._is_collecting:
            tables.plus("collection_frees", self._collection, 1)
            tables.plus("collection_freed_bytes", self._collection, size)
        else:
            self._counts[SessionCounter.FREES_OUTSIDE] += 1
            if self._collection != NONE:
                tables.plus("collection_late_frees", self._collection, 1)

    def move(self, event: TraceEvent, thread: int) -> None:
        """Handles objMove."""
        target = event.numbers[TARGET]
        row = NONE if target == NEVER else self._ids.end(OBJECT, event.numbers[OBJECT_ID])
        if row != NONE:
            self._tables.add("move", row, target, event.time, event.offset)
            self._ids.define_object(target, row, event.offset)

    # -- collections --------------------------------------------------------------------------------------------------

    def start(self, event: TraceEvent, thread: int) -> None:
        """Handles gcStart."""
        self._begin_collection(event.time, event.offset)
        self._is_collecting = True

    def _begin_collection(self, start: int, offset: int) -> None:
        self._collection = self._tables.add("collection", start, NEVER, offset, *[NEVER] * 3, *[0] * 5)

    def finish(self, event: TraceEvent, thread: int) -> None:
        """Handles gcFinish."""
        tables, numbers = self._tables, event.numbers
        if not self._is_collecting:
            self._begin_collection(NEVER, event.offset)
        self._is_collecting = False
        self._finished += 1
        tables.set("collection_finish", self._collection, event.time)
        tables.set("collection_used_objects", self._collection, numbers[USED_OBJECTS])
        tables.set("collection_used_bytes", self._collection, numbers[USED_BYTES])
        tables.set("collection_total_bytes", self._collection, numbers[TOTAL_BYTES])
        tables.set("collection_live", self._collection, self._live)
        tables.set("collection_live_bytes", self._collection, self._live_bytes)

    # -- dumps --------------------------------------------------------------------------------------------------------

    def begin_dump(self, event: TraceEvent, thread: int) -> None:
        """Handles heapDumpDef."""
        self._add_dump(event.numbers[DUMP], event.time, event.offset, event.end, event.word(DUMP_NAME))

    def _add_dump(self, id: int, time: int, offset: int, end: int, name: int) -> None:
        self._dump = self._tables.add("dump", id, time, offset, end, name, self._tables.length("object"))
        self._dumps[id] = self._dump

    def _dump_of(self, event: TraceEvent) -> int:
        """Returns the dump that an element belongs to: by id, or the last one if it has no id."""
        id = event.numbers[DUMP]
        row = self._dump if id == NEVER else self._dumps.get(id, NONE)
        if row == NONE:
            self._add_dump(id, NEVER, NOWHERE, event.end, NONE)
            row = self._dump
        self._tables.set("dump_end", row, event.end)
        return row

    def refer(self, event: TraceEvent, thread: int) -> None:
        """Handles objectReference."""
        source, target = (self._ids.entity(event.numbers[slot], event.offset) for slot in (OBJECT_ID, TARGET))
        if NONE not in (source, target):
            self._edge_dump.append(self._dump_of(event))
            self._tables.add("edge", source, target)

    def root(self, event: TraceEvent, thread: int) -> None:
        """Handles gcRoot."""
        entity, type = self._ids.entity(event.numbers[OBJECT_ID], event.offset), event.numbers[ROOT_TYPE]
        if entity != NONE:
            self._root_dump.append(self._dump_of(event))
            self._tables.add("root", entity, type if type >= 0 else event.word(ROOT_TYPE), event.offset)
