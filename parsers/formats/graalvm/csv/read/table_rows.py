"""Data read from the tables of a CSV set: their rows by column, and other results of their chunks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from parsers.formats.graalvm.csv.read.kernel import COUNT, EDGE, INVOKE, NUMBER, PAIR
from parsers.kernels.large_pages import large

if TYPE_CHECKING:
    import numpy as np

    from parsers.model.arrays import AnyArray, I64Array, U8Array, U32Array

FORMS = {
    "vm": (COUNT, ()),
    "entry_points": (NUMBER, ("methods",)),
    "direct_edges": (EDGE, ("methods", "methods")),
    "virtual_edges": (EDGE, ("methods", "virtual_methods")),
    "override_by_edges": (PAIR, ("virtual_methods", "methods")),
    "invokes": (INVOKE, (None, "methods", "methods")),
    "targets": (PAIR, (None, "methods")),
}
"""By table: the form of its rows, and the tables that have the ids of its columns (None: ids of calls)."""
SHORTEST = {COUNT: 2, NUMBER: 2, PAIR: 4, EDGE: 6, INVOKE: 13}
"""Bytes of the shortest row of a form, with its line end."""
METHOD_TABLES = ("methods", "virtual_methods")
EDGES = ("direct_edges", "virtual_edges")
"""Tables whose rows are stored concatenated."""
COLUMNS = ("first", "second", "third")


@dataclass(frozen=True)
class TableFile:
    """A table that is being read."""

    table: str
    descriptor: int
    size: int
    header: bytes


@dataclass
class ChunkResult:
    """Results of a chunk other than its rows."""

    facts: np.void
    """A record `chunk.FACTS`."""
    bad_line: I64Array
    bad_offset: I64Array
    strange: Sequence[bytes] = ()
    strange_first: Any = None
    unknown: Sequence[tuple[int, AnyArray, AnyArray]] = ()
    """Unknown ids: the column, rows of the table, ids."""


class TableRows:
    """All rows of a table, as far as filled; or of two tables, concatenated."""

    def __init__(self, table: str, size: int) -> None:
        """size: bytes of the table or tables"""
        form, of = FORMS[table]
        most = size // SHORTEST[form] + 2
        self.count = 0
        self._columns = [large("i8" if each is None else "u4", most) for each in of]
        self._bci = large("u4", most if form in (EDGE, INVOKE) else 0)
        self._flag = large("u1", most if form == INVOKE else 0)

    @property
    def columns(self) -> list[AnyArray]:
        """Columns: uint32, or int64 for ids of calls."""
        return [column[: self.count] for column in self._columns]

    @property
    def bci(self) -> U32Array:
        """uint32, as in `kernel`."""
        return self._bci[: self.count]

    @property
    def flag(self) -> U8Array:
        """uint8."""
        return self._flag[: self.count]


@dataclass
class CsvTotals:
    """Counts of all tables."""

    rows: dict[str, int] = field(default_factory=dict)
    repaired: int = 0
    negative: int = 0
    chained: int = 0
    lines: int = 0
    crlf: int = 0
