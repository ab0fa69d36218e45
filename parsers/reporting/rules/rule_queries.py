"""Rules that are queries: checked with the declared tables of a format before any report is read."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from parsers.model.tables.table import Table, Tables, TableSet, TableType
from parsers.reporting.rules.query_rows import QueryRows, stored
from parsers.reporting.rules.rule_file import RuleError
from parsers.reporting.sql.database import MEMORY, Database, SqlError, import_duckdb

if TYPE_CHECKING:
    from parsers.model.report import Report
    from parsers.reporting.rules.rule import Rule


class RuleQueries:
    """The databases in which rules are queries: one for each report."""

    def __init__(
        self,
        declared: Callable[[Report], TableSet],
        opened: ExitStack,
        folder: str,
        memory: str = MEMORY,
        seconds: float | None = None,
    ) -> None:
        """Raises `ReportError` without DuckDB.

        declared  returns the tables that reports of a format may have, common ones included
        opened    closes the databases
        folder    for rows of the queries: a private one, which no other process removes
        """
        import_duckdb()
        self._declared, self._opened, self._folder = declared, opened, folder
        self._memory, self._seconds = memory, seconds
        self._empty: dict[int, Database] = {}
        """Databases of tables without rows, by `id` of their declaration."""
        self._databases: dict[int, Database] = {}
        """By `id` of a report."""
        self._asked = 0
        self._missing = ""

    def may_answer(self, rule: Rule, report: Report) -> bool:
        """Returns False if no report of that format has the tables of a query. Raises `RuleError` if it is wrong."""
        declared = self._declared(report)
        if id(declared) not in self._empty:
            self._empty[id(declared)] = self._database(Tables(map(_without_rows, declared.types), declared.views))
        with self._lacking(rule):
            self._empty[id(declared)].columns_of(rule.sql)
            return True
        return declared.is_open

    def view(self, rule: Rule, report: Report) -> QueryRows | None:
        """Returns the rows of a query over a complete report; None if it lacks a table. Raises `RuleError`."""
        if id(report) not in self._databases:
            self._databases[id(report)] = self._database(report.tables)
        self._asked += 1
        with self._lacking(rule):
            prefix = os.path.join(self._folder, str(self._asked))
            return QueryRows(report, rule.sql, stored(self._databases[id(report)], rule.sql, prefix))
        return None

    @contextmanager
    def _lacking(self, rule: Rule) -> Iterator[None]:
        """Notes the table that a report lacks. Raises `RuleError` for any other mistake in a query."""
        try:
            yield
        except SqlError as error:
            if not error.missing_table:
                raise RuleError(explained(error, rule)) from error
            self._missing = error.missing_table

    def why_not(self, reports: Iterable[Report]) -> str:
        """Returns the reason why none of some reports could answer the last query, and the tables that there are."""
        there = "; ".join(f"{report.title} has {', '.join(self._names(report))}" for report in reports)
        return f"sql: no report has a table {self._missing!r}: {there}"

    def _names(self, report: Report) -> list[str]:
        if report.progress.state == "ready":
            return sorted([*report.tables, *(view.name for view in report.tables.views)])
        declared = self._declared(report)
        return sorted([*(type.name for type in declared.types), *(view.name for view in declared.views)])

    def _database(self, tables: Tables) -> Database:
        made = Database({"report": tables}, memory=self._memory, seconds=self._seconds)
        self._opened.callback(made.close)
        return made


def explained(error: SqlError, rule: Rule) -> str:
    """Returns the message of a mistake in `sql`, with the line of the query if it has several."""
    is_known = error.line is not None and rule.query_line is not None
    return f"sql line {error.line}: {error.brief}" if is_known else f"sql: {error.brief}"


def _without_rows(type: TableType) -> Table:
    return Table(type, lambda: 0, {column.name: lambda start, stop: () for column in type.columns})
