"""The picture of a view of shape "chart": a line for each numeric column, over a shared axis.

Lines of one unit share a field; fields are drawn one below the other. Legends show the numbers under the cursor.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan
from typing import TYPE_CHECKING, cast

from rich.segment import Segment
from textual.strip import Strip

from parsers.model.row import Column
from parsers.model.view import Charted
from tui.pictures.axis_picture import AxisLayout, AxisPicture, axis_pieces
from tui.pictures.chart.grid import ASCII_SIGNS, SIGNS, Grid, GridCell
from tui.pictures.chart.polyline import Polyline
from tui.pictures.chart.scale import round_range, tick_text, ticks
from tui.pictures.chart.window import Window
from tui.screen.sanitise import safe
from tui.screen.theme import Ground
from tui.tree.column_text import number_text, titled
from tui.tree.piece import Piece, cut, line_width, pad, segments, width_of

if TYPE_CHECKING:
    from tui.pictures.picture_view import PictureView

ROLES = ("bar", "flag", "progress", "mark-sign", "link", "problem")
"""Colours of lines, by number."""

LEAST_FIELD = 3
"""Minimum lines of a field; in fewer only the field of the selected line is drawn."""

LINES_A_TICK, CELLS_A_TICK = 3, 16
"""Lines and cells for each number of an axis."""


@dataclass(frozen=True, slots=True)
class PlotArea:
    """The area for the lines of one unit."""

    unit_columns: tuple[Column, ...]
    top: int
    """The line of its legend; the field is below it."""
    height: int
    grid: Grid
    names: dict[int, str]
    """Numbers of its axis, by line of the field."""


@dataclass(frozen=True, slots=True)
class ChartLayout(AxisLayout):
    """The whole drawing except the cursor."""

    fields: tuple[PlotArea, ...]
    dots: int
    """Columns of dots of a field."""


class LineChart(AxisPicture):
    """A line chart; hidden lines and zoom are kept when the report is opened again."""

    keys = (
        ("right", "later", "The next point that is drawn in another cell."),
        ("left", "", "The previous point that is drawn in another cell."),
        ("next-sibling", "", "The next point."),
        ("previous-sibling", "", "The previous point."),
        ("down", "line", "Select the next line of the chart."),
        ("up", "", "Select the previous line of the chart."),
        ("follow-link", "", "Follow the link of this point; without a link zoom in."),
        ("toggle", "hide line", "Hide the selected line, or show it again."),
        ("fold-siblings", "", "Show only the selected line."),
        ("open-siblings", "", "Show all lines."),
        ("larger", "", "Zoom in: show half as much of the axis."),
        ("smaller", "zoom out", "Zoom out: show twice as much of the axis."),
        ("page-down", "", "Further along the axis, by its visible part."),
        ("page-up", "", "Back along the axis, by its visible part."),
        ("scroll-right", "", "Show the part to the right; the cursor stays while it is visible."),
        ("scroll-left", "", "Show the part to the left; the cursor stays while it is visible."),
        ("end-of-rows", "", "Show the end of the axis. Press again to return to its start."),
    )

    def __init__(self, pane: PictureView) -> None:
        super().__init__(pane)
        self._hidden: set[str] = set()
        self._chosen = 0
        """Number of the selected line: the top one, to which keys apply."""
        self._window: Window | None = None
        self._lines: dict[str, Polyline] = {}
        self._layout: ChartLayout | None = None

    # -- what is drawn ------------------------------------------------------------------------------------------------

    @property
    def heading(self) -> str:
        """The horizontal axis, and the selected line."""
        return f"{titled(self.chosen)}, over {titled(self.view.axis)}"

    @property
    def view(self) -> Charted:
        """The drawn view."""
        return cast(Charted, self.pane.view)

    @property
    def series(self) -> tuple[Column, ...]:
        """All numeric columns, one a line."""
        return self.view.series

    @property
    def chosen(self) -> Column:
        """The selected line."""
        return self.series[min(self._chosen, len(self.series) - 1)]

    @property
    def places(self) -> Sequence[float]:
        """Places on the axis, by node."""
        return self.view.numbers(self.view.axis)

    @property
    def window(self) -> Window:
        """The visible part of the axis."""
        places = self.places
        first, last = (float(places[0]), float(places[-1])) if len(places) else (0.0, 1.0)
        if self._window is None:
            self._window = Window.whole(first, last)
        elif (self._window.first, self._window.last) != (first, last):
            self._window = self._window.grown(first, last)
        return self._window

    @property
    def position(self) -> float:
        """The place of the point under the cursor."""
        return float(self.places[self.pane.cursor_node or 0])

    def go_to_position(self, position: float) -> None:
        """Goes to the nearest point."""
        self.pane.go_to(self._nearest(position))

    def _show(self, window: Window) -> None:
        self._window = window
        self._redraw()

    def _redraw(self) -> None:
        self._layout = None
        self.pane.refresh()

    def is_shown(self, column: Column) -> bool:
        """True if a line is drawn."""
        return column.name not in self._hidden

    def forget(self) -> None:
        """Forgets cached drawings when points were added or the pane has changed."""
        self._lines.clear()
        self._layout = None

    @property
    def sticks_to_end(self) -> bool:
        """True if the cursor is on the last of some points and follows new ones."""
        points = len(self.places)
        return points > 1 and self.pane.cursor_node == points - 1

    def scroll_to_cursor(self) -> None:
        """Moves the visible part of the axis to the cursor."""
        node = self.pane.cursor_node
        if node is None:
            return
        window = self.window.showing(float(self.places[node]))
        if window != self._window:
            self._show(window)

    def line_of(self, column: Column) -> Polyline:
        """The points of a column, joined."""
        if column.name not in self._lines:
            self._lines[column.name] = Polyline.of(self.places, self.view.numbers(column))
        return self._lines[column.name]

    @property
    def layout(self) -> ChartLayout:
        """The layout for the present size."""
        size = self.pane.size
        if self._layout is None or (self._layout.width, self._layout.height) != (size.width, size.height):
            self._layout = self._lay_out(size.width, size.height)
        return self._layout

    def _lay_out(self, width: int, height: int) -> ChartLayout:
        groups: dict[str, list[Column]] = {}
        for column in self.series:
            groups.setdefault(column.unit, []).append(column)
        wanted = [tuple(group) for group in groups.values()]
        line_segments = [group for group in wanted if any(map(self.is_shown, group))]
        lines = height - 1 - len(wanted)
        if lines < LEAST_FIELD * max(1, len(line_segments)):
            wanted = [tuple(groups[self.chosen.unit])]
            line_segments = [group for group in wanted if any(map(self.is_shown, group))]
            lines = height - 1 - len(wanted)
        share, more = divmod(max(0, lines), len(line_segments)) if line_segments else (0, 0)
        sizes = [0 if group not in line_segments else share + (line_segments.index(group) < more) for group in wanted]
        ranges = [self._range(group) for group in wanted]
        texts = [
            [(value, tick_text(value, group[0].unit, high - low)) for value in _ticks(low, high, size, group[0])]
            for group, size, (low, high) in zip(wanted, sizes, ranges, strict=True)
        ]
        widest = max((width_of(text) for group in texts for _, text in group), default=0)
        margin = widest + 2 if widest + 2 <= width // 3 else 0
        fields, top, dots = [], 0, 0
        for group, size, (low, high), named in zip(wanted, sizes, ranges, texts, strict=True):
            grid = self._grid(group, max(1, width - margin), size)
            self._draw(grid, group, low, high)
            fields.append(PlotArea(group, top, size, grid, _rows_of(named, low, high, size)))
            top, dots = top + 1 + size, max(dots, grid.columns)
        return ChartLayout(width, height, margin, tuple(fields), dots)

    def _range(self, group: Sequence[Column]) -> tuple[float, float]:
        """Rounded range of the numbers of a field's lines."""
        window = self.window
        lines = [self.line_of(each) for each in group if self.is_shown(each)]
        # A few wide columns give the same range, and are faster where points are many.
        known = [reach for line in lines for reach in line.columns(window.start, window.stop, 2) if reach is not None]
        low, high = min((reach.low for reach in known), default=0.0), max((reach.high for reach in known), default=0.0)
        return round_range(low, high)

    def _grid(self, group: Sequence[Column], width: int, height: int) -> Grid:
        """The cells for the lines of a field: dots, unless lines would be indistinguishable."""
        is_ascii, is_mono = self.pane.is_ascii, self.pane.palette.is_mono
        has_dots = not is_ascii and not (is_mono and sum(map(self.is_shown, group)) > 1)
        return Grid(width, height, has_dots, ASCII_SIGNS if is_ascii else SIGNS)

    def _draw(self, grid: Grid, group: Sequence[Column], low: float, high: float) -> None:
        window = self.window
        for column in sorted(group, key=lambda each: each is self.chosen):
            if self.is_shown(column) and grid.rows:
                reaches = self.line_of(column).columns(window.start, window.stop, grid.columns)
                grid.draw(reaches, low, high, self.series.index(column))

    # -- drawing ------------------------------------------------------------------------------------------------------

    def line(self, y: int) -> Strip:
        """Renders a line of the screen: of a field, the legend above it, or the axis at the bottom."""
        layout = self.layout
        line_segments: list[Segment] = []
        for field in layout.fields:
            if y == field.top:
                line_segments = self._legend(field, layout.width)
            elif field.top < y <= field.top + field.height:
                line_segments = self._field_line(field, y - field.top - 1, layout)
        if not line_segments:
            end = sum(1 + field.height for field in layout.fields)
            line_segments = self._axis(layout) if y == end else segments(pad([], layout.width), self.pane.palette)
        return Strip(line_segments).adjust_cell_length(layout.width, self.pane.palette.ground("page"))

    def _legend(self, field: PlotArea, width: int) -> list[Segment]:
        """Names of the lines, each with its number under the cursor, as far as they fit."""
        for columns, has_numbers in ((field.unit_columns, True), (field.unit_columns, False), ((self.chosen,), True)):
            entries = [self._entry(column, has_numbers or column == self.chosen) for column in columns]
            if sum(map(line_width, entries)) + len(entries) <= width:
                break
        line_segments: list[Segment] = []
        for column, entry in zip(columns, entries, strict=True):
            is_chosen = column == self.chosen and len(self.series) > 1
            ground: Ground = "page" if not is_chosen else "cursor" if self.pane.has_focus else "idle cursor"
            line_segments += [*segments([Piece(" ")], self.pane.palette), *segments(entry, self.pane.palette, ground)]
        return line_segments

    def _entry(self, column: Column, has_number: bool) -> list[Piece]:
        number, name = self.series.index(column), safe(column.title)
        if not self.is_shown(column):
            return [Piece(f" ({name}) ", "quiet")]
        pieces = [Piece(f" {self._sign(column)} ", ROLES[number % len(ROLES)]), Piece(f"{name} ")]
        node = self.pane.cursor_node
        value = float("nan") if node is None else self.view.numbers(column)[node]
        if has_number and not isnan(value):
            pieces.append(Piece(f"{number_text(value, column.unit)} ", "number"))
        return pieces

    def _sign(self, column: Column) -> str:
        """The sign of a line in its field."""
        group = [each for each in self.series if each.unit == column.unit and self.is_shown(each)]
        signs = ASCII_SIGNS if self.pane.is_ascii else SIGNS
        needs_sign = self.pane.is_ascii or (self.pane.palette.is_mono and len(group) > 1)
        return signs[self.series.index(column) % len(signs)] if needs_sign else "█"

    def _field_line(self, field: PlotArea, y: int, layout: ChartLayout) -> list[Segment]:
        palette, is_ascii = self.pane.palette, self.pane.is_ascii
        line_segments: list[Segment] = []
        if layout.margin:
            name = field.names.get(y, "").rjust(layout.margin - 2)
            line_segments += segments([Piece(f"{name} ", "quiet"), Piece("|" if is_ascii else "│", "divider")], palette)
        cells = field.grid.cells(y)
        cursor = self._cursor_cell(layout)
        before, under, behind = cells[:cursor], cells[cursor : cursor + 1], cells[cursor + 1 :]
        line_segments += segments(_pieces(before), palette)
        if under:
            mark = under[0]
            blank = Piece(":" if is_ascii else "┆", "cursor")
            is_lit = mark is not None and self.pane.has_focus
            line_segments += segments(_pieces(under) if mark else [blank], palette, "cursor" if is_lit else "page")
        return line_segments + segments(_pieces(behind), palette)

    def _cursor_cell(self, layout: ChartLayout) -> int:
        """The cell of a field with the cursor."""
        node = self.pane.cursor_node
        return -1 if node is None else self._cell_of(float(self.places[node]), layout)

    def _cell_of(self, place: float, layout: ChartLayout) -> int:
        window = self.window
        dot = round((place - window.start) / window.span * (layout.dots - 1)) if window.span > 0 else 0
        return max(0, min(layout.cells - 1, dot * layout.cells // max(1, layout.dots)))

    def _axis(self, layout: ChartLayout) -> list[Segment]:
        """Round numbers below the fields, with the cursor's own at its place."""
        window, unit = self.window, self.view.axis.unit
        named = [
            (self._cell_of(place, layout), tick_text(place, unit, window.span), "quiet")
            for place in ticks(window.start, window.stop, max(1, layout.cells // CELLS_A_TICK), unit)
        ]
        node = self.pane.cursor_node
        if node is not None:
            text = safe(self.pane.row(node).label)[: layout.cells]
            named.insert(0, (self._cursor_cell(layout), text, "crumb"))
        pieces = [Piece(" " * layout.margin), *axis_pieces(named, layout.cells)]
        return segments(pad(cut(pieces, layout.width), layout.width), self.pane.palette)

    def node_at(self, x: int, y: int) -> int | None:
        """The point nearest to a cell."""
        layout, window, places = self.layout, self.window, self.places
        if x < layout.margin or not len(places):
            return None
        place = window.start + (x - layout.margin + 0.5) / layout.cells * window.span
        return self._nearest(place)

    def _nearest(self, place: float) -> int:
        places = self.places
        after = min(bisect_left(places, place), len(places) - 1)
        return after - 1 if after and place - places[after - 1] < places[after] - place else after

    # -- moving -------------------------------------------------------------------------------------------------------

    def step(self, rows: int) -> None:
        """Selects another line."""
        self._chosen = (min(self._chosen, len(self.series) - 1) + rows) % len(self.series)
        self._redraw()

    def move_sideways(self, step: int) -> bool:
        """Goes to the next point that is drawn in another cell."""
        node, places, layout = self.pane.cursor_node, self.places, self.layout
        if node is None:
            return False
        for _ in range(abs(step)):
            dot = self.window.span / max(1, layout.dots - 1)
            if step > 0:
                following = max(node + 1, bisect_left(places, places[node] + dot))
            else:
                following = min(node - 1, bisect_right(places, places[node] - dot) - 1)
            if not 0 <= following < len(places):
                following = 0 if step < 0 else len(places) - 1
            if following == node:
                return False
            node = following
        self.pane.go_to(node)
        return True

    def sibling(self, step: int) -> None:
        """Goes to the next point."""
        node = self.pane.cursor_node
        if node is not None:
            self.pane.go_to(max(0, min(node + step, len(self.places) - 1)))

    def _keep_cursor(self) -> None:
        """Moves the cursor to the nearest visible point."""
        node, window, places = self.pane.cursor_node, self.window, self.places
        if node is None or window.start <= places[node] <= window.stop:
            return
        first, last = bisect_left(places, window.start), bisect_right(places, window.stop) - 1
        if first <= last:
            self.pane.go_to(first if places[node] < window.start else last)

    # -- what is shown ------------------------------------------------------------------------------------------------

    def toggle(self) -> None:
        """Hides or shows the selected line."""
        self._hidden ^= {self.chosen.name}
        self._redraw()

    def show_all(self) -> None:
        """Shows all lines."""
        self._hidden.clear()
        self._redraw()

    def show_only(self) -> None:
        """Shows only the selected line."""
        self._hidden = {column.name for column in self.series} - {self.chosen.name}
        self._redraw()


def _ticks(low: float, high: float, height: int, column: Column) -> list[float]:
    return ticks(low, high, max(1, height // LINES_A_TICK), column.unit) if height else []


def _rows_of(named: Sequence[tuple[float, str]], low: float, high: float, height: int) -> dict[int, str]:
    """Texts by the line of a field at their number."""
    scale = (height - 1) / (high - low) if high > low and height else 0.0
    return {height - 1 - round((value - low) * scale): text for value, text in named}


def _pieces(marks: Sequence[GridCell | None]) -> list[Piece]:
    """Cells in the colours of their lines."""
    return [Piece(" ") if mark is None else Piece(mark.sign, ROLES[mark.line % len(ROLES)]) for mark in marks]
