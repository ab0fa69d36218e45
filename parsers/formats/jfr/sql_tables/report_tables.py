"""Tables of a Flight Recorder file: threads, events, stacks with their costs, and one of each type of events."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

from parsers.formats.jfr.data.columns import IS_VIRTUAL
from parsers.formats.jfr.events.event_rows import COMMAND_LINES, masked
from parsers.formats.jfr.events.value_text import value_text
from parsers.formats.jfr.sql_tables.named_tables import (
    NAMED_TYPES,
    NAMED_VIEWS,
    REF,
    NamedTables,
    event_readers,
    fitting,
)
from parsers.formats.jfr.tables.field_values import fields_of, values_of
from parsers.formats.jfr.thread_states.threads import threads_of
from parsers.model.late import numpy as np
from parsers.model.tables.column_values import (
    Known,
    Named,
    ReadColumn,
    SqlType,
    TableColumn,
    Values,
    numbered,
    text_arrays,
    unless,
    whole,
)
from parsers.model.tables.table import SqlView, Table, Tables, TableSet, TableType, views_over
from parsers.profile.profile_tables import PROFILE_TABLES, profile_tables

if TYPE_CHECKING:
    from parsers.formats.jfr.data.recorded_data import RecordedData
    from parsers.formats.jfr.old_objects_view import OldObjectsView
    from parsers.formats.jfr.read.metadata import Field, Metadata, Type
    from parsers.model.arrays import BoolArray, I64Array
    from parsers.model.tables.column_values import TextArrays
    from parsers.profile.source import ProfileSource

THREAD = TableType(
    "thread",
    "Threads.",
    (
        TableColumn("thread_id", "BIGINT", "number of the thread"),
        TableColumn("name", "VARCHAR", "name; may be empty"),
        TableColumn("thread_group", "VARCHAR", "path of its group"),
        TableColumn("java_id", "BIGINT", "id in Java", is_nullable=True),
        TableColumn("os_id", "BIGINT", "id of the operating system", is_nullable=True),
        TableColumn("is_virtual", "BOOLEAN", "true for virtual threads"),
        TableColumn("ref", "VARCHAR", "REF of the thread"),
    ),
)
EVENT = TableType(
    "event",
    "Events of all types, in file order. The fields of a type are in a table with its name: durations and times in ns,"
    ' addresses as 0x…, classes, methods and threads by their names, fields of a struct as "struct.field".',
    (
        TableColumn("event_id", "BIGINT", "number of the event"),
        TableColumn("type", "VARCHAR", "type: jdk.GCPhasePause …", is_interned=True),
        TableColumn("start", "BIGINT", "start, since 1970", "ns"),
        TableColumn("duration", "BIGINT", "duration", "ns", is_nullable=True),
        TableColumn("thread_id", "BIGINT", "its thread", is_nullable=True, key="thread"),
        TableColumn("stack_id", "BIGINT", "its stack", is_nullable=True, key="stack"),
        TableColumn("position", "BIGINT", "offset in the file", "bytes"),
        REF,
    ),
)
OWN = TableColumn("event_id", "BIGINT", "number of the event", key="event")
HIDDEN = ("startTime", "duration", "eventThread", "stackTrace")
"""Fields that are columns of `event`."""
TYPES: dict[str, SqlType] = {
    "boolean": "BOOLEAN",
    "byte": "BIGINT",
    "short": "BIGINT",
    "char": "BIGINT",
    "int": "BIGINT",
    "long": "BIGINT",
    "float": "DOUBLE",
    "double": "DOUBLE",
}
"""SQL types of primitive types; all others are texts."""
VIEWS = (
    SqlView(
        "event_types",
        "types by number of events, as the view Events",
        "SELECT type, count(*) AS events, sum(duration) AS duration, max(duration) AS longest FROM event"
        " GROUP BY type ORDER BY events DESC, type",
    ),
    SqlView(
        "busiest_threads",
        "threads by number of events, as the view Threads",
        "SELECT name, count(*) AS events, any_value(thread.ref) AS ref FROM event JOIN thread USING (thread_id)"
        " GROUP BY thread_id, name ORDER BY events DESC, thread_id",
    ),
)
JFR_TABLES = TableSet(
    (*PROFILE_TABLES.types, THREAD, EVENT, *NAMED_TYPES),
    (*PROFILE_TABLES.views, *VIEWS, *NAMED_VIEWS),
    (
        (
            "Which events took longest?",
            "SELECT type, duration / 1e6 AS ms, name FROM event LEFT JOIN thread USING (thread_id)"
            " WHERE duration IS NOT NULL ORDER BY duration DESC, event_id LIMIT 10",
        ),
        (
            "How many events of which types has each second?",
            "SELECT start // 1000000000 AS second, type, count(*) AS events FROM event GROUP BY ALL"
            " ORDER BY second, events DESC, type LIMIT 20",
        ),
        *PROFILE_TABLES.questions,
    ),
    is_open=True,
)


def recording_tables(
    data: RecordedData,
    profiles: ProfileSource,
    old_objects: Callable[[], OldObjectsView | None],
    is_private_shown: Callable[[], bool],
) -> Tables:
    """Returns the tables of a recording. Values that look like secrets are masked unless private ones are shown.

    old_objects  returns the view of old objects, if there is one
    """
    made = _RecordingTables(data, is_private_shown)
    named = Tables(NamedTables(data, made.event_refs, old_objects).tables())
    views = views_over(NAMED_VIEWS, named)
    return profile_tables(profiles, made.stack_refs) | Tables(made.tables(), VIEWS) | named | Tables((), views)


class _RecordingTables:
    """Columns of the tables."""

    def __init__(self, data: RecordedData, is_private_shown: Callable[[], bool]) -> None:
        self._data, self._is_private_shown = data, is_private_shown

    def tables(self) -> list[Table]:
        """Returns threads, events, and a table of each type with events."""
        found = [self._threads(), self._events()]
        used = {"file", "fact", "problem", *(type.name for type in JFR_TABLES.types)}
        for type in self._data.type_names:
            table = self._of_type(type, _unique(type, used))
            if table is not None:
                found.append(table)
        return found

    def stack_refs(self, stacks: range) -> Values:
        """Returns the REFs of the stacks of events."""
        found = numbered("stack:", np.arange(stacks.start, stacks.stop))
        return found._replace(is_known=self._is_used[stacks.start : stacks.stop])

    @cached_property
    def _is_used(self) -> BoolArray:
        """True for the stacks of events."""
        count = len(self._data.column("stack_end"))
        used = np.zeros(count + 1, bool)
        used[np.minimum(self._data.events("stack"), count)] = True
        return used[:count]

    def _threads(self) -> Table:
        data = self._data

        def ids(name: str) -> ReadColumn:
            return lambda start, stop: unless(data.column(f"thread_{name}_id")[start:stop], 0)

        def texts(table: str) -> ReadColumn:
            return whole(lambda: text_arrays(data.texts(table)))

        columns = {
            "name": texts("thread"),
            "thread_group": texts("thread_group"),
            "java_id": ids("java"),
            "os_id": ids("os"),
            "is_virtual": lambda start, stop: data.column("thread_flags")[start:stop] & IS_VIRTUAL != 0,
            "ref": whole(lambda: text_arrays(threads_of(data).refs)),
        }
        return Table(THREAD, lambda: len(data.column("thread_flags")), columns)

    def _events(self) -> Table:
        columns = event_readers(EVENT, self._data, slice, self.event_refs)
        types = columns["type"]
        columns["type"] = lambda start, stop: Named(types(start, stop), self._type_names)
        return Table(EVENT, lambda: self._data.rows, columns)

    @cached_property
    def _type_names(self) -> TextArrays:
        return text_arrays(self._data.type_names)

    @cached_property
    def _places(self) -> I64Array:
        """By event its number among those of its type, from 1."""
        found = np.zeros(self._data.rows, np.int64)
        for type in range(len(self._data.type_names)):
            rows = self._data.rows_of(type)
            found[rows] = np.arange(1, len(rows) + 1)
        return found

    def event_refs(self, rows: I64Array | slice) -> Values:
        """Returns the REFs of events."""
        names, types = self._data.type_names, self._data.events("type", rows).tolist()
        places = self._places[rows].tolist()
        return text_arrays(f"event:{names[type]}#{place}" for type, place in zip(types, places, strict=True))

    # -- a table of each type -----------------------------------------------------------------------------------------

    def _of_type(self, type: str, name: str) -> Table | None:
        """Returns the events of a type with their fields; None if no metadata declare it."""
        declared = self._data.declared(type)
        if declared is None:
            return None
        metadata, found = declared
        columns, readers = [OWN], {"event_id": self._event_ids(type), "ref": _refs_of(type)}
        used, arrays = {"event_id", "ref"}, ((field.name, field) for field in found.fields if field.is_array)
        for path, field in (*fields_of(metadata, found), *arrays):
            if path in HIDDEN:
                continue
            column = _unique(path, used)
            sql, unit = ("VARCHAR", None) if field.is_array else _sql_type(metadata, field)
            columns.append(TableColumn(column, sql, metadata.label(field), unit, is_nullable=True))
            is_text = field.is_array or (sql == "VARCHAR" and path in COMMAND_LINES)
            read = self._texts_of(type, found, field) if is_text else self._reader(type, path, sql)
            readers[column] = fitting(columns[-1], read)
        columns.append(REF)
        events = int(self._data.column("type_events")[self._data.type_numbers[type]])
        return Table(TableType(name, metadata.label(found), tuple(columns)), lambda: events, readers)

    def _event_ids(self, type: str) -> ReadColumn:
        return lambda start, stop: self._data.rows_of(type)[start:stop]

    def _reader(self, type: str, path: str, sql: SqlType) -> ReadColumn:
        """Reads values as the views show them: names of classes and threads, durations in ns."""

        def read(start: int, stop: int) -> Values:
            values = values_of(self._data, type, path, self._data.rows_of(type)[start:stop], is_absolute=True)
            numbers, is_known = values.numbers, values.is_known
            if values.labels is not None and sql != "BOOLEAN":
                return Named(np.where(is_known, numbers, -1), text_arrays(values.labels))
            if values.is_address:
                return numbered("0x", Known(numbers, is_known), 16)
            of = {"BOOLEAN": np.bool_, "DOUBLE": np.float64}.get(sql, np.int64)
            return Known(np.where(is_known, numbers, 0).astype(of), is_known)

        return read

    def _texts(self, type: str, field: Field, start: int, stop: int) -> list[str | None]:
        data = self._data
        (column,) = data.columns(type, [(field.name,)], data.rows_of(type)[start:stop])
        values = zip(data.objects(column), column.chunks.tolist(), strict=True)
        return [self._text(value, chunk, field) for value, chunk in values]

    def _texts_of(self, type: str, declared: Type, field: Field) -> ReadColumn:
        """Reads texts; secrets in command lines and values of variables are masked unless they are shown."""
        key = next((each for each in declared.fields if each.name in ("key", "name")), None)

        def read(start: int, stop: int) -> Values:
            texts = self._texts(type, field, start, stop)
            if field.name not in COMMAND_LINES or self._is_private_shown():
                return text_arrays(texts)
            names = self._texts(type, key, start, stop) if key is not None else [""] * len(texts)
            pairs = zip(names, texts, strict=True)
            return text_arrays(text if text is None else masked(name or "", text) for name, text in pairs)

        return read

    def _text(self, value: str | None, chunk: int, field: Field) -> str | None:
        if value is None or isinstance(value, str):
            return value
        return value_text(self._data.chunk(chunk), field, value)


def _unique(name: str, used: set[str]) -> str:
    """Returns a name that SQL distinguishes from those in use: upper and lower case are the same, no control codes."""
    plain = "".join(each if each.isprintable() else "_" for each in name) or "_"
    found, number = plain, 2
    while found.lower() in used:
        found, number = f"{plain}_{number}", number + 1
    used.add(found.lower())
    return found


def _sql_type(metadata: Metadata, field: Field) -> tuple[SqlType, str | None]:
    """Returns type and unit of the values of a field, see `field_values.values_of`."""
    declared = metadata.types.get(field.type)
    sql = "VARCHAR" if field.is_constant or declared is None else TYPES.get(declared.name, "VARCHAR")
    if sql in ("VARCHAR", "BOOLEAN"):
        return sql, None

    def has(name: str) -> bool:
        return metadata.annotation(field, f"jdk.jfr.{name}") is not None

    if has("Timespan") or has("Timestamp"):
        return "BIGINT", "ns"
    if has("MemoryAddress"):
        return "VARCHAR", None
    if has("Percentage"):
        return "DOUBLE", "percent"
    if (amount := metadata.annotation(field, "jdk.jfr.DataAmount")) is None:
        return sql, None
    return "DOUBLE" if amount.get("value") == "BITS" else sql, "bytes/s" if has("Frequency") else "bytes"


def _refs_of(type: str) -> ReadColumn:
    return lambda start, stop: numbered(f"event:{type}#", np.arange(start + 1, stop + 1))
