"""Pieces of text with roles, and lines of them: measured in cells, cut, padded, converted to segments."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment

from tui.screen.theme import Ground, Palette

MOST_PER_CELL = 4
"""Maximum characters of one cell."""


MATCHES = ("match", "current-match")
"""Roles of search matches."""

is_narrow = re.compile("[ -~¡-¬®-˿•…←-⇿∅─-◼]*").fullmatch
"""Matches a text whose characters occupy one cell each: Latin letters, and the signs that rows are drawn with."""


class Piece(NamedTuple):
    """A text with its role. `action` is the action of a click on it, defined by the widget that shows it."""

    text: str
    role: str = "text"
    action: str = ""


def width_of(text: str) -> int:
    """Cells of a text."""
    return len(text) if text.isascii() or is_narrow(text) else cell_len(text)


def line_width(pieces: Iterable[Piece]) -> int:
    """Cells of a line."""
    return width_of("".join([piece.text for piece in pieces]))


def piece_at(pieces: Iterable[Piece], cell: int) -> Piece | None:
    """The piece at a cell of a line; None after its end."""
    end = 0
    for piece in pieces:
        end += width_of(piece.text)
        if cell < end:
            return piece
    return None


def cut(pieces: Sequence[Piece], width: int, left: int = 0, keep: int = 0) -> list[Piece]:
    """Returns at most `width` cells of a line, from cell `left` on; an ellipsis marks text missing at the right.

    keep: number of front pieces that do not scroll sideways.
    """
    result: list[Piece] = []
    used = 0
    for index, piece in enumerate(pieces):
        text = piece.text
        # Only malicious text has many characters without width on few cells.
        most = MOST_PER_CELL * (left + width - used + 1)
        is_long = len(text) > most
        if is_long:
            text = text[:most]
        cells = width_of(text)
        if left and index >= keep:
            if cells <= left:
                left -= cells
                continue
            text, left = drop_cells(text, left), 0
            cells = width_of(text)
        if is_long or used + cells > width:
            return _cut_in(result, piece, text, width - used)
        if text:
            result.append(piece if text is piece.text else Piece(text, piece.role, piece.action))
            used += cells
    return result


def cut_middle(pieces: Sequence[Piece], width: int) -> list[Piece]:
    """Returns at most `width` cells of a line: its beginning and its end, with an ellipsis between them."""
    cells = line_width(pieces)
    if cells <= width:
        return list(pieces)
    end = max(0, width // 2)
    return [*cut(pieces, width - end), *(cut(pieces, cells, cells - end) if end else ())]


def match_in_sight(pieces: Sequence[Piece], width: int) -> list[Piece]:
    """Removes so much of a line's beginning that its first match is among the first cells."""
    before = 0
    for piece in pieces:
        if piece.role in MATCHES:
            break
        before += width_of(piece.text)
    else:
        return list(pieces)
    match = width_of(piece.text)
    left = min(before - width // 4, line_width(pieces) - width)
    if before + match <= width - 1 or left <= 1:
        return list(pieces)
    return [Piece("…", "quiet"), *cut(pieces, line_width(pieces), left + 1)]


def _cut_in(result: list[Piece], piece: Piece, text: str, space: int) -> list[Piece]:
    """Adds as much of the next piece as fits to the pieces, with an ellipsis in the last cell."""
    if space > 0:
        result.append(piece._replace(text=set_cell_size(text, space - 1) + "…"))
        return result
    # Text without cells of its own, such as a modifier alone, has none for an ellipsis.
    while result and not width_of(result[-1].text):
        result.pop()
    if result:
        last = result[-1].text
        result[-1] = result[-1]._replace(text=set_cell_size(last, width_of(last) - 1) + "…")
    return result


def drop_cells(text: str, cells: int) -> str:
    """Removes the first cells; half of a wide character becomes a blank."""
    if text.isascii():
        return text[cells:]
    index = 0
    while index < len(text) and cells > 0:
        cells -= cell_len(text[index])
        index += 1
    return " " * -cells + text[index:]


def pad(pieces: Sequence[Piece], width: int) -> list[Piece]:
    """Adds blanks up to the width; cuts nothing."""
    used = line_width(pieces)
    return [*pieces, Piece(" " * (width - used))] if used < width else list(pieces)


def segments(pieces: Iterable[Piece], palette: Palette, ground: Ground | None = "page") -> list[Segment]:
    """Converts pieces to segments with full styles; merges neighbours that look alike."""
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


def changed_cells(old: Sequence[Piece], new: Sequence[Piece]) -> tuple[int, int] | None:
    """Returns the cells [start, end) in which two lines of equal width differ; None: none."""
    before = [(character, piece.role) for piece in old for character in piece.text]
    after = [(character, piece.role) for piece in new for character in piece.text]
    if before == after:
        return None
    width = line_width(new)
    if not len(before) == len(after) == width == line_width(old):
        return 0, width
    differ = [cell for cell in range(width) if before[cell] != after[cell]]
    return differ[0], differ[-1] + 1
