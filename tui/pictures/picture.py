"""What draws a view in place of rows, where its shape is one for a picture: flames, charts, time lines.

A picture has no cursor of its own: that is the tree's, so that search, marks, jumps, links and the pane know nothing of
pictures. A picture says where on it each node is, and which node is next to another one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING

from textual.strip import Strip

from parsers.model.report import Shape

if TYPE_CHECKING:
    from tui.pictures.picture_view import PictureView

PICTURES: Mapping[Shape, str] = {
    "flame": "tui.pictures.flame.flame:Flame",
    "chart": "tui.pictures.chart.line_chart:LineChart",
    "timeline": "tui.pictures.timeline.timeline:TimeLinePicture",
}
"""Classes by the shape that they draw; imported when one is first shown."""


class Picture:
    """Draws the view of a pane. Derived ones draw; what they don't know to do leads nowhere."""

    carries = False
    """Whether a report that was read again is shown as before: its nodes must be the same then."""
    keys: tuple[tuple[str, str], ...] = ()
    """Commands of the key line beside those of every view, and the words for them."""

    def __init__(self, pane: PictureView) -> None:
        self.pane = pane

    def forget(self) -> None:
        """Rows, their numbers or colours are others: nothing that was worked out holds."""

    @property
    def sticks_to_end(self) -> bool:
        """Whether the cursor is at the end, and stays there when that moves on."""
        return False

    def to_end(self) -> None:
        """To what came last."""
        self.pane.move_to_row(-1)

    def carry(self, places: Callable[[int], int | None]) -> None:
        """The nodes are those of another opening of the report, in which `places` says where each is."""

    def settle(self) -> None:
        """The cursor is elsewhere, or the pane has another size: the picture moves so that the cursor is seen."""

    def line(self, y: int) -> Strip:
        """One line of the screen, as wide as the pane."""
        raise NotImplementedError

    def node_at(self, x: int, y: int) -> int | None:
        """The node that is drawn in a cell."""
        return None

    # -- moving -------------------------------------------------------------------------------------------------------

    def step(self, rows: int) -> None:
        """Down, or up if negative."""

    def beside(self, step: int) -> bool:
        """Right, or left if negative. False: there is nothing."""
        return False

    def sibling(self, step: int) -> None:
        """To the next node, or the one before, however near they lie."""
        self.beside(step)

    def page(self, share: float) -> None:
        """As far as the picture is large, or so much of it."""

    def scroll(self, rows: int) -> None:
        """The wheel, and keys that scroll."""
        self.step(rows)

    def pan(self, cells: int) -> None:
        """Shows what is right of the picture, or left of it if negative."""

    def pan_to_end(self) -> None:
        """To the end, and back to the start."""

    # -- what is shown ------------------------------------------------------------------------------------------------

    def enter(self) -> None:
        """Enter on a node without a link."""
        self.zoom_in()

    def toggle(self) -> None:
        """What folding is in a tree."""

    def show_all(self) -> None:
        """What opening all is in a tree."""

    def show_only(self) -> None:
        """What folding what is beside is in a tree."""

    def zoom_in(self) -> bool:
        """Less, and larger. False: it can't be."""
        return False

    def zoom_out(self) -> bool:
        """As it was before. False: it is as at first."""
        return False


def picture_of(shape: Shape) -> type[Picture] | None:
    """The class of pictures of a shape; None: it is shown as rows."""
    place = PICTURES.get(shape)
    if place is None:
        return None
    module, _, name = place.partition(":")
    found: type[Picture] = getattr(import_module(module), name)
    return found
