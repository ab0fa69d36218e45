"""A program on a pseudo terminal with an emulated screen: what a person would see, and each byte that was sent.

Nothing here sleeps: it waits for conditions, with a deadline. The emulator answers questions as a terminal does (cursor
position, synchronised frames) unless it is mute.
"""

from __future__ import annotations

import codecs
import contextlib
import errno
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

import pyte

DEADLINE = 10.0
"""Maximum seconds to wait for a condition: far above the usual time, for busy machines."""

CURSOR_QUESTION = b"\x1b[6n"
CLEAR = b"\x1b[2J"

NOT_KNOWN_TO_PYTE = re.compile(
    r"\x1b\[[<>=][0-9;]*[a-zA-Z]|\x1b\[\?[0-9;]*\$p|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1bP.*?\x1b\\"
)
"""Sequences that pyte would show as text instead of ignoring them."""


class Pseudo:
    """A running program, its terminal and its screen."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        columns: int = 80,
        rows: int = 24,
        environ: Mapping[str, str] | None = None,
        is_mute: bool = False,
        stdin: Any = None,
        stderr: Any = None,
    ) -> None:
        self.is_mute = is_mute
        self.screen = pyte.Screen(columns, rows)
        self.stream = pyte.Stream(self.screen)
        self.sent = b""
        """All bytes the program wrote."""
        self.is_closed = False
        """True if the program has ended and all its output was read."""
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        self._rest = ""
        self.master, slave = pty.openpty()
        self._set_size(columns, rows)
        self.slave_name = os.ttyname(slave)
        self.before = termios.tcgetattr(slave)
        kept = ("PATH", "PYTHON", "NUMBA_", "COFFEETREE_", "HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME")
        self.process = subprocess.Popen(
            command,
            stdin=slave if stdin is None else stdin,
            stdout=slave,
            stderr=slave if stderr is None else stderr,
            env={
                **{name: value for name, value in os.environ.items() if name.startswith(kept)},
                "TERM": "xterm-256color",
                "LANG": "C.UTF-8",
                **(environ or {}),
            },
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(slave, termios.TIOCSCTTY, 0),
        )
        self.slave = slave
        """Kept open so that the settings of the terminal can be read after the end."""

    def __enter__(self) -> Pseudo:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        for descriptor in (self.master, self.slave):
            with contextlib.suppress(OSError):
                os.close(descriptor)

    @property
    def text(self) -> str:
        """Text of the screen, without trailing blanks."""
        return "\n".join(line.rstrip() for line in self.screen.display)

    def read(self, seconds: float) -> bool:
        """Take in what the program sends within some seconds; False if it sent nothing."""
        poll = select.poll()
        poll.register(self.master, select.POLLIN)
        if not poll.poll(1000 * seconds):
            self.is_closed = self.process.poll() is not None
            return False
        try:
            data = os.read(self.master, 65536)
        except OSError as error:
            if error.errno != errno.EIO:
                raise
            data = b""
        if not data:
            self.is_closed = True
            return False
        seen = max(0, len(self.sent) - len(CURSOR_QUESTION) + 1)
        self.sent += data
        if not self.is_mute:
            for _ in range(self.sent.count(CURSOR_QUESTION, seen)):
                self.press(f"\x1b[{self.screen.cursor.y + 1};{self.screen.cursor.x + 1}R")
        text = self._rest + self._decode(data)
        cut = text.rfind("\x1b", max(0, len(text) - 64))
        self._rest = text[cut:] if cut >= 0 and not re.search("[a-zA-Z]", text[cut:]) else ""
        text = text[: len(text) - len(self._rest)]
        self.stream.feed(NOT_KNOWN_TO_PYTE.sub("", text))
        return True

    def wait_for(self, is_met: Callable[[], object] | str, seconds: float = DEADLINE) -> None:
        """Reads output until a condition holds, or a text is on the screen."""
        end = time.monotonic() + seconds
        while not (is_met in self.text if isinstance(is_met, str) else is_met()):
            is_over = not self.read(0.02) and self.is_closed
            if is_over or time.monotonic() > end:
                raise AssertionError(f"never came: {is_met!r}; the screen shows:\n{self.text}")

    @staticmethod
    def until(is_met: Callable[[], object], seconds: float = DEADLINE) -> bool:
        """Waits until a condition unrelated to the screen holds. Returns False if it never does."""
        end = time.monotonic() + seconds
        while not is_met():
            if time.monotonic() > end:
                return False
            time.sleep(0.01)
        return True

    def settle(self, quiet: float = 0.15, most: float = DEADLINE) -> None:
        """Reads output until none has arrived for a while and no thread is about to send more. most: in seconds"""
        end = time.monotonic() + most
        while self.read(quiet) or (is_busy(self.process.pid) and time.monotonic() < end):
            pass

    def press(self, keys: str | bytes) -> None:
        """Type."""
        os.write(self.master, keys if isinstance(keys, bytes) else keys.encode())

    def paint_anew(self) -> None:
        """Have the program clear the screen and paint all of it again, by Ctrl+L."""
        cleared = self.sent.count(CLEAR)
        self.press("\x0c")
        self.wait_for(lambda: self.sent.count(CLEAR) > cleared)
        self.settle()

    def bytes_of(self, keys: str) -> int:
        """Returns the number of bytes that the program sends for some keys, including the query for the cursor."""
        self.settle()
        before = len(self.sent)
        self.press(keys)
        self.wait_for(lambda: len(self.sent) > before)
        self.settle()
        return len(self.sent) - before

    def resize(self, columns: int, rows: int) -> None:
        """Change the size of the terminal, as dragging its window does."""
        self.screen.resize(rows, columns)
        self._set_size(columns, rows)

    def signal(self, number: int) -> None:
        """Send a signal to the program alone."""
        os.kill(self.process.pid, number)

    def hang_up(self) -> None:
        """Close the terminal."""
        os.close(self.slave)
        os.close(self.master)

    def status(self, seconds: float = DEADLINE) -> int:
        """Wait for the end; the exit status, negative after a signal that was not handled."""
        end = time.monotonic() + seconds
        while self.process.poll() is None and time.monotonic() < end:
            with contextlib.suppress(OSError, ValueError):
                self.read(0.02)
        with contextlib.suppress(OSError, ValueError):
            self.settle(0.02)
        return self.process.wait(timeout=1)

    def modes(self) -> dict[str, bool]:
        """Private modes of the terminal as the program left them, by number: whether they are set."""
        return {number: last == b"h" for number, last in self._modes()}

    def _modes(self) -> Iterator[tuple[str, bytes]]:
        for numbers, letter in re.findall(rb"\x1b\[\?([0-9;]+)([hl])", self.sent):
            for number in numbers.decode().split(";"):
                yield number, letter

    def is_restored(self) -> bool:
        """Returns True if all modes are reset: screen, mouse, paste, focus, wrapping, cursor, keys, echo."""
        modes = self.modes()
        is_off = not any(
            modes.get(number) for number in ("1049", "1000", "1002", "1003", "1006", "2004", "1004", "2026")
        )
        is_on = modes.get("25", True) and modes.get("7", True)
        return is_off and is_on and termios.tcgetattr(self.slave)[:4] == self.before[:4]

    def _set_size(self, columns: int, rows: int) -> None:
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


def python(*words: str) -> list[str]:
    """A command that runs with the Python of the tests."""
    return [sys.executable, *words]


def children_of(process: int) -> list[int]:
    """Processes that a process has started and that still run."""
    try:
        with open(f"/proc/{process}/task/{process}/children") as file:
            return [int(word) for word in file.read().split()]
    except OSError:
        return []


def is_busy(process: int) -> bool:
    """Returns True if a thread of a process, or of its children, runs or waits for a processor."""
    for stat in Path("/proc", str(process), "task").glob("*/stat"):
        with contextlib.suppress(OSError):
            if stat.read_text().rpartition(")")[2].split()[0] in "RD":
                return True
    return any(map(is_busy, children_of(process)))


def is_running(process: int) -> bool:
    """Returns True if a process exists and is no zombie."""
    try:
        with open(f"/proc/{process}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


COFFEETREE = str(Path(sys.executable).parent / "coffeetree")
"""The command."""

SMALL_APP = python(str(Path(__file__).parent / "small_app.py"))
"""The command of an app with a few widgets."""

Start = Callable[..., Pseudo]
"""Starts the small app."""

ENDINGS: dict[str, tuple[Callable[[Pseudo], None], int]] = {
    "SIGTERM": (lambda program: program.signal(signal.SIGTERM), 143),
    "SIGHUP": (lambda program: program.signal(signal.SIGHUP), 129),
    "hang-up": (lambda program: program.hang_up(), 129),
    "SIGKILL": (lambda program: program.signal(signal.SIGKILL), -9),
}
"""Ends of a program by others: the actions, and the exit status."""
