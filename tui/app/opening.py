"""Opening reports in the background: an archive may have to be unpacked to its end before its contents are known.

A report that opens within a moment is shown at once. Others are opened in a thread while keys are answered, and shown
when they are open; quitting doesn't wait for them.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container

from parsers.model.report import Report, ReportError
from tui.screen.frame import key_pieces
from tui.screen.sanitise import safe
from tui.screen.text_line import KeyLine, TextLine
from tui.terminal.application import SteadyScreen
from tui.tree.piece import Piece

if TYPE_CHECKING:
    from parsers.io.background_task import BackgroundTask
    from tui.app.host import Host

PATIENCE = 1.0
"""Seconds that a screen waits for a report that is being opened."""
POLL_EVERY = 0.1
"""Seconds between two checks for the opened report."""
QUIT_KEYS = ("q", "Q", "ctrl+c", "ctrl+q", "escape")


def begin_opening(reopen: Callable[[], Report]) -> BackgroundTask[Report]:
    """Opens a report in a thread and starts its index."""
    from parsers.io.background_task import BackgroundTask

    return BackgroundTask(partial(opened, reopen))


def opened(reopen: Callable[[], Report]) -> Report:
    """Opens a report and starts its index."""
    report = reopen()
    report.start_index()
    return report


class OpeningScreen(SteadyScreen[None], inherit_bindings=False):
    """The screen shown instead of a report that is not open yet."""

    app: Host
    BINDINGS: ClassVar[list[BindingType]] = []
    DEFAULT_CSS = """
    OpeningScreen { layout: vertical; overflow: hidden; }
    OpeningScreen #body { height: 1fr; }
    """

    def __init__(
        self,
        name: str,
        opening: BackgroundTask[Report],
        shown: Callable[[Report], object],
        failed: Callable[[ReportError], object],
    ) -> None:
        """
        name    name of the report
        shown   called with the opened report
        failed  called if it can't be opened
        """
        super().__init__()
        self._named = name
        self._opening = opening
        self._shown = shown
        self._failed = failed
        self._began = time.monotonic()
        self.title_line = TextLine(id="title")
        self.status_line = TextLine(id="status")
        self.key_line = KeyLine(id="keys")

    def compose(self) -> ComposeResult:
        """Creates title, empty body, elapsed time and keys."""
        yield self.title_line
        yield Container(id="body")
        yield self.status_line
        yield self.key_line

    def on_mount(self) -> None:
        """Starts checking for the report."""
        self.title_line.set_pieces([Piece(f" {safe(self._named)}")])
        self.key_line.set_pieces(*key_pieces([("q", "quit")], self.size.width))
        self._timer = self.set_interval(POLL_EVERY, self.poll)
        self.poll()

    def poll(self) -> None:
        """Passes the report on when it is open."""
        seconds = int(time.monotonic() - self._began)
        self.status_line.set_pieces([Piece(f" opening: {seconds:,} s", "status")])
        if not self._opening.ends_within(0):
            return
        self._timer.stop()
        try:
            report = self._opening.result()
        except ReportError as error:
            self._failed(error)
        else:
            self._shown(report)

    def on_key(self, event: events.Key) -> None:
        """Handles the only action: quitting."""
        event.stop()
        if event.key in QUIT_KEYS:
            self.app.quit()
