"""Marks and tags, kept with the report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.input.keys.keyboard import CommandError
from tui.input.keys.registry import CommandCall, CommandGroup

if TYPE_CHECKING:
    from tui.input.commands.screen import Screen

GROUP: CommandGroup[Screen] = CommandGroup("Marks")

# fmt: off
GROUP.add("mark", "m{letter}", "set a mark", "Set a mark on this row.",
    lambda browser, call: browser.interaction.marking.set_mark(_letter(call)), argument="LETTER")
GROUP.add("goto-mark", "'{letter}", "go to a mark", "Go to a mark.",
    lambda browser, call: browser.interaction.marking.go_to_mark(_letter(call)), argument="LETTER")
GROUP.add("tag", "t", "tag the row", "Tag this row, or remove its tag; `yt` copies all tagged rows.",
    lambda browser, call: browser.interaction.marking.toggle_tag())
GROUP.add("clear-tags", "T", "clear tags", "Remove all tags. Press again to restore them.",
    lambda browser, call: browser.interaction.marking.clear_tags())
GROUP.add("marks", "M", "list of marks", "All marks and tags, as a list.",
    lambda browser, call: browser.interaction.lists.marks())
# fmt: on


def _letter(call: CommandCall) -> str:
    letter = call.letter or call.text.strip()
    if len(letter) != 1 or not letter.isascii() or not letter.isalpha():
        raise CommandError("A mark is one letter: a to z, A to Z.")
    return letter
