"""Texts of numbers and columns, for the screen and for commands. Imports nothing of Rich and Textual."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from parsers.model.names.ref_number import is_number_of
from parsers.model.row import Badge, Column, Row, Unit
from parsers.model.time_text import nanos_text
from tui.screen.sanitise import safe

if TYPE_CHECKING:
    from parsers.model.view import View


def column_text(row: Row, column: Column, is_ascii: bool = False) -> str:
    """Text of a column in a row: the first of its badges that the row has, with its sign."""
    for badge, sign in column.badges or ((column.name, ""),):
        if badge == "rows_below":
            return rows_below_text(row, column.width)
        if badge in row.badges:
            value = row.badges[badge]
            if value is not None:
                is_id = bool(sign) or (column.unit == "count" and is_number_of(badge))
                mark = "^" if is_ascii and sign == "↩" else safe(sign)
                return mark + number_text(value, "text" if is_id else column.unit)
    return ""


def rows_below_text(row: Row, width: int = 20) -> str:
    """Number of rows below; `…` if it may still rise, or is not known yet.

    Zero is shown for declarations only: references and plain values never have rows below.
    """
    if row.rows_below is None:
        return "…" if row.is_growing else ""
    if not row.rows_below and not row.is_growing and (row.link is not None or "id" not in row.badges):
        return ""
    text = f"{row.rows_below:,}" + ("…" if row.is_growing else "")
    if len(text) > width:
        text = f"{row.rows_below / 1_000_000:.2f} M" + ("…" if row.is_growing else "")
    return text


def in_millions(text: str) -> str:
    """Shortens a number that is grouped in thousands; returns other texts unchanged."""
    digits = text.replace(",", "")
    return f"{int(digits) / 1_000_000:,.1f} M" if digits.isdecimal() and digits != text else text


def number_text(value: Badge, unit: Unit = "count") -> str:
    """Formats a number: counts grouped in thousands, times in a suitable unit, ids and texts unchanged."""
    if value is None:
        return ""
    if unit == "percent" and not isinstance(value, str):
        return f"{value:.1f} %"
    if unit == "ns" and not isinstance(value, str):
        return nanos_text(value, 3 if abs(value) < 1e12 else 1)
    if isinstance(value, float):
        return f"{value:,.6g}" if unit == "number" else f"{value:,.3f}" if unit == "s" else f"{value:,.1f}"
    if isinstance(value, int) and unit != "text":
        return f"{value:,}"
    return safe(str(value))


UNITS: dict[Unit, str] = {"bytes": "B", "ms": "ms", "s": "s", "count/s": "/s", "bytes/s": "B/s"}
"""Units that the numbers of a column do not show themselves."""


def titled(column: Column) -> str:
    """Title of a column with its unit, unless title or numbers show that."""
    unit = UNITS.get(column.unit, "")
    title = column.heading or column.title
    words = title.lower().replace(",", " ").split()
    is_shown = not unit or unit.lower() in words or "bytes" in words or title.endswith("/s")
    return safe(title if is_shown else f"{title}, {unit}")


def sort_headings(view: View) -> list[tuple[str, str]]:
    """The sort keys of a view, each with the heading of its column; without a column the key itself."""
    headings = {column.name: titled(column) for column in view.columns}
    return [(order, headings.get(order, order)) for order in view.orders]


def sort_key(view: View, text: str) -> str | None:
    """The sort key that a text names: itself, or a title or heading of its column. After "-": reversed; None: none."""
    name = text.removeprefix("-")
    titles = [named for named in column_names(view.columns) if named[0] in view.orders]
    key = key_named(name, [*((order, order) for order in view.orders), *titles])
    return key and text[: len(text) - len(name)] + key


def column_names(columns: Iterable[Column]) -> list[tuple[str, str]]:
    """The keys of columns, each with every name that commands accept: itself, the title and the heading."""
    return [(column.name, name) for column in columns for name in (column.name, column.title, titled(column))]


def key_named(text: str, names: Iterable[tuple[str, str]]) -> str | None:
    """The key with that name in any case, else the only key with a name that begins so; None: none or several."""
    fitting = [(key, name) for key, name in names if name.lower().startswith(text.lower())]
    exact = [key for key, name in fitting if len(name) == len(text)]
    keys = dict.fromkeys(exact[:1] or [key for key, _ in fitting])
    return next(iter(keys)) if len(keys) == 1 else None
