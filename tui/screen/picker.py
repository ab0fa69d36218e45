"""The reports of a folder as a list: Enter opens one, and `q` returns to the list.

Newest first, grouped by build if there are several. Reports that are only recognised are dim and marked so. Subfolders
with reports follow; they are searched in a thread while the list is shown. Enter goes into one, Backspace goes up.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from parsers.formats.folder import FoundReport, ImageBuild, build_of, find_reports, group_runs
from parsers.formats.subfolders import Subfolder, SubfolderSearch
from parsers.model.report import ReportError
from parsers.model.row import counted
from tui.list.list_pane import FixedList, ListColumn, PaneRow, heading_row
from tui.list.list_screen import ListScreen
from tui.screen.frame import size_text
from tui.screen.sanitise import safe

if TYPE_CHECKING:
    from parsers.io.cache import Cache
    from tui.interaction.setup import Setup

COLUMNS = (
    ListColumn("file"),
    ListColumn("report", 18, least=40),
    ListColumn("size", 8, is_right=True, least=50),
    ListColumn("image", 12, least=130),
    ListColumn("rows", 12, is_right=True, least=120),
    ListColumn("written", 16, least=80),
    ListColumn("index", 10, least=110),
)
IMAGE = 3
"""Index of the column that only reports of formats with images need."""

MARK = "• "
"""Sign before a report marked for comparison."""

FIRST_PAUSE = 0.1
"""Seconds between the first two updates of the list while subfolders are found."""

MOST_FOLDER = 30
"""Characters of the folder's path in the title: its end, the most specific part."""


class Picker(ListScreen):
    """The reports of one folder as a list."""

    keys = (
        ("follow-link", "open"),
        ("find", "narrow"),
        ("diff", "compare"),
        ("back", "up"),
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
        self._marked: dict[str, FoundReport] = {}
        """Reports marked for comparison by their paths, at most two; they may be of different folders."""
        self._runs: Sequence[ImageBuild] = ()
        self._subfolders: list[Subfolder] = []
        self._entries: list[FoundReport | Subfolder | None] = []
        """By row the report or subfolder that it opens; None: a heading."""
        self._came_from = ""
        """The subfolder that was left for this folder: the cursor goes there once it is listed."""
        self._is_searching = False
        self._is_complete = True
        """False: there are too many files below the folder to search all of them."""
        self._reading: asyncio.Task[None] | None = None
        super().__init__(self._source("looking …"), setup, "picker")

    def on_mount(self) -> None:
        """Mentions the guided tour on the first start."""
        if self.interaction.setup.state.is_first_start():
            self.show_message("new here?  :tour  shows the program in two minutes")

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
            self._fill([], [])
            self.show_message(str(error), "problem")
            return
        self._is_searching = self._is_complete = True
        self._fill(group_runs(found), self._subfolders)
        try:
            await self._search_subfolders({os.path.dirname(report.path) for report in found})
        finally:
            self._is_searching = False
        self._show_entries()

    async def _search_subfolders(self, listed: set[str]) -> None:
        """Lists the subfolders with reports, except those whose reports are already listed.

        Pauses between updates get longer, so that very many subfolders take little time of the screen.
        """
        search, pause, found = SubfolderSearch(self.folder), FIRST_PAUSE, list[Subfolder]()
        rest, is_first = iter(search), not self._subfolders
        try:
            while batch := await asyncio.to_thread(_next_ones, rest, pause):
                found += [each for each in batch if each.path not in listed]
                pause *= 2
                if is_first:
                    self._fill(self._runs, list(found))
        finally:
            search.is_wanted = False
        self._is_complete = search.is_complete
        self._fill(self._runs, found)

    def _fill(self, runs: Sequence[ImageBuild], below: list[Subfolder]) -> None:
        """Shows reports and subfolders; the cursor stays on its file."""
        before = self._entry
        self._runs, self._subfolders = runs, below
        self._show_entries()
        paths = [entry.path if entry is not None else None for entry in self._entries]
        if self._came_from in paths:
            self.list_pane.move_to_index(paths.index(self._came_from))
            self._came_from = ""
        elif before is not None and before.path in paths:
            self.list_pane.move_to_index(paths.index(before.path))
        elif before is None:
            self.list_pane.move_to_row(0)

    def _show_entries(self) -> None:
        empty = "no report is in this folder or below it"
        self.list_pane.refill(self._source("looking in subfolders …" if self._is_searching else empty))

    def _listed(self) -> Iterator[tuple[FoundReport | Subfolder | None, PaneRow]]:
        """Yields reports and subfolders with their rows, and headings."""
        for run in self._runs:
            if have_headings(self._runs):
                yield None, heading_row(run.image or "no image")
            yield from ((report, report_row(report, report.path in self._marked)) for report in shown_of(run))
        if self._runs and self._subfolders:
            yield None, heading_row("subfolders")
        yield from ((each, subfolder_row(each)) for each in self._subfolders)

    def _source(self, empty: str) -> FixedList:
        listed, runs = list(self._listed()), self._runs
        self._entries, rows = [entry for entry, _ in listed], [row for _, row in listed]
        count = sum(len(run.reports) for run in runs)
        images = len({report.image for run in runs for report in run.reports if report.image})
        columns = COLUMNS if images else (*COLUMNS[:IMAGE], *COLUMNS[IMAGE + 1 :])
        if not images:
            rows = [replace(row, cells=(*row.cells[:IMAGE], *row.cells[IMAGE + 1 :])) for row in rows]
        title = safe(folder_title(self.folder))
        if count:
            title += f"   {counted(count, 'report')}"
            title += f" of {counted(images, 'image')}" if images and count > len(runs) else ""
        newest = max((report.written for run in runs for report in run.reports), default=None)
        note = "" if newest is None else f"newest first: {ago(newest, datetime.now())}"
        if self._is_searching or not self._is_complete:
            note = "looking in subfolders …" if self._is_searching else "too many files: not all subfolders searched"
        return FixedList(title, columns, rows, self._choose, keys=(), empty=empty, note=note)

    def _choose(self, index: int) -> None:
        entry = self._entries[index]
        if isinstance(entry, Subfolder):
            self._go_to(entry.path)
        elif entry is not None and not entry.can_be_opened:
            self.show_message(f"{entry.format.title}: recognised, but not read yet")
        elif entry is not None:
            self._open_report(entry.files)

    def go_up(self) -> None:
        """Shows the folder above, with the cursor on this one."""
        here = os.path.realpath(self.folder)
        above = os.path.dirname(here)
        if above == here:
            self.show_message("there is no folder above")
            return
        self._go_to(above)
        self._came_from = here

    def _go_to(self, folder: str) -> None:
        """Shows another folder."""
        self.folder, self._came_from = folder, ""
        self.list_pane.narrow("")
        self._runs, self._subfolders = (), []
        self.list_pane.refill(self._source("looking …"))
        self.reload()

    # -- comparison ---------------------------------------------------------------------------------------------------

    @property
    def _entry(self) -> FoundReport | Subfolder | None:
        """The report or subfolder under the cursor."""
        index = self.list_pane.cursor_index
        return None if index is None or index >= len(self._entries) else self._entries[index]

    @property
    def _at_cursor(self) -> FoundReport | None:
        entry = self._entry
        return entry if isinstance(entry, FoundReport) else None

    def mark(self) -> None:
        """Marks or unmarks the report under the cursor for comparison; a third mark removes the first."""
        report = self._at_cursor
        if report is None:
            return
        if self._marked.pop(report.path, None) is None:
            self._marked = {**dict(list(self._marked.items())[-1:]), report.path: report}
        self._show_entries()
        left = 2 - len(self._marked)
        self.show_message("d compares the two" if not left else f"{left} more to compare: Space marks, d compares")

    def compare(self) -> None:
        """Compares the two marked reports, or the marked one and that under the cursor; unmarked, that and its
        predecessor.

        Shows the changes since the older report.
        """
        report, chosen = self._at_cursor, dict(self._marked)
        if report is not None and len(chosen) < 2:
            chosen[report.path] = report
            if not self._marked and (before := self._before(report)) is not None:
                chosen[before.path] = before
        if len(chosen) < 2:
            self.show_message("no older report of this kind here: Space marks two, d compares them")
            return
        # Builds are listed newest first, but not the reports of one build.
        newer, older = sorted(chosen.values(), key=lambda each: each.written, reverse=True)
        self._compare_reports(older.files, newer.files)

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


def _next_ones(found: Iterator[Subfolder], seconds: float) -> list[Subfolder]:
    """The subfolders that are found within some seconds, at least one; none at the end."""
    until, batch = time.monotonic() + seconds, list[Subfolder]()
    for each in found:
        batch.append(each)
        if time.monotonic() > until:
            break
    return batch


def subfolder_row(found: Subfolder) -> PaneRow:
    """Row of a subfolder: its name and the number of reports in it and below it."""
    count = counted(found.reports, "report") if found.is_complete else f"{found.reports:,} or more reports"
    return PaneRow((f"{safe(found.name)}/", count, *[""] * (len(COLUMNS) - 2)))


def report_row(report: FoundReport, is_marked: bool) -> PaneRow:
    """Row of a report; dim if it is only recognised."""
    rows = "" if report.index_rows is None else f"{report.index_rows:,}"
    state = "–" if not report.can_be_opened else "ready" if report.index_rows is not None else "none yet"
    if report.can_be_opened and not report.needs_index:
        state = "not needed"
    written = f"{report.written:%Y-%m-%d %H:%M}"
    name, title = report.name, safe(report.format.short_title)
    if report.is_whole_build:
        name = f"{name}: all reports"
    name = f"{MARK if is_marked else ''}{safe(name)}"
    cells = (name, title, size_text(report.bytes), safe(report.image), rows, written, state)
    return PaneRow(cells, "text" if report.can_be_opened else "quiet")


def folder_title(folder: str) -> str:
    """The path of a folder, of a long one its end; the current folder by its name."""
    parts = f"{folder.rstrip('/')}/".split("/")
    if set(parts) <= {".", ""} and folder[:1] != "/":
        parts = [os.path.basename(os.path.realpath(folder)), ""]
    title = "/".join(parts)
    while len(title) > MOST_FOLDER and len(parts) > 2:
        parts = parts[1:]
        title = "/".join(["…", *parts])
    return title


def ago(then: datetime, now: datetime) -> str:
    """Formats an age in a word or two."""
    seconds = max(0, int((now - then).total_seconds()))
    for size, word in ((86_400, "day"), (3_600, "hour"), (60, "min")):
        if seconds >= size:
            count = seconds // size
            return f"{f'{count} min' if word == 'min' else counted(count, word)} ago"
    return "just now"
