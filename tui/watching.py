"""`coffeetree watch FOLDER` on a terminal: the reports of the folder, and each new build as soon as it is written.

The newest build is shown with what came since the one before, in the place of the one that was shown so. What somebody
has opened, or is in the midst of, stays: the newest one is shown when that is left.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from parsers.report import ReportError
from parsers.watching import files_of
from tui.sanitise import safe

if TYPE_CHECKING:
    from parsers.folder import FoundReport
    from parsers.report import Report
    from parsers.watching import Arrival, FolderWatch
    from tui.app import CoffeetreeApp
    from tui.picker import Picker

EVERY = 1.0
"""Seconds between two looks at the folder."""

Opener = Callable[[Sequence[str]], "Report"]


class Watching:
    """What is shown of a folder that builds write into."""

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
        """What has come and is not shown yet."""
        self._shown: Report | None = None
        self._is_looking = False

    def start(self) -> None:
        """Looks from now on."""
        self._app.set_interval(EVERY, self.look)

    async def look(self) -> None:
        """What has come since; it is indexed before it is shown."""
        if self._is_looking:
            return
        self._is_looking = True
        try:
            for arrival in await asyncio.to_thread(self._watch.look, self._clock()):
                await asyncio.to_thread(self._index, arrival.reports)
                self._say_waiting(arrival)
                self._picker.reload()
            self._show()
        finally:
            self._is_looking = False

    def _index(self, reports: Sequence[FoundReport]) -> None:
        for found in sorted(reports, key=lambda report: -report.bytes):
            if not found.needs_index:
                continue
            try:
                report = self._opener(_files(found))
            except ReportError:
                continue
            try:
                report.wait()
            except ReportError:
                continue
            finally:
                report.close()

    def _say_waiting(self, arrival: Arrival) -> None:
        self._waiting = arrival
        browser = self._app.browser
        if browser is not None and not self._can_replace:
            browser.say(f"{safe(arrival.pairs()[0][0].name)} has come: q shows it")

    @property
    def _can_replace(self) -> bool:
        """Whether the newest report may take the place of what is shown."""
        browser = self._app.browser
        return browser is None or (self._app.report is self._shown and not browser.is_busy)

    def _show(self) -> None:
        arrival = self._waiting
        if arrival is None or not self._can_replace:
            return
        self._waiting = None
        if self._app.browser is not None:
            self._app.close_report()
        newest, older = arrival.pairs()[0]
        ways = [
            (files_of(arrival.run), None if arrival.before is None else files_of(arrival.before)),
            (_files(newest), None if older is None else _files(older)),
            (_files(newest), None),
        ]
        for new, old in ways:
            try:
                self._app.open_report(self._opening(new, old))
                break
            except ReportError as error:
                # Not all that a build writes can be opened as one, or compared.
                self._picker.say(str(error), "problem")
        self._shown = self._app.report

    def _opening(self, new: Sequence[str], old: Sequence[str] | None) -> Callable[[], Report]:
        from parsers.compare.compared_report import compared

        newest = partial(self._opener, new)
        return newest if old is None else partial(compared, partial(self._opener, old), newest)


def _files(report: FoundReport) -> Sequence[str]:
    return report.files or (report.path,)
