"""The widget of one line of pieces."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from rich.segment import Segment
from textual import events
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip

from tui.screen.frame import fitted_line, heading_pieces
from tui.screen.line_widget import LineWidget
from tui.screen.theme import Ground, Palette
from tui.tree.piece import Piece, changed_cells, pad, piece_at, segments

if TYPE_CHECKING:
    from tui.tree.tree_view import TreeView


class TextLine(LineWidget):
    """One line: pieces from the left, and pieces at the right edge, which have priority if both do not fit."""

    DEFAULT_CSS = "TextLine { height: 1; width: 1fr; }"

    class Clicked(Message):
        """Posted when a piece with an action was clicked."""

        def __init__(self, action: str) -> None:
            super().__init__()
            self.action = action

    def __init__(self, id: str | None = None, ground: Ground = "panel") -> None:
        super().__init__(id=id)
        self._ground: Ground = ground
        self._left: tuple[Piece, ...] = ()
        self._right: tuple[Piece, ...] = ()

    def set_pieces(self, left: Sequence[Piece], right: Sequence[Piece] = ()) -> None:
        """Sets the pieces of the line; an unchanged line is not redrawn."""
        if (tuple(left), tuple(right)) == (self._left, self._right):
            return
        width = self.size.width
        before = self._fitted(width)
        self._left, self._right = tuple(left), tuple(right)
        changed = changed_cells(before, self._fitted(width))
        if changed is not None:
            # On a slow connection a changed number must not send the whole line.
            self.refresh(Region(changed[0], 0, changed[1] - changed[0], 1))

    @property
    def text(self) -> str:
        """The line as drawn, as plain text."""
        return self.render_line(0).text

    def render_line(self, y: int) -> Strip:
        """Renders the line, exactly as wide as the widget."""
        width = self.size.width
        line: list[Segment] = segments(self._fitted(width), self.palette, self._ground)
        return Strip(line).crop(0, width)

    def _fitted(self, width: int) -> list[Piece]:
        """The pieces, exactly `width` cells."""
        return fitted_line(self._left, self._right, width)

    def on_click(self, event: events.Click) -> None:
        """Posts the clicked piece."""
        piece = piece_at(self._fitted(self.size.width), event.x)
        if piece is not None and piece.action:
            self.post_message(self.Clicked(piece.action))


class Headings(TextLine):
    """Name of the view over the labels of a tree, title and unit over each column that it shows; a click sorts."""

    def __init__(self, shown_tree: Callable[[], TreeView | None], id: str | None = None) -> None:
        super().__init__(id=id, ground="page")
        self._shown_tree = shown_tree

    def _fitted(self, width: int) -> list[Piece]:
        """The headings of the shown tree; blanks for a list, which has its own."""
        tree = self._shown_tree()
        return pad([] if tree is None else heading_pieces(tree), width)


class KeyLine(TextLine):
    """The keys that apply, or a prompt instead: one widget, so that a prompt needs no new layout."""

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id, ground="page")
        self._over: Callable[[Palette, int], list[Segment]] | None = None

    def draw_over(self, draw: Callable[[Palette, int], list[Segment]] | None) -> None:
        """Draws a line of the given width instead of the keys; None: the keys again."""
        self._over = draw
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """Renders the line, exactly as wide as the widget."""
        if self._over is None:
            return super().render_line(y)
        width = self.size.width
        return Strip(self._over(self.palette, width), width)

    def on_click(self, event: events.Click) -> None:
        """Ignores clicks on keys under a prompt."""
        if self._over is not None:
            event.prevent_default()
