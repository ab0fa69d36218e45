"""`d`: what a report is compared with: other runs of its file, others of its format beside it, or any file by its path.

What differs stands in the place of the newer report, and `d` goes back to that.
"""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from parsers.compare.lines import HasComparable, compared_as
from parsers.report import HasRuns, ReportError
from tui.frame import size_text
from tui.keys.keyboard import CommandError
from tui.list.list_pane import FixedList, ListColumn, ListPane, ListRow
from tui.sanitise import safe

if TYPE_CHECKING:
    from parsers.report import Report
    from tui.interaction.screen_interaction import ScreenInteraction

COLUMNS = (ListColumn("report"), ListColumn("size", 8, is_right=True), ListColumn("written", 16, least=50))
KEYS = (("/", "narrow"), ("Enter", "compare"), ("q", "back"))


@dataclass(frozen=True, slots=True)
class Offer:
    """A report that can be compared with."""

    path: str
    cells: tuple[str, ...]


def compare(interaction: ScreenInteraction, path: str) -> None:
    """With the report of a path; without one back from a comparison, else a list of what there is to compare with."""
    screen = interaction.screen
    report: Any = screen.report
    newer = getattr(report, "new", report)
    if path:
        screen.app.compare(os.path.expanduser(path))
    elif newer is not report:
        screen.app.show_newer()
    elif not isinstance(report, HasComparable):
        raise CommandError(f"reports of the format {report.format_title} can't be compared")
    else:
        screen.app.run_worker(_offer(interaction, report))


async def _offer(interaction: ScreenInteraction, report: Any) -> None:
    """Reading the heads of many files may take longer than a frame."""
    found = await asyncio.get_running_loop().run_in_executor(None, offers, report)
    screen = interaction.screen
    if not screen.is_there or screen.report is not report or screen.has_list:
        return
    if not found:
        interaction.open_command_line("diff ")
        return

    def choose(index: int) -> None:
        screen.close_pane()
        if index < len(found):
            compare(interaction, found[index].path)
        else:
            interaction.open_command_line("diff ")

    rows = [ListRow(offer.cells) for offer in found]
    rows.append(ListRow(("another file: type its path", "", ""), "quiet"))
    title = f"compare {safe(report.title)} with an older report"
    screen.show_list(ListPane(FixedList(title, COLUMNS, rows, choose, keys=KEYS)))


def offers(report: Report) -> list[Offer]:
    """Other runs of its file, then what is of its format beside it: those before it, the newest first, then others."""
    from parsers.folder import find_reports

    path = report.files[0]
    runs = report.run_paths if isinstance(report, HasRuns) else ()
    # The file by itself is its last run.
    shown = path if path in runs else next(reversed(runs), path)
    numbered = enumerate(runs, start=1)
    found = [Offer(each, (f"run {number} of this file", "", "")) for number, each in numbered if each != shown]
    file = os.path.realpath(path.rpartition("#")[0] if path in runs else path)
    try:
        reports = find_reports(os.path.dirname(file))
    except ReportError:
        return found
    own = next((each for each in reports if file in map(os.path.realpath, each.files or (each.path,))), None)
    kinds = {report.format, compared_as(report)}
    others = [
        each
        for each in reports
        if each is not own and not kinds.isdisjoint((each.format.name, each.format.compared_as))
    ]
    others.sort(key=lambda each: own is not None and each.written > own.written)
    cells = [(safe(each.name), size_text(each.bytes), f"{each.written:%Y-%m-%d %H:%M}") for each in others]
    return found + [Offer(each.path, texts) for each, texts in zip(others, cells, strict=True)]
