"""The tree on the screen: rows of an outline, drawn a line at a time, and a cursor.

Only rows on the screen are fetched and drawn; drawn lines are cached until they may have changed. The widget stores
position (top row, cursor, folds) and no data of the report.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from textual import events
from textual.geometry import Region
from textual.strip import Strip

from tui.screen.line_widget import Pane
from tui.screen.sanitise import safe
from tui.tree.label import MOST_CHARACTERS
from tui.tree.piece import width_of
from tui.tree.row_text import RowLayout, kind_sign, plain_row
from tui.tree.tree_lines import Surface, TreeLines

if TYPE_CHECKING:
    from parsers.model.report import Report
    from parsers.model.view import View
    from parsers.query.search.pattern import Pattern

AHEAD = 4
"""Lines drawn ahead at a time: about a millisecond, for which a key may have to wait."""

AHEAD_REST = 0.02
"""Seconds before drawing ahead begins: the frame of the pressed key has been sent by then."""

FAR = 3
"""Minimum rows of a movement after which the same movement is expected again."""


class TreeView(TreeLines, Pane):
    """A tree of any size. Commands call its methods; each leaves the cursor on a shown row."""

    sideways = 4

    def __init__(self, report: Report, view: View, id: str | None = None) -> None:
        TreeLines.__init__(self, report, view)
        self._surface: Surface | None = None
        Pane.__init__(self, id=id)
        self.when_redrawn: Callable[[], object] = lambda: None
        """Called when the columns may have changed."""
        self._drags_strip = False
        self._ahead: Iterator[None] | None = None
        """The drawing of the expected next page, if the same keys are repeated."""

    # -- what is shown ------------------------------------------------------------------------------------------------

    def scroll_sideways(self, cells: int) -> None:
        """Scrolls names; columns stay."""
        self._set_left(self.left + cells)

    def scroll_to_end(self) -> None:
        """Scrolls names to the end of the longest row on the screen, or back."""
        if self.left:
            self._set_left(0)
            return
        layout = self.layout_now
        widest = max((self._line_width(node, layout) for node in self.nodes_shown()), default=0)
        self._set_left(widest - layout.label_width)

    def _set_left(self, left: int) -> None:
        self.left = max(0, left)
        self.redraw()

    def _line_width(self, node: int, layout: RowLayout) -> int:
        label = self.row(node).label[:MOST_CHARACTERS]
        indent = layout.indentation.cells(self.depth(node))
        return indent + 6 + width_of(safe(label))

    # -- highlights ---------------------------------------------------------------------------------------------------

    def set_highlight(self, pattern: Pattern | None, current: int | None = None) -> None:
        """Highlights the matches of a pattern; those in the node `current` are emphasised.

        Drawn lines are cached with their matches, so unchanged lines are not drawn again.
        """
        self.pattern, self.current_match = pattern, current
        self.reshow()

    def set_marks(self, marks: Mapping[str, Callable[[int], Iterable[int]] | Sequence[int]]) -> None:
        """Sets the marks of the strip at the right edge: by kind ("match", "mark", "problem") nodes of the document, or
        a function that returns which of n equal pieces of the document contain one."""
        self.scroll_strip.set_marks(marks)
        self.refresh()

    # -- changes ------------------------------------------------------------------------------------------------------

    def redraw(self) -> None:
        """Redraws everything: rows, names, widths, colours or marks have changed."""
        self._lines.clear()
        self.reshow()

    def reshow(self) -> None:
        """Shows other rows; cached lines stay valid."""
        self._layout = None
        self._forget_screen()
        self.refresh()
        self.when_redrawn()

    def moved(self, old_cursor: int, old_top: int) -> None:
        """Redraws only the lines that differ."""
        if self._reframe() or self.viewport.top != old_top:
            self.refresh()
            if abs(self.viewport.top - old_top) > FAR:
                self._ahead = self._draw_page(1 if self.viewport.top > old_top else -1)
                self.set_timer(AHEAD_REST, partial(self._draw_ahead, self._ahead))
        else:
            self._refresh_row(old_cursor)
            self._refresh_row(self.viewport.cursor)

    def cursor_changed(self) -> None:
        """Reports the position of the cursor."""
        self.when_moved()

    def _refresh_row(self, row: int) -> None:
        self.refresh(Region(0, row - self.viewport.top, self.size.width, 1))

    # -- drawing ------------------------------------------------------------------------------------------------------

    def surface(self) -> Surface:
        """The widget as it is now; kept until it is refreshed, because a page asks for it a hundred times."""
        if self._surface is None:
            width, window = self.size.width, self.app.size.width
            self._surface = Surface(width, window, self.palette, self.is_ascii, self.has_focus)
        return self._surface

    def refresh(
        self, *regions: Region, repaint: bool = True, layout: bool = False, recompose: bool = False
    ) -> TreeView:
        """Marks the lines of the regions for drawing again; without regions all lines."""
        self._surface = None
        super().refresh(*regions, repaint=repaint, layout=layout, recompose=recompose)
        return self

    def render_line(self, y: int) -> Strip:
        """Renders one line of the screen."""
        line = self.draw_line(y)
        return Strip(line, self.layout_now.width + 2).crop(0, self.size.width)

    def _is_marked(self, y: int) -> bool:
        """True for the line of the cursor, and for those selected by the mouse."""
        return super()._is_marked(y) or self.viewport.top + y in self.selected

    def _forget_screen(self) -> None:
        super()._forget_screen()
        self._ahead = None

    def _draw_ahead(self, page: Iterator[None]) -> None:
        """Draws further lines of the expected next page, unless other work is pending."""
        if page is self._ahead and self.is_attached and next(page, self) is None:
            # Through the event loop: a widget handles all its own messages before other widgets get a turn.
            asyncio.get_running_loop().call_soon(self.call_later, self._draw_ahead, page)

    def _draw_page(self, direction: int) -> Iterator[None]:
        """Draws the lines of the next page, a few at a time."""
        viewport = replace(self.viewport)
        viewport.page(direction)
        if viewport.top == self.viewport.top:
            return
        nodes, sticky = list(self.outline.nodes(viewport.top, viewport.height)), self._sticky_at(viewport.top)
        depths = [self.depth(node) for node in nodes]
        layout = self.layout_now
        shape = self._fitting(min(depths), max(depths), depths[min(viewport.screen_row, len(nodes) - 1)], layout)
        layout = replace(layout, indentation=shape)
        for y, node in enumerate(nodes):
            if y % AHEAD == 0:
                yield
            is_sticky = y < len(sticky)
            self._line(sticky[y] if is_sticky else node, y == viewport.screen_row, is_sticky, layout)

    def show_columns(self, names: tuple[str, ...] | None) -> None:
        """Shows only the named columns (as far as they fit); None: all."""
        self._columns = names
        self.redraw()

    def _reframe(self) -> bool:
        """Updates the indentation; True if it changed and everything must be redrawn."""
        layout = self._layout
        if layout is None or self._wanted_indentation(layout) == layout.indentation:
            return False
        self._layout = None
        return True

    # -- events -------------------------------------------------------------------------------------------------------

    def on_resize(self, event: events.Resize) -> None:
        """Handles a new size of the widget."""
        self._forget_screen()
        self.viewport.resize(event.size.height)
        self.redraw()

    def notify_style_update(self) -> None:
        """Redraws in changed colours."""
        super().notify_style_update()
        self._surface = None
        self._lines.clear()

    def on_focus(self) -> None:
        """Draws the cursor row as focused or not."""
        self._refresh_row(self.viewport.cursor)

    on_blur = on_focus

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Begins to drag the strip at the right edge."""
        if event.x >= self.size.width - 1:
            event.prevent_default()
            self._pressed, self._drags_strip = None, True
            self.capture_mouse()
            self._drag(event.y)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Drags the strip at the right edge."""
        if self._drags_strip:
            self._drag(event.y)

    def on_mouse_up(self, event: events.MouseUp) -> None:
        """Ends dragging the strip."""
        self._drags_strip = False

    def row_at(self, y: int) -> int | None:
        """The row in a line of the widget; in the lines of ancestors on top the first row below them."""
        row = self.viewport.top + max(y, len(self.sticky_nodes()))
        return row if row < self.viewport.rows else None

    def row_texts(self, rows: range) -> list[str]:
        """Some rows with their signs and all columns, indented as on the screen."""
        nodes = list(self.outline.nodes(rows.start, len(rows)))
        least = min(map(self.depth, nodes), default=0)
        return [
            plain_row(row, self.depth(node) - least, kind_sign(self.report, row, self.is_ascii), self.view)
            for node, row in zip(nodes, map(self.row, nodes), strict=True)
        ]

    def _drag(self, y: int) -> None:
        """Goes to the position touched on the strip: the nearest shown row of that part of the document."""
        fraction = max(0, min(y, self.size.height - 1)) / max(1, self.size.height - 1)
        preorder = self.view.tree.preorder
        if preorder is None or self.order is not None or self.selection is not None:
            self.move_to_row(int((self.viewport.rows - 1) * fraction))
            return
        node: int | None = int((preorder.rows - 1) * fraction)
        while node is not None and self.outline.row_of(node) is None:
            node = self.outline.parent(node)
        if node is not None:
            self.go_to(node)

    def on_click(self, event: events.Click) -> None:
        """Selects the row; a click on its fold sign folds it; a double click acts like Enter."""
        self.focus()
        if event.x >= self.size.width - 1 or self.was_dragged:
            return
        sticky = self.sticky_nodes()
        if event.y < len(sticky):
            self.go_to(sticky[event.y])
            return
        if self.viewport.top + event.y >= self.viewport.rows:
            return
        self.move_to_row(self.viewport.top + event.y)
        node = self.cursor_node
        assert node is not None
        indent = self.layout_now.indentation.cells(self.depth(node))
        marker = 2 + self._front_width() + indent - self.left
        if event.x in (marker, marker + 1):
            self.toggle()
        elif event.chain == 2:
            self.post_message(self.Entered(self))
