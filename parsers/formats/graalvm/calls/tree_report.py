"""GraalVM call tree: a report with its views."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from parsers.formats.graalvm.calls.report import CallReport
from parsers.formats.graalvm.calls.view import CallRowsView, CallTreeView
from parsers.graph.views.shared import views_of
from parsers.model.late import late
from parsers.model.views import Views

if TYPE_CHECKING:
    from collections.abc import Mapping

    from parsers.formats.graalvm.calls.filter import CallFilters
    from parsers.formats.graalvm.calls.graph import CallGraphModel
    from parsers.io.cache import Cache
    from parsers.io.group import SourceGroup
    from parsers.io.source import Source
    from parsers.model.tables.table import Tables
    from parsers.reporting.comparison.lines import ComparableSubject


class CallTreeReport(CallReport):
    """One opened call tree. Views: "Call tree", "Callers", "Entry points", "Packages", and those of a graph."""

    entry_points_view = "parsers.formats.graalvm.calls.entries:EntryPointsView"
    packages_view = "parsers.formats.graalvm.calls.package_view:PackagesView"
    """Classes of views, imported when these are opened."""

    def __init__(self, source: Source | SourceGroup, cache: Cache) -> None:
        super().__init__(source, cache)
        self._document = self._document_view()
        self.views = Views(
            {
                "Call tree": lambda: self._document,
                "Callers": late("parsers.formats.graalvm.calls.callers:CallersView", self),
                "Entry points": late(self.entry_points_view, self),
                "Packages": late(self.packages_view, self),
                **views_of(lambda: self.graph),
            }
        )

    def _document_view(self) -> CallRowsView:
        return CallTreeView(self)

    @cached_property
    def graph(self) -> CallGraphModel:  # type: ignore[override]  # made on first access
        """The call graph."""
        from parsers.formats.graalvm.calls.graph import CallGraphModel

        return CallGraphModel(self)

    @cached_property
    def comparable(self) -> Mapping[str, ComparableSubject]:
        """Content that can be compared with another call tree, as text or as tables."""
        from parsers.formats.graalvm.builds.comparable import comparable_calls

        return comparable_calls(self)

    def own_tables(self) -> Tables:
        """Methods, calls, entries, classes and packages."""
        from parsers.formats.graalvm.calls.tables import call_tables

        return call_tables(self)

    def row_filters(self) -> CallFilters:
        """Returns the columns of all rows that filters use."""
        from parsers.formats.graalvm.calls.filter import CallFilters

        return CallFilters(self)
