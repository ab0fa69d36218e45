"""Rows as lines of text for people: REF, numbers, kind, label indented by depth, and what has no column.

Texts of a report always pass `safe`: a pipe may end on a terminal too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from parsers.model.report import Column, Row
from tui.headless.text_row import BOLD, DIM, FLAG, KIND, NUMBER, Painter, badge_words
from tui.screen.sanitise import safe
from tui.tree.column_text import column_text, titled

FIRST = 200
"""Rows that decide which columns are shown, and their widths; they wait until so many are known."""

DEEPEST = 500
"""Maximum levels of indentation: a path of a hundred thousand steps would be gigabytes of blanks."""

LEAST_LABEL = 40
"""Characters of a line that are kept for labels; the least important numbers are left out for them."""

WIDTH = 200
"""Characters of a line where there is no terminal."""

WIDEST_REF = 24
"""Maximum width of the REFs; longer ones move the rest of their line."""

WIDEST_TEXT = 32
"""Maximum width of texts in columns; longer ones are cut in the middle."""

GAP = "  "


class _Added(NamedTuple):
    """A row that waits for the widths."""

    row: Row
    depth: int
    sign: str


class RowTable:
    """Prints rows in columns that follow the first rows. Lines between rows keep their place.

    width: columns of the terminal; 0: there is none
    """

    def __init__(self, write: Callable[[str], object], paint: Painter, width: int, is_ascii: bool) -> None:
        self._write = write
        self._paint = paint
        self._width = width or WIDTH
        self._is_ascii = is_ascii
        self._title = ""
        self._columns: Sequence[Column] = ()
        self._waiting: list[_Added | str] = []
        self._shown: list[tuple[Column, int]] | None = None
        """Columns with their widths; None until the first rows have decided them."""
        self._in_columns: list[tuple[str, ...]] = []
        """Badges of columns that are shown, or for which the terminal is too narrow: the first of each is in it."""
        self._front = 0, 0

    def add(self, title: str, columns: Sequence[Column], row: Row, depth: int, sign: str = "") -> None:
        """Prints a row of a view, or lets it wait. A view with other columns begins a new table."""
        if (title, columns) != (self._title, self._columns):
            self.end()
            self._title, self._columns = title, columns
        added = _Added(row, depth, sign)
        if self._shown is not None:
            self._write(self._line(added))
            return
        self._waiting.append(added)
        if len(self._waiting) == FIRST:
            self.flush()

    def line(self, text: str) -> None:
        """Prints another line after the rows so far."""
        if self._waiting:
            self._waiting.append(text)
        else:
            self._write(text)

    def flush(self) -> None:
        """Prints the rows that wait."""
        if not self._waiting:
            return
        waiting, self._waiting = self._waiting, []
        if self._shown is None:
            self._arrange([each for each in waiting if isinstance(each, _Added)])
        for each in waiting:
            self._write(each if isinstance(each, str) else self._line(each))

    def end(self) -> None:
        """Prints the rows that wait; the next row begins a new table."""
        self.flush()
        self._shown = None

    def _arrange(self, rows: Sequence[_Added]) -> None:
        """Decides columns and widths, and prints the headings."""
        shown = []
        for column in self._columns:
            width = max(len(self._text(row.row, column)) for row in rows)
            if width:
                shown.append((column, max(width, len(titled(column)))))
        refs, kinds = zip(*(_named(each.row) for each in rows), strict=True)
        self._front = min(WIDEST_REF, max(3, *map(len, refs))), max(map(len, kinds))
        self._in_columns = [tuple(badge for badge, _ in column.badges) or (column.name,) for column, _ in shown]
        while shown and self._numbers_at(shown) + LEAST_LABEL > self._width:
            shown.remove(min(reversed(shown), key=lambda each: each[0].priority))
        self._shown = shown
        titles = [_aligned(_capital(titled(column)), column, width) for column, width in shown]
        front = ["REF".ljust(self._front[0]), *titles, *(["Kind".ljust(self._front[1])] if self._front[1] else [])]
        sign = " " * len(rows[0].sign)
        self._write(self._paint(sign + GAP.join([*front, safe(self._title)]), BOLD))

    def _numbers_at(self, shown: Sequence[tuple[Column, int]]) -> int:
        return sum(self._front) + 2 * len(GAP) + sum(width + len(GAP) for _, width in shown)

    def _line(self, added: _Added) -> str:
        row, paint = added.row, self._paint
        ref, kind = _named(row)
        parts = [paint(ref.ljust(self._front[0]), DIM)]
        rest = dict(row.badges)
        for column, width in self._shown or ():
            parts.append(paint(_aligned(self._text(row, column), column, width), NUMBER))
        for badges in self._in_columns:
            rest.pop(next((badge for badge in badges if badge in rest), ""), None)
        if self._front[1]:
            parts.append(paint(kind.ljust(self._front[1]), KIND))
        parts.append(GAP * min(added.depth, DEEPEST) + safe(row.label))
        known = (row.ref.partition(":")[2], row.label)
        words = badge_words({name: value for name, value in rest.items() if str(value) not in known})
        parts += [paint(word, NUMBER) for word in words]
        if row.rows_below and not row.is_growing and not any(column.name == "rows_below" for column in self._columns):
            parts.append(paint(f"({row.rows_below:,} below)", DIM))
        if row.flags:
            parts.append(paint(f"[{', '.join(row.flags)}]", FLAG))
        return (added.sign + GAP.join(parts)).rstrip()

    def _text(self, row: Row, column: Column) -> str:
        text = column_text(row, column, self._is_ascii)
        # The ends of a name tell more than its middle.
        return text if len(text) <= WIDEST_TEXT else f"{text[: WIDEST_TEXT // 2]}…{text[1 - WIDEST_TEXT // 2 :]}"


def _named(row: Row) -> tuple[str, str]:
    """REF and kind of a row. What the label says is not repeated, nor a kind that begins the REF."""
    kind, sign, value = row.ref.partition(":")
    return safe(f"{kind}:" if sign and value == row.label else row.ref), "" if kind == row.kind else safe(row.kind)


def _aligned(text: str, column: Column, width: int) -> str:
    return (
        text.ljust(width) if column.unit == "text" and not any(sign for _, sign in column.badges) else text.rjust(width)
    )


def _capital(title: str) -> str:
    return title[:1].upper() + title[1:]
