"""Queries over tables of reports: one SELECT at a time, without access to files or network, within limits."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from parsers.io.background_task import BackgroundTask
from parsers.model.report import ReportError
from parsers.model.tables.table import BATCH, SqlView
from parsers.reporting.sql.stored_rows import StoredColumn, form_of, unique

if TYPE_CHECKING:
    from collections.abc import Callable

    import duckdb

    from parsers.model.tables.table import Table, Tables

MISSING = "SQL needs DuckDB: pip install 'coffeetree[sql]'"
MEMORY = "2GB"
"""Memory that DuckDB may use by default."""
FETCHED = 2048
"""Rows taken at once from a result."""
WAIT = 0.1
"""Seconds between checks for signals while a query runs."""
FETCHED_AS_THEY_ARE = ("VARCHAR", "BOOLEAN", "DATE", '"NULL"')
"""Types that are stored as texts, and have values in Python."""
MORE_MEMORY = "more memory is permitted by --memory"


_LINE = re.compile(r"\nLINE (\d+): ")
_NO_TABLE = re.compile(r"Catalog Error: Table with name (.+?) does not exist")
_ASKS_FOR_ALL = re.compile(r"information_schema|\b(?:duckdb|pg|pragma|sqlite)_|\b(?:describe|show)\b", re.I)
"""Parts of queries for the tables that there are."""


class SqlError(ReportError):
    """A query is wrong or exceeds a limit. The text has the place where DuckDB names one."""

    @property
    def line(self) -> int | None:
        """Line of the query, from 1; None: none is named."""
        found = _LINE.search(str(self))
        return int(found[1]) if found else None

    @property
    def missing_table(self) -> str:
        """The table that the report lacks; empty: something else is wrong."""
        found = _NO_TABLE.match(str(self))
        return found[1] if found else ""

    @property
    def brief(self) -> str:
        """The message in one line, without the text of the query."""
        return " ".join(_LINE.split(str(self), maxsplit=1)[0].split())


def import_duckdb() -> Any:
    """Returns the module. Raises `ReportError` that says how to install it."""
    try:
        import duckdb
    except ImportError as error:
        raise ReportError(MISSING) from error
    return duckdb


def parquet_tables(folder: str) -> list[str]:
    """Names of the tables that `export --to parquet` wrote to a folder; empty for any other folder."""
    with os.scandir(folder) as each:
        return sorted(entry.name for entry in each if entry.is_dir() and _has_parquet(entry.path))


def _has_parquet(folder: str) -> bool:
    with os.scandir(folder) as files:
        return any(file.name.endswith(".parquet") for file in files)


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
        folders: Sequence[str] = (),
        exported: Mapping[str, str] | None = None,
        more_memory: str = MORE_MEMORY,
        default: str = "",
    ) -> None:
        """
        reports         tables by schema; names of a single report need no schema before them
        allow_external  permits queries to read files and the network
        memory          limit, as DuckDB writes it: 2GB
        seconds         limit for each step of a query; None: none
        folders         folders that may be read and written nevertheless
        exported        by schema a folder with a folder of Parquet files for each table
        more_memory     advice when a query exceeds the limit of memory
        default         schema whose names need no schema before them; empty: the only one
        """
        self._more_memory = more_memory
        self._duckdb = import_duckdb()
        self._seconds = seconds
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
            raise SqlError(self._message(error)) from error
        self._sources: list[Any] = []
        self.reports = reports
        self._unnamed: dict[tuple[str, str], Table | SqlView | str] = {}
        """By schema and name what no query has named yet: a table, a view, or the pattern of files of a table."""
        for schema, tables in reports.items():
            sources: tuple[Table | SqlView, ...] = (*tables.values(), *tables.views)
            self._unnamed |= {(schema, each.name): each for each in sources}
        for schema, folder in (exported or {}).items():
            self._unnamed |= {
                (schema, table): os.path.join(folder, table, "*.parquet") for table in parquet_tables(folder)
            }
        schemas = [*reports, *(exported or {})]
        for schema in schemas:
            self._connection.execute(f"CREATE SCHEMA {quoted(schema)}")
        if default or len(schemas) == 1:
            self._connection.execute(f"SET search_path = {literal(default or schemas[0])}")
        folders = [*folders, *(exported or {}).values()]
        if folders:
            self._connection.execute(f"SET allowed_directories = [{', '.join(map(literal, folders))}]")
        if not allow_external:
            self._connection.execute("SET enable_external_access = false")
        self._connection.execute("SET lock_configuration = true")

    def _add_named(self, query: str, asks_for_all: bool = False) -> bool:
        """Adds the tables and views that a query names, or all. Returns whether there are any. Raises `SqlError`.

        Each takes time: DuckDB reads the schema of each exported file, of which there may be thousands.
        """
        text = query.lower()
        named = [place for place in self._unnamed if asks_for_all or place[1].lower() in text]
        if named:
            # Rows of the query before that were not fetched.
            self._connection.abort()
        for place in named:
            # A view may have added it.
            if place in self._unnamed:
                self._add(*place, self._unnamed.pop(place))
        return bool(named)

    def _add(self, schema: str, name: str, source: Table | SqlView | str) -> None:
        from parsers.reporting.sql.source import TableSource

        if isinstance(source, str):
            query = f"FROM read_parquet({literal(source)}, union_by_name = true)"
        elif isinstance(source, SqlView):
            query = source.query
            self._add_named(query)
        else:
            self._sources.append(TableSource(source))
            self._connection.register(f"{schema}.{name}", self._sources[-1])
            query = f"FROM {quoted(f'{schema}.{name}')}"
        try:
            self._connection.execute(f"CREATE VIEW {quoted(schema)}.{quoted(name)} AS {query}")
        except self._duckdb.Error as error:
            raise SqlError(self._message(error)) from error

    def run(self, query: str) -> Result:
        """Runs one SELECT; times with a zone are texts. Raises `SqlError`."""
        statement = self._only(query)
        result = self._execute(statement)
        # Python needs another package for these.
        is_zoned = [type.endswith("WITH TIME ZONE") for type in result.types]
        return self._with_texts(statement, result.columns, is_zoned) if any(is_zoned) else result

    def run_stored(self, query: str) -> tuple[list[StoredColumn], Result]:
        """Runs one SELECT, whose values `stored_rows` can store. Raises `SqlError`."""
        statement = self._only(query)
        result = self._execute(statement)
        columns = [
            StoredColumn(name, type, form_of(type))
            for name, type in zip(unique(result.columns), result.types, strict=True)
        ]
        # Python has no value for some types.
        has_none = [column.form == "text" and column.type not in FETCHED_AS_THEY_ARE for column in columns]
        return columns, self._with_texts(statement, result.columns, has_none) if any(has_none) else result

    def _execute(self, statement: Any) -> Result:
        return Result(self, self.wait_for(lambda: self._connection.execute(statement)))

    def _with_texts(self, statement: Any, names: Sequence[str], is_text: Sequence[bool]) -> Result:
        """Runs a SELECT, with texts instead of the values of some columns. Raises `SqlError`."""
        taken = (
            f"c{place}{'::VARCHAR' * each} AS {quoted(name)}"
            for place, (name, each) in enumerate(zip(names, is_text, strict=True))
        )
        own = ", ".join(f"c{place}" for place in range(len(names)))
        return self._execute(f"SELECT {', '.join(taken)} FROM ({self._inner(statement)}\n) AS result({own})")

    def _inner(self, statement: Any) -> str:
        """The text of a statement, without semicolons and comments at its end."""
        text: bytes = statement.query.encode()
        for place, kind in reversed(self._duckdb.tokenize(statement.query)):
            if kind != self._duckdb.token_type.comment and text[place : place + 1] != b";":
                break
            text = text[:place]
        return text.decode()

    def functions(self) -> list[str]:
        """Names of all functions that a query can call."""
        found = self.run("SELECT DISTINCT function_name FROM duckdb_functions() ORDER BY 1").rows()
        return [name for (name,) in found if name.isidentifier() and not name.startswith("_")]

    def reserved(self) -> list[str]:
        """Words that are no names unless in quotes."""
        found = self.run("SELECT keyword_name FROM duckdb_keywords() WHERE keyword_category = 'reserved'").rows()
        return [name for (name,) in found]

    def columns_of(self, query: str) -> list[tuple[str, str]]:
        """Returns names and SQL types of the columns of a SELECT, without running it. Raises `SqlError`."""
        text = f"DESCRIBE {self._only(query).query}"
        return [(name, type) for name, type, *_ in self.wait_for(lambda: self._connection.execute(text).fetchall())]

    def write_parquet(self, query: str, path: str) -> None:
        """Writes the rows of a SELECT to a file in one of the folders. Raises `SqlError`."""
        text = self._inner(self._only(query))
        options = "FORMAT parquet, COMPRESSION zstd, PARQUET_VERSION v2, USE_TMP_FILE false"
        self.wait_for(lambda: self._connection.execute(f"COPY ({text}\n) TO {literal(path)} ({options})"))

    def write_arrow(self, query: str, path: str) -> None:
        """Writes the rows of a SELECT to an Arrow IPC file. Raises `SqlError`, or `ReportError` without pyarrow."""
        from parsers.reporting.export.table_files import import_pyarrow

        ipc = import_pyarrow().ipc
        statement = self._only(query)

        def write() -> None:
            rows = self._connection.sql(statement.query).to_arrow_reader(BATCH)
            with ipc.new_file(path, rows.schema) as file:
                for batch in rows:
                    file.write_batch(batch)

        self.wait_for(write)

    def _only(self, query: str) -> Any:
        """Returns the one statement of a query, a SELECT. Raises `SqlError`."""
        try:
            statements = self._duckdb.extract_statements(query)
        except self._duckdb.Error as error:
            raise SqlError(self._message(error)) from error
        if len(statements) != 1 or statements[0].type != self._duckdb.StatementType.SELECT:
            raise SqlError("a query is one SELECT")
        self._add_named(query, bool(_ASKS_FOR_ALL.search(query)))
        return statements[0]

    def forget_result(self) -> None:
        """Ends a query of which no more rows are fetched."""
        self.wait_for(lambda: self._connection.execute("SELECT 1").fetchall())

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
        task = BackgroundTask(work)
        until = None if self._seconds is None else time.monotonic() + self._seconds
        try:
            while not task.ends_within(WAIT):
                if until is not None and time.monotonic() > until:
                    raise SqlError(f"the query takes longer than {self._seconds:g} seconds")
        except BaseException:
            while not task.ends_within(0):
                self.interrupt()
                task.ends_within(WAIT)
            raise
        try:
            return task.result()
        except self._duckdb.Error as error:
            wrong = SqlError(self._message(error))
            # A query may make names of tables of parts, and a message proposes similar ones.
            if wrong.missing_table and self._add_named("", asks_for_all=True):
                return self.wait_for(work)
            raise wrong from error

    def _message(self, error: Exception) -> str:
        """The message of DuckDB with the line and the mark of the place; of a limit without advice on its settings."""
        text = re.sub(r"\n\n+", "\n", str(error)).strip()
        return f"{text.partition(chr(10))[0]}: {self._more_memory}" if "Out of Memory" in text else text
