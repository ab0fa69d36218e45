"""The child that queries the report of one browser, and the results as views of the report."""

from __future__ import annotations

import asyncio
import contextlib
import glob
import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from parsers.model.capabilities import ComparesTwo, HasSource
from parsers.reporting.sql.result_view import ResultView
from parsers.reporting.sql.stored_rows import StoredRows
from parsers.reports.members import MembersReport
from parsers.runtime.worker.query_worker import QueryJob, QueryWorker, SchemaJob
from tui.input.keys.keyboard import CommandError
from tui.interaction.target import report_of

if TYPE_CHECKING:
    from parsers.model.report import Report
    from parsers.model.view import View
    from parsers.runtime.worker.job import Job
    from tui.interaction.report_screen import ReportScreen

MOST_RESULTS = 9
"""Results that are kept; the oldest is dropped for another one."""


class Queries:
    """Queries of one browser: at most one runs at a time."""

    def __init__(self, browser: ReportScreen, news: Callable[[], object]) -> None:
        """news: called when the schema or the query has progressed"""
        self.browser = browser
        self._news = news
        self._worker: QueryWorker | None = None
        self._asked: dict[str, object] | None = None
        """The reports as the child opens them."""
        self._report: Report | None = None
        self._is_ready = False
        self.schema: SchemaJob | None = None
        self.job: QueryJob | None = None
        """The last query."""
        self._prefixes: dict[str, str] = {}
        """Beginnings of the paths of the rows, by the name of the view of each result."""
        self._number = 0

    # -- the child ----------------------------------------------------------------------------------------------------

    def prepare(self) -> None:
        """Starts the child for the report of the view, and asks for its tables. Raises `CommandError`."""
        report = report_of(self.browser)
        asked = asked_of(report)
        if self._worker is None:
            self._worker = QueryWorker()
            self._worker.attach(asyncio.get_running_loop(), self._on_news)
        if asked != self._asked:
            self.stop()
            self._asked, self._report, self._is_ready = asked, report, report.is_complete
            self._worker.open_asked(asked, self._is_ready)
            self.schema = self._worker.describe()

    def progressed(self) -> None:
        """Reports a finished index to the child."""
        if self._worker is not None and not self._is_ready and self._report is not None and self._report.is_complete:
            self._is_ready = True
            self._worker.index_is_ready()

    def reopened(self) -> None:
        """Stops what runs: the child opens the report again for the next query."""
        self.stop()
        self._asked = None

    def close(self) -> None:
        """Ends the child and removes all rows."""
        if self._worker is not None:
            self._worker.close()

    def _on_news(self, jobs: list[Job]) -> None:
        if any(job in (self.schema, self.job) for job in jobs):
            self._news()

    # -- queries ------------------------------------------------------------------------------------------------------

    def run(self, query: str) -> None:
        """Starts a query instead of the last one. Raises `CommandError`."""
        self.prepare()
        self.stop()
        assert self._worker is not None
        self.job = self._worker.query(query)

    @property
    def is_running(self) -> bool:
        """True if a query runs."""
        return self.job is not None and not self.job.has_ended

    def stop(self) -> bool:
        """Stops the query; the rows so far stay. False: none was running."""
        if self.job is None or self.job.has_ended:
            return False
        self.job.cancel()
        return True

    # -- results ------------------------------------------------------------------------------------------------------

    def add_result(self, job: QueryJob) -> ResultView:
        """Adds the result of a query to the views of the report. Raises `OSError`."""
        views = self.browser.report.views.added
        self._number += 1
        made = ResultView(f"SQL {self._number}", job.query, StoredRows(job.prefix))
        views[made.name] = self._of_member(made)
        self._prefixes[made.name] = job.prefix
        return made

    def _of_member(self, made: ResultView) -> View:
        """The view in a report that is made of several: REFs of its rows belong to the queried one."""
        report, view = self.browser.report, made
        return report.view_of(report_of(self.browser), view) if isinstance(report, MembersReport) else view

    def drop_oldest(self) -> str:
        """Removes the oldest result if there are too many; returns the name of its view, or an empty text."""
        shown = self.browser.view.name
        old = next((name for name in self._prefixes if name != shown), "")
        if len(self._prefixes) <= MOST_RESULTS or not old:
            return ""
        self.browser.report.views.added.pop(old, None)
        for path in glob.glob(f"{glob.escape(self._prefixes.pop(old))}.*"):
            with contextlib.suppress(OSError):
                os.unlink(path)
        return old


def asked_of(report: Report) -> dict[str, object]:
    """Returns how the child opens a report, or the two of a comparison by schema. Raises `CommandError`."""
    reports = {"old": report.old, "new": report.new} if isinstance(report, ComparesTwo) else {"report": report}
    asked = {}
    for schema, each in reports.items():
        if not isinstance(each, HasSource):
            raise CommandError("This report has no tables of its own: SQL is for the reports that it is made of.")
        source = each.source
        asked[schema] = {
            "paths": list(source.stored_paths),
            "format": each.format,
            "cache": source.cache.folder,
            "end": source.end,
            "is_private_shown": each.is_private_shown,
        }
    return {"reports": asked}
