"""A page of text with a cursor line, wrapped to the width of the pane; `/` searches in it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from textual import events
from textual.strip import Strip

from tui.screen.detail import wrapped_pieces
from tui.screen.scroll_pane import ScrollPane
from tui.tree.piece import Piece, cut, line_width, pad, segments

LEAST_TEXT = 20
"""Minimum cells for wrapped text; in fewer it is cut."""

Line = tuple[Piece, ...]


class HelpPane(ScrollPane):
    """Lines of text with a cursor line, wrapped to the width of the pane, with incremental search."""

    is_page = True

    def __init__(self, lines: Sequence[Line]) -> None:
        super().__init__(margin=1)
        self.lines = lines
        self.searched = ""
        self.found: list[int] = []
        """First rows of lines that contain the searched text."""
        self._shown: list[Line] = list(lines)
        self._starts = list(range(len(lines)))
        """First row of each line."""
        self.viewport.set_rows(len(lines))

    def row_texts(self, rows: range) -> list[str]:
        """The texts of some rows."""
        return [line_text(self._shown[row]) for row in rows]

    @property
    def most_left(self) -> int:
        """Cells by which lines can be scrolled: 0, as they are wrapped, unless the pane is narrower than its keys."""
        return max(0, max(map(line_width, self._shown), default=0) - self.size.width)

    def search(self, text: str) -> None:
        """Goes to the first line from the cursor on that contains a text, ignoring case."""
        self.searched = text
        wanted = text.lower()
        lines = zip(self._starts, self.lines, strict=True)
        self.found = [row for row, line in lines if wanted in line_text(line).lower()] if text else []
        if self.found:
            self.move_to_row(next((row for row in self.found if row >= self.cursor_row), self.found[0]))
        self.refresh()

    def next_match(self, count: int) -> None:
        """Goes to the next or previous found line; wraps around."""
        if not self.found:
            return
        after = sum(row <= self.cursor_row for row in self.found)
        before = sum(row < self.cursor_row for row in self.found)
        index = after + count - 1 if count > 0 else before + count
        self.move_to_row(self.found[index % len(self.found)])

    def on_resize(self, event: events.Resize) -> None:
        """Handles a new size of the pane."""
        line = bisect_right(self._starts, self.cursor_row) - 1
        self._shown, self._starts = [], []
        for each in self.lines:
            self._starts.append(len(self._shown))
            self._shown += wrapped_line(each, event.size.width)
        self.viewport.set_rows(len(self._shown))
        self.viewport.resize(event.size.height)
        if line >= 0:
            self.move_to_row(self._starts[line])
        if self.searched:
            self.search(self.searched)
        self.moved(1)

    def render_line(self, y: int) -> Strip:
        """Renders a line of the page."""
        palette = self.palette
        width, row = self.size.width, y + self.viewport.top
        if row >= len(self._shown):
            return Strip(segments(pad([], width), palette), width)
        line = self._highlighted(self._shown[row]) if self.searched else self._shown[row]
        is_cursor = row == self.viewport.cursor or row in self.selected
        pieces = pad(cut(line, width, self.left), width)
        return Strip(segments(pieces, palette, "idle cursor" if is_cursor else "page"), width)

    def _highlighted(self, line: Line) -> list[Piece]:
        pieces: list[Piece] = []
        wanted = self.searched.lower()
        for piece in line:
            start, text = 0, piece.text.lower()
            while (at := text.find(wanted, start)) >= 0:
                pieces += [Piece(piece.text[start:at], piece.role), Piece(piece.text[at : at + len(wanted)], "match")]
                start = at + len(wanted)
            pieces.append(Piece(piece.text[start:], piece.role))
        return pieces


def wrapped_line(line: Line, width: int) -> list[Line]:
    """Wraps a line; the rest continues below its text, to the right of the keys of a command."""
    if line_width(line) <= width:
        return [line]
    front, rest = (line[:1], line[1:]) if len(line) > 1 else ((Piece("  "),), line)
    space = width - line_width(front)
    if space < LEAST_TEXT:
        return [line]
    blank = (Piece(" " * line_width(front)),)
    parts = wrapped_pieces(rest, space)
    return [(*(blank if index else line[: len(line) - len(rest)]), *part) for index, part in enumerate(parts)]


def line_text(line: Line) -> str:
    """The text of a line."""
    return "".join(piece.text for piece in line)
