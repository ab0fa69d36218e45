"""Marks and tags, kept with the report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.input.keys.keyboard import CommandError
from tui.input.keys.registry import CommandCall, CommandGroup

if TYPE_CHECKING:
    from tui.input.commands.screen import Screen

GROUP = CommandGroup("Marks")


@GROUP.command("mark", "m{letter}", "set a mark", argument="LETTER")
def mark(browser: Screen, call: CommandCall) -> None:
    """Set a mark on this row."""
    browser.interaction.marking.set_mark(_letter(call))


@GROUP.command("goto-mark", "'{letter}", "go to a mark", argument="LETTER")
def goto_mark(browser: Screen, call: CommandCall) -> None:
    """Go to a mark."""
    browser.interaction.marking.go_to_mark(_letter(call))


@GROUP.command("tag", "t", "tag the row")
def tag(browser: Screen, call: CommandCall) -> None:
    """Tag this row, or remove its tag; `yt` copies all tagged rows."""
    browser.interaction.marking.toggle_tag()


@GROUP.command("clear-tags", "T", "clear tags")
def clear_tags(browser: Screen, call: CommandCall) -> None:
    """Remove all tags. Press again to restore them."""
    browser.interaction.marking.clear_tags()


@GROUP.command("marks", "M", "list of marks")
def marks(browser: Screen, call: CommandCall) -> None:
    """All marks and tags, as a list."""
    browser.interaction.lists.marks()


def _letter(call: CommandCall) -> str:
    letter = call.letter or call.text.strip()
    if len(letter) != 1 or not letter.isascii() or not letter.isalpha():
        raise CommandError("A mark is one letter: a to z, A to Z.")
    return letter
