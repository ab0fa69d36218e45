"""Opening reports beside the screen: an archive may have to be unpacked to its end before it is known what it holds.

What is there within a moment is shown at once. What takes longer is opened in a thread while keys are answered, and
shown when it is there; whoever quits meanwhile doesn't wait for it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container

from parsers.model.report import Report, ReportError
from tui.screen.frame import KeyLine, TextLine
from tui.screen.sanitise import safe
from tui.terminal.application import SteadyScreen
from tui.tree.piece import Piece

if TYPE_CHECKING:
    from parsers.io.background_task import BackgroundTask
    from tui.app.host import Host

PATIENCE = 1.0
"""Seconds that a screen waits for a report that is being opened."""
LOOK_EVERY = 0.1
"""Seconds between two looks at whether it is there."""
QUIT_KEYS = ("q", "Q", "ctrl+c", "ctrl+q", "escape")


def begin_opening(reopen: Callable[[], Report]) -> BackgroundTask[Report]:
    """Opens a report in a thread and has its index begun."""
    from parsers.io.background_task import BackgroundTask

    return BackgroundTask(partial(_opened, reopen))


def _opened(reopen: Callable[[], Report]) -> Report:
    report = reopen()
    report.start_index()
    return report


class OpeningScreen(SteadyScreen[None], inherit_bindings=False):
    """Shown in the place of a report that is not open yet."""

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
        name    what is being opened
        shown   called with the report once it is there
        failed  called where it can't be opened
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
        """Title, nothing, how long it has taken, keys."""
        yield self.title_line
        yield Container(id="body")
        yield self.status_line
        yield self.key_line

    def on_mount(self) -> None:
        """Looks from now on."""
        self.title_line.set_pieces([Piece(f" {safe(self._named)}")])
        self.key_line.set_pieces([Piece(" q", "key"), Piece(" quit ", "key-word")])
        self._timer = self.set_interval(LOOK_EVERY, self.look)
        self.look()

    def look(self) -> None:
        """Passes the report on when it is there."""
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
        """There is only one thing to do."""
        event.stop()
        if event.key in QUIT_KEYS:
            app: Any = self.app
            app.quit()
