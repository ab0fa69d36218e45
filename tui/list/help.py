"""One page of help for this view: keys and what they do, made from the registry; `/` searches in it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from textual import events
from textual.strip import Strip

from tui.command.keys import shown_key
from tui.detail import wrapped_pieces
from tui.sanitise import safe
from tui.scroll_pane import ScrollPane
from tui.tree.piece import Piece, cut, line_width, pad, segments

if TYPE_CHECKING:
    from collections.abc import Mapping

    from parsers.report import Kind, Switch
    from tui.command.registry import Command
    from tui.interaction.screen_interaction import ScreenInteraction
    from tui.theme import Palette

KEY_WIDTH = 16
"""Cells of the keys of a command."""

NAME_WIDTH = 18
"""Cells of a command's name, behind `:`."""

LEAST_TEXT = 20
"""Cells in which text is wrapped; in fewer it is cut."""

MOST_CHOICES = 6
"""Choices of a switch that are named."""

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
    view = getattr(interaction.screen, "view", None)
    switches: Sequence[Switch] = getattr(view, "switches", ())
    if view is not None and switches:
        lines += _heading(f"How {view.name} is made")
        lines += [_pair(f"f{each.letter}", _choices(each)) for each in switches]
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


def _choices(switch: Switch) -> str:
    shown = ", ".join(safe(choice) for choice in switch.choices[:MOST_CHOICES])
    more = f" and {len(switch.choices) - MOST_CHOICES:,} more" if len(switch.choices) > MOST_CHOICES else ""
    return f"{safe(switch.title)}: {shown}{more}"


def _pair(name: str, text: str) -> Line:
    return (Piece(f"  {name:<{KEY_WIDTH}}", "key"), Piece(text))


def _kind_line(kind: Kind) -> Line:
    marks = f"{kind.mark or ' '}  {kind.ascii or ' '}"
    return (Piece(f"  {safe(marks):<{KEY_WIDTH}}", "mark"), Piece(safe(kind.title or kind.name)))


def _text(text: str, role: str = "text") -> Line:
    return (Piece(f"  {safe(text)}", role),)


class HelpPane(ScrollPane):
    """Lines of text with a cursor line, wrapped to the width of the pane, searched in while typing."""

    DEFAULT_CSS = """
    HelpPane { width: 1fr; height: 1fr; }
    """

    def __init__(self, lines: Sequence[Line]) -> None:
        super().__init__(margin=1)
        self.lines = lines
        self.searched = ""
        self.found: list[int] = []
        """Rows on which lines begin that hold what is searched for."""
        self._shown: list[Line] = list(lines)
        self._starts = list(range(len(lines)))
        """The row on which each line begins."""
        self.viewport.set_rows(len(lines))

    def place(self) -> None:
        """Nothing of a report is under the cursor."""
        return

    def row_at_cursor(self) -> None:
        """Nothing of a report is under the cursor."""
        return

    def activate(self) -> None:
        """Enter does nothing on a page of text."""

    @property
    def most_left(self) -> int:
        """Lines are wrapped: nothing is further right but in a pane that is narrower than its keys."""
        return max(0, max(map(line_width, self._shown), default=0) - self.size.width)

    def search(self, text: str) -> None:
        """Go to the first line from the cursor on that holds a text; case never matters."""
        self.searched = text
        wanted = text.lower()
        lines = zip(self._starts, self.lines, strict=True)
        self.found = [row for row, line in lines if wanted in line_text(line).lower()] if text else []
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
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """A line of the page."""
        app: Any = self.app
        palette: Palette = app.palette
        width, row = self.size.width, y + self.viewport.top
        if row >= len(self._shown):
            return Strip(segments(pad([], width), palette), width)
        line = self._highlighted(self._shown[row]) if self.searched else self._shown[row]
        is_cursor = row == self.viewport.cursor
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
    """A line cut to the width, what does not fit below its text: behind the keys of a command."""
    if line_width(line) <= width:
        return [line]
    front, rest = (line[:1], line[1:]) if len(line) > 1 else ((Piece("  "),), line)
    room = width - line_width(front)
    if room < LEAST_TEXT:
        return [line]
    blank = (Piece(" " * line_width(front)),)
    parts = wrapped_pieces(rest, room)
    return [(*(blank if index else line[: len(line) - len(rest)]), *part) for index, part in enumerate(parts)]


def line_text(line: Line) -> str:
    """The text of a line."""
    return "".join(piece.text for piece in line)
