"""From the cells that a line shows to those that it should show, in few strokes.

Cells that differ are written; where many of them become blank the stretch is erased first and what stands in it is
written after that, and a few cells between two that differ are written again when moving over them takes as much.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

from textual.strip import Strip

from tui.terminal.sgr import Look, Pen
from tui.terminal.stroke import Stroke

WORTH_A_MOVE = 5
"""Cells that must be saved before the cursor is moved over them: a move to the right takes four or five bytes."""

WORTH_ERASING = 4
"""Cells that must be saved before a stretch is erased instead of written."""


class Cell(NamedTuple):
    """A character and its look; a blank has the look that can be seen of it. One object for all that are equal."""

    character: str
    look: Look


Known: TypeAlias = Cell | Strip | None
"""What is known of a place: a cell, a strip of uncertain widths that lies over it, or nothing."""


def strokes_between(
    y: int, x: int, shown: Sequence[Known], wanted: Sequence[Cell], pen: Pen, is_alike_behind: bool
) -> Iterator[Stroke]:
    """What makes the cells of a line from `x` on the wanted ones, in an order that takes nothing away again.

    is_alike_behind: whatever else the line shows to the right of them is the same as the last one.
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
    """Where a line does not show what it should, ascending."""
    cells = enumerate(zip(shown, wanted, strict=True))
    return [at for at, (old, new) in cells if old is not new]


def worth_erasing(changed: Sequence[int], wanted: Sequence[Cell], pen: Pen) -> tuple[int, int]:
    """The cells [first, end) that are better erased before anything is written; an empty range where none are.

    The last cell that becomes blank is in it. From there to the left each longer stretch of blanks saves what of it
    had to be written, and each other cell that is right as it is costs that it must be written again.
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
    """How many of the ascending places lie in [start, end)."""
    return bisect_left(changed, end) - bisect_left(changed, start)


def stretches(changed: Iterable[int], wanted: Sequence[Cell], pen: Pen) -> Iterator[tuple[int, int, Look]]:
    """Stretches [start, end) of cells of one look that hold all cells that differ, with few others."""
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
                # Blanks in front take the look of what follows them.
                look, end, is_blank = own, at + 1, False
                continue
        if look is not None:
            yield start, end, look
        start, end, look, is_blank = at, at + 1, own, character == " "
        blank = pen.blank(own)
    if look is not None:
        yield start, end, look


def fit(cells: Sequence[Cell], look: Look, blank: Look | None) -> bool:
    """Whether cells can be written in a look."""
    return all(cell.look is look or (cell.look is blank and cell.character == " ") for cell in cells)
