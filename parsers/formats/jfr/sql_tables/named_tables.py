"""Tables of recordings under the names of other formats: states, monitors, collections, allocations, calls.

Each row is an event, or sums up some; the fields are read as the views read them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from parsers.formats.jfr.data.columns import NOTHING
from parsers.formats.jfr.thread_states.kinds import LANE_STATES, WAITS
from parsers.model.late import numpy as np
from parsers.model.none import NONE
from parsers.model.tables.column_values import (
    Known,
    Named,
    ReadColumn,
    TableColumn,
    TextArrays,
    Values,
    python_texts,
    text_arrays,
    unless,
    whole,
)
from parsers.model.tables.table import SqlView, Table, TableType
from parsers.views.report_tables import listed

if TYPE_CHECKING:
    from parsers.formats.jfr.data.recorded_data import RecordedData
    from parsers.formats.jfr.old_objects_view import OldObjectsView
    from parsers.formats.jfr.tables.computed import TableEvents
    from parsers.model.arrays import I64Array

    EventRefs = Callable[[I64Array | slice], Values]
    """Returns the REFs of events."""

ALLOCATED = ("jdk.ObjectAllocationSample", "jdk.ObjectAllocationInNewTLAB", "jdk.ObjectAllocationOutsideTLAB")
COLLECTED = ("jdk.GarbageCollection",)
CALLED = ("jdk.MethodTrace",)
ENTERED, WAITED = "jdk.JavaMonitorEnter", "jdk.JavaMonitorWait"
CLASS_FIELDS = ("monitorClass", "parkedClass")
EVENT = TableColumn("event_id", "BIGINT", "its event", key="event")
THREAD = TableColumn("thread_id", "BIGINT", "its thread", is_nullable=True, key="thread")
STACK = TableColumn("stack_id", "BIGINT", "its stack", is_nullable=True, key="stack")
START = TableColumn("start", "BIGINT", "start, since 1970", "ns")
TOOK = TableColumn("took", "BIGINT", "duration", "ns", is_nullable=True)
REF = TableColumn("ref", "VARCHAR", "REF of the event")


def _texts(name: str, about: str) -> TableColumn:
    return TableColumn(name, "VARCHAR", about, is_nullable=True, is_interned=True)


def _numbers(name: str, about: str, unit: str | None = None) -> TableColumn:
    return TableColumn(name, "BIGINT", about, unit, is_nullable=True)


def _count(name: str, about: str, unit: str | None = None) -> TableColumn:
    return TableColumn(name, "BIGINT", about, unit)


STATE = TableType(
    "state",
    "States of threads that don't run, by event.",
    (
        TableColumn("state_id", "BIGINT", "number of the state"),
        EVENT,
        THREAD,
        TableColumn("kind", "VARCHAR", "waiting for lock, waiting for object, parked …", is_interned=True),
        START,
        TOOK,
        _texts("class", "class of the monitor or of the object for which it is parked"),
        STACK,
        REF,
    ),
)
MONITOR = TableType(
    "monitor",
    "Monitors that threads waited for, by class and address.",
    (
        TableColumn("monitor_id", "BIGINT", "number of the monitor"),
        TableColumn("class", "VARCHAR", "class of its object", is_nullable=True),
        TableColumn("address", "VARCHAR", "address of its object", is_nullable=True),
        _count("blocked", "time of waits for its lock", "ns"),
        _count("longest_block", "longest of them", "ns"),
        _count("contended", "waits for its lock"),
        _count("waited", "time of waits for the object", "ns"),
        _count("waits", "waits for the object"),
        _count("threads", "different threads"),
        TableColumn("ref", "VARCHAR", "REF of its first event"),
    ),
)
COLLECTION = TableType(
    "collection",
    "Garbage collections.",
    (
        TableColumn("collection_id", "BIGINT", "number of the collection"),
        EVENT,
        _numbers("number", "number in the file"),
        _texts("name", "collector"),
        _texts("cause", "cause"),
        START,
        TOOK,
        _numbers("pauses", "sum of its pauses", "ns"),
        _numbers("longest_pause", "longest pause", "ns"),
        REF,
    ),
)
ALLOCATION = TableType(
    "allocation",
    "Allocations: samples, or threads' buffers and objects outside of them.",
    (
        TableColumn("allocation_id", "BIGINT", "number of the allocation"),
        EVENT,
        TableColumn("kind", "VARCHAR", "type of its event", is_interned=True),
        THREAD,
        START,
        _texts("class", "class of the object"),
        _numbers("bytes", "bytes that it represents", "bytes"),
        STACK,
        REF,
    ),
)
CALL = TableType(
    "call",
    "Calls of traced methods.",
    (
        TableColumn("call_id", "BIGINT", "number of the call"),
        EVENT,
        THREAD,
        _texts("method", "the called method"),
        START,
        TOOK,
        STACK,
        REF,
    ),
)
OLD_OBJECT = TableType(
    "old_object",
    "Samples of objects that live long, as the file has them last, the oldest first.",
    (
        TableColumn("old_object_id", "BIGINT", "number of the sample"),
        EVENT,
        TableColumn("class", "VARCHAR", "class of the object"),
        TableColumn("holder", "VARCHAR", "static field, or class of the last object, of its path"),
        TableColumn("root", "VARCHAR", "its GC root, if a path is recorded", is_nullable=True),
        _numbers("size", "size", "bytes"),
        _numbers("age", "age", "ns"),
        TableColumn("steps", "BIGINT", "steps of its path"),
        _numbers("heap", "heap used before it", "bytes"),
        STACK,
        REF,
    ),
)
NAMED_TYPES = (STATE, MONITOR, COLLECTION, ALLOCATION, CALL, OLD_OBJECT)
NAMED_VIEWS = (
    SqlView(
        "contention_by_class",
        "waits for locks by class of the monitor, as the view Monitors",
        "SELECT class, sum(blocked) AS blocked, sum(contended) AS contended, max(longest_block) AS longest_block"
        " FROM monitor WHERE contended > 0 GROUP BY class ORDER BY blocked DESC, class",
    ),
    SqlView(
        "allocation_by_class",
        "allocated bytes by class and type of event, as the view Allocation",
        "SELECT kind, class, sum(bytes) AS bytes, count(*) AS events FROM allocation"
        " GROUP BY ALL ORDER BY kind, bytes DESC, class",
    ),
)


class NamedTables:
    """The tables for which a recording has events."""

    def __init__(self, data: RecordedData, refs: EventRefs, old_objects: Callable[[], OldObjectsView | None]) -> None:
        """
        refs         returns the REFs of events
        old_objects  returns the view of old objects, if there is one
        """
        self._data, self._refs, self._old_objects = data, refs, old_objects

    def tables(self) -> Iterator[Table]:
        """Yields the tables."""
        if waits := self._there(WAITS):
            kinds = {type: LANE_STATES[WAITS[type]].name for type in waits}
            classes = whole(partial(self._field, waits, *CLASS_FIELDS))
            yield self._table(STATE, waits, {"kind": self._kinds(waits, kinds.__getitem__), "class": classes})
        if self._there((ENTERED, WAITED)):
            yield listed(MONITOR, self._monitors)
        if types := self._there(COLLECTED):
            fields = {"number": "gcId", "name": "name", "cause": "cause", "pauses": "sumOfPauses"}
            yield self._table(COLLECTION, types, self._fields(types, fields | {"longest_pause": "longestPause"}))
        if types := self._there(ALLOCATED):
            from parsers.formats.jfr.tables.field_values import WEIGHT

            read = self._fields(types, {"class": "objectClass", "bytes": WEIGHT})
            yield self._table(ALLOCATION, types, {**read, "kind": self._kinds(types, str)})
        if types := self._there(CALLED):
            yield self._table(CALL, types, self._fields(types, {"method": "method"}))
        if (view := self._old_objects()) is not None:
            yield listed(OLD_OBJECT, lambda: self._old(view))

    def _there(self, types: Iterable[str]) -> tuple[str, ...]:
        return tuple(type for type in types if len(self._data.rows_of(type)))

    # -- events of some types -----------------------------------------------------------------------------------------

    def _events(self, types: tuple[str, ...]) -> TableEvents:
        """Returns the events of some types in the order of the file."""
        from parsers.formats.jfr.tables.computed import TableEvents
        from parsers.formats.jfr.tables.table import EventTable

        def events() -> TableEvents:
            found = TableEvents(self._data, EventTable("", types))
            found.sort(found.rows)
            return found

        return self._data.computed(("named table", types), events)

    def _table(self, type: TableType, types: tuple[str, ...], more: Mapping[str, ReadColumn]) -> Table:
        """Returns a table with a row for each event. more: readers of the columns that are no part of `event`"""

        def rows(start: int, stop: int) -> I64Array:
            return self._events(types).rows[start:stop]

        columns = {**event_readers(type, self._data, rows, self._refs), "event_id": rows, **more}
        readers = {each.name: fitting(each, columns[each.name]) for each in type.columns if each.name in columns}
        return Table(type, lambda: sum(len(self._data.rows_of(type)) for type in types), readers)

    def _kinds(self, types: tuple[str, ...], name: Callable[[str], str]) -> ReadColumn:
        return whole(lambda: Named(self._events(types).type_of.astype("i8"), text_arrays(map(name, types))))

    def _fields(self, types: tuple[str, ...], fields: Mapping[str, str]) -> dict[str, ReadColumn]:
        return {name: whole(partial(self._field, types, field)) for name, field in fields.items()}

    def _field(self, types: tuple[str, ...], *names: str) -> Values:
        """Returns the first known of some fields for each event; texts if they are texts."""
        from parsers.formats.jfr.tables.computed import as_texts

        fields = [self._events(types).values(name) for name in names]
        has_texts = any(values.labels is not None for values in fields)
        count = len(fields[0].numbers)
        numbers, is_known = np.zeros(count, np.int64), np.zeros(count, np.bool_)
        labels: list[str] = []
        for values in fields:
            shown = as_texts(values) if has_texts and values.labels is None else values
            is_new = shown.is_known & ~is_known
            numbers[is_new] = shown.numbers[is_new] + len(labels)
            labels += shown.labels or ()
            is_known |= is_new
        if has_texts:
            return Named(np.where(is_known, numbers, -1), text_arrays(labels))
        return Known(numbers, is_known)

    # -- sums ---------------------------------------------------------------------------------------------------------

    def _monitors(self) -> list[tuple[Any, ...]]:
        data, types = self._data, self._there((ENTERED, WAITED))
        events = self._events(types)
        rows = events.rows
        classes = python_texts(_as_texts(self._field(types, "monitorClass")))
        addresses = _as_numbers(self._field(types, "address"))
        known = [f"0x{number:x}" for number in (addresses.numbers.astype("u8")).tolist()]
        texts = [text if each else None for text, each in zip(known, addresses.is_known.tolist(), strict=True)]
        took, threads = data.durations(rows).tolist(), data.events("thread", rows).tolist()
        found: dict[tuple[str | None, str | None], list[Any]] = {}
        for key, kind, each, thread, row in zip(
            zip(classes, texts, strict=True), events.type_of.tolist(), took, threads, rows.tolist(), strict=True
        ):
            sums = found.setdefault(key, [0, 0, 0, 0, 0, set(), row])
            if types[kind] == ENTERED:
                sums[0], sums[1], sums[2] = sums[0] + each, max(sums[1], each), sums[2] + 1
            else:
                sums[3], sums[4] = sums[3] + each, sums[4] + 1
            sums[5].add(thread)
        refs = python_texts(self._refs(np.array([sums[6] for sums in found.values()], np.int64)))
        return [
            (*key, *sums[:5], len(sums[5]), ref) for (key, sums), ref in zip(found.items(), refs, strict=True)
        ]  # fmt: skip

    def _old(self, view: OldObjectsView) -> list[tuple[Any, ...]]:
        rows = np.array([sample.row for sample in view.samples], np.int64)
        stacks = self._data.events("stack", rows).tolist()
        found: list[tuple[Any, ...]] = []
        for sample, stack, ref in zip(view.samples, stacks, python_texts(self._refs(rows)), strict=True):
            steps = len(sample.steps) - 1 + sum(step.skipped for step in sample.steps)
            size, age, heap = (sample.numbers.get(name) for name in ("size", "age", "heap"))
            names = sample.steps[0].class_name, sample.holder, sample.root or None
            known = None if stack == NONE else stack
            found.append((sample.row, *names, size, age, steps, heap, known, ref))
        return found


def event_readers(
    type: TableType, data: RecordedData, rows: Callable[[int, int], I64Array | slice], refs: EventRefs
) -> dict[str, ReadColumn]:
    """Returns readers of those columns of a table that events of all types have.

    rows  returns the events of a range of rows
    """

    def of(name: str, none: int | None = None) -> ReadColumn:
        def read(start: int, stop: int) -> Values:
            found = data.events(name, rows(start, stop)).astype("i8")
            return found if none is None else unless(found, none)

        return read

    readers = {
        "start": of("start"),
        "duration": of("duration", NOTHING),
        "took": of("duration", NOTHING),
        "thread_id": of("thread", NONE),
        "stack_id": of("stack", NONE),
        "position": of("place"),
        "type": of("type"),
        "ref": lambda start, stop: refs(rows(start, stop)),
    }
    return {column.name: readers[column.name] for column in type.columns if column.name in readers}


def fitting(column: TableColumn, read: ReadColumn) -> ReadColumn:
    """Reads values of the type of a column, whatever the file declares: numbers become texts, texts become NULL."""
    fit = _as_texts if column.type == "VARCHAR" else _as_numbers
    return lambda start, stop: fit(read(start, stop))


def _as_texts(values: Values) -> Values:
    """Returns numbers as texts, others as they are."""
    if not isinstance(values, Known):
        return values
    places = np.where(values.is_known, np.arange(len(values.numbers)), -1)
    return Named(places, text_arrays(map(str, values.numbers.tolist())))


def _as_numbers(values: Values) -> Values:
    """Returns NULL for texts, others as they are."""
    if not isinstance(values, Named | TextArrays):
        return values
    count = len(values.numbers) if isinstance(values, Named) else len(values.starts) - 1
    return Known(np.zeros(count, np.int64), np.zeros(count, bool))
