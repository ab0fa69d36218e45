"""A bound on how many events are told in a second, whatever the other side sends."""

from __future__ import annotations


class RateLimit:
    """Allows at most `most` events in each period of `seconds`; periods begin with an event."""

    def __init__(self, most: int, seconds: float = 1.0) -> None:
        self._most = most
        self._seconds = seconds
        self._began = -seconds
        self._count = 0

    def allows(self, now: float) -> bool:
        """Whether an event at this time (seconds, never less than before) is within the limit; it is counted."""
        if now - self._began >= self._seconds:
            self._began, self._count = now, 0
        self._count += 1
        return self._count <= self._most
