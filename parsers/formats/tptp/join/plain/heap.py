"""Objects, collections and heap dumps by plain code (format page, section 7)."""

from __future__ import annotations

from parsers.formats.tptp.join.plain.ids import SessionIds
from parsers.formats.tptp.join.tables import TraceTables
from parsers.formats.tptp.schema import columns
from parsers.formats.tptp.schema.columns import IS_ARRAY, IS_DEFINED_ONLY, IS_RECORDED_ARRAY, NEVER, NONE, NOWHERE
from parsers.formats.tptp.schema.counters import OBJECT, SessionCounter


class SessionHeap:
    """The objects of a session."""

    def __init__(
        self, tables: TraceTables, counts: list[int], ids: SessionIds, dump_of: tuple[list[int], list[int]]
    ) -> None:
        """dump_of: rows of dumps, by edge and by root"""
        self._tables = tables
        self._counts = counts
        self._ids = ids
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

    def allocate(
        self, id: int, time: int, offset: int, size: int, kind: int, thread: int, call: int, is_array: int
    ) -> None:  # fmt: skip
        """Handles objAlloc. kind: a row of classes"""
        row = self._add(id, time, offset, size, kind, thread, call, is_array, 0)
        self._live += 1
        self._live_bytes += self._tables.columns["object_size"][row]
        if thread != NONE:
            self._tables.plus("thread_allocations", thread, 1)

    def define(self, id: int, offset: int, size: int, kind: int, is_array: int) -> None:
        """Handles objDef."""
        if self._ids.object(id) == NONE:
            self._add(id, NEVER, offset, size, kind, NONE, NONE, is_array, IS_DEFINED_ONLY)

    def _add(
        self, id: int, time: int, offset: int, size: int, kind: int, thread: int, call: int, is_array: int, flags: int
    ) -> int:
        if is_array != NEVER:
            flags |= IS_RECORDED_ARRAY | (IS_ARRAY if is_array else 0)
        row = self._tables.add(
            "object", id, offset, time, NEVER, 0 if size == NEVER else size, kind, thread, call, self._finished,
            NONE, NONE, flags,
        )  # fmt: skip
        self._ids.define_object(id, row, offset)
        return row

    def free(self, id: int, time: int, offset: int) -> None:
        """Handles objFree."""
        tables = self._tables
        row = self._ids.end(OBJECT, id)
        size = 0
        if row == NONE:
            self._counts[SessionCounter.FREES_OF_UNKNOWN] += 1
            tables.find(columns.FREE_OF_UNKNOWN, offset, id)
        else:
            tables.set("object_freed", row, time)
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

    def move(self, id: int, target: int, time: int, offset: int) -> None:
        """Handles objMove."""
        row = self._ids.end(OBJECT, id)
        if row != NONE:
            self._tables.add("move", row, target, time, offset)
            self._ids.define_object(target, row, offset)

    # -- collections --------------------------------------------------------------------------------------------------

    def start(self, time: int, offset: int) -> None:
        """Handles gcStart."""
        self._collection = self._tables.add("collection", time, NEVER, offset, *[NEVER] * 3, *[0] * 5)
        self._is_collecting = True

    def finish(self, time: int, offset: int, used: tuple[int, int, int]) -> None:
        """Handles gcFinish."""
        tables = self._tables
        if not self._is_collecting:
            self._collection = tables.add("collection", NEVER, NEVER, offset, *[NEVER] * 3, *[0] * 5)
        self._is_collecting = False
        self._finished += 1
        tables.set("collection_finish", self._collection, time)
        for name, value in zip(("used_objects", "used_bytes", "total_bytes"), used, strict=True):
            tables.set(f"collection_{name}", self._collection, value)
        tables.set("collection_live", self._collection, self._live)
        tables.set("collection_live_bytes", self._collection, self._live_bytes)

    # -- dumps --------------------------------------------------------------------------------------------------------

    def begin_dump(self, id: int, time: int, offset: int, end: int, name: int) -> None:
        """Handles heapDumpDef."""
        self._dump = self._tables.add("dump", id, time, offset, end, name, self._tables.length("object"))
        self._dumps[id] = self._dump

    def _dump_of(self, id: int, end: int) -> int:
        """Returns the dump that an element belongs to: by id, or the last one if it has no id."""
        row = self._dump if id == NEVER else self._dumps.get(id, NONE)
        if row == NONE:
            self.begin_dump(id, NEVER, NOWHERE, end, NONE)
            row = self._dump
        self._tables.set("dump_end", row, end)
        return row

    def refer(self, dump: int, source: int, target: int, offset: int, end: int) -> None:
        """Handles objectReference."""
        found = self._ids.entity(source, offset), self._ids.entity(target, offset)
        if NONE not in found:
            self._edge_dump.append(self._dump_of(dump, end))
            self._tables.add("edge", *found)

    def root(self, dump: int, id: int, kind: int, offset: int, end: int) -> None:
        """Handles gcRoot. kind: a word"""
        entity = self._ids.entity(id, offset)
        if entity != NONE:
            self._root_dump.append(self._dump_of(dump, end))
            self._tables.add("root", entity, kind, offset)
