"""Tables of a report: documented columns, read by ranges of rows.

A table computes nothing until a column is read. Integers are signed, since SQL refuses to subtract unsigned ones below
zero. Texts are valid UTF-8, whatever the file contains.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from typing import Any

from parsers.model.late import numpy as np
from parsers.model.tables.column_values import Known, ReadColumn, SqlType, TableColumn, Values, python_texts
from parsers.model.value import value_class

DTYPES: Mapping[SqlType, str] = {"BOOLEAN": "?", "INTEGER": "i4", "BIGINT": "i8", "DOUBLE": "f8"}
_TABLES = re.compile(r"\b(?:FROM|JOIN) (\w+)")
"""Names of tables in the query of a view."""
BATCH = 60 * 2048
"""Rows of a batch: those of a row group of DuckDB."""


@value_class
class TableType:
    """A documented table: its columns, the key first."""

    name: str
    about: str
    columns: tuple[TableColumn, ...]


@value_class
class SqlView:
    """A view over the tables of a report: a SELECT, with its meaning."""

    name: str
    about: str
    query: str


@value_class
class TableSet:
    """The tables that reports of a format have besides the common ones, for documents."""

    types: tuple[TableType, ...] = ()
    views: tuple[SqlView, ...] = ()
    questions: tuple[tuple[str, str], ...] = ()
    """Worked questions, each with its query."""
    is_open: bool = False
    """True if reports have more tables, which depend on the file."""


class Table:
    """One table of a report."""

    def __init__(
        self,
        type: TableType,
        rows: Callable[[], int],
        columns: Mapping[str, ReadColumn],
        *,
        other: Callable[[TableColumn], ReadColumn] | None = None,
        is_counted: bool = True,
    ) -> None:
        """
        columns     readers of the columns of the type; a first column without one, the key, is the number of the row
        other       returns the reader of a column that is not among them, and no key; None: there is no such column
        is_counted  False if the number of rows is known only when they are made
        """
        if other is not None:
            columns = {**{each.name: other(each) for each in type.columns[1:] if each.name not in columns}, **columns}
        self.is_counted = is_counted
        self.type = type
        self._rows = rows
        self.key = type.columns[0].name if type.columns[0].name not in columns else ""
        """Name of the column that is the number of the row; empty: there is none."""
        self._columns = {self.key: _row_numbers, **columns} if self.key else dict(columns)
        self._types = {column.name: column for column in type.columns}
        if missing := self._types.keys() ^ self._columns.keys():
            raise ValueError(f"columns of {type.name}: {', '.join(sorted(missing))}")

    @property
    def name(self) -> str:
        """Name of the table."""
        return self.type.name

    @property
    def columns(self) -> tuple[TableColumn, ...]:
        """The documented columns."""
        return self.type.columns

    @property
    def rows(self) -> int:
        """Number of rows."""
        return self._rows()

    def read(self, name: str, start: int = 0, stop: int | None = None) -> Values:
        """Returns the values of a column in a range of rows, in the type of the column. Raises `KeyError`."""
        stop = self.rows if stop is None else min(stop, self.rows)
        values = self._columns[name](start, stop)
        type = self._types[name].type
        if type == "VARCHAR":
            return values
        if isinstance(values, Known):
            return Known(np.asarray(values.numbers).astype(DTYPES[type], copy=False), values.is_known)
        return np.asarray(values).astype(DTYPES[type], copy=False)

    def numpy(self, name: str) -> Any:
        """Returns a whole column: an array, masked where unknown; texts as objects, None where unknown."""
        values = self.read(name)
        if isinstance(values, Known):
            return np.ma.masked_array(values.numbers, ~values.is_known)
        if self._types[name].type == "VARCHAR":
            return np.array(python_texts(values), object)
        return values

    def batches(
        self, names: Sequence[str], start: int = 0, stop: int | None = None
    ) -> Iterator[tuple[int, list[Values]]]:
        """Yields numbers of rows, and the values of these columns."""
        stop = self.rows if stop is None else min(stop, self.rows)
        for first in range(start, stop, BATCH):
            end = min(first + BATCH, stop)
            yield end - first, [self.read(name, first, end) for name in names]

    def arrow(self, *names: str) -> Any:
        """Returns some columns, or all, as an object with an Arrow C stream, for pandas, Polars, DuckDB and pyarrow."""
        from parsers.model.tables.arrow_stream import ArrowColumns

        chosen = names or tuple(self._types)
        return ArrowColumns([self._types[name] for name in chosen], lambda: self.batches(chosen))

    def __arrow_c_schema__(self) -> Any:
        """Returns the names and types of all columns."""
        return self.arrow().__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Returns all columns, batch by batch."""
        return self.arrow().__arrow_c_stream__(requested_schema)


class Tables(Mapping[str, Table]):
    """Tables of a report by name, with views over them."""

    def __init__(self, tables: Iterable[Table] = (), views: Sequence[SqlView] = ()) -> None:
        self._tables = {table.name: table for table in tables}
        self.views = tuple(views)

    def __getitem__(self, name: str) -> Table:
        return self._tables[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._tables)

    def __len__(self) -> int:
        return len(self._tables)

    def __or__(self, more: Tables) -> Tables:
        return Tables([*self.values(), *more.values()], (*self.views, *more.views))


def views_over(views: Iterable[SqlView], tables: Container[str]) -> list[SqlView]:
    """Returns the views whose tables are there."""
    return [view for view in views if all(name in tables for name in _TABLES.findall(view.query))]


def _row_numbers(start: int, stop: int) -> Values:
    return np.arange(start, stop)
