"""Tables of a TPTP trace: threads and their states, monitors, collections, methods and calls; and of heap dumps."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from typing import TYPE_CHECKING

from parsers.formats.tptp.schema.columns import (
    NEVER,
    NO_ENTRY,
    NO_EXIT,
    NONE,
    STATE_KINDS,
)
from parsers.formats.tptp.threads.monitor_names import EntityNames
from parsers.heapdump.object_tables import HEAP_TABLES, heap_tables
from parsers.index.bitpacked.columns import numbers
from parsers.model.tables.column_values import Known, Named, TableColumn, TextArrays, Values, text_arrays, unless, whole
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
            found = numbers(self._recording.column(name), slice(start, stop))
            if none is None:
                return found
            return unless(found if none == NEVER else found.astype("u8"), none)

        return read

    def _rows(self, table: str) -> Callable[[], int]:
        return lambda: self._recording.rows(table)

    def _session(self, table: str) -> Callable[[int, int], Values]:
        import numpy as np

        def read(start: int, stop: int) -> Values:
            firsts = np.asarray(self._recording.column(f"session_first_{table}"))
            return np.maximum(np.searchsorted(firsts, np.arange(start, stop), "right"), 1)

        return read

    def _texts(self, make: Callable[[int], str | None]) -> Callable[[int, int], Values]:
        return lambda start, stop: text_arrays(map(make, range(start, stop)))

    def _refs(self, table: str) -> Callable[[int, int], Values]:
        return self._texts(lambda row: self._names.ref(table, row))

    def _difference(self, first: str, last: str) -> Callable[[int, int], Values]:
        def read(start: int, stop: int) -> Values:
            begun, ended = (numbers(self._recording.column(name), slice(start, stop)) for name in (first, last))
            is_known = (begun != NEVER) & (ended != NEVER)
            return Known((ended - begun) * is_known, is_known)

        return read

    def _same(self, table: str, names: Iterable[str]) -> dict[str, Callable[[int, int], Values]]:
        return {name: self._of(f"{table}_{name}") for name in names}

    def _threads(self) -> Table:
        def group(row: int) -> str:
            return self._names.word(self._recording.column("thread_group")[row])

        same = ("blocked", "blocks", "longest_block", "waited", "waits", "slept", "sleeps", "calls", "allocations")
        columns = {
            "name": self._texts(self._names.thread_label),
            "thread_group": self._texts(group),
            "start": self._of("thread_start", NEVER),
            "finish": self._of("thread_end", NEVER),
            **self._same("thread", same),
            "session": self._session("thread"),
            "ref": self._refs("thread"),
        }
        return Table(THREAD, self._rows("thread"), columns)

    @cached_property
    def _entities(self) -> EntityNames:
        return EntityNames(self._recording, self._names)

    def _states(self) -> Table:
        import numpy as np

        @whole
        def monitors() -> Values:
            entities = numbers(self._recording.column("monitor_entity"))
            order = np.argsort(entities, kind="stable")
            asked = numbers(self._recording.column("state_monitor"))
            places = np.searchsorted(entities[order], asked)
            found = np.append(order, -1)[np.minimum(places, len(order))]
            is_known = (found >= 0) & (np.append(entities, NONE)[found] == asked) & (asked != NONE)
            return Known(found, is_known)

        def kinds(start: int, stop: int) -> Values:
            return Named(self._of("state_kind")(start, stop).astype("i8"), text_arrays(STATE_KINDS))

        def classes(start: int, stop: int) -> TextArrays:
            rows = self._of("state_class")(start, stop).tolist()
            return text_arrays(None if row == NONE else self._names.class_label(row) for row in rows)

        columns = {
            "thread_id": self._of("state_thread"),
            "kind": kinds,
            "start": self._of("state_start", NEVER),
            "finish": self._of("state_end", NEVER),
            "took": self._difference("state_start", "state_end"),
            "monitor_id": monitors,
            "class": classes,
            "owner_id": self._of("state_owner", NONE),
            "position": self._of("state_offset"),
            "session": self._session("state"),
            "ref": self._refs("state"),
        }
        return Table(STATE, self._rows("state"), columns)

    def _first_state(self, monitor: int) -> int:
        first = self._recording.column("monitor_first_state")[monitor]
        return int(self._recording.column("state_of_monitor")[first])

    def _monitors(self) -> Table:
        def entity(monitor: int) -> int:
            return int(self._recording.column("monitor_entity")[monitor])

        def name(monitor: int) -> str:
            offset = int(self._recording.column("state_offset")[self._first_state(monitor)])
            return self._entities.text(entity(monitor), offset)

        columns = {
            "name": self._texts(name),
            "class": self._texts(lambda monitor: self._entities.class_text(entity(monitor))),
            "blocked": self._of("monitor_blocked"),
            "longest_block": self._of("monitor_longest"),
            **self._same("monitor", ("contended", "waited", "waits", "threads")),
            "session": self._session("monitor"),
            "ref": self._texts(lambda monitor: self._names.ref("state", self._first_state(monitor))),
        }
        return Table(MONITOR, self._rows("monitor"), columns)

    def _collections(self) -> Table:
        known = ("used_objects", "used_bytes", "total_bytes", "start", "finish")
        columns = {
            **{name: self._of(f"collection_{name}", NEVER) for name in known},
            **self._same("collection", ("frees", "freed_bytes", "live", "live_bytes")),
            "position": self._of("collection_offset"),
            "session": self._session("collection"),
            "ref": self._refs("collection"),
        }
        return Table(COLLECTION, self._rows("collection"), columns)

    def _methods(self) -> Table:
        columns = {
            "name": whole(lambda: text_arrays(self._names.methods)),
            **self._same("method", ("base", "cumulative", "overhead", "calls", "returned")),
            "session": self._session("method"),
            "ref": self._refs("method"),
        }
        return Table(METHOD, self._rows("method"), columns)

    def _calls(self) -> Table:
        def has(bit: int) -> Callable[[int, int], I64Array]:
            return lambda start, stop: self._of("call_flags")(start, stop) & bit == 0

        columns = {
            "method_id": self._of("call_method"),
            "thread_id": self._of("call_thread"),
            "parent_id": self._of("call_parent", NONE),
            "depth": self._of("call_depth"),
            "start": self._of("call_start", NEVER),
            "finish": self._of("call_end", NEVER),
            "base": self._of("call_base"),
            "overhead": self._of("call_overhead"),
            "has_entry": has(NO_ENTRY),
            "has_exit": has(NO_EXIT),
            "position": self._of("call_offset"),
            "session": self._session("call"),
            "ref": self._refs("call"),
        }
        return Table(CALL, self._rows("call"), columns)
