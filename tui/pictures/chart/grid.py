"""A grid of cells for drawing lines: as braille dots, or one sign a cell without braille.

Source: Unicode, "Braille Patterns": U+2800 and a bit for each of 2 × 4 dots.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tui.pictures.chart.polyline import Reach

BRAILLE = 0x2800
DOTS = ((0x01, 0x02, 0x04, 0x40), (0x08, 0x10, 0x20, 0x80))
"""Bits of the dots of a cell: columns from the left, each from the top."""
ACROSS, DOWN = 2, 4
"""Dots of a cell."""

SIGNS = "●○■□▲△◆◇"
ASCII_SIGNS = "*o+x#@%&"
"""Signs by number of the line, where colours do not distinguish lines."""


class GridCell(NamedTuple):
    """Content of a cell: a sign, and the number of its line."""

    sign: str
    line: int


class Grid:
    """Cells in rows. Lines drawn later cover earlier ones."""

    def __init__(self, width: int, height: int, has_dots: bool, signs: str = SIGNS) -> None:
        """
        has_dots  True: cells have dots; False: one sign a cell
        signs     by number of a line, where there are no dots
        """
        self.width, self.height = width, height
        self._has_dots = has_dots
        self._signs = signs
        self._marks: list[list[GridCell | None]] = [[None] * width for _ in range(height)]

    @property
    def columns(self) -> int:
        """Columns of dots."""
        return self.width * (ACROSS if self._has_dots else 1)

    @property
    def rows(self) -> int:
        """Rows of dots."""
        return self.height * (DOWN if self._has_dots else 1)

    def draw(self, reaches: Sequence[Reach | None], low: float, high: float, line: int) -> None:
        """Draws a line with one reach per column of dots; low and high: values of the lowest and highest row.

        A cell crossed by two lines has the dots of both, and the colour of the later one.
        """
        scale = (self.rows - 1) / (high - low) if high > low else 0.0
        for column, reach in enumerate(reaches):
            if reach is not None:
                bottom, top = (round((value - low) * scale) for value in reach)
                for row in range(max(bottom, 0), min(top, self.rows - 1) + 1):
                    self._dot(column, self.rows - 1 - row, line)

    def _dot(self, column: int, row: int, line: int) -> None:
        if not self._has_dots:
            self._marks[row][column] = GridCell(self._signs[line % len(self._signs)], line)
            return
        cells, cell = self._marks[row // DOWN], column // ACROSS
        before = cells[cell]
        dots = (ord(before.sign) if before is not None else BRAILLE) | DOTS[column % ACROSS][row % DOWN]
        cells[cell] = GridCell(chr(dots), line)

    def cells(self, y: int) -> Sequence[GridCell | None]:
        """The cells of a row of the grid, from the top."""
        return self._marks[y]
