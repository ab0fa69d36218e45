"""Signals that end the program in order: the terminal is restored, the status is 128 + n.

The handlers are Python's own, not the event loop's: they run even while the loop is blocked, and before SIGCONT if a
shell sends both (`kill %1` of a stopped job).
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any

ENDING = (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM)
"""Signals that end the app in order. Ctrl+C and Ctrl+\\ are keys while the app has the screen, not signals."""

GRACE = 4.0
"""Seconds for an orderly end before the process is killed."""


class Signals:
    """Signal handlers during the life of the screen.

    leave: called once with the exit status, in the main thread. last_resort: restores the terminal independently of
    code that may be stuck.
    """

    def __init__(self, leave: Callable[[int], None], last_resort: Callable[[], None]) -> None:
        self._leave = leave
        self._last_resort = last_resort
        self._before: dict[int, Any] = {}
        self._timer: threading.Timer | None = None
        self.status: int | None = None
        """128 + the number of the first signal."""

    def install(self) -> None:
        """Installs the handlers, except for signals ignored at the start (nohup)."""
        for number in ENDING:
            if signal.getsignal(number) is not signal.SIG_IGN:
                self._before[number] = signal.signal(number, self._received)

    def uninstall(self) -> None:
        """Restores the former handlers."""
        if self._timer is not None:
            self._timer.cancel()
        while self._before:
            number, handler = self._before.popitem()
            signal.signal(number, handler)

    def _received(self, number: int, _frame: FrameType | None) -> None:
        if self.status is not None:
            return
        self.status = 128 + number
        self._timer = threading.Timer(GRACE, self._end_hard)
        self._timer.daemon = True
        self._timer.start()
        self._leave(self.status)

    def _end_hard(self) -> None:
        try:
            self._last_resort()
        finally:
            os._exit(self.status or 1)
