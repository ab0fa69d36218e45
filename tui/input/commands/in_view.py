"""The keys that act on what has the focus: a tree, a picture, a list, a page, the side pane. For the help."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from tui.interaction.target import report_of
from tui.screen.sanitise import safe
from tui.tree.tree_view import TreeView

if TYPE_CHECKING:
    from parsers.model.view import Switch, View

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


def keys_in_view(screen: Any) -> list[BoundKey]:
    """The keys that act on what has the focus, those of moving first.

    Made from the commands of the registry, those that a picture declares, and the switches of a view.
    """
    focus = focus_of(screen)
    if focus == "list":
        has_nodes = screen.pane.place() is not None
        own = () if screen.has_list or screen.report is not None else tuple(name for name, _ in screen.keys)
        names = [*LIST[:-1], *(OF_NODES if has_nodes else ()), *own, LIST[-1]]
        return _bound(screen, tuple(dict.fromkeys(names)))
    if focus == "view":
        return _keys_of_view(screen)
    return _bound(screen, {"help": PAGE, "path": PATH, "side pane": DETAILS}[focus])


def focus_of(screen: Any) -> Focus:
    """The kind of pane that has the focus."""
    if screen.pane.is_page:
        return "help"
    if screen.pane.is_list:
        return "list"
    if screen.view is not None and screen.pane is screen.tree_view:
        return "view"
    return "path" if isinstance(screen.pane, TreeView) else "side pane"


def _keys_of_view(screen: Any) -> list[BoundKey]:
    """Keys of the view on the screen: of its picture or tree, its own commands, its switches and filters."""
    view, picture = screen.view, screen.tree_view.picture
    if picture is None:
        keys = _bound(screen, (*TREE, *(SORTS if view.orders else ())))
    else:
        texts = {name: text for name, _, text in picture.keys}
        keys = _bound(screen, tuple(texts), texts)
    listed = {key.command for key in keys}
    keys += _bound(screen, tuple(name for name, _ in view.commands if name not in listed))
    switches = [BoundKey("format-filter", (f"f{each.letter}",), _switch_text(each, view)) for each in view.switches]
    masks = report_of(screen).masks
    hidden = [
        BoundKey("format-filter", (f"f{letter}",), f"Hide or show: {words}.") for letter, (_, words) in masks.items()
    ]
    return [*keys, *switches, *hidden]


def essentials(screen: Any) -> list[BoundKey]:
    """The most useful commands of a screen."""
    return _bound(screen, ESSENTIALS)


def _bound(screen: Any, names: tuple[str, ...], texts: dict[str, str] | None = None) -> list[BoundKey]:
    """The commands of these names that have keys on this screen. texts: effects that differ from their help."""
    interaction = screen.interaction
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
