"""How the lines of a side report are read: a table of one line a row, without quoting, as its printer writes it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from parsers.model.report import Badge, Column, Span


@dataclass(frozen=True, slots=True)
class Cells:
    """A line taken apart."""

    kind: str
    label: str
    """What the row is called, as printed: perhaps with a loader."""
    name: str = ""
    """The same without loader; empty where the row names no thing."""
    badges: Mapping[str, Badge] = field(default_factory=dict)
    remark: str = ""
    """Text after the label."""
    links: tuple[tuple[str, str], ...] = ()
    """What else it names: what that is to the row, and its name, of the same kind as the row's own."""


@dataclass(frozen=True, slots=True)
class Layout:
    """One kind of table."""

    format: str
    title: str
    view: str
    """What its only view is called."""
    kind: str
    """What its rows are, mostly; `kind:NAME` finds them, and makes them the same things in other reports."""
    parse: Callable[[str], Cells | None]
    """Takes a line apart; None: it fits no form."""
    spans: Callable[[Cells], tuple[Span, ...]]
    """What the pieces of a label are; asked of rows that are shown."""
    header: tuple[bytes, ...] = ()
    """The lines before the first row, blanks at their ends left out."""
    columns: tuple[Column, ...] = ()
    before: bytes = b"\n:"
    """What may stand before a name: one of these bytes."""
    after: bytes = b"\n"
    """What stands behind a name."""
    tally: Callable[[bytes], tuple[str, int] | None] | None = None
    """What a line adds to which count; None: it fits no form. None for a table of which every line is a row."""
    totals: tuple[str, ...] = ()
    """Which of its counts are totals."""
    has_loaders: bool = False
    """Whether newer versions print a loader before names."""
    has_kinds: bool = False
    """Whether it counts rows by a kind of their own."""
    depth: Callable[[bytes], int] | None = None
    """How deep a line stands; None where none lies below another."""
    has_links: bool = False
    """Whether rows name others of the table."""
    sections: Mapping[str, str] = field(default_factory=dict)
    """What numbers and texts of a row are called in the side pane, where that is not the column's title."""

    @property
    def orders(self) -> tuple[str, ...]:
        """Sort keys: the columns, and the name."""
        return (*(column.name for column in self.columns), "name")
