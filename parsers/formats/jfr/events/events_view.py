"""The view "Events": each type with its events below it."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from parsers.formats.jfr.data.time_ranges import RANGE, WHOLE
from parsers.formats.jfr.tables.field_values import THREAD, values_of
from parsers.formats.jfr.time_range import SearchedView
from parsers.model.late.lazy_sequence import LazyItems
from parsers.model.names.java_name import package_end
from parsers.model.row import Badge, Column, Link, Section, SectionRow, Span
from parsers.model.trees.grouped_preorder import GroupedPreorder
from parsers.model.view import References, StrangeReference, UnknownReference
from parsers.views.list_view import ListRow

if TYPE_CHECKING:
    from parsers.formats.jfr.events.event_finder import Part
    from parsers.formats.jfr.read.metadata import Field, Metadata
    from parsers.model.arrays import AnyArray, BoolArray, I64Array

COLUMNS = (
    Column("share", "share", "percent", width=7, priority=2),
    Column("rate", "per second", "count/s", width=11, priority=1),
    Column("bytes", "bytes", "bytes", width=13, priority=3, adds_up=True),
    Column("duration", "duration", "ns", width=15, priority=4),
    Column("start", "start", "s", width=12, priority=5),
    Column("events", "events", width=11, priority=6, adds_up=True),
)


class EventsView(SearchedView):
    """Types by the number of their events; below each its events in the order of the file."""

    name = "Events"
    description = "Events by type, with all their fields"
    columns: tuple[Column, ...] = COLUMNS
    orders: tuple[str, ...] = ("events", "bytes", "start", "duration", "name")
    group_kinds = ("type",)

    @cached_property
    def _counts(self) -> list[int]:
        """Events by type."""
        return list(map(int, self._data.counts(self.time_span)))

    @cached_property
    def _sums(self) -> I64Array:
        """Durations by type."""
        found: I64Array = self._data.column("type_sum")
        return found if self.time_span is None else self._data.sums(self.time_span)

    @cached_property
    def _types(self) -> list[int]:
        """Numbers of types, those with the most events first."""
        there = (type for type, count in enumerate(self._counts) if count)
        return sorted(there, key=lambda type: (-self._counts[type], self._data.type_names[type]))

    @cached_property
    def _seconds(self) -> float:
        """Seconds of the time range."""
        first, last = self.time_span or self._data.column("span").tolist()
        return (last - first) / 1e9

    def make_rows(self) -> GroupedPreorder:
        """Returns types as groups, events as leaves."""
        return GroupedPreorder([0] * len(self._types), [self._counts[type] for type in self._types])

    def _row_of(self, group: int, leaf: int) -> int:
        return int(self.rows_of(self._types[group])[leaf])

    def group(self, group: int) -> ListRow:
        """Returns the row of a type."""
        data, type = self._data, self._types[group]
        name, count = data.type_names[type], self._counts[type]
        badges: dict[str, Badge] = {"events": count}
        badges["share"] = round(100 * count / max(sum(self._counts), 1), 2)
        if self._seconds > 0:
            badges["rate"] = round(count / self._seconds, 2)
        if self.time_span is None:
            badges["bytes"] = int(data.column("type_bytes")[type])
        if data.column("type_timed")[type]:
            badges["duration"] = int(self._sums[type])
        end = package_end(name)
        # Types are known as `jdk.FileRead`: only longer packages are shortened.
        spans = (Span(0, end + 1, "package"),) if "." in name[: max(end, 0)] else ()
        key = ("event type", name)
        return ListRow(
            "type", name, badges=badges, ref=f"type:{name}", key=key, spans=spans, sections=self._about(type)
        )

    def leaf(self, group: int, leaf: int) -> ListRow:
        """Returns the row of an event: its thread, and its first fields."""
        return self._events.entry(self._row_of(group, leaf))

    def labels(self, start: int, stop: int) -> list[str]:
        """Names of types, and events with all their fields: in these a search looks."""
        places = (self.rows.place(node) for node in range(start, stop))
        return [
            self._data.type_names[self._types[group]] if leaf < 0 else self._events.searched(self._row_of(group, leaf))
            for group, leaf in places
        ]

    def parts(self, nodes: I64Array) -> Iterator[Part]:
        at = 0
        while at < len(nodes):
            group, leaf = self.rows.place(int(nodes[at]))
            if leaf < 0:
                yield slice(at, at + 1), self._data.type_names[self._types[group]]
                at += 1
                continue
            first = self.rows.node(group, 0)
            stop = int(np.searchsorted(nodes, first + self.rows.leaves(group)))
            yield slice(at, stop), self.rows_of(self._types[group])[nodes[at:stop] - first]
            at = stop

    def key_of(self, group: int, leaf: int) -> Hashable | None:
        """Returns the key of a type, or of an event."""
        type = ("event type", self._data.type_names[self._types[group]])
        return type if leaf < 0 else self._events.key(self._row_of(group, leaf))

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
    def _field_text(metadata: Metadata, field: Field) -> str:
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
        rows = rows[self._is_there(rows)]
        nodes = LazyItems(len(rows), lambda place: self._node_of(int(rows[place])))
        return References(f"events with {ids or 'the same ids'}", self.name, nodes, have_labels=True)

    def _is_there(self, rows: I64Array) -> BoolArray | slice:
        """Returns, by event, True if it is in the time range."""
        return slice(None) if self.time_span is None else self._data.in_span(self.time_span, rows)

    def _node_of(self, row: int) -> int:
        type = self._data.event("type", row)
        return self.rows.node(self._types.index(type), int(np.searchsorted(self.rows_of(type), row)))

    def _find(self, row: int) -> int | None:
        """Returns the node of an event; None if it is not in the time range."""
        is_there = self.time_span is None or bool(self._data.in_span(self.time_span, np.array([row]))[0])
        return self._node_of(row) if is_there else None

    def link_of(self, node: int, entry: ListRow) -> str | None:
        """Returns None: Enter opens a type, and follows nothing."""
        return None

    def keys_of_leaves(self, order: str, group: int, leaves: range) -> AnyArray:
        """Returns sort keys of events by their columns; by name they are sorted by thread."""
        if order in ("events", "bytes"):
            return np.zeros(len(leaves), np.int64)
        rows = self.rows_of(self._types[group])[leaves.start : leaves.stop]
        found = values_of(self._data, "", THREAD, rows).ranks() if order == "name" else self._data.events(order, rows)
        return np.asarray(found)

    def find_key(self, key: Hashable) -> int | None:
        """Returns the node of a type or event."""
        match key:
            case ("event type", str(name)):
                type = self._data.type_numbers.get(name)
                return self.rows.node(self._types.index(type)) if type in self._types else None
        row = self._events.row_of_key(key)
        return None if row is None else self._find(row)

    def nodes_of(self, ref: str) -> Sequence[int]:
        """Returns the node of `type:NAME` or `event:NAME#N`, which counts from 1."""
        kind, _, name = ref.partition(":")
        if kind not in ("type", "event"):
            raise StrangeReference(f"{ref}: nothing of that name in {self.name}")
        node = self._find(self._events.row_of_ref(ref)) if kind == "event" else self.find_key(("event type", name))
        if node is None:
            raise UnknownReference(f"{ref}: {'not in the time range' if kind == 'event' else 'no events of that type'}")
        return [node]

    def chosen_for(self, ref: str) -> Mapping[str, str]:
        """Returns the whole time for events that are not in the time range."""
        if self.time_span is None or not ref.startswith("event:"):
            return {}
        return {RANGE.name: WHOLE} if self._find(self._events.row_of_ref(ref)) is None else {}
