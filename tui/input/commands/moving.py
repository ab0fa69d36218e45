"""Commands that move the cursor: in every pane with rows, and along the shape of a tree."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from tui.input.keys.keyboard import CommandError
from tui.input.keys.registry import EVERYWHERE, CommandCall, CommandGroup, Context, Function
from tui.interaction.target import tree_of

if TYPE_CHECKING:
    from tui.input.commands.screen import AnyScreen, Screen
    from tui.screen.line_widget import Pane
    from tui.tree.tree_view import TreeView

GROUP = CommandGroup("Moving")

SIDEWAYS = 8
"""Columns of one step sideways."""

MOST_STEPS = 1000
"""Maximum count of commands that are executed step by step."""


Bound = tuple[Iterable[Context] | None, Function]
"""Contexts of a command, None for reports, and its function."""


def few(call: CommandCall) -> int:
    """The count, within bounds."""
    return min(call.times, MOST_STEPS)


def repeat(step: Callable[[], bool], call: CommandCall) -> None:
    """Repeats a step as often as the count, or until it fails."""
    for _ in range(few(call)):
        if not step():
            break


def in_pane(act: Callable[[Pane, CommandCall], object]) -> Bound:
    """A command that acts on the pane with the cursor."""

    def run(screen: AnyScreen, call: CommandCall) -> None:
        act(screen.pane, call)

    return EVERYWHERE, run


def back(act: Callable[[Pane, CommandCall], object]) -> Bound:
    """A command that acts on the pane with the cursor, and pauses following a growing file."""

    def run(screen: AnyScreen, call: CommandCall) -> None:
        screen.interaction.pause_following()
        act(screen.pane, call)

    return EVERYWHERE, run


def in_tree(act: Callable[[TreeView, CommandCall], object]) -> Bound:
    """A command that acts on the tree with the cursor. It raises `CommandError` in another pane."""

    def run(browser: Screen, call: CommandCall) -> None:
        act(tree_of(browser), call)

    return None, run


def right(browser: Screen, call: CommandCall) -> None:
    """Opens a closed node, also one that a filter closes; on an open one goes to its first child."""
    tree = tree_of(browser)
    if not browser.interaction.filters.open_by_hand(tree) and not browser.interaction.viewing.sort_below(tree):
        repeat(tree.open_or_child, call)


def top(screen: AnyScreen, call: CommandCall) -> None:
    """Goes to a row by its number among those shown, by default the first."""
    screen.interaction.pause_following()
    screen.interaction.remember_place()
    screen.pane.move_to_row((call.count or 1) - 1)


def bottom(screen: AnyScreen, call: CommandCall) -> None:
    """Goes to the last row, or to a row of the document by its number."""
    screen.interaction.go_to_row(call.count)


def percent(browser: Screen, call: CommandCall) -> None:
    """Goes to a percentage of the document, or of the rows of a list."""
    if call.count is None:
        raise CommandError("Type a number first: 50% is the middle of the document.")
    share = min(call.count, 100)
    if browser.pane is not browser.tree_view:
        browser.pane.move_to_row((browser.pane.row_count - 1) * share // 100)
        return
    browser.interaction.remember_place()
    browser.tree_view.percent(share)


COMMANDS: tuple[tuple[str, str, str, str, Bound], ...] = (
    ("down", "j Down", "next row", "The next row.", in_pane(lambda pane, call: pane.move_by(call.times))),
    ("up", "k Up", "previous row", "The previous row. It also pauses following a growing file.",
        back(lambda pane, call: pane.move_by(-call.times))),
    ("left", "h Left", "fold or parent", "Fold an open node; on a closed one go to its parent.",
        in_tree(lambda tree, call: repeat(tree.fold_or_parent, call))),
    ("right", "l Right", "open or child",
        "Open a closed node, also a suppressed one; on an open one go to its first child.", (None, right)),
    ("parent", "H", "parent", "The parent, without folding.", in_tree(lambda tree, call: tree.to_parent(few(call)))),
    ("next-sibling", "J", "next sibling",
        "The next row of this depth; after the last one the next row above, then this depth again.",
        in_tree(lambda tree, call: tree.to_sibling(few(call)))),
    ("previous-sibling", "K", "previous sibling",
        "The previous row of this depth; before the first one the parent, then this depth again.",
        in_tree(lambda tree, call: tree.to_sibling(-few(call)))),
    ("first-sibling", "^ 0", "first sibling", "The first child of this row's parent.",
        in_tree(lambda tree, call: tree.to_first_sibling())),
    ("last-sibling", "$", "last sibling", "The last child of this row's parent.",
        in_tree(lambda tree, call: tree.to_last_sibling())),
    ("next-depth", "w", "next change of depth", "Forward to the next row of another depth.",
        in_tree(lambda tree, call: tree.depth_change(few(call)))),
    ("previous-depth", "b", "previous change of depth", "Back to the row where the depth changed before.",
        in_tree(lambda tree, call: tree.depth_change(-few(call)))),
    ("previous-block", "{", "previous block", "The previous top-level row: an entry point, a root, a package.",
        in_tree(lambda tree, call: tree.block(-few(call)))),
    ("next-block", "}", "next block", "The next top-level row: an entry point, a root, a package.",
        in_tree(lambda tree, call: tree.block(few(call)))),
    ("page-down", "PgDn ^f", "page down", "A page forward.", in_pane(lambda pane, call: pane.page(call.times))),
    ("page-up", "PgUp ^b", "page up", "A page back.", back(lambda pane, call: pane.page(-call.times))),
    ("half-page-down", "^d", "half a page down", "Half a page forward; with a count that many rows, from then on.",
        in_pane(lambda pane, call: pane.half_page(1, call.count))),
    ("half-page-up", "^u", "half a page up", "Half a page back; with a count that many rows, from then on.",
        back(lambda pane, call: pane.half_page(-1, call.count))),
    ("scroll-down", "^e", "scroll down", "Scroll one row; the cursor stays on its row.",
        in_pane(lambda pane, call: pane.scroll_by(call.times))),
    ("scroll-up", "^y", "scroll up", "Scroll back one row; the cursor stays on its row.",
        back(lambda pane, call: pane.scroll_by(-call.times))),
    ("top", "g Home", "first row", "The first row; with a count that row of those shown.", (EVERYWHERE, top)),
    ("bottom", "G End", "last row", "The last row; with a count that row of the document, opening its parents.",
        (EVERYWHERE, bottom)),
    ("percent", "%", "percent of the document", "With a count: that many percent into the document (`50%`).",
        (None, percent)),
    ("middle", "zz", "cursor row to the middle", "Scroll so that the cursor row is in the middle.",
        in_pane(lambda pane, call: pane.place_cursor("middle"))),
    ("cursor-to-top", "zt", "cursor row to the top", "Scroll so that the cursor row is at the top.",
        in_pane(lambda pane, call: pane.place_cursor("top"))),
    ("cursor-to-bottom", "zb", "cursor row to the bottom", "Scroll so that the cursor row is at the bottom.",
        in_pane(lambda pane, call: pane.place_cursor("bottom"))),
    ("scroll-left", ",", "scroll left", "Scroll long rows back to the left; the count is columns.",
        in_pane(lambda pane, call: pane.scroll_sideways(-(call.count or SIDEWAYS)))),
    ("scroll-right", ".", "scroll right", "Scroll long rows to the right; the count is columns.",
        in_pane(lambda pane, call: pane.scroll_sideways(call.count or SIDEWAYS))),
    ("end-of-rows", "ze", "end of the longest row",
        "Scroll sideways to the end of the longest row on the screen. Press again to return to the start.",
        in_pane(lambda pane, call: pane.scroll_to_end())),
)  # fmt: skip
"""Name, keys, title and help of each, the contexts where it works, and the function that runs it."""

for name, keys, title, help, (contexts, run) in COMMANDS:
    GROUP.command(name, keys, title, help=help, contexts=contexts)(run)
