"""Views of shape "chart": successive measurements, each a line over a common axis.

A chart is a table as well: a row for each point of the axis, a column for each line. So the cursor, REFs, search,
export and printing need not know charts, and a `switch` shows the table instead of the picture.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import cached_property
from math import isnan

from parsers.model.names.ref_number import numbered_node
from parsers.model.row import Badge, Column, Row, Section, SectionRow
from parsers.model.trees.preorder import FlatPreorder
from parsers.model.view import Shape, StrangeReference, Switch
from parsers.views.base import LabelFiltered
from parsers.views.positions_view import PositionsView
from parsers.views.switches import SwitchableView

SHOW_AS = Switch("drawn", "g", "show as", ("chart", "table"))
"""Choice between picture and table."""


class ChartView(LabelFiltered, SwitchableView, PositionsView):
    """A `View` over points. Derived classes define the axis and the lines, and return the numbers of each.

    Points are only added; existing ones never change.
    """

    kind = ""
    """The kind of all rows."""

    def __init__(self) -> None:
        self._extremes: tuple[Hashable, list[Section]] = ((), [])
        """The state for which extremes were computed, and the extremes."""

    # -- to be defined by derived classes -----------------------------------------------------------------------------

    @property
    def points(self) -> int:
        """Number of points known now."""
        raise NotImplementedError

    @property
    def is_complete(self) -> bool:
        """True if there will be no more points."""
        return True

    @property
    def axis(self) -> Column:
        """The column of the horizontal axis; its numbers never decrease."""
        raise NotImplementedError

    @property
    def series(self) -> tuple[Column, ...]:
        """The columns drawn as lines. Lines of the same unit share a picture."""
        raise NotImplementedError

    def numbers(self, column: Column) -> Sequence[float]:
        """Numbers of the axis or of a line, by point; NaN where a line has none."""
        raise NotImplementedError

    def label(self, node: int) -> str:
        """The label of a row."""
        raise NotImplementedError

    @property
    def own_switches(self) -> tuple[Switch, ...]:
        """Switches besides `SHOW_AS`."""
        return ()

    def offset(self, node: int) -> int | None:
        """Byte offset of a point in the file."""
        return None

    # -- the view -----------------------------------------------------------------------------------------------------

    @property
    def shape(self) -> Shape:
        """The chosen shape."""
        return "table" if self.choice("drawn") == "table" else "chart"

    @property
    def columns(self) -> tuple[Column, ...]:
        """The axis and the lines."""
        return (self.axis, *self.series)

    @property
    def orders(self) -> tuple[str, ...]:
        """The names of all lines."""
        return tuple(column.name for column in self.series)

    @property
    def switches(self) -> tuple[Switch, ...]:
        """All switches."""
        return (*self.own_switches, SHOW_AS)

    @cached_property
    def rows(self) -> FlatPreorder:
        """The points as rows."""
        return FlatPreorder(lambda: self.points, lambda: self.is_complete)

    def row(self, node: int) -> Row:
        """The row of a point."""
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

    def sort_keys(self, order: str, nodes: Sequence[int]) -> list[int]:
        """Numbers of a line; points without a number are last."""
        column = next(each for each in self.series if each.name == order)
        numbers = self.numbers(column)
        return [-1 if isnan(numbers[node]) else int(numbers[node]) for node in nodes]

    def resolve(self, ref: str) -> int:
        """The node of a REF. Raises `UnknownReference`."""
        node = numbered_node(ref, self.points)
        if node is None:
            raise StrangeReference(f"{ref}: nothing of that name in {self.name}")
        return node

    def key(self, node: int) -> Hashable | None:
        """A key of this view only: no other view has points."""
        return (self.name, node)

    def find_key(self, key: Hashable) -> int | None:
        """The point with this key."""
        match key:
            case (self.name, int(node)) if node < self.points:
                return node
        return None

    def sections(self, node: int) -> Sequence[Section]:
        """The side pane: maxima and minima of the lines."""
        return self.extremes()

    def extremes(self) -> list[Section]:
        """The maximum and minimum of each line, linked to the first point that has it."""
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
