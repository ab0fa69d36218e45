"""Declarations of tables: types of events, groups, and columns that are fields or aggregates of them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from parsers.formats.jfr.tables.field_values import DURATION, THREAD
from parsers.model.row import Column, Unit

How = Literal[
    "count", "sum", "share", "part", "average", "least", "longest", "first", "last", "difference", "unique", "list",
    "p50", "p90", "p95", "p99", "p999",
]  # fmt: skip
"""Aggregates. share: percent of the sum of all events; part: percent of the last value in the sum of the
last values; list: different texts."""


_CAPITAL = re.compile(r"([a-z])([A-Z])")
PRIORITIES = {
    name: priority
    for priority, names in {
        9: ("total", "duration", "allocated", "samples", "events", "invocations", "value", "life"),
        8: ("longest", "bytes", "heap_after", "enabled"),
        7: ("p99", "heap_before", "read", "written", "threshold"),
        6: ("count", "share"),
        3: ("start", "longest_pause", "p999", "p90", "least"),
    }.items()
    for name in names
}
"""Priorities of columns by name, where windows are narrow."""
EVERY = ("*",)
"""Types of a table of all events."""


@dataclass(frozen=True, slots=True)
class By:
    """A level of groups."""

    fields: tuple[str, ...]
    """The group of an event: the first of these fields that its type has."""
    kind: str = "value"
    prefix: str = ""
    """Text before the value in labels."""
    missing: str = "N/A"
    """Label of the group of events without value."""
    is_id: bool = False
    """True for numbers that mean something else in another JVM: those of collections, safepoints …"""


@dataclass(frozen=True, slots=True)
class AggregateColumn:
    """A column: an aggregate of a field."""

    column: Column
    how: How
    field: str
    types: tuple[str, ...] = ()
    """Types whose events count; empty: all of the table."""
    where: tuple[str, str] | None = None
    """A field, and its text in events that count."""
    is_private: bool = False
    """True if texts that look like secrets are masked."""


@dataclass(frozen=True, slots=True)
class EventTable:
    """A table. Without groups each event is a row; a form has one row for each column."""

    name: str
    types: tuple[str, ...]
    by: tuple[By, ...] = ()
    cells: tuple[AggregateColumn, ...] = ()
    alias: str = ""
    """Name in `jfr view`."""
    order: str = ""
    """Column by which groups are sorted, descending; with "+" ascending; empty: by label."""
    where: tuple[str, str] | None = None
    below: tuple[str, ...] | None = None
    """Types whose events are rows below the groups; None: all of the table."""
    label: str = ""
    """Field whose value is the label of an event; empty: its thread and first fields."""
    is_form: bool = False
    is_last_batch: bool = False
    """True if only events of the last moment of their type count: those taken at once of many subjects."""
    note: str = ""


def jdk(*names: str) -> tuple[str, ...]:
    """Returns full names of types of the JDK."""
    return tuple(f"jdk.{name}" for name in names)


def cell(
    name: str, how: How, field: str = "", unit: Unit = "count", title: str = "", width: int = 0, *,
    types: tuple[str, ...] = (), where: tuple[str, str] | None = None, is_private: bool = False,
) -> AggregateColumn:  # fmt: skip
    """Returns a column. field: empty for counts"""
    title = title or _CAPITAL.sub(r"\1 \2", name.replace("_", " ")).lower()
    width = width or max(len(title) + 1, {"ns": 13, "bytes": 15, "text": 22, "percent": 9}.get(unit, 11))
    priority = PRIORITIES.get(name, 1 if unit == "text" else 4)
    column = Column(name, title, unit, (), width, priority, how in ("count", "sum"), shows_text=unit == "text")
    return AggregateColumn(column, how, field, types, where, is_private)


def durations(*hows: How) -> tuple[AggregateColumn, ...]:
    """Returns columns of durations: `sum` is named total."""
    titles = {"sum": "total", "p50": "P50", "p90": "P90", "p95": "P95", "p99": "P99", "p999": "P99.9"}
    names = {"sum": "total"}
    return tuple(cell(names.get(how, how), how, DURATION, "ns", titles.get(how, how)) for how in hows)


def count(name: str = "count", **more: tuple[str, str] | tuple[str, ...]) -> AggregateColumn:
    """Returns a column with the number of events."""
    return cell(name, "count", **more)  # type: ignore[arg-type]


BY_THREAD = By((THREAD,), "thread")


def by(field: str, kind: str = "value", prefix: str = "") -> By:
    """Returns a level of groups by one field."""
    return By((field,), kind, prefix)


def by_id(field: str, kind: str = "value", prefix: str = "") -> By:
    """Returns a level of groups by a number of one JVM."""
    return By((field,), kind, prefix, is_id=True)
