"""The crumb bar: moves along the path above the cursor without leaving the row, and lists siblings of a step."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.input.keys.keyboard import CommandError
from tui.interaction.prompts.prompt import Prompt, Purpose
from tui.screen import frame
from tui.tree.piece import Piece

if TYPE_CHECKING:
    from tui.interaction.interaction import Interaction

MOST_STEPS = 2_000
"""Maximum steps in the bar; the innermost ones."""

MOST_SIBLINGS = 200_000
"""Maximum siblings of a step that are listed."""


class CrumbBar:
    """Left and Right move, letters search, Down lists siblings, Enter goes there, Esc changes nothing."""

    def __init__(self, interaction: Interaction) -> None:
        self.interaction = interaction
        self.browser = interaction.browser
        node = self.browser.tree_view.cursor_node
        if node is None:
            raise CommandError("No row under the cursor.")
        self.view = self.browser.view
        self.path = list(self.view.path(node))[-MOST_STEPS:]
        self.chosen = len(self.path) - 1
        self._names: dict[int, str] = {}
        self._prompt: Prompt | None = None

    def open(self) -> None:
        """Shows the bar with its prompt."""
        purpose = Purpose(
            "path: ", self._accept, change=self._search, cancel=self._close, move=self._down, sideways=self._sideways
        )
        purpose.status = [Piece("Left Right walk  Down beside  Enter go ", "hint")]
        self._prompt = self.interaction.open_prompt(purpose)
        self._show()

    def name(self, index: int) -> str:
        """Short text of a step."""
        if index not in self._names:
            self._names[index] = frame.crumb_text(self.view.tree.row(self.path[index]))
        return self._names[index]

    def _sideways(self, step: int) -> None:
        self.chosen = max(0, min(self.chosen + step, len(self.path) - 1))
        self._show()

    def _search(self, text: str) -> None:
        """Goes to the nearest step above that contains the typed text; wraps around."""
        wanted = text.lower()
        count = len(self.path)
        steps = [(self.chosen - step) % count for step in range(count)]
        found = next((index for index in steps if wanted in self.name(index).lower()), None) if text else None
        if found is not None:
            self.chosen = found
            self._show()

    def _down(self, direction: int) -> None:
        """Handles Down: lists the siblings of the step."""
        if direction < 0:
            return
        view, node = self.view, self.path[self.chosen]
        above = view.tree.parent(node)
        order = self.browser.tree_view.order
        siblings = view.tree.roots(order) if above is None else view.tree.children(node=above, order=order)
        shown = siblings[:MOST_SIBLINGS] if len(siblings) > MOST_SIBLINGS else siblings
        if self._prompt is not None:
            self._prompt.finish()
        self._close()
        title = f"beside {self.name(self.chosen)}"
        cursor = shown.index(node) if node in shown else 0
        self.interaction.lists.nodes(title, view, shown, cursor)

    def _accept(self, text: str) -> None:
        self._close()
        self.interaction.navigation.jump(self.view, self.path[self.chosen])

    def _close(self) -> None:
        self.browser.show_crumbs(None)

    def _show(self) -> None:
        """Shows the bar, including some steps after the chosen one."""
        last = min(len(self.path), self.chosen + 3)
        first = max(0, last - 24)
        crumbs = [(self.name(index), f"node:{self.path[index]}") for index in range(first, last)]
        width = self.browser.size.width
        self.browser.show_crumbs(frame.crumb_pieces(crumbs, width, first > 0, self.chosen - first))
