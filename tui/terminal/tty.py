"""The controlling terminal, opened for ourselves.

Standard input may be a pipe with a report in it and standard error a log file, so keys are read from and frames written
to `/dev/tty`. It is an open file of its own: that it never blocks does not reach the shell that shares the terminal.
While the screen is ours, standard output and standard error, where they are the terminal, lead into a log instead: a
late word of a library or child would spoil the screen.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import select
import sys
import termios
import threading
import time
from collections.abc import Iterator, Mapping
from typing import Any

RESET = (
    "\x1b[?2026l"  # end of a synchronised frame
    "\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?1015l\x1b[?1016l"  # mouse
    "\x1b[?2004l\x1b[?1004l\x1b[?2048l"  # bracketed paste, focus, resize reports
    "\x1b[<u"  # Kitty's keyboard
    "\x1b[m\x1b[?7h\x1b[?1049l\x1b[?25h"  # colours, wrapping, alternate screen, cursor
)
"""What leaves a terminal usable, whatever was switched on."""

CHUNK = 4096
"""Bytes that are written at a time."""


class Terminal:
    """An open terminal. Writes never raise: what a terminal that is gone can't take is dropped."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self.is_gone = False
        """Whether writing failed: nobody is there any more."""
        self.is_ours = False
        """Whether the screen is in our hands: alternate screen, raw keys. Set by the driver."""
        self.has_dropped = False
        """Whether something was not written because there was no time."""
        self._deadline: float | None = None
        self._backlog = 0
        self._lock = threading.Lock()
        self._attributes = attributes_of(descriptor)

    @classmethod
    def open(cls, path: str = "/dev/tty") -> Terminal:
        """Open the controlling terminal. Raises `OSError` where there is none."""
        descriptor = os.open(path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK | os.O_CLOEXEC)
        # Standard streams may be closed: a low number would be taken for one of them.
        high = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 10)
        os.close(descriptor)
        return cls(high)

    @property
    def size(self) -> tuple[int, int]:
        """Columns and rows; 80 by 24 where the terminal does not know."""
        try:
            columns, rows = os.get_terminal_size(self.descriptor)
        except OSError:
            columns, rows = 0, 0
        return columns or 80, rows or 24

    @property
    def backlog(self) -> int:
        """Characters that were queued and not yet taken by the terminal."""
        return self._backlog

    def queued(self, characters: int) -> None:
        """Somebody will write so many characters."""
        with self._lock:
            self._backlog += characters

    def write(self, text: str) -> int:
        """Write all of a text, waiting for the terminal; in vain if it is gone or closing takes too long."""
        data = memoryview(text.encode("utf-8", "replace"))
        # poll, not select: descriptors may be above 1,024.
        room = select.poll()
        room.register(self.descriptor, select.POLLOUT)
        while data and not self.is_gone:
            if self._deadline is not None and time.monotonic() > self._deadline:
                self.has_dropped = True
                break
            try:
                if room.poll(100):
                    data = data[os.write(self.descriptor, data[:CHUNK]) :]
            except BlockingIOError:
                continue
            except (OSError, ValueError):
                self.is_gone = True
        with self._lock:
            self._backlog = max(0, self._backlog - len(text))
        return len(text)

    def flush(self) -> None:
        """Nothing is kept back."""

    def fileno(self) -> int:
        """The descriptor."""
        return self.descriptor

    def isatty(self) -> bool:
        """True: it is one."""
        return True

    def hurry(self, seconds: float = 1.0) -> None:
        """From now on give the terminal so long in all, then drop what it has not taken."""
        self._deadline = time.monotonic() + seconds

    def take_time(self) -> None:
        """Wait for the terminal as long as it takes, again."""
        self._deadline = None
        self.has_dropped = False

    @property
    def is_in_foreground(self) -> bool:
        """Whether the terminal listens to us and not to a shell that put us behind."""
        try:
            return os.tcgetpgrp(self.descriptor) == os.getpgrp()
        except OSError:
            return False

    def reset(self) -> None:
        """Give the screen back if it is still ours: after this a shell is usable."""
        if not self.is_in_foreground:
            return
        if self.is_ours:
            self.hurry(0.5)
            self.write(RESET)
            self.take_time()
            self.is_ours = False
        if self._attributes is not None:
            with contextlib.suppress(termios.error, OSError):
                termios.tcsetattr(self.descriptor, termios.TCSANOW, self._attributes)

    def close(self) -> None:
        """Close the descriptor."""
        os.close(self.descriptor)


def attributes_of(descriptor: int) -> list[Any] | None:
    """How the terminal is set, or None if it does not say."""
    try:
        return termios.tcgetattr(descriptor)
    except (termios.error, OSError):
        return None


def can_browse(environ: Mapping[str, str]) -> bool:
    """Whether there is a terminal to browse in. Served through TEXTUAL_DRIVER there is always one, at the other end."""
    if environ.get("TEXTUAL_DRIVER"):
        return True
    if environ.get("TERM", "") in ("", "dumb", "unknown") or sys.__stdout__ is None or not is_terminal(1):
        return False
    try:
        Terminal.open().close()
    except OSError:
        return False
    return True


def is_terminal(descriptor: int) -> bool:
    """Whether a descriptor is open and a terminal."""
    try:
        return os.isatty(descriptor)
    except OSError:
        return False


class Streams:
    """Standard output and standard error, led into a log while the screen is ours."""

    def __init__(self, log: int) -> None:
        self._log = log
        self._kept: dict[int, int] = {}

    def hush(self) -> None:
        """Lead those of them that are a terminal into the log."""
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError, AttributeError):
                stream.flush()
        for number in (1, 2):
            if number not in self._kept and is_terminal(number):
                self._kept[number] = fcntl.fcntl(number, fcntl.F_DUPFD_CLOEXEC, 10)
                os.dup2(self._log, number)

    def restore(self) -> None:
        """Put them back."""
        for stream in (sys.__stdout__, sys.__stderr__):
            with contextlib.suppress(OSError, ValueError, AttributeError):
                stream.flush()  # type: ignore[union-attr]  # a closed stream is None
        while self._kept:
            number, kept = self._kept.popitem()
            os.dup2(kept, number)
            os.close(kept)

    @contextlib.contextmanager
    def restored(self) -> Iterator[None]:
        """Put them back for a while."""
        self.restore()
        try:
            yield
        finally:
            self.hush()
