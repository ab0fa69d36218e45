"""Classes that views derive from besides `View`: for what they depend on, and how they are filtered."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from parsers.model.names.patterns import Subject
    from parsers.model.report import Report
    from parsers.query.selection.label_filters import LabelledRows, NamedRows
    from parsers.query.selection.selection import RowFilters


class HasReport(Protocol):
    """A view with its report."""

    @property
    def report(self) -> Report:
        """The report."""
        ...


class OfWholeReport:
    """A view of which any row may depend on any part of its report."""

    @property
    def is_ready(self: HasReport) -> bool:
        """True once the report is complete."""
        return self.report.is_complete


class LabelFiltered:
    """A view whose rows are filtered by their labels."""

    def filtered_names(self: LabelledRows, start: int, stop: int) -> Sequence[str]:
        """Returns the texts of a range of rows that patterns match and masks hide: their labels."""
        return self.labels(start, stop)

    @property
    def pattern_subject(self) -> Subject:
        """What patterns match."""
        return "types"

    def row_filters(self: NamedRows) -> RowFilters:
        """Returns the filters of all rows."""
        from parsers.query.selection.label_filters import LabelFilters

        return LabelFilters(self, self.filtered_names)
