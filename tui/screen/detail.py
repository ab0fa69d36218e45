"""The pane beside the tree: facts about the node under the cursor. Its rows may be links."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from textual import events
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip

from parsers.model.row import Section, SectionRow
from parsers.model.value import value_class
from tui.pictures.chart.bar import chart_lines
from tui.screen.sanitise import safe
from tui.screen.scroll_pane import ScrollPane
from tui.tree.column_text import number_text
from tui.tree.piece import Piece, changed_cells, cut, line_width, pad, segments, width_of

LABEL_WIDTH, WIDEST_LABEL = 10, 22
"""Cells for the names of facts before their texts; more for a section with longer names."""

LABEL_GAP = 2
"""Minimum blanks between a name and its text; a longer name has its text below it."""

HANGING = 2
"""Cells of indentation for continuation lines of a text without a name."""

LOW = 10
"""Lines of a pane below the tree under which it shows no blank lines between sections."""

EDGE = 2
"""Cells at the left edge of a pane beside the tree that are dragged."""

MOST_TEXT = 20_000
"""Characters of one text that are wrapped into lines."""


@value_class
class DetailLine:
    """One line of the pane, and the section row it belongs to."""

    pieces: tuple[Piece, ...]
    right: tuple[Piece, ...] = ()
    row: SectionRow | None = None


class DetailPane(ScrollPane):
    """Sections one below the other; when focused, it has a cursor, and Enter follows links."""

    class EdgeDragged(Message):
        """Posted while the edge between the tree and the pane is dragged."""

        def __init__(self, x: int, y: int, is_done: bool) -> None:
            super().__init__()
            self.x = x
            """Cell of the screen where the edge should be."""
            self.y = y
            self.is_done = is_done
            """True if the button was released."""

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self.is_below = False
        """True if the pane is below the tree: its edge is a line at the top, else one at the left."""
        self._title: tuple[Piece, ...] = ()
        self._sections: Sequence[Section] = ()
        self._signs: dict[str, str] = {}
        self._detail_lines: list[DetailLine] = []
        self._drags_edge = False

    def show_sections(
        self, title: Sequence[Piece], sections: Sequence[Section], signs: Mapping[str, str] | None = None
    ) -> None:
        """Sets the contents of the pane; the cursor goes to the top if they are another node's.

        signs: signs before badge values, as in the columns of the view
        """
        if (tuple(title), sections) == (self._title, self._sections):
            return
        self._signs = dict(signs or {})
        if tuple(title) != self._title:
            self.viewport.top = self.viewport.cursor = 0
        self._title, self._sections = tuple(title), sections
        self._lay_out()

    def _lay_out(self) -> None:
        before = [self._line_pieces(y) for y in range(self.size.height)]
        is_ascii = self.is_ascii
        is_low = self.is_below and self.size.height < LOW
        self._detail_lines = lines_of(self._title, self._sections, self._inner_width, self._signs, is_ascii, is_low)
        self.viewport.set_rows(len(self._detail_lines))
        for y, old in enumerate(before):
            changed = changed_cells(old, self._line_pieces(y))
            if changed is not None:
                self.refresh(Region(changed[0], y, changed[1] - changed[0], 1))

    @property
    def _inner_width(self) -> int:
        return max(1, self.size.width - (2 if self.is_below else 4))

    # -- the pane as a list ---------------------------------------------------------------------------------------

    @property
    def cursor_line(self) -> DetailLine | None:
        """The line under the cursor."""
        return self._detail_lines[self.viewport.cursor] if self._detail_lines else None

    @property
    def most_left(self) -> int:
        """Cells by which the lines on the screen can be scrolled sideways."""
        lines = self._detail_lines[self.viewport.top :][: self.viewport.height]
        widest = max((line_width([*line.pieces, *line.right]) + bool(line.right) for line in lines), default=0)
        return max(0, widest - self._inner_width)

    # -- drawing --------------------------------------------------------------------------------------------------

    def render_line(self, y: int) -> Strip:
        """Renders one line of the screen."""
        palette = self.palette
        pieces = self._line_pieces(y)
        row = self._index(y)
        is_cursor = ((self.has_focus and row == self.viewport.cursor) or row in self.selected) and y >= self.lines_above
        edge = 0 if not is_cursor or self.is_below else 1
        line_segments = segments(pieces[:edge], palette) + segments(
            pieces[edge:], palette, "cursor" if is_cursor else "page"
        )
        return Strip(line_segments).crop(0, self.size.width)

    @property
    def lines_above(self) -> int:
        """Lines of the widget that the edge occupies."""
        return 1 if self.is_below else 0

    def row_texts(self, rows: range) -> list[str]:
        """The whole texts of some lines."""
        lines = ((line.pieces, line.right) for line in self._detail_lines[rows.start : rows.stop])
        return ["  ".join("".join(piece.text for piece in part) for part in line if part) for line in lines]

    def _index(self, y: int) -> int:
        return self.viewport.top + y - self.lines_above

    def _line_pieces(self, y: int) -> list[Piece]:
        """One line of the widget with its edge, padded to its width."""
        is_ascii, width = self.is_ascii, self.size.width
        if y < self.lines_above:
            return [Piece(("-" if is_ascii else "─") * width, "divider")]
        edge = Piece(" ") if self.is_below else Piece(" | " if is_ascii else " │ ", "divider")
        index = self._index(y)
        if index >= len(self._detail_lines):
            return pad([edge], width)
        line, inner = self._detail_lines[index], self._inner_width
        right = cut(line.right, inner // 2)
        used = sum(width_of(piece.text) for piece in right)
        space = inner - used - (1 if right else 0)
        return pad([edge, *pad(cut(line.pieces, space, self.left), inner - used), *right], width)

    # -- events ---------------------------------------------------------------------------------------------------

    def on_resize(self, event: events.Resize) -> None:
        """Handles a new size of the pane."""
        self.viewport.resize(event.size.height - (1 if self.is_below else 0))
        self._lay_out()

    def on_focus(self) -> None:
        """Moves the cursor to the first link."""
        if self.viewport.cursor == 0:
            first = next((index for index, line in enumerate(self._detail_lines) if line.row and line.row.ref), 0)
            self.viewport.move_to(first)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Begins to drag the edge of the pane."""
        if event.button == 1 and (event.y < self.lines_above if self.is_below else event.x < EDGE):
            event.prevent_default()
            self.was_dragged = self._drags_edge = True
            self.capture_mouse()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Drags the edge of the pane."""
        self._drag_edge(event)

    def on_mouse_up(self, event: events.MouseUp) -> None:
        """Ends dragging the edge."""
        self._drag_edge(event)
        self._drags_edge = False

    def _drag_edge(self, event: events.MouseEvent) -> None:
        if self._drags_edge:
            is_done = isinstance(event, events.MouseUp)
            self.post_message(self.EdgeDragged(round(event.screen_x), round(event.screen_y), is_done))

    def on_click(self, event: events.Click) -> None:
        """Selects a line and follows its link. The second click of a double click would follow another one."""
        row = self.row_at(event.y)
        if row is not None and not self.was_dragged and event.chain == 1:
            self.focus()
            self.move_to_row(row)
            self.post_message(self.Entered(self))


def lines_of(
    title: Sequence[Piece],
    sections: Sequence[Section],
    width: int,
    signs: Mapping[str, str],
    is_ascii: bool = False,
    is_low: bool = False,
) -> list[DetailLine]:
    """Builds the lines of some sections: charts, facts as name and wrapped text, links in one line each.

    is_low: blank lines between sections are omitted
    """
    lines = [DetailLine(pieces) for pieces in wrapped_pieces(title, width)] if title else []
    for section in sections:
        if lines and not is_low:
            lines.append(DetailLine(()))
        if section.title:
            title_pieces = [Piece(safe(section.title), "pane-title")]
            lines.extend(DetailLine(pieces) for pieces in wrapped_pieces(title_pieces, width))
        if section.chart is not None:
            lines.extend(DetailLine(pieces) for pieces in chart_lines(section.chart, width, is_ascii))
        longest = max((width_of(safe(row.label)) for row in section.rows if row.text and row.label), default=0)
        indent = max(LABEL_WIDTH, min(longest + LABEL_GAP, WIDEST_LABEL, width // 2))
        for row in section.rows:
            lines.extend(lines_of_row(row, width, signs, indent))
        if section.more:
            lines.append(DetailLine((Piece(f"  … {section.more:,} more", "quiet"),)))
    return lines


def lines_of_row(
    row: SectionRow, width: int, signs: Mapping[str, str], label_width: int = LABEL_WIDTH
) -> list[DetailLine]:
    """Builds the lines of a fact (name and wrapped text) or a link (one line if it has no text)."""
    badges = " ".join(
        signs.get(name, "") + number_text(value) for name, value in row.badges.items() if value is not None
    )
    right = (Piece(safe(badges), "number"),) if badges else ()
    label, text = safe(row.label), row.text[:MOST_TEXT]
    role = "link" if row.ref is not None else "text"
    if not text:
        return [DetailLine((Piece("  "), Piece(label, role)), right, row)]
    indent = label_width if label else HANGING
    name = label + " " * max(0, indent - width_of(label)) if label else ""
    if label and width_of(label) + LABEL_GAP > indent:
        first, rest = wrapped(text, max(8, width - indent), max(8, width - indent))
        lines, rest = [DetailLine((Piece(label, "label"),), right, row)], [first, *rest]
    else:
        first, rest = wrapped(text, max(8, width - width_of(name)), max(8, width - indent))
        lines = [DetailLine((Piece(name, "label"), Piece(first, role)), right, row)]
    lines.extend(DetailLine((Piece(" " * indent), Piece(part, role)), (), row) for part in rest)
    return lines


def wrapped(text: str, first_width: int, width: int) -> tuple[str, list[str]]:
    """Splits a text into lines at its own line ends and at the given widths."""
    parts: list[str] = []
    space = first_width
    for line in text.split("\n"):
        line = safe(line.rstrip("\r"))
        while True:
            take = len(line) if len(line) <= space else break_at(line, space)
            parts.append(line[:take])
            line, space = line[take:], width
            if not line:
                break
    return parts[0], parts[1:]


def break_at(text: str, width: int) -> int:
    """Returns the best break position in a line of at most `width` characters: after a nearby blank, dot, comma …"""
    for index in range(width, max(1, width // 3), -1):
        if text[index] == "(" or (text[index - 1] in " ,.;/:" and not is_in_word(text, index)):
            return index
    return max(1, width)


def is_in_word(text: str, index: int) -> bool:
    """True if a place is after a sign between two digits, or after the sign that begins a command."""
    before, sign, behind = text[max(0, index - 2) : index - 1], text[index - 1], text[index]
    return (before.isdigit() and behind.isdigit() and sign in ",.") or (before in ("", " ") and sign == ":")


def wrapped_pieces(pieces: Sequence[Piece], width: int) -> list[tuple[Piece, ...]]:
    """Splits pieces into lines of at most the width; roles are kept."""
    text = "".join(piece.text for piece in pieces)[:MOST_TEXT]
    lines: list[tuple[Piece, ...]] = []
    start = 0
    while start < len(text):
        end = len(text) if len(text) - start <= width else start + break_at(text[start:], width)
        lines.append(tuple(slice_pieces(pieces, start, end)))
        start = end
    return lines


def slice_pieces(pieces: Sequence[Piece], start: int, end: int) -> list[Piece]:
    """Returns the characters [start, end) of all pieces together."""
    result, position = [], 0
    for piece in pieces:
        text = piece.text[max(0, start - position) : max(0, end - position)]
        if text:
            result.append(piece._replace(text=text))
        position += len(piece.text)
    return result
