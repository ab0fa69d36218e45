"""Follows JVMs while the app runs, on any screen; on leaving, prints the state of those still connected."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from parsers.model.report import Report
from parsers.model.view import UnknownReference
from parsers.runtime.live.client import Listening, LiveEvent
from parsers.runtime.live.opening import open_stream
from parsers.runtime.live.stream.live_stream import WATCH
from tui.input.keys.keyboard import CommandError
from tui.interaction.prompts.question import ask
from tui.live.listen_screen import ListenScreen
from tui.live.words import event_text, name_text, title_text
from tui.screen.command_screen import CommandScreen

if TYPE_CHECKING:
    from parsers.io.cache import Cache
    from parsers.runtime.live.stream.live_stream import LiveStream
    from tui.app.app import CoffeetreeApp
    from tui.screen.browser import Browser

EVERY = 0.25
"""Seconds between two reads of events, so that a busy JVM costs no more than a quiet one."""


class Watch:
    """Connects a receiver with the screens of an app."""

    def __init__(self, app: CoffeetreeApp, listening: Listening, cache: Cache) -> None:
        self._app = app
        self.listening = listening
        self._cache = cache
        self.screen = ListenScreen(listening, app.setup, self.open)
        self._stream: LiveStream | None = None
        """The JVM whose report was opened last."""
        self._places: dict[int, tuple[str, str]] = {}
        """By number of a JVM: the view and the REF where its report was left."""
        self._offered: set[int] = set()
        """Numbers of the JVMs for which a message explained how to get regular numbers."""
        self._is_leaving = False

    def start(self) -> None:
        """Starts following. Needs a running event loop."""
        self._listen()
        self._app.set_interval(EVERY, self.poll)

    def _listen(self) -> None:
        descriptor = self.listening.fileno()
        if descriptor is not None:
            asyncio.get_running_loop().add_reader(descriptor, self._readable, descriptor)

    def _readable(self, descriptor: int) -> None:
        """Notes that events are available for the next read; the loop is not woken for more until then."""
        asyncio.get_running_loop().remove_reader(descriptor)

    def poll(self) -> None:
        """Reads and shows new events."""
        events = self.listening.follow()
        self._listen()
        if events:
            self.screen.show_events(events)
            self._update_browser(events)

    # -- reports ------------------------------------------------------------------------------------------------------

    def open(self, stream: LiveStream) -> None:
        """Opens the data received from a JVM, at the position where it was left before. Raises `ReportError`."""
        self._app.open_report(partial(open_stream, stream, self._cache), follows=True, when_left=self._left)
        self._stream = stream
        browser = self._browser
        if browser is not None:
            browser.show_live_state(title_text(stream))
            place = self._places.get(stream.number) or first_with_rows(browser.report)
            if place is not None:
                browser.call_after_refresh(self._go_back, browser, *place)

    @property
    def _browser(self) -> Browser | None:
        return self._app.browser if self._stream is not None and not self._app.is_touring else None

    def _left(self, browser: Browser) -> None:
        """Stores the position when the report of a JVM is closed, for the list or with the program."""
        row = browser.tree_view.row_at_cursor()
        if self._stream is not None and row is not None:
            self._places[self._stream.number] = browser.view.name, row.ref
        self._stream = None

    @staticmethod
    def _go_back(browser: Browser, view: str, ref: str) -> None:
        """Shows a view with the cursor on a row, as far as they exist."""
        browser.begin()
        if browser.report.views.has(view):
            with suppress(UnknownReference, CommandError):
                browser.interaction.viewing.show_view(view)
                if ref:
                    browser.tree_view.jump(browser.view.resolve(ref))

    def _update_browser(self, events: Sequence[LiveEvent]) -> None:
        """Shows events of the JVM also on the screen of its report."""
        browser, stream = self._browser, self._stream
        if browser is None or stream is None:
            return
        browser.show_live_state(title_text(stream))
        for event in events:
            text = event_text(event) if event.stream in (stream, None) or event.kind == "connected" else ""
            if text:
                browser.show_message(text, "problem" if event.kind in ("trouble", "refused", "gone") else "information")
        self._offer_watching(browser, stream)

    def _offer_watching(self, browser: Browser, stream: LiveStream) -> None:
        """Explains once, at a view with numbers over time, how to get them regularly."""
        if stream.number in self._offered or browser.view.shape != "chart":
            return
        self._offered.add(stream.number)
        if WATCH in stream.actions:
            browser.show_message(
                "Points are added only when this JVM sends data. :ask watch requests them every second."
            )

    # -- leaving ------------------------------------------------------------------------------------------------------

    def asks_before_quitting(self) -> bool:
        """Asks before quitting while JVMs are connected. True: the question is shown, so the program continues."""
        words = self.listening.parting_words()
        if not words or self._is_leaving:
            return False
        screen = self._app.screen
        assert isinstance(screen, CommandScreen)
        screen.begin()
        choices = (
            ("quit: their data is stored in the background", self._quit),
            ("stay", lambda: screen.show_message("Not closed.")),
        )
        ask(screen.interaction, "quit?", f"{words}, in {self.listening.folder}. A JVM is not harmed by that.", choices)
        return True

    def _quit(self) -> None:
        self._is_leaving = True
        self._app.exit(0)

    def farewell(self) -> str:
        """The message after the end of the program; the receiver continues."""
        streams = self.listening.open_streams
        words = self.listening.parting_words()
        self.listening.close()
        return "\n".join([words, *(f"  {name_text(stream)}  {stream.path}" for stream in streams)]) if words else ""


def first_with_rows(report: Report) -> tuple[str, str] | None:
    """The first view with rows, and an empty REF; None if that is the first of all views, or there is none."""
    for place, name in enumerate(report.views.names):
        if report.views.state(name)[1] != 0:
            return (name, "") if place else None
    return None
