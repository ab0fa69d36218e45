"""The reports of a folder: one is chosen, read, and left again by `q`.

Newest first, by the build that wrote them when there are several. What is only recognised is dim, and says so.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from parsers.folder import FoundReport, Run, find_reports, group_runs
from parsers.report import ReportError
from tui.frame import size_text
from tui.list.list_pane import FixedList, ListColumn, ListRow
from tui.list.list_screen import ListScreen
from tui.sanitise import safe
from tui.tree.piece import Piece

if TYPE_CHECKING:
    from parsers.cache import Cache
    from tui.interaction.screen_interaction import Setup

COLUMNS = (
    ListColumn("image", 16, least=50),
    ListColumn("report"),
    ListColumn("size", 8, is_right=True),
    ListColumn("rows", 12, is_right=True, least=100),
    ListColumn("written", 16, least=70),
    ListColumn("index", 10, least=90),
)

MOST_FOLDER = 30
"""Characters of the folder's path that the title shows: its end tells most."""


class Picker(ListScreen):
    """The reports of one folder as a list."""

    keys = (("follow-link", "open"), ("find", "narrow"), ("reload", "read again"), ("help", "help"), ("q", "quit"))

    def __init__(self, folder: str, cache: Cache, setup: Setup, open_report: Callable[[Sequence[str]], object]) -> None:
        """
        open_report  opens the files of a report and shows it; raises `ReportError`
        """
        self.folder = folder
        self._cache = cache
        self._open_report = open_report
        self._reports: list[FoundReport | None] = []
        self._reading: asyncio.Task[None] | None = None
        super().__init__(self._source("looking …"), setup, "picker")

    def on_screen_resume(self) -> None:
        """Shown for the first time, or again after a report: what has changed since."""
        self.reload()

    def on_unmount(self) -> None:
        """Stop looking."""
        if self._reading is not None:
            self._reading.cancel()

    def reload(self) -> None:
        """Look into the folder again."""
        if self._reading is not None:
            self._reading.cancel()
        self._reading = asyncio.get_running_loop().create_task(self._read())

    # -- the reports --------------------------------------------------------------------------------------------------

    async def _read(self) -> None:
        try:
            found = await asyncio.to_thread(find_reports, self.folder, self._cache)
        except ReportError as error:
            self._fill([])
            self.say(str(error), "problem")
            return
        self._fill(group_runs(found))

    def _fill(self, runs: Sequence[Run]) -> None:
        """Show the reports; the cursor stays on the file that it was on."""
        index = self.list_pane.cursor_index
        before = self._reports[index] if index is not None and index < len(self._reports) else None
        self._reports = []
        for run in runs:
            self._reports += [None, *run.reports] if len(runs) > 1 else run.reports
        self.list_pane.refill(self._source("no report is in this folder", runs))
        paths = [report.path if report is not None else None for report in self._reports]
        if before is not None and before.path in paths:
            self.list_pane.move_to_row(paths.index(before.path))
        else:
            self.list_pane.move_to_row(0)

    def _source(self, empty: str, runs: Sequence[Run] = ()) -> FixedList:
        rows = []
        for run in runs:
            if len(runs) > 1:
                rows.append(ListRow(([Piece(safe(run.image or "no image"), "pane-title")], ""), is_heading=True))
            rows += [report_row(report) for report in run.reports]
        count = sum(len(run.reports) for run in runs)
        images = len({run.image for run in runs})
        folder = f"{self.folder.rstrip('/')}/"
        title = safe(folder if len(folder) <= MOST_FOLDER else f"…{folder[-MOST_FOLDER:]}")
        if count:
            title += f"   {count:,} report{'s' if count > 1 else ''} of {images:,} image{'s' if images > 1 else ''}"
            title += ", newest first"
        newest = max((report.modified for run in runs for report in run.reports), default=None)
        note = "" if newest is None else f"newest written {ago(newest, datetime.now())}"
        return FixedList(title, COLUMNS, rows, self._choose, keys=(), empty=empty, note=note)

    def _choose(self, index: int) -> None:
        report = self._reports[index]
        if report is None:
            return
        if not report.can_be_opened:
            self.say(f"{report.format.title}: recognised, but not read yet")
            return
        try:
            self._open_report(report.files)
        except ReportError as error:
            self.say(str(error), "problem")


def report_row(report: FoundReport) -> ListRow:
    """A report as a line; dim if it can only be recognised."""
    rows = "" if report.index_rows is None else f"{report.index_rows:,}"
    state = "–" if not report.can_be_opened else "ready" if report.index_rows is not None else "none yet"
    if report.can_be_opened and not report.needs_index:
        state = "not needed"
    written = f"{report.written:%Y-%m-%d %H:%M}"
    cells = (safe(report.named.image), safe(report.format.short_title), size_text(report.bytes), rows, written, state)
    return ListRow(cells, "text" if report.can_be_opened else "quiet")


def ago(then: datetime, now: datetime) -> str:
    """How long ago, in a word or two."""
    seconds = max(0, int((now - then).total_seconds()))
    for size, word in ((86_400, "day"), (3_600, "hour"), (60, "min")):
        if seconds >= size:
            count = seconds // size
            return f"{count:,} {word}{'s' if count > 1 and word != 'min' else ''} ago"
    return "just now"
