"""Tables of several builds: queries over the reports give the same answers as over exported files."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from fleet_queries import FLEET, QUERIES, TABLES, ReportsDatabase, comparable, export_fleet, parquet_database

from parsers.reporting.sql.database import Database


@pytest.fixture(scope="module")
def reports() -> Iterator[ReportsDatabase]:
    database = ReportsDatabase()
    yield database
    database.close()


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    folder = tmp_path_factory.mktemp("fleet")
    export_fleet(folder)
    with parquet_database(folder) as database:
        yield database


@pytest.mark.parametrize("query", QUERIES)
def test_exported_tables_answer_as_the_reports_do(query: str, reports: ReportsDatabase, exported: Database):
    found = comparable(exported.run(query).rows())
    assert found
    assert found == comparable(reports.rows(query))


def test_each_build_has_its_rows(exported: Database):
    assert exported.run("SELECT count(DISTINCT build) FROM method").batches().__next__() == [(len(FLEET),)]


def test_a_query_that_names_no_table_sees_all(exported: Database):
    names = "SELECT table_name FROM information_schema.tables ORDER BY 1"
    assert [name for (name,) in exported.run(names).rows()] == sorted(TABLES)
