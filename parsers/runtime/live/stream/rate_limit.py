"""A limit of events reported per second, whatever the other side sends."""

from __future__ import annotations

SECOND = 1.0


class RateLimit:
    """Allows at most `most` events in each period of a second; periods begin with an event."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._began = -SECOND
        self._count = 0

    def allows(self, now: float) -> bool:
        """Counts an event at this time (seconds, never decreasing); True if it is within the limit."""
        if now - self._began >= SECOND:
            self._began, self._count = now, 0
        self._count += 1
        return self._count <= self._most
