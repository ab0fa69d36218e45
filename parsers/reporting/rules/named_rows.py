"""The rows of a view for a rule: those of one kind, by name, with their numbers.

A view of many rows may provide them as arrays (`HasNamedRows`), without making rows. In other views each row is made
once for all rules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from parsers.model.capabilities import HasKinds, HasNamedRows
from parsers.model.late import numpy as np
from parsers.model.row import Row, counted, value_in
from parsers.model.trees.tree import walk
from parsers.model.view import View
from parsers.reporting.rules.array_rows import ArrayRows, Number, numbers_of_rows

if TYPE_CHECKING:
    from parsers.model.arrays import Numbers
    from parsers.model.row import Column

MOST_LEVELS = 3
"""Levels of an unbounded view in which rows of a kind are searched."""

STEP = 20_000
"""Rows between two progress messages."""

ANY = "*"
"""As a kind: rows of all kinds."""


def silent(text: str) -> None:
    """Ignores progress messages."""


def named_rows(
    view: View, kind: str, report_progress: Callable[[str], object] = silent, columns: Iterable[Column] = ()
) -> ArrayRows:
    """Returns the rows of a kind in any view; if unbounded, at the top or the first level with such rows.

    kind     empty: the rows at the top; `ANY`: all rows
    report_progress     receives progress messages
    columns  whose values will be needed
    """
    found = view.named_rows(kind) if isinstance(view, HasNamedRows) else None
    return listed_rows(view, kind, report_progress, columns) if found is None else found


def listed_rows(
    view: View, kind: str, report_progress: Callable[[str], object] = silent, columns: Iterable[Column] = ()
) -> ArrayRows:
    """Returns the same, by making each row."""
    from parsers.query.selection.texts_met import MatchedTexts

    numbers: dict[str, int] = {}
    name_of, nodes = [], []
    kept: dict[str, dict[int, Number]] = {column.name: {} for column in columns}
    for row in _rows(view, kind, report_progress):
        nodes.append(row.node)
        name_of.append(numbers.setdefault(row_name(row), len(numbers)))
        for column in columns:
            value = value_in(row, column)
            if isinstance(value, int | float):
                kept[column.name][row.node] = value
    order = np.argsort(np.array(nodes, np.int64), kind="stable")

    def numbers_of(column: Column, asked: Numbers) -> Sequence[Number | None]:
        known = kept.get(column.name)
        return numbers_of_rows(view, column, asked) if known is None else list(map(known.get, map(int, asked)))

    return ArrayRows(
        lambda: MatchedTexts.of_texts(numbers),
        np.array(name_of, np.int64)[order],
        np.array(nodes, np.int64)[order],
        numbers_of,
    )


def _rows(view: View, kind: str, report_progress: Callable[[str], object]) -> Iterator[Row]:
    tree = view.tree
    if view.tree.preorder is None and kind not in ("", ANY):
        for place, row in enumerate(_level(view, kind)):
            if place and not place % STEP:
                report_progress(f"looking through {view.name}: {counted(place, 'row')}")
            yield row
        return
    nodes: Iterable[int] = tree.roots()
    groups = view.nodes_of_kind(kind) if isinstance(view, HasKinds) else None
    if kind and tree.preorder is not None:
        nodes = range(tree.preorder.rows) if groups is None or kind == ANY else groups
    for place, node in enumerate(nodes):
        if place and not place % STEP:
            report_progress(f"looking through {view.name}: {counted(place, 'row')}")
        row = tree.row(node)
        if kind in ("", ANY, row.kind):
            yield row


def _level(view: View, kind: str) -> Iterator[Row]:
    """Yields the rows of a kind in the first level that has some."""
    for depth in range(MOST_LEVELS):
        rows = (view.tree.row(node) for node, level in walk(view.tree, depth=depth) if level == depth)
        found = (row for row in rows if row.kind == kind)
        first = next(found, None)
        if first is not None:
            yield first
            yield from found
            return


def row_name(row: Row) -> str:
    """Returns the text that patterns match: the label of a row without the prefix of its loader."""
    for span in islice(row.spans, 1):
        if span.role == "loader" and not span.start:
            return row.label[span.end + 1 :]
    return row.label
