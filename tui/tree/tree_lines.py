"""The lines of a tree: rows of an outline, drawn one at a time. Independent of a screen, and tested without one.

Only rows on the screen are fetched and drawn; drawn lines are cached until they may have changed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from rich.segment import Segment

from parsers.model.report import Report
from parsers.model.row import Column, Row
from parsers.model.view import View
from tui.screen.sanitise import safe
from tui.screen.theme import Ground, Palette
from tui.tree.column_text import column_text
from tui.tree.indentation import Indentation, fitting
from tui.tree.label import BRIEF, MOST_CHARACTERS, PLAIN, SHORT, without_parent_type
from tui.tree.piece import Piece, segments
from tui.tree.row_text import LEAST_LABEL, RowLayout, RowState, fitting_columns, row_segments
from tui.tree.scroll_strip import ScrollStrip
from tui.tree.tree_cursor import TreeCursor
from tui.tree.tree_rows import drop_oldest

if TYPE_CHECKING:
    from parsers.query.search.pattern import Pattern

KEPT_LINES = 1024
"""Maximum number of cached drawn lines."""


class Surface(NamedTuple):
    """Properties of the area in which lines are drawn."""

    width: int
    """Cells of a line."""
    window: int
    """Cells of the whole window: names are short in a narrow one."""
    palette: Palette
    is_ascii: bool = False
    has_focus: bool = True


class TreeLines(TreeCursor):
    """A tree whose rows are drawn as lines."""

    def __init__(self, report: Report, view: View) -> None:
        super().__init__(report, view)
        self.short_names: bool | None = None
        """True: always short names. False: never. None: if the window is narrow."""
        self.show_numbers = False
        """True if each row begins with its number in the document."""
        self._columns: tuple[str, ...] | None = None
        self.left = 0
        """Cells by which names are scrolled sideways."""
        self.scroll_strip = ScrollStrip()
        self.marks_of: Callable[[int], str] = lambda node: ""
        """Returns the one character before a node that the user marked."""
        self.pattern: Pattern | None = None
        """The pattern of the search, whose matches are highlighted."""
        self.filter_pattern: Pattern | None = None
        """The pattern of the filter that made the selection; its matches are highlighted unless a search is."""
        self.current_match: int | None = None
        """The node whose match is emphasised."""
        self._depths: tuple[int, int] | None = None
        """Minimum and maximum depth on the screen, once requested."""
        self._lines: dict[tuple[int, RowState, Indentation], tuple[Row, list[Segment]]] = {}
        """Cached drawn lines, valid while the row is the same."""
        self._lines_layout: RowLayout | None = None
        """Layout of the cached lines, except the indentation."""
        self._place: tuple[tuple[float, float], int] | None = None
        self._layout: RowLayout | None = None
        self._left_out: Sequence[Column] = ()
        """Columns of texts for which the layout has no space."""

    def surface(self) -> Surface:
        """The present properties of the area."""
        raise NotImplementedError

    def draw_line(self, y: int) -> list[Segment]:
        """Draws one line of the screen, exactly as wide as the surface if that has three cells or more."""
        layout, surface = self.layout_now, self.surface()
        sticky = self.sticky_nodes()
        nodes = self.nodes_shown()
        if y < len(sticky):
            line = self._line(sticky[y], False, True, layout)
        elif y < len(nodes):
            line = self._line(nodes[y], self._is_marked(y), False, layout)
        else:
            line = self._empty_line(y, layout)
        place, rows = self._document_place()
        edge = self.scroll_strip.cell(y, place, self.viewport.height, rows, surface.palette, layout.is_ascii)
        is_cursor = self._is_marked(y) and self.viewport.rows
        ground: Ground = "page" if not is_cursor else "cursor" if surface.has_focus else "idle cursor"
        return [*line, Segment(" ", surface.palette.ground(ground)), edge]

    def _is_marked(self, y: int) -> bool:
        """True for the line of the cursor."""
        return y == self.viewport.screen_row

    def _line(self, node: int, is_cursor: bool, is_sticky: bool, layout: RowLayout) -> list[Segment]:
        row = self.row(node)
        state = self._state(node, row, is_cursor, is_sticky)
        key = node, state, layout.indentation
        kept = self._lines.get(key)
        if kept is None or kept[0] is not row:
            drop_oldest(self._lines, KEPT_LINES)
            kind = self.report.kinds.get(row.look or row.kind)
            shown, state = self._without_parent_type(node, row, state)
            kept = self._lines[key] = row, row_segments(shown, kind, state, layout, self.surface().palette)
        return kept[1]

    def _without_parent_type(self, node: int, row: Row, state: RowState) -> tuple[Row, RowState]:
        """The row without the type that its parent shows already, unless a match is in it."""
        parent = self.outline.parent(node) if row.spans else None
        if parent is None:
            return row, state
        shown, removed = without_parent_type(row, self.row(parent), bool(state.remark))
        if not removed or any(start < removed for start, _ in state.matches):
            return row, state
        matches = tuple((start - removed, end - removed) for start, end in state.matches)
        return shown, replace(state, matches=matches)

    def _state(self, node: int, row: Row, is_cursor: bool, is_sticky: bool) -> RowState:
        fold = " "
        if self.outline.has_children(node):
            fold = "-" if self.outline.is_open(node) else "+"
        elif row.has_children:
            fold = "+"
        pattern = self.pattern or (self.filter_pattern if self.selection is not None else None)
        matches = tuple(pattern.spans(safe(row.label[:MOST_CHARACTERS]))) if pattern is not None else ()
        return RowState(
            depth=self.depth(node),
            fold=fold,
            is_cursor=is_cursor,
            has_focus=self.surface().has_focus,
            is_sticky=is_sticky,
            mark=self.marks_of(node)[:1],
            matches=matches,
            is_current_match=node == self.current_match,
            number=f"{self._number(node) + 1:,}" if self.show_numbers else "",
            remark=self._remark(row),
        )

    def _number(self, node: int) -> int:
        """The row's number in the document; without a document, among the shown rows."""
        return node if self.view.tree.preorder is not None else self.outline.row_of(node) or 0

    def _remark(self, row: Row) -> str:
        """Remark of the view beside the label, and the values of columns that do not fit."""
        texts = [self.view.remark(row)]
        texts += [column_text(row, column, self.surface().is_ascii) for column in self._left_out]
        return " · ".join(filter(None, texts))

    def _empty_line(self, y: int, layout: RowLayout) -> list[Segment]:
        text, has_rows = "", bool(self.viewport.rows)
        if y == 0 and not has_rows:
            text = "  no rows" if self.report.is_complete else "  … no rows yet"
            if not self.view.is_ready:
                text = f"  … {self.view.waits_for or 'this view needs the finished index'}"
        if not has_rows and self.selection is None and self.view.is_ready:
            # Of several lines the first one is the reason, the others are advice.
            because = self.view.empty_because.split("\n")
            text = f"{text}: {safe(because[0])}" if because[0] and text == "  no rows" else text
            if 0 < y < len(because):
                text = f"  {safe(because[y])}"
        line = [Piece(text.ljust(layout.width)[: layout.width], "hint")]
        return segments(line, self.surface().palette)

    @property
    def picture_heading(self) -> str:
        """Description of the axes of a picture; empty: rows are shown."""
        return ""

    @property
    def layout_now(self) -> RowLayout:
        """Current widths and columns of rows, made when they are first needed."""
        if self._layout is None:
            surface = self.surface()
            width = max(1, surface.width - 2)
            needed = max(LEAST_LABEL, self.view.label_width)
            wanted = self._wanted_columns()
            columns = fitting_columns(wanted, width, (self.order or "").removeprefix("-"), needed)
            self._left_out = [column for column in wanted if column.shows_text and column not in columns]
            layout = RowLayout(
                width,
                columns,
                self._name_length(surface.window),
                self.left,
                is_ascii=surface.is_ascii,
                number_width=self._number_width(),
            )
            if layout != self._lines_layout:
                self._lines.clear()
                self._lines_layout = layout
            self._layout = replace(layout, indentation=self._wanted_indentation(layout))
        return self._layout

    def _wanted_columns(self) -> tuple[Column, ...]:
        columns = self.view.columns
        return columns if self._columns is None else tuple(each for each in columns if each.name in self._columns)

    def _front_width(self) -> int:
        """Cells before the indentation, without those of the cursor and the mark."""
        width = self._number_width()
        return width + 1 if width else 0

    def _number_width(self) -> int:
        preorder = self.view.tree.preorder
        rows = self.viewport.rows if preorder is None else preorder.rows
        return len(f"{rows:,}") if self.show_numbers else 0

    def _name_length(self, window: int) -> int:
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

    def _document_place(self) -> tuple[tuple[float, float], int]:
        """The part of the document on the screen as fractions, and the number of its rows."""
        if self._place is None:
            self._place = self._new_document_place()
        return self._place

    def _new_document_place(self) -> tuple[tuple[float, float], int]:
        nodes, top = self.nodes_shown(), self.viewport.top
        if not nodes:
            return (0.0, 1.0), 0
        preorder = self.view.tree.preorder
        is_end = top + self.viewport.height >= self.viewport.rows
        if preorder is None or self.order is not None:
            rows, first, last = self.viewport.rows, top, top + len(nodes)
        else:
            rows, first, last = preorder.rows, nodes[0], nodes[-1] + 1
        return (first / rows if top else 0.0, 1.0 if is_end else last / rows), rows

    def _forget_screen(self) -> None:
        super()._forget_screen()
        self._place = self._depths = None
