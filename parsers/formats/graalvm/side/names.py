"""The names of the rows of a side report, read on demand."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from parsers.model.late import numpy as np
from parsers.model.late.lazy_sequence import LazySequence

if TYPE_CHECKING:
    from parsers.formats.graalvm.side.layout import LineCells
    from parsers.formats.graalvm.side.table import SideTable
    from parsers.model.arrays import I64Array, U8Array

_LOADER = re.compile(rb"^[^(:\n]*:", re.MULTILINE)
"""Text before the name: it ends with a colon before the first parenthesis."""


class LineNames(LazySequence[bytes]):
    """The names of a table, read on demand."""

    def __init__(self, table: SideTable) -> None:
        self._table = table

    def __len__(self) -> int:
        return len(self._table.lines)

    def __iter__(self) -> Iterator[bytes]:
        return map(self._name, self._table.all_cells())

    def item(self, index: int) -> bytes:
        """Returns the name of a line."""
        return self._name(self._table.cells(index))

    def items(self, indexes: range) -> Sequence[bytes]:
        """Returns the names of some lines."""
        if indexes.step != 1:
            return super().items(indexes)
        return [self._name(cells) for cells in self._table.all_cells(indexes.start, max(indexes.start, indexes.stop))]

    def joined(self, separator: int, start: int, stop: int) -> bytes:
        """Returns some names as one text, a separator after each; for lists without parsing their lines."""
        raw = self._table.raw_lines(start, stop) if self._table.layout.has_loaders else None
        if raw is None:
            return b"".join(name + bytes((separator,)) for name in self[start:stop])
        return _LOADER.sub(b"", raw).replace(b"\n", bytes((separator,)))

    def arrays(self) -> tuple[I64Array, U8Array]:
        """Returns the start of each, followed by the end of the last one, and the bytes of all."""
        joined = np.frombuffer(self.joined(0x0A, 0, len(self)), np.uint8)
        ends = np.flatnonzero(joined == 0x0A)
        return np.append(0, ends - np.arange(len(ends))), joined[joined != 0x0A]

    def _name(self, cells: LineCells) -> bytes:
        return (cells.name or cells.label).encode(self._table.report.encoding, "replace")
