"""Layout of the lines of a side report: a table with a line for each row, without quoting, as printed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from parsers.model.row import Badge, Column, Span


@dataclass(frozen=True, slots=True)
class LineCells:
    """A parsed line."""

    kind: str
    label: str
    """Label of the row as printed, perhaps with a loader."""
    name: str = ""
    """The label without loader; empty if the row has no name."""
    badges: Mapping[str, Badge] = field(default_factory=dict)
    remark: str = ""
    """Text after the label."""
    links: tuple[tuple[str, str], ...] = ()
    """Other names in the row: their relation to the row, and the name, of the same kind as the row's own."""


@dataclass(frozen=True, slots=True)
class TableLayout:
    """One kind of table."""

    format: str
    view: str
    """Name of its only view."""
    kind: str
    """Kind of most of its rows; `kind:NAME` finds them, and identifies them in other reports."""
    parse: Callable[[str], LineCells | None]
    """Parses a line; None: it fits no form."""
    spans: Callable[[LineCells], tuple[Span, ...]]
    """Spans of a label; called for rows that are shown."""
    header: tuple[bytes, ...] = ()
    """Lines before the first row, without trailing blanks."""
    columns: tuple[Column, ...] = ()
    before: bytes = b"\n:"
    """Bytes that may precede a name."""
    after: bytes = b"\n"
    """Bytes that follow a name."""
    tally: Callable[[bytes], tuple[str, int] | None] | None = None
    """Name of a count and the increment for a line; None: it fits no form. None if every line is a row."""
    totals: tuple[str, ...] = ()
    """Counts that are totals."""
    has_loaders: bool = False
    """True if newer versions print a loader before names."""
    has_kinds: bool = False
    """True if rows are counted by a kind of their own."""
    depth: Callable[[bytes], int] | None = None
    """Depth of a line; None for a flat table."""
    has_links: bool = False
    """True if rows name others of the table."""
    sections: Mapping[str, str] = field(default_factory=dict)
    """Labels of a row's numbers and texts in the side pane, if other than the column's title."""

    @property
    def orders(self) -> tuple[str, ...]:
        """Sort keys: the columns, and the name."""
        return (*(column.name for column in self.columns), "name")
