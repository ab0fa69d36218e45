"""Commands that follow links and references, and go back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.input.keys.keyboard import CommandError
from tui.input.keys.registry import EVERYWHERE, CommandCall, CommandGroup
from tui.interaction.target import place_of

if TYPE_CHECKING:
    from tui.input.commands.screen import Screen

GROUP = CommandGroup("Links, references, history")


@GROUP.command("follow-link", "Enter", "follow or open", contexts=EVERYWHERE)
def follow_link(browser: Screen, call: CommandCall) -> None:
    """Follow the link of the row: an id-ref to its declaration, a list's row to its place; else fold or open."""
    browser.interaction.enter()


@GROUP.command("links", "L", "links of the row")
def links(browser: Screen, call: CommandCall) -> None:
    """All links of the row, as a list."""
    browser.interaction.lists.links(*place_of(browser))


@GROUP.command("refs", "r", "references", argument="[REF]")
def refs(browser: Screen, call: CommandCall) -> None:
    """Everything that points here, as a list: call sites of a method, id-refs of an object."""
    interaction = browser.interaction
    interaction.lists.references(*(interaction.places.locate(call.text) if call.text.strip() else place_of(browser)))


@GROUP.command("why", "W", "why", argument="[REF]")
def why(browser: Screen, call: CommandCall) -> None:
    """Show why the node is here: the shortest path from a root to it, as a tree of one branch."""
    interaction = browser.interaction
    interaction.lists.why(*(interaction.places.locate(call.text) if call.text.strip() else place_of(browser)))


@GROUP.command("back", "< Backspace ^o", "back")
def back(browser: Screen, call: CommandCall) -> None:
    """Go back to the position before the last jump."""
    if browser.pane is browser.tree_view and browser.tree_view.zoom_out():
        return
    browser.interaction.places.back(call.times)


@GROUP.command("forward", ">", "forward")
def forward(browser: Screen, call: CommandCall) -> None:
    """Go forward again, after going back."""
    browser.interaction.places.forward(call.times)


@GROUP.command("last-place", "''", "last place")
def last_place(browser: Screen, call: CommandCall) -> None:
    """Go to the position before the last jump. Press again to return."""
    browser.interaction.places.swap_places()


@GROUP.command("jumps", "", "history of jumps")
def jumps(browser: Screen, call: CommandCall) -> None:
    """Positions before jumps, as a list, newest first."""
    browser.interaction.lists.jumps()


@GROUP.command("next-occurrence", "]r", "next occurrence")
def next_occurrence(browser: Screen, call: CommandCall) -> None:
    """The next row that shows or refers to the same node (id and id-refs)."""
    browser.interaction.walking.walk_occurrences(call.times)


@GROUP.command("previous-occurrence", "[r", "previous occurrence")
def previous_occurrence(browser: Screen, call: CommandCall) -> None:
    """The previous row that shows or refers to the same node."""
    browser.interaction.walking.walk_occurrences(-call.times)


@GROUP.command("next-mark", "]m", "next mark")
def next_mark(browser: Screen, call: CommandCall) -> None:
    """The next mark in the document."""
    browser.interaction.marking.walk_marks(call.times)


@GROUP.command("previous-mark", "[m", "previous mark")
def previous_mark(browser: Screen, call: CommandCall) -> None:
    """The previous mark in the document."""
    browser.interaction.marking.walk_marks(-call.times)


@GROUP.command("next-tag", "]t", "next tag")
def next_tag(browser: Screen, call: CommandCall) -> None:
    """The next tagged row."""
    browser.interaction.marking.walk_tags(call.times)


@GROUP.command("previous-tag", "[t", "previous tag")
def previous_tag(browser: Screen, call: CommandCall) -> None:
    """The previous tagged row."""
    browser.interaction.marking.walk_tags(-call.times)


@GROUP.command("next-problem", "]p", "next problem")
def next_problem(browser: Screen, call: CommandCall) -> None:
    """The next problem in the file."""
    browser.interaction.walking.walk_problems(call.times)


@GROUP.command("previous-problem", "[p", "previous problem")
def previous_problem(browser: Screen, call: CommandCall) -> None:
    """The previous problem in the file."""
    browser.interaction.walking.walk_problems(-call.times)


@GROUP.command("next-flag", "]f", "next flagged row")
def next_flag(browser: Screen, call: CommandCall) -> None:
    """The next row with a flag: damaged, dangling, suppressed or truncated."""
    browser.interaction.walking.walk_rows(call.times, "flagged row", lambda row: bool(row.flags))


@GROUP.command("previous-flag", "[f", "previous flagged row")
def previous_flag(browser: Screen, call: CommandCall) -> None:
    """The previous row with a flag."""
    browser.interaction.walking.walk_rows(-call.times, "flagged row", lambda row: bool(row.flags))


@GROUP.command("next-kind", "]k", "next of this kind")
def next_kind(browser: Screen, call: CommandCall) -> None:
    """The next row of the same kind."""
    browser.interaction.walking.walk_kind(call.times)


@GROUP.command("previous-kind", "[k", "previous of this kind")
def previous_kind(browser: Screen, call: CommandCall) -> None:
    """The previous row of the same kind."""
    browser.interaction.walking.walk_kind(-call.times)


@GROUP.command("goto", "", "go to row or REF", argument="REF")
def goto(browser: Screen, call: CommandCall) -> None:
    """Go to a row of the document by its number (`:123`), or to any REF: `:line 12`, `:id 85`, `:name:TEXT`."""
    if not call.text.strip():
        raise CommandError("go where? For example :goto 123, :goto line:12, :goto id:85")
    browser.interaction.go_to(call.text)
