"""Views of shape "chart": numbers that were taken one after the other, each a line over the axis they share.

A chart is a table as well: a row for each point of the axis, a column for each line. So a cursor, REFs, search, export
and what prints rows need to know nothing of charts, and a `switch` shows the table in place of the picture.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from math import isnan
from typing import TYPE_CHECKING, Any

from parsers.model.preorder import FlatPreorder, PreorderTree
from parsers.model.report import (
    Badge,
    Column,
    Link,
    References,
    Row,
    Section,
    SectionRow,
    Shape,
    Switch,
    UnknownReference,
)
from parsers.views.base import ViewBase
from parsers.views.switches import SwitchableView

if TYPE_CHECKING:
    from parsers.query.selection.label_filters import LabelFilters

DRAWN = Switch("drawn", "g", "drawn as", ("chart", "table"))
"""How points are shown."""

MOST_DIGITS = 18


class ChartView(SwitchableView, ViewBase):
    """A `View` over points. Derived ones say what the axis and the lines are, and give the numbers of each.

    Points only ever get more; those that are there stay as they are.
    """

    name = ""
    kind = ""
    """Of all rows."""

    def __init__(self) -> None:
        super().__init__()
        self._extremes: tuple[Hashable, list[Section]] = ((), [])
        """What was known when they were looked for, and they."""
        self._tree = PreorderTree(FlatPreorder(lambda: self.points, lambda: self.is_complete), self.row, self.sort_keys)

    # -- what derived views say ---------------------------------------------------------------------------------------

    @property
    def points(self) -> int:
        """How many are known now."""
        raise NotImplementedError

    @property
    def is_complete(self) -> bool:
        """Whether there will be no more."""
        return True

    @property
    def axis(self) -> Column:
        """What goes from left to right; its numbers never fall."""
        raise NotImplementedError

    @property
    def series(self) -> tuple[Column, ...]:
        """The lines. Those of one unit share a picture."""
        raise NotImplementedError

    def numbers(self, column: Column) -> Sequence[float]:
        """Those of the axis or of a line, by point; NaN where a line has none."""
        raise NotImplementedError

    def label(self, node: int) -> str:
        """What a row says beside its numbers."""
        raise NotImplementedError

    @property
    def own_switches(self) -> tuple[Switch, ...]:
        """What can be chosen besides how it is drawn."""
        return ()

    def offset(self, node: int) -> int | None:
        """Where a point stands in the file."""
        return None

    # -- the view -----------------------------------------------------------------------------------------------------

    @property
    def shape(self) -> Shape:
        """As is chosen."""
        return "table" if self.choice("drawn") == "table" else "chart"

    @property
    def columns(self) -> tuple[Column, ...]:
        """The axis and the lines."""
        return (self.axis, *self.series)

    @property
    def orders(self) -> tuple[str, ...]:
        """By any line."""
        return tuple(column.name for column in self.series)

    @property
    def has_headings(self) -> bool:
        """Numbers of a table don't speak for themselves."""
        return True

    @property
    def switches(self) -> tuple[Switch, ...]:
        """All that can be chosen."""
        return (*self.own_switches, DRAWN)

    @property
    def is_ready(self) -> bool:
        """As soon as there are points."""
        return True

    @property
    def row_count(self) -> int | None:
        """Points so far."""
        return self.points

    @property
    def root_count(self) -> int | None:
        """As many: nothing lies below anything."""
        return self.points

    @property
    def tree(self) -> PreorderTree:
        """The points as rows."""
        return self._tree

    def row(self, node: int) -> Row:
        """A point."""
        badges: dict[str, Badge] = {}
        for column in (self.axis, *self.series):
            value = self.numbers(column)[node]
            if not isnan(value):
                badges[column.name] = value
        return Row(
            node=node,
            kind=self.kind,
            label=self.label(node),
            badges=badges,
            ref=f"node:{node}",
            offset=self.offset(node),
            rows_below=0,
        )

    def labels(self, start: int, stop: int) -> list[str]:
        """Labels of a range of nodes."""
        return [self.label(node) for node in range(start, min(stop, self.points))]

    def row_filters(self) -> LabelFilters:
        """What filters ask of all rows."""
        from parsers.query.selection.label_filters import LabelFilters

        return LabelFilters(self)

    def sort_keys(self, order: str, nodes: Sequence[int]) -> Sequence[Any]:
        """Numbers of a line; those that it has none of come last."""
        column = next(each for each in self.series if each.name == order)
        numbers = self.numbers(column)
        return [-1 if isnan(numbers[node]) else int(numbers[node]) for node in nodes]

    def resolve(self, ref: str) -> int:
        """The node of a REF. Raises `UnknownReference`."""
        kind, _, value = ref.partition(":")
        if kind != "node" or not value.isascii() or not value.isdigit() or len(value) > MOST_DIGITS:
            raise UnknownReference(f"{ref}: nothing of that name in {self.name}")
        if int(value) >= self.points:
            raise UnknownReference(f"{ref}: there are {self.points:,} nodes, counted from 0")
        return int(value)

    def key(self, node: int) -> Hashable | None:
        """No other view has points."""
        return (self.name, node)

    def find_key(self, key: Hashable) -> int | None:
        """The point of that thing."""
        match key:
            case (self.name, int(node)) if node < self.points:
                return node
        return None

    def sections(self, node: int) -> Sequence[Section]:
        """What the side pane shows: where the lines are highest and lowest."""
        return self.extremes()

    def extremes(self) -> list[Section]:
        """The highest and the lowest number of each line, each a way to its first point."""
        known = (self.points, *self.chosen.values())
        if self._extremes[0] != known:
            self._extremes = known, [section for section in map(self._extremes_of, self.series) if section.rows]
        return self._extremes[1]

    def _extremes_of(self, column: Column) -> Section:
        numbers = self.numbers(column)
        values = [value for value in numbers if not isnan(value)]
        rows = []
        for word, value in (("highest", max(values)), ("lowest", min(values))) if values else ():
            node = next(node for node, each in enumerate(numbers) if each == value)
            badges: dict[str, Badge] = {column.name: value}
            rows.append(SectionRow(f"{word} at {self.label(node)}", ref=f"node:{node}", view=self.name, badges=badges))
        return Section(column.title, tuple(rows))

    def links(self, node: int) -> Sequence[Link]:
        """None."""
        return ()

    def references(self, node: int) -> References:
        """Nothing points here."""
        return References(f"references to {self.label(node)}", self.name, ())

    def path(self, node: int) -> Sequence[int]:
        """The point alone."""
        return (node,)
