"""The application: one terminal, one palette, and the screens. Follows what happens to the report that is open."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from importlib import import_module

from parsers.report import Report, ReportError
from tui.browser import Browser
from tui.command.screen_interaction import Setup, set_up
from tui.terminal.application import TerminalApp
from tui.theme import Palette

POLL = 0.25
"""Seconds between two looks at an index that has nothing to say by itself."""

FILE_POLL = 1.0
"""Seconds between two looks at whether the file is still what was opened."""

CHANGES = {
    "grown": "the file has grown: R reads it again, F follows",
    "truncated": "the file was cut: rows behind its end are gone, R reads it again",
    "replaced": "the file was replaced by another: R reads that",
}
"""What the title says, by what `change` of the report's source answers."""


class CoffeetreeApp(TerminalApp):
    """Shows a report, and follows its index while that grows."""

    TITLE = "Coffeetree"

    def __init__(
        self,
        report: Report,
        reopen: Callable[[], Report] | None = None,
        patterns: Mapping[str, str] | None = None,
        palette: Palette | None = None,
        setup: Setup | None = None,
    ) -> None:
        """
        reopen    opens the same files anew; None: they can't be read twice
        patterns  suppress and expand patterns of the command line
        """
        super().__init__(palette)
        self.report = report
        self.is_ascii = False
        self._reopen = reopen
        self._patterns = patterns
        self._setup = setup or set_up()
        self._followed: int | None = None
        self._change = "same"

    @property
    def browser(self) -> Browser | None:
        """The screen of the open report."""
        return next((screen for screen in reversed(self.screen_stack) if isinstance(screen, Browser)), None)

    def on_mount(self) -> None:
        """The first screen."""
        self.is_ascii = self._setup.options.ascii
        self.push_screen(Browser(self.report, self._setup, self._patterns))
        self._watch_child()
        self.call_after_refresh(self._load_numpy)
        self.set_interval(POLL, self.follow)
        self.set_interval(FILE_POLL, self.look_at_file)

    # -- the report ---------------------------------------------------------------------------------------------------

    def follow(self) -> None:
        """Takes in what the index has got since."""
        changed = self.report.follow()
        self._watch_child()
        if changed and self.browser is not None:
            self.browser.progressed()

    async def _load_numpy(self) -> None:
        """What counts rows is loaded behind the first screen, in a thread, and only for what needs it."""
        if self.browser is not None and self.browser.tree_view.is_limited:
            await asyncio.get_running_loop().run_in_executor(None, import_module, "numpy")
        if self.browser is not None:
            self.browser.tree_view.lift_limit()

    def _watch_child(self) -> None:
        """Wakes up when the index child says something."""
        descriptor = self.report.fileno()
        if descriptor == self._followed:
            return
        loop = asyncio.get_running_loop()
        if self._followed is not None:
            loop.remove_reader(self._followed)
        if descriptor is not None:
            loop.add_reader(descriptor, self.follow)
        self._followed = descriptor

    def look_at_file(self) -> None:
        """Says once when the file is no longer what was opened."""
        source = getattr(self.report, "source", None)
        change = "same" if source is None else source.change()
        if change == self._change or self.browser is None:
            return
        self._change = change
        self.browser.file_changed(CHANGES.get(change, ""))
        if change == "grown" and self._setup.options.follow:
            self.reload()

    def reload(self) -> None:
        """Opens the same files anew; the cursor goes to the row of the same REF where that is there."""
        browser = self.browser
        if browser is None or self._reopen is None:
            return
        try:
            report = self._reopen()
        except ReportError as error:
            browser.say(str(error), "problem")
            return
        report.start_index()
        self._unwatch()
        old, self.report = self.report, report
        self._change = "same"
        self._watch_child()
        browser.show_report(report)
        old.close()

    def _unwatch(self) -> None:
        if self._followed is not None:
            asyncio.get_running_loop().remove_reader(self._followed)
            self._followed = None

    def close_report(self) -> None:
        """Back to where the report was chosen; from the only screen to the shell."""
        if len(self.screen_stack) > 2:
            self.pop_screen()
        else:
            self.exit(0)

    # -- looks --------------------------------------------------------------------------------------------------------

    def set_ascii(self, is_ascii: bool) -> None:
        """Draws ASCII signs only, or all."""
        self.is_ascii = is_ascii
        if self.browser is not None:
            self.browser.tree_view.redraw()
        self.screen.refresh()

    def set_mouse(self, takes: bool) -> None:
        """Takes the mouse or leaves it to the terminal."""
        self.take_mouse(takes)
