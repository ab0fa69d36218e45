"""Opens side reports by the name of their format."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parsers.formats.graalvm.side.graph import FORMAT as GRAPH
from parsers.formats.graalvm.side.graph import GraphReport
from parsers.formats.graalvm.side.json import JsonReport
from parsers.formats.graalvm.side.layouts import LAYOUTS
from parsers.formats.graalvm.side.table_report import TableReport
from parsers.formats.graalvm.side.texts import LAYOUTS as TEXTS

if TYPE_CHECKING:
    from parsers.formats.graalvm.side.report import OneViewReport
    from parsers.io.source import Source

_TABLES = {layout.format: layout for layout in (*LAYOUTS, *TEXTS)}

_VALUES = {"graalvm-analysis-statistics": "Statistics", "graalvm-build-output": "Build output"}
"""View name of each JSON format."""


def view_name(format: str) -> str | None:
    """Returns the name of the one view of a side report; None for other formats."""
    if format in _TABLES:
        return _TABLES[format].view
    return GraphReport.view_name if format == GRAPH else _VALUES.get(format)


def open_side_report(format: str, title: str, source: Source) -> OneViewReport:
    """Opens the report of a file of a format. title: of the format"""
    report: OneViewReport
    if format in _TABLES:
        report = TableReport(source, _TABLES[format])
    elif format == GRAPH:
        report = GraphReport(source)
    else:
        report = JsonReport(source, format, _VALUES[format])
    report.format_title = title
    return report
