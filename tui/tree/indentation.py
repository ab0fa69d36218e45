"""How far rows are indented, so that a name is seen at any depth and in any width.

A level is two cells. Where the rows on the screen are too deep for that it is one; levels that all of them have are
left out; and what is still too deep stands where the last level that fits does: the status line tells its depth.
"""

from __future__ import annotations

from typing import NamedTuple

STEP = 2
"""Cells a level."""

MOST = 80
"""Cells of indentation at most, however wide the screen is: 40 levels."""

LEAST_NAME = 24
"""Cells that are left for the signs and the name of a row."""


class Indentation(NamedTuple):
    """The indentation of all rows of a screen."""

    outdent: int = 0
    """Levels that are left out."""
    step: int = STEP
    """Cells a level."""
    most: int = MOST
    """Cells at most."""

    def cells(self, depth: int) -> int:
        """Cells before a row of that depth."""
        return min(self.step * max(0, depth - self.outdent), self.most)


def fitting(shallowest: int, deepest: int, cursor: int, room: int) -> Indentation:
    """The indentation for the depths of the rows on the screen and of the cursor row, with so many cells for labels.

    Levels are left out by the four and by the eight, so that few steps of the cursor move the whole screen.
    """
    most = min(MOST, max(4, room - LEAST_NAME))
    outdent = max(0, (shallowest - 4) // 4 * 4)
    step = STEP if STEP * (deepest - outdent) <= most else 1
    hidden = cursor - most // step
    return Indentation(max(outdent, -(-hidden // 8) * 8), step, most)


PLAIN = Indentation()
"""Nothing left out."""
