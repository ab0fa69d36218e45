"""Rows: what one line of the screen shows, its columns and links, and the sections of the side pane."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any, Literal, NamedTuple

from parsers.model.value import value_class

Unit = Literal["count", "bytes", "percent", "ns", "ms", "s", "ticks", "text", "count/s", "bytes/s", "number"]
"""Units of numbers. "number": of unknown unit and size, with as many digits as it takes."""


Badge = int | float | str | None
SortKey = float | str | bytes
"""Value by which rows are sorted: numbers descending, texts ascending."""


FLAGS = (
    "suppressed",
    "empty",
    "unknown",
    "repaired",
    "damaged",
    "dangling",
    "recursive",
    "truncated",
    "partial",
)
"""All values that the `flags` of a row may contain."""


class Span(NamedTuple):
    """A part of a label and its role, by which a screen dims or shortens it.

    start, end: characters of the label, half open. role: "loader", "package", "class", "name" (of a method or field),
    "argument" (its package part is a span of its own with role "argument package"), "result" (and "result package"),
    "index", "place" (call site, after the method), or "text". Text without a span is plain.
    """

    start: int
    end: int
    role: str


@value_class
class Row:
    """Contents of the line of one node. Texts are as in the file: decoded, not yet safe for a terminal."""

    node: int
    kind: str
    label: str
    depth: int = 0
    badges: Mapping[str, Badge] = field(default_factory=dict)
    """By column or badge name; absent values have no entry."""
    flags: tuple[str, ...] = ()
    ref: str = ""
    """The REF that identifies this node in any opening of the same report."""
    line: int | None = None
    offset: int | None = None
    """Byte offset of the line in the unpacked file."""
    rows_below: int | None = None
    """Rows in the whole subtree; None while unknown or if unbounded."""
    is_growing: bool = False
    """True if `rows_below` may still rise because the index is being built."""
    has_children: bool = False
    link: str | None = None
    """The REF that Enter jumps to."""
    spans: tuple[Span, ...] = ()
    bars: Mapping[str, float] = field(default_factory=dict)
    """Lengths of bars by column name, as shares of the longest: 0 to 1."""
    look: str = ""
    """The kind whose mark the row shows, if it is not its own."""


@value_class
class Kind:
    """Marks of a kind of row on the screen (one cell, and one ASCII cell), and its title in help."""

    name: str
    mark: str
    ascii: str
    title: str


@value_class
class Column:
    """A number or short text at the right edge of a row.

    `badges` are tried in order, each with the sign before its value: (("id", "#"), ("id_ref", "↩")). The name
    "rows_below" means the row's own field. `width` is in cells and never changes. Columns with a high `priority` are
    the last to be dropped when the window is narrow.
    """

    name: str
    title: str
    unit: Unit = "count"
    badges: tuple[tuple[str, str], ...] = ()
    width: int = 9
    priority: int = 0
    adds_up: bool = False
    bar: int = 0
    """Cells of `width`, at its right, for a bar after the number; its length is in the row's `bars`."""
    shows_text: bool = False
    """True if its text is shown after the label when the column does not fit."""
    heading: str = ""
    """Text over the column, if not the title: it explains the signs before values. Rules name the title."""


def value_in(row: Row, column: Column) -> Badge:
    """Returns the value of a row in a column, a number or text: that of the first of its badges in the row."""
    for badge, _ in column.badges or ((column.name, ""),):
        if badge == "rows_below":
            return row.rows_below
        if badge in row.badges:
            return row.badges[badge]
    return None


def counted(count: Any, noun: str) -> str:
    """Returns a number with its noun: `1 sample`, `2,000 samples`, `2 classes`, `2 entries`. noun: the singular."""
    if count == 1:
        return f"1 {noun}"
    if noun.endswith(("s", "x", "ch")):
        return f"{count:,} {noun}es"
    return f"{count:,} {noun.removesuffix('y')}ies" if noun.endswith("ry") else f"{count:,} {noun}s"


def capitalized(text: str) -> str:
    """Returns a text with a capital first letter. Unlike `str.capitalize` it keeps other capitals: `Tier 4: C2`."""
    return text[:1].upper() + text[1:]


@value_class
class Link:
    """A link from a node to another node: label, target REF, and view (None: the default one)."""

    label: str
    ref: str
    view: str | None = None
    report: str = ""
    """The file of another report, if the REF belongs to that."""


@value_class
class SectionRow:
    """One line of a side pane: a name, a text, and optionally a REF that Enter follows."""

    label: str
    text: str = ""
    ref: str | None = None
    view: str | None = None
    badges: Mapping[str, Badge] = field(default_factory=dict)


@value_class
class Chart:
    """A number over time, in steps of equal length; `first` and `last` label both ends."""

    values: tuple[float, ...]
    unit: Unit = "count"
    first: str = ""
    last: str = ""


@value_class
class Section:
    """A block of the side pane: a chart, then rows. `more` is the number of rows left out."""

    title: str
    rows: tuple[SectionRow, ...]
    more: int = 0
    chart: Chart | None = None
