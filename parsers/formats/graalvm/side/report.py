"""An opened side report of native-image: one file, one view. Derived classes read its bytes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from parsers.formats.graalvm.side.layout import TableLayout
from parsers.formats.graalvm.side.lines import SideLines, read_lines
from parsers.io.report_name import split_name
from parsers.model.row import Kind
from parsers.model.view import View
from parsers.reports.whole import WholeReport

if TYPE_CHECKING:
    from parsers.io.source import Source
    from parsers.model.tables.table import Tables


KINDS = (
    Kind("package", "▪", "#", "package"),
    Kind("class", "○", "o", "class"),
    Kind("method", "•", "-", "method"),
    Kind("type", "○", "o", "class that is replaced"),
    Kind("field", "▫", ".", "field"),
    Kind("feature", "◆", "f", "feature: a part of the builder"),
    Kind("group", "▾", "v", "some numbers that belong together"),
    Kind("value", "·", ".", "a number or text"),
    Kind("trace", "▸", "t", "what was reached"),
    Kind("step", "←", "<", "one step on the way backwards from it"),
    Kind("line", "·", ".", "line"),
    Kind("dependency", "→", ">", "class whose initializer is needed"),
    Kind("unknown", "?", "?", "unknown: a row that fits no known form"),
)


class HasRowOfEachName:
    """A report of which each name is one row of its first view, in order."""

    def name_count(self, name: int) -> int:
        """Always 1."""
        return 1

    def name_nodes(self, name: int) -> Sequence[int]:
        """Returns the row of a name."""
        return [name]


class OneViewReport(WholeReport):
    """A side report. Derived classes set `format` and `view_name`, read, and create the view."""

    all_kinds = KINDS
    view_name = ""

    def make_view(self) -> View:
        """Creates the one view."""
        raise NotImplementedError

    def makers(self) -> dict[str, Callable[[], View]]:
        """Returns the one view by its name."""
        return {self.view_name: self.make_view}

    def own_tables(self) -> Tables:
        """One table, called like the format."""
        from parsers.views.report_tables import singular, view_tables

        return view_tables(self, singular(self.format.partition("-")[2]))

    @property
    def facts(self) -> Mapping[str, object]:
        """Facts from the name of the file."""
        return split_name(self.source.name).facts


class SideReport(OneViewReport):
    """A table with a row for each line: the data of its view."""

    recording: SideLines

    def __init__(self, source: Source, layout: TableLayout) -> None:
        """Reads a small file completely, a large file's head."""
        self.layout = layout
        self.format, self.view_name = layout.format, layout.view
        super().__init__(source)

    def read(
        self, pread: Callable[[int, int], bytes], stop: int, is_all: bool, report_progress: Callable[[int], None] | None
    ) -> SideLines:
        """Reads the places of the rows."""
        return read_lines(pread, stop, is_all, self.layout, self.source.path, report_progress)

    @property
    def facts(self) -> Mapping[str, object]:
        """Facts, with counts by kind if the table has kinds."""
        has_kinds = self.layout.has_kinds and self.is_complete
        kinds = {"kinds": dict(sorted(self.recording.counts.items()))} if has_kinds else {}
        return {**super().facts, **kinds}

    @property
    def rows_read(self) -> int:
        """Number of rows read."""
        return len(self.recording)

    def counts(self) -> dict[str, int]:
        """Returns the number of rows, and the counts of the layout."""
        counted = self.recording.counts
        return {"rows": len(self.recording), **{name: counted[name] for name in self.layout.totals}}

    @property
    def highest(self) -> int:
        """Largest number of the first column, for bars."""
        return self.recording.highest if self.layout.columns and self.layout.columns[0].bar else 0
