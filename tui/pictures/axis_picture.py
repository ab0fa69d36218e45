"""Pictures over a horizontal axis, of which a part is visible: zoomed and moved in one way."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tui.pictures.chart.window import Window
from tui.pictures.picture import Picture
from tui.tree.piece import Piece, width_of

ZOOM = 2.0
"""Factor of one zoom step, by keys and by the wheel, in all pictures with an axis."""


@dataclass(frozen=True, slots=True)
class AxisLayout:
    """The layout of such a picture."""

    width: int
    height: int
    margin: int
    """Cells left of the axis."""

    @property
    def cells(self) -> int:
        """Cells of the axis."""
        return max(1, self.width - self.margin)


class AxisPicture(Picture):
    """Visible part and cursor are kept when the report is opened again. Positions are numbers on the axis."""

    keeps_position = True
    least_span: float | None = None
    """Minimum length of the visible part; None: that of `Window`."""

    @property
    def layout(self) -> AxisLayout:
        """The layout for the present size."""
        raise NotImplementedError

    @property
    def window(self) -> Window:
        """The visible part."""
        raise NotImplementedError

    @property
    def position(self) -> float:
        """The position of the cursor."""
        raise NotImplementedError

    def go_to_position(self, position: float) -> None:
        """Moves the cursor to the place nearest to a position."""
        raise NotImplementedError

    def _show(self, window: Window) -> None:
        """Shows another part."""
        raise NotImplementedError

    def _keep_cursor(self) -> None:
        """Moves the cursor into the visible part."""
        raise NotImplementedError

    @property
    def margin(self) -> int:
        """Cells left of the axis."""
        return self.layout.margin

    def page(self, share: float) -> None:
        """Moves by the visible part; by a quarter if everything is visible."""
        if self.pane.cursor_node is not None:
            distance = self.window.span * share * (0.25 if self.window.is_whole else 1)
            position = self.position + distance
            self._show(self.window.moved(distance))
            self.go_to_position(position)

    def scroll(self, rows: int) -> None:
        """Zooms with the wheel, and with keys that scroll."""
        if rows < 0:
            self.zoom_in()
        else:
            self.zoom_out()

    def pan(self, cells: int) -> None:
        """Moves the visible part; the cursor stays while it is visible."""
        self._show(self.window.moved(cells / self.layout.cells * self.window.span))
        self._keep_cursor()

    def pan_to_end(self) -> None:
        """Moves to the end of the axis, or back to its start."""
        window = self.window
        self._show(window.moved(window.last if window.stop < window.last else -window.last))
        self._keep_cursor()

    def zoom_in(self) -> bool:
        """Shows half as much of the axis, around the cursor."""
        return self._zoom(1 / ZOOM)

    def zoom_out(self) -> bool:
        """Shows twice as much of the axis."""
        return not self.window.is_whole and self._zoom(ZOOM)

    def _zoom(self, factor: float) -> bool:
        if self.pane.cursor_node is None:
            return False
        self._show(self.window.zoomed(self.position, factor, self.least_span))
        return True

    def show_range(self, start: float, stop: float) -> None:
        """Enlarges a part of the visible axis; the cursor moves into it."""
        least = None if self.least_span is None else min(self.least_span, self.window.span)
        self._show(self.window.part(start, stop, least))
        self._keep_cursor()


def axis_pieces(named: Iterable[tuple[int, str, str]], cells: int) -> list[Piece]:
    """Texts along an axis of so many cells, without those that would touch earlier ones.

    named: the cell below which a text is centred, the text, its role; the most important first
    """
    taken: list[tuple[int, str, str]] = []
    for cell, text, role in named:
        start = max(0, min(cell - width_of(text) // 2, cells - width_of(text)))
        if all(start >= at + width_of(other) + 1 or start + width_of(text) + 1 <= at for at, other, _ in taken):
            taken.append((start, text, role))
    pieces, end = [], 0
    for start, text, role in sorted(taken):
        pieces += [Piece(" " * (start - end)), Piece(text, role)]
        end = start + width_of(text)
    return pieces
