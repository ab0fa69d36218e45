"""The tables of a report with the build that it describes, for files and engines that have those of many builds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parsers.model.tables.table import Tables
from parsers.reporting.export.table_files import BuildTable
from parsers.reporting.sql.build_columns import build_of
from parsers.reports.members import MembersReport

if TYPE_CHECKING:
    from parsers.model.report import Report


def build_tables(report: Report, build: str | None = None) -> dict[str, BuildTable]:
    """Returns the tables by name. build: value of the column `build`, by default from the file's name"""
    about = build_of(report)
    if build:
        about = about._replace(build=build)
    return {name: BuildTable(table, about) for name, table in _tables(report).items()}


def _tables(report: Report) -> Tables:
    """The tables of a report; of a build those of all its reports, under the same names as alone."""
    if not isinstance(report, MembersReport):
        return report.tables
    found = Tables()
    report.open_all()
    for member in report.members:
        member.report.wait()
        found = Tables({**member.report.tables, **found}.values())
    return Tables({**found, **report.tables}.values())
