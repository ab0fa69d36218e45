"""What the terminal shows, so that nothing is sent to it twice.

Textual repaints whole regions; over a slow line most of that is on the screen already. A `Canvas` remembers each piece
(a strip at a place) that it wrote and writes a piece again only if it differs, and then only the segments that differ
at its two ends. It must `forget` whenever anything else may have written to the terminal: a resize, a resume, a redraw.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from rich.segment import Segment
from textual.strip import Strip

from tui.terminal.sgr import Pen

CERTAIN = frozenset(map(chr, range(0x20, 0x7F))) | frozenset("│─┆┄▸▾●→⇢↩█▌▐▏▎▍▋▊▉…·×✗✓⊕↯←↑↓")
"""Characters that every terminal is taken to show in one cell."""

WORTH_A_MOVE = 8
"""Cells that must be saved before the cursor is moved over them: a move costs about as many bytes."""


class Piece(NamedTuple):
    """A strip and the place of its first cell."""

    y: int
    x: int
    strip: Strip


class Canvas:
    """The terminal's screen as far as it is known."""

    def __init__(self, pen: Pen) -> None:
        self.pen = pen
        self._rows: dict[int, dict[int, Strip]] = {}

    def forget(self) -> None:
        """Take nothing for granted: the next paint sends everything."""
        self._rows.clear()

    def paint(self, pieces: Iterable[Piece]) -> str:
        """Terminal text that makes the screen show these pieces; empty if it does already."""
        self.pen.begin()
        text = "".join([self._paint_piece(piece) for piece in pieces])
        return text + self.pen.end()

    def _paint_piece(self, piece: Piece) -> str:
        y, x, strip = piece
        row = self._rows.setdefault(y, {})
        shown = row.get(x)
        if shown == strip:
            return ""
        end = x + strip.cell_length
        for start in [start for start, old in row.items() if start < end and start + old.cell_length > x]:
            del row[start]
        row[x] = strip
        segments = list(strip)
        skipped = 0
        if shown is not None and shown.cell_length == strip.cell_length:
            skipped, segments = difference(list(shown), segments)
        return f"\x1b[{y + 1};{x + skipped + 1}H{self.pen.write(segments)}" if segments else ""


def difference(shown: list[Segment], wanted: list[Segment]) -> tuple[int, list[Segment]]:
    """Where two rows of the same width begin to differ, in cells, and the wanted segments up to where they end to.

    Only where all widths are certain: a terminal that shows a character wider than we think has shifted what follows.
    """
    if not (is_certain(shown) and is_certain(wanted)):
        return 0, wanted
    first = 0
    limit = min(len(shown), len(wanted))
    while first < limit and shown[first] == wanted[first]:
        first += 1
    last = 0
    while last < limit - first and shown[-1 - last] == wanted[-1 - last]:
        last += 1
    cells = sum(len(segment.text) for segment in wanted[:first])
    if cells < WORTH_A_MOVE:
        cells = first = 0
    return cells, wanted[first : len(wanted) - last]


def is_certain(segments: list[Segment]) -> bool:
    """Whether each character surely takes one cell."""
    return all(segment.text.isascii() or CERTAIN.issuperset(segment.text) for segment in segments)
