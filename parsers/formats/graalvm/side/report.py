"""An opened side report of native-image: one file, one view. Derived ones say how its bytes are read."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, overload

from parsers.formats.graalvm.side.kind import KINDS
from parsers.formats.graalvm.side.layout import Cells, Layout
from parsers.formats.graalvm.side.lines import SideLines, read_lines
from parsers.formats.graalvm.side.table import SideTable
from parsers.io.report_name import split_name
from parsers.model.report import View
from parsers.reports.whole import Recording, WholeReport

if TYPE_CHECKING:
    from parsers.io.source import Source

_LOADER = re.compile(rb"^[^(:\n]*:", re.MULTILINE)
"""What stands before the name: a colon before the first bracket ends it."""

LOADERS_SINCE = "24.2+"
"""Since then used methods, classes and packages have their loader before them, and methods qualified types."""


class OneViewReport(WholeReport):
    """A side report. Derived ones set `format`, `format_title` and `view_name`, read, and make the view."""

    all_kinds = KINDS
    view_name = ""
    recording: Any

    def taken(self, recording: Recording) -> None:
        """There is a recording, a first one or a better one."""
        self.recording = recording

    def make_view(self) -> View:
        """The one view."""
        raise NotImplementedError

    def makers(self) -> dict[str, Callable[[], View]]:
        """The one view by its name."""
        return {self.view_name: self.make_view}

    @property
    def facts(self) -> Mapping[str, Any]:
        """What the name of the file says."""
        named = split_name(self.source.name)
        facts: dict[str, Any] = {}
        if named.report and named.image:
            facts["image"] = named.image
        if named.report and named.written is not None:
            facts["written"] = str(named.written)
        return facts


class SideReport(OneViewReport):
    """A table: a line a row."""

    recording: SideLines

    def __init__(self, source: Source, layout: Layout) -> None:
        """Reads all of a small file, else its head."""
        self.layout = layout
        self.format, self.format_title, self.view_name = layout.format, layout.title, layout.view
        super().__init__(source)

    def read(
        self, pread: Callable[[int, int], bytes], stop: int, is_all: bool, tell: Callable[[int], None] | None
    ) -> SideLines:
        """Where the rows stand."""
        return read_lines(pread, stop, is_all, self.layout, self.source.path, tell)

    def make_view(self) -> View:
        """The table."""
        return SideTable(self)

    @property
    def table(self) -> SideTable:
        """The same view by its own type."""
        view = self.views[0]
        assert isinstance(view, SideTable)
        return view

    @property
    def format_version(self) -> str | None:
        """Of lists that have loaders since some version; concluded from the first row."""
        if not self.layout.has_loaders or not len(self.recording):
            return None
        cells = self.table.cells(0)
        return LOADERS_SINCE if len(cells.name) < len(cells.label) else "19-24.1"

    @property
    def facts(self) -> Mapping[str, Any]:
        """With counts by kind, where the table has kinds."""
        has_kinds = self.layout.has_kinds and self.is_complete
        kinds = {"kinds": dict(sorted(self.recording.counts.items()))} if has_kinds else {}
        return {**super().facts, **kinds}

    @property
    def rows_read(self) -> int:
        """The rows."""
        return len(self.recording)

    def counts(self) -> dict[str, Any]:
        """Rows, and what the layout counts."""
        counted = self.recording.counts
        return {"rows": len(self.recording), **{name: counted[name] for name in self.layout.totals}}

    @property
    def comparable(self) -> Mapping[str, Any]:
        """The table by its rows."""
        from parsers.formats.graalvm.side.comparable import comparable_table

        return comparable_table(self)

    @property
    def compared_as(self) -> str:
        """Methods with and without packages in their types have no names in common."""
        is_qualified = self.format_version == LOADERS_SINCE and self.layout.kind == "method"
        return f"{self.format} with qualified types" if is_qualified else self.format

    @property
    def highest(self) -> int:
        """The largest number of the first column, for bars."""
        return self.recording.highest if self.layout.columns and self.layout.columns[0].bar else 0

    # -- names --------------------------------------------------------------------------------------------------------

    @property
    def names(self) -> Sequence[bytes]:
        """What the rows are called, loaders left out; empty until all of the file is read."""
        return LineNames(self.table) if self.is_complete else ()

    def name_count(self, name: int) -> int:
        """Each row is one."""
        return 1

    def name_nodes(self, name: int) -> Sequence[int]:
        """The row."""
        return [name]


class LineNames(Sequence[bytes]):
    """The names of a table, read when they are asked for."""

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
        """Some names as one text, a byte after each; of lists without taking their lines apart."""
        raw = self._table.raw_lines(start, stop) if self._table.layout.has_loaders else None
        if raw is None:
            return b"".join(name + bytes((separator,)) for name in self[start:stop])
        return _LOADER.sub(b"", raw).replace(b"\n", bytes((separator,)))

    def arrays(self) -> tuple[Any, Any]:
        """Start of each, followed by the end of the last one, and the bytes of all."""
        import numpy as np

        joined = np.frombuffer(self.joined(0x0A, 0, len(self)), np.uint8)
        ends = np.flatnonzero(joined == 0x0A)
        return np.append(0, ends - np.arange(len(ends))), joined[joined != 0x0A]

    def _name(self, cells: Cells) -> bytes:
        return (cells.name or cells.label).encode(self._table.report.encoding, "replace")
