"""A question before an action that can't be undone: a page with the reason, and the choices."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from tui.list.list_pane import FixedList, ListColumn, ListPane, PaneRow
from tui.screen.detail import wrapped
from tui.screen.sanitise import safe
from tui.tree.piece import Piece

if TYPE_CHECKING:
    from tui.interaction.screen_interaction import ScreenInteraction

Choice = tuple[str, Callable[[], object]]
"""Text of a choice, and its action."""

MARGIN = 4
"""Cells that the reason leaves blank."""


def ask(interaction: ScreenInteraction, title: str, reason: str, choices: Sequence[Choice]) -> None:
    """Shows the reason and the choices; the first is proposed, and `q` and Esc choose none."""
    screen = interaction.screen
    width = max(16, screen.size.width - MARGIN)
    first, rest = wrapped(reason, width, width)
    lines = [PaneRow((line,), is_heading=True) for line in ("", first, *rest, "")]
    rows = [*lines, *(PaneRow(([Piece(safe(words), "link")],)) for words, _ in choices)]

    def choose(index: int) -> None:
        screen.close_pane()
        choices[index - len(lines)][1]()

    keys = (("Enter", "choose"), ("Esc", "back"))
    source = FixedList(safe(title), (ListColumn(""),), rows, choose, keys=keys)
    screen.show_list(ListPane(source, len(lines)))
