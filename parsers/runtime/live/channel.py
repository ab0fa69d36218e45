"""JSON lines over a socket between two processes, both ways; nothing here waits.

What the other side doesn't take is kept, up to a bound for what may be lost: whoever is stopped for an hour finds the
newest state, not an hour of it.
"""

from __future__ import annotations

import json
import socket
from collections.abc import Mapping
from typing import Any

MOST_KEPT = 256 << 10
"""Bytes that are kept for another side that doesn't read; what may be lost is not told beyond that."""
LONGEST = 1 << 20
"""Bytes of a line; nothing that is told here is longer."""


class Channel:
    """One end."""

    def __init__(self, end: socket.socket) -> None:
        self.socket = end
        self.is_open = True
        """Whether the other side is still there."""
        self._unread = b""
        self._unsent = b""
        end.setblocking(False)

    @property
    def has_unsent(self) -> bool:
        """Whether something waits for the other side to read."""
        return bool(self._unsent)

    def tell(self, message: Mapping[str, Any], can_be_lost: bool = False) -> bool:
        """Sends a message, now or when `flush` can; False: never."""
        if not self.is_open or (can_be_lost and len(self._unsent) > MOST_KEPT):
            return False
        self._unsent += json.dumps(message).encode() + b"\n"
        self.flush()
        return True

    def flush(self) -> None:
        """Sends what waits, as far as the other side reads."""
        while self._unsent and self.is_open:
            try:
                self._unsent = self._unsent[self.socket.send(self._unsent) :]
            except BlockingIOError:
                return
            except OSError:
                self.is_open = False
                self._unsent = b""

    def take(self) -> list[dict[str, Any]]:
        """The messages that have come; `is_open` is false once there will be no more."""
        messages: list[dict[str, Any]] = []
        while self.is_open:
            try:
                data = self.socket.recv(1 << 16)
            except BlockingIOError:
                break
            except ConnectionError:
                data = b""
            *lines, self._unread = (self._unread + data).split(b"\n")
            messages += filter(None, map(_message, lines))
            if not data or len(self._unread) > LONGEST:
                self.is_open = False
        return messages

    def close(self) -> None:
        """This end is gone."""
        self.is_open = False
        self.socket.close()


def _message(line: bytes) -> dict[str, Any] | None:
    """What a line says; None: nothing that is known here."""
    try:
        message = json.loads(line)
    except ValueError:
        return None
    return message if isinstance(message, dict) else None
