"""Views of declared tables: one of several by a switch, or a single one by its name in `jfr view`."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from parsers.formats.jfr.events.event_rows import COMMAND_LINES, masked
from parsers.formats.jfr.events.value_text import grouping
from parsers.formats.jfr.tables.computed import ComputedTable
from parsers.formats.jfr.tables.declarations import VIEWS, aliases
from parsers.formats.jfr.tables.field_values import DURATION, START, THREAD, TYPE, fields_of, type_label, values_of
from parsers.formats.jfr.tables.table import EVERY, AggregateColumn, EventTable, cell
from parsers.formats.jfr.time_range import RangedView, SearchedView
from parsers.model.late.preparation import LazyValue, Preparation
from parsers.model.row import Badge, Column, Link, Section, SectionRow, SortKey, capitalized
from parsers.model.time_text import nanos_text, time_text
from parsers.model.view import References, StrangeReference, Switch, UnknownReference
from parsers.profile.method_name import spans_of
from parsers.views.grouped_view import GroupedView
from parsers.views.list_view import ListRow
from parsers.views.timelines.moments import exact_seconds
from parsers.views.timelines.timeline_view import SECOND

if TYPE_CHECKING:
    from parsers.formats.jfr.data.recorded_data import RecordedData, TimeSpan
    from parsers.formats.jfr.events.event_finder import Part
    from parsers.formats.jfr.report import JfrReport
    from parsers.model.arrays import I64Array

TABLE = "table"
START_CELL = "start"
"""Name of the column with the start of a group."""
FORM = (Column("value", "value", "text", width=44, shows_text=True),)
LETTER = "t"
KEPT = 8
"""Computed tables that are kept."""
FEW = 100_000
"""Events whose table is computed at once."""
MOST_TYPES = 3
"""Types that a message names."""
MOST_COLUMNS = 100
"""Columns of the fields of a type."""


class TablesView(RangedView, GroupedView):
    """Declared tables, of which a switch chooses one."""

    known_when = "the index is finished"

    def __init__(self, report: JfrReport, name: str, description: str, tables: Sequence[EventTable]) -> None:
        super().__init__(report)
        self.name, self.description = name, description
        self._tables = tables
        self._computed: dict[tuple[str, TimeSpan | None], LazyValue[ComputedTable]] = {}

    # -- the choice ---------------------------------------------------------------------------------------------------

    @property
    def _there(self) -> Sequence[EventTable]:
        """The tables with events; all before they are known."""
        if not self.is_ready:
            return self._tables
        found = [each for each in self._tables if has_events(self._data, each)]
        return found or self._tables

    @property
    def own_switches(self) -> tuple[Switch, ...]:
        """The choice of the table, if there are several."""
        names = tuple(table.name for table in self._there)
        return (Switch(TABLE, LETTER, TABLE, names),) if len(names) > 1 else ()

    @property
    def table(self) -> EventTable:
        """The chosen table."""
        tables = self._there
        chosen = self.choice(TABLE)
        return next((table for table in tables if table.name == chosen), tables[0])

    @property
    def note(self) -> str:
        """The remark of the table."""
        return self.table.note

    @property
    def empty_because(self) -> str:
        """The types of which the recording has no events."""
        types = self.table.types
        more = ", …" if len(types) > MOST_TYPES else ""
        return f"the recording has no events {', '.join(types[:MOST_TYPES])}{more}"

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns of the chosen table."""
        return FORM if self.table.is_form else tuple(cell.column for cell in self.table.cells)

    @property
    def orders(self) -> tuple[str, ...]:
        """All columns, and labels."""
        return () if self.table.is_form else (*(cell.column.name for cell in self.table.cells), "name")

    @property
    def sorted_by(self) -> str:
        """The column by which groups are sorted."""
        order = self.table.order
        return "" if not self.table.by else f"-{order[1:]}" if order.startswith("+") else order or "name"

    # -- rows ---------------------------------------------------------------------------------------------------------

    @property
    def _lazy(self) -> LazyValue[ComputedTable]:
        table, span = self.table, self.time_span
        if (table.name, span) not in self._computed:
            while len(self._computed) >= KEPT:
                del self._computed[next(iter(self._computed))]
            self._computed[table.name, span] = LazyValue(lambda: ComputedTable(self._data, table, span))
        return self._computed[table.name, span]

    @property
    def is_prepared(self) -> bool:
        """False if many events have to be read first."""
        if not self.is_ready or self._lazy.is_prepared:
            return True
        types = self._data.type_names if self.table.types == EVERY else self.table.types
        counts, numbers = self._data.column("type_events"), self._data.type_numbers
        return sum(int(counts[numbers[type]]) for type in types if type in numbers) <= FEW

    def preparation(self) -> Preparation | None:
        """Work that computes the table."""
        return self._lazy.preparation() if self.is_ready else None

    @cached_property
    def _shown(self) -> ComputedTable:
        return self._lazy.value

    def make_rows(self) -> Any:
        """Returns the rows of the table."""
        return self._shown.preorder

    def group(self, group: int) -> ListRow:
        """Returns the row of a group, or of a column of a form."""
        shown, table = self._shown, self.table
        if table.is_form:
            return self._form_row(group)
        level, number = shown.group(group)
        label = shown.levels[level].labels[number]
        badges: dict[str, Badge] = {}
        for each, values in zip(table.cells, shown.levels[level].cells, strict=True):
            badge = values.badge(number)
            if badge is not None:
                badges[each.column.name] = self._masked(label, badge, each.is_private)
        kind = table.by[level].kind
        return ListRow(kind, label, badges=badges, key=self.key_of(group, -1), spans=spans_of(kind, label))

    def _form_row(self, place: int) -> ListRow:
        shown, each = self._shown, self.table.cells[place]
        values = shown.levels[0].cells[place]
        badge = self._masked(each.column.title, values.badge(0), each.is_private)
        badges = {} if badge is None else {"value": badge_text(badge, each, self._data.first_start)}
        return ListRow("value", each.column.title, badges=badges, key=("jfr value", self.table.name, each.column.name))

    def _masked(self, name: str, badge: Badge, is_private: bool) -> Badge:
        if not is_private or self._report.is_private_shown or not isinstance(badge, str):
            return badge
        return masked(name, badge)

    def leaf(self, group: int, leaf: int) -> ListRow:
        """Returns the row of an event."""
        shown = self._shown
        event = shown.event(group, leaf)
        row = int(shown.events.rows[event])
        found = {each.column.name: shown.own_badge(each, event) for each in self.table.cells}
        badges = {name: badge for name, badge in found.items() if badge is not None}
        for each in self.table.cells:
            if each.is_private and each.column.name in badges:
                badges[each.column.name] = self._events.text(row, each.field)
        return ListRow(
            "event",
            self._label(event, row),
            badges=badges,
            ref=self._events.ref(row),
            offset=self._data.event("place", row),
        )

    def _label(self, event: int, row: int) -> str:
        """Returns the label of an event; phases within phases are indented."""
        events, table = self._shown.events, self.table
        type = events.types[events.type_of[event]]
        if table.label:
            level = type[-1] if type[-1].isdecimal() else "0"
            return f"{'· ' * int(level)}{events.values(table.label).text(event)}"
        hidden = {field for by in table.by for field in by.fields} | {each.field for each in table.cells}
        label = self._events.label(row, hidden) if table.by else self._events.thread(row)
        is_named = len(events.types) > 1 and all(by.fields != (TYPE,) for by in table.by)
        return f"{type.rpartition('.')[2]}  {label}" if is_named else label

    def remark_of(self, group: int, leaf: int) -> str:
        """Returns the type of an event with a label of its own."""
        if leaf < 0 or not self.table.label:
            return ""
        return type_label(self._data, self._data.type_names[self._data.event("type", self._row_of(group, leaf))])

    def labels(self, start: int, stop: int) -> list[str]:
        """Labels; those of events with the values of all columns: in these a search looks."""
        rows = map(self.entry_of, range(start, stop))
        return [
            row.label if row.kind != "event" else "  ".join(map(str, (row.label, *row.badges.values()))) for row in rows
        ]

    def _row_of(self, group: int, leaf: int) -> int:
        return int(self._shown.events.rows[self._shown.event(group, leaf)])

    def sections_of(self, group: int, leaf: int) -> Sequence[Section]:
        """Returns the fields and stack of an event, the columns of a group."""
        if leaf >= 0:
            return self._events.sections(self._row_of(group, leaf))
        row = self.group(group)
        titles = {column.name: column for column in self.columns}
        rows = [SectionRow("", row.label)]
        rows += [SectionRow(titles[name].title, badges={name: badge}) for name, badge in row.badges.items()]
        return (Section(capitalized(self.table.name), tuple(rows)),)

    def links_of(self, group: int, leaf: int) -> Sequence[Link]:
        """Returns the links of an event: itself in the view of events, its thread, its stack, the same ids.

        Of a collection its moment, and its point in the chart.
        """
        if leaf < 0:
            shown = self.group(group)
            start = shown.badges.get(START_CELL)
            if shown.kind != "collection" or not isinstance(start, float):
                return ()
            moment = f"moment:{exact_seconds(round(start * SECOND))}"
            chart = Link("chart", f"collection:{shown.label}", "GC chart")
            is_in_chart = "jdk.GarbageCollection" in self._data.type_numbers
            return (Link("the time line then", moment, "Time line"), *((chart,) if is_in_chart else ()))
        row = self._row_of(group, leaf)
        return (Link("event", self._events.ref(row), "Events"), *self._events.links(row))

    def references(self, node: int) -> References:
        """Returns the events of a group."""
        _, leaf = self.rows.place(node)
        return References(f"rows of {self.row(node).label}", self.name, () if leaf >= 0 else self.tree.children(node))

    # -- order and places ---------------------------------------------------------------------------------------------

    def sort_keys(self, order: str, nodes: Sequence[int]) -> Sequence[SortKey]:
        """Returns numbers by which groups or events are sorted; events by name are sorted by thread."""
        if not len(nodes) or self.table.is_form:
            return super().sort_keys(order, nodes)
        shown = self._shown
        group, leaf = self.rows.place(nodes[0])
        if leaf < 0 and order == "name":
            return super().sort_keys(order, nodes)
        if leaf < 0:
            level = shown.group(group)[0]
            place = next(place for place, each in enumerate(self.table.cells) if each.column.name == order)
            ranks = shown.levels[level].cells[place].ranks()
            numbers = [shown.group(self.rows.place(node)[0])[1] for node in nodes]
            return ranks[numbers].tolist()  # type: ignore[no-any-return]
        each = next((each for each in self.table.cells if each.column.name == order), None)
        values = shown.events.values(self.table.label or THREAD) if each is None else shown.own_values(each)
        if values is None:
            return [-1] * len(nodes)
        if isinstance(nodes, range):
            return values.ranks()[shown.events_of(group, range(leaf, leaf + len(nodes)))]  # type: ignore[no-any-return]
        offsets = np.asarray(nodes, np.int64) - nodes[0]
        events = shown.events_of(group, range(leaf, leaf + int(offsets.max()) + 1))[offsets]
        return values.ranks()[events]  # type: ignore[no-any-return]

    def key_of(self, group: int, leaf: int) -> Hashable | None:
        """Returns the key of a group: its table and labels; of an event its type and number."""
        if leaf >= 0:
            return self._events.key(self._row_of(group, leaf))
        if self.table.is_form:
            return ("jfr value", self.table.name, self.table.cells[group].column.name)
        return ("jfr row", self.table.name, *self._shown.path(group))

    def find_key(self, key: Hashable) -> int | None:
        """Returns the row of a group."""
        if isinstance(key, tuple) and key[:2] == ("jfr row", self.table.name) and self.is_ready and self.table.by:
            group = self._shown.numbers_of_groups.get(key[2:])
            return None if group is None else self.rows.node(group)
        return None

    def nodes_of(self, ref: str) -> Sequence[int]:
        """Returns the nodes of `KIND:LABEL` and `name:LABEL` of a group, and of `event:TYPE#N`."""
        kind, _, rest = ref.partition(":")
        if kind == "event":
            return self._nodes_of_event(ref, rest)
        if self.table.is_form or not self.table.by:
            raise StrangeReference(f"{ref}: nothing of that name in {self.name}")
        kinds = {by.kind for by in self.table.by}
        if kind != "name" and kind not in kinds:
            raise StrangeReference(f"{ref}: nothing of that name in {self.name}")
        found = [group for path, group in self._shown.numbers_of_groups.items() if path[-1] == rest]
        return [self.rows.node(group) for group in found]

    def _nodes_of_event(self, ref: str, rest: str) -> Sequence[int]:
        name, _, text = rest.rpartition("#")
        rows = self._data.rows_of(name)
        number = int(text) - 1 if text.isascii() and text.isdecimal() else -1
        if not 0 <= number < len(rows):
            raise UnknownReference(f"{ref}: no such event")
        if self.table.is_form or name not in self._shown.events.types:
            raise StrangeReference(f"{ref}: not in {self.name}")
        shown = self._shown
        found = np.flatnonzero(shown.events.rows == rows[number])
        if not len(found) or not shown.levels:
            return [self.rows.node(0, int(each)) for each in found]
        places = shown.place_of(int(found[0]))
        return [] if places is None else [self.rows.node(*places)]


class TypeView(SearchedView, TablesView):
    """The table of all events of a type."""

    def parts(self, nodes: I64Array) -> Iterator[Part]:
        if len(nodes):
            yield slice(0, len(nodes)), self._shown.events.rows[nodes]


def badge_text(badge: Badge, cell: AggregateColumn, first: int) -> str:
    """Formats the value of a form. first: start of the recording, in nanoseconds since 1970"""
    if isinstance(badge, str) or badge is None:
        return badge or ""
    unit = cell.column.unit
    if unit == "s":
        return f"{time_text(first + round(badge * 1e9))} UTC"
    if unit == "ns":
        return nanos_text(round(badge))
    text = f"{badge:,.2f}" if isinstance(badge, float) else f"{badge:{grouping(cell.column.name)}}"
    return text + {"percent": " %", "bytes": " bytes"}.get(unit, "")


def has_events(data: RecordedData, table: EventTable) -> bool:
    """True if a recording has events for a table."""
    return table.types == EVERY or any(type in data.type_numbers for type in table.types)


def table_of_type(data: RecordedData, type: str) -> EventTable:
    """Returns the table of all events of a type, with its fields as columns; those of structs are named `a.b`."""
    declared = data.declared(type)
    rows = data.rows_of(type)[:1]
    cells = [cell(START, "first", START, "s", "start", 12)]
    for path, _ in () if declared is None else [*islice(fields_of(*declared), MOST_COLUMNS)]:
        if path == DURATION:
            cells.append(cell(DURATION, "first", DURATION, "ns", DURATION))
            continue
        values = values_of(data, type, path, rows)
        unit = "text" if values.labels is not None or values.is_address else values.unit
        is_private = path in COMMAND_LINES
        cells.append(cell(path, "first", path, unit, path, is_private=is_private))
    return EventTable(type, (type,), (), tuple(cells))


def declared_view(report: JfrReport, name: str) -> TablesView:
    """Returns a view of `declarations.VIEWS`."""
    view = VIEWS[name]
    return TablesView(report, name, view.description, view.tables)


def has_declared(data: RecordedData, name: str) -> bool:
    """True if a recording has events for a view of `declarations.VIEWS`."""
    return any(has_events(data, table) for table in VIEWS[name].tables if table.types != EVERY)


def hidden_view(report: JfrReport, name: str) -> TablesView | None:
    """Returns the view of a name in `jfr view`, or of a type of events; None: there is none."""
    found = aliases().get(name.lower())
    if found is not None:
        return TablesView(report, name.lower(), f"`jfr view {found[1].alias}`: see {found[0]}", (found[1],))
    if not report.is_complete:
        return None
    names = {type.lower(): type for type in reversed(report.data.type_names)}
    types = {**{type.rpartition(".")[2].lower(): type for type in report.data.type_names}, **names}
    type = types.get(name.lower())
    if type is None:
        return None
    return TypeView(report, type, "Events of one type, with their fields", (table_of_type(report.data, type),))
