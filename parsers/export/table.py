"""Rows of any view as comma-separated values, by RFC 4180: quotes where they are needed, lines end in CR LF."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence

from parsers.report import Column, Row, value_in

FIRST = ("depth", "kind", "label")
LAST = ("ref", "flags")


class _Lines:
    """What csv writes to: keeps the last line."""

    def __init__(self) -> None:
        self.line = ""

    def write(self, text: str) -> int:
        """Take a line."""
        self.line = text
        return len(text)


def csv_lines(rows: Iterable[tuple[Row, int]], columns: Sequence[Column]) -> Iterator[str]:
    """A line with the names of the columns, then one a row. rows: each with its depth."""
    lines = _Lines()
    writer = csv.writer(lines)
    writer.writerow([*FIRST, *(column.name for column in columns), *LAST])
    yield lines.line
    for row, depth in rows:
        numbers = [value_in(row, column) for column in columns]
        writer.writerow([depth, row.kind, row.label, *numbers, row.ref, " ".join(row.flags)])
        yield lines.line
