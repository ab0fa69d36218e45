"""Output to the terminal as strokes: stretches of one look with their places, in the shortest order.

A frame with a few changed words consists mostly of sequences for places and looks. Two orders are compared, top to
bottom and look by look, and the shorter is sent. The cursor's position after a stroke is known, and moving on from
there is mostly shorter than an absolute position.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from tui.terminal.sgr import Pen, TextStyle

MOST_BY_LOOK = 120
"""Maximum strokes of a frame sent look by look: larger ones are painted from top to bottom, as they are read."""

NEXT_LINE = "\x1bD"
"""Moves down by a line: a byte shorter than the sequence for several. On the last line it would scroll."""

MOST_BACKSPACES = 3
"""Maximum steps to the left that are shorter as backspaces."""


class Stroke(NamedTuple):
    """Text of one look, or blanks to erase, and the place of the first cell."""

    y: int
    x: int
    look: TextStyle
    text: str
    erased: int = 0
    """Number of cells erased from the place on, instead of a text."""
    is_to_end: bool = False
    """True if the erased cells extend to the end of the line."""

    @property
    def end(self) -> int:
        """Position of the cursor afterwards."""
        return self.x + len(self.text)


def encode_strokes(strokes: Sequence[Stroke], pen: Pen, width: int) -> str:
    """Converts strokes to terminal text; the pen then has the terminal's look.

    strokes: from top to bottom; in a line, erased stretches precede text written over them
    width: of the terminal's lines, 0 if unknown
    """
    before = pen.now
    text = _encode(strokes, pen, width)
    if 2 < len(strokes) <= MOST_BY_LOOK:
        after, pen.now = pen.now, before
        by_look = _encode(sorted(strokes, key=_StrokeOrder(strokes, pen).key), pen, width)
        if len(by_look) < len(text):
            return by_look
        pen.now = after
    return text


def _encode(strokes: Iterable[Stroke], pen: Pen, width: int) -> str:
    parts: list[str] = []
    place: tuple[int, int] | None = None
    for stroke in strokes:
        parts.append(cursor_movement(place, stroke.y, stroke.x))
        if stroke.erased:
            parts.append(pen.erase(0 if stroke.is_to_end else stroke.erased, stroke.look))
        else:
            parts.append(pen.put(stroke.text, stroke.look))
        # Terminals disagree about the cursor's position after the last cell of a line.
        place = None if stroke.end >= width else (stroke.y, stroke.end)
    return "".join(parts)


class _StrokeOrder:
    """The order of strokes by look. Erasing precedes text, as it would remove text to its right."""

    def __init__(self, strokes: Sequence[Stroke], pen: Pen) -> None:
        self._last = {stroke.y: stroke for stroke in strokes}
        self._before = {(stroke.y, stroke.end): stroke.look for stroke in strokes if stroke.text}
        self._pen = pen

    def key(self, stroke: Stroke) -> tuple[object, ...]:
        """The sort key of a stroke."""
        look = stroke.look
        if stroke.erased:
            before = self._before.get((stroke.y, stroke.x))
            if before is None or self._last[stroke.y] is not stroke or self._pen.blank(before) is not look:
                return False, look.back, stroke.y, stroke.x
            look = before
        return True, look.back, sorted(look.attributes), look.front, stroke.y, stroke.x


def cursor_movement(place: tuple[int, int] | None, y: int, x: int) -> str:
    """The shortest sequence that moves the cursor from a place (None: unknown) to another."""
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
