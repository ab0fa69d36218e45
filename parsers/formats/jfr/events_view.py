"""The view "Events": each type with its events below it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from parsers.formats.jfr.event_rows import EventRows
from parsers.model.grouped_preorder import GroupedPreorder
from parsers.model.java_name import package_end
from parsers.model.lazy_sequence import LazySequence
from parsers.model.report import (
    Badge,
    Column,
    Link,
    References,
    Section,
    SectionRow,
    Span,
    StrangeReference,
    UnknownReference,
)
from parsers.views.grouped_view import GroupedView
from parsers.views.list_view import ListRow

if TYPE_CHECKING:
    from parsers.formats.jfr.read.metadata import Field
    from parsers.formats.jfr.report import JfrReport
    from parsers.model.arrays import I64Array

COLUMNS = (
    Column("share", "share", "percent", width=7, priority=2),
    Column("rate", "per second", "count/s", width=11, priority=1),
    Column("bytes", "bytes", "bytes", width=13, priority=3, adds_up=True),
    Column("duration", "duration", "ns", width=15, priority=4),
    Column("start", "start", "s", width=12, priority=5),
    Column("events", "events", width=11, priority=6, adds_up=True),
)


class _Nodes(LazySequence[int]):
    """The nodes of some events."""

    def __init__(self, rows: I64Array, node_of: Callable[[int], int]) -> None:
        self._rows, self._node_of = rows, node_of

    def __len__(self) -> int:
        return len(self._rows)

    def item(self, index: int) -> int:
        """Returns a node."""
        return self._node_of(int(self._rows[index]))


class EventsView(GroupedView):
    """Types by the number of their events; below each its events in the order of the file."""

    name = "Events"
    description = "Events by type, with all their fields"
    columns = COLUMNS
    orders = ("events", "bytes", "start", "duration", "name")
    group_kinds = ("type",)

    def __init__(self, report: JfrReport) -> None:
        super().__init__()
        self._data = report.data
        self._events = EventRows(report.data, lambda: report.is_private_shown)

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
        events, row = self._events, self._row_of(group, leaf)
        ref = f"event:{self._data.type_names[self._types[group]]}#{leaf + 1}"
        badges = events.badges(row)
        return ListRow("event", events.label(row), badges=badges, ref=ref, offset=self._data.event("place", row))

    def labels(self, start: int, stop: int) -> list[str]:
        """Names of types, and events with all their fields: in these a search looks."""
        places = (self.rows.place(node) for node in range(start, stop))
        return [
            self._data.type_names[self._types[group]] if leaf < 0 else self._events.searched(self._row_of(group, leaf))
            for group, leaf in places
        ]

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
        return self._events.sections(self._row_of(group, leaf))

    def links_of(self, group: int, leaf: int) -> Sequence[Link]:
        """Returns the link from a type to its table, and those from an event to its thread, stack, and same ids."""
        if leaf < 0:
            return (Link("table of all fields", "node:0", self._data.type_names[self._types[group]]),)
        return self._events.links(self._row_of(group, leaf))

    def references(self, node: int) -> References:
        """Returns the events with the same ids."""
        group, leaf = self.rows.place(node)
        if leaf < 0:
            return super().references(node)
        ids, rows = self._events.related(self._row_of(group, leaf))
        return References(f"events with {ids or 'the same ids'}", self.name, _Nodes(rows, self._node_of))

    def _node_of(self, row: int) -> int:
        type = self._data.event("type", row)
        leaf = int(np.searchsorted(self._data.rows_of(type), row))
        return self.rows.node(self._types.index(type), leaf)

    def link_of(self, node: int, entry: ListRow) -> str | None:
        """Returns None: Enter opens a type, and follows nothing."""
        return None

    def keys_of_leaves(self, order: str, group: int, leaves: range) -> Any:
        """Returns sort keys of events by their columns."""
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
