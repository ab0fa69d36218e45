"""A table of a report as DuckDB 2 reads it: the columns and ranges of rows of a query, batch by batch.

`duckdb._sources` is private: DuckDB is pinned, and `tests/reporting/test_sql.py` tests what is used of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from duckdb._sources.arrow import ArrowScanSource
from duckdb._sources.nodes import Binary, Col, Lit

from parsers.model.tables.arrow_stream import ArrowColumns

if TYPE_CHECKING:
    from duckdb._sources.nodes import Node

    from parsers.model.tables.table import Table


class TableSource(ArrowScanSource):
    """One table for `register`."""

    schema_is_stable = True

    def __init__(self, table: Table) -> None:
        super().__init__(table)
        self._table = table
        self._names = [column.name for column in table.columns]

    def rows(self) -> int | None:
        """Number of rows. Without it DuckDB takes the table for a tiny one, and hashes the wrong side of joins."""
        return self._table.rows if self._table.is_counted else None

    def __arrow_c_schema__(self) -> Any:
        return self._table.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """All columns; `register` requires the method."""
        return self._table.__arrow_c_stream__(requested_schema)

    def accepts(self, predicate: Node) -> bool:
        """True for ranges of the key, which is the number of the row."""
        return self._range(predicate) is not None

    def stream(self, columns: Sequence[int] | None, filters: Sequence[Node]) -> tuple[object, bool]:
        """The columns by their numbers, and True as these are the only ones."""
        names = self._names if columns is None else [self._names[column] for column in columns]
        ranges = [self._range(each) or (0, 0) for each in filters]
        start, stop = max((each[0] for each in ranges), default=0), min((each[1] for each in ranges), default=None)
        by_name = {column.name: column for column in self._table.columns}
        chosen = ArrowColumns([by_name[name] for name in names], lambda: self._table.batches(names, start, stop))
        return chosen.__arrow_c_stream__(), columns is not None

    def _range(self, node: Node) -> tuple[int, int] | None:
        """The rows of a predicate; None if it is no range of rows."""
        key = self._table.key
        match node:
            case Binary("AND", left, right):
                one, other = self._range(left), self._range(right)
                return None if one is None or other is None else (max(one[0], other[0]), min(one[1], other[1]))
            case Binary("=" | "<" | "<=" | ">" | ">=" as sign, Col((name,)), Lit(int(value))) if name == key:
                first = {"=": value, ">=": value, ">": value + 1}.get(sign, 0)
                end = {"=": value + 1, "<=": value + 1, "<": value}.get(sign, self._table.rows)
                return max(first, 0), min(end, self._table.rows)
        return None
