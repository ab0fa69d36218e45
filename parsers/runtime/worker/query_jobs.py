"""The jobs of a child that queries reports with SQL: the schema, and queries whose rows go to files."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from parsers.model.report import ReportError
from parsers.model.row import counted
from parsers.runtime.worker.child_jobs import Jobs, opened_report

if TYPE_CHECKING:
    from parsers.model.report import Report
    from parsers.model.tables.table import Tables
    from parsers.reporting.sql.database import Database
    from parsers.runtime.worker.job import JobMessage

MOST_ROWS = 1_000_000
"""Maximum rows of a result."""
MOST_BYTES = 1 << 30
"""Maximum bytes of a result, exceeded by one batch at most."""
CUT = f"a result has at most {counted(MOST_ROWS, 'row')} and {MOST_BYTES >> 30} GB"
STEP = 0.01
"""Seconds between two looks at a running query."""
LATER = "coffeetree sql --memory permits more"
"""Advice when a query exceeds the limit of memory."""


class QueryJobs(Jobs):
    """The jobs of one child, with the reports they query."""

    def __init__(self, folder: str, memory: int) -> None:
        """memory: bytes that DuckDB may use"""
        super().__init__(folder)
        self._memory = memory
        self._reports: dict[str, Report] = {}
        self._database: Database | None = None
        self._lock = threading.Lock()
        self._kinds = {"schema": self._schema, "query": self._query}

    def warm_up(self) -> None:
        """Imports DuckDB, if it is there."""
        from parsers.reporting.sql.database import import_duckdb

        with contextlib.suppress(ReportError):
            import_duckdb()

    def follow_index(self, message: JobMessage) -> None:
        """Sets the reports, and whether their indexes are finished."""
        if "report" in message:
            self._close()
        super().follow_index(message)

    def _close(self) -> None:
        if self._database is not None:
            self._database.close()
        for report in self._reports.values():
            report.close()
        self._database, self._reports = None, {}

    def _opened(self) -> Database:
        """The database of the reports, opened by the first job. Raises `ReportError`."""
        if self._database is None:
            from parsers.reporting.sql.database import Database

            assert self._asked is not None
            self._reports = {schema: _open(asked) for schema, asked in self._asked["reports"].items()}
            tables = {schema: report.tables for schema, report in self._reports.items()}
            self._database = Database(tables, memory=f"{self._memory}B", more_memory=LATER)
        return self._database

    def _schema(self, message: JobMessage) -> Iterator[JobMessage]:
        yield from self._steps(DescribedSchema(self._opened, self._lock))

    def _query(self, message: JobMessage) -> Iterator[JobMessage]:
        yield from self._steps(StoredQuery(self._opened, self._lock, message["query"], self._path(message, "rows")))

    def _steps(self, work: DatabaseWork) -> Iterator[JobMessage]:
        yield from self._wait_for_index()
        work.start()
        try:
            while not work.ended.wait(STEP):
                yield work.news()
        finally:
            work.stop()
        yield work.news()


class DatabaseWork:
    """Work in a thread with the database, which does one thing at a time."""

    def __init__(self, opened: Callable[[], Database], lock: threading.Lock) -> None:
        """
        opened  returns the database
        lock    held while the database is used
        """
        self.ended = threading.Event()
        self.is_stopped = False
        self.wrong = ""
        """Reason of a failure, perhaps of several lines."""
        self._opened, self._lock = opened, lock
        self._database: Database | None = None

    def start(self) -> None:
        """Starts the thread."""
        threading.Thread(target=self._run, daemon=True).start()

    def work(self, database: Database) -> None:
        """Works. May raise `ReportError`."""
        raise NotImplementedError

    def news(self) -> JobMessage:
        """The state for the caller."""
        return {"wrong": self.wrong}

    def stop(self) -> None:
        """Interrupts the work, and waits for its end."""
        self.is_stopped = True
        while not self.ended.is_set():
            if self._database is not None:
                self._database.interrupt()
            self.ended.wait(STEP)

    def _run(self) -> None:
        try:
            with self._lock:
                database = self._opened()
                self._database = database
                if not self.is_stopped:
                    self.work(database)
        except ReportError as error:
            self.wrong = str(error)
        except MemoryError:
            self.wrong = f"the query needs too much memory: {LATER}"
        except OSError as error:
            self.wrong = f"the rows can't be stored: {error.strerror}"
        except Exception as error:  # The border: a table may fail in any way.
            self.wrong = f"{type(error).__name__}: {error}"
        finally:
            self.ended.set()


class DescribedSchema(DatabaseWork):
    """Tables, functions and reserved words."""

    def __init__(self, opened: Callable[[], Database], lock: threading.Lock) -> None:
        super().__init__(opened, lock)
        self._found: JobMessage = {}

    def work(self, database: Database) -> None:
        """Looks them up."""
        tables = [each for name, found in database.reports.items() for each in described(database, name, found)]
        self._found = {"tables": tables, "functions": database.functions(), "reserved": database.reserved()}

    def news(self) -> JobMessage:
        """The state, with all of it once the work has ended."""
        return {**super().news(), **self._found}


class StoredQuery(DatabaseWork):
    """A query whose rows go to files."""

    def __init__(self, opened: Callable[[], Database], lock: threading.Lock, query: str, prefix: str) -> None:
        """prefix: beginning of the paths of the files"""
        super().__init__(opened, lock)
        self._query, self._prefix = query, prefix
        self._rows: int | None = None
        """Rows stored; None before the columns are known."""
        self._cut = ""

    def news(self) -> JobMessage:
        """The number of rows, and whether some were left out."""
        rows = self._rows
        return {**super().news(), "count": rows or 0, "has_columns": rows is not None, "cut": self._cut}

    def work(self, database: Database) -> None:
        """Runs the query."""
        from parsers.reporting.sql.stored_rows import RowWriter

        columns, result = database.run_stored(self._query)
        with RowWriter(self._prefix, columns) as writer:
            self._rows = 0
            for rows in result.batches():
                space = MOST_ROWS - writer.rows if writer.bytes < MOST_BYTES else 0
                if space:
                    writer.append(rows[:space])
                    self._rows = writer.rows
                if len(rows) > space:
                    self._cut = CUT
                if self._cut or self.is_stopped:
                    break
        database.forget_result()


def _open(asked: JobMessage) -> Report:
    report = opened_report(asked)
    report.is_private_shown = asked["is_private_shown"]
    return report


def described(database: Database, schema: str, tables: Tables) -> Iterator[JobMessage]:
    """Yields tables and views with their columns, as JSON."""
    from parsers.reporting.sql.database import quoted

    for table in tables.values():
        columns = [[each.name, each.type, each.unit or "", each.key, each.about] for each in table.columns]
        yield {"schema": schema, "name": table.name, "about": table.type.about, "columns": columns}
    for view in tables.views:
        typed = database.columns_of(f"FROM {quoted(schema)}.{quoted(view.name)}")
        columns = [[name, type, "", "", ""] for name, type in typed]
        yield {"schema": schema, "name": view.name, "about": view.about, "columns": columns}
