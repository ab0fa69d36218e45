"""Lists as panes: references, links, marks, problems, views, the palette. Virtual: only rows on the screen are made.

A `ListSource` knows the rows; the pane knows the cursor and what `/` has narrowed them to. Narrowing looks at the rows
in short slices between frames, so that a list of a hundred thousand rows never holds up a key.
"""

from __future__ import annotations

import asyncio
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from rich.segment import Segment
from textual import events
from textual.strip import Strip

from tui.list.column_widths import column_widths
from tui.screen.sanitise import safe
from tui.screen.scroll_pane import ScrollPane
from tui.tree.piece import Piece, cut, match_in_sight, pad, segments, width_of
from tui.tree.viewport import Viewport

if TYPE_CHECKING:
    from parsers.model.report import Row, View
    from tui.screen.theme import Ground, Palette

SLICE_SECONDS = 0.006
"""How long narrowing holds the event loop at a time."""

MOST_MEASURED = 1000
"""Rows of a list whose texts are measured, so that its columns can be as wide as they are."""


class Fitting(ABC):
    """A text that says less where there is less room."""

    @property
    @abstractmethod
    def pieces(self) -> Sequence[Piece]:
        """All that it says."""

    @abstractmethod
    def fitted(self, width: int) -> Sequence[Piece]:
        """What it says best in so many cells."""


Cell = str | Sequence[Piece] | Fitting


@dataclass(frozen=True, slots=True)
class ListColumn:
    """A column of a list. width 0: what the others leave."""

    title: str
    width: int = 0
    is_right: bool = False
    """Whether its texts stand at the right edge, as numbers do."""
    least: int = 0
    """In panes narrower than this it is left out."""


@dataclass(frozen=True, slots=True)
class ListRow:
    """What a line of a list shows: a cell for each column."""

    cells: tuple[Cell, ...]
    role: str = "text"
    """Of cells that are plain texts."""
    is_heading: bool = False
    """A line between rows: the cursor passes it by."""


class ListSource(Protocol):
    """The rows of a list, made one at a time."""

    title: str
    columns: tuple[ListColumn, ...]
    keys: tuple[tuple[str, str], ...]
    """What can be done, for the right end of the title: ("Enter", "go") …"""
    empty: str
    """What is said where there is no row."""
    note: str
    """What is said beside the title and never cut: how many there are."""

    def __len__(self) -> int: ...

    def row(self, index: int) -> ListRow:
        """The line of a row."""
        ...

    def text(self, index: int) -> str:
        """What narrowing looks at."""
        ...

    def place(self, index: int) -> tuple[View, int] | None:
        """View and node that the row stands for."""
        ...

    def choose(self, index: int) -> None:
        """Enter was pressed on the row."""
        ...


@dataclass(slots=True)
class FixedList:
    """A list of rows that are all there."""

    title: str
    columns: tuple[ListColumn, ...]
    rows: Sequence[ListRow]
    chosen: Callable[[int], object] | None = None
    places: Callable[[int], tuple[View, int] | None] | None = None
    keys: tuple[tuple[str, str], ...] = (("/", "narrow"), ("Enter", "go"), ("q", "back"))
    empty: str = "nothing here"
    note: str = ""
    texts: Sequence[str] = field(default=())
    """What narrowing looks at, if not the cells."""
    anew: Callable[[], FixedList] | None = None
    """The list as it is now, where its rows may become others while it is shown."""

    def __len__(self) -> int:
        return len(self.rows)

    def row(self, index: int) -> ListRow:
        """The line of a row."""
        return self.rows[index]

    def text(self, index: int) -> str:
        """What narrowing looks at."""
        return self.texts[index] if self.texts else " ".join(map(cell_text, self.rows[index].cells))

    def place(self, index: int) -> tuple[View, int] | None:
        """View and node that the row stands for."""
        return self.places(index) if self.places is not None else None

    def choose(self, index: int) -> None:
        """Enter was pressed on the row."""
        if self.chosen is not None:
            self.chosen(index)


class ListPane(ScrollPane):
    """A title, the heads of the columns, and the rows; a cursor; `narrow` shows only rows that hold some words."""

    DEFAULT_CSS = """
    ListPane { width: 1fr; height: 1fr; }
    """

    def __init__(self, source: ListSource, cursor: int = 0) -> None:
        super().__init__(rows=len(source), margin=1)
        self.viewport.move_to(cursor)
        self.source = source
        self._measured: tuple[ListSource, Sequence[int]] | None = None
        """The source whose texts were measured, and how wide they are in each column at most."""
        self._kept: list[int] | None = None
        """The rows left after narrowing; None: all."""
        self._words = ""
        self._narrowing: asyncio.Task[None] | None = None
        self._wanted = cursor

    # -- rows ---------------------------------------------------------------------------------------------------------

    @property
    def row_count(self) -> int:
        """Rows that are shown."""
        return len(self.source) if self._kept is None else len(self._kept)

    @property
    def cursor_index(self) -> int | None:
        """The row of the source under the cursor; None in an empty list."""
        return self._index(self.viewport.cursor) if self.row_count else None

    @property
    def words(self) -> str:
        """What the list is narrowed to; empty: nothing."""
        return self._words

    @property
    def heading_height(self) -> int:
        """Lines above the rows."""
        return 2 if any(column.title for column in self.source.columns) else 1

    def place(self) -> tuple[View, int] | None:
        """View and node of the row under the cursor."""
        index = self.cursor_index
        return None if index is None else self.source.place(index)

    def row_at_cursor(self) -> Row | None:
        """The row of the report that the row under the cursor stands for."""
        place = self.place()
        return None if place is None else place[0].tree.row(place[1])

    def refill(self, source: ListSource | None = None) -> None:
        """The rows are others."""
        if source is not None:
            self.source = source
        if self._words:
            self.narrow(self._words)
        self.viewport.set_rows(self.row_count)
        self.refresh()

    @property
    def can_refill(self) -> bool:
        """True if the list can be made again from what the report knows now."""
        return isinstance(self.source, FixedList) and self.source.anew is not None

    def look_again(self) -> None:
        """The report has followed its index: rows may be others; the cursor stays on the one that begins the same."""
        anew = self.source.anew if isinstance(self.source, FixedList) else None
        if anew is None:
            return
        index = self.cursor_index
        first = None if index is None else self.source.row(index).cells[:1]
        self.refill(anew())
        rows = [row for row in range(self.row_count) if self.source.row(self._index(row)).cells[:1] == first]
        if rows:
            self.move_to_row(rows[0])

    def _index(self, row: int) -> int:
        return row if self._kept is None else self._kept[row]

    # -- moving -------------------------------------------------------------------------------------------------------

    @property
    def most_left(self) -> int:
        """Cells that the rows on the screen can be scrolled until the longest one ends."""
        shown = range(self.viewport.top, min(self.viewport.top + self.viewport.height, self.row_count))
        widest = max((self._flexible_width(self.source.row(self._index(row))) for row in shown), default=0)
        return max(0, widest - self._widths()[self._flexible])

    def activate(self) -> None:
        """Enter."""
        index = self.cursor_index
        if index is not None and not self.source.row(index).is_heading:
            self.source.choose(index)

    def moved(self, direction: int) -> None:
        """The cursor has moved: on from a heading."""
        self._pass_headings(direction)
        self.refresh()

    def _pass_headings(self, direction: int) -> None:
        """From a heading the cursor goes on in its direction, or back where there is nothing more."""
        for step in (direction, -direction):
            row = self.viewport.cursor
            while 0 <= row < self.row_count and self.source.row(self._index(row)).is_heading:
                row += step
            if 0 <= row < self.row_count:
                self.viewport.move_to(row)
                return

    # -- narrowing ----------------------------------------------------------------------------------------------------

    def narrow(self, words: str) -> None:
        """Show only rows that hold all these words; without capitals in them case does not matter."""
        self._words = words
        if self._narrowing is not None:
            self._narrowing.cancel()
            self._narrowing = None
        if not words.strip():
            before, self._kept = self.cursor_index, None
            self.viewport.set_rows(self.row_count)
            self.viewport.move_to(before or 0)
            self._pass_headings(1)
            self.refresh()
            return
        kept: list[int] = []
        matches = words_matcher(words)
        if self._narrow_slice(kept, matches, 0) < len(self.source):
            self._narrowing = asyncio.get_running_loop().create_task(self._go_on(kept, matches))

    @property
    def is_narrowing(self) -> bool:
        """Whether rows are still being looked at."""
        return self._narrowing is not None and not self._narrowing.done()

    def _narrow_slice(self, kept: list[int], matches: Callable[[str], bool], index: int) -> int:
        """Look at rows for a short while; returns the first one not looked at. What was shown stays until then."""
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
            self._kept = kept
            self.viewport = Viewport(height=self.viewport.height, margin=1)
        self.viewport.set_rows(len(kept))
        self.refresh()
        return index

    async def _go_on(self, kept: list[int], matches: Callable[[str], bool]) -> None:
        while self._looked_at < len(self.source):
            await asyncio.sleep(0)
            self._narrow_slice(kept, matches, self._looked_at)

    # -- drawing ------------------------------------------------------------------------------------------------------

    def on_mount(self) -> None:
        """Put the cursor where it was asked for."""
        self._resize()
        self.viewport.move_to(self._wanted)
        self._pass_headings(1)

    def on_resize(self, event: events.Resize) -> None:
        """The pane has another size."""
        self._resize()
        self.refresh()

    def _resize(self) -> None:
        self.viewport.set_rows(self.row_count)
        self.viewport.resize(self.size.height - self.heading_height)

    def on_unmount(self) -> None:
        """Stop narrowing."""
        if self._narrowing is not None:
            self._narrowing.cancel()

    def on_focus(self) -> None:
        """The cursor is loud."""
        self.refresh()

    def on_blur(self) -> None:
        """The cursor is quiet."""
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """A line of the pane."""
        palette: Palette = self.app.palette  # type: ignore[attr-defined]  # the app of ours
        width = self.size.width
        if y == 0:
            return Strip(self._title(palette, width), width)
        if y < self.heading_height:
            cells: list[Cell] = [column.title for column in self.source.columns]
            return Strip(segments(self._line(cells, "label", " "), palette), width)
        row = y - self.heading_height + self.viewport.top
        if row >= self.row_count:
            text = f"  {self._nothing()}" if row == 0 else ""
            return Strip(segments(pad(cut([Piece(text, "quiet")], width), width), palette), width)
        shown = self.source.row(self._index(row))
        is_cursor = row == self.viewport.cursor and not shown.is_heading
        ground: Ground = "page" if not is_cursor else "cursor" if self.has_focus else "idle cursor"
        front = (">" if self.is_ascii else "█") if is_cursor else " "
        return Strip(segments(self._line(shown.cells, shown.role, front), palette, ground), width)

    def _nothing(self) -> str:
        if self.is_narrowing:
            return "looking …"
        return f"nothing holds {safe(self._words)}" if self._words else self.source.empty

    def _title(self, palette: Palette, width: int) -> list[Segment]:
        title = safe(self.source.title)
        count = f"  {self.row_count:,} of {len(self.source):,}" if self._kept is not None else ""
        keys = [
            piece for key, word in self.source.keys for piece in (Piece(key, "key"), Piece(f" {word}  ", "key-word"))
        ]
        taken = sum(width_of(piece.text) for piece in keys)
        note = f"  {safe(self.source.note)}" if self.source.note else ""
        note += count + "  " * bool(keys and (note or count))
        if taken + len(note) + 24 > width:
            keys, taken = [], 0
        beside = [Piece(note, "progress" if self.is_narrowing else "quiet")] if note else []
        room = width - taken - len(note)
        left = cut([Piece(" " + title, "pane-title")], room)
        if keys:
            return segments([*pad([*left, *beside], width - taken), *keys], palette, "panel")
        return segments(pad(cut([*pad(left, room), *beside], width), width), palette, "panel")

    @property
    def _flexible(self) -> int:
        return next((index for index, column in enumerate(self.source.columns) if not column.width), 0)

    def _widths(self) -> list[int]:
        """Of each column; 0: there is no room for it."""
        columns, width = self.source.columns, self.size.width
        usual = [column.width if column.least <= width else None for column in columns]
        return column_widths(usual, self._longest, width - 2)

    @property
    def _longest(self) -> Sequence[int]:
        """How wide the texts of each column are at most; of a list that is too long to be measured: as it is usual."""
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

    def _flexible_width(self, row: ListRow) -> int:
        return width_of(cell_text(row.cells[self._flexible])) if row.cells else 0

    def _line(self, cells: Sequence[Cell], role: str, front: str) -> list[Piece]:
        line = [Piece(front, "cursor"), Piece(" ")]
        for index, (cell, column, width) in enumerate(zip(cells, self.source.columns, self._widths(), strict=False)):
            if not width:
                continue
            left = self.left if index == self._flexible else 0
            if isinstance(cell, str):
                pieces = cut([Piece(safe(cell), role)], width, left)
            elif left:
                pieces = cut(cell_pieces(cell), width, left)
            elif isinstance(cell, Fitting):
                pieces = cut(cell.fitted(width), width)
            else:
                pieces = cut(match_in_sight(cell, width), width)
            if column.is_right:
                pieces = [Piece(" " * (width - sum(width_of(piece.text) for piece in pieces))), *pieces]
            line += [*pad(pieces, width), Piece("  ")]
        return pad(cut(line, self.size.width), self.size.width)

    # -- mouse --------------------------------------------------------------------------------------------------------

    def on_click(self, event: events.Click) -> None:
        """A click selects, a double click is Enter."""
        event.stop()
        row = event.y - self.heading_height + self.viewport.top
        if self.heading_height <= event.y and row < self.row_count:
            self.focus()
            self.move_to_row(row)
            if event.chain == 2:
                self.activate()


def cell_text(cell: Cell) -> str:
    """The text of a cell."""
    return cell if isinstance(cell, str) else "".join(piece.text for piece in cell_pieces(cell))


def cell_pieces(cell: Sequence[Piece] | Fitting) -> Sequence[Piece]:
    """All of a cell that is no plain text."""
    return cell.pieces if isinstance(cell, Fitting) else cell


def words_matcher(words: str) -> Callable[[str], bool]:
    """Whether a text holds all these words; case only matters where they have capitals."""
    wanted = words.split()
    if words == words.lower():
        return lambda text: all(word in text.lower() for word in wanted)
    return lambda text: all(word in text for word in wanted)
