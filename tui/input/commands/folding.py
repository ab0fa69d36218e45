"""Commands that open and close nodes of a tree. Every step can be undone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parsers.model.row import counted
from tui.input.keys.keyboard import CommandError
from tui.input.keys.registry import CommandCall, CommandGroup
from tui.interaction.target import tree_of
from tui.screen.sanitise import safe

if TYPE_CHECKING:
    from tui.input.commands.screen import Screen

GROUP = CommandGroup("Folding")


def show_limit(browser: Screen, limit: int | None) -> None:
    """Shows that not everything could be opened: an unfolded graph is unbounded."""
    if limit is not None:
        browser.show_message(f"stopped after {counted(limit, 'row')}: this view is unbounded")


@GROUP.command("toggle", "Space", "fold or open")
def toggle(browser: Screen, call: CommandCall) -> None:
    """Fold the node, or open it. A suppressed one is opened by hand."""
    tree = tree_of(browser)
    if not browser.interaction.filters.open_by_hand(tree) and not browser.interaction.viewing.sort_below(tree):
        tree.toggle()


@GROUP.command("fold-siblings", "c", "fold siblings")
def fold_siblings(browser: Screen, call: CommandCall) -> None:
    """Fold this node and all its siblings."""
    tree_of(browser).fold_siblings()


@GROUP.command("open-siblings", "e", "open siblings")
def open_siblings(browser: Screen, call: CommandCall) -> None:
    """Open this node and all its siblings."""
    tree_of(browser).open_siblings()


@GROUP.command("fold-below", "C", "fold all below")
def fold_below(browser: Screen, call: CommandCall) -> None:
    """Fold this node and its siblings, with everything below them."""
    tree_of(browser).fold_below()


@GROUP.command("open-below", "E", "open all below")
def open_below(browser: Screen, call: CommandCall) -> None:
    """Open this node and its siblings, with everything below them, at any size."""
    show_limit(browser, tree_of(browser).open_below())


@GROUP.command("fold-to", "z{1-9}", "fold to a depth", argument="DEPTH")
def fold_to(browser: Screen, call: CommandCall) -> None:
    """Fold everything to a depth: z1 shows the top-level rows and their children."""
    words = call.letter or call.text.strip()
    if not words.isascii() or not words.isdecimal() or len(words) > 5:
        what = f"{safe(words)} is no depth" if words else "No depth given"
        raise CommandError(f"{what}. For example :fold-to 2")
    browser.interaction.remember_place()
    show_limit(browser, tree_of(browser).fold_to(int(words)))


@GROUP.command("fold-all", "zM", "fold everything")
def fold_all(browser: Screen, call: CommandCall) -> None:
    """Fold everything."""
    browser.interaction.remember_place()
    tree_of(browser).fold_to(0)


@GROUP.command("open-all", "zR", "open everything")
def open_all(browser: Screen, call: CommandCall) -> None:
    """Open everything, at any size."""
    browser.interaction.remember_place()
    show_limit(browser, tree_of(browser).open_all())


@GROUP.command("open-chain", "x", "open the chain")
def open_chain(browser: Screen, call: CommandCall) -> None:
    """Open only children downwards, to the first node with two children."""
    tree_of(browser).open_chain()


@GROUP.command("undo", "u", "undo fold or filter")
def undo(browser: Screen, call: CommandCall) -> None:
    """Undo the last fold or filter."""
    browser.interaction.undo(call.times)


@GROUP.command("redo", "U", "redo")
def redo(browser: Screen, call: CommandCall) -> None:
    """Redo what was undone."""
    browser.interaction.redo(call.times)
