"""Queries over the tables of several call trees, in the SQL that DuckDB and Spark share, and databases to run them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from conftest import CORPUS

from parsers import open_report
from parsers.model.tables.table import Tables
from parsers.reporting.export.table_files import write_tables
from parsers.reporting.sql.database import Database, literal
from parsers.reports.exported import build_tables

FLEET = [
    next((CORPUS / f"real_23.0_{build}" / "reports").glob("call_tree_*"))
    for build in ("helloworld", "first_build", "failed_analysis")
]
TABLES = ("method", "call", "entry", "class", "package", "fact")
QUERIES = (
    "SELECT build, image, created, count(*) FROM method GROUP BY build, image, created",
    "SELECT build, count(*), sum(methods), sum(calls_in), sum(rows_below) FROM package GROUP BY build",
    "SELECT package, count(DISTINCT build) FROM method GROUP BY package",
    "SELECT name, max(build) FROM package GROUP BY name HAVING count(*) = 1",
    "SELECT name, max(methods) - min(methods) FROM package GROUP BY name HAVING count(DISTINCT build) > 1",
    "SELECT build, kind, count(*) FROM call GROUP BY build, kind",
    "SELECT build, caller_package, callee_package, count(*) AS n FROM call"
    " WHERE caller_package <> callee_package GROUP BY build, caller_package, callee_package HAVING count(*) > 20",
    "SELECT m.build, m.package, count(*) FROM call c JOIN method m ON c.build = m.build AND c.caller_id = m.method_id"
    " GROUP BY m.build, m.package",
    "SELECT build, min(distance), max(distance), count(distance), count(*) FROM method GROUP BY build",
    "SELECT build, name, calls_in FROM method WHERE calls_in >= 300",
    "SELECT build, is_declaration, is_reference, count(*), sum(depth) FROM call"
    " GROUP BY build, is_declaration, is_reference",
    "SELECT name FROM method WHERE build LIKE '%030105' EXCEPT SELECT name FROM method WHERE build LIKE '%024453'",
    "SELECT build, count(DISTINCT bci), count(bci) FROM call GROUP BY build",
    "SELECT e.build, m.name, e.rows_below FROM entry e JOIN method m"
    " ON e.build = m.build AND e.method_id = m.method_id WHERE e.rows_below > 50",
    "SELECT build, name, number FROM fact WHERE is_total",
    "SELECT build, package, name FROM (SELECT build, package, name, row_number() OVER"
    " (PARTITION BY build, package ORDER BY rows_below DESC, name) AS place FROM class) ranked WHERE place = 1",
    "SELECT c.build, count(*), sum(c.methods) FROM class c JOIN package p"
    " ON c.build = p.build AND c.package_id = p.package_id WHERE p.classes > 10 GROUP BY c.build",
    "SELECT build, round(avg(retained_methods), 3), max(retained_methods) FROM method GROUP BY build",
    "SELECT ref, build FROM method WHERE class LIKE '%HelloWorld%'",
    "SELECT upper(substr(name, 1, 4)), length(name), count(*) FROM method WHERE loader IS NULL AND line IS NOT NULL"
    " GROUP BY upper(substr(name, 1, 4)), length(name)",
)


def comparable(rows: Any) -> list[str]:
    """Returns rows in one order. Numbers are equal whatever their types."""
    return sorted(repr(tuple(None if value is None else _plain(value) for value in row)) for row in rows)


def _plain(value: Any) -> Any:
    return float(value) if not isinstance(value, str | bool) else value


def export_fleet(folder: Path) -> None:
    """Writes the tables of the reports as `coffeetree export --to parquet` does."""
    for path in FLEET:
        report = open_report(str(path))
        tables = build_tables(report)
        about = tables["method"].about
        for name in TABLES:
            (folder / name).mkdir(parents=True, exist_ok=True)
        write_tables({str(folder / name / f"{about[0]}.parquet"): tables[name] for name in TABLES}, "parquet")
        report.close()


@contextmanager
def parquet_database(folder: Path) -> Iterator[Database]:
    """A database over exported tables."""
    database = Database({}, exported={"fleet": str(folder)})
    yield database
    database.close()


class ReportsDatabase:
    """A database over the reports themselves."""

    def __init__(self) -> None:
        self._reports = [open_report(str(path)) for path in FLEET]
        self._about = [build_tables(report)["method"].about for report in self._reports]
        tables: dict[str, Tables] = {f"r{place}": report.tables for place, report in enumerate(self._reports)}
        self._database = Database(tables)

    def rows(self, query: str) -> Sequence[Any]:
        """Runs a query whose tables have the rows of all reports."""
        used = [name for name in TABLES if re.search(rf"(FROM|JOIN) {name}\b", query)]
        tables = ", ".join(f"{name} AS ({' UNION ALL '.join(self._each(name))})" for name in used)
        return list(self._database.run(f"WITH {tables} {query}").rows())

    def _each(self, name: str) -> Iterator[str]:
        for place, about in enumerate(self._about):
            values = (f"{literal(text or '')} AS {column}" for text, column in zip(about, NAMES, strict=True))
            yield f"SELECT {', '.join(values)}, * FROM r{place}.{name}"

    def close(self) -> None:
        """Closes the reports."""
        self._database.close()
        for report in self._reports:
            report.close()


NAMES = ("build", "image", "created")
