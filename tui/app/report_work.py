"""Work in threads on open reports. A report is closed only after the work that may read it has ended."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, TypeVar

from parsers.model.report import Report

Value = TypeVar("Value")


class ReportWork:
    """The work that runs for an app, and the reports that wait for its end to be closed."""

    def __init__(self) -> None:
        self._running: set[asyncio.Future[Any]] = set()
        self._closing: list[tuple[Report, set[asyncio.Future[Any]]]] = []
        """Reports to be closed, each with the work that was running when that was asked for."""

    @property
    def unclosed(self) -> list[Report]:
        """Reports that wait to be closed."""
        return [report for report, _ in self._closing]

    def start(self, work: Callable[..., Value], *arguments: object) -> asyncio.Future[Value]:
        """Runs a function in a thread."""
        running: asyncio.Future[Value] = asyncio.get_running_loop().run_in_executor(None, work, *arguments)
        self._running.add(running)
        running.add_done_callback(self._ended)
        return running

    def close(self, report: Report) -> None:
        """Closes a report, in a thread, as soon as the work that runs now has ended."""
        self._closing.append((report, set(self._running)))
        self._close_ended()

    def _ended(self, work: asyncio.Future[Any]) -> None:
        self._running.discard(work)
        for _, awaited in self._closing:
            awaited.discard(work)
        self._close_ended()

    def _close_ended(self) -> None:
        ended = [report for report, awaited in self._closing if not awaited]
        self._closing = [each for each in self._closing if each[1]]
        for report in ended:
            asyncio.get_running_loop().run_in_executor(None, report.close)
