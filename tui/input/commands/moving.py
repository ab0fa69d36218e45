"""Commands that move the cursor: in every pane with rows, and along the shape of a tree."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tui.input.keys.keyboard import CommandError
from tui.input.keys.registry import EVERYWHERE, CommandCall, CommandGroup
from tui.interaction.target import tree_of

if TYPE_CHECKING:
    from tui.input.commands.screen import Screen

GROUP = CommandGroup("Moving")

SIDEWAYS = 8
"""Columns of one step sideways."""

MOST_STEPS = 1000
"""Maximum count of commands that are executed step by step."""


def few(call: CommandCall) -> int:
    """The count, within bounds."""
    return min(call.times, MOST_STEPS)


def repeat(step: Callable[[], bool], call: CommandCall) -> None:
    """Repeats a step as often as the count, or until it fails."""
    for _ in range(few(call)):
        if not step():
            break


@GROUP.command("down", "j Down", "next row", contexts=EVERYWHERE)
def down(browser: Screen, call: CommandCall) -> None:
    """The next row."""
    browser.pane.move_by(call.times)


@GROUP.command("up", "k Up", "previous row", contexts=EVERYWHERE)
def up(browser: Screen, call: CommandCall) -> None:
    """The previous row. It also pauses following a growing file."""
    browser.interaction.pause()
    browser.pane.move_by(-call.times)


@GROUP.command("left", "h Left", "fold or parent")
def left(browser: Screen, call: CommandCall) -> None:
    """Fold an open node; on a closed one go to its parent."""
    repeat(tree_of(browser).fold_or_parent, call)


@GROUP.command("right", "l Right", "open or child")
def right(browser: Screen, call: CommandCall) -> None:
    """Open a closed node, also a suppressed one; on an open one go to its first child."""
    tree = tree_of(browser)
    if not browser.interaction.filters.open_by_hand(tree) and not browser.interaction.viewing.sort_below(tree):
        repeat(tree.open_or_child, call)


@GROUP.command("parent", "H", "parent")
def parent(browser: Screen, call: CommandCall) -> None:
    """The parent, without folding."""
    tree_of(browser).to_parent(few(call))


@GROUP.command("next-sibling", "J", "next sibling")
def next_sibling(browser: Screen, call: CommandCall) -> None:
    """The next row of this depth; after the last one the next row above, then this depth again."""
    tree_of(browser).to_sibling(few(call))


@GROUP.command("previous-sibling", "K", "previous sibling")
def previous_sibling(browser: Screen, call: CommandCall) -> None:
    """The previous row of this depth; before the first one the parent, then this depth again."""
    tree_of(browser).to_sibling(-few(call))


@GROUP.command("first-sibling", "^ 0", "first sibling")
def first_sibling(browser: Screen, call: CommandCall) -> None:
    """The first child of this row's parent."""
    tree_of(browser).to_first_sibling()


@GROUP.command("last-sibling", "$", "last sibling")
def last_sibling(browser: Screen, call: CommandCall) -> None:
    """The last child of this row's parent."""
    tree_of(browser).to_last_sibling()


@GROUP.command("next-depth", "w", "next change of depth")
def next_depth(browser: Screen, call: CommandCall) -> None:
    """Forward to the next row of another depth."""
    tree_of(browser).depth_change(few(call))


@GROUP.command("previous-depth", "b", "previous change of depth")
def previous_depth(browser: Screen, call: CommandCall) -> None:
    """Back to the row where the depth changed before."""
    tree_of(browser).depth_change(-few(call))


@GROUP.command("previous-block", "{", "previous block")
def previous_block(browser: Screen, call: CommandCall) -> None:
    """The previous top-level row: an entry point, a root, a package."""
    tree_of(browser).block(-few(call))


@GROUP.command("next-block", "}", "next block")
def next_block(browser: Screen, call: CommandCall) -> None:
    """The next top-level row: an entry point, a root, a package."""
    tree_of(browser).block(few(call))


@GROUP.command("page-down", "PgDn ^f", "page down", contexts=EVERYWHERE)
def page_down(browser: Screen, call: CommandCall) -> None:
    """A page forward."""
    browser.pane.page(call.times)


@GROUP.command("page-up", "PgUp ^b", "page up", contexts=EVERYWHERE)
def page_up(browser: Screen, call: CommandCall) -> None:
    """A page back."""
    browser.interaction.pause()
    browser.pane.page(-call.times)


@GROUP.command("half-page-down", "^d", "half a page down", contexts=EVERYWHERE)
def half_page_down(browser: Screen, call: CommandCall) -> None:
    """Half a page forward; with a count that many rows, from then on."""
    browser.pane.half_page(1, call.count)


@GROUP.command("half-page-up", "^u", "half a page up", contexts=EVERYWHERE)
def half_page_up(browser: Screen, call: CommandCall) -> None:
    """Half a page back; with a count that many rows, from then on."""
    browser.interaction.pause()
    browser.pane.half_page(-1, call.count)


@GROUP.command("scroll-down", "^e", "scroll down", contexts=EVERYWHERE)
def scroll_down(browser: Screen, call: CommandCall) -> None:
    """Scroll one row; the cursor stays on its row."""
    browser.pane.scroll_by(call.times)


@GROUP.command("scroll-up", "^y", "scroll up", contexts=EVERYWHERE)
def scroll_up(browser: Screen, call: CommandCall) -> None:
    """Scroll back one row; the cursor stays on its row."""
    browser.interaction.pause()
    browser.pane.scroll_by(-call.times)


@GROUP.command("top", "g Home", "first row", contexts=EVERYWHERE)
def top(browser: Screen, call: CommandCall) -> None:
    """The first row; with a count that row of those shown."""
    browser.interaction.pause()
    browser.interaction.leave()
    browser.pane.move_to_row((call.count or 1) - 1)


@GROUP.command("bottom", "G End", "last row", contexts=EVERYWHERE)
def bottom(browser: Screen, call: CommandCall) -> None:
    """The last row; with a count that row of the document, opening its parents."""
    if call.count is not None and browser.pane is browser.tree_view:
        browser.interaction.places.go_to_document_row(call.count)
        return
    browser.interaction.leave()
    browser.pane.move_to_row((call.count or browser.pane.row_count) - 1)


@GROUP.command("percent", "%", "percent of the document")
def percent(browser: Screen, call: CommandCall) -> None:
    """With a count: that many percent into the document (`50%`)."""
    if call.count is None:
        raise CommandError("Type a number first: 50% is the middle of the document.")
    share = min(call.count, 100)
    if browser.pane is not browser.tree_view:
        browser.pane.move_to_row((browser.pane.row_count - 1) * share // 100)
        return
    browser.interaction.leave()
    browser.tree_view.percent(share)


@GROUP.command("middle", "zz", "cursor row to the middle", contexts=EVERYWHERE)
def middle(browser: Screen, call: CommandCall) -> None:
    """Scroll so that the cursor row is in the middle."""
    browser.pane.place_cursor("middle")


@GROUP.command("cursor-to-top", "zt", "cursor row to the top", contexts=EVERYWHERE)
def cursor_to_top(browser: Screen, call: CommandCall) -> None:
    """Scroll so that the cursor row is at the top."""
    browser.pane.place_cursor("top")


@GROUP.command("cursor-to-bottom", "zb", "cursor row to the bottom", contexts=EVERYWHERE)
def cursor_to_bottom(browser: Screen, call: CommandCall) -> None:
    """Scroll so that the cursor row is at the bottom."""
    browser.pane.place_cursor("bottom")


@GROUP.command("scroll-left", ",", "scroll left", contexts=EVERYWHERE)
def scroll_left(browser: Screen, call: CommandCall) -> None:
    """Scroll long rows back to the left; the count is columns."""
    browser.pane.scroll_sideways(-(call.count or SIDEWAYS))


@GROUP.command("scroll-right", ".", "scroll right", contexts=EVERYWHERE)
def scroll_right(browser: Screen, call: CommandCall) -> None:
    """Scroll long rows to the right; the count is columns."""
    browser.pane.scroll_sideways(call.count or SIDEWAYS)


@GROUP.command("end-of-rows", "ze", "end of the longest row", contexts=EVERYWHERE)
def end_of_rows(browser: Screen, call: CommandCall) -> None:
    """Scroll sideways to the end of the longest row on the screen. Press again to return to the start."""
    browser.pane.scroll_to_end()
