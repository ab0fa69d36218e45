"""The tree on the screen: rows of an outline, drawn a line at a time, and a cursor.

Only rows on the screen are ever fetched and drawn; what was drawn is kept until something of it may have changed. The
widget holds position (top row, cursor, folds) and nothing that the report has.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol

from textual import events
from textual.binding import BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from parsers.report import Report, Row, View
from tui import tree_move
from tui.lazy_outline import LazyOutline
from tui.outline import Outline, PreorderOutline
from tui.row_text import (
    INDENT,
    PLAIN,
    SHORT,
    SHORTEST,
    Layout,
    Piece,
    RowState,
    fitting_columns,
    row_segments,
    segments,
    width_of,
)
from tui.sanitise import safe
from tui.scroll_strip import ScrollStrip
from tui.selected_outline import SelectedOutline, Selection
from tui.theme import PALETTES, Palette
from tui.viewport import Place, Viewport

MOST_STICKY = 5
"""Ancestors that stay on top when they have scrolled out."""

KEPT_LINES = 1024
"""Drawn lines that are kept."""

FIRST_LIMIT = 4096
"""Rows that a first screen looks at while numpy is not loaded."""

MOST_UNDO = 200
"""Folds that can be undone."""


class Pattern(Protocol):
    """What is highlighted in labels."""

    def spans(self, text: str) -> Sequence[tuple[int, int]]:
        """The matches in a text as characters, half open, ascending."""
        ...


@dataclass(frozen=True, slots=True)
class Fold:
    """A state that undo goes back to."""

    outline: object
    cursor: int | None


class TreeView(Widget, can_focus=True, inherit_bindings=False):
    """A tree of any size. Commands call its methods; every method leaves the cursor on a shown row."""

    BINDINGS: ClassVar[list[BindingType]] = []
    DEFAULT_CSS = "TreeView { width: 1fr; height: 1fr; }"

    class CursorMoved(Message):
        """The cursor is on another node, or on the same one with other rows around it."""

        def __init__(self, node: int | None) -> None:
            super().__init__()
            self.node = node

    class Activated(Message):
        """A row was double clicked: as if Enter had been pressed on it."""

        def __init__(self, node: int) -> None:
            super().__init__()
            self.node = node

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self.report: Report | None = None
        self.view: View | None = None
        self.selection: Selection | None = None
        self.outline: Outline | None = None
        self.order: str | None = None
        self.short_names: bool | None = None
        """Short names always, never, or (None) where the window is narrow."""
        self.left = 0
        """Cells that names are scrolled sideways."""
        self.scroll_strip = ScrollStrip()
        self.viewport = Viewport(covered=self._covered)
        self.marks_of: Callable[[int], str] = lambda node: ""
        """The one character in front of a node that the user marked."""
        self._pattern: Pattern | None = None
        self._current_match: int | None = None
        self._wanted_depth: int | None = None
        self._undo: list[Fold] = []
        self._redo: list[Fold] = []
        self._rows: dict[int, Row] = {}
        self._lines: dict[tuple[int, bool, bool], Strip] = {}
        self._shown: tuple[int, list[int]] | None = None
        self._sticky: tuple[int, list[int]] | None = None
        self._place: tuple[tuple[float, float], int] | None = None
        self._layout: Layout | None = None
        self._outdent = 0

    # -- what is shown ------------------------------------------------------------------------------------------------

    def show(self, report: Report, view: View, selection: Selection | None = None, order: str | None = None) -> None:
        """Shows a view from its start, all of it or a selection of its rows."""
        self.report, self.view, self.selection, self.order = report, view, selection, order
        self.outline = self._new_outline(view, selection, order)
        self._undo.clear()
        self._redo.clear()
        self._wanted_depth = None
        self.left = 0
        self.viewport.top = self.viewport.cursor = 0
        self.viewport.set_rows(len(self.outline))
        self.redraw()
        self.post_message(self.CursorMoved(self.cursor_node))

    def _new_outline(self, view: View, selection: Selection | None, order: str | None) -> Outline:
        first = max(self.size.height, 0) or 50
        if selection is not None:
            inner = PreorderOutline(selection)
            inner.open_all()
            return SelectedOutline(selection, inner)
        preorder = view.tree.preorder
        if preorder is None or order is not None:
            return LazyOutline(view.tree, order)
        limit = FIRST_LIMIT if preorder.rows > FIRST_LIMIT and "numpy" not in sys.modules else None
        return PreorderOutline(preorder, first_rows=first, limit=limit)

    def lift_limit(self) -> None:
        """Counts the rows behind the first ones; called when numpy has been loaded beside the first screen."""
        if isinstance(self.outline, PreorderOutline) and self.outline.lift():
            self._changed()

    def progressed(self) -> None:
        """The report has followed its index: rows may have come, and numbers may have changed."""
        if self.outline is not None:
            self.outline.grow()
            self._rows.clear()
            self._changed()

    def row(self, node: int) -> Row:
        """What the line of a node shows; kept while it is on the screen."""
        kept = self._rows.get(node)
        if kept is None:
            assert self.view is not None
            if len(self._rows) > KEPT_LINES:
                self._rows.clear()
            kept = self._rows[node] = self.view.tree.row(node)
        return kept

    @property
    def cursor_node(self) -> int | None:
        """The node on the cursor row; None if there are no rows."""
        if self.outline is None or not self.viewport.rows:
            return None
        return self._nodes_shown()[self.viewport.screen_row]

    def place(self) -> tuple[View, int] | None:
        """View and node under the cursor."""
        node = self.cursor_node
        return None if node is None or self.view is None else (self.view, node)

    def row_at_cursor(self) -> Row | None:
        """The row under the cursor."""
        node = self.cursor_node
        return None if node is None else self.row(node)

    @property
    def cursor_row(self) -> int:
        """The cursor's place among the shown rows."""
        return self.viewport.cursor

    @property
    def row_count(self) -> int:
        """How many rows are shown."""
        return self.viewport.rows

    @property
    def palette(self) -> Palette:
        """The looks in use."""
        palette: Palette = getattr(self.app, "palette", PALETTES["dark"])
        return palette

    @property
    def is_ascii(self) -> bool:
        """Whether only ASCII signs are drawn."""
        return bool(getattr(self.app, "is_ascii", False))

    # -- moving -------------------------------------------------------------------------------------------------------

    def move_by(self, rows: int) -> None:
        """Moves the cursor down (negative: up)."""
        self._move(lambda viewport: viewport.move_by(rows))

    def move_to_row(self, row: int) -> None:
        """Puts the cursor on a shown row, from 0; -1 is the last."""
        self._move(lambda viewport: viewport.move_to(row if row >= 0 else viewport.rows + row))

    def page(self, count: int) -> None:
        """Moves by screens."""
        self._move(lambda viewport: viewport.page(count))

    def half_page(self, direction: int, rows: int | None = None) -> None:
        """Moves by half screens, or by `rows` from then on."""
        self._move(lambda viewport: viewport.half_page(direction, rows))

    def scroll_by(self, rows: int) -> None:
        """Scrolls; the cursor stays on its row while it can."""
        self._move(lambda viewport: viewport.scroll_by(rows))

    def place_cursor(self, place: Place) -> None:
        """Scrolls so that the cursor row is at the top, in the middle or at the bottom."""
        self._move(lambda viewport: viewport.place(place))

    def move_to_node(self, node: int) -> None:
        """Puts the cursor on a node, opening what is above it."""
        self.jump(node)

    def jump(self, node: int, place: Place | None = None) -> bool:
        """Puts the cursor on a node, opening what is above it. False: the node is not among what is shown."""
        if self.outline is None:
            return False
        row = self.outline.row_of(node)
        if row is None:
            before = self._fold_now()
            self.outline.reveal(node)
            row = self.outline.row_of(node)
            if row is None:
                return False
            self._remember(before)
            self._rows_changed()
        self._move(lambda viewport: viewport.jump_to(row))
        if place is not None:
            self.place_cursor(place)
        return True

    def to_parent(self, count: int = 1) -> None:
        """Goes to the node above, so many levels up."""
        for _ in range(count):
            self._go(lambda outline, node: outline.parent(node))

    def to_sibling(self, step: int) -> None:
        """Goes to the next or previous sibling; past the end to the parents' level, the wanted depth is remembered."""
        node = self.cursor_node
        if node is None or self.outline is None:
            return
        depth = self._wanted_depth if self._wanted_depth is not None else self.outline.depth(node)
        for _ in range(abs(step)):
            node = tree_move.sibling(self.outline, node, 1 if step > 0 else -1, depth)
        self._go_to(node)
        self._wanted_depth = depth

    def to_first_sibling(self) -> None:
        """Goes to the first child of the same parent."""
        self._go(lambda outline, node: outline.first_sibling(node))

    def to_last_sibling(self) -> None:
        """Goes to the last child of the same parent."""
        self._go(lambda outline, node: outline.last_sibling(node))

    def depth_change(self, step: int) -> None:
        """Goes to the next or previous row of another depth."""
        self._repeat(step, tree_move.depth_change)

    def block(self, step: int) -> None:
        """Goes to the next or previous root."""
        self._repeat(step, tree_move.block)

    def percent(self, percent: float) -> None:
        """Goes N percent into the document, opening what is above; into the shown rows where there is no document."""
        if self.outline is None or self.view is None:
            return
        preorder = self.selection or self.view.tree.preorder
        if preorder is None or self.order is not None:
            self.move_to_row(int(max(0, self.row_count - 1) * min(percent, 100) / 100))
        elif preorder.rows:
            position = min(preorder.rows - 1, int(preorder.rows * max(0.0, percent) / 100))
            self.jump(position if self.selection is None else self.selection.node_at(position))

    def scroll_sideways(self, cells: int) -> None:
        """Scrolls names; columns stay."""
        self._set_left(self.left + cells)

    def scroll_to_end(self) -> None:
        """Scrolls names to the end of the longest row on the screen, or back."""
        if self.left:
            self._set_left(0)
            return
        layout = self._ready_layout()
        widest = max((self._line_width(node, layout) for node in self._nodes_shown()), default=0)
        self._set_left(widest - layout.label_width)

    def _set_left(self, left: int) -> None:
        self.left = max(0, left)
        self.redraw()

    def _line_width(self, node: int, layout: Layout) -> int:
        label = self.row(node).label[:10_000]
        indent = INDENT * max(0, self._depth(node) - layout.outdent)
        return indent + 6 + width_of(safe(label))

    # -- folding ------------------------------------------------------------------------------------------------------

    def toggle(self) -> None:
        """Opens a closed node, closes an open one."""
        node = self.cursor_node
        if node is not None and self.outline is not None:
            self._fold(self.outline.close if self.outline.is_open(node) else self.outline.open, node)

    def open_or_child(self) -> bool:
        """Opens a closed node, else goes to the first child. False: there is nothing below."""
        node = self.cursor_node
        if node is None or self.outline is None or not self.outline.has_children(node):
            return False
        if self.outline.is_open(node):
            self.move_by(1)
        else:
            self._fold(self.outline.open, node)
        return True

    def fold_or_parent(self) -> bool:
        """Closes an open node, else goes to the parent. False: there is nothing above."""
        node = self.cursor_node
        if node is None or self.outline is None:
            return False
        if self.outline.is_open(node):
            self._fold(self.outline.close, node)
            return True
        self.to_parent()
        return self.outline.parent(node) is not None

    def open_siblings(self) -> None:
        """Opens the node and its siblings."""
        self._fold_cursor(lambda outline, node: outline.open_siblings(node))

    def fold_siblings(self) -> None:
        """Closes the node and its siblings."""
        self._fold_cursor(lambda outline, node: outline.close_siblings(node))

    def open_below(self) -> int | None:
        """Opens the siblings with everything below. Returns the limit if it had to stop at one."""
        return self._fold_cursor(lambda outline, node: outline.open_all(outline.parent(node)))

    def fold_below(self) -> None:
        """Closes the siblings and forgets what was open below."""

        def fold(outline: Outline, node: int) -> None:
            above = outline.parent(node)
            outline.close_all(above)
            if above is not None:
                outline.open(above)

        self._fold_cursor(fold)

    def fold_to(self, depth: int) -> int | None:
        """Shows just the nodes of at most this depth. Returns the limit if it had to stop at one."""
        return self._fold_cursor(lambda outline, node: outline.fold_to(depth))

    def open_all(self) -> int | None:
        """Shows all rows. Returns the limit if it had to stop at one."""
        return self._fold_cursor(lambda outline, node: outline.open_all())

    def open_chain(self) -> None:
        """Opens the node and its only child and so on, and goes to the first one with several children, or none."""
        before = self._fold_now()
        node = self.cursor_node
        if node is None or self.outline is None:
            return
        end = tree_move.chain_end(self.outline, node)
        self._remember(before)
        self._rows_changed()
        self._go_to(end)

    def undo(self) -> bool:
        """Takes the last fold back. False: there is none."""
        return self._swap(self._undo, self._redo)

    def redo(self) -> bool:
        """Does again what was taken back. False: there is nothing."""
        return self._swap(self._redo, self._undo)

    @property
    def fold_count(self) -> int:
        """How many folds can be undone."""
        return len(self._undo)

    def _swap(self, source: list[Fold], target: list[Fold]) -> bool:
        if self.outline is None or not source:
            return False
        fold = source.pop()
        target.append(self._fold_now())
        self.outline.restore(fold.outline)
        self._rows_changed()
        if fold.cursor is not None:
            self._go_to(fold.cursor)
        return True

    def _fold_cursor(self, change: Callable[[Outline, int], int | None]) -> int | None:
        node = self.cursor_node
        if node is None or self.outline is None:
            return None
        outline = self.outline
        return self._fold(lambda node: change(outline, node), node)

    def _fold(self, change: Callable[[int], int | None], node: int) -> int | None:
        """Changes what is open; the cursor stays on its line of the screen, with its node or what hides it now."""
        before = self._fold_now()
        limit = change(node)
        self._remember(before)
        self._rows_changed()
        return limit

    def _fold_now(self) -> Fold:
        assert self.outline is not None
        return Fold(self.outline.snapshot(), self.cursor_node)

    def _remember(self, fold: Fold) -> None:
        self._undo.append(fold)
        self._redo.clear()
        if len(self._undo) > MOST_UNDO:
            del self._undo[0]

    # -- highlights ---------------------------------------------------------------------------------------------------

    def set_highlight(self, pattern: Pattern | None, current: int | None = None) -> None:
        """Shows the matches of a pattern; `current` is the node whose matches stand out."""
        self._pattern, self._current_match = pattern, current
        self.redraw()

    def set_marks(self, marks: Mapping[str, Callable[[int], Iterable[int]] | Sequence[int]]) -> None:
        """What the strip at the right edge shows: by kind ("match", "mark", "problem") nodes of the document, or a
        function that says which of n equal pieces of the document hold one."""
        self.scroll_strip.set_marks(marks)
        self.refresh()

    def activate(self) -> None:
        """What Enter does in every pane."""
        node = self.cursor_node
        if node is not None:
            self.post_message(self.Activated(node))

    # -- changes ------------------------------------------------------------------------------------------------------

    def redraw(self) -> None:
        """Draws everything anew: names, widths, colours or marks are others."""
        self._lines.clear()
        self._layout = None
        self._forget_screen()
        self.refresh()

    def _forget_screen(self) -> None:
        """Other rows are on the screen now."""
        self._shown = self._sticky = self._place = None

    def _changed(self) -> None:
        """Rows came or numbers changed; what is shown stays where it is."""
        assert self.outline is not None
        node = self.cursor_node if self.viewport.rows else None
        screen_row = self.viewport.screen_row
        self._forget_screen()
        self._lines.clear()
        self.viewport.rows = len(self.outline)
        row = self.outline.row_of(node) if node is not None else None
        if row is not None:
            self.viewport.cursor = row
            self.viewport.top = row - screen_row
        self.viewport.settle()
        self._reframe()
        self.refresh()

    def _rows_changed(self) -> None:
        """Folds have changed: the cursor's node, or the nearest shown ancestor, stays on its line of the screen."""
        assert self.outline is not None
        node, screen_row = self.cursor_node, self.viewport.screen_row
        while node is not None and self.outline.row_of(node) is None:
            node = self.outline.parent(node)
        row = self.outline.row_of(node) if node is not None else 0
        self._forget_screen()
        self._lines.clear()
        self.viewport.rows = len(self.outline)
        self.viewport.cursor = row or 0
        self.viewport.top = (row or 0) - screen_row
        self.viewport.settle()
        self._wanted_depth = None
        self._reframe()
        self.refresh()
        self.post_message(self.CursorMoved(self.cursor_node))

    def _move(self, change: Callable[[Viewport], None]) -> None:
        """Moves cursor and top, and draws again just what is different."""
        if not self.viewport.rows:
            return
        old_cursor, old_top = self.viewport.cursor, self.viewport.top
        change(self.viewport)
        if self.viewport.cursor != old_cursor:
            self._wanted_depth = None
        if (self.viewport.cursor, self.viewport.top) == (old_cursor, old_top):
            return
        if self.viewport.top != old_top:
            self._forget_screen()
        if self._reframe() or self.viewport.top != old_top:
            self.refresh()
        else:
            self._refresh_row(old_cursor)
            self._refresh_row(self.viewport.cursor)
        self.post_message(self.CursorMoved(self.cursor_node))

    def _refresh_row(self, row: int) -> None:
        self.refresh(Region(0, row - self.viewport.top, self.size.width, 1))

    def _go(self, where: Callable[[Outline, int], int | None]) -> None:
        node = self.cursor_node
        if node is not None and self.outline is not None:
            target = where(self.outline, node)
            if target is not None:
                self._go_to(target)

    def _go_to(self, node: int) -> None:
        row = self.outline.row_of(node) if self.outline is not None else None
        if row is not None:
            self._move(lambda viewport: viewport.move_to(row))

    def _repeat(self, step: int, move: Callable[[Outline, int, int], int]) -> None:
        node = self.cursor_node
        if node is None or self.outline is None:
            return
        for _ in range(abs(step)):
            target = move(self.outline, node, 1 if step > 0 else -1)
            if target == node:
                break
            node = target
        self._go_to(node)

    # -- drawing ------------------------------------------------------------------------------------------------------

    def render_line(self, y: int) -> Strip:
        """One line of the screen."""
        layout = self._ready_layout()
        sticky = self._sticky_nodes()
        nodes = self._nodes_shown()
        if y < len(sticky):
            strip = self._line(sticky[y], False, True, layout)
        elif y < len(nodes):
            strip = self._line(nodes[y], y == self.viewport.screen_row, False, layout)
        else:
            strip = self._empty_line(y, layout)
        place, rows = self._document_place()
        edge = self.scroll_strip.cell(y, place, self.viewport.height, rows, self.palette, layout.is_ascii)
        return Strip([*strip, edge], layout.width + 1)

    def _line(self, node: int, is_cursor: bool, is_sticky: bool, layout: Layout) -> Strip:
        key = (node, is_cursor, is_sticky)
        strip = self._lines.get(key)
        if strip is None:
            if len(self._lines) > KEPT_LINES:
                self._lines.clear()
            row = self.row(node)
            assert self.report is not None
            kind = self.report.kinds.get(row.kind)
            line = row_segments(row, kind, self._state(node, row, is_cursor, is_sticky), layout, self.palette)
            strip = self._lines[key] = Strip(line, layout.width).crop(0, layout.width)
        return strip

    def _state(self, node: int, row: Row, is_cursor: bool, is_sticky: bool) -> RowState:
        assert self.outline is not None
        fold = " "
        if self.outline.has_children(node):
            fold = "-" if self.outline.is_open(node) else "+"
        elif row.has_children:
            fold = "+"
        matches = tuple(self._pattern.spans(safe(row.label[:10_000]))) if self._pattern is not None else ()
        return RowState(
            depth=self._depth(node),
            fold=fold,
            is_cursor=is_cursor,
            has_focus=self.has_focus,
            is_sticky=is_sticky,
            mark=self.marks_of(node)[:1],
            matches=matches,
            is_current_match=node == self._current_match,
        )

    def _empty_line(self, y: int, layout: Layout) -> Strip:
        text = ""
        if y == 0 and self.view is not None and not self.viewport.rows:
            text = "  no rows" if self.view.is_ready else "  … this view needs the finished index"
        line = [Piece(text.ljust(layout.width)[: layout.width], "hint")]
        return Strip(segments(line, self.palette), layout.width)

    def _ready_layout(self) -> Layout:
        """The layout for the widget's width, made when it is first needed."""
        if self._layout is None:
            width = max(1, self.size.width - 1)
            columns = fitting_columns(self.view.columns, width) if self.view is not None else ()
            self._layout = Layout(width, columns, self._name_length(), self.left, self._outdent, self.is_ascii)
            wanted = self._wanted_outdent(self._layout)
            if wanted != self._outdent:
                self._outdent = wanted
                self._layout = Layout(width, columns, self._name_length(), self.left, wanted, self.is_ascii)
        return self._layout

    def _name_length(self) -> int:
        window = self.app.size.width
        if self.short_names is not None:
            return (SHORT if window >= 80 else SHORTEST) if self.short_names else PLAIN
        return PLAIN if window >= 100 else SHORT if window >= 80 else SHORTEST

    def _wanted_outdent(self, layout: Layout) -> int:
        """Levels to leave out: those that all rows here have, and so many that the cursor row's name is seen."""
        nodes = self._nodes_shown()
        if not nodes or self.outline is None:
            return 0
        shallowest = min(self._depth(node) for node in nodes)
        room = max(2, (layout.label_width - 24) // INDENT)
        deep = self._depth(nodes[min(self.viewport.screen_row, len(nodes) - 1)]) - room
        return max(0, (shallowest - 4) // 4 * 4, -(-deep // 8) * 8)

    def _reframe(self) -> bool:
        """Looks whether rows must be indented otherwise now; True if so, and all has to be drawn again."""
        if self._layout is None or self._wanted_outdent(self._layout) == self._outdent:
            return False
        self._layout = None
        self._lines.clear()
        return True

    def _depth(self, node: int) -> int:
        assert self.outline is not None
        return self.outline.depth(node)

    def _nodes_shown(self) -> list[int]:
        """The nodes on the screen, those under sticky lines too."""
        top, height = self.viewport.top, self.viewport.height
        if self._shown is None or self._shown[0] != top:
            nodes = list(self.outline.nodes(top, height)) if self.outline is not None else []
            self._shown = (top, nodes)
        return self._shown[1]

    def _sticky_nodes(self) -> list[int]:
        """The ancestors that are drawn over the first lines of the screen, topmost first."""
        top = self.viewport.top
        if self._sticky is None or self._sticky[0] != top:
            self._sticky = (top, self._sticky_at(top))
        return self._sticky[1]

    def _sticky_at(self, top: int) -> list[int]:
        outline = self.outline
        most = min(MOST_STICKY, self.viewport.height // 5)
        if outline is None or not most or not top:
            return []
        for index, node in enumerate(outline.nodes(top, most + 1)):
            above = tree_move.ancestors(outline, node, most)
            if len(above) <= index:
                return above[::-1]
        return []

    def _covered(self, top: int) -> int:
        return len(self._sticky_at(top))

    def _document_place(self) -> tuple[tuple[float, float], int]:
        """The part of the document that is on the screen, as fractions, and the rows of the document."""
        if self._place is None:
            self._place = self._new_document_place()
        return self._place

    def _new_document_place(self) -> tuple[tuple[float, float], int]:
        nodes, top = self._nodes_shown(), self.viewport.top
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
        """The widget has another size."""
        self.viewport.resize(event.size.height)
        self.redraw()

    def notify_style_update(self) -> None:
        """Colours have changed."""
        super().notify_style_update()
        self._lines.clear()

    def on_focus(self) -> None:
        """The cursor row shows that keys go here."""
        self._lines.clear()
        self._refresh_row(self.viewport.cursor)

    def on_blur(self) -> None:
        """The cursor row shows that keys go elsewhere."""
        self._lines.clear()
        self._refresh_row(self.viewport.cursor)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Three rows; with Shift sideways."""
        self._wheel(event, 3)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Three rows; with Shift sideways."""
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
            self.capture_mouse()
            self._drag(event.y)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Drags the strip at the right edge."""
        if self.app.mouse_captured is self:
            self._drag(event.y)

    def on_mouse_up(self, event: events.MouseUp) -> None:
        """Ends dragging."""
        self.release_mouse()

    def _drag(self, y: int) -> None:
        """Goes to where the strip was touched: the nearest shown row of that part of the document."""
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
        """Selects the row; on its marker folds; twice acts like Enter."""
        self.focus()
        if event.x >= self.size.width - 1 or self.outline is None:
            return
        sticky = self._sticky_nodes()
        if event.y < len(sticky):
            self._go_to(sticky[event.y])
            return
        if self.viewport.top + event.y >= self.viewport.rows:
            return
        self.move_to_row(self.viewport.top + event.y)
        node = self.cursor_node
        assert node is not None
        marker = 2 + INDENT * max(0, self._depth(node) - self._outdent) - self.left
        if event.x in (marker, marker + 1):
            self.toggle()
        elif event.chain == 2:
            self.post_message(self.Activated(node))

    def get_content_width(self, container: Size, viewport: Size) -> int:
        """As wide as there is room."""
        return container.width

    def line_texts(self) -> list[str]:
        """The lines as text, for tests and yanking."""
        return [self.render_line(y).text for y in range(self.size.height)]
