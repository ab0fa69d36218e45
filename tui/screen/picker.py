"""The reports of a folder as a list: Enter opens one, and `q` returns to the list.

Newest first, grouped by build if there are several. Reports that are only recognised are dim and marked so.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from parsers.formats.folder import FoundReport, ImageBuild, build_of, find_reports, group_runs
from parsers.model.report import ReportError
from tui.list.list_pane import FixedList, ListColumn, PaneRow
from tui.list.list_screen import ListScreen
from tui.screen.frame import size_text
from tui.screen.sanitise import safe
from tui.tree.piece import Piece

if TYPE_CHECKING:
    from parsers.io.cache import Cache
    from tui.interaction.screen_interaction import Setup

COLUMNS = (
    ListColumn("image", 16, least=50),
    ListColumn("report"),
    ListColumn("size", 8, is_right=True),
    ListColumn("rows", 12, is_right=True, least=100),
    ListColumn("written", 16, least=70),
    ListColumn("index", 10, least=90),
)

MARK = "• "
"""Sign before a report marked for comparison."""

MOST_FOLDER = 30
"""Characters of the folder's path in the title: its end, the most specific part."""


class Picker(ListScreen):
    """The reports of one folder as a list."""

    keys = (
        ("follow-link", "open"),
        ("find", "narrow"),
        ("diff", "compare"),
        ("reload", "read again"),
    )

    def __init__(
        self,
        folder: str,
        cache: Cache,
        setup: Setup,
        open_report: Callable[[Sequence[str]], object],
        compare_reports: Callable[[Sequence[str], Sequence[str]], object],
    ) -> None:
        """
        open_report      opens the files of a report and shows it; raises `ReportError`
        compare_reports  shows the changes from the first (older) report to the second; raises `ReportError`
        """
        self.folder = folder
        self._cache = cache
        self._open_report = open_report
        self._compare_reports = compare_reports
        self._marked: list[str] = []
        """Paths marked for comparison, at most two."""
        self._runs: Sequence[ImageBuild] = ()
        self._reports: list[FoundReport | None] = []
        self._reading: asyncio.Task[None] | None = None
        super().__init__(self._source("looking …"), setup, "picker")

    def on_screen_resume(self) -> None:
        """Refreshes the list when it is shown for the first time, or again after a report."""
        self.reload()

    def on_unmount(self) -> None:
        """Stops watching the folder."""
        if self._reading is not None:
            self._reading.cancel()

    def reload(self) -> None:
        """Reads the folder again."""
        if self._reading is not None:
            self._reading.cancel()
        self._reading = asyncio.get_running_loop().create_task(self._read())

    # -- the reports --------------------------------------------------------------------------------------------------

    async def _read(self) -> None:
        try:
            found = await asyncio.to_thread(find_reports, self.folder, self._cache)
        except ReportError as error:
            self._fill([])
            self.show_message(str(error), "problem")
            return
        self._fill(group_runs(found))

    def _fill(self, runs: Sequence[ImageBuild]) -> None:
        """Shows the reports; the cursor stays on its file."""
        index = self.list_pane.cursor_index
        before = self._reports[index] if index is not None and index < len(self._reports) else None
        self._runs, self._reports = runs, []
        for run in runs:
            self._reports += [None, *shown_of(run)] if have_headings(runs) else shown_of(run)
        self._show_runs()
        paths = [report.path if report is not None else None for report in self._reports]
        if before is not None and before.path in paths:
            self.list_pane.move_to_row(paths.index(before.path))
        else:
            self.list_pane.move_to_row(0)

    def _show_runs(self) -> None:
        self.list_pane.refill(self._source("no report is in this folder", self._runs))

    def _source(self, empty: str, runs: Sequence[ImageBuild] = ()) -> FixedList:
        rows = []
        for run in runs:
            if have_headings(runs):
                rows.append(PaneRow(([Piece(safe(run.image or "no image"), "pane-title")], ""), is_heading=True))
            rows += [report_row(report, report.path in self._marked) for report in shown_of(run)]
        count = sum(len(run.reports) for run in runs)
        images = len({run.image for run in runs})
        folder = f"{self.folder.rstrip('/')}/"
        title = safe(folder if len(folder) <= MOST_FOLDER else f"…{folder[-MOST_FOLDER:]}")
        if count:
            title += f"   {count:,} report{'s' if count > 1 else ''}"
            title += f" of {images:,} image{'s' if images > 1 else ''}" if count > len(runs) else ""
            title += ", newest first"
        newest = max((report.modified for run in runs for report in run.reports), default=None)
        note = "" if newest is None else f"newest written {ago(newest, datetime.now())}"
        return FixedList(title, COLUMNS, rows, self._choose, keys=(), empty=empty, note=note)

    def _choose(self, index: int) -> None:
        report = self._reports[index]
        if report is None:
            return
        if not report.can_be_opened:
            self.show_message(f"{report.format.title}: recognised, but not read yet")
            return
        try:
            self._open_report(report.files)
        except ReportError as error:
            self.show_message(str(error), "problem")

    # -- comparison ---------------------------------------------------------------------------------------------------

    @property
    def _at_cursor(self) -> FoundReport | None:
        index = self.list_pane.cursor_index
        return None if index is None or index >= len(self._reports) else self._reports[index]

    def mark(self) -> None:
        """Marks or unmarks the report under the cursor for comparison; a third mark removes the first."""
        report = self._at_cursor
        if report is None:
            return
        if report.path in self._marked:
            self._marked.remove(report.path)
        else:
            self._marked = [*self._marked[-1:], report.path]
        self._show_runs()
        left = 2 - len(self._marked)
        self.show_message("d compares the two" if not left else f"{left} more to compare: Space marks, d compares")

    def compare(self) -> None:
        """Compares the two marked reports, or the marked one and that under the cursor; unmarked, that and its
        predecessor.

        Shows the changes since the older report.
        """
        report = self._at_cursor
        paths = self._marked if len(self._marked) == 2 or report is None else [*self._marked, report.path]
        if report is not None and not self._marked and (before := self._before(report)) is not None:
            paths.append(before.path)
        chosen = [each for run in self._runs for each in shown_of(run) if each.path in paths]
        if len(chosen) < 2:
            self.show_message("none of its kind before it here: Space marks two to compare; d in a report offers more")
            return
        # Runs are listed newest first, except those of one build.
        newer, older = sorted(chosen, key=lambda each: each.written, reverse=True)
        try:
            self._compare_reports(older.files, newer.files)
        except ReportError as error:
            self.show_message(str(error), "problem")

    def _before(self, report: FoundReport) -> FoundReport | None:
        """Report of the same kind from the previous build of its image; for files without times the next older one."""
        runs = [run for run in self._runs if run.image == report.named.image or report.named.written is None]
        shown = [[each for each in shown_of(run) if each.format.name == report.format.name] for run in runs]
        older = [each for of_run in shown if report not in of_run for each in of_run]
        return next((each for each in older if each.written < report.written), None)


def shown_of(run: ImageBuild) -> list[FoundReport]:
    """Reports of a build, preceded by one for all together if they can be opened so."""
    whole = build_of(run)
    return run.reports if whole is None else [whole, *run.reports]


def have_headings(runs: Sequence[ImageBuild]) -> bool:
    """True if there are several builds and any of them wrote more than one report."""
    return len(runs) > 1 and any(len(run.reports) > 1 for run in runs)


def report_row(report: FoundReport, is_marked: bool = False) -> PaneRow:
    """Row of a report; dim if it is only recognised."""
    rows = "" if report.index_rows is None else f"{report.index_rows:,}"
    state = "–" if not report.can_be_opened else "ready" if report.index_rows is not None else "none yet"
    if report.can_be_opened and not report.needs_index:
        state = "not needed"
    written = f"{report.written:%Y-%m-%d %H:%M}"
    title = f"{MARK if is_marked else ''}{safe(report.format.short_title)}"
    cells = (safe(report.named.image), title, size_text(report.bytes), rows, written, state)
    return PaneRow(cells, "text" if report.can_be_opened else "quiet")


def ago(then: datetime, now: datetime) -> str:
    """Formats an age in a word or two."""
    seconds = max(0, int((now - then).total_seconds()))
    for size, word in ((86_400, "day"), (3_600, "hour"), (60, "min")):
        if seconds >= size:
            count = seconds // size
            return f"{count:,} {word}{'s' if count > 1 and word != 'min' else ''} ago"
    return "just now"
