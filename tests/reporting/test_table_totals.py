"""Every total that counts rows, or adds up a column, is reproduced by a query, for every sample."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
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
    with opened_at(*paths or [sample_path(case, name)]) as found:
        yield found


@contextmanager
def opened_at(*paths: Path) -> Iterator[tuple[Any, Database]]:
    """A report of some files, and its tables."""
    report: Report = open_report([str(path) for path in paths])
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


HEAP = {
    "objects": "SELECT count(*) FROM object WHERE kind <> 'class object'",
    "roots": "SELECT count(*) FROM root",
    "shallow_bytes": "SELECT sum(shallow) FROM object WHERE kind <> 'class object'",
    "class_bytes": "SELECT sum(shallow) FROM object WHERE kind = 'class object'",
    "classes_with_instances": "SELECT count(DISTINCT class_id) FROM object WHERE kind <> 'class object'",
    "roots_dangling": "SELECT count(*) FROM root WHERE object_id IS NULL AND address <> '0x0'",
    "root_objects": "SELECT count(DISTINCT object_id) FROM root",
    "threads": "SELECT count(*) FROM root WHERE kind = 'thread' AND object_id IS NOT NULL",
    "references": "SELECT sum(references_out) FROM object",
    "references_fields": "SELECT count(*) FROM reference WHERE kind = 'field'",
    "references_elements": "SELECT count(*) FROM reference WHERE kind = 'element'",
    "references_classes": "SELECT count(*) FROM reference WHERE kind NOT IN ('field', 'element')",
    "references_dangling": "SELECT count(*) FROM reference WHERE to_id IS NULL",
    "reachable_objects": "SELECT count(*) FROM object WHERE is_reachable",
    "reachable_bytes": "SELECT sum(shallow) FROM object WHERE is_reachable",
    "unreachable_objects": "SELECT count(*) FROM object WHERE is_reachable IS NOT TRUE",
    "strings": "SELECT count(*) FROM object WHERE class = 'java.lang.String'",
    "strings_distinct": "SELECT count(*) FROM string",
}
HPROF = CORPUS.parent / "hprof"
HEAP_DUMPS = sorted((HPROF / "heap").glob("*.hprof*"))


@pytest.mark.parametrize("path", HEAP_DUMPS, ids=lambda path: path.name)
def test_totals_of_a_heap_dump_are_sums_over_its_tables(path: Path):
    with opened_at(path) as (report, database):
        if "object" not in report.tables:
            assert not report.totals.get("objects")
            return
        asked = {total: query for total, query in HEAP.items() if total in report.totals}
        found = {total: value(database, query) for total, query in asked.items()}
        assert found == {total: report.totals[total] for total in asked}


def rows_with(table: str, **contents: str) -> dict[str, str]:
    """Queries that count the rows of a table with a tag."""
    return {total: f"SELECT count(*) FROM {table} WHERE contents = '{each}'" for total, each in contents.items()}


OBJECTS = {
    "roots": "SELECT count(*) FROM root",
    "roots_expanded": "SELECT count(*) FROM root WHERE contents IN ('value', 'open')",
    "roots_ref": "SELECT count(*) FROM root WHERE contents IS NULL",
    **rows_with("root", roots_suppressed="suppressed"),
    "objects": "SELECT count(line) FROM object",
    **rows_with(
        "object", with_fields="fields", no_fields="no_fields", with_elements="elements", no_elements="no_elements"
    ),
    "types": "SELECT count(*) FROM type",
    "fields": "SELECT count(*) FROM field",
    **rows_with("field", fields_null="null", fields_value="value", fields_suppressed="suppressed"),
    "elements": "SELECT count(*) FROM reference WHERE is_element",
    "elements_suppressed": "SELECT count(*) FROM reference WHERE is_element AND kind = 'value'",
    "values_suppressed": "SELECT count(*) FROM reference WHERE NOT is_element AND kind = 'value'",
    "suppressed": """SELECT (SELECT count(*) FROM reference WHERE kind = 'value')
        + (SELECT count(*) FROM field WHERE contents = 'suppressed')
        + (SELECT count(*) FROM root WHERE contents = 'suppressed')""",
    "max_id": "SELECT coalesce(max(id), -1) FROM object WHERE line IS NOT NULL",
    "id_gaps": "SELECT max(id) + 1 - count(id) FROM object WHERE line IS NOT NULL",
    "id_refs": """SELECT (SELECT count(*) FROM reference WHERE is_reference)
        + (SELECT count(*) FROM root WHERE contents IS NULL)""",
}
NOT_OF_OBJECTS = {
    "rows", "null_rows", "unknown_rows", "duplicate_ids", "forward_refs", "dangling_refs", "max_depth", "nul_bytes",
    "control_characters",
}  # fmt: skip
"""Totals about rows that are in no table, damage, and characters of the file."""


@pytest.mark.parametrize(("case", "name"), samples("graalvm-object-tree"))
def test_totals_of_an_object_tree_are_sums_over_its_tables(case: str, name: str):
    with opened(case, name) as (report, database):
        assert set(report.totals) <= set(OBJECTS) | NOT_OF_ROWS | NOT_OF_OBJECTS
        found = {total: value(database, query) for total, query in OBJECTS.items()}
        assert found == {total: report.totals[total] for total in OBJECTS}


LOG = {
    "tasks_listed": "SELECT count(*) FROM task",
    "tasks": "SELECT count(*) FROM task WHERE result <> 'in a fragment'",
    "tasks_in_fragments": "SELECT count(*) FROM task WHERE result = 'in a fragment'",
    "tasks_ok": "SELECT count(*) FROM task WHERE result = 'ok'",
    "tasks_failed": "SELECT count(*) FROM task WHERE result = 'failed'",
    "tasks_unfinished": "SELECT count(*) FROM task WHERE NOT is_finished AND result <> 'in a fragment'",
    "queued": "SELECT count(*) FROM queue",
    "nmethods": "SELECT count(*) FROM nmethod",
    "not_entrant": "SELECT count(*) FROM deoptimization WHERE kind = 'make_not_entrant' AND NOT is_zombie",
    "make_unloaded": "SELECT count(*) FROM deoptimization WHERE kind = 'make_unloaded'",
    "fired_traps": "SELECT count(*) FROM deoptimization WHERE kind = 'uncommon_trap'",
    "deoptimized": "SELECT count(*) FROM deoptimization WHERE kind = 'deoptimized'",
}
LOGS = sorted((CORPUS.parent / "hotspot").glob("*.log.xz"))


@pytest.mark.parametrize("path", LOGS[::4], ids=lambda path: path.name)
def test_totals_of_a_log_are_sums_over_its_tables(path: Path):
    with opened_at(path) as (report, database):
        asked = {total: query for total, query in LOG.items() if total in report.totals}
        found = {total: value(database, query) for total, query in asked.items()}
        assert found == {total: report.totals[total] for total in asked}


@pytest.mark.parametrize("path", sorted((CORPUS.parent / "jfr").glob("*.jfr.xz")), ids=lambda path: path.name)
def test_totals_of_a_recording_are_sums_over_its_tables(path: Path):
    with opened_at(path) as (report, database):
        assert value(database, "SELECT count(*) FROM event") == report.totals["total"]
        assert dict(database.run("SELECT type, events FROM event_types").rows()) == report.totals["events"]
        for type, events in report.totals["events"].items():
            assert type not in report.tables or report.tables[type].rows == events


TRACE = {name: f"SELECT count(*) FROM {name.removesuffix('s')}" for name in ("threads", "collections")}
TRACE["calls"] = "SELECT count(*) FROM call WHERE has_entry"


@pytest.mark.parametrize("path", sorted((CORPUS.parent / "tptp").glob("*.trcxml*")), ids=lambda path: path.name)
def test_totals_of_a_trace_are_sums_over_its_tables(path: Path):
    with opened_at(path) as (report, database):
        asked = {total: query for total, query in TRACE.items() if total in report.totals}
        assert {total: value(database, query) for total, query in asked.items()} == {
            total: report.totals[total] for total in asked
        }
