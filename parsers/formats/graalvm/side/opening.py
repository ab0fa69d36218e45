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
    from parsers.io.source import Source
    from parsers.model.report import Report

_TABLES = {layout.format: layout for layout in (*LAYOUTS, *TEXTS)}

_VALUES = {
    "graalvm-analysis-statistics": ("GraalVM analysis statistics", "Statistics"),
    "graalvm-build-output": ("native-image build output", "Build output"),
}
"""Title and view name of each JSON format."""


def view_name(format: str) -> str | None:
    """Returns the name of the one view of a side report; None for other formats."""
    if format in _TABLES:
        return _TABLES[format].view
    return GraphReport.view_name if format == GRAPH else _VALUES.get(format, (None, None))[1]


def open_side_report(format: str, source: Source) -> Report:
    """Opens the report of a file of a format."""
    if format in _TABLES:
        return TableReport(source, _TABLES[format])
    if format == GRAPH:
        return GraphReport(source)
    title, view = _VALUES[format]
    return JsonReport(source, format, title, view, has_count=format == "graalvm-build-output")
