"""Columns that tables of call trees and object trees share, in ranges of rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from parsers.formats.graalvm.text.indexed_tree import DECLARES, KIND
from parsers.model.late import numpy as np
from parsers.model.none import NONE
from parsers.model.tables.column_values import Known, ReadColumn, TableColumn, TextArrays, Values, interned, numbered
from parsers.model.tables.table import Table, TableType

if TYPE_CHECKING:
    from parsers.formats.graalvm.text.report import TextReport
    from parsers.model.arrays import AnyArray, BoolArray, I64Array, U32Array


OfRows = Callable[["U32Array"], Values]
"""Values of a column for some rows of a tree."""


class RowsOfTree:
    """Rows and vertices of a finished index as numpy arrays."""

    report: TextReport[Any]

    def __init__(self, report: TextReport[Any]) -> None:
        self.report = report
        self.tree = report.indexed
        self.array = report.indexed.array

    @cached_property
    def names(self) -> TextArrays:
        """All unique names."""
        report = self.report
        return interned(self.array("name_starts"), self.array("name_bytes"), report.text, report.encoding)

    @cached_property
    def first_rows(self) -> U32Array:
        """By vertex the row of its declaration, else the first one that names it."""
        declarations, rows = self.array("declaration"), self.array("vertex_row")
        if not len(rows):
            return np.asarray(declarations)
        starts = np.minimum(self.array("vertex_start")[:-1], len(rows) - 1)
        return np.where(declarations == NONE, rows[starts], declarations)

    def chosen(self, is_chosen: Callable[[AnyArray], AnyArray]) -> Callable[[int, int], U32Array]:
        """Returns a function that gives a range of the rows of some kinds: uint32. They are searched on first use."""
        made: list[U32Array] = []

        def rows(start: int, stop: int) -> U32Array:
            if not made:
                made.append(np.flatnonzero(is_chosen(self.tree.kinds(0, self.tree.rows))).astype(np.uint32))
            return made[0][start:stop]

        return rows

    def table_of_rows(
        self,
        type: TableType,
        is_chosen: Callable[[AnyArray], AnyArray],
        own: Mapping[str, OfRows],
    ) -> Table:
        """Returns a table of the rows of some kinds. own: values of rows in columns that only this table has"""
        rows = self.chosen(is_chosen)
        values: dict[str, OfRows] = {
            "is_declaration": self.declares,
            "is_reference": self.refers,
            "depth": lambda rows: self.array("depth")[rows],
            "rows_below": self.below,
            "line": self.tree.lines_of,
            "ref": self.refs,
            **own,
        }

        def reader(column: TableColumn) -> ReadColumn:
            return lambda start, stop: values[column.name](rows(start, stop))

        return Table(type, lambda: len(rows(0, self.tree.rows)), {}, other=reader)

    def kinds_of(self, rows: U32Array | slice) -> I64Array:
        """Returns the numbers of the kinds of rows."""
        kinds: I64Array = (self.array("kind")[rows] & np.uint8(KIND)).astype(np.int64)
        return kinds

    def declares(self, rows: U32Array) -> BoolArray:
        """Returns True for rows that declare an id."""
        found: BoolArray = self.array("kind")[rows] >= DECLARES
        return found

    def refers(self, rows: U32Array) -> BoolArray:
        """Returns True for rows that refer to an id declared elsewhere."""
        ids = of_places(self.tree.ids(), self.array("vertex")[rows])
        found: BoolArray = (ids >= 0) & ~self.declares(rows)
        return found

    def below(self, rows: U32Array) -> Known:
        """Returns the numbers of descendants of rows; unknown for NONE."""
        is_known = rows != NONE
        asked = np.where(is_known, rows, 0).astype(np.int64)
        return Known(self.tree.ends_of(asked) - asked - 1 if self.tree.rows else asked, is_known)

    def lines(self, rows: U32Array) -> Known:
        """Returns the lines of rows; unknown for NONE."""
        is_known = rows != NONE
        return Known(self.tree.lines_of(np.where(is_known, rows, 0)), is_known)

    def refs(self, rows: U32Array) -> TextArrays:
        """Returns the REFs of rows."""
        return numbered("line:", self.tree.lines_of(rows))

    def retained(self) -> Known:
        """Returns the numbers of vertices that each vertex dominates, itself included; unknown if it is unreachable."""
        rows = self.report.graph.cache.dominator_rows("vertex")
        is_known = rows.row != NONE
        retained = np.zeros(len(rows.row), np.int64)
        retained[is_known] = rows.retained[rows.row[is_known]]
        return Known(retained, is_known)


def known(numbers: I64Array) -> Known:
    """Returns numbers of which negative ones are unknown."""
    return Known(numbers, numbers >= 0)


def of_places(values: I64Array, places: U32Array) -> I64Array:
    """Returns the values at places; -1 at NONE."""
    if not len(values):
        return np.full(len(places), -1, np.int64)
    is_known = places != NONE
    return np.where(is_known, values[np.where(is_known, places, 0)], -1)
