"""The application: one terminal, one palette, and the screens. Follows the progress of the open report.

It shows one report, or a folder of them as a list from which reports are opened.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from textual.screen import Screen

from parsers.model.capabilities import ComparesTwo, HasSource, StopsIndex
from parsers.model.report import Report, ReportError
from tui.app.garbage import Garbage
from tui.app.host import Host
from tui.app.loading import count_all, load
from tui.app.opening import PATIENCE, POLL_EVERY, OpeningScreen, begin_opening
from tui.screen.browser import Browser
from tui.screen.command_screen import CommandScreen
from tui.screen.theme import Palette
from tui.settings.state_folder import config_path

if TYPE_CHECKING:
    from parsers.io.background_task import BackgroundTask
    from tui.app.follow_file import FollowFile
    from tui.interaction.setup import Setup
    from tui.tree.tree_view import TreeView

POLL = 0.25
"""Seconds between two frames of a growing index: enough to see it, without delaying keys."""

FILE_POLL = 1.0
"""Seconds between two checks of the file for changes since it was opened."""

CHANGES = {
    "grown": "the file has grown: R reads it again, F follows",
    "truncated": "the file was cut: rows behind its end are gone, R reads it again",
    "removed": "the file was removed: its rows stay, searches need it",
    "replaced": "the file was replaced by another: R reads that",
}
"""Messages of the title, by the result of `change` of the report's source."""


class CoffeetreeApp(Host):
    """Shows a report, or a list of a folder's reports, and follows the report's index while that grows."""

    TITLE = "Coffeetree"

    def __init__(
        self,
        report: Report | None = None,
        reopen: Callable[[], Report] | None = None,
        patterns: Mapping[str, str] | None = None,
        palette: Palette | None = None,
        setup: Setup | None = None,
        choose_from: Callable[[CoffeetreeApp], Screen[Any]] | None = None,
        open_run: Callable[..., Report] | None = None,
    ) -> None:
        """
        reopen       opens the same files again; None: they can't be read twice
        patterns     suppress and expand patterns of the command line
        choose_from  makes another first screen than that of the report, such as the list of reports
        open_run     opens the files of another report, such as another run of a file (`run_paths`); `format=None` for
                     any format
        """
        super().__init__(palette)
        self.report = report
        self.is_configured = setup is not None
        self.patterns = dict(patterns or {})
        self._reopen = reopen
        self._choose_from = choose_from
        self._follower: FollowFile | None = None
        """Opens the next states of a report that is still being written."""
        self._when_left: Callable[[Browser], object] | None = None
        self.asks_before_quitting: Callable[[], bool] = lambda: False
        """Called before quitting. True: quitting waits for the user's answer to its message."""
        self._open_run = open_run
        self._opening: BackgroundTask[Report] | None = None
        """The report that is being opened to be shown next."""
        self._change = "same"
        self._below_tour: tuple[Any, ...] | None = None
        """State of the report below the guided tour."""
        self._garbage = Garbage()
        if setup is not None:
            self.setup, self.state = setup, setup.state

    def get_default_screen(self) -> Screen[Any]:
        """The first screen: the report, or the list of reports."""
        if self._choose_from is not None:
            return self._choose_from(self)
        assert self.report is not None
        return Browser(self.report)

    @property
    def browser(self) -> Browser | None:
        """The screen of the open report."""
        return next((screen for screen in reversed(self.screen_stack) if isinstance(screen, Browser)), None)

    @property
    def is_filled(self) -> bool:
        """True if the rows of the report are drawn, or not shown at all."""
        tree = None if self.browser is None else self.browser.tree_view
        return tree is None or tree.size.height in (0, tree.viewport.height)

    def on_mount(self) -> None:
        """Starts watching the report."""
        if config_path(os.environ).exists():
            self.is_configured = True
            self._configure()
        self.call_after_refresh(self._after_first_frame)
        self.set_interval(POLL, self.follow)
        self.set_interval(POLL, lambda: self._garbage.poll(self.rest))
        self.set_interval(FILE_POLL, self.check_file)

    def _configure(self) -> None:
        """Applies the configured colours and signs."""
        options = self.setup.options
        self.is_ascii = options.ascii
        if options.mono or options.theme:
            self.set_palette("mono" if options.mono else options.theme)
        if not options.mouse:
            self.take_mouse(False)

    def _after_first_frame(self) -> None:
        self.run_worker(self._load_the_rest())

    async def _load_the_rest(self) -> None:
        """Loads the index, then the modules for keys; in a task of its own, so that no key waits for all of it."""
        browser = self.browser
        if browser is not None and self.report is browser.report:
            self._start_index(browser)
            await load(self, browser)

    def _start_index(self, browser: Browser) -> None:
        """Starts building the index unless it exists."""
        try:
            browser.report.start_index()
        except ReportError as error:
            browser.show_message(str(error), "problem")

    def count_all(self, tree: TreeView) -> None:
        """Counts the rows after the first ones in the background; keys don't wait for it."""
        self.run_worker(count_all(self, tree))

    # -- the report ---------------------------------------------------------------------------------------------------

    def follow(self) -> None:
        """Reads the messages of the index child and shows the progress."""
        browser = self.browser
        follower = self._follower
        if follower is not None and follower.is_wanted is not None and not follower.is_wanted():
            self._stop_following()
        elif browser is not None and follower is not None:
            self._show_next_state(follower)
        if self.report is None or browser is None or not self.report.follow():
            return
        browser.progressed()
        if browser.report.is_complete:
            self.count_all(browser.tree_view)

    def _show_next_state(self, follower: FollowFile) -> None:
        """Shows the next state of a file that is still being written."""
        before, report = self.report, follower.poll()
        if report is not None and before is not None:
            self._show(report)
            self.work.close(before)

    def check_file(self) -> None:
        """Shows once that the file has changed since it was opened; a growing file that is followed is read again."""
        source = self.report.source if isinstance(self.report, HasSource) else None
        browser, follower = self.browser, self._follower
        if source is None or browser is None or (follower is not None and follower.is_wanted is None):
            return
        change = source.change()
        if change == "grown" and self.setup.options.follow and self._reopen is not None:
            if follower is None:
                from tui.app.follow_file import FollowFile

                self._follower = FollowFile(self, browser, self._reopen, lambda: self.setup.options.follow)
        elif change != self._change:
            self._change = change
            browser.file_changed(CHANGES.get(change, ""))

    def _stop_following(self) -> None:
        if self._follower is not None:
            self._follower.close()
            self._follower = None

    def reload(self) -> None:
        """Opens the same files again; the cursor goes to the row of the same REF if it exists."""
        browser, old = self.browser, self.report
        if browser is None or old is None:
            return
        if self._reopen is None:
            if isinstance(old, StopsIndex) and old.progress.state == "failed":
                old.go_on_index()
                browser.show_message("Indexing again.")
            else:
                browser.show_message("A pipe cannot be read again.", "problem")
            return
        self._replace(browser, old, self._reopen)

    def show_in_place(self, reopen: Callable[[], Report], message: str) -> bool:
        """Shows the report that `reopen` opens instead of the present one; view and cursor stay. False: it can't be
        opened.

        Waits for the opening: for reports with an existing index.
        """
        browser, report = self.browser, self.report
        if browser is None or report is None:
            return False
        try:
            self._take_place(browser, report, reopen, message, "", begin_opening(reopen).result())
        except ReportError as error:
            browser.show_message(str(error), "problem")
            return False
        return True

    def _replace(
        self, browser: Browser, old: Report, reopen: Callable[[], Report], message: str = "read again", ref: str = ""
    ) -> None:
        """Shows the report that `reopen` opens instead of the present one; if it can't be opened, nothing changes.

        ref: REF for the cursor; empty: its current one
        """
        try:
            self._open(reopen, partial(self._take_place, browser, old, reopen, message, ref))
        except ReportError as error:
            browser.show_message(str(error), "problem")

    def _take_place(
        self, browser: Browser, old: Report, reopen: Callable[[], Report], message: str, ref: str, report: Report
    ) -> None:
        if self.report is not old or self.browser is not browser:
            report.close()
            return
        self._reopen = reopen
        self._stop_following()
        self._show(report)
        browser.show_report(report, message, ref)
        self.work.close(old)

    def _open(self, reopen: Callable[[], Report], shown: Callable[[Report], object]) -> None:
        """Opens a report in a thread and passes it to `shown`, unless another one is requested before it is open.

        Raises `ReportError` if that fails soon; a later failure is shown on the screen.
        """
        opening = self._opening = begin_opening(reopen)
        if opening.ends_within(PATIENCE):
            shown(opening.result())
            return
        self.show_message("opening: archives are unpacked first")
        self.run_worker(self._show_later(opening, shown))

    async def _show_later(self, opening: BackgroundTask[Report], shown: Callable[[Report], object]) -> None:
        # No executor: quitting would wait for it.
        while not opening.ends_within(0):
            await asyncio.sleep(POLL_EVERY)
        try:
            report = opening.result()
        except ReportError as error:
            self.show_message(str(error), "problem")
            return
        if self._opening is opening:
            shown(report)
        else:
            report.close()

    def show_message(self, text: str, kind: str = "information") -> None:
        """Shows a message for the user, if the screen has a line for it. kind: "problem" for errors"""
        if isinstance(self.screen, CommandScreen):
            self.screen.show_message(text, kind)

    def show_run(self, path: str, ref: str = "") -> None:
        """Shows another run of the file, or another report, instead of this one; the cursor on a REF of it."""
        if self._open_run is not None and self.browser is not None and self.report is not None:
            self._replace(self.browser, self.report, partial(self._open_run, [path]), os.path.basename(path), ref)

    def compare(self, old: Sequence[str], name: str = "") -> None:
        """Shows the comparison with an older report instead of this one.

        old   files of the older report
        name  its name in the list where it was selected
        """
        open_run, report = self._open_run, self.report
        newer = report.open_newer if isinstance(report, ComparesTwo) else self._reopen
        if open_run is not None and newer is not None and self.browser is not None and report is not None:
            from parsers.reporting.comparison.compared_report import compared

            message = f"compared with {name or os.path.basename(os.path.normpath(old[0]))}: d goes back"
            self._replace(self.browser, report, partial(compared, partial(open_run, old), newer), message)

    def show_newer(self) -> None:
        """Shows the newer of two compared reports instead of the comparison."""
        report = self.report
        if self.browser is not None and isinstance(report, ComparesTwo) and report.open_newer is not None:
            self._replace(self.browser, self.report, report.open_newer, os.path.basename(report.new.files[0]))

    def open_report(
        self,
        reopen: Callable[[], Report],
        follows: bool = False,
        when_left: Callable[[Browser], object] | None = None,
        waits: bool = True,
    ) -> None:
        """Opens a report over the list of reports. Raises `ReportError`.

        follows   True: it is opened again and again while it grows
        when_left  called before it is closed
        waits      True: it is shown when this returns; False: perhaps later, if opening takes long
        """
        shown = partial(self._show_over, self.screen, reopen, follows, when_left)
        if waits:
            shown(begin_opening(reopen).result())
        else:
            self._open(reopen, shown)

    def _show_over(
        self,
        screen: Screen[Any],
        reopen: Callable[[], Report],
        follows: bool,
        when_left: Callable[[Browser], object] | None,
        report: Report,
    ) -> None:
        if self.screen is not screen:
            report.close()
            return
        self._reopen, self._when_left = reopen, when_left
        browser = Browser(report)
        if follows:
            from tui.app.follow_file import FollowFile

            self._follower = FollowFile(self, browser, reopen)
        self._push(browser)

    def show_tour(self) -> None:
        """Shows the guided tour over the present screen, which is shown again when the tour is left."""
        if self._open_run is None or self.is_touring:
            return
        from tui.tour.steps import SAMPLE

        reopen = partial(self._open_run, [SAMPLE], format=None)
        self._open(reopen, partial(self._show_tour, self.screen, reopen))

    def _show_tour(self, screen: Screen[Any], reopen: Callable[[], Report], report: Report) -> None:
        if self.screen is not screen:
            report.close()
            return
        from tui.tour.tour_screen import TourScreen

        self._below_tour = self.report, self._change, self._reopen, self._follower, self._when_left
        self._reopen, self._follower, self._when_left = reopen, None, None
        self._push(TourScreen(report))

    @property
    def is_touring(self) -> bool:
        """True if the guided tour is shown over a screen."""
        return self._below_tour is not None

    @property
    def open_reports(self) -> list[Report]:
        """The report on the screen, the one below the guided tour, and those that wait to be closed."""
        below = (self.report, *(self._below_tour or ())[:1])
        return [*(report for report in below if report is not None), *self.work.unclosed]

    def show_first(self, report: Report) -> None:
        """Shows the report over the screen that waited for it."""
        self._push(Browser(report))

    @property
    def is_last_screen(self) -> bool:
        """True if no list of reports is below the report."""
        return all(isinstance(screen, OpeningScreen) for screen in self.screen_stack[:-1])

    def close_report(self) -> None:
        """Returns to the list of reports, or from the tour to the screen below; from the only screen to the shell."""
        if self.is_last_screen:
            self.quit()
            return
        browser = self.browser
        if browser is not None and self._when_left is not None:
            self._when_left(browser)
        self.pop_screen()
        self._stop_following()
        report = self.report
        self._show(None)
        if self._below_tour is not None:
            self.report, self._change, self._reopen, self._follower, self._when_left = self._below_tour
            self._below_tour = None
        if report is not None:
            self.work.close(report)

    def quit(self) -> None:
        """Ends the program, unless the user must confirm first."""
        if not self.asks_before_quitting():
            self.exit(0)

    def _push(self, browser: Browser) -> None:
        """Shows the screen of a report over the present one."""
        self._show(browser.report)
        self.push_screen(browser)
        browser.call_after_refresh(self._after_first_frame)

    def _show(self, report: Report | None) -> None:
        """Follows another report from now on."""
        self.report = report
        self._change = "same"

    # -- looks --------------------------------------------------------------------------------------------------------

    def set_ascii(self, is_ascii: bool) -> None:
        """Draws ASCII signs only, or all."""
        self.is_ascii = is_ascii
        if self.browser is not None:
            self.browser.tree_view.redraw()
        self.screen.refresh()
