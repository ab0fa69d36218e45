"""Rows of any view as comma-separated values, by RFC 4180: quotes where necessary, lines end in CR LF."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

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


def csv_rows(rows: Iterable[Iterable[Any]], *, is_safe: bool = False, line_end: str = "\r\n") -> Iterator[str]:
    """Yields a line for each row. is_safe: True escapes texts that spreadsheets would run as formulas"""
    lines = _Lines()
    writer = csv.writer(lines, lineterminator=line_end)
    for row in rows:
        writer.writerow(map(as_text, row) if is_safe else row)
        yield lines.line


def csv_lines(rows: Iterable[tuple[Row, int]], columns: Sequence[Column], *, is_safe: bool = False) -> Iterator[str]:
    """Yields a line with the names of the columns, then one per row.

    rows     each with its depth
    is_safe  True escapes texts that spreadsheets would run as formulas
    """
    yield from csv_rows([[*FIRST, *(column.name for column in columns), *LAST]])
    cells = (
        [depth, row.kind, row.label, *(value_in(row, column) for column in columns), row.ref, " ".join(row.flags)]
        for row, depth in rows
    )
    yield from csv_rows(cells, is_safe=is_safe)
