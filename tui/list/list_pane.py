"""Lists as panes: references, links, marks, problems, views, the palette. Virtual: only rows on the screen are made.

A `ListSource` provides the rows; the pane stores the cursor and the rows left by `/`. Narrowing examines rows in short
slices between frames, so that a list of a hundred thousand rows never delays a key.
"""

from __future__ import annotations

import asyncio
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.segment import Segment
from textual import events
from textual.strip import Strip

from tui.list.column_widths import column_widths
from tui.list.row_order import ordered
from tui.screen.sanitise import safe
from tui.screen.scroll_pane import ScrollPane
from tui.terminal.application import TerminalApp
from tui.tree.column_text import key_named
from tui.tree.label import PLAIN, fitted_label, label_pieces
from tui.tree.piece import Piece, cut, cut_middle, line_width, match_in_sight, pad, segments, width_of
from tui.tree.row_text import MOST_REMARK, remark_pieces
from tui.tree.viewport import Viewport

if TYPE_CHECKING:
    from parsers.model.row import Row
    from parsers.model.view import View
    from tui.screen.theme import Ground, Palette

SLICE_SECONDS = 0.006
"""Maximum seconds for which narrowing blocks the event loop at a time."""

MOST_SORTED = 2000
"""Maximum rows of a list that are sorted."""

MOST_MEASURED = 1000
"""Maximum rows of a list whose texts are measured for the widths of its columns."""


@dataclass(frozen=True, slots=True)
class RowLabel:
    """The label of a row as a cell, shortened as in the tree."""

    row: Row
    via: str = ""
    """The place of the reference in the row: a field, an index."""
    remark: str = ""
    """Remark of the view beside the label."""

    @property
    def pieces(self) -> Sequence[Piece]:
        """The label as in a wide tree."""
        remark = [Piece(f"  {safe(self.remark[:MOST_REMARK])}", "quiet")] if self.remark else []
        return [*label_pieces(self.row, PLAIN), *self._via, *remark]

    def fitted(self, width: int) -> Sequence[Piece]:
        """The most distinctive part of the label in the given cells."""
        label = [*fitted_label(self.row, PLAIN, width - line_width(self._via)), *self._via]
        return [*label, *remark_pieces(self.remark, width - line_width(label))]

    @property
    def _via(self) -> list[Piece]:
        return [Piece(safe(self.via), "name")] if self.via else []


Cell = str | Sequence[Piece] | RowLabel


@dataclass(frozen=True, slots=True)
class ListColumn:
    """A column of a list. width 0: the remaining cells."""

    title: str
    width: int = 0
    is_right: bool = False
    """True if its texts are right-aligned, as numbers are."""
    least: int = 0
    """Width of the pane below which it is omitted."""
    keeps_end: bool = False
    """True if its plain texts are cut in their middle: ends distinguish them."""


@dataclass(frozen=True, slots=True)
class PaneRow:
    """A line of a list: a cell for each column."""

    cells: tuple[Cell, ...]
    role: str = "text"
    """Role of cells that are plain texts."""
    is_heading: bool = False
    """True for a line between rows, which the cursor skips."""


def heading_row(title: str, *cells: Cell) -> PaneRow:
    """A line between rows: a title, and perhaps cells of further columns."""
    return PaneRow(([Piece(safe(title), "pane-title")], *cells), is_heading=True)


class ListSource(ABC):
    """The rows of a list, made one at a time."""

    title: str
    columns: tuple[ListColumn, ...]
    keys: tuple[tuple[str, str], ...] = (("/", "narrow"), ("Enter", "go"), ("q", "back"))
    """Commands for the right end of the title."""
    empty: str = "nothing here"
    """Message of an empty list."""
    note: str = ""
    """Note beside the title that is never cut: the number of rows."""

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def row(self, index: int) -> PaneRow:
        """The line of a row."""

    def text(self, index: int) -> str:
        """The text of a row that narrowing examines."""
        return " ".join(map(cell_text, self.row(index).cells))

    @abstractmethod
    def place(self, index: int) -> tuple[View, int] | None:
        """View and node of the row."""

    @abstractmethod
    def choose(self, index: int) -> None:
        """Handles Enter on the row."""


@dataclass(slots=True)
class FixedList(ListSource):
    """A list with a fixed sequence of rows."""

    title: str
    columns: tuple[ListColumn, ...]
    rows: Sequence[PaneRow]
    chosen: Callable[[int], object] | None = None
    places: Callable[[int], tuple[View, int] | None] | None = None
    keys: tuple[tuple[str, str], ...] = ListSource.keys
    empty: str = ListSource.empty
    note: str = ListSource.note
    refill_from: Callable[[], FixedList] | None = None
    """Makes the present list, if its rows may change while it is shown."""

    def __len__(self) -> int:
        return len(self.rows)

    def row(self, index: int) -> PaneRow:
        """The line of a row."""
        return self.rows[index]

    def place(self, index: int) -> tuple[View, int] | None:
        """View and node of the row."""
        return self.places(index) if self.places is not None else None

    def choose(self, index: int) -> None:
        """Handles Enter on the row."""
        if self.chosen is not None:
            self.chosen(index)


class ListPane(ScrollPane):
    """A title, column headings, rows and a cursor; `narrow` shows only rows that contain some words."""

    is_list = True

    def __init__(self, source: ListSource, cursor: int = 0) -> None:
        super().__init__(rows=len(source), margin=1)
        self.viewport.move_to(cursor)
        self.source = source
        self._measured: tuple[ListSource, Sequence[int]] | None = None
        """The measured source, and the maximum width of its texts in each column."""
        self._kept: list[int] | None = None
        """The rows left after narrowing; None: all."""
        self._sort: tuple[str, bool] | None = None
        """Title of the column that rows are sorted by, and True if reversed; None: the order of the source."""
        self._ordered: list[int] | None = None
        """The shown rows in their order; None: all, in the order of the source."""
        self._rises = True
        self.words = ""
        """The words to which the list is narrowed; empty: none."""
        self._narrowing: asyncio.Task[None] | None = None
        self._wanted = cursor

    # -- rows ---------------------------------------------------------------------------------------------------------

    @property
    def row_count(self) -> int:
        """Number of shown rows."""
        return len(self.source) if self._ordered is None else len(self._ordered)

    @property
    def cursor_index(self) -> int | None:
        """The row of the source under the cursor; None in an empty list."""
        return self._index(self.viewport.cursor) if self.row_count else None

    @property
    def lines_above(self) -> int:
        """Lines above the rows: title and headings."""
        return 2 if any(column.title for column in self.source.columns) else 1

    def row_texts(self, rows: range) -> list[str]:
        """The cells of some rows in full."""
        cells = (self.source.row(self._index(row)).cells for row in rows)
        return [safe("  ".join(filter(None, map(cell_text, each)))) for each in cells]

    def place(self) -> tuple[View, int] | None:
        """View and node of the row under the cursor."""
        index = self.cursor_index
        return None if index is None else self.source.place(index)

    def refill(self, source: ListSource) -> None:
        """Replaces the rows."""
        self.source = source
        if self.words:
            self.narrow(self.words)
        else:
            self._rearrange()

    @property
    def can_refill(self) -> bool:
        """True if the list can be made again from the present state of the report."""
        return isinstance(self.source, FixedList) and self.source.refill_from is not None

    def refresh_rows(self) -> None:
        """Handles progress of the index: refills the rows; the cursor stays on the row with the same beginning."""
        refill_from = self.source.refill_from if isinstance(self.source, FixedList) else None
        if refill_from is None:
            return
        index = self.cursor_index
        first = None if index is None else self.source.row(index).cells[:1]
        self.refill(refill_from())
        rows = [row for row in range(self.row_count) if self.source.row(self._index(row)).cells[:1] == first]
        if rows:
            self.move_to_row(rows[0])

    def _index(self, row: int) -> int:
        return row if self._ordered is None else self._ordered[row]

    def move_to_index(self, index: int) -> None:
        """Puts the cursor on a row of the source, if it is shown."""
        row = index if self._ordered is None else self._ordered.index(index) if index in self._ordered else None
        if row is not None:
            self.move_to_row(row)

    # -- sorting ------------------------------------------------------------------------------------------------------

    def sort(self, title: str, /) -> None:
        """Sorts by the column of a title, reverses the order if it is that already, then restores the list's own.

        An empty title: by the next column, after the last one as in the source.
        """
        titles = self.sort_headings
        by, is_reversed = self._sort or ("", False)
        if title:
            known = key_named(title, zip(titles, titles, strict=True)) or ""
            wanted = None if by == known and is_reversed else (known, by == known)
        else:
            known = ["", *titles][(titles.index(by) + 2 if by in titles else 1) % (len(titles) + 1)]
            wanted = (known, False) if known else None
        if not titles:
            self._show_message("This list has only one order.")
        elif title and not known:
            self._show_message(f"No column {title}. Columns: {', '.join(titles) or 'none'}")
        else:
            self._sort_by(wanted)

    @property
    def sort_headings(self) -> list[str]:
        """Titles of the columns."""
        return [column.title for column in self.source.columns if column.title]

    def sort_reverse(self) -> None:
        """Reverses the order."""
        if self._sort is None:
            self._show_message("Rows are in the order of the list. s sorts them.")
        else:
            self._sort_by((self._sort[0], not self._sort[1]))

    def _sort_by(self, order: tuple[str, bool] | None) -> None:
        if order is not None and self.row_count > MOST_SORTED:
            self._show_message(f"More than {MOST_SORTED:,} rows are not sorted. / narrows the list.")
            return
        index = self.cursor_index if self.viewport.cursor else None
        self._sort = order
        self._rearrange()
        if index is None:
            self.move_to_row(0)
        else:
            self.move_to_index(index)
        if order is None:
            self._show_message("the list's own order")
        else:
            self._show_message(f"sorted by {order[0].lower()}{', reversed' if order[1] else ''}")

    def _rearrange(self) -> None:
        """Shows the rows in another order, or other rows."""
        self._arrange()
        self.viewport.set_rows(self.row_count)
        self.refresh()

    def _arrange(self) -> None:
        """Puts the rows that narrowing left in order. A sorted list has no lines between its rows."""
        self._ordered = self._kept
        count = len(self.source) if self._kept is None else len(self._kept)
        if self._sort is None or count > MOST_SORTED:
            return
        title, is_reversed = self._sort
        column = next((place for place, each in enumerate(self.source.columns) if each.title == title), None)
        if column is None:
            return
        rows = {index: self.source.row(index) for index in (self._kept or range(count))}
        shown = [index for index, row in rows.items() if not row.is_heading]
        self._ordered, self._rises = ordered(shown, lambda index: cell_text(rows[index].cells[column]), is_reversed)

    def _show_message(self, text: str) -> None:
        if isinstance(self.app, TerminalApp):
            self.app.show_message(text)

    # -- moving -------------------------------------------------------------------------------------------------------

    @property
    def most_left(self) -> int:
        """Cells by which the rows on the screen can be scrolled sideways."""
        shown = range(self.viewport.top, min(self.viewport.top + self.viewport.height, self.row_count))
        widest = max((self._flexible_width(self.source.row(self._index(row))) for row in shown), default=0)
        return max(0, widest - self._widths()[self._flexible])

    def activate(self) -> None:
        """Handles Enter."""
        index = self.cursor_index
        if index is not None and not self.source.row(index).is_heading:
            self.source.choose(index)

    def moved(self, direction: int) -> None:
        """Moves the cursor on from a heading after a movement."""
        self._pass_headings(direction)
        super().moved(direction)

    def _pass_headings(self, direction: int) -> None:
        """Moves the cursor from a heading on in its direction, or back at an end."""
        for step in (direction, -direction):
            row = self.viewport.cursor
            while 0 <= row < self.row_count and self.source.row(self._index(row)).is_heading:
                row += step
            if 0 <= row < self.row_count:
                self.viewport.move_to(row)
                return

    # -- narrowing ----------------------------------------------------------------------------------------------------

    def narrow(self, words: str) -> None:
        """Shows only rows that contain all these words; without capitals case is ignored."""
        self.words = words
        if self._narrowing is not None:
            self._narrowing.cancel()
            self._narrowing = None
        if not words.strip():
            before, self._kept = self.cursor_index, None
            self._rearrange()
            self.move_to_index(before or 0)
            return
        kept: list[int] = []
        matches = words_matcher(words)
        if self._narrow_slice(kept, matches, 0) < len(self.source):
            self._narrowing = asyncio.get_running_loop().create_task(self._go_on(kept, matches))

    @property
    def is_narrowing(self) -> bool:
        """True while rows are being examined."""
        return self._narrowing is not None and not self._narrowing.done()

    def _narrow_slice(self, kept: list[int], matches: Callable[[str], bool], index: int) -> int:
        """Examines rows for a short while; returns the first one not examined. Until the end the old rows are shown."""
        until = time.monotonic() + SLICE_SECONDS
        stop = len(self.source)
        while index < stop:
            if not self.source.row(index).is_heading and matches(self.source.text(index)):
                kept.append(index)
            index += 1
            if time.monotonic() > until:
                break
        self._looked_at = index
        if self._kept is not kept:
            self._kept = self._ordered = kept
            self.viewport = Viewport(height=self.viewport.height, margin=1)
        if index == stop:
            self._arrange()
        self.viewport.set_rows(len(kept))
        self.refresh()
        return index

    async def _go_on(self, kept: list[int], matches: Callable[[str], bool]) -> None:
        while self._looked_at < len(self.source):
            await asyncio.sleep(0)
            self._narrow_slice(kept, matches, self._looked_at)

    # -- drawing ------------------------------------------------------------------------------------------------------

    def on_mount(self) -> None:
        """Puts the cursor on its initial row."""
        self._resize()
        self.viewport.move_to(self._wanted)
        self._pass_headings(1)

    def on_resize(self, event: events.Resize) -> None:
        """Handles a new size of the pane."""
        self._resize()
        self.refresh()

    def _resize(self) -> None:
        self.viewport.set_rows(self.row_count)
        self.viewport.resize(self.size.height - self.lines_above)

    def on_unmount(self) -> None:
        """Stops narrowing."""
        if self._narrowing is not None:
            self._narrowing.cancel()

    def render_line(self, y: int) -> Strip:
        """Renders a line of the pane."""
        palette = self.palette
        width = self.size.width
        if y == 0:
            return Strip(self._title(palette, width), width)
        if y < self.lines_above:
            cells: list[Cell] = [f"{self._mark(column.title)}{column.title}" for column in self.source.columns]
            return Strip(segments(self._line(cells, "label", " "), palette), width)
        row = y - self.lines_above + self.viewport.top
        if row >= self.row_count:
            text = f"  {self._nothing()}" if row == 0 else ""
            return Strip(segments(pad(cut([Piece(text, "quiet")], width), width), palette), width)
        shown = self.source.row(self._index(row))
        is_cursor = (row == self.viewport.cursor and not shown.is_heading) or row in self.selected
        ground: Ground = "page" if not is_cursor else "cursor" if self.has_focus else "idle cursor"
        front = (">" if self.is_ascii else "█") if is_cursor else " "
        return Strip(segments(self._line(shown.cells, shown.role, front), palette, ground), width)

    def _mark(self, title: str) -> str:
        """Sign of the sort order before the title of its column."""
        if self._sort is None or not title or title != self._sort[0] or self._ordered is self._kept:
            return ""
        return ("^" if self._rises else "v") if self.is_ascii else "▲" if self._rises else "▼"

    def _nothing(self) -> str:
        if self.is_narrowing:
            return "searching …"
        return f"no matches for {safe(self.words)}" if self.words else self.source.empty

    def _title(self, palette: Palette, width: int) -> list[Segment]:
        title = safe(self.source.title)
        count = f"  {self.row_count:,} of {len(self.source):,}" if self._kept is not None else ""
        keys = [
            piece for key, word in self.source.keys for piece in (Piece(key, "key"), Piece(f" {word}  ", "key-word"))
        ]
        taken = sum(width_of(piece.text) for piece in keys)
        note = f"  {safe(self.source.note)}" if self.source.note else ""
        note += count + "  " * bool(keys)
        if taken + len(note) + 24 > width:
            keys, taken = [], 0
        note_pieces = [Piece(note, "progress" if self.is_narrowing else "quiet")] if note else []
        space = width - taken - len(note)
        left = cut([Piece(" " + title, "pane-title")], space)
        if keys:
            return segments([*pad([*left, *note_pieces], width - taken), *keys], palette, "panel")
        return segments(pad(cut([*pad(left, space), *note_pieces], width), width), palette, "panel")

    @property
    def _flexible(self) -> int:
        return next((index for index, column in enumerate(self.source.columns) if not column.width), 0)

    def _widths(self) -> list[int]:
        """Width of each column; 0: omitted."""
        columns, width = self.source.columns, self.size.width
        usual = [column.width if column.least <= width else None for column in columns]
        return column_widths(usual, self._longest, width - 2)

    @property
    def _longest(self) -> Sequence[int]:
        """Maximum width of the texts of each column; in a list too long to be measured the usual widths."""
        source = self.source
        if not isinstance(source, FixedList) or len(source) > MOST_MEASURED:
            return [column.width or self.size.width for column in source.columns]
        if self._measured is None or self._measured[0] is not source:
            longest = [width_of(column.title) for column in source.columns]
            for row in source.rows:
                for index, cell in enumerate(row.cells[: len(longest)]):
                    longest[index] = max(longest[index], width_of(safe(cell_text(cell))))
            self._measured = source, longest
        return self._measured[1]

    @property
    def cut_text(self) -> str:
        """The whole text of the wide column in the row under the cursor if the list has no room for it; else empty."""
        index, flexible = self.cursor_index, self._flexible
        cells = () if index is None else self.source.row(index).cells
        text = safe(cell_text(cells[flexible])) if flexible < len(cells) else ""
        return text if width_of(text) > self._widths()[flexible] else ""

    def _flexible_width(self, row: PaneRow) -> int:
        return width_of(cell_text(row.cells[self._flexible])) if row.cells else 0

    def _line(self, cells: Sequence[Cell], role: str, front: str) -> list[Piece]:
        line = [Piece(front, "cursor"), Piece(" ")]
        for index, (cell, column, width) in enumerate(zip(cells, self.source.columns, self._widths(), strict=False)):
            if not width:
                continue
            left = self.left if index == self._flexible else 0
            if isinstance(cell, str):
                text = [Piece(safe(cell), role)]
                pieces = cut_middle(text, width) if column.keeps_end and not left else cut(text, width, left)
            elif left:
                pieces = cut(cell_pieces(cell), width, left)
            elif isinstance(cell, RowLabel):
                pieces = cut(cell.fitted(width), width)
            else:
                pieces = cut(match_in_sight(cell, width), width)
            if column.is_right:
                pieces = [Piece(" " * (width - sum(width_of(piece.text) for piece in pieces))), *pieces]
            line += [*pad(pieces, width), Piece("  ")]
        return pad(cut(line, self.size.width), self.size.width)

    # -- mouse --------------------------------------------------------------------------------------------------------

    def on_click(self, event: events.Click) -> None:
        """Sorts by the clicked heading, or selects the clicked row; a double click acts like Enter."""
        event.stop()
        if 0 < event.y < self.lines_above:
            self._click_heading(event.x)
            return
        row = self.row_at(event.y)
        if row is not None and not self.was_dragged:
            self.focus()
            self.move_to_row(row)
            if event.chain == 2:
                self.post_message(self.Entered(self))

    def _click_heading(self, x: int) -> None:
        """Sorts by the column at a cell of the headings."""
        end = 2
        for column, width in zip(self.source.columns, self._widths(), strict=True):
            end += width + 2 if width else 0
            if width and x < end:
                if column.title:
                    self.sort(column.title)
                return


def cell_text(cell: Cell) -> str:
    """The text of a cell."""
    return cell if isinstance(cell, str) else "".join(piece.text for piece in cell_pieces(cell))


def cell_pieces(cell: Sequence[Piece] | RowLabel) -> Sequence[Piece]:
    """The pieces of a cell that is not a plain text, unshortened."""
    return cell.pieces if isinstance(cell, RowLabel) else cell


def words_matcher(words: str) -> Callable[[str], bool]:
    """Returns a function: True if a text contains all these words; case matters only for words with capitals."""
    wanted = words.split()
    if words == words.lower():
        return lambda text: all(word in text.lower() for word in wanted)
    return lambda text: all(word in text for word in wanted)
