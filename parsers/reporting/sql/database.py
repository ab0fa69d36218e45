"""Queries over tables of reports: one SELECT at a time, without access to files or network, within limits."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from parsers.model.report import ReportError

if TYPE_CHECKING:
    from collections.abc import Callable

    import duckdb

    from parsers.model.table import SqlView, Tables

MISSING = "SQL needs DuckDB: pip install 'coffeetree[sql]'"
MEMORY = "2GB"
"""Memory that DuckDB may use by default."""
FETCHED = 2048
"""Rows taken at once from a result."""
WAIT = 0.1
"""Seconds between checks for signals while a query runs."""
NAMES_OF_MAIN = ("main", "temp", "system", "memory", "information_schema", "pg_catalog")


class SqlError(ReportError):
    """A query is wrong or exceeds a limit. The text has the place where DuckDB names one."""


def import_duckdb() -> Any:
    """Returns the module. Raises `ReportError` with the way to get it."""
    try:
        import duckdb
    except ImportError as error:
        raise ReportError(MISSING) from error
    return duckdb


def quoted(name: str) -> str:
    """Returns a name as an SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """Returns a text as an SQL literal."""
    return "'" + text.replace("'", "''") + "'"


class Result:
    """Rows of a query, which are computed as they are taken."""

    def __init__(self, database: Database, cursor: Any) -> None:
        self._database = database
        self._cursor = cursor
        self.columns: Sequence[str] = [column[0] for column in cursor.description]
        self.types: Sequence[str] = [str(column[1]) for column in cursor.description]

    def batches(self) -> Iterator[list[tuple[Any, ...]]]:
        """Yields rows in lists. Raises `SqlError`."""
        while rows := self._database.wait_for(lambda: self._cursor.fetchmany(FETCHED)):
            yield rows

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """Yields rows. Raises `SqlError`."""
        for rows in self.batches():
            yield from rows


class Database:
    """Tables of one report, or of several in schemas of their own, in a connection that can do nothing else."""

    def __init__(
        self,
        reports: Mapping[str, Tables],
        *,
        allow_external: bool = False,
        memory: str = MEMORY,
        seconds: float | None = None,
    ) -> None:
        """
        reports         tables by schema; those of a single report need no schema
        allow_external  permits queries to read files and the network
        memory          limit, as DuckDB writes it: 2GB
        seconds         limit for each step of a query; None: none
        """
        self._duckdb = import_duckdb()
        self._seconds = seconds
        self._allow_external = allow_external
        try:
            self._connection: duckdb.DuckDBPyConnection = self._duckdb.connect(
                config={
                    "memory_limit": memory,
                    "temp_directory": "",
                    "python_enable_replacements": "false",
                    "autoload_known_extensions": "false",
                    "autoinstall_known_extensions": "false",
                    "preserve_insertion_order": "true",
                }
            )
        except self._duckdb.Error as error:
            raise SqlError(_message(error)) from error
        self._sources: list[Any] = []
        self.reports = reports
        for schema, tables in reports.items():
            self._add(schema if len(reports) > 1 else "", tables)
        if not allow_external:
            self._connection.execute("SET enable_external_access = false")
        self._connection.execute("SET lock_configuration = true")

    def _add(self, schema: str, tables: Tables) -> None:
        from parsers.reporting.sql.source import TableSource

        prefix = f"{quoted(schema)}." if schema else ""
        if schema:
            self._connection.execute(f"CREATE SCHEMA {prefix[:-1]}")
        for table in tables.values():
            source = TableSource(table)
            self._sources.append(source)
            own = f"{schema}.{table.name}" if schema else table.name
            self._connection.register(own, source)
            if schema:
                self._connection.execute(f"CREATE VIEW {prefix}{quoted(table.name)} AS FROM {quoted(own)}")
        if schema:
            self._connection.execute(f"SET search_path = {literal(schema)}")
        for view in tables.views:
            self._connection.execute(f"CREATE VIEW {prefix}{quoted(view.name)} AS {_query_in(view, prefix, tables)}")
        if schema:
            self._connection.execute("SET search_path = 'main'")

    def run(self, query: str) -> Result:
        """Runs one SELECT. Raises `SqlError`."""
        try:
            statements = self._duckdb.extract_statements(query)
        except self._duckdb.Error as error:
            raise SqlError(_message(error)) from error
        allowed = [self._duckdb.StatementType.SELECT, self._duckdb.StatementType.EXPLAIN]
        if len(statements) != 1 or statements[0].type not in allowed:
            raise SqlError("a query is one SELECT")
        return Result(self, self.wait_for(lambda: self._connection.execute(statements[0])))

    def copy(self, query: str, path: str, options: str = "FORMAT parquet, COMPRESSION zstd") -> None:
        """Writes the rows of a SELECT to a file; the connection must allow external access. Raises `SqlError`."""
        statements = self._duckdb.extract_statements(query)
        if len(statements) != 1 or statements[0].type != self._duckdb.StatementType.SELECT:
            raise SqlError("a query is one SELECT")
        text = f"COPY ({statements[0].query.strip().rstrip(';')}) TO {literal(path)} ({options})"
        self.wait_for(lambda: self._connection.execute(text))

    def interrupt(self) -> None:
        """Stops the running query, from any thread."""
        self._connection.interrupt()

    def close(self) -> None:
        """Closes the connection."""
        self._connection.close()

    def wait_for(self, work: Callable[[], Any]) -> Any:
        """Runs a step in a thread, so that signals are handled at once; they, and the limit of time, interrupt it.

        Raises `SqlError`.
        """
        done: list[Any] = []
        failed: list[BaseException] = []

        def run() -> None:
            try:
                done.append(work())
            except BaseException as error:
                failed.append(error)

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        left = self._seconds
        try:
            while thread.is_alive():
                thread.join(WAIT if left is None else min(WAIT, left))
                if left is not None and thread.is_alive():
                    left -= WAIT
                    if left <= 0:
                        self._stop(thread)
                        raise SqlError(f"the query takes longer than {self._seconds:g} seconds")
        except BaseException:
            self._stop(thread)
            raise
        if failed:
            if isinstance(failed[0], self._duckdb.Error):
                raise SqlError(_message(failed[0])) from failed[0]
            raise failed[0]
        return done[0]

    def _stop(self, thread: threading.Thread) -> None:
        while thread.is_alive():
            self.interrupt()
            thread.join(WAIT)


def _query_in(view: SqlView, prefix: str, tables: Tables) -> str:
    return view.query


def _message(error: Exception) -> str:
    """The message of DuckDB, with the line and the mark of the place, but without hints about its own files."""
    return re.sub(r"\n\n+", "\n", str(error)).strip()
