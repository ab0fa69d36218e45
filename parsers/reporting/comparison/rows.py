"""Any report held against another of its format: rows of its views by what they are and what they are called.

What a `Key` numbers (a trace, a thread, an object) is another one in each run, so rows of such keys and all below them
are left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from parsers.model.capabilities import HasComparable
from parsers.model.preorder import PreorderTree
from parsers.model.report import Column, Report, View, value_in
from parsers.reporting.comparison.lines import Comparing, Differences, Line, LineDifferences, changes
from parsers.reporting.comparison.volatile_names import normal_name
from parsers.views.collection import Views

MOST = 100_000
"""Rows of a view that are looked at with all below them; of more those at the top."""
MOST_TOPS = 200_000
"""Rows at the top that are looked at."""
MOST_COLUMNS = 4
DEEPEST = 100
"""Levels that are compared."""
TOTAL = "total"
"""The column of merged trees that tells what a row and all below it cost; rows of one name have but one way."""
NO_NUMBERS = ("text", "percent")
SHAPES = ("tree", "table")


def comparable_of(report: Report) -> Mapping[str, Comparing]:
    """By the name of a view what is compared in it: as the report says, else all that can be."""
    return report.comparable if isinstance(report, HasComparable) else comparable_rows(report)


def comparable_rows(report: Report, names: Iterable[str] | None = None) -> Mapping[str, Comparing]:
    """Some views of a report by their rows, or all that it may have."""
    views: Any = report.views
    if names is None:
        names = views.possible if isinstance(views, Views) else [view.name for view in views]
    return {name: ComparableRows(report, name) for name in names}


class ComparableRows:
    """A view that is compared by its rows."""

    others: tuple[Column, ...] = ()
    switches = ()
    needs = ""

    def __init__(self, report: Report, name: str) -> None:
        self._report, self._name = report, name

    @property
    def _view(self) -> View:
        return self._report.view(self._name)

    @property
    def columns(self) -> tuple[Column, ...]:
        """Those that add up, totals of merged trees before them; where none does all but texts, shares and times."""
        numbers = [column for column in self._view.columns if column.unit not in NO_NUMBERS]
        totals = [column for column in numbers if column.name == TOTAL]
        own = [column for column in numbers if column.adds_up and column.name != TOTAL]
        found = [*totals, *own] if own else [column for column in numbers if column.unit != "s"]
        return tuple(found[:MOST_COLUMNS])

    @property
    def is_there(self) -> bool:
        """Whether the view has something that can be compared, as far as can be said without making it."""
        view = self._view
        if view.shape not in SHAPES or not self.columns:
            return False
        return not view.is_made or any(True for _ in self.lines(1))

    def differences(self, old: ComparableRows, chosen: Mapping[str, str]) -> Differences:
        """What differs, of lines below each other those first that grew most."""
        return LineDifferences(self.columns, changes(old.lines(), self.lines(), self.columns[0].name))

    def lines(self, most: int = MOST_TOPS) -> Iterator[Line]:
        """The rows, at most so many at the top."""
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

    def _line(self, node: int, depth: int, columns: Sequence[Column]) -> Line | None:
        key, row = self._view.key(node), self._view.tree.row(node)
        parts = key if isinstance(key, tuple) else (key,)
        if any(isinstance(part, int) for part in parts) or (key is None and depth and not row.has_children):
            return None
        values = {column.name: value_in(row, column) for column in columns}
        numbers = {name: _number(value) for name, value in values.items() if isinstance(value, int | float)}
        label = normal_name(row.label)
        spans = row.spans if label == row.label else ()
        return Line((row.kind, label), row.kind, label, numbers, depth, row.ref, spans)


def _number(value: float) -> float:
    """Times are compared as they are shown, in tenths."""
    return value if isinstance(value, int) else round(value, 2)
