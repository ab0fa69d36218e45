"""What the terminal shows, so that nothing is sent to it twice.

Textual repaints whole regions; over a slow line most of that is on the screen already. A `Canvas` remembers each cell
that it wrote and writes only those that differ. It must `forget` whenever anything else may have written to the
terminal: a resize, a resume, a redraw.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple, TypeAlias

from rich.style import Style
from textual.strip import Strip

from tui.terminal.sgr import Look, Pen

CERTAIN = frozenset(map(chr, range(0x20, 0x7F))) | frozenset("│─┆┄▸▾●→⇢↩█▌▐▏▎▍▋▊▉▁▂▃▄▅▆▇…·×✗✓⊕↯←↑↓")
"""Characters that every terminal is taken to show in one cell."""

WORTH_A_MOVE = 5
"""Cells that must be saved before the cursor is moved over them: a move to the right takes four or five bytes."""


class Cell(NamedTuple):
    """A character and its look; a blank has the look that can be seen of it. One object for all that are equal."""

    character: str
    look: Look


Known: TypeAlias = Cell | Strip | None
"""What is known of a place: a cell, a strip of uncertain widths that lies over it, or nothing."""


class Piece(NamedTuple):
    """A strip and the place of its first cell."""

    y: int
    x: int
    strip: Strip


class Alphabet(dict[str, Cell]):
    """The cells of a look by character, made when first asked for."""

    def __init__(self, look: Look, blank: Look) -> None:
        super().__init__({" ": Cell(" ", blank)})
        self.look = look

    def __missing__(self, character: str) -> Cell:
        cell = self[character] = Cell(character, self.look)
        return cell


class Canvas:
    """The terminal's screen as far as it is known."""

    def __init__(self, pen: Pen) -> None:
        self.pen = pen
        self._rows: dict[int, list[Known]] = {}
        self._alphabets: dict[Style | None, Alphabet] = {}

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
        end = x + strip.cell_length
        row = self._rows.setdefault(y, [])
        if len(row) < end:
            row += [None] * (end - len(row))
        shown = row[x:end]
        if not is_certain(strip):
            if all(known is shown[0] for known in shown) and shown[0] == strip:
                return ""
            row[x:end] = [strip] * (end - x)
            return f"\x1b[{y + 1};{x + 1}H{self.pen.write(strip)}"
        cells = self._cells(strip)
        if len(cells) != end - x:
            # A widget said a wrong length of its line: better a cut line than the end of the program.
            cells = self._cells(Strip([*strip]).adjust_cell_length(end - x))
        if shown == cells:
            return ""
        row[x:end] = cells
        parts, at = [], -1
        for first, last in differences(shown, cells):
            parts.append(f"\x1b[{y + 1};{x + first + 1}H" if at < 0 else f"\x1b[{first - at}C")
            parts.append(self._put(cells[first:last]))
            at = last
        return "".join(parts)

    def _cells(self, strip: Strip) -> list[Cell]:
        cells: list[Cell] = []
        for text, style, control in strip:
            if not control:
                cells += map(self._alphabet(style).__getitem__, text)
        return cells

    def _alphabet(self, style: Style | None) -> Alphabet:
        alphabet = self._alphabets.get(style)
        if alphabet is None:
            look = self.pen.look(style)
            alphabet = self._alphabets[style] = Alphabet(look, self.pen.blank(look))
        return alphabet

    def _put(self, cells: list[Cell]) -> str:
        groups = groupby(cells, attrgetter("look"))
        return "".join([self.pen.put("".join([cell.character for cell in group]), look) for look, group in groups])


def differences(shown: Sequence[Known], wanted: Sequence[Cell]) -> Iterator[tuple[int, int]]:
    """Ranges of cells that differ between two rows of the same length; short stretches between them are included."""
    first = last = -1
    for at, (old, new) in enumerate(zip(shown, wanted, strict=True)):
        if old is not new and old != new:
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
