"""Every total that counts rows, or adds up a column, is reproduced by a query, for every sample."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from conftest import CORPUS, sample_path, samples

from parsers.model.report import Report
from parsers.reporting.sql.database import Database
from parsers.runtime.opening import open_report


def kinds(table: str, **names: str) -> dict[str, str]:
    """Queries that count the rows of a kind."""
    return {total: f"SELECT count(*) FROM {table} WHERE kind = '{kind}'" for total, kind in names.items()}


TREE = {
    **kinds("entry", entries="entry"),
    **kinds(
        "call",
        direct_calls="direct call",
        virtual_calls="virtual call",
        interface_calls="interface call",
        overridden_by="overridden by",
        implemented_by="implemented by",
        unknown_rows="unknown",
    ),
    "rows": "SELECT (SELECT count(*) FROM entry) + (SELECT count(*) FROM call)",
    "ids": "SELECT count(id) FROM method WHERE line IS NOT NULL",
    "max_id": "SELECT coalesce(max(id), -1) FROM method WHERE line IS NOT NULL",
    "id_gaps": "SELECT max(id) + 1 - count(DISTINCT id) FROM method WHERE line IS NOT NULL",
    "duplicate_ids": """SELECT (SELECT count(*) FROM call WHERE is_declaration)
        + (SELECT count(*) FROM entry WHERE is_declaration) - (SELECT count(line) FROM method)""",
    "id_refs": "SELECT count(*) FROM call WHERE is_reference",
    "forward_refs": """SELECT count(*) FROM call JOIN method ON callee_id = method_id
        WHERE is_reference AND call.line < method.line""",
    "dangling_refs": """SELECT count(*) FROM call JOIN method ON callee_id = method_id
        WHERE is_reference AND method.line IS NULL""",
    "call_sites": "SELECT sum(calls_in) FROM method WHERE id IS NOT NULL",
    "edges": """SELECT count(*) FROM (SELECT DISTINCT caller_id, callee_id FROM call
        JOIN method ON callee_id = method_id WHERE id IS NOT NULL AND caller_id IS NOT NULL)""",
    "max_depth": "SELECT max(depth) FROM (SELECT depth FROM call UNION SELECT 0 FROM entry UNION SELECT -1)",
    "max_distance": "SELECT coalesce(max(distance), -1) FROM method WHERE line IS NOT NULL",
    "virtual_without_callees": """SELECT count(*) FROM call
        WHERE kind IN ('virtual call', 'interface call') AND rows_below = 0""",
    "negative_bci": "SELECT count(*) FROM call WHERE bci LIKE '-%'",
    "chained_bci": "SELECT count(*) FROM call WHERE bci LIKE '%->%'",
    "parsing_reasons": "SELECT count(reason) FROM entry",
    "unique_names": "SELECT count(DISTINCT name) FROM method",
    "classes": "SELECT count(*) FROM class",
    "packages": "SELECT count(*) FROM package",
}
NOT_OF_ROWS = {"bytes", "lines", "blank_lines", "max_line_bytes", "continuation_lines", "stray_lines", "max_children"}
"""Totals about lines of the file, and the largest number of children, which is no column."""


@contextmanager
def opened(case: str, name: str) -> Iterator[tuple[Any, Database]]:
    """A report of a sample, and its tables."""
    paths = sorted(path for path in (CORPUS / case / "reports").glob(f"{name}*")) if "*" in name else []
    report: Report = open_report([str(path) for path in paths or [sample_path(case, name)]])
    try:
        report.wait()
        database = Database({"report": report.tables})
        yield report, database
        database.close()
    finally:
        report.close()


def value(database: Database, query: str) -> int:
    """The one number of a query, 0 for NULL."""
    ((found,),) = database.run(query).rows()
    return int(found or 0)


@pytest.mark.parametrize(("case", "name"), samples("graalvm-call-tree"))
def test_totals_of_a_call_tree_are_sums_over_its_tables(case: str, name: str):
    with opened(case, name) as (report, database):
        asked = {total: query for total, query in TREE.items() if total in report.totals}
        assert set(report.totals) <= set(TREE) | NOT_OF_ROWS
        found = {total: value(database, query) for total, query in asked.items()}
        assert found == {total: report.totals[total] for total in asked}


@pytest.mark.parametrize(("case", "name"), samples("graalvm-call-tree-csv"))
def test_totals_of_tables_as_csv_are_sums_over_those_of_the_tree(case: str, name: str):
    with opened(case, name) as (report, database):
        printed = report.facts["as_tree"]
        assert set(printed) <= set(TREE) | NOT_OF_ROWS
        # The names of all methods of the files, of which some are in no row.
        asked = {total: query for total, query in TREE.items() if total in printed and total != "unique_names"}
        found = {total: value(database, query) for total, query in asked.items()}
        assert found == {total: printed[total] for total in asked}
