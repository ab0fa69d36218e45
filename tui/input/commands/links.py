"""Commands that follow links and references, and go back."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from tui.input.keys.keyboard import CommandError
from tui.input.keys.registry import EVERYWHERE, CommandCall, CommandGroup
from tui.interaction.target import place_of

if TYPE_CHECKING:
    from parsers.model.view import View
    from tui.input.commands.screen import AnyScreen, Screen
    from tui.interaction.interaction import Interaction

GROUP = CommandGroup("Links, references, history")


@GROUP.command("follow-link", "Enter", "follow or open", contexts=EVERYWHERE)
def follow_link(screen: AnyScreen, call: CommandCall) -> None:
    """Follow the link of the row: an id-ref to its declaration, a list's row to its place; else fold or open."""
    screen.interaction.enter()


@GROUP.command("links", "L", "links of the row")
def links(browser: Screen, call: CommandCall) -> None:
    """All links of the row, as a list."""
    browser.interaction.lists.links(*place_of(browser))


@GROUP.command("refs", "r", "references", argument="[REF]")
def refs(browser: Screen, call: CommandCall) -> None:
    """Everything that points here, as a list: call sites of a method, id-refs of an object."""
    browser.interaction.lists.references(*_target(browser, call))


@GROUP.command("why", "W", "why", argument="[REF]")
def why(browser: Screen, call: CommandCall) -> None:
    """Show why the node is here: the shortest path from a root to it, as a tree of one branch."""
    browser.interaction.lists.why(*_target(browser, call))


def _target(browser: Screen, call: CommandCall) -> tuple[View, int]:
    """The node of a typed REF, else that of the row under the cursor."""
    return browser.interaction.navigation.locate(call.text) if call.text.strip() else place_of(browser)


@GROUP.command("back", "< Backspace ^o", "back", contexts=("browser", "picker"))
def back(screen: AnyScreen, call: CommandCall) -> None:
    """Go back to the position before the last jump; in the list of a folder's reports: to the folder above."""
    screen.interaction.back(call.times)


@GROUP.command("forward", ">", "forward")
def forward(browser: Screen, call: CommandCall) -> None:
    """Go forward again, after going back."""
    browser.interaction.navigation.forward(call.times)


@GROUP.command("last-place", "''", "last place")
def last_place(browser: Screen, call: CommandCall) -> None:
    """Go to the position before the last jump. Press again to return."""
    browser.interaction.navigation.swap_places()


@GROUP.command("jumps", "", "history of jumps")
def jumps(browser: Screen, call: CommandCall) -> None:
    """Positions before jumps, as a list, newest first."""
    browser.interaction.lists.jumps()


def move(walk: Callable[[Interaction, int], None], sign: int, browser: Screen, call: CommandCall) -> None:
    """Walks as often as the count says. sign: 1 forwards, -1 back"""
    walk(browser.interaction, sign * call.times)


WALKS: tuple[tuple[str, str, str, str, str, Callable[[Interaction, int], None]], ...] = (
    ("occurrence", "r", "occurrence", "row that shows or refers to the same node", " (id and id-refs)",
        lambda interaction, count: interaction.movement.walk_occurrences(count)),
    ("mark", "m", "mark", "mark in the document", "",
        lambda interaction, count: interaction.marking.walk_marks(count)),
    ("tag", "t", "tag", "tagged row", "", lambda interaction, count: interaction.marking.walk_tags(count)),
    ("problem", "p", "problem", "problem in the file", "",
        lambda interaction, count: interaction.movement.walk_problems(count)),
    ("flag", "f", "flagged row", "row with a flag", ": damaged, dangling, suppressed or truncated",
        lambda interaction, count: interaction.movement.walk_rows(count, "flagged row", lambda row: bool(row.flags))),
    ("kind", "k", "of this kind", "row of the same kind", "",
        lambda interaction, count: interaction.movement.walk_kind(count)),
)  # fmt: skip
"""Last word of the two commands, second key, title, help, more help for the first command, and what they do."""

for name, key, title, help, more, walk in WALKS:
    GROUP.command(f"next-{name}", f"]{key}", f"next {title}", help=f"The next {help}{more}.")(partial(move, walk, 1))
    GROUP.command(f"previous-{name}", f"[{key}", f"previous {title}", help=f"The previous {help}.")(
        partial(move, walk, -1)
    )


@GROUP.command("goto", "", "go to row or REF", argument="REF")
def goto(browser: Screen, call: CommandCall) -> None:
    """Go to a row of the document by its number (`:123`), or to any REF: `:line 12`, `:id 85`, `:name:TEXT`."""
    if not call.text.strip():
        raise CommandError("No target given. For example :goto 123, :goto line:12, :goto id:85")
    browser.interaction.go_to(call.text)
