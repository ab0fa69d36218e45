"""When a JVM is asked for something that nobody wants to know, so that its agent sends what it keeps.

A question that the agent is holding while its JVM ends costs the JVM its exit status: the listener waits for the final
output to be written, then answers on a connection that is closed by then, and aborts ("System send failed"). Questions
that it has not even read are worse: the system resets the connection, and the end of the output is lost. So measured
with the agent of JDK 8, where a heap dump at the exit takes seconds.

Therefore one question is under way at a time, none while bytes come, and JVMs with heap options are asked carefully:
a command without an answer, which is harmless then, and the heap summary only right behind bytes that this has brought,
as they prove that the agent is idle.
"""

from __future__ import annotations

import time
from typing import Literal

from parsers.runtime.live.command import HEAP_OPTIONS
from parsers.runtime.live.stream.reading import Reading

QUIET = 0.3
"""Seconds without bytes after which nothing is on its way."""
LITTLE = 32 << 10
"""Bytes of what an idle agent kept; what comes of a full buffer is more."""


class Heartbeat:
    """Of one JVM."""

    def __init__(self, is_watched: bool = False) -> None:
        self.is_watched = is_watched
        """Whether somebody wants heap summaries all the time, whatever that may do at the exit."""
        self._has_begun = False
        self._waits = False
        """Whether nothing has come since the agent was asked to send what it keeps."""
        self._bytes = 0
        """As many have come since."""
        self._last = -QUIET

    def received(self, count: int) -> None:
        """Bytes have come."""
        self._bytes += count
        self._last = time.monotonic()

    def wanted(self, reading: Reading) -> Literal["", "summary", "flush"]:
        """What is to be asked now that it is time again."""
        if reading.layout == "unknown" or time.monotonic() - self._last < QUIET:
            return ""
        if not reading.layout:
            # The header comes with the first answer.
            found: Literal["", "summary", "flush"] = "" if self._has_begun else "summary"
            self._has_begun = True
            return found
        if not self._is_careful(reading):
            return "summary"
        if self._waits:
            return ""
        self._waits, self._bytes = True, 0
        return "flush"

    def is_proof(self, reading: Reading) -> bool:
        """Whether what has come shows that a heap summary does no harm at this moment. It is so once."""
        if not self._waits or not self._bytes:
            return False
        self._waits = False
        return reading.layout == "binary" and self._bytes < LITTLE and reading.is_between

    def _is_careful(self, reading: Reading) -> bool:
        if reading.layout == "text":
            return True
        return not self.is_watched and (reading.options is None or bool(reading.options & HEAP_OPTIONS))
