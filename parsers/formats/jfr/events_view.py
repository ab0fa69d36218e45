"""The view "Events": each type with its events below it."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from parsers.formats.jfr.columns import LOST_STACK, NONE, NOTHING
from parsers.formats.jfr.value_text import duration_text, time_text, value_text
from parsers.model.grouped_preorder import GroupedPreorder
from parsers.model.java_name import package_end
from parsers.model.report import Badge, Column, Link, Section, SectionRow, Span, StrangeReference, UnknownReference
from parsers.views.grouped_view import GroupedView
from parsers.views.list_view import ListRow

if TYPE_CHECKING:
    from parsers.formats.jfr.read.metadata import Field
    from parsers.formats.jfr.report import JfrReport

COLUMNS = (
    Column("share", "share", "percent", width=7, priority=2),
    Column("rate", "per second", "count/s", width=11, priority=1),
    Column("bytes", "bytes", "bytes", width=13, priority=3, adds_up=True),
    Column("duration", "duration", "ns", width=15, priority=4),
    Column("start", "start", "s", width=12, priority=5),
    Column("events", "events", width=11, priority=6, adds_up=True),
)
HIDDEN = frozenset({"startTime", "duration", "eventThread", "stackTrace", "sampledThread"})
"""Fields that are not repeated in the label of an event."""
MOST_FIELDS = 4
"""Fields in the label of an event."""
MOST_TEXT = 60
"""Characters of a value in the label of an event."""
MOST_FRAMES = 100
"""Frames in the side pane."""


class EventsView(GroupedView):
    """Types by the number of their events; below each its events in the order of the file."""

    name = "Events"
    description = "Events by type, with all their fields"
    columns: tuple[Column, ...] = COLUMNS
    orders: tuple[str, ...] = ("events", "bytes", "start", "duration", "name")
    group_kinds = ("type",)

    def __init__(self, report: JfrReport) -> None:
        super().__init__()
        self._data = report.data

    @property
    def is_ready(self) -> bool:
        """True if the index is finished."""
        return self._data.is_complete

    @cached_property
    def _types(self) -> list[int]:
        """Numbers of types, those with the most events first."""
        counts = self._data.column("type_events").tolist()
        return sorted(range(len(counts)), key=lambda type: (-counts[type], self._data.type_names[type]))

    @cached_property
    def _span(self) -> tuple[int, float]:
        """First start in ns, and seconds until the last end."""
        first, last = self._data.column("span").tolist()
        return first, (last - first) / 1e9

    def make_rows(self) -> GroupedPreorder:
        """Returns types as groups, events as leaves."""
        counts = self._data.column("type_events").tolist()
        return GroupedPreorder([0] * len(self._types), [counts[type] for type in self._types])

    def _row_of(self, group: int, leaf: int) -> int:
        return int(self._data.rows_of(self._types[group])[leaf])

    def group(self, group: int) -> ListRow:
        """Returns the row of a type."""
        data, type = self._data, self._types[group]
        name, count = data.type_names[type], int(data.column("type_events")[type])
        badges: dict[str, Badge] = {"events": count, "bytes": int(data.column("type_bytes")[type])}
        badges["share"] = round(100 * count / max(data.rows, 1), 2)
        if self._span[1] > 0:
            badges["rate"] = round(count / self._span[1], 2)
        if data.column("type_timed")[type]:
            badges["duration"] = int(data.column("type_sum")[type])
        end = package_end(name)
        spans = (Span(0, end + 1, "package"),) if end > 0 else ()
        key = ("event type", name)
        return ListRow(
            "type", name, badges=badges, ref=f"type:{name}", key=key, spans=spans, sections=self._about(type)
        )

    def leaf(self, group: int, leaf: int) -> ListRow:
        """Returns the row of an event: its thread, and its first fields."""
        data, row = self._data, self._row_of(group, leaf)
        chunk, type, values, _ = data.values(row)
        thread = data.event("thread", row)
        parts = [] if thread == NONE else [data.text("thread", thread) or "(no name)"]
        fields = {} if type is None else {field.name: field for field in type.fields}
        shown = [name for name in values if name not in HIDDEN][:MOST_FIELDS]
        for name in shown:
            text = value_text(chunk, fields[name], values[name], chunk)
            parts.append(f"{name}={text if len(text) <= MOST_TEXT else text[:MOST_TEXT] + '…'}")
        badges: dict[str, Badge] = {"start": round((data.event("start", row) - self._span[0]) / 1e9, 6)}
        duration = data.event("duration", row)
        if duration != NOTHING:
            badges["duration"] = duration
        name = data.type_names[self._types[group]]
        place = data.event("place", row)
        return ListRow("event", "  ".join(parts) or name, badges=badges, ref=f"event:{name}#{leaf + 1}", offset=place)

    def key_of(self, group: int, leaf: int) -> Hashable | None:
        """Returns the key of a type, or of an event."""
        name = self._data.type_names[self._types[group]]
        return ("event type", name) if leaf < 0 else ("event", name, leaf)

    def _about(self, type: int) -> tuple[Section, ...]:
        name = self._data.type_names[type]
        declared = self._data.declared(name)
        if declared is None:
            return (Section("Type", (SectionRow(name), SectionRow("no metadata declare it"))),)
        metadata, found = declared
        rows = [SectionRow("name", name), SectionRow("label", metadata.label(found))]
        if text := metadata.text(found, "Description"):
            rows.append(SectionRow("description", text))
        fields = [SectionRow(field.name, self._field_text(metadata, field)) for field in found.fields]
        return Section("Type", tuple(rows)), Section("Fields", tuple(fields))

    @staticmethod
    def _field_text(metadata: Any, field: Field) -> str:
        type = metadata.types.get(field.type)
        return f"{'' if type is None else type.name}{'[]' if field.is_array else ''}  {metadata.label(field)}"

    def sections_of(self, group: int, leaf: int) -> Sequence[Section]:
        """Returns all fields of an event in their units, and its stack; of a type its fields."""
        if leaf < 0:
            return super().sections_of(group, leaf)
        data, row = self._data, self._row_of(group, leaf)
        chunk, type, values, is_whole = data.values(row)
        rows = [SectionRow("start", time_text(data.event("start", row)))]
        duration = data.event("duration", row)
        if duration != NOTHING:
            rows.append(SectionRow("duration", duration_text(duration)))
        for field in () if type is None else type.fields:
            if field.name in values and field.name not in ("startTime", "duration", "stackTrace"):
                rows.append(SectionRow(field.name, value_text(chunk, field, values[field.name], chunk)))
        if not is_whole:
            rows.append(SectionRow("the other fields", "can't be read"))
        found = [Section(data.type_names[self._types[group]], tuple(rows))]
        stack = data.event("stack", row)
        if stack != NONE:
            found.append(self._stack(stack))
        return found

    def _stack(self, stack: int) -> Section:
        data = self._data
        if stack == LOST_STACK:
            return Section("Stack", (SectionRow("[constants lost]", "the stack trace is not in the file"),))
        frames = data.frames_of(stack)
        rows = [SectionRow(data.frame_text(frame)) for frame in frames[:MOST_FRAMES].tolist()]
        if data.column("stack_cut")[stack]:
            rows.append(SectionRow("(stack truncated)"))
        return Section("Stack", tuple(rows), max(0, len(frames) - MOST_FRAMES))

    def links_of(self, group: int, leaf: int) -> Sequence[Link]:
        """Returns the link from an event to its thread."""
        if leaf < 0:
            return ()
        thread = self._data.event("thread", self._row_of(group, leaf))
        return () if thread == NONE else (Link("thread", f"thread:{thread}", "Threads"),)

    def link_of(self, node: int, entry: ListRow) -> str | None:
        """Returns None: Enter opens a type, and follows nothing."""
        return None

    def keys_of_leaves(self, order: str, group: int, leaves: range) -> Any:
        """Returns sort keys of events by their columns."""
        if order in ("events", "bytes"):
            return [0] * len(leaves)
        if order not in ("start", "duration"):
            return None
        rows = self._data.rows_of(self._types[group])[leaves.start : leaves.stop]
        return np.asarray(self._data.events(order, rows)).tolist()

    def find_key(self, key: Hashable) -> int | None:
        """Returns the node of a type or event."""
        if isinstance(key, tuple) and len(key) > 1 and key[0] in ("event type", "event"):
            number = self._data.type_numbers.get(key[1])
            if number is not None:
                return self.rows.node(self._types.index(number), key[2] if key[0] == "event" else -1)
        return None

    def nodes_of(self, ref: str) -> Sequence[int]:
        """Returns the node of `type:NAME` or `event:NAME#N`, which counts from 1."""
        kind, _, rest = ref.partition(":")
        if kind not in ("type", "event"):
            raise StrangeReference(f"{ref}: nothing of that name in {self.name}")
        name, _, text = rest.rpartition("#") if kind == "event" else (rest, "", "")
        number = self._data.type_numbers.get(name)
        if number is None:
            raise UnknownReference(f"{ref}: no events of that type")
        leaf = int(text) - 1 if text.isascii() and text.isdecimal() else -1
        if kind == "event" and not 0 <= leaf < int(self._data.column("type_events")[number]):
            raise UnknownReference(f"{ref}: no such event")
        return [self.rows.node(self._types.index(number), leaf)]
