"""`watch`: waits for the reports of builds, indexes new ones, and prints the changes since the previous build."""

from __future__ import annotations

from time import monotonic, sleep
from typing import TYPE_CHECKING

from parsers.formats.folder import FoundReport
from parsers.model.capabilities import ComparesTwo
from parsers.model.report import ReportError
from parsers.model.row import counted
from parsers.reporting.comparison.compared_report import compared
from parsers.runtime.opening import open_report
from parsers.runtime.watching import MORE, NEW, REWRITTEN, Arrival, FolderWatch
from tui.headless.commands import diff
from tui.headless.problems import DAMAGED, DONE
from tui.headless.session import CommandSession
from tui.headless.text_row import BOLD, problem_line
from tui.screen.sanitise import safe

if TYPE_CHECKING:
    from parsers.model.report import Report
    from tui.headless.session import Invocation

EVERY = 1.0
"""Seconds between two checks of the folder."""
SHOWN = 100
"""Default maximum of changed rows printed per report."""


def run(invocation: Invocation) -> int:
    """Prints builds until it is stopped; with `--once` one build.

    Then the status is 1 if that differs from the previous one, 3 if one of its reports is damaged.
    """
    arguments = invocation.arguments
    watch = FolderWatch(arguments.word, monotonic())
    invocation.remarks.show_message(f"waits for reports in {arguments.word}")
    printer = _BuildPrinter(invocation)
    while True:
        for arrival in watch.poll(monotonic()):
            differs = printer.print_arrival(arrival)
            if arguments.is_given("once"):
                return DAMAGED if printer.is_damaged else diff.DIFFERENT if differs else DONE
        sleep(EVERY)


class _BuildPrinter:
    """The printing of builds."""

    def __init__(self, invocation: Invocation) -> None:
        self._invocation = invocation
        self._output, self._remarks = invocation.output, invocation.remarks
        self.is_damaged = False
        """True if any printed report is damaged."""
        invocation.arguments.given.setdefault("limit", SHOWN)

    def print_arrival(self, arrival: Arrival) -> bool:
        """Prints all new reports of a build; returns True if any differs from that of the previous build."""
        self._print_build(arrival)
        found = [self._print_report(report, older) for report, older in arrival.pairs()]
        self._output.flush()
        return any(found)

    def _print_report(self, report: FoundReport, older: FoundReport | None) -> bool:
        """Prints one report. The largest is first: the one that takes longest to index is started first."""
        try:
            both = None if older is None else compared(lambda: self._open(older), lambda: self._open(report))
        except ReportError as error:
            self._remarks.detail(str(error))
            both = None
        opened = both if both is not None else self._open(report)
        try:
            self._remarks.wait_for(opened)
            newer = opened.new if isinstance(opened, ComparesTwo) else opened
            self._print(report, newer, None if both is None else older)
            if both is None:
                return False
            session = CommandSession(self._invocation, opened)
            session.make_views()
            differs = diff.run(session) == diff.DIFFERENT
            if not differs and not self._output.is_json:
                self._output.line("  nothing differs")
            return differs
        except ReportError as error:
            self._remarks.show_message(f"coffeetree: {error}")
            return False
        finally:
            opened.close()

    def _open(self, report: FoundReport) -> Report:
        wanted = self._invocation.arguments.text("format")
        return open_report(report.files, format=wanted, cache=self._invocation.cache)

    def _print_build(self, arrival: Arrival) -> None:
        count, before = len(arrival.reports), arrival.before
        if self._output.is_json:
            written = {"written": str(arrival.run.written), "before": None if before is None else str(before.written)}
            self._output.json({"build": arrival.run.image, "news": arrival.news, "reports": count} | written)
            return
        reports = counted(count, "more report" if arrival.news == MORE else "report")
        texts = {NEW: f"a new build, {reports}", MORE: f"{reports} of this build", REWRITTEN: f"{reports} rewritten"}
        since = "the first one" if before is None else f"since that of {before.written:%Y-%m-%d %H:%M:%S}"
        image = f"{safe(arrival.run.image)}: " if arrival.run.image else ""
        line = f"{arrival.run.written:%Y-%m-%d %H:%M:%S}  {image}{texts[arrival.news]}, {since}"
        self._output.line(self._output.paint(line, BOLD))

    def _print(self, report: FoundReport, opened: Report, older: FoundReport | None) -> None:
        rows = opened.views[0].row_count
        found = {"report": report.path, "format": report.format.name, "bytes": opened.size, "rows": rows}
        found["older"] = None if older is None else older.path
        since = f"  since {safe(older.name)}" if older is not None else ""
        of_rows = "" if rows is None else f"  {counted(rows, 'row')}"
        self._output.answer(found, f"{safe(report.name)}  {counted(opened.size, 'byte')}{of_rows}{since}")
        if opened.problem_count:
            self.is_damaged = True
            more = opened.problem_count - 1
            self._remarks.show_message(
                f"{problem_line(opened.problems[0], report.path)}{f' ({more:,} more)' if more else ''}"
            )
