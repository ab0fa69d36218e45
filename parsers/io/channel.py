"""JSON lines between two processes, in both directions, over a socket or two pipes; nothing here waits.

Unread messages are buffered, with a limit for those that may be lost. So a client that was stopped for an hour finds
the newest state, not an hour of messages.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Protocol

MOST_KEPT = 256 << 10
"""Bytes buffered for a peer that doesn't read; messages that may be lost are dropped beyond that."""
LONGEST = 1 << 24
"""Maximum bytes of a line; real messages are shorter."""


class End(Protocol):
    """A socket, or one end of a pipe."""

    def fileno(self) -> int:
        """Its descriptor."""
        ...

    def close(self) -> None:
        """Closes it."""
        ...


class Channel:
    """One end. source: bytes of the other side are read from it; target: its bytes are written there."""

    def __init__(self, source: End, target: End) -> None:
        self.source, self.target = source, target
        self.is_open = True
        """True if the other side is still connected, as far as its bytes were read."""
        self._unread = b""
        self._unsent = b""
        self.set_blocking(False)

    def set_blocking(self, is_blocking: bool) -> None:
        """Lets reading and writing wait."""
        for end in (self.source, self.target):
            os.set_blocking(end.fileno(), is_blocking)

    @property
    def has_unsent(self) -> bool:
        """True if data waits for the other side to read it."""
        return bool(self._unsent)

    def send(self, message: Mapping[str, object], can_be_lost: bool = False) -> bool:
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
                self._unsent = self._unsent[os.write(self.target.fileno(), self._unsent) :]
            except BlockingIOError:
                return
            except OSError:
                # The other side has ended; reading its last bytes will show that.
                self._unsent = b""

    def take(self) -> list[dict[str, object]]:
        """The messages received; `is_open` is false once there will be no more."""
        messages: list[dict[str, object]] = []
        while self.is_open:
            try:
                data = os.read(self.source.fileno(), 1 << 16)
            except BlockingIOError:
                break
            except OSError:
                data = b""
            *lines, self._unread = (self._unread + data).split(b"\n")
            messages += filter(None, map(_message, lines))
            if not data or len(self._unread) > LONGEST:
                self.is_open = False
        return messages

    def close(self) -> None:
        """Closes this end."""
        self.is_open = False
        for end in (self.source, self.target):
            end.close()


def _message(line: bytes) -> dict[str, object] | None:
    """The message of a line; None: it is not valid."""
    try:
        message = json.loads(line)
    except ValueError:
        return None
    return message if isinstance(message, dict) else None
