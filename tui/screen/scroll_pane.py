"""A pane of lines that is scrolled, with a cursor line: what lists, pages of text and the details have in common."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual import events
from textual.binding import BindingType

from tui.screen.line_widget import LineWidget
from tui.tree.viewport import Place, Viewport

WHEEL_ROWS = 3


class ScrollPane(LineWidget, can_focus=True, inherit_bindings=False):
    """Moves a viewport over its lines. A derived class draws them, and says how wide they are."""

    BINDINGS: ClassVar[list[BindingType]] = []

    def __init__(self, rows: int = 0, margin: int = 0, id: str | None = None) -> None:
        super().__init__(id=id)
        self.viewport = Viewport(rows=rows, margin=margin)
        self.left = 0
        """Cells that long lines are scrolled sideways."""

    @property
    def row_count(self) -> int:
        """Lines of the pane."""
        return self.viewport.rows

    @property
    def cursor_row(self) -> int:
        """The line with the cursor."""
        return self.viewport.cursor

    @property
    def most_left(self) -> int:
        """Cells that lines can be scrolled sideways until the longest one on the screen ends."""
        return 0

    def moved(self, direction: int) -> None:
        """The cursor has moved down (1) or up (-1), or lines have been scrolled."""
        self.refresh()

    def move_by(self, rows: int) -> None:
        """Cursor down, or up if negative."""
        self._move(lambda: self.viewport.move_by(rows), rows)

    def move_to_row(self, row: int) -> None:
        """Cursor to a line; -1 is the last."""
        self._move(lambda: self.viewport.move_to(row if row >= 0 else self.viewport.rows + row), 1)

    def page(self, count: int) -> None:
        """Pages down, or up if negative."""
        self._move(lambda: self.viewport.page(count), count)

    def half_page(self, direction: int, rows: int | None = None) -> None:
        """Half a page, or so many lines from then on."""
        self._move(lambda: self.viewport.half_page(direction, rows), direction)

    def scroll_by(self, rows: int) -> None:
        """Scroll; the cursor stays where it can."""
        self._move(lambda: self.viewport.scroll_by(rows), rows)

    def place_cursor(self, place: Place) -> None:
        """Scroll so that the cursor line is there."""
        self._move(lambda: self.viewport.place(place), 1)

    def scroll_sideways(self, cells: int) -> None:
        """Show what is further right, or left if negative."""
        self.left = max(0, min(self.left + cells, self.most_left))
        self.refresh()

    def scroll_to_end(self) -> None:
        """To the end of the longest line on the screen, and back."""
        self.left = 0 if self.left else self.most_left
        self.refresh()

    def _move(self, move: Callable[[], object], direction: int) -> None:
        move()
        self.moved(1 if direction >= 0 else -1)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """The wheel; with Shift sideways."""
        self._wheel(event, WHEEL_ROWS)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """The wheel; with Shift sideways."""
        self._wheel(event, -WHEEL_ROWS)

    def _wheel(self, event: events.MouseEvent, rows: int) -> None:
        event.stop()
        if event.shift:
            self.scroll_sideways(rows)
        else:
            self.scroll_by(rows)
