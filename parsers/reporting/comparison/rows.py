"""Comparison of reports of any format: rows of their views by kind and name.

`Key`s with numbers (a trace, a thread, an object) differ between runs, so rows with such keys and their descendants
are omitted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from parsers.model.capabilities import HasComparable
from parsers.model.report import Report
from parsers.model.row import Column, value_in
from parsers.model.trees.preorder import PreorderTree
from parsers.model.view import View
from parsers.reporting.comparison.lines import ComparedLine, Comparing, Differences, LineDifferences, changes, rounded
from parsers.reporting.comparison.volatile_names import normal_name

MOST = 100_000
"""Maximum of rows of a view compared with descendants; of larger views only the top rows are."""
MOST_TOPS = 200_000
"""Maximum of top rows."""
MOST_COLUMNS = 4
DEEPEST = 100
"""Maximum of levels."""
TOTAL = "total"
"""The column of merged trees with the cost of a row and its descendants; rows with one name are at one place only."""
NO_NUMBERS = ("text", "percent")
SHAPES = ("tree", "table")


def comparable_of(report: Report) -> Mapping[str, Comparing]:
    """Returns by view name what is compared: as the report declares, else all that can be."""
    return report.comparable if isinstance(report, HasComparable) else comparable_rows(report)


def comparable_rows(report: Report, names: Iterable[str] | None = None) -> Mapping[str, Comparing]:
    """Returns some views of a report as sides of a comparison by rows, or all."""
    return {name: ComparableRows(report, name) for name in (report.views.possible if names is None else names)}


class ComparableRows:
    """A view that is compared by its rows."""

    others: tuple[Column, ...] = ()
    switches = ()
    needs = description = ""
    extremes: Sequence[str] = ()
    """Names of columns that don't add up, but are compared: percentiles, maxima."""

    def __init__(self, report: Report, name: str) -> None:
        self._report, self._name = report, name

    @property
    def _view(self) -> View:
        return self._report.view(self._name)

    @property
    def columns(self) -> tuple[Column, ...]:
        """Columns that add up, after totals of merged trees; without any, all except texts, shares and times.

        Extremes are last.
        """
        numbers = [column for column in self._view.columns if column.unit not in NO_NUMBERS]
        totals = [column for column in numbers if column.name == TOTAL]
        own = [column for column in numbers if column.adds_up and column.name != TOTAL]
        found = [*totals, *own] if own else [column for column in numbers if column.unit != "s"]
        found = found[:MOST_COLUMNS]
        return (*found, *(column for column in numbers if column.name in self.extremes and column not in found))

    @property
    def is_there(self) -> bool:
        """True if the view may have rows to compare, as far as is known without computing it."""
        view = self._view
        if view.shape not in SHAPES or not self.columns:
            return False
        return not view.is_prepared or any(True for _ in self.lines(1))

    def differences(self, old: ComparableRows, chosen: Mapping[str, str]) -> Differences:
        """Returns the differences; among siblings those with the largest change are first."""
        found = changes(old.lines(), self.lines(), self.columns[0].name, self.extremes)
        return LineDifferences(self.columns, found)

    def lines(self, most: int = MOST_TOPS) -> Iterator[ComparedLine]:
        """Yields the lines, of at most `most` rows at the top."""
        tree, columns = self._view.tree, self.columns
        roots: Sequence[int] = tree.roots()
        goes_down = isinstance(tree, PreorderTree) and tree.preorder.rows <= MOST
        for place in range(min(len(roots), most)):
            left = [(roots[place], 0)]
            while left:
                node, depth = left.pop()
                line = self._line(node, depth, columns)
                if line is None:
                    continue
                yield line
                if goes_down and depth < DEEPEST:
                    children = tree.children(node)
                    left += [(children[each], depth + 1) for each in reversed(range(len(children)))]

    def _line(self, node: int, depth: int, columns: Sequence[Column]) -> ComparedLine | None:
        key = self._view.key(node)
        parts = key if isinstance(key, tuple) else (key,)
        if any(isinstance(part, int) for part in parts):
            return None
        row = self._view.tree.row(node)
        if key is None and depth and not row.has_children:
            return None
        values = {column.name: value_in(row, column) for column in columns}
        numbers = {name: rounded(value) for name, value in values.items() if isinstance(value, int | float)}
        label = normal_name(row.label)
        spans = row.spans if label == row.label else ()
        return ComparedLine((row.kind, label), row.kind, label, numbers, depth, row.ref, spans)
