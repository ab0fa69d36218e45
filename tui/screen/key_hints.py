"""Keys that can follow an unfinished sequence, over the lowest lines of the screen, as many as they need."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from textual import events
from textual.screen import Screen
from textual.strip import Strip

from tui.screen.line_widget import LineWidget
from tui.screen.sanitise import safe
from tui.tree.piece import Piece, cut, pad, piece_at, segments, width_of

LEAST_ABOVE = 3
"""Lines of the screen that stay visible."""

GAP = "  "
"""Blanks between two keys."""


class KeyHints(LineWidget):
    """Keys with their labels in lines. On a layer of its own: the panes below keep their size and position."""

    DEFAULT_CSS = "KeyHints { layer: hints; dock: bottom; width: 1fr; height: 1; }"

    def __init__(self, hints: Sequence[tuple[str, str]], screen: Screen[None], press: Callable[[str], object]) -> None:
        """
        hints   keys pressed so far with the meaning of the sequence, then each possible key with its label
        screen  the screen that they are mounted on
        press   presses a key that was clicked
        """
        super().__init__()
        self._hints = hints
        self._screen, self._press = screen, press
        self._lay_out(screen.size.width)

    def _lay_out(self, width: int) -> None:
        self._hint_lines = hint_lines(self._hints, width)[: max(1, self._screen.size.height - LEAST_ABOVE)]
        self.styles.height = len(self._hint_lines)

    def on_resize(self, event: events.Resize) -> None:
        """Handles a new width of the window."""
        self._lay_out(event.size.width)

    @property
    def text(self) -> str:
        """The lines as plain text."""
        return "\n".join("".join(piece.text for piece in line).rstrip() for line in self._hint_lines)

    def render_line(self, y: int) -> Strip:
        """Renders a line, exactly as wide as the widget."""
        width = self.size.width
        line = self._hint_lines[y] if y < len(self._hint_lines) else []
        return Strip(segments(pad(cut(line, width), width), self.palette, "panel"), width)

    def on_click(self, event: events.Click) -> None:
        """Presses the clicked key."""
        piece = piece_at(self._hint_lines[event.y], event.x) if event.y < len(self._hint_lines) else None
        if piece is not None and piece.action:
            self._press(piece.action)


def hint_lines(hints: Sequence[tuple[str, str]], width: int) -> list[list[Piece]]:
    """The keys in lines of a width; lines after the first begin below the first key that can follow."""
    indent = min(width_of(hints[0][0]) + 2, width // 3)
    lines: list[list[Piece]] = [[Piece(f" {safe(hints[0][0])} ", "flag")]]
    used = indent
    for key, label in hints[1:]:
        cells = width_of(key) + 1 + width_of(safe(label)) + len(GAP)
        if used + cells - len(GAP) > width and used > indent:
            lines.append([Piece(" " * indent)])
            used = indent
        action = key if len(key) == 1 else ""
        lines[-1] += [Piece(key, "key", action), Piece(f" {safe(label)}", "key-word", action), Piece(GAP)]
        used += cells
    return lines
