"""Tables of a TPTP trace: threads and their states, monitors, collections, methods and calls; and of heap dumps."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from parsers.formats.tptp.schema.columns import NEVER, NO_ENTRY, NO_EXIT, STATE_KINDS
from parsers.heapdump.object_tables import HEAP_TABLES, heap_tables
from parsers.model.late import numpy as np
from parsers.model.none import NONE
from parsers.model.tables.column_values import (
    Known,
    Named,
    ReadColumn,
    TableColumn,
    TextArrays,
    Values,
    text_arrays,
    unless,
    whole,
)
from parsers.model.tables.table import SqlView, Table, Tables, TableSet, TableType

if TYPE_CHECKING:
    from parsers.formats.tptp.report import TraceReport
    from parsers.heapdump.graph.heap_object import HeapObjects
    from parsers.model.arrays import I64Array

SESSION = TableColumn("session", "INTEGER", "its session, from 1")
THREAD = TableType(
    "thread",
    "Threads.",
    (
        TableColumn("thread_id", "BIGINT", "number of the thread"),
        TableColumn("name", "VARCHAR", "name, else its id"),
        TableColumn("thread_group", "VARCHAR", "its group; may be empty"),
        TableColumn("start", "BIGINT", "start, since 1970", "ns", is_nullable=True),
        TableColumn("finish", "BIGINT", "end, since 1970, if it has ended", "ns", is_nullable=True),
        TableColumn("blocked", "BIGINT", "time of completed waits for locks", "ns"),
        TableColumn("blocks", "BIGINT", "completed waits for locks"),
        TableColumn("longest_block", "BIGINT", "longest of them", "ns"),
        TableColumn("waited", "BIGINT", "time of completed waits for objects", "ns"),
        TableColumn("waits", "BIGINT", "completed waits for objects"),
        TableColumn("slept", "BIGINT", "time of completed sleeps", "ns"),
        TableColumn("sleeps", "BIGINT", "completed sleeps"),
        TableColumn("calls", "BIGINT", "calls"),
        TableColumn("allocations", "BIGINT", "objects that it allocated"),
        SESSION,
        TableColumn("ref", "VARCHAR", "REF of the thread"),
    ),
)
STATE = TableType(
    "state",
    "States of threads that don't run, by beginning.",
    (
        TableColumn("state_id", "BIGINT", "number of the state"),
        TableColumn("thread_id", "BIGINT", "its thread", key="thread"),
        TableColumn("kind", "VARCHAR", "waiting for lock, waiting for object, sleeping", is_interned=True),
        TableColumn("start", "BIGINT", "start, since 1970", "ns", is_nullable=True),
        TableColumn("finish", "BIGINT", "end, since 1970, if it has ended", "ns", is_nullable=True),
        TableColumn("took", "BIGINT", "duration", "ns", is_nullable=True),
        TableColumn("monitor_id", "BIGINT", "its monitor", is_nullable=True, key="monitor"),
        TableColumn("class", "VARCHAR", "class of the monitor", is_nullable=True),
        TableColumn("owner_id", "BIGINT", "the thread that owns the lock, if known", is_nullable=True, key="thread"),
        TableColumn("position", "BIGINT", "offset in the file", "bytes"),
        SESSION,
        TableColumn("ref", "VARCHAR", "REF of the state"),
    ),
)
MONITOR = TableType(
    "monitor",
    "Monitors that threads waited for, by first wait.",
    (
        TableColumn("monitor_id", "BIGINT", "number of the monitor"),
        TableColumn("name", "VARCHAR", "class and id of its object"),
        TableColumn("class", "VARCHAR", "class of its object"),
        TableColumn("blocked", "BIGINT", "time of completed waits for its lock", "ns"),
        TableColumn("longest_block", "BIGINT", "longest of them", "ns"),
        TableColumn("contended", "BIGINT", "completed waits for its lock"),
        TableColumn("waited", "BIGINT", "time of completed waits for the object", "ns"),
        TableColumn("waits", "BIGINT", "completed waits for the object"),
        TableColumn("threads", "BIGINT", "different threads"),
        SESSION,
        TableColumn("ref", "VARCHAR", "REF of its first state"),
    ),
)
COLLECTION = TableType(
    "collection",
    "Garbage collections.",
    (
        TableColumn("collection_id", "BIGINT", "number of the collection"),
        TableColumn("start", "BIGINT", "start, since 1970", "ns", is_nullable=True),
        TableColumn("finish", "BIGINT", "end, since 1970", "ns", is_nullable=True),
        TableColumn("used_objects", "BIGINT", "objects in use, as in the file", is_nullable=True),
        TableColumn("used_bytes", "BIGINT", "their size", "bytes", is_nullable=True),
        TableColumn("total_bytes", "BIGINT", "size of the heap", "bytes", is_nullable=True),
        TableColumn("frees", "BIGINT", "objects that it freed"),
        TableColumn("freed_bytes", "BIGINT", "their size", "bytes"),
        TableColumn("live", "BIGINT", "recorded objects alive at its end"),
        TableColumn("live_bytes", "BIGINT", "their size", "bytes"),
        TableColumn("position", "BIGINT", "offset in the file", "bytes"),
        SESSION,
        TableColumn("ref", "VARCHAR", "REF of the collection"),
    ),
)
METHOD = TableType(
    "method",
    "Methods that were defined or called.",
    (
        TableColumn("method_id", "BIGINT", "number of the method"),
        TableColumn("name", "VARCHAR", "`holder.name(types):type`"),
        TableColumn("base", "BIGINT", "time in the method itself", "ns"),
        TableColumn("cumulative", "BIGINT", "time with its callees", "ns"),
        TableColumn("overhead", "BIGINT", "overhead of the agent", "ns"),
        TableColumn("calls", "BIGINT", "calls, also of those still running"),
        TableColumn("returned", "BIGINT", "calls that returned"),
        SESSION,
        TableColumn("ref", "VARCHAR", "REF of the method"),
    ),
)
CALL = TableType(
    "call",
    "Calls, in the order of the file.",
    (
        TableColumn("call_id", "BIGINT", "number of the call"),
        TableColumn("method_id", "BIGINT", "the called method", key="method"),
        TableColumn("thread_id", "BIGINT", "its thread", key="thread"),
        TableColumn("parent_id", "BIGINT", "the call that contains it", is_nullable=True, key="call"),
        TableColumn("depth", "INTEGER", "calls above it"),
        TableColumn("start", "BIGINT", "start, since 1970", "ns", is_nullable=True),
        TableColumn("finish", "BIGINT", "end, since 1970", "ns", is_nullable=True),
        TableColumn("base", "BIGINT", "time in the method itself", "ns"),
        TableColumn("overhead", "BIGINT", "overhead of the agent", "ns"),
        TableColumn("has_entry", "BOOLEAN", "true if its start was recorded"),
        TableColumn("has_exit", "BOOLEAN", "true unless it ended with the exit of a caller"),
        TableColumn("position", "BIGINT", "offset in the file", "bytes"),
        SESSION,
        TableColumn("ref", "VARCHAR", "REF of the call"),
    ),
)
VIEWS = (
    SqlView(
        "contention_by_class",
        "waits for locks by class of the monitor, as the view Monitors",
        "SELECT class, sum(blocked) AS blocked, sum(contended) AS contended, max(longest_block) AS longest_block"
        " FROM monitor GROUP BY class ORDER BY blocked DESC, class",
    ),
    SqlView(
        "slowest_methods",
        "methods by the time in themselves, as the view Methods",
        "SELECT name, sum(base) AS base, sum(cumulative) AS cumulative, sum(calls) AS calls FROM method"
        " GROUP BY name ORDER BY base DESC, name",
    ),
)
STORED = {"finish": "end", "position": "offset"}
"""Stored names of columns that have other names for SQL."""
RECORDING_TABLES = TableSet(
    (THREAD, STATE, MONITOR, COLLECTION, METHOD, CALL, *HEAP_TABLES.types),
    (*VIEWS, *HEAP_TABLES.views),
    (
        (
            "Which threads were blocked longest, by whom?",
            "SELECT thread.name, owner.name AS owner, sum(took) AS blocked FROM state JOIN thread USING (thread_id)"
            " LEFT JOIN thread AS owner ON owner_id = owner.thread_id WHERE kind = 'waiting for lock'"
            " GROUP BY ALL ORDER BY blocked DESC NULLS LAST, thread.name LIMIT 10",
        ),
        (
            "How much did each collection free?",
            "SELECT (finish - start) / 1e6 AS ms, frees, freed_bytes, live_bytes FROM collection"
            " ORDER BY collection_id LIMIT 20",
        ),
        (
            "Which calls took longest?",
            "SELECT method.name, (finish - start) / 1e6 AS ms, call.ref FROM call JOIN method USING (method_id)"
            " ORDER BY ms DESC NULLS LAST, call_id LIMIT 10",
        ),
    ),
)


def trace_tables(report: TraceReport, objects: HeapObjects | None) -> Tables:
    """Returns the tables of a recording. objects: those of its heap dumps, if it has any"""
    found = _TraceTables(report).tables()
    return found if objects is None else found | heap_tables(objects)


class _TraceTables:
    """Columns of the tables."""

    def __init__(self, report: TraceReport) -> None:
        self._recording, self._names = report.recording, report.names_of

    def tables(self) -> Tables:
        """Returns the tables."""
        made = (self._threads(), self._states(), self._monitors(), self._collections(), self._methods(), self._calls())
        return Tables(made, VIEWS)

    def _of(self, name: str, none: int | None = None) -> Callable[[int, int], Values]:
        """Reader of a column of the recording. none: its number for NULL"""

        def read(start: int, stop: int) -> Values:
            found = self._recording.numbers(name, slice(start, stop))
            if none is None:
                return found
            return unless(found if none == NEVER else found.astype("u8"), none)

        return read

    def _table(self, type: TableType, own: Mapping[str, ReadColumn]) -> Table:
        """A table of the recording. own: readers of columns that are not stored under their names, or computed"""

        def stored(column: TableColumn) -> ReadColumn:
            name = STORED.get(column.name, column.name.removesuffix("_id"))
            none = (NONE if column.key else NEVER) if column.is_nullable else None
            return self._of(f"{type.name}_{name}", none)

        common = {"session": self._session(type.name), "ref": self._refs(type.name)}
        return Table(type, lambda: self._recording.rows(type.name), {**common, **own}, other=stored)

    def _session(self, table: str) -> Callable[[int, int], Values]:
        return lambda start, stop: self._recording.sessions_of(table, range(start, stop)) + 1

    def _texts(self, make: Callable[[int], str | None]) -> Callable[[int, int], Values]:
        return lambda start, stop: text_arrays(map(make, range(start, stop)))

    def _refs(self, table: str) -> Callable[[int, int], Values]:
        return self._texts(lambda row: self._names.ref(table, row))

    def _threads(self) -> Table:
        def group(row: int) -> str:
            return self._names.word(self._recording.column("thread_group")[row])

        return self._table(THREAD, {"name": self._texts(self._names.thread_label), "thread_group": self._texts(group)})

    def _states(self) -> Table:
        @whole
        def monitors() -> Values:
            entities = self._recording.numbers("monitor_entity")
            order = np.argsort(entities, kind="stable")
            asked = self._recording.numbers("state_monitor")
            places = np.searchsorted(entities[order], asked)
            found = np.append(order, -1)[np.minimum(places, len(order))]
            is_known = (found >= 0) & (np.append(entities, NONE)[found] == asked) & (asked != NONE)
            return Known(found, is_known)

        def kinds(start: int, stop: int) -> Values:
            return Named(self._of("state_kind")(start, stop).astype("i8"), text_arrays(STATE_KINDS))

        def classes(start: int, stop: int) -> TextArrays:
            rows = self._of("state_class")(start, stop).tolist()
            return text_arrays(None if row == NONE else self._names.class_label(row) for row in rows)

        def took(start: int, stop: int) -> Values:
            begun, ended = (self._of(f"state_{name}", NEVER)(start, stop) for name in ("start", "end"))
            is_known = begun.is_known & ended.is_known
            return Known((ended.numbers - begun.numbers) * is_known, is_known)

        return self._table(STATE, {"kind": kinds, "took": took, "monitor_id": monitors, "class": classes})

    def _first_state(self, monitor: int) -> int:
        first = self._recording.column("monitor_first_state")[monitor]
        return int(self._recording.column("state_of_monitor")[first])

    def _monitors(self) -> Table:
        def entity(monitor: int) -> int:
            return int(self._recording.column("monitor_entity")[monitor])

        def name(monitor: int) -> str:
            offset = int(self._recording.column("state_offset")[self._first_state(monitor)])
            return self._names.entity_text(entity(monitor), offset)

        columns = {
            "name": self._texts(name),
            "class": self._texts(lambda monitor: self._names.entity_class(entity(monitor))),
            "longest_block": self._of("monitor_longest"),
            "ref": self._texts(lambda monitor: self._names.ref("state", self._first_state(monitor))),
        }
        return self._table(MONITOR, columns)

    def _collections(self) -> Table:
        return self._table(COLLECTION, {"finish": self._of("collection_finish", NEVER)})

    def _methods(self) -> Table:
        return self._table(METHOD, {"name": whole(lambda: text_arrays(self._names.methods))})

    def _calls(self) -> Table:
        def has(bit: int) -> Callable[[int, int], I64Array]:
            return lambda start, stop: self._of("call_flags")(start, stop) & bit == 0

        return self._table(CALL, {"has_entry": has(NO_ENTRY), "has_exit": has(NO_EXIT)})
