"""Comparable content of side reports: rows by their normalised names.

Lists of millions of names are compared by arrays. Texts of a row, such as the reason of a class's initialization, are
lines below it, so a changed text is a change of the row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from parsers.formats.graalvm.builds.normalised import normalised, normalised_source, normalised_text
from parsers.model.row import Column
from parsers.reporting.comparison.lines import ComparableSubject, ComparedLine, comparable_lines

if TYPE_CHECKING:
    from parsers.formats.graalvm.side.layout import LineCells
    from parsers.formats.graalvm.side.table import SideTable
    from parsers.reporting.comparison.lines import Differences
    from parsers.views.list_view import ListRow

ROWS = Column("rows", "Rows", badges=(("rows", ""),), width=8)
NEEDS = Column("needs", "Needs", badges=(("needs", ""),), width=8)
VALUE = Column("value", "Value", badges=(("value", ""),), width=16)


def comparable_table(table: SideTable) -> Mapping[str, ComparableSubject]:
    """Returns the comparable rows of the view of a table."""
    report = table.report
    if report.layout.has_loaders:
        return {report.view_name: ComparableSubject((ROWS,), table, _compared_lists)}
    columns = tuple(column for column in report.layout.columns if column.unit != "text") or (ROWS,)

    def lines() -> Sequence[ComparedLine]:
        return list(_table_lines(table, columns, report.recording.depths))

    return {report.view_name: comparable_lines(columns, lines)}


def _compared_lists(old: SideTable, new: SideTable, chosen: Mapping[str, str]) -> Differences:
    """Returns the names that occur more or less often in one of two lists."""
    from parsers.formats.graalvm.side.list_differences import ListDifferences

    return ListDifferences(old, new, ROWS)


def _table_lines(table: SideTable, columns: Sequence[Column], depths: Sequence[int]) -> Iterator[ComparedLine]:
    above = -1
    for row, cells in enumerate(table.all_cells()):
        # A line may be one level deeper than the one before at most.
        above = min(depths[row], above + 1) if depths else 0
        numbers = {column.name: _whole(cells.badges.get(column.name, 1)) for column in columns}
        line = f"line:{table.lines.numbers[row]}"
        spans = table.layout.spans(cells) if cells.kind != "unknown" else ()
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


def comparable_graph(
    names: Sequence[bytes],
    safety: Sequence[str],
    needs: tuple[Sequence[int], Sequence[int]],
    text: Callable[[bytes], str],
    view: str,
) -> Mapping[str, ComparableSubject]:
    """Returns the comparable classes with the number of classes they need, their safety, and the needed classes."""

    def lines() -> Iterator[ComparedLine]:
        firsts, needed = needs
        for number, (first, last) in enumerate(pairwise(firsts)):
            label = text(names[number])
            yield ComparedLine(normalised(label), "class", label, {"needs": last - first}, 0, f"class:{label}")
            if safety[number]:
                yield ComparedLine(("safety", safety[number]), "line", safety[number], {"needs": 0}, 1)
            for other in needed[first:last]:
                name = text(names[other])
                yield ComparedLine(normalised(name), "dependency", name, {"needs": 0}, 1, f"class:{name}")

    return {view: comparable_lines((NEEDS,), lambda: list(lines()))}


def comparable_values(values: Sequence[ListRow], view: str) -> Mapping[str, ComparableSubject]:
    """Returns the comparable values by their names; texts are lines below them."""

    def lines() -> Iterator[ComparedLine]:
        for entry in values:
            value = entry.badges.get("value")
            yield ComparedLine(entry.label, entry.kind, entry.label, {"value": _whole(value)}, entry.depth, entry.ref)
            if isinstance(value, str):
                yield ComparedLine(value, "line", value, {"value": 0}, entry.depth + 1, entry.ref)

    return {view: comparable_lines((VALUE,), lambda: list(lines()))}
