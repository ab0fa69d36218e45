"""Text on its way to the terminal: stretches of one look, each with its place, in the order that takes fewest bytes.

A frame that changes a few words here and there is mostly sequences: where a word stands and how it looks. Both orders
are tried, from top to bottom and one look after the other; the shorter one is sent. Where the cursor is after a stroke
is known, and moving on from there is mostly shorter than saying the next place.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from tui.terminal.sgr import Look, Pen

MOST_BY_LOOK = 120
"""Strokes of a frame up to which it may be sent look by look: a page is painted from top to bottom, as it is read."""

NEXT_LINE = "\x1bD"
"""Down by a line: a byte shorter than the sequence for several. On the last line it would scroll."""

MOST_BACKSPACES = 3
"""Steps to the left that are shorter as backspaces."""


class Stroke(NamedTuple):
    """Text of one look, or blanks to erase, and the place of the first cell."""

    y: int
    x: int
    look: Look
    text: str
    erased: int = 0
    """Cells that are erased from the place on, instead of a text."""
    is_to_end: bool = False
    """Whether they are all to the end of the line."""

    @property
    def end(self) -> int:
        """Where the cursor is afterwards."""
        return self.x + len(self.text)


def drawn(strokes: Sequence[Stroke], pen: Pen, width: int) -> str:
    """Terminal text of strokes; the pen is left as the terminal is after it.

    strokes: from top to bottom, in a line what is erased before what is written over it
    width: of the terminal's lines, 0 if unknown
    """
    before = pen.now
    text = _drawn(strokes, pen, width)
    if 2 < len(strokes) <= MOST_BY_LOOK:
        after, pen.now = pen.now, before
        by_look = _drawn(sorted(strokes, key=_Looks(strokes, pen).key), pen, width)
        if len(by_look) < len(text):
            return by_look
        pen.now = after
    return text


def _drawn(strokes: Iterable[Stroke], pen: Pen, width: int) -> str:
    parts: list[str] = []
    place: tuple[int, int] | None = None
    for stroke in strokes:
        parts.append(way(place, stroke.y, stroke.x))
        if stroke.erased:
            parts.append(pen.erase(0 if stroke.is_to_end else stroke.erased, stroke.look))
        else:
            parts.append(pen.put(stroke.text, stroke.look))
        # Behind the last cell of a line terminals disagree about where the cursor is.
        place = None if stroke.end >= width else (stroke.y, stroke.end)
    return "".join(parts)


class _Looks:
    """The order of strokes by look. What is erased goes first, for it would take away what is right of it."""

    def __init__(self, strokes: Sequence[Stroke], pen: Pen) -> None:
        self._last = {stroke.y: stroke for stroke in strokes}
        self._before = {(stroke.y, stroke.end): stroke.look for stroke in strokes if stroke.text}
        self._pen = pen

    def key(self, stroke: Stroke) -> tuple[object, ...]:
        """What to sort by."""
        look = stroke.look
        if stroke.erased:
            before = self._before.get((stroke.y, stroke.x))
            if before is None or self._last[stroke.y] is not stroke or self._pen.blank(before) is not look:
                return False, look.back, stroke.y, stroke.x
            look = before
        return True, look.back, sorted(look.attributes), look.front, stroke.y, stroke.x


def way(place: tuple[int, int] | None, y: int, x: int) -> str:
    """The shortest sequence that moves the cursor from a place, or from nobody knows where, to another."""
    if place == (y, x):
        return ""
    absolute = f"\x1b[{y + 1};{x + 1}H" if x else f"\x1b[{y + 1}H" if y else "\x1b[H"
    if place is None or y < place[0]:
        return absolute
    steps = x - place[1]
    relative = f"\x1b[{steps if steps > 1 else ''}C" if steps > 0 else ""
    if steps < 0:
        relative = "\r" if not x else "\b" * -steps if -steps <= MOST_BACKSPACES else f"\x1b[{-steps}D"
    lines = y - place[0]
    if lines:
        relative = (NEXT_LINE if lines == 1 else f"\x1b[{lines}B") + relative
    return min(relative, absolute, key=len)
