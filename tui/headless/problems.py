"""Exit statuses of commands, and the problems of a report on standard error."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parsers.model.report import file_name
from tui.headless.text_row import problem_line

if TYPE_CHECKING:
    from parsers.model.report import Report
    from tui.headless.session import Invocation

DONE, CANNOT, DAMAGED = 0, 2, 3


def show_problems(report: Report, paths: list[str], invocation: Invocation) -> int:
    """Prints every problem of a report on standard error; returns 3 if there are any, else 0."""
    if not report.problem_count:
        return DONE
    invocation.output.flush()
    problems = report.problems
    for problem in problems:
        invocation.remarks.show_message(problem_line(problem, paths[0]))
    if (more := report.problem_count - len(problems)) > 0:
        invocation.remarks.show_message(f"{file_name(paths[0])}: {more:,} more problems")
    return DAMAGED
