"""What opens the side reports, by the name of their format."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from parsers.graalvm.side_graph import FORMAT as GRAPH
from parsers.graalvm.side_graph import GraphReport
from parsers.graalvm.side_json import JsonReport
from parsers.graalvm.side_layouts import LAYOUTS
from parsers.graalvm.side_report import SideReport
from parsers.graalvm.side_texts import LAYOUTS as TEXTS

if TYPE_CHECKING:
    from parsers.input.source import Source
    from parsers.report import Report

_TABLES = {layout.format: layout for layout in (*LAYOUTS, *TEXTS)}

_OTHERS: dict[str, Callable[[Source], Report]] = {
    GRAPH: GraphReport,
    "graalvm-analysis-statistics": lambda source: JsonReport(
        source, "graalvm-analysis-statistics", "GraalVM analysis statistics", "Statistics", has_count=False
    ),
    "graalvm-build-output": lambda source: JsonReport(
        source, "graalvm-build-output", "native-image build output", "Build output", has_count=True
    ),
}


def open_side_report(format: str, source: Source) -> Report:
    """The report of a file of a format."""
    layout = _TABLES.get(format)
    return _OTHERS[format](source) if layout is None else SideReport(source, layout)
