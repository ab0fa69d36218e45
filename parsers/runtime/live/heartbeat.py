"""Times of automatic requests to a JVM, which make its agent send its buffer.

A request that the agent is processing while its JVM ends costs the JVM its exit status. The listener waits for the
final output to be written, then answers on a closed connection, and aborts ("System send failed"). Requests that it has
not read are worse: the system resets the connection, and the end of the output is lost. Measured with the agent of JDK
8, whose heap dump at the exit takes seconds.

Therefore only one request is open at a time, and none is sent while bytes arrive. JVMs with heap options first get a
command without an answer, which is harmless. They get the heap summary only directly after bytes caused by that
command, which prove that the agent is idle.
"""

from __future__ import annotations

import time
from typing import Literal

from parsers.runtime.live.command import HEAP_OPTIONS
from parsers.runtime.live.stream.reading import StreamParser

QUIET = 0.3
"""Seconds without bytes after which nothing is in transit."""
LITTLE = 32 << 10
"""Maximum bytes in the buffer of an idle agent; a full buffer has more."""


class Heartbeat:
    """Decides when which automatic request is sent to one JVM."""

    def __init__(self, is_watched: bool = False) -> None:
        self.is_watched = is_watched
        """True if heap summaries are wanted all the time, despite the risk at the exit."""
        self._has_begun = False
        self._waits = False
        """True if nothing has arrived since the agent was asked to send its buffer."""
        self._bytes = 0
        """Bytes received since then."""
        self._last = -QUIET

    def received(self, count: int) -> None:
        """Notes that bytes have arrived."""
        self._bytes += count
        self._last = time.monotonic()

    def wanted(self, reading: StreamParser) -> Literal["", "summary", "flush"]:
        """Returns the request to send now: a heap summary, a command without an answer, or none."""
        if reading.layout == "unknown" or time.monotonic() - self._last < QUIET:
            return ""
        if not reading.layout:
            # The header arrives with the first answer.
            found: Literal["", "summary", "flush"] = "" if self._has_begun else "summary"
            self._has_begun = True
            return found
        if not self._is_careful(reading):
            return "summary"
        if self._waits:
            return ""
        self._waits, self._bytes = True, 0
        return "flush"

    def shows_safe_moment(self, reading: StreamParser) -> bool:
        """True, once, if the bytes received show that a heap summary does no harm at this moment."""
        if not self._waits or not self._bytes:
            return False
        self._waits = False
        return reading.layout == "binary" and self._bytes < LITTLE and reading.content.is_between

    def _is_careful(self, reading: StreamParser) -> bool:
        if reading.layout == "text":
            return True
        return not self.is_watched and (reading.content.options is None or bool(reading.content.options & HEAP_OPTIONS))
