"""Repeated opening of a file that is still being written, in the background of the report on the screen.

All shown rows are of one moment: the next opening replaces the report when its index is complete and its view is
ready, with cursor and open rows restored. While the user types or searches, it waits.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from parsers.model.capabilities import HasSource
from parsers.model.report import Report, ReportError
from parsers.model.view import View
from parsers.views.collection import owner_of
from tui.app.opening import opened

if TYPE_CHECKING:
    from parsers.model.late.preparation import Preparation
    from tui.app.host import Host
    from tui.screen.browser import Browser

LEAST_REST = 1.0
"""Minimum seconds between two openings."""

LONG = 1.5
"""Seconds after which a message reports that more is being read."""

WAITS, READS = "Esc shows more", "reading more"
"""Messages of the title: while the user is busy, and while more is being read."""

SHARE = 4
"""Minimum pause after an opening, as a multiple of its duration: openings take a fifth of the time at most."""


class FollowFile:
    """Opens the next state of the report of one browser."""

    def __init__(
        self, app: Host, browser: Browser, reopen: Callable[[], Report], is_wanted: Callable[[], bool] | None = None
    ) -> None:
        """
        is_wanted  called repeatedly: True if following continues; None: as long as the report is shown
        """
        self._app = app
        self._browser = browser
        self._reopen = reopen
        self.is_wanted = is_wanted
        self._next: Report | None = None
        self._begun = self._took = 0.0
        """Start time of the next opening, and seconds until all its work was done."""
        self._rests_until = 0.0
        self._is_making = self._is_opening = self._is_closed = False
        self._made: Report | None = None
        """The report whose view was made last."""

    def poll(self) -> Report | None:
        """Continues the work; to be called repeatedly. Returns the report that is now shown, if it was replaced."""
        if self._next is None:
            self._begin()
            return None
        report = self._next
        report.follow()
        if report.is_complete and not self._took:
            self._took = time.monotonic() - self._begun
        if report.progress.state == "failed":
            self._drop()
        elif report.is_complete and not self._is_making and not self._browser.is_busy and self._is_made(report):
            self._next = None
            self._browser.renew_report(report)
            self._browser.file_changed("")
            self._rest()
            return report
        elif report.is_complete and self._browser.is_busy:
            self._browser.file_changed(WAITS)
        elif not report.is_complete and time.monotonic() - self._begun > LONG:
            self._browser.file_changed(READS)
        return None

    def close(self) -> None:
        """Stops following."""
        self._is_closed = True
        self._drop()

    def _drop(self) -> None:
        """Closes the report that was being opened."""
        if self._next is not None:
            self._app.work.close(self._next)
            self._next = None
            self._rest()

    def _begin(self) -> None:
        shown = self._browser.report
        if self._is_opening or time.monotonic() < self._rests_until:
            return
        if shown.is_complete and isinstance(shown, HasSource) and shown.source.change() == "grown":
            self._begun, self._took, self._is_opening = time.monotonic(), 0.0, True
            self._app.run_worker(self._open())

    async def _open(self) -> None:
        """Opens it in a thread: a key must not wait for reading the file's beginning and starting a process."""
        try:
            report = await self._app.work.start(opened, self._reopen)
        except ReportError as error:
            self._browser.show_message(str(error), "problem")
            self._rest()
        else:
            self._next = report
            if self._is_closed:
                self.close()
        finally:
            self._is_opening = False

    def _rest(self) -> None:
        # The time for which a busy user delayed the report has no cost.
        now = time.monotonic()
        self._rests_until = now + max(LEAST_REST, SHARE * (self._took or now - self._begun))

    def _is_made(self, report: Report) -> bool:
        """True if the view to be shown has its rows and they are counted; else starts that work."""
        name = self._browser.view.name
        if self._made is report or not report.views.has(name):
            return True
        view = report.view(name)
        self._browser.interaction.filters.apply_choices(view)
        preparation = view.preparation()
        self._is_making = True
        self._app.run_worker(self._make(report, view, preparation))
        return False

    async def _make(self, report: Report, view: View, preparation: Preparation | None) -> None:
        work, begun = self._app.work, time.monotonic()
        restore_cuts = self._browser.interaction.cut_restorer(owner_of(report, view))
        if restore_cuts is not None:
            with suppress(ReportError):
                await work.start(restore_cuts)
        if preparation is not None:
            await work.start(preparation.run)
            preparation.finish()
        # Unused if another view is selected meanwhile.
        await work.start(self._browser.tree_view.count_ahead, view)
        self._took += time.monotonic() - begun
        self._made, self._is_making = report, False
