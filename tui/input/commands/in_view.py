"""The keys that act on what has the focus: a tree, a picture, a list, a page, the side pane. For the help."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from parsers.views.collection import owner_of
from tui.screen.sanitise import safe
from tui.tree.tree_view import TreeView

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from parsers.model.view import Switch, View
    from tui.interaction.report_screen import ShownScreen
    from tui.interaction.screen_interaction import ScreenInteraction

Focus = Literal["help", "list", "view", "path", "side pane"]

MOST_CHOICES = 6
"""Maximum choices of a switch that are named."""

ROWS = ("down", "up", "page-down", "page-up", "top", "bottom")
"""Commands of a pane whose rows are no tree."""
TREE = (
    *("down", "up", "right", "left", "parent", "next-sibling", "previous-sibling", "next-block", "previous-block"),
    *("follow-link", "toggle", "open-siblings", "fold-siblings", "open-below", "fold-below", "fold-to", "open-chain"),
)
"""Commands of a pane with a tree."""
SORTS = ("sort", "sort-reverse")
"""Commands of a view with sort keys."""
PATH = ("down", "up", "right", "left", "parent", "follow-link", "toggle", "yank-path", "refs", "q")
"""Commands of a path shown as a tree."""
LIST = (*ROWS, "follow-link", "find", *SORTS, "q")
OF_NODES = ("refs", "why", "yank-row")
"""Commands of a list whose rows are of the report."""
PAGE = (*ROWS, "find", "next-match", "previous-match", "q")
DETAILS = (*ROWS, "follow-link", "next-pane", "alone", "larger", "smaller", "q")

ESSENTIALS = (
    *("follow-link", "back", "find", "next-match", "filter", "goto-name", "refs", "why", "view", "next-pane"),
    *("yank-row", "undo", "help", "q"),
)
"""The commands that suffice for most questions."""


@dataclass(frozen=True, slots=True)
class BoundKey:
    """A key with its effect on what has the focus."""

    command: str
    """Name of its command."""
    keys: tuple[str, ...]
    text: str
    """Its effect in a sentence."""


def keys_in_view(interaction: ScreenInteraction) -> list[BoundKey]:
    """The keys that act on what has the focus, those of moving first.

    Made from the commands of the registry, those that a picture declares, and the switches of a view.
    """
    screen, focus = interaction.screen, focus_of(interaction.screen)
    if focus == "list":
        own = () if screen.has_list else tuple(name for name, _ in screen.keys)
        names = [*LIST[:-1], *(OF_NODES if screen.pane.place() is not None else ()), *own, LIST[-1]]
        return _bound(interaction, tuple(dict.fromkeys(names)))
    if focus == "view":
        return _keys_of_view(interaction)
    return _bound(interaction, {"help": PAGE, "path": PATH, "side pane": DETAILS}[focus])


def focus_of(screen: ShownScreen) -> Focus:
    """The kind of pane that has the focus."""
    pane = screen.pane
    if pane.is_page:
        return "help"
    if pane.is_list:
        return "list"
    if pane is screen.tree_view:
        return "view"
    return "path" if isinstance(pane, TreeView) else "side pane"


def _keys_of_view(interaction: ScreenInteraction) -> list[BoundKey]:
    """Keys of the view on the screen: of its picture or tree, its own commands, its switches and filters."""
    report, view, tree = interaction.screen.report, interaction.screen.view, interaction.screen.tree_view
    assert report is not None and view is not None and tree is not None
    if tree.picture is None:
        keys = _bound(interaction, (*TREE, *(SORTS if view.orders else ())))
    else:
        texts = {name: text for name, _, text in tree.picture.keys}
        keys = _bound(interaction, tuple(texts), texts)
    listed = {key.command for key in keys}
    keys += _bound(interaction, tuple(name for name, _ in view.commands if name not in listed))
    switches = [BoundKey("format-filter", (f"f{each.letter}",), _switch_text(each, view)) for each in view.switches]
    masks = owner_of(report, view).masks
    hidden = [
        BoundKey("format-filter", (f"f{letter}",), f"Hide or show: {words}.") for letter, (_, words) in masks.items()
    ]
    return [*keys, *switches, *hidden]


def essentials(interaction: ScreenInteraction) -> list[BoundKey]:
    """The most useful commands of a screen."""
    return _bound(interaction, ESSENTIALS)


def _bound(
    interaction: ScreenInteraction, names: Sequence[str], texts: Mapping[str, str] | None = None
) -> list[BoundKey]:
    """The commands of these names that have keys on this screen. texts: effects that differ from their help."""
    commands = [interaction.registry[name] for name in names]
    return [
        BoundKey(each.name, each.keys, (texts or {}).get(each.name, each.help))
        for each in commands
        if each.keys and interaction.context in each.contexts
    ]


def _switch_text(switch: Switch, view: View) -> str:
    shown = ", ".join(safe(choice) for choice in switch.choices[:MOST_CHOICES])
    more = f" and {len(switch.choices) - MOST_CHOICES:,} more" if len(switch.choices) > MOST_CHOICES else ""
    typed = f"; typed (:format-filter {switch.letter} …): {safe(switch.typed)}" if switch.typed else ""
    now = safe(view.chosen.get(switch.name, switch.choices[0]))
    return f"{safe(switch.title)}: {shown}{more}{typed}. Now: {now}."
