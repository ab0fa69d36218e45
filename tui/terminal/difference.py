"""From the cells that a line shows to those that it should show, in few strokes.

Cells that differ are written; where many of them become blank the stretch is erased first and what stands in it is
written after that, and a few cells between two that differ are written again when moving over them takes as much.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeAlias

from textual.strip import Strip

from tui.terminal.sgr import Look, Pen
from tui.terminal.stroke import Stroke

WORTH_A_MOVE = 5
"""Cells that must be saved before the cursor is moved over them: a move to the right takes four or five bytes."""

WORTH_ERASING = 4
"""Cells that must be saved before a stretch is erased instead of written."""


class Cell(NamedTuple):
    """A character and its look; a blank has the look that can be seen of it. One object for all of a style."""

    character: str
    look: Look


Known: TypeAlias = Cell | Strip | None
"""What is known of a place: a cell, a strip of uncertain widths that lies over it, or nothing."""


def strokes_between(
    y: int, x: int, shown: list[Known], wanted: Sequence[Cell], pen: Pen, is_alike_behind: bool
) -> Iterator[Stroke]:
    """What makes the cells of a line from `x` on the wanted ones, from left to right.

    shown: is changed to what is shown after erasing. is_alike_behind: whatever else the line shows to the right
    of them is the same as the last one.
    """
    first, end = worth_erasing(shown, wanted, pen)
    if first < end:
        blank = wanted[end - 1]
        shown[first:end] = [blank] * (end - first)
        erasure = Stroke(y, x + first, blank.look, "", end - first, is_alike_behind and end == len(wanted))
    else:
        erasure = None
    for start, stop, look in stretches(shown, wanted, pen):
        if erasure is not None and start >= first:
            yield erasure
            erasure = None
        yield Stroke(y, x + start, look, "".join([cell.character for cell in wanted[start:stop]]))
    if erasure is not None:
        yield erasure


def worth_erasing(shown: Sequence[Known], wanted: Sequence[Cell], pen: Pen) -> tuple[int, int]:
    """The cells [first, end) that are better erased before anything is written; an empty range where none are."""
    end = len(wanted)
    while end and (wanted[end - 1].character != " " or not differ(shown[end - 1], wanted[end - 1])):
        end -= 1
    if not end or not pen.can_erase(wanted[end - 1].look):
        return 0, 0
    blank = wanted[end - 1].look
    saved = most = stretch = 0
    first = end
    is_last = True
    for at in range(end - 1, -1, -1):
        character, look = wanted[at]
        if character == " " and look is blank:
            if differ(shown[at], wanted[at]):
                stretch += 1
                saved += is_last or stretch >= WORTH_A_MOVE
                if saved > most:
                    most, first = saved, at
            continue
        is_last, stretch = False, 0
        if not differ(shown[at], wanted[at]):
            saved -= 1
    if most < WORTH_ERASING:
        return 0, 0
    while end < len(wanted) and wanted[end].character == " " and wanted[end].look is blank:
        end += 1
    return first, end


def stretches(shown: Sequence[Known], wanted: Sequence[Cell], pen: Pen) -> Iterator[tuple[int, int, Look]]:
    """Stretches [start, end) of cells of one look that hold all cells that differ, with few others."""
    start = end = 0
    look = blank = wanted[0].look if wanted else None
    is_blank = False
    for at, (old, new) in enumerate(zip(shown, wanted, strict=True)):
        if old is new or old == new:
            continue
        character, own = new
        if start < end and (at == end or (at - end < WORTH_A_MOVE and fit(wanted[end:at], look, blank))):
            if own is look or (own is blank and character == " "):
                end, is_blank = at + 1, is_blank and character == " "
                continue
            if is_blank and pen.blank(own) is blank:
                # Blanks in front take the look of what follows them.
                look, end, is_blank = own, at + 1, False
                continue
        if start < end and look is not None:
            yield start, end, look
        start, end, look, is_blank = at, at + 1, own, character == " "
        blank = pen.blank(own)
    if start < end and look is not None:
        yield start, end, look


def fit(cells: Sequence[Cell], look: Look | None, blank: Look | None) -> bool:
    """Whether cells can be written in a look."""
    return all(cell.look is look or (cell.look is blank and cell.character == " ") for cell in cells)


def differ(shown: Known, wanted: Cell) -> bool:
    """Whether a cell has to be written."""
    return shown is not wanted and shown != wanted
