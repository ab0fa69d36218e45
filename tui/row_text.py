"""One row as pieces of text with roles, and pieces as segments of a line that is exactly as wide as asked for.

A name is read from the right: its package is dim, its class plain, its method bold, its arguments dim. Packages of
arguments are left out, and narrow lines leave out more, so that what tells rows apart stays. Text of a file passes
`safe` here, is cut before it is measured, and is never markup.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment

from parsers.report import Badge, Column, Kind, Row, Unit
from tui.sanitise import safe
from tui.theme import Ground, Palette

MOST_CHARACTERS = 10_000
"""Of a label; what is longer is cut, and the row says how long it is."""

MOST_LEVELS = 40
"""Levels that are indented; deeper rows stand where the last one does."""

INDENT = 2
"""Cells a level."""

LEAST_LABEL = 40
"""Cells that a label has before columns are left out."""

FLAG_SIGNS = {
    "suppressed": "+",
    "empty": "-",
    "unknown": "?",
    "repaired": "~",
    "damaged": "!",
    "dangling": "!",
    "recursive": "@",
    "truncated": "…",
    "partial": "…",
}
"""The sign before the word of a flag: a colour alone says nothing."""

FULL, PLAIN, SHORT, SHORTEST = range(4)
"""How much of a name is shown: all; without packages of arguments; with short packages; and without arguments."""


class Piece(NamedTuple):
    """A text with what it is. `action` is what a click on it does, for whoever shows it."""

    text: str
    role: str = "text"
    action: str = ""


@dataclass(frozen=True, slots=True)
class Layout:
    """What is the same for all rows of a screen."""

    width: int
    columns: tuple[Column, ...]
    names: int = PLAIN
    """FULL, PLAIN, SHORT or SHORTEST."""
    left: int = 0
    """Cells that names are scrolled sideways."""
    outdent: int = 0
    """Levels that are left out of the indentation, because all rows on the screen have them."""
    is_ascii: bool = False
    number_width: int = 0
    """Cells of the number that a row begins with; 0: there is none."""

    @property
    def label_width(self) -> int:
        """Cells left of the columns."""
        return max(1, self.width - sum(column.width + 1 for column in self.columns))


@dataclass(frozen=True, slots=True)
class RowState:
    """What a row's line shows beside the row."""

    depth: int
    fold: str = " "
    """`+` closed, `-` open, blank: nothing below."""
    is_cursor: bool = False
    has_focus: bool = True
    is_sticky: bool = False
    mark: str = ""
    """One character: the letter of a mark, or the sign of a tag."""
    matches: tuple[tuple[int, int], ...] = ()
    """Characters of the label, half open, ascending."""
    is_current_match: bool = False
    number: str = ""
    """The row's number in the document."""


def fitting_columns(columns: Sequence[Column], width: int) -> tuple[Column, ...]:
    """Those that fit beside a label; the ones of lowest priority go first, one by one."""
    kept = list(columns)
    while kept and width - sum(column.width + 1 for column in kept) < LEAST_LABEL:
        kept.remove(min(reversed(kept), key=lambda column: column.priority))
    return tuple(kept)


def row_segments(row: Row, kind: Kind | None, state: RowState, layout: Layout, palette: Palette) -> list[Segment]:
    """The line of a row, exactly `layout.width` cells."""
    ground: Ground = "page"
    if state.is_cursor:
        ground = "cursor" if state.has_focus else "idle cursor"
    pieces = [*_front(state, layout), *_stem(row, kind, state, layout), *label_pieces(row, state, layout.names)]
    flags = [Piece(f"  {FLAG_SIGNS.get(flag, '!')}{flag}", "flag") for flag in row.flags]
    flag_width = sum(len(piece.text) for piece in flags)
    room = layout.label_width
    if 0 < flag_width < room // 2:
        room -= flag_width
    else:
        flags = []
    line = cut(pieces, room, layout.left, keep=3 if layout.number_width else 2)
    if flags:
        line += flags
    line = pad(line, layout.label_width)
    line += column_pieces(row, layout.columns, layout.is_ascii)
    if state.is_sticky:
        line = [
            piece if piece.role in ("guide", "text") and piece.text.isspace() else piece._replace(role="sticky")
            for piece in line
        ]
    return segments(pad(line, layout.width), palette, ground)


def _front(state: RowState, layout: Layout) -> Iterable[Piece]:
    """The two cells in front: the cursor, and the user's own mark."""
    if state.is_cursor:
        yield Piece(">" if layout.is_ascii else "█", "cursor")
    else:
        yield Piece(" ")
    if state.mark:
        yield Piece(safe(state.mark), "mark-sign")
    else:
        yield Piece(" ")
    if layout.number_width:
        yield Piece(state.number.rjust(layout.number_width) + " ", "number")


def _stem(row: Row, kind: Kind | None, state: RowState, layout: Layout) -> Iterable[Piece]:
    """Indentation, the sign of folding and the mark of the kind."""
    levels = min(max(0, state.depth - layout.outdent), MOST_LEVELS)
    if levels:
        yield Piece(" " * (INDENT * levels), "text")
    signs = {"+": "+", "-": "-"} if layout.is_ascii else {"+": "▸", "-": "▾"}
    yield Piece(signs.get(state.fold, " ") + " ", "fold")
    mark = "" if kind is None else (kind.ascii if layout.is_ascii else kind.mark)
    if mark:
        yield Piece(mark + " ", "mark")


def label_pieces(row: Row, state: RowState, names: int) -> list[Piece]:
    """The label in its roles, as short as asked for; where a match is in what would be left out, all of it."""
    label = row.label
    rest = len(label) - MOST_CHARACTERS
    text = safe(label if rest <= 0 else label[:MOST_CHARACTERS])
    whole = bool(state.matches) or names == FULL
    pieces: list[tuple[str, str, int]] = []
    position = 0
    for span in row.spans:
        start, end = max(span.start, position), min(span.end, len(text))
        if start > position:
            pieces.append((text[position:start], "text", position))
        if end > start:
            shown = text[start:end] if whole else shortened(text[start:end], span.role, names)
            if shown:
                pieces.append((shown, span.role, start))
            elif text.startswith((".", ":"), end):
                # The dot behind a package, or the colon behind a loader, goes with it.
                end += 1
            position = end
    if position < len(text):
        pieces.append((text[position:], "text", position))
    if not whole and names >= SHORTEST:
        pieces = without_arguments(pieces)
    result = _with_matches(pieces, state) if state.matches else [Piece(text, role) for text, role, _ in pieces]
    if rest > 0:
        result.append(Piece(f"… {len(label):,} characters", "flag"))
    return result


def shortened(text: str, role: str, names: int) -> str:
    """A span of a name with what is left out at that length of names."""
    if role in ("argument package", "result package"):
        return ""
    if role == "package" and names >= SHORT:
        return short_package(text)
    if role == "loader" and names >= SHORTEST:
        return ""
    return text


def short_package(text: str) -> str:
    """`org.h2.tools.` as `o.h2.tools.`: the first two parts as a letter, unless they are hardly longer."""
    parts = text.split(".")
    last = len(parts) - 1 if text.endswith(".") else len(parts)
    return ".".join(part[:1] if index < min(2, last) and len(part) > 2 else part for index, part in enumerate(parts))


def without_arguments(pieces: list[tuple[str, str, int]]) -> list[tuple[str, str, int]]:
    """A method without what is between its parentheses and without its result."""
    first = next((index for index, piece in enumerate(pieces) if piece[1] == "name"), None)
    if first is None or not any(piece[1] in ("argument", "result") for piece in pieces[first + 1 :]):
        return pieces
    opening = next((piece for piece in pieces[first + 1 :] if "(" in piece[0]), None)
    kept = pieces[: first + 1]
    has_arguments = any(piece[1] == "argument" for piece in pieces[first + 1 :])
    if opening is not None:
        kept.append(("(…)" if has_arguments else "()", "argument", opening[2]))
    return kept


def _with_matches(pieces: list[tuple[str, str, int]], state: RowState) -> list[Piece]:
    """Pieces cut where matches begin and end."""
    role_of_match = "current-match" if state.is_current_match else "match"
    result: list[Piece] = []
    for text, role, offset in pieces:
        position = 0
        for start, end in state.matches:
            begin, stop = max(start - offset, position), min(end - offset, len(text))
            if stop <= begin:
                continue
            if begin > position:
                result.append(Piece(text[position:begin], role))
            result.append(Piece(text[begin:stop], role_of_match))
            position = stop
        if position < len(text):
            result.append(Piece(text[position:], role))
    return result


def column_pieces(row: Row, columns: Sequence[Column], is_ascii: bool = False) -> list[Piece]:
    """The numbers at the right edge, each column one cell apart and flush right."""
    texts = [" " + column_text(row, column, is_ascii).rjust(column.width) for column in columns]
    return [
        Piece(text if len(text) <= column.width + 1 else " " + text[1 : column.width] + "…", "column")
        for text, column in zip(texts, columns, strict=True)
    ]


def column_text(row: Row, column: Column, is_ascii: bool = False) -> str:
    """What a column shows of a row: the first of its badges that the row has, with its sign."""
    for badge, sign in column.badges or ((column.name, ""),):
        if badge == "rows_below":
            return rows_below_text(row)
        if badge in row.badges:
            value = row.badges[badge]
            if value is not None:
                return ("^" if is_ascii and sign == "↩" else safe(sign)) + number_text(
                    value, "text" if sign else column.unit
                )
    return ""


def rows_below_text(row: Row) -> str:
    """How many rows are below; `…` where that may still rise, or is not known yet."""
    if row.rows_below is None:
        return "…" if row.is_growing else ""
    return f"{row.rows_below:,}" + ("…" if row.is_growing else "")


def number_text(value: Badge, unit: Unit = "count") -> str:
    """A number for people: counts grouped in thousands, ids and texts as they are."""
    if value is None:
        return ""
    if unit == "percent" and not isinstance(value, str):
        return f"{value:.1f} %"
    if isinstance(value, float):
        return f"{value:,.1f}"
    if isinstance(value, int) and unit != "text":
        return f"{value:,}"
    return safe(str(value))


# -- lines of pieces --------------------------------------------------------------------------------------------------


def width_of(text: str) -> int:
    """Cells of a text."""
    return len(text) if text.isascii() else cell_len(text)


def cut(pieces: Sequence[Piece], width: int, left: int = 0, keep: int = 0) -> list[Piece]:
    """At most `width` cells of a line, from cell `left` on; an ellipsis tells that something is missing at the right.

    keep: pieces in front that do not scroll sideways.
    """
    result: list[Piece] = []
    used = 0
    for index, piece in enumerate(pieces):
        text = piece.text
        cells = width_of(text)
        if left and index >= keep:
            if cells <= left:
                left -= cells
                continue
            text, left = drop_cells(text, left), 0
            cells = width_of(text)
        if used + cells > width:
            text = set_cell_size(text[: width + 1], max(0, width - used - 1)) if width > used else ""
            result.append(piece._replace(text=text + ("…" if width > used else "")))
            if width <= used and result and used:
                result.pop()
                result[-1] = result[-1]._replace(text=_with_ellipsis(result[-1].text))
            return result
        if text:
            result.append(piece._replace(text=text))
            used += cells
    return result


def _with_ellipsis(text: str) -> str:
    """The text with its last cell replaced."""
    return set_cell_size(text, width_of(text) - 1) + "…"


def drop_cells(text: str, cells: int) -> str:
    """What is right of the first cells; half of a wide character becomes a blank."""
    if text.isascii():
        return text[cells:]
    index = 0
    while index < len(text) and cells > 0:
        cells -= cell_len(text[index])
        index += 1
    return " " * -cells + text[index:]


def pad(pieces: Sequence[Piece], width: int, role: str = "text") -> list[Piece]:
    """The pieces and blanks up to the width; nothing is cut."""
    used = sum(width_of(piece.text) for piece in pieces)
    return [*pieces, Piece(" " * (width - used), role)] if used < width else list(pieces)


def segments(pieces: Iterable[Piece], palette: Palette, ground: Ground | None = "page") -> list[Segment]:
    """Pieces as segments with full styles; neighbours that look alike become one."""
    result: list[Segment] = []
    text, style = "", None
    for piece in pieces:
        wanted = palette.style(piece.role, ground)
        if wanted is style:
            text += piece.text
            continue
        if text:
            result.append(Segment(text, style))
        text, style = piece.text, wanted
    if text:
        result.append(Segment(text, style))
    return result
