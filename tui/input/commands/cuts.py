"""Commands for cuts (calls, methods, classes removed hypothetically) and for paths between nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.input.keys.registry import CommandCall, CommandGroup

if TYPE_CHECKING:
    from tui.input.commands.screen import Screen

GROUP: CommandGroup[Screen] = CommandGroup("Cuts")


@GROUP.command("cut", "X", "cut what the row shows", argument="[PATTERNS]")
def cut(browser: Screen, call: CommandCall) -> None:
    """Cut the call, method, class or package of this row, or all matches of PATTERNS; press again to undo."""
    if call.text.strip():
        browser.interaction.cutting.cut(call.text.strip())
    else:
        browser.interaction.cutting.toggle()


# fmt: off
GROUP.add("cuts", "D", "show the effect of cuts",
    "All cuts, what would no longer be reached, and what of the same packages still is. Press again to go back.",
    lambda browser, call: browser.interaction.cutting.show())
GROUP.add("uncut", "", "remove all cuts", "Remove all cuts. Press again to restore them.",
    lambda browser, call: browser.interaction.cutting.clear())
GROUP.add("undo-cut", "", "undo the last cut", "Undo the last change of cuts.",
    lambda browser, call: browser.interaction.cutting.undo())
GROUP.add("between", "B", "show paths between",
    "All paths from the tagged rows (none: from outside) to this row as one small tree; or `:between A -> B`.",
    lambda browser, call: browser.interaction.cutting.between(call.text.strip()), argument="[A -> B]")
# fmt: on
