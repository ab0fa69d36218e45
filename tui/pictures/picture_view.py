"""A tree widget that draws a picture if the shape of its view has one: same cursor, search, marks, jumps.

All nodes count as shown, so that everything that goes to a node finds it. The picture decides which of them are drawn,
following the cursor.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

from rich.style import Style
from textual import events
from textual.geometry import Offset
from textual.strip import Strip

from parsers.model.report import Report
from parsers.model.view import View
from tui.pictures.picture import Picture, picture_of
from tui.tree.tree_rows import Places
from tui.tree.tree_view import TreeView
from tui.tree.viewport import Place

if TYPE_CHECKING:
    from parsers.query.selection.selection import Selection


SELECTED = Style(reverse=True)
"""Style of the cells over which the mouse is dragged."""


Arguments = ParamSpec("Arguments")
Answer = TypeVar("Answer")


def drawn(
    of_rows: Callable[Concatenate[TreeView, Arguments], Answer],
    of_picture: Callable[Concatenate[Picture, Arguments], Answer],
) -> Callable[Concatenate[PictureView, Arguments], Answer]:
    """A method of the pane: that of rows, or what a picture does instead."""

    @wraps(of_rows)
    def method(pane: PictureView, /, *given: Arguments.args, **named: Arguments.kwargs) -> Answer:
        if pane.picture is None:
            return of_rows(pane, *given, **named)
        return of_picture(pane.picture, *given, **named)

    return method


class PictureView(TreeView):
    """A `TreeView` that delegates lines and movements to a picture if there is one."""

    def __init__(self, report: Report, view: View, id: str | None = None) -> None:
        super().__init__(report, view, id=id)
        self.picture: Picture | None = None
        """The picture of the view; None: rows."""
        self._held: tuple[Offset, Offset] | None = None
        """Cells of the picture where the button was pressed and where the mouse is, while it is held."""

    def show(
        self, report: Report, view: View, selection: Selection | None = None, order: str | None = None,
        keeps_folds: bool = False,
    ) -> None:  # fmt: skip
        """Shows a view from its start; a picture has only one order, and all rows open."""
        kind = picture_of(view.shape)
        before = self.picture
        is_same = before is not None and type(before) is kind and self.view.name == view.name
        if not is_same or before is None or not before.keeps_position:
            self.picture = None if kind is None else kind(self)
        super().show(report, view, selection, order if kind is None else None, keeps_folds and kind is None)
        if kind is not None and selection is None:
            self.outline.open_all()
            self.viewport.set_rows(len(self.outline))
            self.redraw()
            self.cursor_changed()

    def restore_position(self, report: Report, view: View, places: Places) -> None:
        """Shows another opening of the report at the same position."""
        if self.picture is not None and picture_of(view.shape) is type(self.picture):
            is_at_end = self.picture.sticks_to_end
            self.picture.restore_position(places)
            super().restore_position(report, view, places)
            if is_at_end:
                self.to_end()
        elif self.picture is None and picture_of(view.shape) is None:
            super().restore_position(report, view, places)
        else:
            self.show(report, view)

    @property
    def picture_heading(self) -> str:
        """Description of the axes of the picture; empty: rows are shown."""
        return "" if self.picture is None else self.picture.heading

    def to_end(self) -> None:
        """Goes to the newest data: the last row, or the end of a picture."""
        if self.picture is None:
            self.move_to_row(-1)
        else:
            self.picture.to_end()

    def jump(self, node: int, place: Place | None = None) -> bool:
        """Also acts if the cursor is on the node already: a link may lead to another moment of it."""
        is_there, has_moved = node == self.cursor_node, super().jump(node, place)
        if is_there and self.picture is not None:
            self.picture.scroll_to_cursor()
            self.refresh()
            self.cursor_changed()
        return has_moved

    # -- drawing ------------------------------------------------------------------------------------------------------

    def reshow(self) -> None:
        """Shows other rows."""
        if self.picture is not None:
            self.picture.forget()
            self.picture.scroll_to_cursor()
        super().reshow()

    def moved(self, old_cursor: int, old_top: int) -> None:
        """Redraws all lines, as any may differ with another cursor node."""
        if self.picture is not None:
            self.picture.scroll_to_cursor()
            self.refresh()
        else:
            super().moved(old_cursor, old_top)

    def render_line(self, y: int) -> Strip:
        """Renders one line of the screen."""
        if self.picture is None or not self.viewport.rows:
            return super().render_line(y)
        strip = self.picture.line(y)
        if self._held is None or self._held[0] == self._held[1]:
            return strip
        columns, rows = self._dragged
        if y not in rows:
            return strip
        parts = strip.crop(0, columns.start), strip.crop(columns.start, columns.stop), strip.crop(columns.stop)
        return Strip.join([parts[0], parts[1].apply_style(SELECTED), parts[2]])

    # -- moving -------------------------------------------------------------------------------------------------------

    move_by = drawn(TreeView.move_by, lambda picture, rows: picture.step(rows))
    open_or_child = drawn(TreeView.open_or_child, lambda picture: picture.move_sideways(1))
    fold_or_parent = drawn(TreeView.fold_or_parent, lambda picture: picture.move_sideways(-1))
    to_sibling = drawn(TreeView.to_sibling, lambda picture, step: picture.sibling(step))
    page = drawn(TreeView.page, lambda picture, count: picture.page(count))
    scroll_by = drawn(TreeView.scroll_by, lambda picture, rows: picture.scroll(rows))
    scroll_sideways = drawn(TreeView.scroll_sideways, lambda picture, cells: picture.pan(cells))
    scroll_to_end = drawn(TreeView.scroll_to_end, lambda picture: picture.pan_to_end())

    def half_page(self, direction: int, rows: int | None = None) -> None:
        """Moves by half the size."""
        if self.picture is None:
            super().half_page(direction, rows)
        elif rows is not None:
            self.picture.step(direction * rows)
        else:
            self.picture.page(direction / 2)

    # -- what is shown ------------------------------------------------------------------------------------------------

    def zoom_in(self) -> bool:
        """Shows a smaller part of a picture, enlarged. False: impossible, or not a picture."""
        return self.picture is not None and self.picture.zoom_in()

    def zoom_out(self) -> bool:
        """Returns to the previous zoom of a picture. False: everything is shown, or not a picture."""
        return self.picture is not None and self.picture.zoom_out()

    enter = drawn(TreeView.enter, lambda picture: picture.enter())
    toggle = drawn(TreeView.toggle, lambda picture: picture.toggle())
    open_siblings = drawn(TreeView.open_siblings, lambda picture: picture.show_all())
    fold_siblings = drawn(TreeView.fold_siblings, lambda picture: picture.show_only())

    def _fold(self, change: Callable[[int], int | None], node: int) -> int | None:
        """Does nothing in a picture."""
        return super()._fold(change, node) if self.picture is None else None

    # -- mouse --------------------------------------------------------------------------------------------------------

    @property
    def _dragged(self) -> tuple[range, range]:
        """Columns and lines over which the mouse was dragged.

        Sideways over an axis it selects columns in all lines, otherwise whole lines.
        """
        assert self._held is not None and self.picture is not None
        (x, y), (to_x, to_y) = self._held
        width, height = self.size
        margin, last = self.picture.margin, max(x, to_x)
        if margin is not None and last >= margin and abs(to_x - x) > abs(to_y - y):
            return range(max(margin, min(x, to_x)), last + 1), range(height)
        return range(width), range(min(y, to_y), max(y, to_y) + 1)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Begins to drag over a picture."""
        self._held = None
        if self.picture is not None:
            event.prevent_default()
            self.was_dragged = False
            if event.button == 1:
                self._held = (event.offset, event.offset)
                self.capture_mouse()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Shows what is dragged over."""
        if self._held is not None:
            here = event.offset.clamp(*self.size)
            self._held = self._held[0], here
            self.refresh()

    def on_mouse_up(self, event: events.MouseUp) -> None:
        """Enlarges the part of the axis over which the mouse was dragged; elsewhere copies the lines."""
        picture = self.picture
        if self._held is None or picture is None:
            return
        self.release_mouse()
        (columns, rows), margin = self._dragged, picture.margin
        self.was_dragged, self._held = self._held[0] != self._held[1], None
        if not self.was_dragged:
            return
        self.refresh()
        if len(rows) == self.size.height and margin is not None and columns.start >= margin:
            cells = self.size.width - margin
            picture.show_range((columns.start - margin) / cells, (columns.stop - margin) / cells)
        else:
            self.post_message(self.Selected([picture.line(y).text.rstrip() for y in rows]))

    def row_at(self, y: int) -> int | None:
        """The row in a line of the widget; None in a picture, whose lines are no rows."""
        return super().row_at(y) if self.picture is None else None

    def on_click(self, event: events.Click) -> None:
        """Goes to the clicked node; a double click acts like Enter."""
        if self.picture is None:
            # Textual calls the method of each class: that of the tree is next.
            return
        event.prevent_default()
        self.focus()
        if self.was_dragged:
            return
        node = self.picture.node_at(event.x, event.y)
        if node is not None:
            self.go_to(node)
            if event.chain == 2:
                self.enter()
