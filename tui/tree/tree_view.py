"""The tree on the screen: rows of an outline, drawn a line at a time, and a cursor.

Only rows on the screen are fetched and drawn; drawn lines are cached until they may have changed. The widget stores
position (top row, cursor, folds) and no data of the report.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import ClassVar, Protocol

from rich.segment import Segment
from textual import events
from textual.binding import BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.strip import Strip

from parsers.model.report import Column, Row, View
from tui.screen.line_widget import SelectableRows
from tui.screen.sanitise import safe
from tui.screen.theme import Ground
from tui.tree.column_text import column_text
from tui.tree.indentation import Indentation, fitting
from tui.tree.label import BRIEF, MOST_CHARACTERS, PLAIN, SHORT, without_parent_type
from tui.tree.piece import Piece, segments, width_of
from tui.tree.row_text import LEAST_LABEL, RowLayout, RowState, fitting_columns, kind_sign, plain_row, row_segments
from tui.tree.scroll_strip import ScrollStrip
from tui.tree.tree_cursor import TreeCursor
from tui.tree.tree_rows import drop_oldest

KEPT_LINES = 1024
"""Maximum number of cached drawn lines."""

AHEAD = 4
"""Lines drawn ahead at a time: about a millisecond, for which a key may have to wait."""

AHEAD_REST = 0.02
"""Seconds before drawing ahead begins: the frame of the pressed key has been sent by then."""

FAR = 3
"""Minimum rows of a movement after which the same movement is expected again."""


class HighlightPattern(Protocol):
    """A search pattern that is highlighted in labels."""

    def spans(self, text: str) -> Sequence[tuple[int, int]]:
        """Matches in a text as characters, half open, ascending."""
        ...


class TreeView(TreeCursor, SelectableRows, can_focus=True, inherit_bindings=False):
    """A tree of any size. Commands call its methods; each leaves the cursor on a shown row."""

    BINDINGS: ClassVar[list[BindingType]] = []
    DEFAULT_CSS = "TreeView { width: 1fr; height: 1fr; }"

    class Activated(Message):
        """Posted when a row was double clicked, which is equivalent to Enter."""

        def __init__(self, node: int) -> None:
            super().__init__()
            self.node = node

    def __init__(self, id: str | None = None) -> None:
        TreeCursor.__init__(self)
        SelectableRows.__init__(self, id=id)
        self.short_names: bool | None = None
        """True: always short names. False: never. None: if the window is narrow."""
        self.when_redrawn: Callable[[], object] = lambda: None
        """Called when the columns may have changed."""
        self.when_moved: Callable[[], object] = lambda: None
        """Called when the cursor is on another node, or the rows around it have changed."""
        self.show_numbers = False
        """True if each row begins with its number in the document."""
        self._columns: tuple[str, ...] | None = None
        self._drags_strip = False
        self.left = 0
        """Cells by which names are scrolled sideways."""
        self.scroll_strip = ScrollStrip()
        self.marks_of: Callable[[int], str] = lambda node: ""
        """Returns the one character before a node that the user marked."""
        self._pattern: HighlightPattern | None = None
        self.filter_pattern: HighlightPattern | None = None
        """The pattern of the filter that made the selection; its matches are highlighted unless a search is."""
        self._current_match: int | None = None
        self._depths: tuple[int, int] | None = None
        """Minimum and maximum depth on the screen, once requested."""
        self._lines: dict[tuple[int, RowState, Indentation], tuple[Row, list[Segment]]] = {}
        """Cached drawn lines, valid while the row is the same."""
        self._lines_layout: RowLayout | None = None
        """Layout of the cached lines, except the indentation."""
        self._ahead: Iterator[None] | None = None
        """The drawing of the expected next page, if the same keys are repeated."""
        self._place: tuple[tuple[float, float], int] | None = None
        self._layout: RowLayout | None = None

    # -- what is shown ------------------------------------------------------------------------------------------------

    def scroll_sideways(self, cells: int) -> None:
        """Scrolls names; columns stay."""
        self._set_left(self.left + cells)

    def scroll_to_end(self) -> None:
        """Scrolls names to the end of the longest row on the screen, or back."""
        if self.left:
            self._set_left(0)
            return
        layout = self._ready_layout()
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

    def set_highlight(self, pattern: HighlightPattern | None, current: int | None = None) -> None:
        """Highlights the matches of a pattern; those in the node `current` are emphasised.

        Drawn lines are cached with their matches, so unchanged lines are not drawn again.
        """
        self._pattern, self._current_match = pattern, current
        self.reshow()

    def set_marks(self, marks: Mapping[str, Callable[[int], Iterable[int]] | Sequence[int]]) -> None:
        """Sets the marks of the strip at the right edge: by kind ("match", "mark", "problem") nodes of the document, or
        a function that returns which of n equal pieces of the document contain one."""
        self.scroll_strip.set_marks(marks)
        self.refresh()

    def activate(self) -> None:
        """Handles Enter."""
        node = self.cursor_node
        if node is not None:
            self.post_message(self.Activated(node))

    @property
    def picture_heading(self) -> str:
        """Description of the axes of a picture; empty: rows are shown."""
        return ""

    # -- changes ------------------------------------------------------------------------------------------------------

    def redraw(self) -> None:
        """Redraws everything: rows, names, widths, colours or marks have changed."""
        self._lines.clear()
        self._layout = None
        self._forget_screen()
        self.refresh()
        self.when_redrawn()

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

    def followed(self) -> None:
        """Reports the position of the cursor."""
        self.when_moved()

    def _forget_screen(self) -> None:
        super()._forget_screen()
        self._place = self._depths = self._ahead = None

    def _refresh_row(self, row: int) -> None:
        self.refresh(Region(0, row - self.viewport.top, self.size.width, 1))

    # -- drawing ------------------------------------------------------------------------------------------------------

    def render_line(self, y: int) -> Strip:
        """Renders one line of the screen."""
        layout = self._ready_layout()
        sticky = self.sticky_nodes()
        nodes = self.nodes_shown()
        if y < len(sticky):
            line = self._line(sticky[y], False, True, layout)
        elif y < len(nodes):
            line = self._line(nodes[y], self._is_marked(y), False, layout)
        else:
            line = self._empty_line(y, layout)
        place, rows = self._document_place()
        edge = self.scroll_strip.cell(y, place, self.viewport.height, rows, self.palette, layout.is_ascii)
        is_cursor = self._is_marked(y) and self.viewport.rows
        ground: Ground = "page" if not is_cursor else "cursor" if self.has_focus else "idle cursor"
        gap = Segment(" ", self.palette.ground(ground))
        return Strip([*line, gap, edge], layout.width + 2).crop(0, self.size.width)

    def _is_marked(self, y: int) -> bool:
        """True for the line of the cursor, and for those selected by the mouse."""
        return y == self.viewport.screen_row or self.viewport.top + y in self.selected

    def _line(self, node: int, is_cursor: bool, is_sticky: bool, layout: RowLayout) -> list[Segment]:
        row = self.row(node)
        state = self._state(node, row, is_cursor, is_sticky)
        key = node, state, layout.indentation
        kept = self._lines.get(key)
        if kept is None or kept[0] is not row:
            drop_oldest(self._lines, KEPT_LINES)
            assert self.report is not None
            kind = self.report.kinds.get(row.look or row.kind)
            shown, state = self._without_parent_type(node, row, state)
            kept = self._lines[key] = row, row_segments(shown, kind, state, layout, self.palette)
        return kept[1]

    def _without_parent_type(self, node: int, row: Row, state: RowState) -> tuple[Row, RowState]:
        """The row without the type that its parent shows already, unless a match is in it."""
        parent = self.outline.parent(node) if self.outline is not None and row.spans else None
        if parent is None:
            return row, state
        shown, removed = without_parent_type(row, self.row(parent), bool(state.remark))
        if not removed or any(start < removed for start, _ in state.matches):
            return row, state
        matches = tuple((start - removed, end - removed) for start, end in state.matches)
        return shown, replace(state, matches=matches)

    def _draw_ahead(self, page: Iterator[None]) -> None:
        """Draws further lines of the expected next page, unless other work is pending."""
        if page is self._ahead and self.is_attached and next(page, self) is None:
            # Through the event loop: a widget handles all its own messages before other widgets get a turn.
            asyncio.get_running_loop().call_soon(self.call_later, self._draw_ahead, page)

    def _draw_page(self, direction: int) -> Iterator[None]:
        """Draws the lines of the next page, a few at a time."""
        viewport = replace(self.viewport)
        viewport.page(direction)
        if self.outline is None or viewport.top == self.viewport.top:
            return
        nodes, sticky = list(self.outline.nodes(viewport.top, viewport.height)), self._sticky_at(viewport.top)
        depths = [self.depth(node) for node in nodes]
        layout = self._ready_layout()
        shape = self._fitting(min(depths), max(depths), depths[min(viewport.screen_row, len(nodes) - 1)], layout)
        layout = replace(layout, indentation=shape)
        for y, node in enumerate(nodes):
            if y % AHEAD == 0:
                yield
            is_sticky = y < len(sticky)
            self._line(sticky[y] if is_sticky else node, y == viewport.screen_row, is_sticky, layout)

    def _state(self, node: int, row: Row, is_cursor: bool, is_sticky: bool) -> RowState:
        assert self.outline is not None
        fold = " "
        if self.outline.has_children(node):
            fold = "-" if self.outline.is_open(node) else "+"
        elif row.has_children:
            fold = "+"
        pattern = self._pattern or (self.filter_pattern if self.selection is not None else None)
        matches = tuple(pattern.spans(safe(row.label[:MOST_CHARACTERS]))) if pattern is not None else ()
        return RowState(
            depth=self.depth(node),
            fold=fold,
            is_cursor=is_cursor,
            has_focus=self.has_focus,
            is_sticky=is_sticky,
            mark=self.marks_of(node)[:1],
            matches=matches,
            is_current_match=node == self._current_match,
            number=f"{self._number(node) + 1:,}" if self.show_numbers else "",
            remark=self._remark(row),
        )

    def _number(self, node: int) -> int:
        """The row's number in the document; without a document, among the shown rows."""
        assert self.outline is not None and self.view is not None
        return node if self.view.tree.preorder is not None else self.outline.row_of(node) or 0

    def _remark(self, row: Row) -> str:
        """Remark of the view beside the label, and the values of columns that do not fit."""
        texts = [remark_of(self.view, row)]
        if self._layout is not None:
            left_out = (column for column in self._wanted_columns() if column not in self._layout.columns)
            texts += [column_text(row, column, self.is_ascii) for column in left_out if column.shows_text]
        return " · ".join(filter(None, texts))

    def _empty_line(self, y: int, layout: RowLayout) -> list[Segment]:
        text = ""
        if y == 0 and self.view is not None and not self.viewport.rows:
            is_complete = self.report is not None and self.report.is_complete
            text = "  no rows" if is_complete else "  … no rows yet"
            if not self.view.is_ready:
                text = f"  … {self.view.waits_for or 'this view needs the finished index'}"
        if self.view is not None and not self.viewport.rows and self.selection is None and self.view.is_ready:
            # Of several lines the first one is the reason, the others are advice.
            because = self.view.empty_because.split("\n")
            text = f"{text}: {safe(because[0])}" if because[0] and text == "  no rows" else text
            if 0 < y < len(because):
                text = f"  {safe(because[y])}"
        line = [Piece(text.ljust(layout.width)[: layout.width], "hint")]
        return segments(line, self.palette)

    def _ready_layout(self) -> RowLayout:
        """The layout for the widget's width, made when it is first needed."""
        if self._layout is None:
            width = max(1, self.size.width - 2)
            needed = max(LEAST_LABEL, self.view.label_width if self.view is not None else 0)
            columns = fitting_columns(self._wanted_columns(), width, (self.order or "").removeprefix("-"), needed)
            layout = RowLayout(
                width,
                columns,
                self._name_length(),
                self.left,
                is_ascii=self.is_ascii,
                number_width=self._number_width(),
            )
            if layout != self._lines_layout:
                self._lines.clear()
                self._lines_layout = layout
            self._layout = replace(layout, indentation=self._wanted_indentation(layout))
        return self._layout

    @property
    def layout_now(self) -> RowLayout:
        """Current widths and columns of rows."""
        return self._ready_layout()

    def show_columns(self, names: tuple[str, ...] | None) -> None:
        """Shows only the named columns (as far as they fit); None: all."""
        self._columns = names
        self.redraw()

    def _wanted_columns(self) -> tuple[Column, ...]:
        columns = self.view.columns if self.view is not None else ()
        return columns if self._columns is None else tuple(each for each in columns if each.name in self._columns)

    def _front_width(self) -> int:
        """Cells before the indentation, without those of the cursor and the mark."""
        width = self._number_width()
        return width + 1 if width else 0

    def _number_width(self) -> int:
        rows = self.viewport.rows
        if self.view is not None and self.view.tree.preorder is not None:
            rows = self.view.tree.preorder.rows
        return len(f"{rows:,}") if self.show_numbers else 0

    def _name_length(self) -> int:
        window = self.app.size.width
        if self.short_names is not None:
            return (SHORT if window >= 80 else BRIEF) if self.short_names else PLAIN
        return PLAIN if window >= 100 else SHORT if window >= 80 else BRIEF

    def _wanted_indentation(self, layout: RowLayout) -> Indentation:
        """Indentation that suits the rows on the screen and the cursor row."""
        nodes = self.nodes_shown()
        if not nodes:
            return Indentation()
        if self._depths is None:
            depths = [self.depth(node) for node in nodes]
            self._depths = min(depths), max(depths)
        cursor = self.depth(nodes[min(self.viewport.screen_row, len(nodes) - 1)])
        return self._fitting(*self._depths, cursor, layout)

    def _fitting(self, shallowest: int, deepest: int, cursor: int, layout: RowLayout) -> Indentation:
        return fitting(shallowest, deepest, cursor, layout.label_width - self._front_width())

    def _reframe(self) -> bool:
        """Updates the indentation; True if it changed and everything must be redrawn."""
        layout = self._layout
        if layout is None or self._wanted_indentation(layout) == layout.indentation:
            return False
        self._layout = None
        return True

    def _document_place(self) -> tuple[tuple[float, float], int]:
        """The part of the document on the screen as fractions, and the number of its rows."""
        if self._place is None:
            self._place = self._new_document_place()
        return self._place

    def _new_document_place(self) -> tuple[tuple[float, float], int]:
        nodes, top = self.nodes_shown(), self.viewport.top
        if not nodes or self.view is None:
            return (0.0, 1.0), 0
        preorder = self.view.tree.preorder
        is_end = top + self.viewport.height >= self.viewport.rows
        if preorder is None or self.order is not None:
            rows, first, last = self.viewport.rows, top, top + len(nodes)
        else:
            rows, first, last = preorder.rows, nodes[0], nodes[-1] + 1
        return (first / rows if top else 0.0, 1.0 if is_end else last / rows), rows

    # -- events -------------------------------------------------------------------------------------------------------

    def on_resize(self, event: events.Resize) -> None:
        """Handles a new size of the widget."""
        self._forget_screen()
        self.viewport.resize(event.size.height)
        self.redraw()

    def notify_style_update(self) -> None:
        """Redraws in changed colours."""
        super().notify_style_update()
        self._lines.clear()

    def on_focus(self) -> None:
        """Draws the cursor row as focused."""
        self._refresh_row(self.viewport.cursor)

    def on_blur(self) -> None:
        """Draws the cursor row as not focused."""
        self._refresh_row(self.viewport.cursor)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Scrolls three rows; with Shift sideways."""
        self._wheel(event, 3)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Scrolls three rows; with Shift sideways."""
        self._wheel(event, -3)

    def _wheel(self, event: events.MouseEvent, rows: int) -> None:
        event.stop()
        if event.shift:
            self.scroll_sideways(4 * rows)
        else:
            self.scroll_by(rows)

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
        assert self.outline is not None and self.report is not None and self.view is not None
        nodes = list(self.outline.nodes(rows.start, len(rows)))
        least = min(map(self.depth, nodes), default=0)
        return [
            plain_row(row, self.depth(node) - least, kind_sign(self.report, row, self.is_ascii), self.view)
            for node, row in zip(nodes, map(self.row, nodes), strict=True)
        ]

    def _drag(self, y: int) -> None:
        """Goes to the position touched on the strip: the nearest shown row of that part of the document."""
        if self.outline is None or self.view is None:
            return
        fraction = max(0, min(y, self.size.height - 1)) / max(1, self.size.height - 1)
        preorder = self.view.tree.preorder
        if preorder is None or self.order is not None or self.selection is not None:
            self.move_to_row(int((self.viewport.rows - 1) * fraction))
            return
        node: int | None = int((preorder.rows - 1) * fraction)
        while node is not None and self.outline.row_of(node) is None:
            node = self.outline.parent(node)
        if node is not None:
            self._go_to(node)

    def on_click(self, event: events.Click) -> None:
        """Selects the row; a click on its fold sign folds it; a double click acts like Enter."""
        self.focus()
        if event.x >= self.size.width - 1 or self.outline is None or self.was_dragged:
            return
        sticky = self.sticky_nodes()
        if event.y < len(sticky):
            self._go_to(sticky[event.y])
            return
        if self.viewport.top + event.y >= self.viewport.rows:
            return
        self.move_to_row(self.viewport.top + event.y)
        node = self.cursor_node
        assert node is not None
        indent = self._ready_layout().indentation.cells(self.depth(node))
        marker = 2 + self._front_width() + indent - self.left
        if event.x in (marker, marker + 1):
            self.toggle()
        elif event.chain == 2:
            self.post_message(self.Activated(node))

    def get_content_width(self, container: Size, viewport: Size) -> int:
        """Returns the full available width."""
        return container.width

    def line_texts(self) -> list[str]:
        """The lines as text, for tests and yanking."""
        return [self.render_line(y).text for y in range(self.size.height)]


def remark_of(view: View | None, row: Row) -> str:
    """Remark of a view beside the label of a row; empty if the view has none."""
    return view.remark(row) if view is not None else ""
