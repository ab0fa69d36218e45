"""Rows as lines of text for people: REF, numbers, kind, label indented by depth, and what has no column.

Texts of a report always pass `safe`: a pipe may end on a terminal too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from parsers.model.names.ref_number import is_number_of
from parsers.model.row import Column, Row, capitalized, value_in
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

SHORTEST_LABEL = 28
"""Cells to which a terminal's width may shorten a label; deep rows are indented less for it."""

COLOURS = re.compile(r"\x1b\[[0-9;]*m")
"""Escape sequences of colours."""

WIDEST_TEXT = 32
"""Maximum width of texts in columns; longer ones are cut in the middle."""

GAP = "  "


class _Added(NamedTuple):
    """A row that waits for the widths."""

    row: Row
    depth: int
    sign: str


_Shown = tuple[Column, int, Callable[[str, int], str]]
"""A column with its width and alignment."""


class RowTable:
    """Prints rows in columns that follow the first rows. Lines between rows keep their place.

    width: columns of the terminal; 0: there is none
    """

    def __init__(self, write: Callable[[str], object], paint: Painter, width: int, is_ascii: bool) -> None:
        self._write = write
        self._paint = paint
        self._width = width or WIDTH
        self._is_terminal = width > 0
        self._is_ascii = is_ascii
        self._title = ""
        self._columns: Sequence[Column] = ()
        self._waiting: list[_Added | str] = []
        self._shown: list[_Shown] | None = None
        """Columns with their widths; None until the first rows have decided them."""
        self._in_columns: set[str] = set()
        """Badges of columns that are shown, or for which the line is too short."""
        self._choices: list[list[str]] = []
        """Badges of each column with several, of which it shows the first that a row has."""
        self._front = 0, 0
        """Widths of REFs and kinds."""
        self._tells_below = True

    def add(self, title: str, columns: Sequence[Column], row: Row, depth: int, sign: str = "") -> None:
        """Prints a row of a view, or keeps it for the table. A view with other columns begins a new table."""
        if (title, columns) != (self._title, self._columns):
            self.end()
            self._title, self._columns = title, columns
        if self._shown is not None:
            self._write(self._line(row, depth, sign))
            return
        self._waiting.append(_Added(row, depth, sign))
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
            self._write(each if isinstance(each, str) else self._line(*each))

    def end(self) -> None:
        """Prints the rows that wait; the next row begins a new table."""
        self.flush()
        self._shown = None

    def _arrange(self, rows: Sequence[_Added]) -> None:
        """Decides columns and widths, and prints the headings."""
        shown = []
        for column in self._columns:
            width = max(len(self._text(row.row, column)) for row in rows)
            # Ids that are in the REFs already need no column.
            is_ref = is_number_of(column.name) and all(
                str(value_in(each.row, column)) == each.row.ref.partition(":")[2] for each in rows
            )
            if width and not is_ref:
                shown.append((column, max(width, len(titled(column))), _alignment(column)))
        refs, kinds = zip(*(_named(each.row) for each in rows), strict=True)
        self._front = min(WIDEST_REF, max(3, *map(len, refs))), max(map(len, kinds))
        badges = [[badge for badge, _ in column.badges] or [column.name] for column, *_ in shown]
        self._in_columns = {name for names in badges for name in names}
        self._choices = [names for names in badges if len(names) > 1]
        least = SHORTEST_LABEL if self._is_terminal else LEAST_LABEL
        while shown and self._numbers_at(shown) + least > self._width:
            shown.remove(min(reversed(shown), key=lambda each: each[0].priority))
        self._shown = shown
        self._tells_below = all(column.name != "rows_below" for column, *_ in shown)
        titles = [align(capitalized(titled(column)), width) for column, width, align in shown]
        front = ["REF".ljust(self._front[0]), *titles, *(["Kind".ljust(self._front[1])] if self._front[1] else [])]
        sign = " " * len(rows[0].sign)
        self._write(self._paint(sign + GAP.join([*front, safe(self._title)]), BOLD))

    def _numbers_at(self, shown: Sequence[_Shown]) -> int:
        return sum(self._front) + 2 * len(GAP) + sum(width + len(GAP) for _, width, _ in shown)

    def _line(self, row: Row, depth: int, sign: str) -> str:
        paint = self._paint
        ref, kind = _named(row)
        parts = [paint(ref.ljust(self._front[0]), DIM)]
        for column, width, align in self._shown or ():
            parts.append(paint(align(self._text(row, column), width), NUMBER))
        if self._front[1]:
            parts.append(paint(kind.ljust(self._front[1]), KIND))
        elif kind:
            parts.append(paint(kind, KIND))
        rest = [name for name in row.badges if name not in self._in_columns]
        for names in self._choices:
            rest += [name for name in names if name in row.badges][1:]
        last = []
        if rest:
            known = (row.ref.partition(":")[2], row.label)
            badges = {name: row.badges[name] for name in rest if str(row.badges[name]) not in known}
            last += [paint(word, NUMBER) for word in badge_words(badges)]
        if self._tells_below and row.rows_below and not row.is_growing:
            last.append(paint(f"({row.rows_below:,} below)", DIM))
        if row.flags:
            last.append(paint(f"[{', '.join(row.flags)}]", FLAG))
        indent = GAP * min(depth, DEEPEST)
        label = safe(row.label)
        if self._is_terminal:
            used = self._numbers_at(self._shown or ()) - (0 if self._front[1] else len(GAP)) + len(sign)
            used += max(0, len(ref) - self._front[0])
            space = max(SHORTEST_LABEL, self._width - used - sum(len(GAP + _plain(text)) for text in last))
            indent = indent[: space - SHORTEST_LABEL]
            label = _fitted(row, label, space - len(indent))
        return (sign + GAP.join([*parts, indent + label, *last])).rstrip()

    def _text(self, row: Row, column: Column) -> str:
        text = column_text(row, column, self._is_ascii)
        # The ends of a name distinguish it better than its middle.
        return text if len(text) <= WIDEST_TEXT else f"{text[: WIDEST_TEXT // 2]}…{text[1 - WIDEST_TEXT // 2 :]}"


def _named(row: Row) -> tuple[str, str]:
    """REF and kind of a row. What the label says is not repeated, nor a kind that begins the REF."""
    kind, sign, value = row.ref.partition(":")
    return safe(f"{kind}:" if sign and value == row.label else row.ref), "" if kind == row.kind else safe(row.kind)


def _fitted(row: Row, label: str, space: int) -> str:
    """The label as the browser shows it in so many cells; a pipe has it whole."""
    if len(label) <= space:
        return label
    from tui.tree.label import PLAIN, fitted_label
    from tui.tree.piece import cut_middle

    return "".join(piece.text for piece in cut_middle(fitted_label(row, PLAIN, space), space))


def _plain(text: str) -> str:
    return COLOURS.sub("", text)


def _alignment(column: Column) -> Callable[[str, int], str]:
    """Names are flush left, numbers flush right."""
    return str.ljust if column.unit == "text" and not any(sign for _, sign in column.badges) else str.rjust
