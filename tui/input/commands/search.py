"""Searching in the file, in lists and in help, and going to a name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.input.keys.registry import EVERYWHERE, CommandCall, CommandGroup

if TYPE_CHECKING:
    from tui.input.commands.screen import AnyScreen, Screen

GROUP = CommandGroup("Search")


@GROUP.command("find", "/", "search", argument="[PATTERN]", contexts=EVERYWHERE)
def find(screen: AnyScreen, call: CommandCall) -> None:
    """Search while typing: a regular expression if it is one and matches, else text. In a list: rows with all words."""
    if call.text:
        screen.interaction.find(call.text)
    else:
        screen.interaction.open_search()


@GROUP.command("next-match", "n", "next match", contexts=EVERYWHERE)
def next_match(screen: AnyScreen, call: CommandCall) -> None:
    """The next match, in hidden rows too: their parents are opened."""
    screen.interaction.next_match(call.times)


@GROUP.command("previous-match", "N", "previous match", contexts=EVERYWHERE)
def previous_match(screen: AnyScreen, call: CommandCall) -> None:
    """The previous match, in hidden rows too."""
    screen.interaction.next_match(-call.times)


@GROUP.command("same-name", "*", "next of this name")
def same_name(browser: Screen, call: CommandCall) -> None:
    """Search for the name of this row: the next row that has it."""
    browser.interaction.search_name(call.times)


@GROUP.command("previous-same-name", "#", "previous of this name")
def previous_same_name(browser: Screen, call: CommandCall) -> None:
    """Search for the name of this row: the previous row that has it."""
    browser.interaction.search_name(-call.times)


@GROUP.command("sql", ";", "query with SQL", argument="[QUERY]")
def sql(browser: Screen, call: CommandCall) -> None:
    """Query the report with SQL: Tab completes names of tables, columns and functions; the result is a view."""
    if call.text.strip():
        browser.interaction.sql.run(call.text.strip())
    else:
        browser.interaction.sql.open()


@GROUP.command("goto-name", "o", "go to a name", argument="[TEXT]")
def goto_name(browser: Screen, call: CommandCall) -> None:
    """Go to a method, class or type by its name, fuzzily; with the number of its occurrences."""
    browser.interaction.open_names(call.text.strip())
