"""A file that somebody is still writing is read again and again, beside what is shown, which stays until then.

What is shown is all of one moment: the next opening takes its place when its index is whole and its view is made, with
the cursor and what is open where they were. While somebody is typing or searching, it waits.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from parsers.model.report import Report, ReportError, View
from parsers.views.collection import owner_of, view_names

if TYPE_CHECKING:
    from tui.app.host import Host
    from tui.screen.browser import Browser

LEAST_REST = 1.0
"""Seconds between two openings at least."""

LONG = 1.5
"""Seconds from which on it is said that more is being read."""

WAITS, READS = "Esc shows more", "reading more"
"""What the title says while somebody is in the midst of something."""

SHARE = 4
"""How many times as long as the last opening took nothing is opened: a fifth of the time goes there at most."""


class FollowFile:
    """Opens the next report of one browser."""

    def __init__(
        self, app: Host, browser: Browser, reopen: Callable[[], Report], is_wanted: Callable[[], bool] | None = None
    ) -> None:
        """
        is_wanted  asked now and then: whether it shall go on; None: as long as the report is shown
        """
        self._app = app
        self._browser = browser
        self._reopen = reopen
        self.is_wanted = is_wanted
        self._next: Report | None = None
        self._begun = self._took = 0.0
        """When the next opening was begun, and the seconds it took until all there was to do was done."""
        self._rests_until = 0.0
        self._is_making = self._is_opening = self._is_closed = False
        self._made: Report | None = None
        """The report whose view was made last."""

    def look(self) -> Report | None:
        """To be called now and then: goes on. Gives the report that is shown from now on, if that is another one."""
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
        """Nothing more is wanted."""
        self._is_closed = True
        self._drop()

    def _drop(self) -> None:
        """What was being opened is not wanted any more."""
        if self._next is not None:
            self._next.close()
            self._next = None
            self._rest()

    def _begin(self) -> None:
        shown: Any = self._browser.report
        if self._is_opening or time.monotonic() < self._rests_until:
            return
        if shown.is_complete and shown.source.change() == "grown":
            self._begun, self._took, self._is_opening = time.monotonic(), 0.0, True
            self._app.run_worker(self._open())

    async def _open(self) -> None:
        """Opens it in a thread: reading the beginning of a file and starting a process is more than a key may wait."""
        try:
            report = await asyncio.get_running_loop().run_in_executor(None, self._opened)
        except ReportError as error:
            self._browser.say(str(error), "problem")
            self._rest()
        else:
            self._next = report
            if self._is_closed:
                self.close()
        finally:
            self._is_opening = False

    def _opened(self) -> Report:
        report = self._reopen()
        report.start_index()
        return report

    def _rest(self) -> None:
        # Somebody who was in the midst of something kept it waiting, which cost nothing.
        now = time.monotonic()
        self._rests_until = now + max(LEAST_REST, SHARE * (self._took or now - self._begun))

    def _is_made(self, report: Report) -> bool:
        """Whether the view that will be shown has its rows, and they are counted; if not, it is being done."""
        name = self._browser.view.name
        if self._made is report or name not in view_names(report.views):
            return True
        view = report.view(name)
        self._browser.interaction.filters.make_alike(view)
        preparation = view.preparation()
        self._is_making = True
        self._app.run_worker(self._make(report, view, preparation))
        return False

    async def _make(self, report: Report, view: View, preparation: Any) -> None:
        loop, begun = asyncio.get_running_loop(), time.monotonic()
        carried = self._browser.interaction.carried_to(owner_of(report, view))
        if carried is not None:
            with suppress(ReportError):
                await loop.run_in_executor(None, carried)
        if preparation is not None:
            await loop.run_in_executor(None, preparation.run)
            preparation.finish()
        # All of it may be in vain, if another view is chosen meanwhile.
        await loop.run_in_executor(None, self._browser.tree_view.count_ahead, view)
        self._took += time.monotonic() - begun
        self._made, self._is_making = report, False
