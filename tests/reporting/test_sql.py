"""Queries over tables: what is read, what is refused, and the limits."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from parsers.model.report import ReportError
from parsers.model.tables.column_values import TableColumn, Values, text_arrays
from parsers.model.tables.table import BATCH, SqlView, Table, Tables, TableType
from parsers.reporting.sql.database import Database, SqlError

ROWS = 3 * BATCH

NUMBERS = TableType(
    "number",
    "",
    (
        TableColumn("number_id", "BIGINT", ""),
        TableColumn("half", "INTEGER", ""),
        TableColumn("name", "VARCHAR", ""),
    ),
)
HALVES = SqlView("halves", "", "SELECT half, count(*) AS rows FROM number GROUP BY half")
HOSTILE = ["'; DROP VIEW x; --", '"quoted"', "\x1b[31m\x00", "\u202e=1+1", "a,b\r\nc", "�", "", "🙂\ud83d"]


class Read:
    """Tables that note what was read of them."""

    def __init__(self) -> None:
        self.ranges: list[tuple[str, int, int]] = []

    def tables(self) -> Tables:
        """One table and a view."""
        columns = {
            "half": lambda start, stop: self._note("half", start, stop, np.arange(start, stop) // 2),
            "name": lambda start, stop: self._note(
                "name", start, stop, text_arrays([HOSTILE[row % len(HOSTILE)] for row in range(start, stop)])
            ),
        }
        return Tables([Table(NUMBERS, lambda: ROWS, columns)], [HALVES])

    def _note(self, name: str, start: int, stop: int, values: Values) -> Values:
        self.ranges.append((name, start, stop))
        return values


@pytest.fixture
def read() -> Read:
    return Read()


@pytest.fixture
def database(read: Read) -> Iterator[Database]:
    opened = Database({"demo": read.tables()}, memory="400MB")
    yield opened
    opened.close()


def rows(database: Database, query: str) -> list[tuple[Any, ...]]:
    """All rows of a query."""
    return list(database.run(query).rows())


def test_only_columns_of_the_query_are_read(database: Database, read: Read):
    assert rows(database, "SELECT count(*) FROM number") == [(ROWS,)]
    assert read.ranges == []
    assert rows(database, "SELECT max(half) FROM halves") == [(ROWS // 2 - 1,)]
    assert {name for name, _, _ in read.ranges} == {"half"}


def test_only_the_rows_of_a_range_of_the_key_are_read(database: Database, read: Read):
    query = "SELECT half FROM number WHERE number_id BETWEEN 1000 AND 1003 ORDER BY number_id"
    assert rows(database, query) == [(500,), (500,), (501,), (501,)]
    assert read.ranges == [("half", 1000, 1004)]


def test_the_planner_knows_the_number_of_rows(database: Database):
    assert database.columns_of("FROM number")
    ((_, plan),) = database._connection.execute("EXPLAIN (FORMAT json) FROM number").fetchall()
    assert f'"Estimated Cardinality": "{ROWS}"' in plan


def test_a_single_report_needs_no_schema_and_several_do(read: Read):
    database = Database({"old": read.tables(), "new": Read().tables()})
    assert rows(database, "SELECT count(*) FROM old.number JOIN new.halves USING (half)") == [(ROWS,)]
    with pytest.raises(SqlError, match="number"):
        rows(database, "FROM number")
    database.close()


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("FROM query('SELECT count(*) FROM num' || 'ber')", [(ROWS,)]),
        ("SELECT table_name FROM information_schema.tables WHERE table_schema = 'demo'", [("halves",), ("number",)]),
        ("SELECT name FROM (SHOW ALL TABLES) WHERE schema = 'demo'", [("halves",), ("number",)]),
    ],
)
def test_tables_whose_names_are_not_in_the_query_are_there(database: Database, query: str, found: list[Any]):
    assert sorted(rows(database, query)) == found


def test_a_message_about_a_table_that_is_not_there_proposes_another(database: Database):
    assert rows(database, "SELECT 1") == [(1,)]
    with pytest.raises(SqlError, match='Did you mean "number"'):
        rows(database, "FROM numbr")


def test_hostile_texts_arrive_as_they_are(database: Database):
    found = rows(database, f"SELECT name FROM number WHERE number_id < {len(HOSTILE)} ORDER BY number_id")
    assert [text for (text,) in found] == [*HOSTILE[:-1], "🙂\ufffd"]
    assert rows(database, "SELECT count(*) FROM number WHERE upper(name) = name") is not None


@pytest.mark.parametrize(
    "query",
    [
        "DROP VIEW halves",
        "CREATE TABLE t AS SELECT 1",
        "ATTACH ':memory:' AS more",
        "SET memory_limit = '9GB'",
        "SET enable_external_access = true",
        "COPY (SELECT 1) TO '{path}'",
        "INSTALL httpfs",
        "LOAD httpfs",
        "EXPORT DATABASE '{path}'",
        "PRAGMA database_size",
        "SELECT 1; SELECT 2",
        "",
        "SELECT * FROM '{path}'",
        "SELECT * FROM read_csv('{path}')",
        "SELECT * FROM read_text('{path}')",
        "SELECT * FROM glob('/*')",
        "SELECT * FROM read_blob('https://127.0.0.1:1/')",
    ],
)
def test_a_query_can_only_select_from_the_tables(database: Database, query: str, tmp_path: Path):
    path = tmp_path / "secret.csv"
    path.write_text("a\nsecret\n")
    with pytest.raises(SqlError) as refused:
        rows(database, query.format(path=path))
    assert "secret\n" not in str(refused.value)
    assert list(tmp_path.iterdir()) == [path]


def test_files_are_read_only_if_that_is_permitted(read: Read, tmp_path: Path):
    path = tmp_path / "more.csv"
    path.write_text("half\n7\n")
    database = Database({"demo": read.tables()}, allow_external=True)
    assert rows(database, f"SELECT count(*) FROM number JOIN read_csv('{path}') USING (half)") == [(2,)]
    database.close()


def test_variables_of_python_are_no_tables(database: Database):
    secret = [1]
    with pytest.raises(SqlError, match="secret"):
        rows(database, "FROM secret")
    assert secret


def test_times_with_a_zone_are_texts_and_keep_their_names(database: Database):
    query = "SELECT TIMESTAMPTZ '2024-05-06 07:08:09+00' AS \"a time\", half AS a FROM number LIMIT 1; -- one; row"
    result = database.run(query)
    assert result.columns == ["a time", "a"]
    ((time, half),) = result.rows()
    assert (time[:4], time[14:19], half) == ("2024", "08:09", 0)


def test_a_query_that_ends_in_comments_is_written_to_a_file(read: Read, tmp_path: Path):
    database = Database({"demo": read.tables()}, folders=[str(tmp_path)])
    query = "SELECT half FROM number WHERE half < 2 -- few;\n; /* of many; */"
    database.write_parquet(query, str(tmp_path / "a.parquet"))
    found = database.run(f"SELECT count(*) FROM '{tmp_path}/a.parquet'")
    assert list(found.rows()) == [(4,)]
    database.close()


def test_an_error_shows_the_place(database: Database):
    with pytest.raises(SqlError) as error:
        rows(database, "SELECT half,\n  nam FROM number")
    assert str(error.value).splitlines()[-2:] == ["LINE 2:   nam FROM number", "          ^^^"]


def test_an_endless_query_ends_with_its_limit_and_the_next_one_runs(read: Read):
    endless = "WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n FROM r) SELECT count(*) FROM r"
    database = Database({"demo": read.tables()}, seconds=0.2)
    with pytest.raises(SqlError, match="longer than 0"):
        rows(database, endless)
    assert rows(database, "SELECT 1") == [(1,)]
    database.close()


def test_a_signal_interrupts_a_query(database: Database):
    endless = "WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n FROM r) SELECT count(*) FROM r"
    main = threading.main_thread().ident
    assert main is not None
    sender = threading.Timer(0.2, signal.pthread_kill, (main, signal.SIGINT))
    sender.start()
    with pytest.raises(KeyboardInterrupt):
        rows(database, endless)
    assert rows(database, "SELECT 1") == [(1,)]


def test_a_query_that_needs_more_memory_is_an_error(database: Database):
    with pytest.raises(SqlError, match="--memory"):
        rows(database, "SELECT list(range) FROM range(1000000000)")
    with pytest.raises(SqlError):
        Database({}, memory="a lot")


def test_an_error_of_a_column_is_an_error_of_the_query():
    def broken(start: int, stop: int) -> Values:
        raise ValueError("the file has changed")

    table = Table(NUMBERS, lambda: 1, {"half": broken, "name": broken})
    database = Database({"demo": Tables([table])})
    with pytest.raises(SqlError, match="the file has changed"):
        rows(database, "SELECT half FROM number")
    database.close()


def test_without_duckdb_a_line_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(ReportError, match=r"pip install 'coffeetree\[sql\]'"):
        Database({})
