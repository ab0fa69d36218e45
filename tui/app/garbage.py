"""Collection of cyclic garbage in idle moments: it takes longer than a frame may.

Python collects whenever enough objects were made, which is in the middle of drawing. After `gc.disable` (see
`tui.app.main`) it does not, and this module collects in idle moments; otherwise it does nothing.
"""

from __future__ import annotations

import gc

REST = 0.06
"""Seconds without a frame after which the next is expected to take a while: repeated keys are faster."""

LONG_REST = 2.0
"""Seconds without a frame after which all objects are examined, not only new ones."""

FEW = 2_000
"""Number of new objects below which nothing is collected."""

MANY = 20_000
"""Number of new objects above which collection does not wait for a pause: more would delay a frame too much."""


class Garbage:
    """The schedule of garbage collection."""

    def __init__(self) -> None:
        self._has_aged = False

    def poll(self, rest: float) -> None:
        """Collects if it is time to; `rest` is the time since the last frame in seconds."""
        if gc.isenabled():
            return
        new = gc.get_count()[0]
        if new > MANY or (new > FEW and rest > REST):
            gc.collect(1)
            self._has_aged = True
        elif self._has_aged and rest > LONG_REST:
            gc.collect()
            self._has_aged = False
