"""The picture of a view of shape "timeline": a lane a line, in the colour and the letter of its state.

Above the lanes are a ruler of the whole time with the visible part, and the axis of that part. Below them is the legend
of letters, with the shares of states in the cell under the cursor. The cursor is a lane and a moment.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import numpy as np

from parsers.views.timelines.timeline_view import NOTHING, Lane, TimeLine
from tui.pictures.axis_picture import AxisLayout, AxisPicture
from tui.pictures.chart.window import Window
from tui.pictures.timeline.lane_cells import CellStates, LaneCells
from tui.pictures.timeline.scale import TimeScale
from tui.tree.tree_rows import drop_oldest

if TYPE_CHECKING:
    from parsers.model.arrays import I64Array, U8Array
    from parsers.views.timelines.lane_view import LaneView
    from tui.pictures.picture_view import PictureView


LEAST_SPAN = 1000.0
"""Minimum visible nanoseconds, so that no cell is shorter than one."""

KEPT_LANES = 512
"""Maximum lanes with cached sums."""

MOST_LABEL = 24
"""Maximum cells for names of lanes, if a third of the width is more."""

LEAST_LINES = 5
"""Minimum lines for ruler, axis and legend; in fewer only lanes are shown."""


@dataclass(frozen=True, slots=True)
class TimelineLayout(AxisLayout):
    """The layout of the picture."""

    head: int
    """Lines above the lanes."""
    lanes: int
    """Lines for lanes."""


class TimeLinePicture(AxisPicture):
    """A time line; visible part and moment are kept when the report is opened again."""

    least_span = LEAST_SPAN
    keys = (
        ("right", "next change", "The next change of state in another cell."),
        ("left", "", "The previous change of state in another cell."),
        ("next-sibling", "", "The next change of state, however near."),
        ("previous-sibling", "", "The previous change of state, however near."),
        ("down", "next lane", "The next lane, at the same time."),
        ("up", "", "The previous lane, at the same time."),
        ("larger", "zoom", "Zoom in: show half as much time."),
        ("smaller", "zoom out", "Zoom out: show twice as much time."),
        ("follow-link", "", "Follow the link of this state; without a link zoom as Space does."),
        ("toggle", "", "Zoom to the state under the cursor, or zoom out again."),
        ("fold-siblings", "", "Zoom to the state under the cursor."),
        ("open-siblings", "", "Show the whole time."),
        ("page-down", "", "Later, by the visible time."),
        ("page-up", "", "Earlier, by the visible time."),
        ("scroll-right", "", "Show later times; the cursor stays while it is visible."),
        ("scroll-left", "", "Show earlier times; the cursor stays while it is visible."),
        ("end-of-rows", "", "Show the end of the time. Press again to return to the start."),
    )

    def __init__(self, pane: PictureView) -> None:
        super().__init__(pane)
        self._line: TimeLine | None = None
        self._scale: tuple[bool, TimeScale] | None = None
        self._window: Window | None = None
        self._before: Window | None = None
        """The window before the last zoom to the state under the cursor."""
        self._moment = 0
        self._reported_moment: int | None = None
        """The moment last passed to the view."""
        self._top = 0
        """The first visible lane."""
        self._order: Sequence[int] | None = None
        self._sums: dict[int, LaneCells] = {}
        self._pauses: LaneCells | None = None
        self._edges: I64Array | None = None
        self._cells: dict[int, CellStates] = {}
        """Cached cells of lanes between the edges."""

    # -- what is drawn ------------------------------------------------------------------------------------------------

    @property
    def heading(self) -> str:
        """The axis; each lane is a row."""
        return f"time since the start, s{', compressed where nothing changes' if self.view.is_compressed else ''}"

    @property
    def view(self) -> LaneView:
        """The drawn view."""
        return cast("LaneView", self.pane.view)

    @property
    def line_shown(self) -> TimeLine:
        """The time line with the cursor."""
        line = self.view.time_line(self.pane.cursor_node or 0)
        if line is not self._line:
            if self._line is not None and self._window is not None and line.first == self._line.first:
                # A longer version of the same recording.
                self._window = self._window.grown(0.0, self._scale_of(line).length)
            else:
                self._window, self._moment, self._top = None, 0, 0
            self._line, self._scale, self._pauses = line, None, None
            self._sums.clear()
            self._forget_cells()
        return line

    def _scale_of(self, line: TimeLine) -> TimeScale:
        length = max(line.length, int(LEAST_SPAN))
        lanes = range(len(line.lanes)) if self.view.is_compressed else ()
        return TimeScale(length, [line.pieces(lane).starts for lane in lanes])

    @property
    def scale(self) -> TimeScale:
        """The positions of moments."""
        line, is_compressed = self.line_shown, self.view.is_compressed
        if self._scale is None or self._scale[0] != is_compressed:
            before, self._scale = self._scale, (is_compressed, self._scale_of(line))
            if before is not None and self._window is not None:
                shown = before[1].moments(np.asarray([self._window.start, self._window.stop]))
                start, stop = self._scale[1].positions(shown).tolist()
                self._window = Window(0.0, self._scale[1].length, start, stop)
            self._forget_cells()
        return self._scale[1]

    @property
    def window(self) -> Window:
        """The visible part, in positions of the scale."""
        scale = self.scale
        if self._window is None:
            self._window = Window.whole(0.0, scale.length)
        return self._window

    @property
    def lanes(self) -> Sequence[Lane]:
        """All lanes."""
        return self.line_shown.lanes

    @property
    def order(self) -> Sequence[int]:
        """The drawn lanes: all, or those left by filters."""
        outline, line = self.pane.outline, self.line_shown
        if self.pane.selection is None:
            return range(len(line.lanes))
        if self._order is None:
            left = [lane for lane, each in enumerate(line.lanes) if outline.row_of(each.node) is not None]
            self._order = left or range(len(line.lanes))
        return self._order

    @property
    def lane(self) -> int:
        """The lane with the cursor."""
        return self.view.lane_of(self.pane.cursor_node or 0)

    @property
    def place(self) -> int:
        """The index of the cursor's lane among the drawn ones."""
        return max(0, min(bisect_left(self.order, self.lane), len(self.order) - 1))

    @property
    def moment(self) -> int:
        """The moment of the cursor."""
        return max(0, min(self._moment, self.line_shown.length - 1))

    @property
    def position(self) -> float:
        """The position of the cursor's moment."""
        return self.position_of(self.moment)

    def go_to_position(self, position: float) -> None:
        """Goes to the moment at a position, in the same lane."""
        self._go(self.lane, int(self.scale.moments(np.asarray([position]))[0]))

    def _show(self, window: Window) -> None:
        self._window = window
        self._forget_cells()
        start, stop = self.scale.moments(np.asarray([window.start, window.stop])).tolist()
        self.view.set_visible(int(start), int(stop))
        self.pane.refresh()

    def _forget_cells(self) -> None:
        self._edges = None
        self._cells.clear()

    def forget(self) -> None:
        """Forgets cached drawings for a new size or other rows."""
        self._order = None
        self._forget_cells()

    @property
    def sticks_to_end(self) -> bool:
        """True if the cursor is at the last moment."""
        return bool(self.pane.size.width) and self.moment == self.line_shown.length - 1

    def to_end(self) -> None:
        """Goes to the last moment, in the same lane; with several time lines, to that of the last one."""
        preorder = self.pane.view.tree.preorder
        if preorder is not None and preorder.rows:
            last = preorder.rows - 1
            if self.view.time_line(last) is not self.line_shown:
                self.pane.go_to(last)
        self._go(self.lane, self.line_shown.length - 1)

    @property
    def layout(self) -> TimelineLayout:
        """The layout for the present size."""
        width, height = max(1, self.pane.size.width), max(1, self.pane.size.height)
        head = 2 if height >= LEAST_LINES else 0
        return TimelineLayout(width, height, min(width // 3, MOST_LABEL), head, max(1, height - head - bool(head)))

    @property
    def edges(self) -> I64Array:
        """The moments between cells: int64[cells + 1]."""
        cells = self.layout.cells
        if self._edges is None or len(self._edges) != cells + 1:
            window = self.window
            self._forget_cells()
            self._edges = self.scale.moments(np.linspace(window.start, window.stop, cells + 1))
        return self._edges

    def cells_of(self, lane: int) -> CellStates:
        """The cells of a lane."""
        edges = self.edges
        if lane not in self._cells:
            if lane not in self._sums:
                drop_oldest(self._sums, KEPT_LANES)
                self._sums[lane] = LaneCells(self.line_shown.pieces(lane), self.line_shown.marks(lane))
            self._cells[lane] = self._sums[lane].cells(edges)
        return self._cells[lane]

    def paused(self) -> U8Array:
        """By cell: the state of a pause of all lanes, if pauses are most of the cell; else NOTHING."""
        line, edges = self.line_shown, self.edges
        if line.pauses is None:
            return np.zeros(len(edges) - 1, np.uint8)
        if self._pauses is None:
            self._pauses = LaneCells(line.pauses)
        cells = self._pauses.cells(edges)
        paused = sum(cells.shares.values(), np.zeros(len(edges) - 1, np.int64))
        return np.where(paused * 2 > np.diff(edges), cells.states, np.uint8(NOTHING))

    def scroll_to_cursor(self) -> None:
        """Moves the moment into the state under the cursor, and the visible part to the cursor."""
        node = self.pane.cursor_node
        if node is None or not self.pane.size.width:
            return
        if self.view.moment is not None and self.view.moment != self._reported_moment:
            # A link has moved the cursor here.
            self._moment = self.view.moment
        span = self.view.span(node)
        if span is not None and not span[0] <= self._moment < span[1]:
            self._moment = span[0]
        self._moment = self._reported_moment = self.moment
        self.view.set_moment(self._moment, node)
        window = self.window.showing(self.position_of(self._moment))
        if window != self._window:
            self._show(window)
        lanes, place = self.layout.lanes, self.place
        self._top = max(0, min(self._top, place, len(self.order) - lanes))
        if place >= self._top + lanes:
            self._top = place - lanes + 1

    def position_of(self, moment: int) -> float:
        return float(self.scale.positions(np.asarray([moment]))[0])

    def cell_of(self, moment: int) -> int:
        """The cell of a moment, also beyond the visible ones."""
        if moment >= self.edges[-1]:
            return len(self.edges) - 1 - int(moment == self.edges[-1])
        return int(self.edges.searchsorted(moment, "right")) - 1

    # -- drawing ------------------------------------------------------------------------------------------------------

    def node_at(self, x: int, y: int) -> int | None:
        """The row of a cell; the cursor's moment becomes that of the cell."""
        layout = self.layout
        place = self._top + y - layout.head
        if y < layout.head or y - layout.head >= layout.lanes or not 0 <= place < len(self.order):
            return None
        cell = max(0, min(x - layout.margin, layout.cells - 1))
        moment = self.moment if x < layout.margin else int(self.edges[cell])
        self._go(self.order[place], moment)
        return self.pane.cursor_node

    # -- moving -------------------------------------------------------------------------------------------------------

    def _go(self, lane: int, moment: int) -> None:
        """Moves the cursor to the state of a lane at a moment."""
        line = self.line_shown
        self._moment = max(0, min(moment, line.length - 1))
        pieces = self.line_shown.pieces(lane)
        piece = pieces.at(self._moment)
        node = line.lanes[lane].node if piece < 0 else int(pieces.nodes[piece])
        if self.pane.outline.row_of(node) is None:
            node = line.lanes[lane].node
        if node == self.pane.cursor_node:
            self.scroll_to_cursor()
            self.pane.refresh()
            self.pane.cursor_changed()
        else:
            self.pane.go_to(node)

    def step(self, rows: int) -> None:
        """Goes to another lane at the same moment; after the last one to the next time line."""
        place, order, lanes = self.place, self.order, self.lanes
        if not order:
            return
        if 0 <= place + rows < len(order):
            self._go(order[place + rows], self.moment)
            return
        preorder = self.pane.view.tree.preorder
        beyond = None
        if preorder is not None and rows > 0 and place == len(order) - 1:
            beyond = preorder.end(lanes[-1].node)
            beyond = beyond if beyond < preorder.rows else None
        elif preorder is not None and place == 0:
            above = preorder.parent(lanes[0].node)
            beyond = above - 1 if above else None
        if beyond is not None:
            self.pane.go_to(beyond)
        else:
            self._go(order[0 if rows < 0 else -1], self.moment)

    def move_sideways(self, step: int) -> bool:
        """Goes to the next change of state in another cell."""
        before = self.moment
        for _ in range(abs(step)):
            pieces, moment, edges = self.line_shown.pieces(self.lane), self.moment, self.edges
            cell = self.cell_of(moment)
            if step > 0:
                change = pieces.change_after(moment)
                if change is not None and cell + 1 < len(edges) and change < edges[cell + 1]:
                    change = pieces.change_after(int(edges[cell + 1]) - 1)
            else:
                change = pieces.change_before(moment)
                if change is not None and 0 <= cell < len(edges) and change >= edges[cell]:
                    change = pieces.change_before(int(edges[cell]))
            if change is None:
                change = 0 if step < 0 else self.line_shown.length - 1
            self._go(self.lane, change)
        return self.moment != before

    def sibling(self, step: int) -> None:
        """Goes to the next change of state, however near."""
        for _ in range(abs(step)):
            pieces = self.line_shown.pieces(self.lane)
            change = pieces.change_after(self.moment) if step > 0 else pieces.change_before(self.moment)
            if change is None:
                break
            self._go(self.lane, change)

    def _keep_cursor(self) -> None:
        first, last = int(self.edges[0]), int(self.edges[-1])
        if not first <= self.moment <= last:
            # Edges are rounded down: the first one may be before the window.
            self._go(self.lane, max(first + 1, min(self.moment, last - 1)))

    # -- what is shown ------------------------------------------------------------------------------------------------

    def show_all(self) -> None:
        """Shows the whole time."""
        self._show(Window.whole(0.0, self.scale.length))

    def show_only(self) -> None:
        """Makes the state under the cursor as wide as half of the picture."""
        pieces = self.line_shown.pieces(self.lane)
        piece = pieces.at(self.moment)
        ends = (0, self.line_shown.length) if piece < 0 else (int(pieces.starts[piece]), pieces.stop(piece))
        start, stop = self.scale.positions(np.asarray(ends)).tolist()
        around = Window.whole(0.0, self.scale.length)
        wanted = max((stop - start) * 2, LEAST_SPAN)
        self._before = self.window
        self._show(around.zoomed((start + stop) / 2, wanted / around.span, least=LEAST_SPAN))
        self._show(self.window.moved((start + stop) / 2 - (self.window.start + self.window.stop) / 2))

    def toggle(self) -> None:
        """Zooms to the state under the cursor, or back."""
        before, window = self._before, self.window
        self.show_only()
        if before is not None and self.window == window:
            self._show(before)
            self._before = None

    def enter(self) -> None:
        """Zooms to the state under the cursor, or back."""
        self.toggle()
