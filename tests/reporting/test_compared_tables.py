"""Differences of two reports as tables: the rows and numbers of the views of the comparison."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from conftest import TESTS, Answer, sample_path
from heap_dumps import sample_path as dump_path

from parsers.model.trees.tree import walk
from parsers.reporting.sql.database import Database
from parsers.runtime.opening import open_compared
from parsers.views.report_tables import singular

Run = Callable[..., Answer]
OLD = sample_path("real_23.0_second_build", "call_tree_pointsto_HelloWorld_20261121_023932.txt")
NEW = sample_path("real_23.0_posix_locale", "call_tree_pointsto_HelloWorld_20261121_024148.txt")
HEAPS = (
    sample_path("v20_to_24.0", "object_tree_demo_20230401_101500.txt"),
    sample_path("v24.2_and_25", "object_tree_demo_20250916_101500.txt"),
)
TWO_DUMPS = dump_path("two-dumps.hprof")
TEXT = TESTS / "corpus" / "hprof" / "text"
PAIRS: dict[str, tuple[Any, Any]] = {
    "call trees": (OLD, NEW),
    "object trees": HEAPS,
    "heap dumps": (f"{TWO_DUMPS}#1", f"{TWO_DUMPS}#2"),
    "profiles": (TEXT / "profiletest-everything.txt.xz", TEXT / "profiletest-samples-thread.txt.xz"),
}


@pytest.mark.parametrize("pair", PAIRS.values(), ids=list(PAIRS))
def test_tables_have_the_rows_and_numbers_of_the_views(pair: tuple[Any, Any]):
    report: Any = open_compared(*map(str, pair))
    report.wait()
    tables = {"old": report.old.tables, "new": report.new.tables, "diff": report.own_tables()}
    database = Database(tables, default="diff")
    for view in report.views:
        table = singular(view.name)
        rows = [(view.change(node), view.tree.row(node), depth) for node, depth in walk(view.tree)]
        shown = [(change.change, row.kind, row.label, depth) for change, row, depth in rows]
        assert list(database.run(f"SELECT change, kind, name, depth FROM {table} ORDER BY {table}_id").rows()) == shown
        for name in (column.name for column in view.compared_columns):
            numbers = [(_of(each.old, name), _of(each.new, name), each.difference(name)) for each, *_ in rows]
            query = f"SELECT {name}_old, {name}, {name}_change FROM {table} ORDER BY {table}_id"
            assert list(database.run(query).rows()) == numbers
        for ref, old_ref in database.run(f"SELECT ref, old_ref FROM {table} LIMIT 20").rows():
            assert ref is None or report.new.locate(ref)
            assert old_ref is None or report.old.locate(old_ref)
    assert sum(table.rows for table in tables["diff"].values())
    database.close()
    report.close()


def _of(side: Any, column: str) -> Any:
    """The number of one report; None if it lacks the row."""
    return None if side is None else side.get(column, 0)


@pytest.mark.parametrize(
    ("kind", "view"),
    [("package", "introduced_packages"), ("class", "introduced_classes"), ("method", "introduced_methods")],
)
def test_what_was_introduced_is_what_diff_lists(kind: str, view: str, coffeetree: Run):
    answer = coffeetree("sql", "--json", "--compare", OLD, NEW, f"SELECT name, methods, via, ref FROM {view}")
    listed = [row for row in coffeetree("diff", "--json", OLD, NEW).rows if row["change"] == "added"]
    expected = [[row["label"], row["new"]["methods"], row["via"], row["ref"]] for row in listed if row["kind"] == kind]
    assert (answer.status, [list(row.values()) for row in answer.rows]) == (0, expected)
    assert expected


def test_a_query_joins_both_reports_and_their_differences(coffeetree: Run):
    query = """SELECT count(*) AS n, count(old.package.name) AS in_old FROM introduced_packages
        JOIN new.package ON new.package.name = introduced_packages.name
        LEFT JOIN old.package ON old.package.name = introduced_packages.name"""
    all = coffeetree("sql", "--json", "--compare", OLD, NEW, "SELECT count(*) AS n FROM introduced_packages").json
    assert coffeetree("sql", "--json", "--compare", OLD, NEW, query).json == {**all, "in_old": 0}
    schemas = {row["schema"] for row in coffeetree("sql", "--json", "--compare", OLD, NEW, ".tables").rows}
    assert schemas == {"old", "new", "diff"}


def test_two_reports_of_one_kind_are_compared(coffeetree: Run):
    answer = coffeetree("sql", "--compare", OLD, "FROM package")
    assert (answer.status, answer.err.count("needs two reports")) == (2, 1)
    answer = coffeetree("sql", "--compare", OLD, HEAPS[0], "FROM package")
    assert (answer.status, answer.err.count("can't be compared")) == (2, 1)
