"""Commands for filters, sorting, and the length of names. Each can be undone with `u`."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from tui.input.keys.keyboard import CommandError
from tui.input.keys.registry import CommandCall, CommandGroup
from tui.interaction.target import report_of

if TYPE_CHECKING:
    from tui.input.commands.screen import AnyScreen, Screen

GROUP = CommandGroup("Filters and sorting")


@GROUP.command("filter", "&", "filter", argument="[PATTERN]")
def filter_rows(browser: Screen, call: CommandCall) -> None:
    """Show only rows that match a pattern, with their ancestors; an empty pattern shows all."""
    if call.text:
        browser.interaction.filters.set_pattern(call.text)
    else:
        browser.interaction.filter_prompts.open_filter()


@GROUP.command("filters-off", "ff", "filters off and on")
def filters_off(browser: Screen, call: CommandCall) -> None:
    """Switch all filters off, and on again."""
    browser.interaction.filters.toggle_all()


def ask_patterns(verb: str, browser: Screen, call: CommandCall) -> None:
    """Sets patterns, or prompts for them."""
    browser.interaction.filter_prompts.open_patterns(verb, call.text)


def toggle(mask: str, browser: Screen, call: CommandCall) -> None:
    """Hides a kind of rows, or shows it again."""
    browser.interaction.filters.toggle(mask)


PATTERNS = (
    ("suppress", "fs",
        "Hide descendants of matching nodes (GraalVM's comma-separated patterns); proposes one for this row."),
    ("expand", "fe", "Show descendants of matching nodes even if suppressed (expand wins)."),
    ("suppress-roots", "fS", "Hide descendants of matching roots."),
    ("expand-roots", "fE", "Show descendants of matching roots even if suppressed."),
)  # fmt: skip
"""Name, key and help of the commands for suppress and expand patterns."""

for name, key, help in PATTERNS:
    asks = partial(ask_patterns, name.replace("-", "_"))
    GROUP.command(name, key, name.replace("-", " "), help=help, argument="[PATTERNS]")(asks)

MASKS = (
    ("jdk", "fj", "JDK packages", "Hide rows of JDK packages, and show them again."),
    ("synthetic", "fl", "lambdas and synthetic", "Hide lambdas, proxies and generated classes, and show them again."),
    ("references", "fr", "references", "Hide rows that only refer to another one (id-refs), and show them again."),
)
"""Kinds of rows that can be hidden in any report: the name, also the last word of the command, key, title and help."""

for name, key, title, help in MASKS:
    GROUP.command(f"hide-{name}", key, title, help=help)(partial(toggle, name))


@GROUP.command("format-filter", "f{letter}", "filter of this format", argument="LETTER")
def format_filter(browser: Screen, call: CommandCall) -> None:
    """A filter of the format, by its letter: of object trees `fn` hides nulls, of profiles `fm` splits methods."""
    letter, choice = call.letter, ""
    if not letter:
        letter, _, choice = call.text.strip().partition(" ")
    interaction, viewing = browser.interaction, browser.interaction.viewing
    typed = None if choice else viewing.typed_switch(letter)
    if typed is not None:
        interaction.filter_prompts.open_choice(typed, lambda text: viewing.switch(letter, text))
        return
    if viewing.switch(letter, choice.strip()):
        return
    masks = report_of(browser).masks
    if letter not in masks:
        known = ", ".join(f"f{key} {words}" for key, (_, words) in masks.items())
        raise CommandError(f"This format has no filter f{letter}" + (f": there are {known}" if known else "."))
    interaction.filters.toggle(masks[letter][0])


@GROUP.command("filters-remove", "fx", "remove filters")
def filters_remove(browser: Screen, call: CommandCall) -> None:
    """Remove all filters."""
    browser.interaction.filters.clear()


def sort_headings(screen: AnyScreen, text: str) -> list[str]:
    """Headings of the columns that sort the list or view."""
    return [
        heading for heading in screen.interaction.sortable.sort_headings if heading.lower().startswith(text.lower())
    ]


@GROUP.command(
    "sort", "s", "next sort key", argument="[COLUMN]", contexts=("browser", "picker"), complete=sort_headings
)
def sort(screen: AnyScreen, call: CommandCall) -> None:
    """Use the next sort key of this view or list, after the last one document order; or the named one."""
    screen.interaction.sortable.sort(call.text.strip())


@GROUP.command("sort-reverse", "S", "reverse the order", contexts=("browser", "picker"))
def sort_reverse(screen: AnyScreen, call: CommandCall) -> None:
    """Reverse the order."""
    screen.interaction.sortable.sort_reverse()


@GROUP.command("short-names", "a", "short names")
def short_names(browser: Screen, call: CommandCall) -> None:
    """Class names short (`o.h2.tools.Shell`) or full."""
    browser.interaction.viewing.toggle_short_names()


def column_words(browser: Screen, text: str) -> list[str]:
    """Completions of `:columns`: names of columns without blanks."""
    before, _, word = text.rpartition(" ")
    names = (column.name for column in browser.view.columns)
    return [f"{before} {name}".lstrip() for name in names if name.startswith(word)]


@GROUP.command("columns", "", "columns", argument="[NAME ...]", complete=column_words)
def columns(browser: Screen, call: CommandCall) -> None:
    """Show only these columns of the view; without names all of them."""
    browser.interaction.viewing.choose_columns(call.text.split())
