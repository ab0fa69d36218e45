"""A folder instead of a report: its reports one by one, newest first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parsers.formats.folder import FoundReport, able_of, as_one, find_reports, group_runs
from parsers.formats.registry import format_named
from parsers.model.report import ReportError
from parsers.model.row import counted
from parsers.runtime.opening import open_report
from tui.headless.commands.info import print_fields, report_fields
from tui.headless.problems import CANNOT, DAMAGED, DONE, show_problems
from tui.headless.session import show_private
from tui.headless.text_row import BOLD, DIM, aligned
from tui.screen.sanitise import safe

if TYPE_CHECKING:
    from tui.headless.session import Invocation, Output


def is_listed(invocation: Invocation) -> bool:
    """True if a command lists the reports of a folder instead of opening it as one report. Raises `ReportError`."""
    arguments = invocation.arguments
    if arguments.command not in ("", "info") or arguments.is_given("cut"):
        return False
    if arguments.command == "" or arguments.is_given("each"):
        return True
    folder, name = arguments.reports[0], arguments.text("format")
    able = able_of(find_reports(folder), format_named(name) if name else None)
    if as_one(able):
        return False
    if able:
        invocation.remarks.show_message(f"{folder}: {len(able)} reports of several builds: each is listed separately")
    return True


def run(invocation: Invocation) -> int:
    """Prints the reports of a folder: with JSON or `--each` all fields of `info` for each; else one line each."""
    arguments, output = invocation.arguments, invocation.output
    folder = arguments.reports[0]
    lists_all = output.is_json or arguments.is_given("each")
    reports = find_reports(folder, None if lists_all else invocation.cache)
    wanted = arguments.text("format")
    reports = [report for report in reports if wanted in (None, report.format.name, report.format.together)]
    if not reports:
        raise ReportError(f"{folder}: no known report in it")
    if not lists_all:
        _print(reports, output)
        return DONE
    status = DONE
    for number, report in enumerate(reports):
        if number and not output.is_json:
            output.line("")
        if report.can_be_opened:
            status = max(status, _print_info(report, invocation))
        else:
            print_fields(output, _recognised_fields(report), report.format.title)
    return status


def _print(reports: list[FoundReport], output: Output) -> None:
    runs = group_runs(reports)
    cells = [("Bytes", "Written", "Format", "Index", "Report")]
    for report in (report for run in runs for report in run.reports):
        written, title = f"{report.written:%Y-%m-%d %H:%M}", report.format.short_title
        cells.append((f"{report.bytes:,}", written, title, _index_state(report), safe(report.name)))
    heading, *lines = aligned(cells, right=(0,))
    output.line(output.paint(f"{counted(len(reports), 'report')}, {counted(len(runs), 'build')}", BOLD))
    output.line(output.paint(heading, BOLD))
    following = iter(lines)
    for run in runs:
        output.line(output.paint(f"{safe(run.image) or 'others'}  {run.written:%Y-%m-%d %H:%M}", BOLD))
        for report, line in zip(run.reports, following, strict=False):
            output.line(line if report.can_be_opened else output.paint(line, DIM))


def _index_state(report: FoundReport) -> str:
    """State of the index in a word or two."""
    if not report.can_be_opened:
        return "can't be opened"
    if report.index_rows is not None:
        return f"ready, {counted(report.index_rows, 'row')}"
    return "none yet" if report.needs_index else "not needed"


def _print_info(report: FoundReport, invocation: Invocation) -> int:
    """Prints all fields of `info` for one report; returns the exit status of that report alone."""
    remarks = invocation.remarks
    try:
        opened = open_report(report.files, cache=invocation.cache)
        show_private(opened, invocation.arguments)
    except ReportError as error:
        remarks.show_message(f"coffeetree: {error}")
        return CANNOT
    try:
        remarks.wait_for(opened)
        print_fields(invocation.output, report_fields(opened), opened.format_title)
        return DAMAGED if show_problems(opened, [report.path], invocation) else DONE
    except ReportError as error:
        remarks.show_message(f"coffeetree: {error}")
        return CANNOT
    finally:
        opened.close()


def _recognised_fields(report: FoundReport) -> dict[str, object]:
    """Fields of a report that is only recognised, under the same names."""
    return {
        "format": report.format.name,
        "format_version": None,
        "encoding": None,
        "line_end": None,
        "title": report.name,
        "bytes": report.bytes,
        "files": [{"file": file, "bytes": None, "totals": {}} for file in report.files],
        "facts": {"image": report.named.image, "written": str(report.written), "is_read": False},
        "views": [],
        "totals": {},
        "runs": [],
        "problems": [],
        "problem_count": 0,
    }
