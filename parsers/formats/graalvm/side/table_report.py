"""An opened side report with a row for each line, and its view."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from parsers.formats.graalvm.side.names import LineNames
from parsers.formats.graalvm.side.report import HasRowOfEachName, SideReport
from parsers.formats.graalvm.side.table import SideTable
from parsers.model.view import View

if TYPE_CHECKING:
    from parsers.reporting.comparison.lines import ComparableSubject

LOADERS_SINCE = "24.2+"
"""Since this version, used methods, classes and packages have their loader before them, and methods qualified types."""


class TableReport(HasRowOfEachName, SideReport):
    """A table with its view."""

    def make_view(self) -> View:
        """Creates the table."""
        return SideTable(self)

    @property
    def table(self) -> SideTable:
        """The one view, with its own type."""
        view = self.views[0]
        assert isinstance(view, SideTable)
        return view

    @property
    def format_version(self) -> str | None:
        """Version of lists with loaders since some version; concluded from the first row."""
        if not self.layout.has_loaders or not len(self.recording):
            return None
        cells = self.table.cells(0)
        return LOADERS_SINCE if len(cells.name) < len(cells.label) else "19-24.1"

    @property
    def comparable(self) -> Mapping[str, ComparableSubject]:
        """Comparable rows of the table."""
        from parsers.formats.graalvm.side.comparable import comparable_table

        return comparable_table(self.table)

    @property
    def compared_as(self) -> str:
        """Name of comparable reports: methods with and without packages in their types share no names."""
        is_qualified = self.format_version == LOADERS_SINCE and self.layout.kind == "method"
        return f"{self.format} with qualified types" if is_qualified else self.format

    @property
    def names(self) -> Sequence[bytes]:
        """Names of the rows without loaders; empty until the whole file is read."""
        return LineNames(self.table) if self.is_complete else ()
