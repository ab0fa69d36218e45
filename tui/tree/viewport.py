"""The part of a list of rows that is on the screen, and the cursor row. Only positions; no rows, no screen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

Place = Literal["top", "middle", "bottom"]


def nothing_covered(top: int) -> int:
    """Covers no row at the top of the screen."""
    return 0


@dataclass(slots=True)
class Viewport:
    """The position of a pane. Every method leaves the cursor on an existing row that is on the screen.

    covered: number of rows at the top of the screen that are drawn over when a given row is the top one; at most
    `most_covered`.
    """

    top: int = 0
    cursor: int = 0
    rows: int = 0
    height: int = 1
    margin: int = 0
    """Rows between the cursor and the edge, while there are any."""
    covered: Callable[[int], int] = nothing_covered
    most_covered: int = 5
    half: int | None = None
    """Rows of a half page, once a count was given."""

    @property
    def screen_row(self) -> int:
        """The line of the screen with the cursor."""
        return self.cursor - self.top

    @property
    def last_top(self) -> int:
        """The last possible top row."""
        return max(0, self.rows - self.height)

    def resize(self, height: int) -> None:
        """Sets the height of the pane."""
        self.height = max(1, height)
        self.clamp()

    def set_rows(self, rows: int) -> None:
        """Sets the number of rows."""
        self.rows = rows
        self.clamp()

    def clamp(self) -> None:
        """Returns cursor and top to valid positions with the least movement."""
        self.cursor = max(0, min(self.cursor, self.rows - 1))
        self.top = max(0, min(self.top, self.last_top))
        self._follow_cursor()

    def move_to(self, row: int) -> None:
        """Puts the cursor on a row and scrolls if necessary."""
        self.cursor = max(0, min(row, self.rows - 1))
        self._follow_cursor()

    def move_by(self, rows: int) -> None:
        """Moves the cursor."""
        self.move_to(self.cursor + rows)

    def scroll_by(self, rows: int) -> None:
        """Scrolls; the cursor stays on its row while that is on the screen."""
        self.top = max(0, min(self.top + rows, self.last_top))
        first, last = self._inner()
        self.cursor = max(min(self.cursor, last), first)
        if self.cursor < self.top + self.covered(self.top):
            self._follow_cursor()

    def page(self, count: int) -> None:
        """Moves by screens (negative: up); one row of the old screen stays, and the cursor keeps its line."""
        step = max(1, self.height - self.covered(self.top) - 1)
        self._leap(count * step)

    def half_page(self, direction: int, rows: int | None = None) -> None:
        """Moves by half a screen, or by the number of rows given once, from then on."""
        if rows is not None:
            self.half = rows
        self._leap(direction * (self.half or max(1, self.height // 2)))

    def place(self, place: Place) -> None:
        """Scrolls so that the cursor row is at the top, in the middle or at the bottom of the screen."""
        if place == "middle":
            self.top = self.cursor - self.height // 2
        elif place == "bottom":
            self.top = self.cursor - self.height + 1 + self._margin()
        else:
            self.top = self.cursor - self._margin()
        self.top = max(0, min(self.top, self.last_top))
        self._follow_cursor()

    def jump_to(self, row: int) -> None:
        """Puts the cursor on a row; if that was not on the screen, in the middle."""
        self.cursor = max(0, min(row, self.rows - 1))
        if self.top + self.covered(self.top) <= self.cursor < self.top + self.height:
            self._follow_cursor()
        else:
            self.place("middle")

    def _leap(self, rows: int) -> None:
        """Moves top and cursor by the same number of rows; at an end only the cursor continues."""
        self.cursor = max(0, min(self.cursor + rows, self.rows - 1))
        self.top = max(0, min(self.top + rows, self.last_top))
        self._follow_cursor()

    def _margin(self) -> int:
        return min(self.margin, max(0, (self.height - 1) // 2))

    def _inner(self) -> tuple[int, int]:
        """First and last row of the cursor that need no scrolling."""
        margin = self._margin()
        first = self.top + (margin if self.top > 0 else 0)
        last = self.top + self.height - 1 - (margin if self.top < self.last_top else 0)
        return first, min(last, self.rows - 1)

    def _follow_cursor(self) -> None:
        """Scrolls minimally until the cursor is on the screen and not under the covered top rows."""
        first, last = self._inner()
        if self.cursor > last:
            self.top = max(0, min(self.last_top, self.cursor - self.height + 1 + self._margin()))
        elif self.cursor < first:
            self.top = max(0, self.cursor - self._margin())
        for _ in range(self.most_covered + 1):
            if self.top == 0 or self.cursor - self.top >= self.covered(self.top):
                break
            self.top -= 1


class Scrolled:
    """A pane with rows and a cursor: moves of its viewport."""

    viewport: Viewport

    def _move(self, change: Callable[[Viewport], object], direction: int = 1) -> None:
        """Changes the viewport and draws what differs. direction: that of the cursor, negative: up"""
        raise NotImplementedError

    @property
    def row_count(self) -> int:
        """Number of rows."""
        return self.viewport.rows

    @property
    def cursor_row(self) -> int:
        """The row with the cursor."""
        return self.viewport.cursor

    def move_by(self, rows: int) -> None:
        """Moves the cursor down, or up if negative."""
        self._move(lambda viewport: viewport.move_by(rows), rows)

    def move_to_row(self, row: int) -> None:
        """Puts the cursor on a row, from 0; -1 is the last."""
        self._move(lambda viewport: viewport.move_to(row if row >= 0 else viewport.rows + row))

    def page(self, count: int) -> None:
        """Moves by screens down, or up if negative."""
        self._move(lambda viewport: viewport.page(count), count)

    def half_page(self, direction: int, rows: int | None = None) -> None:
        """Moves by half screens, or by `rows` from then on."""
        self._move(lambda viewport: viewport.half_page(direction, rows), direction)

    def scroll_by(self, rows: int) -> None:
        """Scrolls; the cursor stays on its row while that is possible."""
        self._move(lambda viewport: viewport.scroll_by(rows), rows)

    def place_cursor(self, place: Place) -> None:
        """Scrolls so that the cursor row is at the top, in the middle or at the bottom."""
        self._move(lambda viewport: viewport.place(place))
