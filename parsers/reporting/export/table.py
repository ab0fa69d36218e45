"""Rows of any view as comma-separated values, by RFC 4180: quotes where necessary, lines end in CR LF.

Texts that spreadsheets would run as formulas can be escaped. Source: OWASP, "CSV Injection": a cell is a formula if it
begins with `=`, `+`, `-` or `@`, also in their full-width forms or after a tab or line end; a leading apostrophe makes
it text.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeVar

from parsers.model.row import Column, Row, value_in

_FORMULA = re.compile("[=+@\\-\t\r\n\uff1d\uff0b\uff0d\uff20]")
_NUMBER = re.compile(r"[+-]?\d+(?:[.,]\d+)*(?: ?(?:%|[mnµ]?s))?", re.ASCII)
"""A number, perhaps with the unit with which the browser shows it."""

Cell = TypeVar("Cell")

FIRST = ("depth", "kind", "label")
LAST = ("ref", "flags")


class _Lines:
    """The output of the csv writer, which returns what `write` does."""

    @staticmethod
    def write(text: str) -> str:
        """Returns the line."""
        return text


def csv_rows(rows: Iterable[Iterable[Any]], *, is_safe: bool = False, line_end: str = "\r\n") -> Iterator[str]:
    """Yields a line for each row. is_safe: True escapes texts that spreadsheets would run as formulas"""
    writer = csv.writer(_Lines, lineterminator=line_end)
    for row in rows:
        yield writer.writerow(map(as_text, row) if is_safe else row)


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


def as_text(cell: Cell) -> Cell | str:
    """Returns a cell that no spreadsheet runs as a formula: such texts get a leading apostrophe, numbers stay."""
    if not isinstance(cell, str) or not _FORMULA.match(cell) or _NUMBER.fullmatch(cell):
        return cell
    return f"'{cell}"
