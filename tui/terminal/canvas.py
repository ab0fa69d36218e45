"""What the terminal shows, so that nothing is sent to it twice.

Textual repaints whole regions; over a slow line most of that is on the screen already. A `Canvas` remembers each piece
(a strip at a place) that it wrote, and of a piece that replaces one of the same extent it writes only the cells that
differ. It must `forget` whenever anything else may have written to the terminal: a resize, a resume, a redraw.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple, TypeAlias

from textual.strip import Strip

from tui.terminal.sgr import Look, Pen

CERTAIN = frozenset(map(chr, range(0x20, 0x7F))) | frozenset("│─┆┄▸▾●→⇢↩█▌▐▏▎▍▋▊▉…·×✗✓⊕↯←↑↓")
"""Characters that every terminal is taken to show in one cell."""

WORTH_A_MOVE = 6
"""Cells that must be saved before the cursor is moved over them: a move costs about as many bytes."""

Cell: TypeAlias = tuple[str, Look]
"""A character and its look; blanks have the look that can be seen of them."""


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
        if shown is None or shown.cell_length != strip.cell_length or not (is_certain(shown) and is_certain(strip)):
            return f"\x1b[{y + 1};{x + 1}H{self.pen.write(strip)}"
        cells = self._cells(strip)
        return "".join(
            [
                f"\x1b[{y + 1};{x + first + 1}H{self._put(cells[first:last])}"
                for first, last in differences(self._cells(shown), cells)
            ]
        )

    def _cells(self, strip: Strip) -> list[Cell]:
        cells: list[Cell] = []
        for text, style, control in strip:
            if not control:
                look = self.pen.look(style)
                blank = self.pen.blank(look)
                cells += [(character, blank if character == " " else look) for character in text]
        return cells

    def _put(self, cells: list[Cell]) -> str:
        groups = groupby(cells, itemgetter(1))
        return "".join([self.pen.put("".join([character for character, _ in group]), look) for look, group in groups])


def differences(shown: list[Cell], wanted: list[Cell]) -> Iterator[tuple[int, int]]:
    """Ranges of cells that differ between two rows of the same length; short stretches between them are included."""
    first = last = -1
    for at, (old, new) in enumerate(zip(shown, wanted, strict=True)):
        if old[1] is not new[1] or old[0] != new[0]:
            if first < 0:
                first = at
            elif at - last >= WORTH_A_MOVE:
                yield first, last
                first = at
            last = at + 1
    if first >= 0:
        yield first, last


def is_certain(strip: Strip) -> bool:
    """Whether each character surely takes one cell: else what follows may stand elsewhere than we think."""
    return all(
        text.isprintable() if text.isascii() else CERTAIN.issuperset(text) for text, _, control in strip if not control
    )
