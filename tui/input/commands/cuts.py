"""Commands for cuts (calls, methods, classes removed hypothetically) and for paths between nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.input.keys.registry import CommandCall, CommandGroup

if TYPE_CHECKING:
    from tui.input.commands.screen import Screen

GROUP = CommandGroup("What if")


@GROUP.command("cut", "X", "cut what the row shows", argument="[PATTERNS]")
def cut(browser: Screen, call: CommandCall) -> None:
    """Think away the call, method, class or package of this row, or what PATTERNS meet; once more takes it back."""
    if call.text.strip():
        browser.interaction.cutting.cut(call.text.strip())
    else:
        browser.interaction.cutting.toggle()


@GROUP.command("cuts", "D", "what cuts come to")
def cuts(browser: Screen, call: CommandCall) -> None:
    """All cuts, what would no longer be reached, and what still is of the same packages; once more: back."""
    browser.interaction.cutting.show()


@GROUP.command("uncut", "", "no cuts")
def uncut(browser: Screen, call: CommandCall) -> None:
    """Take all cuts away; once more brings them back."""
    browser.interaction.cutting.clear()


@GROUP.command("undo-cut", "", "undo the last cut")
def undo_cut(browser: Screen, call: CommandCall) -> None:
    """As it was before cuts were changed last."""
    browser.interaction.cutting.undo()


@GROUP.command("between", "B", "ways between", argument="[A -> B]")
def between(browser: Screen, call: CommandCall) -> None:
    """All ways from the tagged rows (none: from outside) to this row as one small tree; or `:between A -> B`."""
    browser.interaction.cutting.between(call.text.strip())
