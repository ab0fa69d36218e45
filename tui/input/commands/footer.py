"""Commands that apply to what has the focus: a few in the key line, most useful first, more in the help."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.interaction.actions import actions_of
from tui.list.pane_kinds import is_list, is_page

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tui.input.commands.screen import Screen
    from tui.interaction.screen_interaction import ScreenInteraction

WORDS = (
    ("refs", "references"),
    ("why", "why"),
    ("find", "search"),
    ("filter", "filter"),
    ("goto-name", "go to"),
    ("view", "view"),
    ("detail", "pane"),
    ("yank-row", "copy"),
)
"""Commands of a tree's key line with their labels, most useful first."""

DECLARATION = "declaration"
"""Target of a row's link that is not among the links of its view: the row that declares its id."""

MOST_SWITCHES = 2
"""Maximum switches of a view in the key line."""

IN_A_LIST = (("follow-link", "go"), ("find", "narrow"), ("refs", "references"), ("yank-row", "copy"))
IN_A_LIST_OF_OTHERS = (("Enter", "follow-link"), ("/", "find"))
"""Keys of a list whose rows are not of the report, if its title names them, with their commands."""
IN_A_PAGE = (("find", "search"), ("next-match", "next"))
IN_A_PATH = (("follow-link", "go"), ("toggle", "fold or open"), ("yank-path", "copy path"), ("refs", "references"))
IN_DETAILS = (("follow-link", "follow"), ("next-pane", "tree"), ("alone", "alone"))


def key_words(browser: Screen) -> list[tuple[str, str]]:
    """Keys and labels for the row under the cursor; keys are those of the registry, including user settings.

    The last two are help and quitting.
    """
    pane, interaction = browser.pane, browser.interaction
    ends = _keys(interaction, (("help", "help"), ("q", browser.quit_label)))
    if pane is browser.detail:
        return [*_keys(interaction, IN_DETAILS), *ends]
    if pane is browser.tree_view:
        commands = browser.view.commands
        named = {name for name, _ in commands}
        rest = ((name, word) for name, word in WORDS if name not in named)
        enter, *others = _keys(interaction, (("follow-link", _enter(browser)), *rest))
        switches = browser.view.switches[:MOST_SWITCHES]
        picture = browser.tree_view.picture
        if picture is not None:
            others = [*_keys(interaction, tuple((name, word) for name, word, _ in picture.keys if word)), *others]
        asking = _keys(interaction, (("ask-list", "ask the JVM"),))
        own = _keys(interaction, commands)
        return [enter, *asking, *((f"f{each.letter}", each.title) for each in switches), *own, *others, *ends]
    return [*_keys_of_popup(interaction, IN_A_PATH), *ends]


def keys_of_list(interaction: ScreenInteraction) -> list[tuple[str, str]]:
    """Keys and labels for a screen that is a list, or a list over it; the last two are help and quitting."""
    screen = interaction.screen
    words = (_keys_of_popup if screen.has_list else _keys)(interaction, screen.keys)
    return [*words, *_keys(interaction, (("help", "help"), ("q", screen.quit_label)))]


def _keys_of_popup(interaction: ScreenInteraction, otherwise: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    pane = interaction.screen.pane
    if not is_list(pane):
        return _keys(interaction, IN_A_PAGE if is_page(pane) else otherwise)
    if pane.place() is not None:
        return _keys(interaction, IN_A_LIST)
    named = dict(pane.source.keys)
    return _keys(interaction, [(name, named[key]) for key, name in IN_A_LIST_OF_OTHERS if key in named])


def _enter(browser: Screen) -> str:
    """Label for Enter on the row: the target of its link, in the words of the view."""
    row = browser.tree_view.row_at_cursor()
    if row is not None and row.link is not None:
        links = browser.view.links(row.node)
        return next((link.label.removeprefix("the ") for link in links if link.ref == row.link), DECLARATION)
    return "zoom" if browser.tree_view.picture is not None else "open"


def _keys(interaction: ScreenInteraction, words: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """The first keys of commands, with their labels; without requests if no JVM accepts any."""
    registry = interaction.registry
    possible = (each for each in words if each[0] != "ask-list" or actions_of(interaction.screen))
    return [(registry[name].keys[0], word) for name, word in possible if registry[name].keys]
