"""Comparable content of side reports: rows by their normalised names.

Lists of millions of names are compared by arrays. Texts of a row, such as the reason of a class's initialization, are
lines below it, so a changed text is a change of the row.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from parsers.formats.graalvm.builds.normalised import normalised, normalised_source, normalised_text
from parsers.formats.graalvm.side.layout import LineCells
from parsers.model.report import Column, Switch
from parsers.reporting.comparison.lines import Comparable, ComparedLine

if TYPE_CHECKING:
    from parsers.formats.graalvm.side.graph import GraphReport
    from parsers.formats.graalvm.side.json import JsonValues
    from parsers.formats.graalvm.side.report import SideReport
    from parsers.reporting.comparison.lines import Differences

ROWS = Column("rows", "Rows", badges=(("rows", ""),), width=8)
NEEDS = Column("needs", "Needs", badges=(("needs", ""),), width=8)
VALUE = Column("value", "Value", badges=(("value", ""),), width=16)


class ComparableList:
    """A list of names, each a row."""

    columns: tuple[Column, ...] = (ROWS,)
    others: tuple[Column, ...] = ()
    switches: tuple[Switch, ...] = ()
    needs = ""

    def __init__(self, report: SideReport) -> None:
        self.report = report

    def differences(self, old: ComparableList, chosen: Mapping[str, str]) -> Differences:
        """Names that occur more or less often than in an older list."""
        from parsers.formats.graalvm.side.list_differences import ListDifferences

        return ListDifferences(old.report, self.report, ROWS)


def comparable_table(report: SideReport) -> Mapping[str, Any]:
    """Returns the comparable rows of the one view of a table."""
    if report.layout.has_loaders:
        return {report.view_name: ComparableList(report)}
    columns = tuple(column for column in report.layout.columns if column.unit != "text") or (ROWS,)

    def lines() -> Sequence[ComparedLine]:
        depths = report.recording.depths
        return list(_table_lines(report, columns, depths))

    return {report.view_name: Comparable(columns, lines)}


def _table_lines(report: SideReport, columns: Sequence[Column], depths: Sequence[int]) -> Iterator[ComparedLine]:
    above = -1
    for row, cells in enumerate(report.table.all_cells()):
        # A line may be one level deeper than the one before at most.
        above = min(depths[row], above + 1) if depths else 0
        numbers = {column.name: _whole(cells.badges.get(column.name, 1)) for column in columns}
        line = f"line:{report.recording.numbers[row]}"
        spans = report.layout.spans(cells) if cells.kind != "unknown" else ()
        name = normalised_text(cells.name) if cells.name and not depths else normalised_source(cells.label)
        yield ComparedLine((cells.kind, name), cells.kind, cells.label, numbers, above, line, spans)
        for words in _words(cells):
            yield ComparedLine(normalised_source(words), "line", words, {columns[0].name: 0}, above + 1, line)


def _words(cells: LineCells) -> Iterator[str]:
    """Returns the texts of a row."""
    for name, value in cells.badges.items():
        if isinstance(value, str) and value:
            yield f"{name}: {value}"
    yield from (f"{what} {name}" for what, name in cells.links)


def _whole(value: object) -> int:
    return int(value) if isinstance(value, int | float) else 0


def comparable_graph(report: GraphReport) -> Mapping[str, Any]:
    """Returns the comparable classes with the number of classes they need, their safety, and the needed classes."""

    def lines() -> Iterator[ComparedLine]:
        graph, (firsts, needed) = report.recording.graph, report.recording.needs
        for number, (first, last) in enumerate(pairwise(firsts)):
            label = report.text(graph.names[number])
            yield ComparedLine(normalised(label), "class", label, {"needs": last - first}, 0, f"class:{label}")
            if graph.safety[number]:
                yield ComparedLine(("safety", graph.safety[number]), "line", graph.safety[number], {"needs": 0}, 1)
            for other in needed[first:last]:
                name = report.text(graph.names[other])
                yield ComparedLine(normalised(name), "dependency", name, {"needs": 0}, 1, f"class:{name}")

    return {report.view_name: Comparable((NEEDS,), lambda: list(lines()))}


def comparable_values(values: JsonValues, view: str) -> Mapping[str, Any]:
    """Returns the comparable values by their names; texts are lines below them."""

    def lines() -> Iterator[ComparedLine]:
        for entry in values.entries:
            value = entry.badges.get("value")
            yield ComparedLine(entry.label, entry.kind, entry.label, {"value": _whole(value)}, entry.depth, entry.ref)
            if isinstance(value, str):
                yield ComparedLine(value, "line", value, {"value": 0}, entry.depth + 1, entry.ref)

    return {view: Comparable((VALUE,), lambda: list(lines()))}
