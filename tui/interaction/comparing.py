"""Reports to compare with (`d`): other runs of the file, others in its folder, or any path.

The comparison replaces the newer report; `d` returns to that report.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from parsers.model.capabilities import ComparesTwo, HasMembers
from parsers.reporting.comparison.rows import comparable_of
from parsers.runtime.comparison_candidates import candidates
from tui.input.keys.keyboard import CommandError
from tui.list.list_pane import FixedList, ListColumn, ListPane, PaneRow
from tui.screen.frame import size_text
from tui.screen.sanitise import safe

if TYPE_CHECKING:
    from collections.abc import Callable

    from parsers.model.report import Report
    from tui.interaction.report_screen import ReportScreen

COLUMNS = (ListColumn("report"), ListColumn("size", 8, is_right=True), ListColumn("written", 22, least=50))
ANOTHER = "another file", "the folder of another build"
"""Labels for a report, and for a build."""
MOST_RUNS = 1000
"""Maximum runs of the file that are listed, the last ones."""
KEYS = (("/", "narrow"), ("Enter", "compare"), ("q", "back"))


@dataclass(frozen=True, slots=True)
class Offer:
    """A report, or all reports of a build, to compare with."""

    files: tuple[str, ...]
    cells: tuple[str, ...]


def compare(browser: ReportScreen, open_command_line: Callable[[str], None], path: str) -> None:
    """Compares with the report of a path. Without one: returns from a comparison, else lists the offers."""
    report = browser.report
    newer = report.new if isinstance(report, ComparesTwo) else report
    if path:
        browser.app.compare([os.path.expanduser(path)])
    elif newer is not report:
        browser.app.show_newer()
    elif not comparable_of(report):
        raise CommandError(f"reports of the format {report.format_title} can't be compared")
    else:
        browser.app.run_worker(_offer(browser, open_command_line, report))


async def _offer(browser: ReportScreen, open_command_line: Callable[[str], None], report: Report) -> None:
    """Lists the offers. Reading the heads of many files may take longer than a frame."""
    found = await browser.app.work.start(offers, report)
    if not browser.is_there or browser.report is not report or browser.has_list:
        return
    if not found:
        open_command_line("diff ")
        return

    def choose(index: int) -> None:
        browser.close_pane()
        if index < len(found):
            browser.app.compare(found[index].files, found[index].cells[0])
        else:
            open_command_line("diff ")

    rows = [PaneRow(offer.cells) for offer in found]
    rows.append(PaneRow((f"{ANOTHER[isinstance(report, HasMembers)]}: type its path", "", ""), "quiet"))
    title = f"compare {safe(report.title)} with an older {'build' if isinstance(report, HasMembers) else 'report'}"
    browser.show_list(ListPane(FixedList(title, COLUMNS, rows, choose, keys=KEYS)))


def offers(report: Report) -> list[Offer]:
    """Other runs of the file, then comparable reports in its folder: earlier ones, newest first, then others."""
    path = report.files[0]
    runs = report.run_paths
    # The file without a run number is its last run.
    shown = path if path in runs else next(reversed(runs), path)
    first = max(0, len(runs) - MOST_RUNS)
    numbered = enumerate(runs[first:], start=first + 1)
    found = [Offer((each,), (f"run {number} of this file", "", "")) for number, each in numbered if each != shown]
    for each in candidates(report):
        written = f"{each.written:%Y-%m-%d %H:%M}{' newer' if each.is_newer else ''}"
        found.append(Offer(each.files, (safe(each.name), size_text(each.bytes), written)))
    return found
