"""`coffeetree watch FOLDER` on a terminal: the reports of the folder, and each new build as soon as it is written.

The newest build is shown compared with the previous one, replacing the build shown so far. Files that it writes later
are included. A report that the user has opened or works in stays; the newest build is shown when the user leaves it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from parsers.model.report import ReportError
from parsers.runtime.watching import REWRITTEN, files_of
from tui.screen.sanitise import safe

if TYPE_CHECKING:
    from parsers.formats.folder import FoundReport
    from parsers.model.report import Report
    from parsers.runtime.watching import Arrival, FolderWatch
    from tui.app.app import CoffeetreeApp
    from tui.screen.picker import Picker

EVERY = 1.0
"""Seconds between two checks of the folder."""

Opener = Callable[[Sequence[str]], "Report"]


class Watching:
    """The shown report of a folder that builds write into."""

    def __init__(
        self,
        app: CoffeetreeApp,
        picker: Picker,
        watch: FolderWatch,
        opener: Opener,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """opener: opens the files of a report; raises `ReportError`"""
        self._app, self._picker, self._watch = app, picker, watch
        self._opener, self._clock = opener, clock
        self._waiting: Arrival | None = None
        """The newest arrival that is not shown yet."""
        self._last: Arrival | None = None
        """The arrival shown last."""
        self._shown: Report | None = None
        self._is_looking = False

    def start(self) -> None:
        """Starts watching."""
        self._app.set_interval(EVERY, self.poll)

    async def poll(self) -> None:
        """Checks for new reports; they are indexed before they are shown."""
        if self._is_looking:
            return
        self._is_looking = True
        try:
            for arrival in await asyncio.to_thread(self._watch.poll, self._clock()):
                await asyncio.to_thread(self._index, arrival.reports)
                self._show_waiting(arrival)
                self._picker.reload()
            self._show()
        finally:
            self._is_looking = False

    def _index(self, reports: Sequence[FoundReport]) -> None:
        for found in sorted(reports, key=lambda report: -report.bytes):
            if not found.needs_index:
                continue
            try:
                report = self._opener(found.files)
            except ReportError:
                continue
            try:
                report.wait()
            except ReportError:
                continue
            finally:
                report.close()

    def _show_waiting(self, arrival: Arrival) -> None:
        shown = self._waiting or self._last
        if shown is not None and arrival.run.written < shown.run.written and not is_same(arrival, shown):
            # More files of a build before the newest one.
            return
        self._waiting = arrival
        browser = self._app.browser
        if browser is not None and not self._can_replace:
            browser.show_message(f"{_arrival_text(arrival)}: q shows it")

    @property
    def _can_replace(self) -> bool:
        """True if the newest report may replace the one shown."""
        browser = self._app.browser
        return browser is None or (self._app.report is self._shown and not browser.is_busy)

    def _show(self) -> None:
        arrival = self._waiting
        if arrival is None or not self._can_replace:
            return
        # A single report has views of other names.
        was_build = self._last is not None and sum(report.can_be_opened for report in self._last.run.reports) > 1
        is_more = self._app.browser is not None and was_build and is_same(arrival, self._last)
        self._waiting, self._last = None, arrival
        if self._app.browser is not None and not is_more:
            self._app.close_report()
        before = None if arrival.before is None else files_of(arrival.before)
        choices: list[tuple[Sequence[str], Sequence[str] | None]] = [(files_of(arrival.run), before)]
        # Not all files of a build can be opened as one report, or compared.
        choices += [(new.files, old.files) for new, old in arrival.pairs(of_all=True) if old is not None]
        choices += [(files_of(arrival.run), None), (arrival.pairs()[0][0].files, None)]
        for new, old in choices:
            opening = self._opening(new, old)
            if is_more:
                if self._app.show_in_place(opening, _arrival_text(arrival)):
                    break
                continue
            try:
                self._app.open_report(opening)
                break
            except ReportError as error:
                self._picker.show_message(str(error), "problem")
        self._shown = self._app.report

    def _opening(self, new: Sequence[str], old: Sequence[str] | None) -> Callable[[], Report]:
        from parsers.reporting.comparison.compared_report import compared

        newest = partial(self._opener, new)
        return newest if old is None else partial(compared, partial(self._opener, old), newest)


def is_same(arrival: Arrival, other: Arrival | None) -> bool:
    """True if both are of one build, to which files were added."""
    return other is not None and not set(files_of(arrival.run)).isdisjoint(files_of(other.run))


def _arrival_text(arrival: Arrival) -> str:
    """One-line message about an arrival."""
    name, others = safe(arrival.pairs()[0][0].name), len(arrival.reports) - 1
    more = f" and {others} more" if others else ""
    return f"{name}{more} {'rewritten' if arrival.news == REWRITTEN else 'added'}"
