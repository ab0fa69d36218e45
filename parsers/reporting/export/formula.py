"""Escapes texts that spreadsheets would run as formulas.

Source: OWASP, "CSV Injection": a cell is a formula if it begins with `=`, `+`, `-` or `@`, also in their full-width
forms or after a tab or line end; a leading apostrophe makes it text.
"""

from __future__ import annotations

import re
from typing import TypeVar

_FORMULA = re.compile("[=+@\\-\t\r\n\uff1d\uff0b\uff0d\uff20]")
_NUMBER = re.compile(r"[+-]?\d+(?:[.,]\d+)*(?: ?(?:%|[mnµ]?s))?", re.ASCII)
"""A number, perhaps with the unit with which the browser shows it."""

Cell = TypeVar("Cell")


def as_text(cell: Cell) -> Cell | str:
    """Returns a cell that no spreadsheet runs as a formula: such texts get a leading apostrophe, numbers stay."""
    if not isinstance(cell, str) or not _FORMULA.match(cell) or _NUMBER.fullmatch(cell):
        return cell
    return f"'{cell}"
