"""The rows of a CSV call tree as lines, many at a time, for finders of lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from parsers.formats.graalvm.calls.index.row import KINDS, WORDS
from parsers.formats.graalvm.csv.indexed import IndexedCsvTree
from parsers.formats.graalvm.csv.printed_lines.line_columns import BARS, STEP, LineColumns
from parsers.formats.graalvm.csv.printed_lines.row import ComposedRows
from parsers.io.charset import boxes_of
from parsers.kernels.library import loaded
from parsers.query.search.line_finder import SLACK
from parsers.query.search.text_lines import TextLines, joined_lines

if TYPE_CHECKING:
    from parsers.formats.graalvm.calls.report import CallReport
    from parsers.model.arrays import I64Array

KERNEL = "parsers.formats.graalvm.csv.printed_lines.line_kernel:write_rows"
"""The kernel for many rows."""
FEW = 4096
"""Up to this many rows, plain code takes less time than loading a kernel."""
AROUND = 96
"""Bytes of a line in addition to its boxes and its name, if its bytecode index is a small number."""


class RowLines:
    """Writes rows of a report as lines."""

    def __init__(self, report: CallReport) -> None:
        self._composed = ComposedRows(report)
        self._buffer = bytearray()
        self._tree = report.current.behind
        self._columns = _columns(self._tree, report.ids()) if isinstance(self._tree, IndexedCsvTree) else None

    def of(self, rows: I64Array) -> TextLines:
        """Returns the lines of some rows: int64[n], ascending. Valid until the next call."""
        columns, rows = self._columns, np.ascontiguousarray(rows, np.int64)
        write = loaded(KERNEL) if columns is not None and len(rows) > FEW else None
        if columns is None or write is None:
            return self._plain(rows)
        names = columns.name_of[columns.vertex[rows]].astype(np.int64)
        size = int((columns.name_start[names + 1] - columns.name_start[names]).sum()) + AROUND * len(rows)
        size += columns.bar * int(columns.depth[rows].sum(dtype=np.int64)) + len(columns.strange_bytes)
        if len(self._buffer) < size + SLACK:
            self._buffer = bytearray(size + size // 4 + SLACK)
        starts = np.empty(len(rows), np.int64)
        length = write(rows, columns, np.frombuffer(self._buffer, np.uint8), starts)
        return TextLines(self._buffer, length, starts)

    def _plain(self, rows: I64Array) -> TextLines:
        """Plain twin of the kernel."""
        return joined_lines([self._composed.line(row) for row in rows.tolist()])


def _columns(tree: IndexedCsvTree, ids: I64Array) -> LineColumns:
    boxes = boxes_of("utf-8")
    words = [*WORDS, *[b""] * (len(KINDS) - len(WORDS))]
    texts = [*words, boxes.tee, b"id=", b"id-ref=", b"@bci="]
    bars = boxes.bar * BARS
    return _read_only(
        LineColumns(
            depth=tree.array("depth"),
            kind=tree.array("kind"),
            vertex=tree.array("vertex"),
            bci=tree.array("bci"),
            strange_row=tree.array("bci_row"),
            strange_start=tree.array("bci_start"),
            strange_bytes=tree.array("bci_bytes"),
            name_of=tree.array("vertex_name"),
            id_of=ids,
            name_start=tree.array("name_starts"),
            name_bytes=tree.array("name_bytes"),
            texts=np.frombuffer(bars + b"".join(texts) + bytes(STEP), np.uint8),
            text_start=np.cumsum([len(bars), *map(len, texts)]),
            bar=len(boxes.bar),
        )
    )


def _read_only(columns: LineColumns) -> LineColumns:
    """Read-only versions of the arrays, for which kernels are compiled."""
    arrays = {name: array.view() for name, array in columns._asdict().items() if name != "bar"}
    for array in arrays.values():
        array.flags.writeable = False
    return columns._replace(**arrays)
