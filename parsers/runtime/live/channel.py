"""JSON lines over a socket between two processes, in both directions; nothing here waits.

Unread messages are buffered, with a limit for those that may be lost. So a client that was stopped for an hour finds
the newest state, not an hour of messages.
"""

from __future__ import annotations

import json
import socket
from collections.abc import Mapping
from typing import Any

MOST_KEPT = 256 << 10
"""Bytes buffered for a peer that doesn't read; messages that may be lost are dropped beyond that."""
LONGEST = 1 << 20
"""Maximum bytes of a line; real messages are shorter."""


class Channel:
    """One end."""

    def __init__(self, end: socket.socket) -> None:
        self.socket = end
        self.is_open = True
        """True if the other side is still connected."""
        self._unread = b""
        self._unsent = b""
        end.setblocking(False)

    @property
    def has_unsent(self) -> bool:
        """True if data waits for the other side to read it."""
        return bool(self._unsent)

    def send(self, message: Mapping[str, Any], can_be_lost: bool = False) -> bool:
        """Sends a message, now or in `flush`; False: it is dropped."""
        if not self.is_open or (can_be_lost and len(self._unsent) > MOST_KEPT):
            return False
        self._unsent += json.dumps(message).encode() + b"\n"
        self.flush()
        return True

    def flush(self) -> None:
        """Sends buffered data, as far as the other side reads."""
        while self._unsent and self.is_open:
            try:
                self._unsent = self._unsent[self.socket.send(self._unsent) :]
            except BlockingIOError:
                return
            except OSError:
                self.is_open = False
                self._unsent = b""

    def take(self) -> list[dict[str, Any]]:
        """The messages received; `is_open` is false once there will be no more."""
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
        """Closes this end."""
        self.is_open = False
        self.socket.close()


def _message(line: bytes) -> dict[str, Any] | None:
    """The message of a line; None: it is not valid."""
    try:
        message = json.loads(line)
    except ValueError:
        return None
    return message if isinstance(message, dict) else None
