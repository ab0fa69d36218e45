"""Rows of any view as comma-separated values, by RFC 4180: quotes where necessary, lines end in CR LF."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence

from parsers.model.report import Column, Row, value_in
from parsers.reporting.export.formula import as_text

FIRST = ("depth", "kind", "label")
LAST = ("ref", "flags")


class _Lines:
    """The output of the csv writer: keeps the last line."""

    def __init__(self) -> None:
        self.line = ""

    def write(self, text: str) -> int:
        """Stores a line."""
        self.line = text
        return len(text)


def csv_lines(rows: Iterable[tuple[Row, int]], columns: Sequence[Column], *, is_safe: bool = False) -> Iterator[str]:
    """Yields a line with the names of the columns, then one per row.

    rows     each with its depth
    is_safe  True escapes texts that spreadsheets would run as formulas
    """
    lines = _Lines()
    writer = csv.writer(lines)
    writer.writerow([*FIRST, *(column.name for column in columns), *LAST])
    yield lines.line
    for row, depth in rows:
        numbers = [value_in(row, column) for column in columns]
        cells = [depth, row.kind, row.label, *numbers, row.ref, " ".join(row.flags)]
        writer.writerow(map(as_text, cells) if is_safe else cells)
        yield lines.line
