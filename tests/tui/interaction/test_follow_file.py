"""A growing file is read again at its time, however long the user delays the update."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from types import SimpleNamespace
from typing import Any

import pytest

from parsers.model.views import Views
from tui.app import follow_file
from tui.app.follow_file import SHARE, WAITS, FollowFile
from tui.app.report_work import ReportWork


class Clock:
    """A clock that tests advance."""

    now = 100.0

    def monotonic(self) -> float:
        return self.now


class Screen:
    """A browser whose user may be busy, and the app of it."""

    def __init__(self) -> None:
        self.view = SimpleNamespace(name="Threads")
        self.report: Any = opening()
        self.is_busy = False
        self.says = ""
        self.tasks: list[asyncio.Task[None]] = []
        self.work = ReportWork()

    def renew_report(self, report: Any) -> None:
        self.report = report

    def file_changed(self, words: str) -> None:
        self.says = words

    def run_worker(self, work: Coroutine[Any, Any, None]) -> None:
        self.tasks.append(asyncio.ensure_future(work))

    async def quiet(self) -> None:
        """Until what was begun is done."""
        await asyncio.gather(*self.tasks)


def opening() -> Any:
    """A complete report of a file that has grown since, without the visible view."""
    return SimpleNamespace(
        is_complete=True,
        progress=SimpleNamespace(state="ready"),
        source=SimpleNamespace(change=lambda: "grown"),
        views=Views({}),
        start_index=lambda: None,
        follow=lambda: False,
        close=lambda: None,
    )


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(follow_file, "time", clock)
    return clock


async def test_delaying_an_update_does_not_delay_the_next_reading(clock: Clock) -> None:
    screen = Screen()
    keeps: Any = FollowFile(screen, screen, opening)  # type: ignore[arg-type]  # a stand-in of app and browser
    keeps.poll()
    await screen.quiet()
    clock.now += 2
    screen.is_busy = True
    assert keeps.poll() is None
    assert screen.says == WAITS
    clock.now += 60
    screen.is_busy = False
    shown = keeps.poll()
    assert shown is screen.report
    clock.now += 2 * SHARE - 0.5
    keeps.poll()
    assert len(screen.tasks) == 1
    clock.now += 1
    keeps.poll()
    assert len(screen.tasks) == 2
    await screen.quiet()
