"""The driver between Textual and the terminal: accepts any bytes, and can be stopped at any time.

Beyond Textual's own driver: bytes that are not UTF-8 become U+FFFD instead of ending the program; a hang-up of the
terminal ends it in order; a terminal that accepts nothing can't prevent its end; after any stop the screen is painted
again completely.
"""

from __future__ import annotations

import codecs
import os
import select
import signal
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from textual.app import App

from tui.terminal.private import KeyParser, PrivateDriver

if TYPE_CHECKING:
    from tui.terminal.application import TerminalApp

POLL = 50
"""Milliseconds between two checks whether to stop reading keys."""

READ = 4096
"""Bytes read from the terminal at a time."""

PLAIN_AGAIN = "\x1b[m"
"""Ends the look of the last frame, which the terminal keeps between frames."""


class TerminalDriver(PrivateDriver):
    """Reads keys from the app's terminal and writes frames to it."""

    def __init__(
        self, app: App[Any], *, debug: bool = False, mouse: bool = True, size: tuple[int, int] | None = None
    ) -> None:
        owner: TerminalApp = app  # type: ignore[assignment]  # only such an app is given this driver
        assert owner.terminal is not None
        super().__init__(app, debug=debug, mouse=mouse, size=size or owner.terminal.size)
        self.use(owner.terminal)
        self._hung_up: Callable[[], None] = owner.hung_up
        self._is_ending: Callable[[], bool] = owner.is_ending
        self._has_left = False
        """True if the sequences that restore the screen were written since it was taken."""
        signal.signal(signal.SIGCONT, self._continued)

    def start_application_mode(self) -> None:
        """Takes the screen. In the background this stops the process until it is brought to the front."""
        self.terminal.take_time()
        self.terminal.is_ours = True
        self._has_left = False
        super().start_application_mode()

    def stop_application_mode(self) -> None:
        """Restores the screen, within a second or two even if the terminal accepts nothing."""
        if self.is_started:
            self.terminal.hurry()
            self.write(PLAIN_AGAIN)
            super().stop_application_mode()
            self._has_left = True

    def disable_input(self) -> None:
        """Stops reading keys."""
        if self.is_started:
            super().disable_input()

    def close(self) -> None:
        """Writes pending output; a reset replaces output that was dropped."""
        if not self.is_started:
            return
        self.terminal.hurry()
        super().close()
        if self.terminal.has_dropped or not self._has_left:
            self.terminal.reset()
        self.terminal.is_ours = False

    def end(self) -> None:
        """Stops all threads and handlers that use the terminal, however the app has ended.

        A surviving thread would read from the next file with its descriptor, or run while Python shuts down.
        """
        signal.signal(signal.SIGCONT, signal.SIG_DFL)
        self.terminal.hurry()
        super().end()

    def run_input_thread(self) -> None:
        """Converts bytes from the terminal to events until stopped, or until the terminal hangs up."""
        parser = KeyParser()
        decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        # poll, not select: descriptors may be above 1,024.
        keys = select.poll()
        keys.register(self.fileno, select.POLLIN)
        while not self.exit_event.is_set():
            if keys.poll(POLL):
                data = self._read()
                if data is None:
                    self.terminal.is_closed = True
                    self._hung_up()
                    return
                for event in parser.feed(decode(data)) if data else ():
                    self.process_message(event)
            for event in parser.tick():
                self.process_message(event)

    def _read(self) -> bytes | None:
        """Bytes from the terminal; None if it is gone."""
        try:
            return os.read(self.fileno, READ) or None
        except BlockingIOError:
            return b""
        except OSError:
            return None

    def _continued(self, *_: object) -> None:
        """Continues after SIGCONT: after Ctrl+Z, or after a SIGSTOP without time to restore the screen."""
        if self._is_ending() or self.is_suspended:
            return
        if self.is_started:
            self.suspend_application_mode()
        self.resume_application_mode()
        if self.is_started:
            self.send_message(self.SignalResume())
