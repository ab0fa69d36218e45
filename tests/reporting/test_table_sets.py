"""Declarations of tables by format: they are those of the reports, and their views and questions run."""

from __future__ import annotations

import pytest
from conftest import TESTS

from parsers.formats.declared_tables import own_tables_of
from parsers.formats.registry import FORMATS
from parsers.model.table import TableSet
from parsers.reporting.sql.database import Database, quoted
from parsers.runtime.opening import open_report
from parsers.views.report_tables import COMMON

CORPUS = TESTS / "corpus"
GRAALVM = CORPUS / "graalvm"
SAMPLES = {
    "graalvm-call-tree": GRAALVM / "v24.2_and_25/reports/call_tree_demo_20250916_101500.txt",
    "graalvm-call-tree-csv": GRAALVM / "csv_25/reports/call_tree_methods_demo_20250916_101500.csv",
    "graalvm-object-tree": GRAALVM / "v24.2_and_25/reports/object_tree_demo_20250916_101500.txt",
    "hprof-binary": CORPUS / "hprof/heap/jdk25-virtual-threads.hprof.xz",
    "hotspot-compilation-log": CORPUS / "hotspot/work_tiered_17.log.xz",
    "jfr": CORPUS / "jfr/jdk25-light.jfr.xz",
    "tptp-trace": CORPUS / "tptp/gen_all_10M.trcxml.xz",
    "hprof-text": CORPUS / "hprof/text/profiletest-everything.txt.xz",
}
"""A sample of each format that has all tables of the format, or for text what text has."""
PARTIAL = ("hprof-text", "hprof-binary")


def missing(query: str, tables: TableSet, report) -> set[str]:
    """The tables of a query, and those of its views, that a report lacks."""
    for view in tables.views:
        query = query.replace(view.name, view.query)
    return {type.name for type in tables.types if type.name not in report.tables and f" {type.name}" in query}


@pytest.mark.parametrize("format", [format for format in FORMATS if format.tables], ids=lambda format: format.name)
def test_reports_have_the_declared_tables_and_answer_the_questions(format):
    tables = own_tables_of(format.tables)
    report = open_report([str(SAMPLES[format.name])])
    report.wait()
    database = Database({"report": report.tables})
    own = [table for table in report.tables.values() if table.type not in COMMON.types]
    if format.name == "jfr":
        own = [table for table in own if table.key]
    assert all(table.type in tables.types for table in own)
    if format.name not in PARTIAL:
        assert [table.name for table in own] == [type.name for type in tables.types]
    assert len(tables.questions) >= 3
    asked = [query for _, query in (*COMMON.questions, *tables.questions)]
    for query in [*asked, *(f"FROM {view.name}" for view in tables.views)]:
        # Questions about parts that the sample lacks are asked of another one.
        if format.name not in PARTIAL or not missing(query, tables, report):
            assert database.run(query).columns
    for table in report.tables.values():
        read = list(database.run(f"FROM {quoted(table.name)}").rows())
        assert len(read) == table.rows
        for column, values in zip(table.columns, zip(*read, strict=True), strict=False):
            assert column.is_nullable or None not in values, f"{table.name}.{column.name}"
            if column.key:
                assert max((value for value in values if value is not None), default=0) < report.tables[column.key].rows
    database.close()
    report.close()


def test_names_of_tables_and_columns_are_words_in_the_singular():
    for format in FORMATS:
        for type in own_tables_of(format.tables).types if format.tables else COMMON.types:
            assert type.columns[0].name == f"{type.name}_id"
            names = [column.name for column in type.columns]
            assert len(names) == len(set(names))
            assert all(name.isidentifier() and name == name.lower() for name in (type.name, *names))
