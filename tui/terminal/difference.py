"""Strokes that change the shown cells of a line to the wanted ones, as few as possible.

Differing cells are written. Where many become blank, the stretch is erased first and text in it is written afterwards.
A few equal cells between differing ones are written again if moving over them costs as much.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

from textual.strip import Strip

from tui.terminal.sgr import Pen, TextStyle
from tui.terminal.stroke import Stroke

WORTH_A_MOVE = 5
"""Cells saved by moving the cursor over them, at least: a move to the right takes four or five bytes."""

WORTH_ERASING = 4
"""Cells saved by erasing a stretch instead of writing it, at least."""


class Cell(NamedTuple):
    """A character and its look; a blank has only the visible part of its look. Equal cells are one object."""

    character: str
    look: TextStyle


Known: TypeAlias = Cell | Strip | None
"""Known contents of a cell: a cell, a strip of uncertain widths that covers it, or nothing."""


def strokes_between(
    y: int, x: int, shown: Sequence[Known], wanted: Sequence[Cell], pen: Pen, is_alike_behind: bool
) -> Iterator[Stroke]:
    """Yields strokes that change the cells of a line from `x` on, in an order in which none erases an earlier one.

    is_alike_behind: the rest of the line to the right looks the same as the last cell.
    """
    changed = differing(shown, wanted)
    first, end = worth_erasing(changed, wanted, pen)
    erasure = None
    if first < end:
        blank = wanted[end - 1]
        inside = [at for at in range(first, end) if wanted[at] is not blank]
        changed = [*changed[: bisect_left(changed, first)], *inside, *changed[bisect_left(changed, end) :]]
        erasure = Stroke(y, x + first, blank.look, "", end - first, is_alike_behind and end == len(wanted))
    for start, stop, look in stretches(changed, wanted, pen):
        if erasure is not None and stop > first:
            yield erasure
            erasure = None
        yield Stroke(y, x + start, look, "".join([cell.character for cell in wanted[start:stop]]))
    if erasure is not None:
        yield erasure


def differing(shown: Sequence[Known], wanted: Sequence[Cell]) -> list[int]:
    """Indexes of cells that differ from the wanted ones, ascending."""
    cells = enumerate(zip(shown, wanted, strict=True))
    return [at for at, (old, new) in cells if old is not new]


def worth_erasing(changed: Sequence[int], wanted: Sequence[Cell], pen: Pen) -> tuple[int, int]:
    """The cells [first, end) that are better erased before writing; an empty range if none are.

    The range includes the last cell that becomes blank. From there to the left, each longer stretch of blanks saves its
    writes, and each other unchanged cell costs a write.
    """
    last = next((at for at in reversed(changed) if wanted[at].character == " "), None)
    if last is None or not pen.can_erase(wanted[last].look):
        return 0, 0
    blank = wanted[last]
    end = last + 1
    while end < len(wanted) and wanted[end] is blank:
        end += 1
    saved = most = 0
    first, right, least = end, end, 1
    text = "".join([cell.character for cell in wanted[:end]])
    for start, stop in reversed([blanks.span() for blanks in long_blanks(text)]):
        if wanted[start:stop].count(blank) != stop - start:
            break
        between = count_within(changed, stop, right)
        saved -= right - stop - between
        saved += max(0, count_within(changed, start, stop) - least + 1)
        right, least = start, WORTH_A_MOVE
        if saved > most:
            most, first = saved, start
    return (first, end) if most >= WORTH_ERASING else (0, 0)


long_blanks = re.compile(rf" {{{WORTH_ERASING},}}").finditer
"""Stretches of blanks that may be worth erasing."""


def count_within(changed: Sequence[int], start: int, end: int) -> int:
    """Number of the ascending places in [start, end)."""
    return bisect_left(changed, end) - bisect_left(changed, start)


def stretches(changed: Iterable[int], wanted: Sequence[Cell], pen: Pen) -> Iterator[tuple[int, int, TextStyle]]:
    """Stretches [start, end) of cells of one look that cover all differing cells, with few others."""
    start = end = 0
    look = blank = None
    is_blank = False
    for at in changed:
        character, own = wanted[at]
        if look is not None and (at == end or (at - end < WORTH_A_MOVE and fit(wanted[end:at], look, blank))):
            if own is look or (own is blank and character == " "):
                end, is_blank = at + 1, is_blank and character == " "
                continue
            if is_blank and pen.blank(own) is blank:
                # Leading blanks take the look of the next cell.
                look, end, is_blank = own, at + 1, False
                continue
        if look is not None:
            yield start, end, look
        start, end, look, is_blank = at, at + 1, own, character == " "
        blank = pen.blank(own)
    if look is not None:
        yield start, end, look


def fit(cells: Sequence[Cell], look: TextStyle, blank: TextStyle | None) -> bool:
    """True if cells can be written in a look."""
    return all(cell.look is look or (cell.look is blank and cell.character == " ") for cell in cells)
