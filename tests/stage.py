"""A browser without a terminal: press keys as the help writes them, read the screen as text."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from textual.pilot import Pilot

from parsers.cache import Cache
from parsers.registry import open_report
from tui.app import CoffeetreeApp
from tui.browser import Browser
from tui.command.keys import textual_key
from tui.row_text import Row

PATIENCE = 20.0
"""Seconds until something that should happen is given up."""


class Stage:
    """One running app with a report in it."""

    def __init__(self, app: CoffeetreeApp, pilot: Pilot[Any]) -> None:
        self.app = app
        self.pilot = pilot
        self.copied: list[str] = []
        self.printed: list[str] = []
        app.copy = self._copy  # type: ignore[method-assign]
        app.print_and_wait = self._print  # type: ignore[method-assign]

    def _copy(self, text: str) -> str:
        self.copied.append(text)
        return "sent to the terminal"

    def _print(self, text: str) -> bool:
        self.printed.append(text)
        return True

    @property
    def browser(self) -> Browser:
        """The screen of the report."""
        browser = self.app.browser
        assert browser is not None
        return browser

    async def press(self, keys: str) -> None:
        """Press keys separated by blanks, in the notation of the help; a word in quotes is typed."""
        for word in keys.split():
            typed = list(word[1:-1]) if len(word) > 2 and word[0] == word[-1] == '"' else [word]
            await self.pilot.press(*(textual_name(key) for key in typed))
        await self.pilot.pause()

    async def type(self, text: str) -> None:
        """Type a text."""
        await self.pilot.press(*(textual_name("Space" if character == " " else character) for character in text))
        await self.pilot.pause()

    async def until(self, happens: Callable[[], object]) -> None:
        """Wait until something is so."""
        end = time.monotonic() + PATIENCE
        while not happens():
            assert time.monotonic() < end, "it never happened:\n" + self.screen()
            await asyncio.sleep(0.01)
            await self.pilot.pause()

    def lines(self) -> list[str]:
        """The screen, a text a line."""
        strips = self.app.screen._compositor.render_strips()
        return ["".join(segment.text for segment in strip).rstrip() for strip in strips]

    def screen(self, first: int = 0, last: int | None = None) -> str:
        """The screen as text, or some of its lines."""
        return "\n".join(self.lines()[first:last])

    @property
    def row(self) -> Row:
        """The row under the cursor of the pane."""
        row: Row | None = self.browser.pane.row_at_cursor()
        assert row is not None
        return row

    @property
    def name(self) -> str:
        """Class and name of the row under the cursor, or its label."""
        spans = [span for span in self.row.spans if span.role in ("class", "name")]
        return self.row.label[spans[0].start : spans[-1].end] if spans else self.row.label

    @property
    def status(self) -> str:
        """The status line."""
        return self.browser.status_line.text.strip()

    @property
    def keys(self) -> str:
        """The key line, or the prompt in its place."""
        return self.lines()[-1].strip()


def textual_name(key: str) -> str:
    """What the pilot calls one of our keys."""
    return textual_key(key)[0]


@asynccontextmanager
async def browsing(path: Path | str, size: tuple[int, int] = (116, 24), **given: Any) -> AsyncIterator[Stage]:
    """A browser with a report, as `coffeetree PATH` would show it."""
    cache = Cache()
    report = open_report([str(path)], cache=cache)
    report.start_index()
    app = CoffeetreeApp(report, lambda: open_report([str(path)], cache=cache), **given)
    try:
        async with app.run_test(size=size) as pilot:
            await pilot.pause()
            yield Stage(app, pilot)
    finally:
        app.report.close()
        cache.close()
