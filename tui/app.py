"""The application: a terminal, a palette, and the screens."""

from __future__ import annotations

import asyncio
from typing import Any

from parsers.report import Report
from tui.browser import Browser
from tui.terminal.application import TerminalApp
from tui.theme import Palette

POLL = 0.25
"""Seconds between two looks at an index child that has nothing to say by itself."""


class CoffeetreeApp(TerminalApp):
    """Shows a report, and follows its index while that grows."""

    TITLE = "Coffeetree"

    def __init__(self, report: Report, options: Any = None, palette: Palette | None = None) -> None:
        super().__init__(palette)
        self.report = report
        self.options_given = options
        self.is_ascii = False
        self._followed: int | None = None

    def on_mount(self) -> None:
        """The first screen."""
        self.push_screen(Browser(self.report))
        self._follow_child()
        self.set_interval(POLL, self.follow)

    def _follow_child(self) -> None:
        """Wake up when the index child says something."""
        descriptor = self.report.fileno()
        loop = asyncio.get_running_loop()
        if self._followed is not None and descriptor != self._followed:
            loop.remove_reader(self._followed)
            self._followed = None
        if descriptor is not None and self._followed is None:
            loop.add_reader(descriptor, self.follow)
            self._followed = descriptor

    def follow(self) -> None:
        """Takes in what the index has got since."""
        changed = self.report.follow()
        if self._followed is not None and self.report.fileno() != self._followed:
            self._follow_child()
        if changed:
            for screen in self.screen_stack:
                if isinstance(screen, Browser):
                    screen.progressed()
