"""Opening reports in the browser: first the index child is started, then Textual is imported."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from parsers.report import ReportError
from tui.sanitise import safe

if TYPE_CHECKING:
    from parsers.report import Report
    from tui.arguments import Arguments

USAGE = 2
"""Exit status where no report can be opened."""


def browse(paths: Sequence[str], arguments: Arguments) -> int:
    """Shows reports until the user quits; the exit status."""
    from parsers.cache import Cache
    from parsers.registry import open_report

    cache = Cache(arguments.text("cache-dir"), keep=not arguments.is_given("no-cache"))

    def reopen() -> Report:
        return open_report(paths, format=arguments.text("format"), cache=cache)

    try:
        report = reopen()
    except ReportError as error:
        print(f"coffeetree: {safe(str(error))}", file=sys.stderr)
        return USAGE
    # The child works while Textual is imported.
    report.start_index()
    return run(report, None if "-" in paths else reopen, arguments)


def run(report: Report, reopen: Callable[[], Report] | None, arguments: Arguments) -> int:
    """Imports Textual and shows a report."""
    from tui.terminal.environment import prepare
    from tui.theme import choose

    palette = choose(os.environ)
    prepare(os.environ)
    from tui.app import CoffeetreeApp
    from tui.terminal.run import run as run_app

    app = CoffeetreeApp(report, reopen, arguments.patterns, palette)
    try:
        return run_app(app)
    finally:
        app.report.close()
