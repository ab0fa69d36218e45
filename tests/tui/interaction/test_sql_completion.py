"""Completion in a query: what is proposed where, and the tables that a query names."""

from __future__ import annotations

import pytest

from tui.interaction.sql.completion import completions
from tui.interaction.sql.schema import Schema, SchemaColumn, SchemaTable, one_line


def table(name: str, *columns: str, schema: str = "report") -> SchemaTable:
    return SchemaTable(schema, name, "", tuple(SchemaColumn(column, "VARCHAR") for column in columns))


ONE = Schema((table("method", "method_id", "name", "end"), table("jdk.Pause", "gcId")), ("max", "median"), {"end"})
TWO = Schema((table("class", "name", schema="old"), table("class", "name", "size", schema="new")))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", ["SELECT", "FROM", "WITH"]),
        ("sel", ["select"]),
        ("FROM ", ["FROM method", 'FROM "jdk.Pause"']),
        ("FROM jd", ['FROM "jdk.Pause"']),
        ('FROM "jdk', ['FROM "jdk.Pause"']),
        ("FROM method, j", ['FROM method, "jdk.Pause"']),
        ("SELECT me FROM method", []),
        ("FROM method WHERE na", ["FROM method WHERE name"]),
        ("FROM method m WHERE m.", [f"FROM method m WHERE m.{name}" for name in ("method_id", "name", '"end"')]),
        ("SELECT max(na", []),
        ("SELECT MA", ["SELECT max("]),
        ("SELECT 'na", []),
        ("SELECT 1 -- na", []),
        ('FROM "jdk.Pause" WHERE gc', ['FROM "jdk.Pause" WHERE "gcId"']),
    ],
)
def test_what_completes_a_text(text: str, found: list[str]):
    assert completions(text, text, ONE) == found


def test_columns_are_those_of_the_tables_named_after_the_cursor():
    assert completions("SELECT me", "SELECT me FROM method", ONE)[0] == "SELECT method_id"


def test_tables_of_several_reports_have_schemas():
    assert completions("FROM n", "FROM n", TWO) == ["FROM new.class"]
    assert completions("FROM new.", "FROM new.", TWO) == ["FROM new.class"]
    assert completions("SELECT si", "SELECT si FROM new.class AS c", TWO) == ["SELECT size"]


def test_tables_of_a_query_are_found_by_their_aliases():
    query = "SELECT (SELECT 1 FROM method), a FROM method AS a JOIN \"jdk.Pause\" b ON true, 'FROM method z' -- FROM c"
    assert {alias: table.name for alias, table in ONE.used(query).items()} == {
        "method": "method",
        "a": "method",
        "b": "jdk.Pause",
    }


def test_lines_are_joined_and_texts_kept():
    assert one_line("SELECT '--x', \"/*\" -- one\n\n /* two\n*/ FROM\tt") == "SELECT '--x', \"/*\" FROM t"
