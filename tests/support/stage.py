"""A browser without a terminal: press keys as the help writes them, read the screen as text."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

from textual.events import Key
from textual.pilot import Pilot
from textual.worker import WorkerFailed

from parsers.io.cache import Cache
from parsers.model.row import Row
from parsers.runtime.opening import open_report
from tui.app.app import CoffeetreeApp
from tui.input.keys.name import SPECIAL, parse_sequence
from tui.screen.browser import Browser
from tui.screen.key_hints import KeyHints
from tui.tree.tree_view import TreeView

PATIENCE = 20.0
"""Maximum seconds to wait for a condition."""


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
            typed = list(word[1:-1]) if len(word) > 2 and word[0] == word[-1] == '"' else parse_sequence(word)
            for key in typed:
                await self._send(key)

    async def type(self, text: str) -> None:
        """Type a text."""
        for character in text:
            await self._send("Space" if character == " " else character)

    async def enter(self, line: str) -> None:
        """Type a command line."""
        await self.type(f":{line}")
        await self._send("Enter")

    async def _send(self, key: str) -> None:
        self.app.post_message(Key(*textual_key(key)))
        await self.quiet()

    async def quiet(self) -> None:
        """Wait until every message has been handled: much quicker than the pilot's pause, which waits for idle CPUs."""
        await self._no_messages()
        self.app.screen._on_timer_update()
        await self._no_messages()

    async def _no_messages(self) -> None:
        ready = asyncio.get_running_loop()._ready  # type: ignore[attr-defined]  # what the loop calls next
        for _ in range(2_000):
            await asyncio.sleep(0)
            if not ready:
                return

    async def until(self, happens: Callable[[], object]) -> None:
        """Wait until something is so."""
        end = time.monotonic() + PATIENCE
        while not happens():
            assert time.monotonic() < end, "it never happened:\n" + self.screen()
            await asyncio.sleep(0.01)

    async def settled(self) -> None:
        """Wait until nothing runs in the background."""
        interaction = self.browser.interaction

        def is_quiet() -> bool:
            found = interaction.search.found
            return (found is None or found.has_ended) and not interaction.filters.is_busy

        await self.until(is_quiet)

    async def comes_true(self, check: Callable[[], object], seconds: float = 3.0) -> bool:
        """Returns True if a condition holds soon."""
        end = time.monotonic() + seconds
        while not check():
            if time.monotonic() > end:
                return False
            await asyncio.sleep(0.01)
        return True

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
    def label(self) -> str:
        """The label of the row under the cursor; empty while a view has no row yet."""
        row: Row | None = self.browser.pane.row_at_cursor()
        return "" if row is None else row.label

    @property
    def name(self) -> str:
        """Class and name of the row under the cursor, or its label; empty while a view has no row yet."""
        row: Row | None = self.browser.pane.row_at_cursor()
        if row is None:
            return ""
        spans = [span for span in row.spans if span.role in ("class", "name")]
        return row.label[spans[0].start : spans[-1].end] if spans else row.label

    @property
    def node(self) -> int | None:
        """The node under the cursor of the tree."""
        return self.browser.tree_view.cursor_node

    @property
    def status(self) -> str:
        """The status line."""
        return self.browser.status_line.text.strip()

    @property
    def hints(self) -> str:
        """The keys that can follow an unfinished sequence, as they cover the lowest lines; empty: none are shown."""
        return "\n".join(shown.text for shown in self.app.screen.query(KeyHints))

    @property
    def keys(self) -> str:
        """Returns the key line, or the prompt instead: sign and text, two blanks, and the message at the right."""
        prompt = self.browser.interaction.prompt
        if prompt is None:
            return self.browser.key_line.text.strip()
        return f"{prompt.purpose.sign}{prompt.text}  {''.join(piece.text for piece in prompt.purpose.status)}"


@asynccontextmanager
async def browsing(path: Path | str, size: tuple[int, int] = (116, 24), **given: Any) -> AsyncIterator[Stage]:
    """A browser with a report, as `coffeetree PATH` would show it."""
    cache = Cache()
    report = open_report([str(path)], cache=cache)
    report.start_index()
    reopen, open_run = partial(open_report, [str(path)], cache=cache), partial(open_report, cache=cache)
    app = CoffeetreeApp(report, reopen, open_run=open_run, **given)
    try:
        async with app.run_test(size=size) as pilot:
            await pilot.pause()
            yield Stage(app, pilot)
    except WorkerFailed as failed:
        raise failed from failed.error
    finally:
        for each in app.open_reports:
            each.close()
        cache.close()


def textual_key(key: str) -> tuple[str, str | None]:
    """Textual's name of a key and its typed character; the inverse of `key_of_event`."""
    for name, ours in SPECIAL.items():
        if ours == key:
            return name, " " if key == "Space" else None
    if len(key) == 2 and key[0] == "^":
        return f"ctrl+{key[1]}", None
    return key, key


def line_texts(pane: TreeView) -> list[str]:
    """The lines of a tree as text."""
    return [pane.render_line(y).text for y in range(pane.size.height)]
