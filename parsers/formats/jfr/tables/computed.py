"""A computed table: its groups with their aggregates, and the events below them, all as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from parsers.formats.jfr.data.jvms import jvm_of_events, jvms_of
from parsers.formats.jfr.tables.aggregates import aggregate
from parsers.formats.jfr.tables.field_values import DURATION, MISSING, NO_FIELDS, START, TYPE, Values, values_of
from parsers.formats.jfr.tables.table import EVERY
from parsers.model.distinct import distinct_places, ranks_of
from parsers.model.trees.grouped_preorder import GroupedPreorder
from parsers.model.trees.preorder import FlatPreorder

if TYPE_CHECKING:
    from parsers.formats.jfr.data.recorded_data import RecordedData, TimeSpan
    from parsers.formats.jfr.tables.table import AggregateColumn, By, EventTable
    from parsers.model.arrays import AnyArray, BoolArray, I64Array
    from parsers.model.row import Badge

IN_ORDER = ("first", "last", "difference", "part")
"""Aggregates that depend on the order of events."""
MANY = 50_000
"""Events of which only one column is kept."""
MOST_LISTED = 8
"""Texts of a list in a cell."""


class TableEvents:
    """The events of a table, those of tables with groups in the order of their ends."""

    def __init__(self, data: RecordedData, table: EventTable, span: TimeSpan | None = None) -> None:
        self._data, self._span = data, span
        self._values: dict[tuple[str, tuple[str, ...]], Values] = {}
        self._is_sorted = False
        """True if rows are not in the order of the file."""
        every = data.type_names if table.types == EVERY else table.types
        self.types = [type for type in every if len(data.rows_of(type, span))]
        rows = [self._rows(type, table) for type in self.types]
        self.rows: I64Array = rows[0] if len(rows) == 1 else np.concatenate([np.zeros(0, np.int64), *rows])
        numbers = np.arange(len(rows), dtype=np.min_scalar_type(max(len(rows), 1)))
        self.type_of = np.repeat(numbers, [len(each) for each in rows])
        if any(cell.how in IN_ORDER for cell in table.cells) and (table.by or table.is_form):
            ends = data.events("start", self.rows).astype(np.int64)
            ends += np.maximum(data.events("duration", self.rows).astype(np.int64), 0)
            self.sort(ends)

    def _rows(self, type: str, table: EventTable) -> I64Array:
        data = self._data
        rows = data.rows_of(type, self._span)
        if table.where is not None:
            field, text = table.where
            rows = rows[matching(values_of(data, type, field, rows), text)]
        if table.is_last_batch and len(rows):
            starts = data.events("start", rows)
            rows = rows[starts == starts.max()]
        return rows

    def values(self, field: str, types: tuple[str, ...] = ()) -> Values:
        """Returns the values of a field by event; of events of other types they are unknown, if types are given."""
        key = field, types
        if key not in self._values:
            if len(self.rows) > MANY:
                self._values.clear()
            self._values[key] = self._merged(field, types)
        return self._values[key]

    def badge(self, field: str, types: tuple[str, ...], event: int) -> Badge:
        """Returns the value of a field of one event; of many events not all are read for it."""
        if len(self.rows) <= MANY:
            return self.values(field, types).badge(event)
        type = self.types[self.type_of[event]]
        if types and type not in types:
            return None
        return values_of(self._data, type, field, self.rows[event : event + 1]).badge(0)

    def _merged(self, field: str, types: tuple[str, ...]) -> Values:
        if field in NO_FIELDS and field != TYPE:
            found = values_of(self._data, "", field, self.rows)
            return replace(found, is_known=found.is_known & self.is_of(types)) if types else found
        if len(self.types) == 1:
            return self._of_one_type(field)
        parts = []
        for number, type in enumerate(self.types):
            if types and type not in types:
                continue
            places = np.flatnonzero(self.type_of == number)
            order = places[np.argsort(self.rows[places], kind="stable")]
            parts.append((order, values_of(self._data, type, field, self.rows[order])))
        known = [part for part in parts if part[1].is_known.any()]
        is_known = np.zeros(len(self.rows), np.bool_)
        has_labels = any(values.labels is not None for _, values in known)
        is_float = any(values.numbers.dtype.kind == "f" for _, values in known)
        numbers = np.zeros(len(self.rows), np.float64 if is_float and not has_labels else np.int64)
        codes: dict[str, int] = {}
        for places, values in known:
            is_known[places] = values.is_known
            if has_labels:
                labelled = values if values.labels is not None else as_texts(values)
                of = np.array([codes.setdefault(label, len(codes)) for label in labelled.labels or ()], np.int64)
                numbers[places] = of[labelled.numbers]
            else:
                numbers[places] = values.numbers
        first = known[0][1] if known else None
        unit = "count" if first is None else first.unit
        is_address = first is not None and first.is_address
        return Values(numbers, is_known, list(codes) if has_labels else None, unit, is_address)

    def _of_one_type(self, field: str) -> Values:
        type, rows = self.types[0], self.rows
        if not self._is_sorted:
            return values_of(self._data, type, field, rows)
        order = np.argsort(rows, kind="stable")
        places, found = ranks_of(order), values_of(self._data, type, field, rows[order])
        return replace(found, numbers=found.numbers[places], is_known=found.is_known[places])

    def sort(self, keys: I64Array) -> None:
        """Orders the events by some numbers, ascending."""
        self._is_sorted = True
        order = np.argsort(keys, kind="stable")
        self.rows, self.type_of = self.rows[order], self.type_of[order]
        self._values.clear()

    def is_of(self, types: Sequence[str]) -> BoolArray:
        """Returns by event whether it is of one of some types."""
        return np.isin(self.type_of, [self.types.index(type) for type in types if type in self.types])


def matching(values: Values, text: str) -> BoolArray:
    """Returns by event whether its value is a text; case is ignored."""
    wanted = text.lower()
    if values.labels is None:
        return values.is_known & (values.numbers == int(text)) if text.isdecimal() else np.zeros_like(values.is_known)
    is_wanted = np.array([label.lower() == wanted for label in values.labels], np.bool_)
    return values.is_known & (is_wanted[values.numbers] if len(is_wanted) else False)


def as_texts(values: Values) -> Values:
    """Returns numbers as texts, for fields that are texts of other types."""
    used, codes = distinct_places(values.numbers)
    return Values(codes, values.is_known, [f"{each:g}" if values.numbers.dtype.kind == "f" else str(each)
                                                       for each in used.tolist()])  # fmt: skip


class Level(NamedTuple):
    """The groups of one level, in the order of the table."""

    group_of: I64Array
    """By event: its group."""
    parents: I64Array
    """By group: the group above it."""
    labels: Sequence[str]
    cells: Sequence[Values]
    """By column."""


class FlatPlaces(FlatPreorder):
    """Leaves without groups: places as in `GroupedPreorder`."""

    groups = 0

    def __init__(self, count: int) -> None:
        super().__init__(lambda: count, lambda: True)

    def place(self, node: int) -> tuple[int, int]:
        """The group 0, and the leaf number of a node."""
        if not 0 <= node < self.rows:
            raise IndexError(f"no node {node}")
        return 0, node

    def tops(self, start: int, stop: int) -> Sequence[int]:
        """All nodes of a range."""
        return range(start, stop)

    def node(self, group: int, leaf: int = -1) -> int:
        """The node of a leaf."""
        return leaf


class ComputedTable:
    """A table of one recording."""

    def __init__(self, data: RecordedData, table: EventTable, span: TimeSpan | None = None) -> None:
        """span: only events in this range of time; None: all"""
        self._data, self.table = data, table
        self.events = TableEvents(data, table, span)
        events = len(self.events.rows)
        self.levels: list[Level] = []
        if not table.by and not table.is_form and table.order:
            self.events.sort(self._sort_keys([self.events.values(cell.field) for cell in table.cells], ()))
        if table.is_form:
            group_of = np.zeros(events, np.int64)
            cells = [self._cell(cell, group_of, 1) for cell in table.cells]
            self.levels = [Level(group_of, np.zeros(1, np.int64), [table.name], cells)]
        for by in table.by:
            self.levels.append(self._level(by, self.levels[-1] if self.levels else None))

    def _level(self, by: By, above: Level | None) -> Level:
        codes, labels = self._codes(by)
        parent_of = np.zeros(len(codes), np.int64) if above is None else above.group_of
        pairs, group_of = distinct_places(parent_of * max(len(labels), 1) + codes)
        parents, of_codes = pairs // max(len(labels), 1), pairs % max(len(labels), 1)
        named = [labels[code] for code in of_codes.tolist()]
        cells = [self._cell(cell, group_of, len(pairs)) for cell in self.table.cells]
        order = np.lexsort((self._sort_keys(cells, named), parents))
        sorted_cells = [
            Values(each.numbers[order], each.is_known[order], each.labels, each.unit, each.is_address)
            for each in cells
        ]  # fmt: skip
        return Level(
            ranks_of(order)[group_of], parents[order], [named[place] for place in order.tolist()], sorted_cells
        )

    def _sort_keys(self, cells: Sequence[Values], labels: Sequence[str]) -> I64Array:
        """Returns numbers by which groups are sorted, ascending."""
        name = self.table.order.removeprefix("+")
        for cell, values in zip(self.table.cells, cells, strict=True):
            if cell.column.name == name:
                ranks: I64Array = values.ranks()
                return ranks if self.table.order.startswith("+") else -ranks
        found: I64Array = ranks_of(sorted(range(len(labels)), key=labels.__getitem__))
        return found

    def _codes(self, by: By) -> tuple[I64Array, list[str]]:
        """Returns by event the number of a label; events with different values may have equal labels."""
        codes = np.zeros(len(self.events.rows), np.int64)
        labels = [by.missing]
        is_open = np.ones(len(codes), np.bool_)
        for field in by.fields:
            values = self.events.values(field)
            is_new = is_open & values.is_known
            if by.is_id and len(jvms_of(self._data)):
                values = _of_jvms(values, jvm_of_events(self._data, self.events.rows))
            used, numbers = distinct_places(values.numbers[is_new])
            codes[is_new] = numbers + len(labels)
            shown = Values(used, np.ones(len(used), np.bool_), values.labels, values.unit, values.is_address)
            labels += [f"{by.prefix}{badge}" for badge in shown.badges()]
            is_open &= ~values.is_known
        return codes, labels

    def _cell(self, cell: AggregateColumn, group_of: I64Array, count: int) -> Values:
        """Returns a column by group."""
        events = self.events
        is_used = events.is_of(cell.types) if cell.types else np.ones(len(group_of), np.bool_)
        if cell.where is not None:
            is_used &= matching(events.values(cell.where[0]), cell.where[1])
        values = events.values(cell.field, cell.types) if cell.field else None
        if values is not None:
            is_used &= values.is_known
        groups = group_of[is_used]
        unit = cell.column.unit
        if values is None or cell.how == "count":
            counts, is_known = aggregate("count", groups, count, groups)
            if cell.how == "share":
                return Values(_shares(counts), is_known & (counts > 0), None, unit)
            return Values(counts, is_known, None, unit)
        numbers = values.numbers[is_used]
        if cell.how == "list":
            return _listed(groups, numbers, values, count)
        if cell.how == "share":
            sums, is_known = aggregate("sum", groups, count, numbers)
            return Values(_shares(sums), is_known, None, unit)
        if cell.how == "part":
            found, is_known = aggregate("last", groups, count, numbers)
            return Values(_shares(np.where(is_known, found, 0)), is_known, None, unit)
        found, is_known = aggregate(cell.how, groups, count, numbers)
        if cell.how == "average" and unit in ("ns", "bytes") and found.dtype.kind == "f":
            found = np.round(found).astype(np.int64)
        if cell.how == "difference" and (unit, values.unit) == ("ns", "s"):
            found = np.round(found * 1e9).astype(np.int64)
        has_labels = cell.how in ("first", "last", "least", "longest")
        return Values(found, is_known, values.labels if has_labels else None, unit, values.is_address and has_labels)

    # -- rows ---------------------------------------------------------------------------------------------------------

    @cached_property
    def _below(self) -> tuple[I64Array, I64Array]:
        """Events below the deepest groups, by group and then by start, and the first of each group."""
        deepest = self.levels[-1]
        below = self.table.below
        used = np.arange(len(deepest.group_of)) if below is None else np.flatnonzero(self.events.is_of(below))
        starts = self._data.events("start", self.events.rows[used]).astype(np.int64)
        used = used[np.lexsort((starts, deepest.group_of[used]))]
        groups = len(deepest.labels)
        return used, np.searchsorted(deepest.group_of[used], np.arange(groups + 1))

    @cached_property
    def preorder(self) -> GroupedPreorder | FlatPlaces:
        """The rows: groups with events below them, events alone, or the columns of a form."""
        if not self.levels:
            return FlatPlaces(len(self.events.rows))
        if self.table.is_form:
            return GroupedPreorder([0] * len(self.table.cells), [0] * len(self.table.cells))
        firsts = self._below[1]
        counts = np.diff(firsts).tolist()
        depths, leaves = [], []
        for level, group in self._places:
            depths.append(level)
            leaves.append(counts[group] if level == len(self.levels) - 1 else 0)
        return GroupedPreorder(depths, leaves)

    @cached_property
    def _places(self) -> list[tuple[int, int]]:
        """Levels and groups in document order."""
        found: list[tuple[int, int]] = []
        parents = [level.parents.tolist() for level in self.levels]
        last = [-1] * len(self.levels)
        deepest = len(self.levels) - 1
        for group in range(len(self.levels[deepest].labels)):
            path = [group]
            for level in range(deepest, 0, -1):
                path.append(parents[level][path[-1]])
            for level, each in enumerate(reversed(path)):
                if last[level] != each:
                    last[level] = each
                    found.append((level, each))
        return found

    def group(self, group: int) -> tuple[int, int]:
        """Returns level and number of a group in document order."""
        return self._places[group]

    def event(self, group: int, leaf: int) -> int:
        """Returns the number of an event in `events`."""
        if not self.levels:
            return leaf
        used, firsts = self._below
        return int(used[int(firsts[self._places[group][1]]) + leaf])

    def events_of(self, group: int, leaves: range) -> I64Array:
        """Returns numbers of events in `events`."""
        if not self.levels:
            return np.arange(leaves.start, leaves.stop)
        used, firsts = self._below
        first = int(firsts[self._places[group][1]])
        return used[first + leaves.start : first + leaves.stop]

    def place_of(self, event: int) -> tuple[int, int] | None:
        """Returns the group and leaf of an event; None if it is not below a group."""
        used, firsts = self._below
        number = int(self.levels[-1].group_of[event])
        first, end = int(firsts[number]), int(firsts[number + 1])
        found = np.flatnonzero(used[first:end] == event)
        if not len(found):
            return None
        return self._places.index((len(self.levels) - 1, number)), int(found[0])

    @cached_property
    def numbers_of_groups(self) -> dict[tuple[str, ...], int]:
        """Groups by their path of labels; of equal paths the first."""
        found: dict[tuple[str, ...], int] = {}
        for group in range(len(self._places)):
            found.setdefault(self.path(group), group)
        return found

    def path(self, group: int) -> tuple[str, ...]:
        """Returns the labels from the top to a group."""
        level, number = self._places[group]
        labels = []
        for each in range(level, -1, -1):
            labels.append(self.levels[each].labels[number])
            number = int(self.levels[each].parents[number])
        return tuple(reversed(labels))

    def own_field(self, cell: AggregateColumn) -> tuple[str, tuple[str, ...]] | None:
        """Returns the field of single events in a column, and the types with it; None: it counts or compares events."""
        if cell.how not in ("sum", "first", "last") or not cell.field:
            return None
        return cell.field, () if cell.field in (START, DURATION) else cell.types

    def own_values(self, cell: AggregateColumn) -> Values | None:
        """Returns the values of single events in a column."""
        found = self.own_field(cell)
        return None if found is None else self.events.values(*found)

    def own_badge(self, cell: AggregateColumn, event: int) -> Badge:
        """Returns the value of an event in a column."""
        found = self.own_field(cell)
        return None if found is None else self.events.badge(*found, event)


def _of_jvms(values: Values, jvms: I64Array) -> Values:
    """Returns ids with the numbers of their JVMs, as texts: those of different JVMs differ."""
    used, codes = distinct_places(values.numbers)
    pairs, numbers = distinct_places(codes * (jvms.max(initial=0) + 1) + jvms)
    shown = Values(used, np.ones(len(used), np.bool_), values.labels, values.unit, values.is_address)
    places = np.divmod(pairs, jvms.max(initial=0) + 1)
    labels = [
        f"{shown.badge(code)} of JVM {jvm + 1}" for code, jvm in zip(*(each.tolist() for each in places), strict=True)
    ]
    return Values(numbers, values.is_known, labels)


def _shares(sums: AnyArray) -> AnyArray:
    shares: AnyArray = 100 * sums / max(sums.sum(), 1)
    return shares


def _listed(groups: I64Array, numbers: I64Array, values: Values, count: int) -> Values:
    """Returns the different texts of each group, as one text."""
    pairs = np.unique(np.stack([groups, numbers]), axis=1) if len(groups) else np.zeros((2, 0), np.int64)
    texts: list[list[str]] = [[] for _ in range(count)]
    for group, number in pairs.T.tolist():
        texts[group].append(MISSING if values.labels is None else values.labels[number])
    shown = [", ".join(sorted(each)[:MOST_LISTED]) + (", …" if len(each) > MOST_LISTED else "") for each in texts]
    return Values(np.arange(count), np.array([bool(each) for each in texts], np.bool_), shown)
