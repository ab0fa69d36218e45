"""A field of cells on which lines are drawn: as dots of braille, or one sign a cell where there is none.

Source: Unicode, "Braille Patterns": U+2800 and a bit for each of 2 × 4 dots.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tui.pictures.chart.polyline import Reach

BRAILLE = 0x2800
DOTS = ((0x01, 0x02, 0x04, 0x40), (0x08, 0x10, 0x20, 0x80))
"""Bits of the dots of a cell: its columns from the left, each from above."""
ACROSS, DOWN = 2, 4
"""Dots of a cell."""

SIGNS = "●○■□▲△◆◇"
ASCII_SIGNS = "*o+x#@%&"
"""By line, where cells are not told apart by colours."""


class Mark(NamedTuple):
    """What is drawn in a cell: a sign, and the line it is of."""

    sign: str
    line: int


class Grid:
    """Cells, line above line. Lines that are drawn later lie on top."""

    def __init__(self, width: int, height: int, has_dots: bool, signs: str = SIGNS) -> None:
        """
        has_dots  whether a cell has dots, else it has one sign
        signs     by number of a line, where there are no dots
        """
        self.width, self.height = width, height
        self._has_dots = has_dots
        self._signs = signs
        self._marks: list[list[Mark | None]] = [[None] * width for _ in range(height)]

    @property
    def columns(self) -> int:
        """Columns of dots."""
        return self.width * (ACROSS if self._has_dots else 1)

    @property
    def rows(self) -> int:
        """Rows of dots."""
        return self.height * (DOWN if self._has_dots else 1)

    def draw(self, reaches: Sequence[Reach | None], low: float, high: float, line: int) -> None:
        """A line of as many reaches as there are columns of dots; low and high: values of the lowest and highest row.

        In a cell that two lines go through dots are those of both, and its colour that of the line on top.
        """
        scale = (self.rows - 1) / (high - low) if high > low else 0.0
        for column, reach in enumerate(reaches):
            if reach is not None:
                bottom, top = (round((value - low) * scale) for value in reach)
                for row in range(max(bottom, 0), min(top, self.rows - 1) + 1):
                    self._dot(column, self.rows - 1 - row, line)

    def _dot(self, column: int, row: int, line: int) -> None:
        if not self._has_dots:
            self._marks[row][column] = Mark(self._signs[line % len(self._signs)], line)
            return
        cells, cell = self._marks[row // DOWN], column // ACROSS
        before = cells[cell]
        dots = (ord(before.sign) if before is not None else BRAILLE) | DOTS[column % ACROSS][row % DOWN]
        cells[cell] = Mark(chr(dots), line)

    def cells(self, y: int) -> Sequence[Mark | None]:
        """The cells of a line of the field, from above."""
        return self._marks[y]
