"""An opened side report of native-image: one file, one view. Derived classes read its bytes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, overload

from parsers.formats.graalvm.side.kind import KINDS
from parsers.formats.graalvm.side.layout import LineCells, TableLayout
from parsers.formats.graalvm.side.lines import SideLines, read_lines
from parsers.formats.graalvm.side.table import SideTable
from parsers.io.report_name import split_name
from parsers.model.report import View
from parsers.reports.whole import WholeReport

if TYPE_CHECKING:
    from parsers.io.source import Source

_LOADER = re.compile(rb"^[^(:\n]*:", re.MULTILINE)
"""Text before the name: it ends with a colon before the first parenthesis."""

LOADERS_SINCE = "24.2+"
"""Since this version, used methods, classes and packages have their loader before them, and methods qualified types."""


class OneViewReport(WholeReport):
    """A side report. Derived classes set `format`, `format_title` and `view_name`, read, and create the view."""

    all_kinds = KINDS
    view_name = ""

    def make_view(self) -> View:
        """Creates the one view."""
        raise NotImplementedError

    def makers(self) -> dict[str, Callable[[], View]]:
        """Returns the one view by its name."""
        return {self.view_name: self.make_view}

    @property
    def facts(self) -> Mapping[str, Any]:
        """Facts from the name of the file."""
        named = split_name(self.source.name)
        facts: dict[str, Any] = {}
        if named.report and named.image:
            facts["image"] = named.image
        if named.report and named.written is not None:
            facts["written"] = str(named.written)
        return facts


class SideReport(OneViewReport):
    """A table with a row for each line."""

    recording: SideLines

    def __init__(self, source: Source, layout: TableLayout) -> None:
        """Reads a small file completely, a large file's head."""
        self.layout = layout
        self.format, self.format_title, self.view_name = layout.format, layout.title, layout.view
        super().__init__(source)

    def read(
        self, pread: Callable[[int, int], bytes], stop: int, is_all: bool, report_progress: Callable[[int], None] | None
    ) -> SideLines:
        """Reads the places of the rows."""
        return read_lines(pread, stop, is_all, self.layout, self.source.path, report_progress)

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
    def facts(self) -> Mapping[str, Any]:
        """Facts, with counts by kind if the table has kinds."""
        has_kinds = self.layout.has_kinds and self.is_complete
        kinds = {"kinds": dict(sorted(self.recording.counts.items()))} if has_kinds else {}
        return {**super().facts, **kinds}

    @property
    def rows_read(self) -> int:
        """Number of rows read."""
        return len(self.recording)

    def counts(self) -> dict[str, Any]:
        """Returns the number of rows, and the counts of the layout."""
        counted = self.recording.counts
        return {"rows": len(self.recording), **{name: counted[name] for name in self.layout.totals}}

    @property
    def comparable(self) -> Mapping[str, Any]:
        """Comparable rows of the table."""
        from parsers.formats.graalvm.side.comparable import comparable_table

        return comparable_table(self)

    @property
    def compared_as(self) -> str:
        """Name of comparable reports: methods with and without packages in their types share no names."""
        is_qualified = self.format_version == LOADERS_SINCE and self.layout.kind == "method"
        return f"{self.format} with qualified types" if is_qualified else self.format

    @property
    def highest(self) -> int:
        """Largest number of the first column, for bars."""
        return self.recording.highest if self.layout.columns and self.layout.columns[0].bar else 0

    # -- names --------------------------------------------------------------------------------------------------------

    @property
    def names(self) -> Sequence[bytes]:
        """Names of the rows without loaders; empty until the whole file is read."""
        return LineNames(self.table) if self.is_complete else ()

    def name_count(self, name: int) -> int:
        """Always 1: each name is one row."""
        return 1

    def name_nodes(self, name: int) -> Sequence[int]:
        """Returns the row of a name."""
        return [name]


class LineNames(Sequence[bytes]):
    """The names of a table, read on demand."""

    def __init__(self, table: SideTable) -> None:
        self._table = table

    def __len__(self) -> int:
        return len(self._table.lines)

    def __iter__(self) -> Iterator[bytes]:
        return map(self._name, self._table.all_cells())

    @overload
    def __getitem__(self, index: int) -> bytes: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[bytes]: ...
    def __getitem__(self, index: int | slice) -> bytes | Sequence[bytes]:
        if isinstance(index, slice):
            start, stop, step = index.indices(len(self))
            return [self._name(cells) for cells in self._table.all_cells(start, max(start, stop))][::step]
        return self._name(self._table.cells(range(len(self))[index]))

    def joined(self, separator: int, start: int, stop: int) -> bytes:
        """Returns some names as one text, a separator after each; for lists without parsing their lines."""
        raw = self._table.raw_lines(start, stop) if self._table.layout.has_loaders else None
        if raw is None:
            return b"".join(name + bytes((separator,)) for name in self[start:stop])
        return _LOADER.sub(b"", raw).replace(b"\n", bytes((separator,)))

    def arrays(self) -> tuple[Any, Any]:
        """Returns the start of each, followed by the end of the last one, and the bytes of all."""
        import numpy as np

        joined = np.frombuffer(self.joined(0x0A, 0, len(self)), np.uint8)
        ends = np.flatnonzero(joined == 0x0A)
        return np.append(0, ends - np.arange(len(ends))), joined[joined != 0x0A]

    def _name(self, cells: LineCells) -> bytes:
        return (cells.name or cells.label).encode(self._table.report.encoding, "replace")
