"""Runs an app on the terminal and always restores the terminal afterwards.

Works with a report piped into standard input and a log on standard error. Served through TEXTUAL_DRIVER, the process
has pipes and a driver of its own; then nothing here touches a terminal.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import TYPE_CHECKING

from rich.segment import Segment

from tui.screen.theme import Palette
from tui.terminal.crash import INTERNAL_ERROR, CrashLog
from tui.terminal.sgr import pen_for
from tui.terminal.signals import Signals
from tui.terminal.tty import Streams, Terminal

if TYPE_CHECKING:
    from tui.terminal.application import TerminalApp

SWITCH = 0.0005
"""Seconds until a waiting thread is scheduled: the threads that read keys and write frames do very little, but with
Python's 5 ms both would wait that long for the event loop."""


class Session:
    """The use of the terminal: within `with` the program has it, afterwards it is as before and `status` is known.

    An exception that leaves the `with` is recorded in a log, and its first line is printed.
    """

    def __init__(self, environ: Mapping[str, str] = os.environ) -> None:
        self.status = 0
        """The exit status: 128 + n after signal n, 70 after a crash."""
        self._environ = environ
        self._is_served = bool(environ.get("TEXTUAL_DRIVER"))
        self._log = CrashLog(environ)
        self._app: TerminalApp | None = None
        self._early: list[list[Segment]] | None = None

    def __enter__(self) -> Session:
        sys.setswitchinterval(SWITCH)
        if not self._is_served:
            self._terminal = Terminal.open()
            self._streams = Streams(self._log.descriptor)
            self._signals = Signals(self._leave, self._terminal.reset)
            self._signals.install()
            self._log.watch()
            self._streams.hush()
        return self

    def show(self, palette: Palette, frame: Callable[[int, int], list[list[Segment]]]) -> None:
        """Shows a frame until the app is loaded.

        frame: columns and lines of the terminal -> all lines, each as wide as the terminal; empty: nothing is shown
        """
        if self._is_served or not self._terminal.is_in_foreground:
            return
        signal.signal(signal.SIGWINCH, self._terminal.resized)
        lines = frame(*self._terminal.size)
        pen = pen_for(palette, self._environ)
        text = "".join(f"\x1b[{y};1H{pen.write(line)}" for y, line in enumerate(lines, 1))
        if text and self._terminal.show_early(text):
            self._early = lines

    def run(self, app: TerminalApp) -> None:
        """Runs an app to its end."""
        self._app = app
        app.early_frame = self._early
        app.log_of_errors = self._log
        if not self._is_served:
            from tui.terminal.driver import TerminalDriver

            app.terminal, app.streams, app.signals = self._terminal, self._streams, self._signals
            app.driver_class = TerminalDriver
        app.run()
        self.status = app.return_code or 0

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> bool:
        is_crash = isinstance(error, Exception)
        if isinstance(error, Exception):
            self._log.note(error)
        try:
            signalled = None if self._is_served else self._give_back()
            if signalled is not None:
                self.status = signalled
            elif self._log.error is not None:
                self.status = INTERNAL_ERROR
                write_message(self._log.message)
        finally:
            self._log.close()
        return is_crash

    def _give_back(self) -> int | None:
        """Restores the terminal; returns the status of a signal that ended the program."""
        if self._app is not None and self._app.terminal_driver is not None:
            self._app.terminal_driver.end()
        self._terminal.reset()
        if not self._terminal.is_closed:
            self._streams.restore()
        self._signals.uninstall()
        self._terminal.close()
        return self._signals.status

    def _leave(self, status: int) -> None:
        # A signal before the app runs is handled when it starts.
        if self._app is not None:
            self._app.leave(status)


def write_message(message: str) -> None:
    """Prints one line on standard error; errors are ignored."""
    try:
        print(message, file=sys.stderr, flush=True)
    except (OSError, ValueError, AttributeError):
        return
