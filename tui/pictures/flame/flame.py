"""The picture of a view of shape "flame": boxes whose width is the weight of their node.

The drawn boxes depend on the base node of the picture, which follows the cursor.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, cast

from rich.segment import Segment
from textual.strip import Strip

from tui.pictures.flame.icicle import REST, Box, FlameWidths, Icicle
from tui.pictures.flame.look import box_style, box_text, rest_text
from tui.pictures.picture import Picture
from tui.screen.sanitise import safe
from tui.tree.column_text import column_text, titled

if TYPE_CHECKING:
    from parsers.profile.views.call_views import CallView
    from tui.pictures.picture_view import PictureView

ENOUGH = 6
"""Cells of the cursor's box when the picture moves to show it."""


class Flame(Picture):
    """Boxes in levels one below the other, the root at the top."""

    keys = (
        ("down", "", "Down to the widest child."),
        ("up", "", "Up to the parent."),
        ("right", "", "The next box of this level."),
        ("left", "", "The previous box of this level."),
        ("follow-link", "", "Follow the link of this box; without a link zoom as Space does."),
        ("toggle", "", "Zoom: make this box as wide as the pane, or zoom out again."),
        ("larger", "", "Zoom in: make this box as wide as the pane."),
        ("smaller", "zoom out", "Zoom out, to the box that was as wide as the pane before."),
        ("back", "", "Zoom out; everything is shown: back to the position before the last jump."),
        ("page-down", "", "Down by as many levels as there are lines."),
        ("page-up", "", "Up by as many levels as there are lines."),
    )

    def __init__(self, pane: PictureView) -> None:
        super().__init__(pane)
        self._base: int | None = None
        """The base node, which is as wide as the pane; None: all roots together."""
        self._bases: list[int | None] = []
        """Earlier base nodes, for zooming out."""
        self._top_level = 0
        self._icicle: Icicle | None = None

    @property
    def heading(self) -> str:
        """The weight that widths show."""
        total = next((column for column in self.view.columns if column.name == "total"), None)
        return f"width: {titled(total)}" if total is not None else ""

    @property
    def view(self) -> CallView:
        """The drawn view."""
        return cast("CallView", self.pane.view)

    # -- the picture --------------------------------------------------------------------------------------------------

    @property
    def icicle(self) -> Icicle:
        """The boxes for the present width."""
        cells = max(1, self.pane.size.width)
        if self._icicle is None or self._icicle.cells != cells or self._icicle.base != self._base:
            tree = self.pane.view.tree
            if self.pane.selection is not None:
                from parsers.views.selected_view import SelectedView

                tree = SelectedView(self.pane.view, self.pane.selection).tree
            self._icicle = Icicle(FlameWidths(self.view, tree), self._base, cells)
        return self._icicle

    def forget(self) -> None:
        """Forgets cached boxes."""
        self._icicle = None

    def restore_position(self, places: Callable[[int], int | None]) -> None:
        """Maps the base node to another opening of the report."""
        self._icicle = None
        self._base, *self._bases = [None if node is None else places(node) for node in (self._base, *self._bases)]

    def zoom(self, node: int | None) -> None:
        """Makes a node the base, as wide as the pane."""
        if node != self._base:
            self._bases.append(self._base)
            self._set_base(node)

    def zoom_out(self) -> bool:
        """Returns to the previous base."""
        if not self._bases:
            return False
        self._set_base(self._bases.pop())
        return True

    def _set_base(self, node: int | None) -> None:
        self._base, self._top_level = node, 0
        self.scroll_to_cursor()
        self.pane.refresh()

    def _level_of(self, node: int) -> int:
        """The level of a node, from the top of the picture; negative: above it."""
        base = 0 if self._base is None else self.pane.depth(self._base) - self.icicle.above
        return self.pane.depth(node) - base

    def scroll_to_cursor(self) -> None:
        """Moves the picture until the cursor's box is in it and on the screen."""
        node = self.pane.cursor_node
        if node is None or not self.pane.size.width:
            return
        if self._box(node) is None:
            self._base = self._base_for(node)
        level, height = self._level_of(node), max(1, self.pane.size.height)
        if level < self._top_level:
            self._top_level = max(0, level)
        elif level >= self._top_level + height:
            self._top_level = level - height + 1

    def _box(self, node: int) -> Box | None:
        level = self._level_of(node)
        return self.icicle.box_of(node, level) if level >= 0 else None

    def _base_for(self, node: int) -> int | None:
        """The topmost base node with which a picture shows this node well."""
        widths = FlameWidths(self.view, self.view.tree)
        wanted = widths.width(node) * self.pane.size.width / ENOUGH
        best: int | None = node
        above = widths.parent(node)
        while above is not None and widths.width(above) <= wanted:
            best, above = above, widths.parent(above)
        return None if above is None and widths.whole() <= wanted else best

    # -- drawing ------------------------------------------------------------------------------------------------------

    def line(self, y: int) -> Strip:
        """Renders the boxes of a level."""
        width = self.pane.size.width
        blank = self.pane.palette.ground("page")
        line: list[Segment] = []
        at = 0
        level = self._top_level + y
        for place, box in enumerate(self.icicle.level(level)):
            if box.start > at:
                line.append(Segment(" " * (box.start - at), blank))
            if box.stop > max(at, box.start):
                line.append(self._segment(box._replace(start=max(at, box.start)), (place + level) % 2))
                at = box.stop
        line.append(Segment(" " * (width - at), blank))
        return Strip(line).crop(0, width)

    def _segment(self, box: Box, tone: int) -> Segment:
        pane, palette, width = self.pane, self.pane.palette, box.stop - box.start
        if box.node == REST:
            number = f"{self.view.percent(self.icicle.width_of(box)):.1f} %"
            return Segment(rest_text(width, number, palette, pane.is_ascii), palette.style("quiet"))
        row = pane.row(box.node)
        style = box_style(row, palette, tone)
        if box.node == pane.cursor_node:
            style = palette.style("strong", "cursor" if pane.has_focus else "idle cursor")
        elif pane.pattern is not None and pane.pattern.spans(safe(row.label)):
            style = palette.style("current-match" if box.node == pane.current_match else "match")
        number = next((column_text(row, column) for column in self.view.columns if column.bar), "")
        return Segment(box_text(row, width, number, palette, pane.is_ascii), style)

    def node_at(self, x: int, y: int) -> int | None:
        """The node of the box at a cell."""
        box = self.icicle.at(x, self._top_level + y)
        return None if box is None or box.node == REST else box.node

    # -- moving -------------------------------------------------------------------------------------------------------

    def step(self, rows: int) -> None:
        """Goes down to the widest child, or up to the parent."""
        node = self.pane.cursor_node
        for _ in range(min(abs(rows), 10_000)):
            following = None if node is None else self._below(node) if rows > 0 else self.view.tree.parent(node)
            if following is None:
                break
            node = following
        if node is not None:
            self.pane.go_to(node)

    def _below(self, node: int) -> int | None:
        return next(iter(FlameWidths(self.view, self.view.tree).children(node)), None)

    def move_sideways(self, step: int) -> bool:
        """Goes to another box of the level; False: there is none."""
        node = self.pane.cursor_node
        if node is None:
            return False
        boxes = [box for box in self.icicle.level(self._level_of(node)) if box.node != REST]
        at = next((place for place, box in enumerate(boxes) if box.node == node), None)
        if at is None or not 0 <= at + step < len(boxes):
            return False
        self.pane.go_to(boxes[at + step].node)
        return True

    def page(self, share: float) -> None:
        """Moves by as many levels as there are lines."""
        self.step(round(share * max(1, self.pane.size.height - 1)))

    # -- what is shown ------------------------------------------------------------------------------------------------

    def zoom_in(self) -> bool:
        """Makes the box under the cursor as wide as the pane."""
        node = self.pane.cursor_node
        if node is None or node == self._base:
            return False
        self.zoom(node)
        return True

    def toggle(self) -> None:
        """Zooms: makes the box under the cursor as wide as the pane, or restores the previous picture."""
        if not self.zoom_in():
            self.zoom_out()

    def enter(self) -> None:
        """Zooms."""
        self.toggle()
