"""Events as rows: labels, fields in their units, stacks, links, and the events with the same ids."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from parsers.formats.jfr.data.columns import LOST_STACK, NOTHING
from parsers.formats.jfr.data.jvms import jvm_of_events
from parsers.formats.jfr.events.value_text import value_text, zone_of
from parsers.formats.jfr.read.program import THREAD_FIELDS
from parsers.formats.jfr.read.values import Key
from parsers.formats.jfr.tables.field_values import column_values
from parsers.formats.jfr.thread_states.threads import threads_of
from parsers.model.names.secrets import masked_value, masked_words
from parsers.model.none import NONE
from parsers.model.row import Badge, Link, Section, SectionRow
from parsers.model.time_text import nanos_text, time_text
from parsers.model.view import UnknownReference
from parsers.views.list_view import ListRow
from parsers.views.timelines.moments import exact_seconds

if TYPE_CHECKING:
    from parsers.formats.jfr.data.recorded_data import ChunkData, RecordedData
    from parsers.formats.jfr.read.metadata import Field, Metadata
    from parsers.formats.jfr.read.values import Fields
    from parsers.model.arrays import I64Array

HIDDEN = frozenset({"startTime", "duration", "eventThread", "stackTrace", "sampledThread"})
"""Fields that are not repeated in the label of an event."""
COMMAND_LINES = frozenset({"jvmArguments", "javaArguments", "commandLine", "jvmFlags", "options", "value"})
"""Fields with command lines, properties and variables."""
RELATIONAL = "jdk.jfr.Relational"
MOST_FIELDS = 4
"""Fields in the label of an event."""
MOST_TEXT = 60
"""Characters of a value in the label of an event."""
MOST_FRAMES = 100
"""Frames in the side pane."""
MOST_LINKS = 24


class EventRows:
    """Rows of single events."""

    def __init__(self, data: RecordedData, is_private_shown: Callable[[], bool]) -> None:
        self._data, self._is_private_shown = data, is_private_shown
        self._threads = threads_of(data)

    # -- texts --------------------------------------------------------------------------------------------------------

    def label(self, row: int, hidden: Collection[str] = ()) -> str:
        """Returns the label: the thread, and the first fields that are not hidden."""
        data = self._data
        chunk, type, values, _ = data.values(row)
        thread = data.event("thread", row)
        parts = [] if thread == NONE else [self._threads.label(thread)]
        fields = {} if type is None else {field.name: field for field in type.fields}
        for name in [name for name in values if name not in HIDDEN and name not in hidden][:MOST_FIELDS]:
            text = self._text(chunk, fields[name], values)
            parts.append(f"{name}={text if len(text) <= MOST_TEXT else text[:MOST_TEXT] + '…'}")
        return "  ".join(parts) or data.type_names[data.event("type", row)]

    def thread(self, row: int) -> str:
        """Returns the name of the thread of an event, else its type."""
        thread = self._data.event("thread", row)
        if thread == NONE:
            return self._data.type_names[self._data.event("type", row)]
        return self._data.text("thread", thread) or "(no name)"

    def searched(self, row: int) -> str:
        """Returns the thread and all fields as text, in which a search looks."""
        chunk, type, values, _ = self._data.values(row)
        fields = () if type is None else type.fields
        shown = [field for field in fields if field.name in values and field.name not in HIDDEN]
        return "  ".join([self.thread(row), *(f"{field.name}={self._text(chunk, field, values)}" for field in shown)])

    def text(self, row: int, name: str) -> str:
        """Returns the value of a field in its unit; empty if the event has none."""
        chunk, type, values, _ = self._data.values(row)
        field = None if type is None else next((each for each in type.fields if each.name == name), None)
        return "" if field is None or name not in values else self._text(chunk, field, values)

    def ref(self, row: int) -> str:
        """Returns the REF of an event: `event:TYPE#N`, counted from 1."""
        type = self._data.event("type", row)
        return f"event:{self._data.type_names[type]}#{int(np.searchsorted(self._data.rows_of(type), row)) + 1}"

    def key(self, row: int) -> Hashable:
        """Returns the key of an event: its type, and its number among those of the type, from 0."""
        type = self._data.event("type", row)
        return "event", self._data.type_names[type], int(np.searchsorted(self._data.rows_of(type), row))

    def row_of_key(self, key: Hashable) -> int | None:
        """Returns the event of a key; None if it is none."""
        match key:
            case ("event", str(name), int(number)) if number < len(rows := self._data.rows_of(name)):
                return int(rows[number])
        return None

    def row_of_ref(self, ref: str) -> int:
        """Returns the event of a REF. Raises `UnknownReference`."""
        name, _, text = ref.partition(":")[2].rpartition("#")
        rows = self._data.rows_of(name)
        if not len(rows):
            raise UnknownReference(f"{ref}: no events of that type")
        place = int(text) - 1 if text.isascii() and text.isdecimal() else -1
        if not 0 <= place < len(rows):
            raise UnknownReference(f"{ref}: no such event")
        return int(rows[place])

    def entry(self, row: int) -> ListRow:
        """Returns the row of an event."""
        place = self._data.event("place", row)
        return ListRow(
            "event", self.label(row), badges=self.badges(row), ref=self.ref(row), offset=place, key=self.key(row)
        )

    def _text(self, chunk: ChunkData, field: Field, values: Fields) -> str:
        """Returns the value of a field; parts that look like secrets are masked."""
        text = value_text(chunk, field, values[field.name])
        if field.name not in COMMAND_LINES or self._is_private_shown():
            return text
        key = values.get("key", values.get("name"))
        name = "" if key is None else value_text(chunk, field, key)
        return masked(name, text)

    def badges(self, row: int) -> dict[str, Badge]:
        """Returns start and duration."""
        data = self._data
        badges: dict[str, Badge] = {"start": round((data.event("start", row) - data.first_start) / 1e9, 6)}
        duration = data.event("duration", row)
        if duration != NOTHING:
            badges["duration"] = duration
        return badges

    def sections(self, row: int) -> list[Section]:
        """Returns all fields in their units, and the stack."""
        data = self._data
        chunk, type, values, is_whole = data.values(row)
        rows = [SectionRow("start", time_text(data.event("start", row), zone_of(chunk.metadata)))]
        duration, thread = data.event("duration", row), data.event("thread", row)
        if duration != NOTHING:
            rows.append(SectionRow("duration", nanos_text(duration)))
        for field in () if type is None else type.fields:
            if field.name in values and field.name not in ("startTime", "duration", "stackTrace"):
                is_thread = field.name in THREAD_FIELDS and thread != NONE and isinstance(values[field.name], Key)
                target = (self._threads.refs[thread], "Threads") if is_thread else ()
                rows.append(SectionRow(field.name, self._text(chunk, field, values), *target))
        if not is_whole:
            rows.append(SectionRow("the other fields", "can't be read"))
        found = [Section(data.type_names[data.event("type", row)], tuple(rows))]
        stack = data.event("stack", row)
        if stack != NONE:
            found.append(self._stack(stack))
        return found

    def _stack(self, stack: int) -> Section:
        data = self._data
        if stack == LOST_STACK:
            return Section("Stack", (SectionRow("[constants lost]", "the stack trace is not in the file"),))
        frames = data.frames_of(stack)
        rows = [SectionRow(self._frame_text(frame)) for frame in frames[:MOST_FRAMES].tolist()]
        if data.column("stack_cut")[stack]:
            rows.append(SectionRow("(stack truncated)"))
        return Section("Stack", tuple(rows), max(0, len(frames) - MOST_FRAMES))

    def _frame_text(self, frame: int) -> str:
        """Returns a frame as text: method, line, kind."""
        data = self._data
        method, line = int(data.column("frame_method")[frame]), int(data.column("frame_line")[frame])
        kind = data.text("kind", int(data.column("frame_kind")[frame]))
        hidden = ", hidden" if data.column("frame_hidden")[frame] else ""
        return f"{data.method_label(method)}{f':{line}' if line > 0 else ''}  {kind}{hidden}"

    # -- links --------------------------------------------------------------------------------------------------------

    def links(self, row: int) -> list[Link]:
        """Returns links to thread, moment and stack, and to the first event of each type with the same id."""
        data = self._data
        thread, stack = data.event("thread", row), data.event("stack", row)
        found = []
        if thread != NONE:
            ref, moment = self._threads.refs[thread], data.event("start", row) - data.first_start
            found.append(Link("thread", ref, "Threads"))
            found.append(Link("the time line then", f"moment:{exact_seconds(moment)}/{ref}", "Time line"))
        if stack not in (NONE, LOST_STACK):
            found.append(Link("stack", f"stack:{stack}", "Callers"))
        for name, number, type, rows in self._related(row):
            others = rows[rows != row]
            if len(others) and len(found) < MOST_LINKS:
                found.append(Link(f"{name} {number}: {type}", self.ref(int(others[0])), "Events"))
        return found

    def related(self, row: int) -> tuple[str, I64Array]:
        """Returns the ids of an event as text, and all other events with one of them."""
        names: dict[str, None] = {}
        rows = [np.zeros(0, np.int64)]
        for name, number, _, found in self._related(row):
            names[f"{name} {number}"] = None
            rows.append(found)
        every = np.unique(np.concatenate(rows))
        return ", ".join(names), every[every != row]

    def _related(self, row: int) -> Iterator[tuple[str, str, str, I64Array]]:
        """Yields name and text of each id of an event, and the events of each type with the same id."""
        data = self._data
        chunk, type, values, _ = data.values(row)
        jvm = int(jvm_of_events(data, np.array([row]))[0])
        for field in () if type is None else type.fields:
            relation = relation_of(chunk.metadata, field)
            value = values.get(field.name)
            if relation and isinstance(value, int) and value:
                text = value_text(chunk, field, value)
                for other, name in self._types_with(relation):
                    rows, numbers = self._ids(other, name)
                    same = rows[numbers == np.int64(value)]
                    same = same[jvm_of_events(data, same) == jvm]
                    if len(same):
                        yield field.name, text, other, same

    def _types_with(self, relation: str) -> Sequence[tuple[str, str]]:
        """Returns types with a field of a relation, and the name of the field."""
        return self._data.computed(("relation", relation), lambda: self._find_types(relation))

    def _find_types(self, relation: str) -> Sequence[tuple[str, str]]:
        found = []
        for name in self._data.type_names:
            declared = self._data.declared(name)
            for field in () if declared is None else declared[1].fields:
                if relation_of(declared[0], field) == relation:  # type: ignore[index]
                    found.append((name, field.name))
        return found

    def _ids(self, type: str, field: str) -> tuple[I64Array, I64Array]:
        def read() -> tuple[I64Array, I64Array]:
            values = column_values(self._data, self._data.columns(type, [(field,)])[0])
            return self._data.rows_of(type)[values.is_known], values.numbers[values.is_known]

        return self._data.computed(("ids", type, field), read)


def relation_of(metadata: Metadata, field: Field) -> str:
    """Returns the name of the annotation by which a field joins events, such as `jdk.types.GcId`; empty: none.

    Such annotations are marked as relational; the addresses of monitors are not, but join events as well.
    """
    marked = metadata.id_of(RELATIONAL)
    for id in field.annotations:
        annotation = metadata.types.get(id)
        if annotation is not None and marked is not None and marked in annotation.annotations:
            return annotation.name
    if field.name == "address" and metadata.annotation(field, "jdk.jfr.MemoryAddress") is not None:
        return "address"
    return ""


def masked(name: str, text: str) -> str:
    """Masks a value whose name looks like a secret's, and words that do."""
    return masked_value(name, text) if name else " ".join(masked_words(text.split(" "), text.startswith("-")))
