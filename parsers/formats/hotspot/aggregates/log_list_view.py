"""Base class of the views that list facts of a log."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parsers.views.list_view import ListView

if TYPE_CHECKING:
    from parsers.formats.hotspot.report import HotSpotReport


class LogListView(ListView):
    """A list that is complete when the log is."""

    def __init__(self, report: HotSpotReport) -> None:
        super().__init__()
        self._report = report

    @property
    def is_complete(self) -> bool:
        """True if all is known."""
        return self._report.log.is_complete
