"""The worker processes of a browser: one for each report of its views, started when first needed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from parsers.model.capabilities import HasSource
from parsers.views.collection import own_view
from tui.input.keys.keyboard import CommandError
from tui.interaction.target import report_of

if TYPE_CHECKING:
    from parsers.query.search.pattern import Pattern
    from parsers.query.selection.selection import Filters
    from parsers.runtime.worker.job import FindJob, Job, SelectJob
    from parsers.runtime.worker.worker import Worker
    from tui.interaction.report_screen import ReportScreen


class Workers:
    """Searches and filters of one browser, computed in the workers."""

    def __init__(self, browser: ReportScreen, news: Callable[[list[Job]], None]) -> None:
        """news: receives the jobs that have progressed."""
        self.browser = browser
        self._news = news
        self.names_receiver: Callable[[list[Job]], object] | None = None
        """Receiver of names while they are typed."""
        self._unreported: set[int] = set()
        """Identities of reports whose workers do not know yet that the index is finished."""

    @property
    def shown(self) -> Worker:
        """The worker of the shown view's report."""
        report = report_of(self.browser)
        if report not in self.browser.search_workers:
            from parsers.runtime.worker.worker import Worker

            if not isinstance(report, HasSource):
                raise CommandError("This report can't be searched.")
            source = report.source
            worker = Worker()
            worker.attach(asyncio.get_running_loop(), self._news)
            if not report.is_complete:
                self._unreported.add(id(report))
            folder = source.cache.folder
            worker.open(source.stored_paths, report.format, folder, is_ready=report.is_complete, end=source.end)
            self.browser.search_workers[report] = worker
        return self.browser.search_workers[report]

    def find(self, pattern: Pattern) -> FindJob:
        """Searches for a pattern in the file."""
        report = report_of(self.browser)
        source = report.source if isinstance(report, HasSource) else None
        if source is None or not source.is_whole:
            raise CommandError("The file is still being unpacked. Search again when it has rows.")
        (path, _), *more = source.plain_files
        return self.shown.find(
            path, pattern, report.plain_encoding, stop=source.end, more=more, separator=report.separator
        )

    def select(
        self, filters: Filters, view: str, matches: FindJob | None, made: Mapping[str, object] | None = None
    ) -> SelectJob:
        """Starts the computation of the rows of a view that filters leave."""
        return self.shown.select(filters, own_view(self.browser.report.view(view)).name, matches, made)

    def progressed(self) -> None:
        """Reports a finished index to the workers that do not know it yet."""
        for report, worker in self.browser.search_workers.items():
            if report.is_complete and id(report) in self._unreported:
                self._unreported.discard(id(report))
                worker.index_is_ready()

    def close(self) -> None:
        """Ends all workers."""
        for worker in self.browser.search_workers.values():
            worker.close()
        self.browser.search_workers.clear()
        self._unreported.clear()
