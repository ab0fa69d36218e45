"""Pictures drawn instead of rows, for views whose shape has one: flames, charts, time lines.

A picture uses the tree's cursor, so that search, marks, jumps, links and the pane are independent of pictures. A
picture defines where each node is, and which nodes are its neighbours.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from textual.strip import Strip

from parsers.model.late import named
from parsers.model.view import Shape

if TYPE_CHECKING:
    from tui.pictures.picture_view import PictureView

PICTURES: Mapping[Shape, str] = {
    "flame": "tui.pictures.flame.flame:Flame",
    "chart": "tui.pictures.chart.line_chart:LineChart",
    "timeline": "tui.pictures.timeline.lines:TimeLineLines",
}
"""Classes by the shape that they draw; imported when first shown."""


class Picture:
    """Draws the view of a pane. Subclasses draw; movements that they do not define do nothing."""

    keeps_position = False
    """True if the position is kept when a report is read again: its nodes must be the same then."""
    keys: tuple[tuple[str, str, str], ...] = ()
    """The commands that act on the picture: name, label in the key line (empty: not there), effect in a sentence."""

    def __init__(self, pane: PictureView) -> None:
        self.pane = pane

    def forget(self) -> None:
        """Forgets cached drawings when rows, numbers or colours have changed."""

    @property
    def heading(self) -> str:
        """Description of the axes, with units."""
        raise NotImplementedError

    @property
    def sticks_to_end(self) -> bool:
        """True if the cursor is at the end and follows it."""
        return False

    def to_end(self) -> None:
        """Goes to the newest data."""
        self.pane.move_to_row(-1)

    def restore_position(self, places: Callable[[int], int | None]) -> None:
        """Handles another opening of the report; `places` maps its earlier nodes."""

    def scroll_to_cursor(self) -> None:
        """Moves the picture until the cursor is visible, after a movement or a new size."""

    def line(self, y: int) -> Strip:
        """Renders one line of the screen, as wide as the pane."""
        raise NotImplementedError

    def node_at(self, x: int, y: int) -> int | None:
        """The node drawn in a cell."""
        return None

    # -- moving -------------------------------------------------------------------------------------------------------

    def step(self, rows: int) -> None:
        """Moves down, or up if negative."""

    def move_sideways(self, step: int) -> bool:
        """Moves right, or left if negative. False: nothing is there."""
        return False

    def sibling(self, step: int) -> None:
        """Goes to the next or previous node, however near."""
        self.move_sideways(step)

    def page(self, share: float) -> None:
        """Moves by the size of the picture, or a share of it."""

    def scroll(self, rows: int) -> None:
        """Handles the wheel, from `Pane` of `tui/screen/line_widget.py`, and keys that scroll."""
        self.step(rows)

    def pan(self, cells: int) -> None:
        """Shows the part to the right of the picture, or to its left if negative."""

    def pan_to_end(self) -> None:
        """Moves to the end, or back to the start."""

    # -- what is shown ------------------------------------------------------------------------------------------------

    def enter(self) -> None:
        """Handles Enter on a node without a link."""
        self.zoom_in()

    def toggle(self) -> None:
        """Handles the command that folds in a tree."""

    def show_all(self) -> None:
        """Handles the command that opens all in a tree."""

    def show_only(self) -> None:
        """Handles the command that folds siblings in a tree."""

    def zoom_in(self) -> bool:
        """Shows a smaller part, enlarged. False: impossible."""
        return False

    def zoom_out(self) -> bool:
        """Returns to the previous zoom. False: everything is shown."""
        return False

    @property
    def margin(self) -> int | None:
        """Cells left of the horizontal axis; None: the picture has none."""
        return None

    def show_range(self, start: float, stop: float) -> None:
        """Enlarges the part between two shares, 0 to 1, of the visible axis."""


def picture_of(shape: Shape) -> type[Picture] | None:
    """The class of pictures for a shape; None: it is shown as rows."""
    place = PICTURES.get(shape)
    if place is None:
        return None
    found: type[Picture] = named(place)
    return found
