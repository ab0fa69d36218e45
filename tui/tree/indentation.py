"""The indentation of rows, limited so that names are visible at any depth and in any width.

A level is two cells, or one if the rows on the screen are too deep. Levels that all rows share are left out. Rows that
are still too deep have the maximum indentation; the status line shows their depth.
"""

from __future__ import annotations

from typing import NamedTuple

STEP = 2
"""Cells a level."""

MOST = 80
"""Maximum cells of indentation, however wide the screen is: 40 levels."""

LEAST_NAME = 24
"""Minimum cells for the signs and the name of a row."""


class Indentation(NamedTuple):
    """The indentation of all rows of a screen."""

    outdent: int = 0
    """Levels that are omitted."""
    step: int = STEP
    """Cells a level."""
    most: int = MOST
    """Cells at most."""

    def cells(self, depth: int) -> int:
        """Cells before a row of that depth."""
        return min(self.step * max(0, depth - self.outdent), self.most)


def fitting(shallowest: int, deepest: int, cursor: int, space: int) -> Indentation:
    """Indentation for the depths of the rows on the screen and of the cursor row; `space` is the cells for labels.

    Levels are omitted in multiples of four and eight, so that few steps of the cursor shift the whole screen.
    """
    most = min(MOST, max(4, space - LEAST_NAME))
    outdent = max(0, (shallowest - 4) // 4 * 4)
    step = STEP if STEP * (deepest - outdent) <= most else 1
    hidden = cursor - most // step
    return Indentation(max(outdent, -(-hidden // 8) * 8), step, most)


PLAIN = Indentation()
"""Nothing left out."""
