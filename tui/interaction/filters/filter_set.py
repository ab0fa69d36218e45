"""The filters of all views of a browser."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

from tui.interaction.filters.filtering import Filtering, FilterState

if TYPE_CHECKING:
    from parsers.runtime.worker.job import Job
    from tui.interaction.report_screen import ReportScreen
    from tui.interaction.workers import Workers
    from tui.settings.options import Options


class FilterSet:
    """Each view's filters, made when first needed."""

    def __init__(
        self, browser: ReportScreen, workers: Workers, options: Options, patterns: Mapping[str, str] | None
    ) -> None:
        """patterns: those of the command line, for the first view."""
        self.browser = browser
        self._make = partial(Filtering, browser, workers, options, self._share)
        self._shared: dict[str, str] = {}
        """Choices of shared switches, by their names."""
        first = browser.report.views[0].name
        self._filters = {first: self._make(first, FilterState(patterns=dict(patterns or {})))}

    @property
    def shown(self) -> Filtering:
        """The filters of the shown view."""
        return self.of(self.browser.view.name)

    def of(self, view: str) -> Filtering:
        """The filters of a view."""
        if view not in self._filters:
            made = self._filters[view] = self._make(view)
            for name, choice in self._shared.items():
                made.take_choice(name, choice)
        return self._filters[view]

    def _share(self, name: str, choice: str) -> None:
        """Selects the choice of a shared switch in all views."""
        if self._shared.get(name) != choice:
            self._shared[name] = choice
            for filters in self._filters.values():
                filters.take_choice(name, choice)

    def is_shown(self, node: int) -> bool:
        """True if no filter hides the node."""
        selection = self.browser.tree_view.selection
        if selection is None:
            return not self.browser.view.is_hidden(node)
        return selection.position_of(node) is not None

    def reopened(self) -> None:
        """Applies the filters again after the files were read again."""
        is_there = self.browser.report.views.has
        self._filters = {name: filters for name, filters in self._filters.items() if is_there(name)}
        for filters in self._filters.values():
            filters.refresh()

    def forget(self, view: str) -> None:
        """Forgets the filters of a view that is gone."""
        self._filters.pop(view, None)

    def refilter(self, view: str) -> None:
        """Applies the filters of a view again after it was rebuilt from other data."""
        filters = self._filters.get(view)
        if filters is not None and not filters.state.is_empty:
            filters.refresh()

    def jobs_progressed(self, jobs: list[Job]) -> None:
        """Handles progress or the end of jobs."""
        for filters in self._filters.values():
            filters.jobs_progressed(jobs)
