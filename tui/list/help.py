"""One page of help for this view: keys and what they do, made from the registry; `/` searches in it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from textual import events
from textual.strip import Strip
from textual.widget import Widget

from tui.command.keys import shown_key
from tui.sanitise import safe
from tui.tree.piece import Piece, cut, pad, segments
from tui.tree.viewport import Place, Viewport

if TYPE_CHECKING:
    from collections.abc import Mapping

    from parsers.report import Kind
    from tui.command.registry import Command
    from tui.interaction.screen_interaction import ScreenInteraction
    from tui.theme import Palette

KEY_WIDTH = 16
"""Cells of the keys of a command."""

NAME_WIDTH = 18
"""Cells of a command's name, behind `:`."""

Line = tuple[Piece, ...]

PATTERNS = (
    "Smart case: capitals in the pattern make case matter; \\c and \\C force it.",
    "A pattern is a regular expression if it is one and matches, else plain text: Map$Entry, foo(I), [B work as typed.",
    "\\v and \\V in front force the one or the other, as ^t does in the prompt; ! first of all means: does not match.",
    "Suppress and expand patterns are GraalVM's: str, *str, str*, *str*, *; commas between; expand wins.",
)

REFERENCES = (
    "line:N the row on that line of the file · id:N what is declared with that id · node:N a row by its number from 0",
    "name:TEXT, method:NAME, class:NAME, package:NAME what has exactly that name",
)


def help_lines(interaction: ScreenInteraction) -> list[Line]:
    """The page: keys by group, what can be typed, the marks of this report's rows, the options."""
    from tui.settings.options import OPTION_HELP

    lines: list[Line] = []
    groups = dict(interaction.registry.groups(interaction.context))
    groups.update(interaction.registry.groups("prompt"))
    for title, commands in groups.items():
        lines += _heading(title)
        lines += [_command_line(command) for command in commands if command.keys]
        named = [command for command in commands if not command.keys]
        lines += [_command_line(command) for command in named]
    lines += _heading("Patterns")
    lines += [_text(text) for text in PATTERNS]
    lines += _heading("REFs, for :goto and the command line")
    lines += [_text(text) for text in REFERENCES]
    kinds: Mapping[str, Kind] = getattr(getattr(interaction.screen, "report", None), "kinds", {})
    if kinds:
        lines += _heading("Marks in front of rows")
        lines += [_kind_line(kind) for kind in kinds.values()]
    lines += _heading("Options, for :set and [options] of the configuration")
    lines += [_pair(name, text) for name, text in OPTION_HELP.items()]
    lines += [(Piece(""),), _text(f"Configuration: {interaction.setup.config}")]
    lines += [_text(wrong, "problem") for wrong in interaction.setup.wrong]
    return lines


def _heading(title: str) -> list[Line]:
    return [(Piece(""),), (Piece(f" {title}", "pane-title"),)]


def _command_line(command: Command) -> Line:
    keys = "  ".join(shown_key(key) for key in command.keys)
    argument = f" {command.argument}" if command.argument else ""
    return (
        Piece(f"  {keys:<{KEY_WIDTH}}", "key"),
        Piece(f"{command.help}", "text"),
        Piece(f"  :{command.name}{argument}", "quiet"),
    )


def _pair(name: str, text: str) -> Line:
    return (Piece(f"  {name:<{KEY_WIDTH}}", "key"), Piece(text))


def _kind_line(kind: Kind) -> Line:
    marks = f"{kind.mark or ' '}  {kind.ascii or ' '}"
    return (Piece(f"  {safe(marks):<{KEY_WIDTH}}", "mark"), Piece(safe(kind.title or kind.name)))


def _text(text: str, role: str = "text") -> Line:
    return (Piece(f"  {safe(text)}", role),)


class HelpPane(Widget):
    """Lines of text with a cursor line, searched in while typing."""

    can_focus = True
    BINDINGS = []  # noqa: RUF012  Textual's form
    DEFAULT_CSS = """
    HelpPane { width: 1fr; height: 1fr; }
    """

    def __init__(self, lines: Sequence[Line]) -> None:
        super().__init__()
        self.lines = lines
        self.viewport = Viewport(rows=len(lines), margin=1)
        self.searched = ""
        self.found: list[int] = []
        """Lines that hold what is searched for."""
        self._left = 0

    @property
    def row_count(self) -> int:
        """Lines of the page."""
        return len(self.lines)

    @property
    def cursor_row(self) -> int:
        """The line with the cursor."""
        return self.viewport.cursor

    def place(self) -> None:
        """Nothing of a report is under the cursor."""
        return

    def row_at_cursor(self) -> None:
        """Nothing of a report is under the cursor."""
        return

    def activate(self) -> None:
        """Enter does nothing on a page of text."""

    def move_by(self, rows: int) -> None:
        """Cursor down, or up if negative."""
        self.viewport.move_by(rows)
        self.refresh()

    def move_to_row(self, row: int) -> None:
        """Cursor to a line."""
        self.viewport.move_to(row)
        self.refresh()

    def page(self, count: int) -> None:
        """Pages down, or up if negative."""
        self.viewport.page(count)
        self.refresh()

    def half_page(self, direction: int, rows: int | None = None) -> None:
        """Half a page, or so many lines from then on."""
        self.viewport.half_page(direction, rows)
        self.refresh()

    def scroll_by(self, rows: int) -> None:
        """Scroll; the cursor stays where it can."""
        self.viewport.scroll_by(rows)
        self.refresh()

    def place_cursor(self, place: Place) -> None:
        """Scroll so that the cursor line is there."""
        self.viewport.place(place)
        self.refresh()

    def scroll_sideways(self, cells: int) -> None:
        """Show what is further right."""
        self._left = max(0, self._left + cells)
        self.refresh()

    def scroll_to_end(self) -> None:
        """To the ends of long lines, and back."""
        longest = max((sum(len(piece.text) for piece in line) for line in self.lines), default=0)
        self._left = 0 if self._left else max(0, longest - self.size.width + 2)
        self.refresh()

    def search(self, text: str) -> None:
        """Go to the first line from the cursor on that holds a text; case never matters."""
        self.searched = text
        wanted = text.lower()
        self.found = [row for row, line in enumerate(self.lines) if wanted in line_text(line).lower()] if text else []
        if self.found:
            self.move_to_row(next((row for row in self.found if row >= self.cursor_row), self.found[0]))
        self.refresh()

    def next_match(self, count: int) -> None:
        """Go to the next line that was found, or the one before; round the end."""
        if not self.found:
            return
        after = sum(row <= self.cursor_row for row in self.found)
        before = sum(row < self.cursor_row for row in self.found)
        index = after + count - 1 if count > 0 else before + count
        self.move_to_row(self.found[index % len(self.found)])

    def on_resize(self, event: events.Resize) -> None:
        """The pane has another size."""
        self.viewport.resize(event.size.height)
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """A line of the page."""
        app: Any = self.app
        palette: Palette = app.palette
        width, row = self.size.width, y + self.viewport.top
        if row >= len(self.lines):
            return Strip(segments(pad([], width), palette), width)
        line = self._highlighted(self.lines[row]) if row in self.found else self.lines[row]
        is_cursor = row == self.viewport.cursor
        pieces = pad(cut(line, width, self._left), width)
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

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """The wheel."""
        event.stop()
        self.scroll_by(3)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """The wheel."""
        event.stop()
        self.scroll_by(-3)


def line_text(line: Line) -> str:
    """The text of a line."""
    return "".join(piece.text for piece in line)
