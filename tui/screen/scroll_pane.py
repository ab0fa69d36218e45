"""A scrolled pane of lines with a cursor line: the base of lists, pages of text and details."""

from __future__ import annotations

from collections.abc import Callable

from tui.screen.line_widget import Pane
from tui.screen.sanitise import safe
from tui.screen.status_line import REF_WIDTH
from tui.tree.piece import Piece
from tui.tree.viewport import Viewport


class ScrollPane(Pane):
    """Moves a viewport over its lines. A subclass draws them and defines their width."""

    def __init__(self, rows: int = 0, margin: int = 0, id: str | None = None) -> None:
        super().__init__(id=id)
        self.viewport = Viewport(rows=rows, margin=margin)
        self.left = 0
        """Cells by which long lines are scrolled sideways."""

    @property
    def most_left(self) -> int:
        """Cells by which the lines on the screen can be scrolled sideways."""
        return 0

    @property
    def lines_above(self) -> int:
        """Lines of the widget above its rows."""
        return 0

    def row_at(self, y: int) -> int | None:
        """The row in a line of the widget; None above and below the rows."""
        row = y - self.lines_above + self.viewport.top
        return row if y >= self.lines_above and row < self.row_count else None

    def moved(self, direction: int) -> None:
        """Called when the cursor has moved down (1) or up (-1), or lines were scrolled."""
        self.when_moved()
        self.refresh()

    def scroll_sideways(self, cells: int) -> None:
        """Scrolls right, or left if negative."""
        self.left = max(0, min(self.left + cells, self.most_left))
        self.refresh()

    def scroll_to_end(self) -> None:
        """Scrolls to the end of the longest line on the screen, or back."""
        self.left = 0 if self.left else self.most_left
        self.refresh()

    def _move(self, change: Callable[[Viewport], object], direction: int = 1) -> None:
        change(self.viewport)
        self.moved(1 if direction >= 0 else -1)

    def on_focus(self) -> None:
        """Draws the cursor row as focused or not."""
        self.refresh()

    on_blur = on_focus


def place_in_list(pane: Pane) -> list[Piece]:
    """REF and row number of the row under the cursor of a list."""
    row = pane.row_at_cursor()
    ref = Piece(" " + safe(row.ref).ljust(REF_WIDTH) if row is not None else " ", "status")
    if not pane.row_count:
        return [ref]
    pieces = [ref, Piece(f" {pane.cursor_row + 1:,} of {pane.row_count:,}", "status")]
    if row is None:
        pieces.append(Piece(f"   {pane.cut_text}", "status-dim"))
    return pieces
