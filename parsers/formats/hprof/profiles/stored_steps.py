"""Reads the steps stored with a stream: requests for CPU samples, and the times at which counters were cleared.

The agent clears its counters with each dump that it writes by itself. A requested dump leaves them as they are
until the user has them cleared. Source: `hprof_listener.c` of JDK 8; measured with its agent.
"""

from __future__ import annotations

import json
import os
import stat
from dataclasses import dataclass, field
from typing import Any

STEPS = ".steps"
"""Suffix of the file with the steps of a stored stream."""

MOST_BYTES = 16 << 20
"""Maximum bytes of steps that are read: a line for each command of a user and for its answer."""
PACKED_SUFFIXES = (".gz", ".xz", ".zst")
SAMPLES, CLEAR = "samples", "clear-samples"


@dataclass(slots=True)
class SamplesRequest:
    """A request for CPU samples."""

    start: int = -1
    """Offset of the answer in the stream, bytes; -1: there was none."""
    clears: list[int] = field(default_factory=list)
    """Bytes received each time that counters were cleared before the next request for samples."""

    def may_be_included_until(self, offset: int) -> bool:
        """True if data at an offset includes the counts of this answer."""
        return not any(at <= offset for at in self.clears)


def samples_requests(path: str) -> list[SamplesRequest] | None:
    """Returns the requests for CPU samples of a stored stream, in order; None: no steps are stored with it."""
    for plain in (path, *(path.removesuffix(suffix) for suffix in PACKED_SUFFIXES if path.endswith(suffix))):
        events = [_event(line) for line in _read(plain + STEPS).splitlines()]
        if events and events[0].get("event") == "accepted":
            return _requests(events)
    return None


def _requests(events: list[dict[str, Any]]) -> list[SamplesRequest]:
    requests: list[SamplesRequest] = []
    answered = 0
    for event in events:
        what = event.get("event"), event.get("command")
        if what == ("sent", SAMPLES):
            requests.append(SamplesRequest())
        elif what == ("sent", CLEAR) and requests:
            requests[-1].clears.append(_number(event.get("offset")))
        elif what == ("answered", SAMPLES) and answered < len(requests):
            requests[answered].start = _number(event.get("start"))
            answered += 1
    return requests


def _read(path: str) -> bytes:
    """Reads a file up to the maximum; empty if it can't be read."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOCTTY | os.O_NONBLOCK)
        with os.fdopen(descriptor, "rb") as file:
            return file.read(MOST_BYTES) if stat.S_ISREG(os.fstat(descriptor).st_mode) else b""
    except (OSError, ValueError):
        return b""


def _event(line: bytes) -> dict[str, Any]:
    """Parses a line; empty if it is incomplete."""
    try:
        event = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return event if isinstance(event, dict) else {}


def _number(value: object) -> int:
    return value if isinstance(value, int) else -1
