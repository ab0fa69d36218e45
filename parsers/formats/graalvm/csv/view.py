"""The views of a CSV call tree: those of a text tree, except that their rows are no lines of a file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from parsers.formats.graalvm.calls.entries import EntryPointsView
from parsers.formats.graalvm.calls.package_view import PackagesView
from parsers.formats.graalvm.calls.view import CallRowsView
from parsers.model.view import View

if TYPE_CHECKING:
    from parsers.formats.graalvm.calls.report import CallReport
    from parsers.formats.graalvm.csv.filter import CsvFilters, CsvLineFinder, CsvViewRows
    from parsers.model.capabilities import RepresentsRows
    from parsers.query.search.pattern import Pattern


class CsvTreeView(CallRowsView):
    """The rows that would have been printed, as a tree by their depth."""

    @property
    def vertices(self) -> int:
        """Number of rows, which can be searched together."""
        return self.report.tree.rows

    def finder(self, pattern: Pattern, is_patient: bool = False) -> CsvLineFinder:
        """Returns the finder of a pattern in rows, as they would have been printed."""
        from parsers.formats.graalvm.csv.filter import CsvLineFinder

        return CsvLineFinder(self.report, pattern)

    def labels(self, start: int, stop: int) -> Sequence[str]:
        """Returns the labels of a range of rows."""
        return [self.report.parsed(row).label for row in range(start, stop)]

    def row_filters(self) -> CsvFilters:
        """Returns the columns of all rows that filters use."""
        from parsers.formats.graalvm.csv.filter import CsvFilters

        return CsvFilters(self.report)


if TYPE_CHECKING:

    class RowsOfTables(RepresentsRows, Protocol):
        """Rows with the report of the tables."""

        @property
        def report(self) -> CallReport: ...


class OfTables(View):
    """A view whose rows represent rows of the tree."""

    def row_filters(self: RowsOfTables) -> CsvViewRows:
        """Returns the columns of all rows that filters use."""
        from parsers.formats.graalvm.csv.filter import CsvViewRows

        return CsvViewRows(self, self.report)


class CsvPackagesView(PackagesView, OfTables):
    """Packages, classes and methods."""


class CsvEntryPointsView(EntryPointsView, OfTables):
    """The roots of the analysis."""
