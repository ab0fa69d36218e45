"""Declarations of tables by format: they are those of the reports, and their views and questions run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from conftest import TESTS

from parsers.formats.declared_tables import own_tables_of
from parsers.formats.registry import FORMATS
from parsers.model.report import Report
from parsers.model.tables.column_values import Known, Named
from parsers.model.tables.table import Table
from parsers.reporting.sql.database import Database, SqlError
from parsers.runtime.opening import open_report
from parsers.views.report_tables import COMMON

CORPUS = TESTS / "corpus"
GRAALVM = CORPUS / "graalvm"
SAMPLES = {
    "graalvm-call-tree": [GRAALVM / "v24.2_and_25/reports/call_tree_demo_20250916_101500.txt"],
    "graalvm-call-tree-csv": [GRAALVM / "csv_25/reports/call_tree_methods_demo_20250916_101500.csv"],
    "graalvm-object-tree": [GRAALVM / "v24.2_and_25/reports/object_tree_demo_20250916_101500.txt"],
    "hprof-binary": [
        CORPUS / "hprof/heap/agent-quit-all.hprof.xz",
        CORPUS / "hprof/heap/jdk25-virtual-threads.hprof.xz",
    ],
    "hotspot-compilation-log": [CORPUS / "hotspot/dep_apostrophe_8.log.xz"],
    "jfr": [CORPUS / "jfr" / f"jdk25-{name}.jfr.xz" for name in ("methods", "leak")],
    "tptp-trace": [CORPUS / "tptp/gen_all_aliases.trcxml"],
    "hprof-text": [CORPUS / "hprof/text/profiletest-everything.txt.xz", CORPUS / "hprof/text/manyblocked-quit.txt.xz"],
}
"""Samples that together have all tables of the format, or for text what text has."""
NOT_OF_TEXT = {"suspect", "string", "thread_frame"}
"""Tables of binary heap dumps only."""
NOT_OF_BINARY = {"monitor", "contention", "wait"}
"""Sections that are text in all samples."""


def check_values(report: Report, table: Table) -> None:
    """Only nullable columns have NULL; keys are rows of their tables."""
    for column in table.columns:
        values = table.read(column.name)
        if column.type == "VARCHAR":
            numbers = values.numbers if isinstance(values, Named) else None
            is_known = numbers >= 0 if numbers is not None else values.is_known
            count = len(values.starts) - 1 if numbers is None else len(numbers)
        else:
            numbers, is_known = values if isinstance(values, Known) else (values, None)
            count = len(numbers)
        assert count == table.rows, f"{table.name}.{column.name}"
        assert column.is_nullable or is_known is None or is_known.all(), f"{table.name}.{column.name}"
        if column.key and numbers is not None:
            keys = numbers if is_known is None else numbers[is_known]
            assert int(keys.max(initial=-1)) < report.tables[column.key].rows, f"{table.name}.{column.name}"


@pytest.mark.parametrize("format", [format for format in FORMATS if format.tables], ids=lambda format: format.name)
def test_reports_have_the_declared_tables_and_answer_the_questions(format):
    tables = own_tables_of(format.tables)
    assert len(tables.questions) >= 3
    asked = [query for _, query in (*COMMON.questions, *tables.questions)]
    seen: set[str] = set()
    answered: set[str] = set()
    for path in SAMPLES[format.name]:
        report = open_report([str(path)])
        report.wait()
        database = Database({"report": report.tables})
        keyed = (table for table in report.tables.values() if table.key)
        own = {table.name: table.type for table in keyed if table.type not in COMMON.types}
        assert all(type in tables.types for type in own.values())
        for query in [*asked, *(f"FROM {view.name}" for view in report.tables.views)]:
            # Questions about parts that the sample lacks are asked of another one.
            with suppress_missing_tables():
                assert database.run(query).columns
                answered.add(query)
        for table in report.tables.values():
            if table.name not in seen:
                check_values(report, table)
        seen |= own.keys()
        database.close()
        report.close()
    lacks = {"hprof-text": NOT_OF_TEXT, "hprof-binary": NOT_OF_BINARY}.get(format.name, set())
    assert {type.name for type in tables.types} - seen == lacks
    assert answered >= {query for query in asked if not any(f" {name}" in query for name in lacks)}


@contextmanager
def suppress_missing_tables() -> Iterator[None]:
    """Lets errors about tables that a sample lacks pass."""
    try:
        yield
    except SqlError as error:
        assert error.missing_table, error


def test_names_of_tables_and_columns_are_words_in_the_singular():
    for format in FORMATS:
        for type in own_tables_of(format.tables).types if format.tables else COMMON.types:
            assert type.columns[0].name == f"{type.name}_id"
            names = [column.name for column in type.columns]
            assert len(names) == len(set(names))
            assert all(name.isidentifier() and name == name.lower() for name in (type.name, *names))
