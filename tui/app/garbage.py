"""Unused cycles of objects are looked for while nobody waits: that takes longer than a frame may.

Python by itself looks whenever enough objects were made, which is in the middle of drawing. With `gc.disable` (see
`tui.app.main`) it does not, and this does it in rests; without, this does nothing.
"""

from __future__ import annotations

import gc

REST = 0.06
"""Seconds without a frame after which one may be expected to take a while: keys that are held come faster."""

LONG_REST = 2.0
"""Seconds without a frame after which all objects are looked through, not only new ones."""

FEW = 2_000
"""New objects that are not worth a look."""

MANY = 20_000
"""New objects at which no rest is waited for: looking through more takes longer than a frame may be late."""


class Garbage:
    """When to look for it next."""

    def __init__(self) -> None:
        self._has_aged = False

    def look(self, rest: float) -> None:
        """Looks if it is time to; `rest` is how many seconds ago the last frame was shown."""
        if gc.isenabled():
            return
        new = gc.get_count()[0]
        if new > MANY or (new > FEW and rest > REST):
            gc.collect(1)
            self._has_aged = True
        elif self._has_aged and rest > LONG_REST:
            gc.collect()
            self._has_aged = False
