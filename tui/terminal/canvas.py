"""The known contents of the terminal's screen, so that unchanged cells are not sent again.

Textual repaints whole regions; on a slow connection most of that is on the screen already. A `Canvas` remembers each
cell it wrote and writes only differences. It must `forget` whenever something else may have written to the terminal:
a resize, a resume, a redraw.
"""

from __future__ import annotations

from collections.abc import Iterable
from operator import itemgetter
from typing import NamedTuple

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from tui.terminal.difference import Cell, Known, strokes_between
from tui.terminal.sgr import Pen, TextStyle
from tui.terminal.stroke import Stroke, cursor_movement, encode_strokes

BRAILLE = frozenset(map(chr, range(0x2800, 0x2900)))
CERTAIN = frozenset(map(chr, range(0x20, 0x7F))) | BRAILLE | frozenset("│─┆┄▸▾●→⇢↩█▌▐▏▎▍▋▊▉▁▂▃▄▅▆▇…·×✗✓⊕↯←↑↓")
"""Characters assumed to take one cell on every terminal."""


class PlacedStrip(NamedTuple):
    """A strip and the place of its first cell."""

    y: int
    x: int
    strip: Strip


class Alphabet(dict[str, Cell]):
    """The cells of a look by character, created on first use."""

    def __init__(self, look: TextStyle, blank: Cell) -> None:
        super().__init__({" ": blank})
        self.look = look

    def __missing__(self, character: str) -> Cell:
        cell = self[character] = Cell(character, self.look)
        return cell


class Canvas:
    """The terminal's screen, as far as known."""

    def __init__(self, pen: Pen) -> None:
        self.pen = pen
        self._rows: dict[int, list[Known]] = {}
        self._alphabets: dict[Style | None, Alphabet] = {}
        self._of_looks: dict[TextStyle, Alphabet] = {}
        self._blanks: dict[TextStyle, Cell] = {}

    def forget(self) -> None:
        """Forgets the screen: the next paint sends everything."""
        self._rows.clear()
        self.pen.now = None

    def adopt(self, lines: Iterable[Iterable[Segment]]) -> None:
        """Takes over the lines of a screen that was shown without this canvas."""
        self.paint(PlacedStrip(y, 0, Strip(line)) for y, line in enumerate(lines))
        self.pen.now = None

    def paint(self, pieces: Iterable[PlacedStrip], width: int = 0) -> str:
        """Terminal text that shows these non-overlapping pieces; empty if they are shown already.

        width: cells of the terminal's lines; 0: unknown
        """
        strokes: list[Stroke] = []
        uncertain: list[PlacedStrip] = []
        for piece in pieces:
            if is_certain(piece.strip):
                strokes += self._strokes(piece, width)
            elif not self._shows(piece):
                uncertain.append(piece)
        strokes.sort(key=itemgetter(0))
        text = encode_strokes(strokes, self.pen, width)
        return text + "".join([cursor_movement(None, y, x) + self.pen.write(strip) for y, x, strip in uncertain])

    def _strokes(self, piece: PlacedStrip, width: int) -> Iterable[Stroke]:
        """The strokes to send for a piece, which is recorded as shown."""
        y, x, strip = piece
        end = x + strip.cell_length
        row, cells = self._row(y, end), self._cells(strip)
        if len(cells) != end - x:
            # A widget returned a wrong length of its line: a cut line is better than a crash.
            cells = self._cells(Strip([*strip]).adjust_cell_length(end - x))
        shown = row[x:end]
        if shown == cells:
            return ()
        row[x:end] = cells
        # The text after the piece may be as blank as its own end: then all of it is erased at once.
        is_known = bool(width and cells) and len(row) >= width
        is_alike = is_known and all(known is cells[-1] for known in row[end:width])
        return strokes_between(y, x, shown, cells, self.pen, is_alike)

    def _shows(self, piece: PlacedStrip) -> bool:
        """True if a piece of uncertain widths is on the screen; records it as shown."""
        y, x, strip = piece
        end = x + strip.cell_length
        row = self._row(y, end)
        if all(known is row[x] for known in row[x:end]) and row[x] == strip:
            return True
        row[x:end] = [strip] * (end - x)
        return False

    def _row(self, y: int, end: int) -> list[Known]:
        """The known contents of a line, at least `end` cells."""
        row = self._rows.setdefault(y, [])
        if len(row) < end:
            row += [None] * (end - len(row))
        return row

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
            if look not in self._of_looks:
                seen = self.pen.blank(look)
                blank = self._blanks.setdefault(seen, Cell(" ", seen))
                self._of_looks[look] = Alphabet(look, blank)
            alphabet = self._alphabets[style] = self._of_looks[look]
        return alphabet


def is_certain(strip: Strip) -> bool:
    """True if each character surely takes one cell; otherwise later text may be at unexpected positions."""
    return all(
        text.isprintable() if text.isascii() else CERTAIN.issuperset(text) for text, _, control in strip if not control
    )
