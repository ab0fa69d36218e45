"""A folder instead of a report: a line for each report in it, newest first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from parsers.folder import FoundReport, find_reports, group_runs
from parsers.model.capabilities import HasPrivateFacts
from parsers.opening import open_report
from parsers.report import ReportError
from tui.headless.info import report_fields
from tui.headless.run import CANNOT, DAMAGED, DONE, say_problems
from tui.headless.text_row import BOLD, DIM
from tui.sanitise import safe

if TYPE_CHECKING:
    from parsers.cache import Cache
    from tui.arguments import Arguments
    from tui.headless.session import Output, Remarks


def run(arguments: Arguments, cache: Cache, output: Output, remarks: Remarks) -> int:
    """Print the reports of a folder: as JSON all that `info` says of each, as text one line each."""
    folder = arguments.reports[0]
    reports = find_reports(folder, None if output.is_json else cache)
    wanted = arguments.text("format")
    reports = [report for report in reports if wanted in (None, report.format.name)]
    if not reports:
        raise ReportError(f"{folder}: holds no report that is known")
    if not output.is_json:
        _print(reports, output)
        return DONE
    status = DONE
    for report in reports:
        if report.can_be_opened:
            status = max(status, _print_info(report, cache, output, remarks))
        else:
            output.json(_recognised_fields(report))
    return status


def _print(reports: list[FoundReport], output: Output) -> None:
    paint = output.paint
    for run in group_runs(reports):
        output.line(paint(f"{safe(run.image) or 'others'}  {run.written:%Y-%m-%d %H:%M}", BOLD))
        for report in run.reports:
            line = f"  {safe(report.name):58} {report.format.short_title:34} {report.bytes:>15,}  "
            line += f"{report.written:%Y-%m-%d %H:%M}  {_index_state(report)}"
            output.line(line if report.can_be_opened else paint(line, DIM))


def _index_state(report: FoundReport) -> str:
    """Whether there is an index, in a word or two."""
    if not report.can_be_opened:
        return "not read yet"
    if report.index_rows is not None:
        return f"index: ready, {report.index_rows:,} rows"
    return "index: none yet" if report.needs_index else "index: not needed"


def _print_info(report: FoundReport, cache: Cache, output: Output, remarks: Remarks) -> int:
    """Print all that `info` says of one report; the exit status that it alone would have."""
    try:
        opened: Any = open_report(report.files, cache=cache)
        if isinstance(opened, HasPrivateFacts):
            opened.is_private_shown = False
    except ReportError as error:
        remarks.say(f"coffeetree: {error}")
        return CANNOT
    try:
        opened.wait(remarks.progress)
        output.json(report_fields(opened))
        return DAMAGED if say_problems(opened, [report.path], output, remarks) else DONE
    except ReportError as error:
        remarks.say(f"coffeetree: {error}")
        return CANNOT
    finally:
        opened.close()


def _recognised_fields(report: FoundReport) -> dict[str, Any]:
    """What is known of a report that is only recognised, under the same names."""
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
