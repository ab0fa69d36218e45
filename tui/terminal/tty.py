"""The controlling terminal, opened separately from the standard streams.

Standard input may be a pipe with a report and standard error a log file, so keys are read from and frames written to
`/dev/tty`. It is an open file of its own: its non-blocking mode does not affect the shell that shares the terminal.
While the app has the screen, standard output and error are redirected to a log if they are the terminal: late output
of a library or child would damage the screen.
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
from collections.abc import Iterator
from types import FrameType
from typing import Any

from tui.terminal.ascii import ascii_cells, is_ascii

RESET = (
    "\x1b[?2026l"  # end of a synchronised frame
    "\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?1015l\x1b[?1016l"  # mouse
    "\x1b[?2004l\x1b[?1004l\x1b[?2048l"  # bracketed paste, focus, resize reports
    "\x1b[<u"  # Kitty's keyboard
    "\x1b[m\x1b[?7h\x1b[?1049l\x1b[?25h"  # colours, wrapping, alternate screen, cursor
)
"""Makes a terminal usable, whatever was switched on."""

ALTERNATE_SCREEN = "\x1b[?1049h"
"""Switches to the alternate screen."""

PATIENCE = 0.2
"""Maximum seconds that the frame before a driver may take; the rest of it is left to the driver."""

CHUNK = 4096
"""Bytes written at a time."""


INPUT_MODES, LOCAL_MODES, CHARACTERS = 0, 3, 6
"""Places of input modes, local modes and control characters in the attributes of `termios.tcgetattr`."""


class Terminal:
    """An open terminal. Writes never raise: output is dropped if the terminal is gone."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self.is_closed = False
        """True if writing failed: the terminal is gone."""
        self.is_ours = False
        """True while the app has the screen: alternate screen, raw keys. Set by the driver."""
        self.has_early_frame = False
        """True if a frame was shown on the alternate screen and no driver has taken over yet."""
        self.is_early_frame_whole = True
        """False if the terminal may show something else than the early frame, as its size has changed."""
        self.has_dropped = False
        """True if output was dropped for lack of time."""
        self._has_ascii_only = is_ascii(os.environ)
        self._deadline: float | None = None
        self._backlog = 0
        self._lock = threading.Lock()
        self.attributes = attributes_of(descriptor)
        """Attributes before the program changed them; None if they can't be read."""

    @classmethod
    def open(cls, path: str = "/dev/tty") -> Terminal:
        """Opens the controlling terminal. Raises `OSError` if there is none."""
        descriptor = os.open(path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK | os.O_CLOEXEC)
        # Standard streams may be closed: a low descriptor would be used as one of them.
        high = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 10)
        os.close(descriptor)
        return cls(high)

    @property
    def size(self) -> tuple[int, int]:
        """Columns and rows; 80 by 24 if unknown."""
        try:
            columns, rows = os.get_terminal_size(self.descriptor)
        except OSError:
            columns, rows = 0, 0
        return columns or 80, rows or 24

    @property
    def backlog(self) -> int:
        """Number of queued characters that the terminal has not accepted yet."""
        return self._backlog

    def queued(self, characters: int) -> None:
        """Adds the number of characters that will be written."""
        with self._lock:
            self._backlog += characters

    def write(self, text: str) -> int:
        """Writes a text completely, waiting for the terminal; drops it if the terminal is gone or time has run out."""
        sent = ascii_cells(text) if self._has_ascii_only else text
        data = memoryview(sent.encode("utf-8", "replace"))
        # poll, not select: descriptors may be above 1,024.
        poller = select.poll()
        poller.register(self.descriptor, select.POLLOUT)
        while data and not self.is_closed:
            if self._deadline is not None and time.monotonic() > self._deadline:
                self.has_dropped = True
                break
            try:
                if poller.poll(100):
                    data = data[os.write(self.descriptor, data[:CHUNK]) :]
            except BlockingIOError:
                continue
            except (OSError, ValueError):
                self.is_closed = True
        with self._lock:
            self._backlog = max(0, self._backlog - len(text))
        return len(text)

    def flush(self) -> None:
        """Does nothing: there is no buffer."""

    def fileno(self) -> int:
        """The descriptor."""
        return self.descriptor

    def hurry(self, seconds: float = 1.0) -> None:
        """Limits further writing to `seconds` in all; the rest is dropped."""
        self._deadline = time.monotonic() + seconds

    def take_time(self) -> None:
        """Removes the limit of `hurry`: waits for the terminal without limit."""
        self._deadline = None
        self.has_dropped = False

    @property
    def is_in_foreground(self) -> bool:
        """True if the process is in the terminal's foreground, not behind a shell."""
        try:
            return os.tcgetpgrp(self.descriptor) == os.getpgrp()
        except OSError:
            return False

    def show_early(self, frame: str) -> bool:
        """Shows a frame on the alternate screen before a driver does; typed keys wait for the driver, without echo.

        Returns True if all of it was written.
        """
        if self.attributes is None:
            return False
        silent = [*self.attributes]
        silent[INPUT_MODES] &= ~(termios.ICRNL | termios.INLCR | termios.IGNCR | termios.IXON)
        silent[LOCAL_MODES] &= ~(termios.ECHO | termios.ICANON)
        # Ctrl+Z becomes a key, which the driver handles: stopped now, the program would leave this screen to the shell.
        silent[CHARACTERS] = [*silent[CHARACTERS]]
        silent[CHARACTERS][termios.VSUSP] = b"\0"
        self.is_ours = self.has_early_frame = True
        self._set_attributes(silent)
        self.hurry(PATIENCE)
        self.write(f"{ALTERNATE_SCREEN}\x1b[?25l{frame}\x1b[m\x1b[H")
        return not self.has_dropped

    def resized(self, _number: int, _frame: FrameType | None) -> None:
        """Handles SIGWINCH: the terminal may have cut or moved the early frame."""
        self.is_early_frame_whole = False

    def _set_attributes(self, attributes: list[Any]) -> None:
        with contextlib.suppress(termios.error, OSError):
            termios.tcsetattr(self.descriptor, termios.TCSANOW, attributes)

    def reset(self) -> None:
        """Restores the screen if the app still has it: afterwards a shell is usable."""
        if not self.is_in_foreground:
            return
        if self.is_ours:
            self.hurry(0.5)
            self.write(RESET)
            self.take_time()
            self.is_ours = False
        if self.attributes is not None:
            self._set_attributes(self.attributes)

    def close(self) -> None:
        """Closes the descriptor."""
        os.close(self.descriptor)


def attributes_of(descriptor: int) -> list[Any] | None:
    """The terminal's attributes; None if they can't be read."""
    try:
        return termios.tcgetattr(descriptor)
    except (termios.error, OSError):
        return None


def is_terminal(descriptor: int) -> bool:
    """True if a descriptor is open and a terminal."""
    try:
        return os.isatty(descriptor)
    except OSError:
        return False


class Streams:
    """Standard output and error, redirected to a log while the app has the screen."""

    def __init__(self, log: int) -> None:
        self._log = log
        self._kept: dict[int, int] = {}

    def hush(self) -> None:
        """Redirects those that are a terminal to the log."""
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError, AttributeError):
                stream.flush()
        for number in (1, 2):
            if number not in self._kept and is_terminal(number):
                self._kept[number] = fcntl.fcntl(number, fcntl.F_DUPFD_CLOEXEC, 10)
                os.dup2(self._log, number)

    def restore(self) -> None:
        """Restores them."""
        for stream in (sys.__stdout__, sys.__stderr__):
            with contextlib.suppress(OSError, ValueError, AttributeError):
                stream.flush()  # type: ignore[union-attr]  # a closed stream is None
        while self._kept:
            number, kept = self._kept.popitem()
            os.dup2(kept, number)
            os.close(kept)

    @contextlib.contextmanager
    def restored(self) -> Iterator[None]:
        """Restores them for a while."""
        self.restore()
        try:
            yield
        finally:
            self.hush()
