"""The help page of a view: keys and commands from the registry, and possible input."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.input.commands.in_view import essentials, focus_of, keys_in_view
from tui.input.keys.name import shown_key
from tui.list.help_pane import HelpPane, Line
from tui.screen.sanitise import safe
from tui.tree.piece import Piece

if TYPE_CHECKING:
    from parsers.model.row import Kind
    from tui.input.keys.registry import Command
    from tui.interaction.screen_interaction import ScreenInteraction

KEY_WIDTH = 16
"""Cells for the keys of a command."""

TOUR = "The most important keys, tried on a sample in two minutes, as `coffeetree tour`; q returns."

PATTERNS = (
    "Smart case: capitals in the pattern make case matter; \\c and \\C force it.",
    "A pattern is a regular expression if it is one and matches, else plain text: Map$Entry, foo(I), [B work as typed.",
    "\\v and \\V in front force the one or the other, as ^t does in the prompt; ! first of all means: does not match.",
    "Suppress and expand patterns are GraalVM's: str, *str, str*, *str*, *; commas between; expand wins.",
)

REFERENCES = (
    "line:N the row on that line of the file · id:N what is declared with that id · node:N a row by its number from 0",
    "name:TEXT, method:NAME, class:NAME, package:NAME exactly that name · thread:ID, object:ID what has that id",
    "moment:SECONDS since the start of a time line (:moment 12.5) · run:2/REF of the second of several runs",
)


def open_help(interaction: ScreenInteraction, word: str = "") -> None:
    """Opens the help page at a word."""
    pane = HelpPane(help_lines(interaction))
    interaction.screen.show_list(pane)
    if word:
        pane.search(word)
        if not pane.found:
            interaction.screen.show_message(f"No matches for {safe(word)} in help.")


def help_lines(interaction: ScreenInteraction) -> list[Line]:
    """The page: keys of what has the focus, the essentials, all by group, possible input, marks of rows, options."""
    from tui.settings.options import OPTION_HELP

    screen = interaction.screen
    focus = focus_of(screen)
    shown = safe(screen.view.name) if focus == "view" and screen.view is not None else focus
    lines = _heading(f"In this view: {shown}")[1:]
    lines += [_pair("  ".join(map(shown_key, each.keys)), each.text) for each in keys_in_view(interaction)]
    lines += _heading("Essentials")
    lines += [_pair("  ".join(map(shown_key, each.keys)), each.text) for each in essentials(interaction)]
    lines.append(_pair(":tour", TOUR))
    groups = dict(interaction.registry.groups(interaction.context))
    groups.update(interaction.registry.groups("prompt"))
    for title, commands in groups.items():
        lines += _heading(title)
        lines += map(_command_line, sorted(commands, key=lambda command: not command.keys))
    lines += _heading("Patterns")
    lines += [_text(text) for text in PATTERNS]
    lines += _heading("REFs, for :goto and the command line")
    lines += [_text(text) for text in REFERENCES]
    kinds = screen.report.kinds if screen.report is not None else {}
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
    keys = _in_column("  ".join(shown_key(key) for key in command.keys))
    argument = f" {command.argument}" if command.argument else ""
    return (
        Piece(keys, "key"),
        Piece(f"{command.help}", "text"),
        Piece(f"  :{command.name}{argument}", "quiet"),
    )


def _pair(name: str, text: str) -> Line:
    return (Piece(_in_column(name), "key"), Piece(text))


def _in_column(keys: str) -> str:
    """Keys or a name in the left column, with a gap after them even if they are longer."""
    return f"  {keys:<{KEY_WIDTH - 2}}  "


def _kind_line(kind: Kind) -> Line:
    marks = f"{kind.mark or ' '}  {kind.ascii or ' '}"
    return (Piece(f"  {safe(marks):<{KEY_WIDTH}}", "mark"), Piece(safe(kind.title or kind.name)))


def _text(text: str, role: str = "text") -> Line:
    return (Piece(f"  {safe(text)}", role),)
