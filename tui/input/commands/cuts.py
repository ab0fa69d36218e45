"""Commands for cuts (calls, methods, classes removed hypothetically) and for paths between nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.input.keys.registry import CommandCall, CommandGroup

if TYPE_CHECKING:
    from tui.input.commands.screen import Screen

GROUP = CommandGroup("Cuts")


@GROUP.command("cut", "X", "cut what the row shows", argument="[PATTERNS]")
def cut(browser: Screen, call: CommandCall) -> None:
    """Cut the call, method, class or package of this row, or all matches of PATTERNS; press again to undo."""
    if call.text.strip():
        browser.interaction.cutting.cut(call.text.strip())
    else:
        browser.interaction.cutting.toggle()


@GROUP.command("cuts", "D", "show the effect of cuts")
def cuts(browser: Screen, call: CommandCall) -> None:
    """All cuts, what would no longer be reached, and what of the same packages still is. Press again to go back."""
    browser.interaction.cutting.show()


@GROUP.command("uncut", "", "remove all cuts")
def uncut(browser: Screen, call: CommandCall) -> None:
    """Remove all cuts. Press again to restore them."""
    browser.interaction.cutting.clear()


@GROUP.command("undo-cut", "", "undo the last cut")
def undo_cut(browser: Screen, call: CommandCall) -> None:
    """Undo the last change of cuts."""
    browser.interaction.cutting.undo()


@GROUP.command("between", "B", "show paths between", argument="[A -> B]")
def between(browser: Screen, call: CommandCall) -> None:
    """All paths from the tagged rows (none: from outside) to this row as one small tree; or `:between A -> B`."""
    browser.interaction.cutting.between(call.text.strip())
