"""Results of queries as files: all rows that filters leave, with the columns of the query."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from parsers.reporting.export.table import csv_rows

if TYPE_CHECKING:
    from parsers.model.capabilities import StoresRows
    from tui.tree.tree_cursor import TreeCursor

AT_ONCE = 4096
"""Rows that are read together."""


def shown_rows(tree: TreeCursor) -> Iterable[int]:
    """The rows of a table that filters leave, in the order on the screen."""
    view, selection = tree.view, tree.selection
    if selection is not None:
        from parsers.views.selected_view import SelectedView

        return SelectedView(view, selection).tree.roots(tree.order)
    return view.tree.roots(tree.order)


def written_values(nodes: Iterable[int], suffix: str, stored: StoresRows, is_safe: bool) -> Iterator[str]:
    """Yields the rows of a result with its own columns, as `.csv` or `.json`, one text a row."""
    if suffix == ".csv":
        yield from with_heads(
            csv_rows(chain([stored.value_names], rows_of(stored, nodes)), is_safe=is_safe, line_end="\n")
        )
    else:
        for values in rows_of(stored, nodes):
            object = dict(zip(stored.value_names, map(plain_number, values), strict=True))
            yield json.dumps(object, ensure_ascii=False) + "\n"


def with_heads(lines: Iterator[str]) -> Iterator[str]:
    """Joins the line of headings to the first row, so that each text is a row; without rows yields nothing."""
    heads = next(lines)
    for line in lines:
        yield heads + line
        heads = ""


def rows_of(stored: StoresRows, nodes: Iterable[int]) -> Iterator[Sequence[Any]]:
    """Yields the values of rows, which are read some at a time."""
    left = iter(nodes)
    while some := list(islice(left, AT_ONCE)):
        yield from stored.values_of(some)


def plain_number(value: int | None) -> int | None:
    """A value as JSON has it: numbers that are not finite are null."""
    return None if isinstance(value, float) and not math.isfinite(value) else value
