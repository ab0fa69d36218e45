"""Rows of any view as comma-separated values, by RFC 4180: quotes where they are needed, lines end in CR LF."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from parsers.report import Column, Row

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
        numbers = [_value(row, column) for column in columns]
        writer.writerow([depth, row.kind, row.label, *numbers, row.ref, " ".join(row.flags)])
        yield lines.line


def _value(row: Row, column: Column) -> Any:
    """A plain number or text; of a column with several badges the first that the row has."""
    for badge, _ in column.badges or ((column.name, ""),):
        if badge == "rows_below":
            return row.rows_below
        if badge in row.badges:
            return row.badges[badge]
    return None
