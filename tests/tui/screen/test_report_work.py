"""A report stays open while work in a thread may read it."""

from __future__ import annotations

import asyncio
from threading import Event
from typing import Any, cast

from tui.app.report_work import ReportWork


class _Report:
    def __init__(self) -> None:
        self.is_closed = Event()

    def close(self) -> None:
        self.is_closed.set()


async def _closed(report: _Report) -> None:
    assert await asyncio.to_thread(report.is_closed.wait, 20)


async def test_a_report_is_closed_when_no_work_runs() -> None:
    work, report = ReportWork(), _Report()
    work.close(cast(Any, report))
    await _closed(report)
    assert not work.unclosed


async def test_a_report_is_closed_after_the_work_that_was_running() -> None:
    work, report, may_end = ReportWork(), _Report(), Event()
    seen = [work.start(lambda: (may_end.wait(20), report.is_closed.is_set())[1]) for _ in range(2)]
    work.close(cast(Any, report))
    assert work.unclosed == [report]
    may_end.set()
    assert await asyncio.gather(*seen) == [False, False]
    await _closed(report)
    assert not work.unclosed


async def test_a_report_does_not_wait_for_work_that_began_later() -> None:
    work, report, may_end = ReportWork(), _Report(), Event()
    first = work.start(lambda: None)
    work.close(cast(Any, report))
    later = work.start(may_end.wait, 20)
    await first
    await _closed(report)
    may_end.set()
    assert await later


async def test_a_report_is_closed_after_work_that_failed() -> None:
    work, report, may_end = ReportWork(), _Report(), Event()

    def fail() -> None:
        may_end.wait(20)
        raise ValueError("failed")

    failing = work.start(fail)
    work.close(cast(Any, report))
    may_end.set()
    assert isinstance((await asyncio.gather(failing, return_exceptions=True))[0], ValueError)
    await _closed(report)
