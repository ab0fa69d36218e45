"""The id of a row and the size of the subtree below it, as text."""

from __future__ import annotations

from collections.abc import Collection

from parsers.formats.graalvm.text.row_reader import TextRow
from parsers.formats.graalvm.text.tree import TextTree
from parsers.model.late import numpy as np
from parsers.model.row import SectionRow, counted

PLAIN_LEVELS = 1 << 16
"""Largest subtree, in rows, whose levels are counted without numpy."""


def id_row(tree: TextTree, row: int, text: TextRow, vertex: int, own: Collection[int | None]) -> SectionRow:
    """Returns the id of a row with its line, and that of its declaration.

    vertex  shown by the row, -1 if none; own: rows that are the declaration, if they declare it
    """
    line = f"line {tree.line(row):,}"
    if text.id is None:
        return SectionRow("id", f"none · {line}")
    declaration = tree.declaration(vertex) if vertex >= 0 else -1
    if declaration in own or (declaration < 0 and not text.is_ref):
        return SectionRow("id", f"{text.id} · {line}")
    if declaration < 0:
        return SectionRow("id", f"{text.id} · declared {'nowhere' if tree.is_complete else '…'} · {line}")
    declared = tree.line(declaration)
    again = "" if text.is_ref else "again, first "
    return SectionRow("id", f"{text.id} · declared {again}on line {declared:,} · {line}", f"line:{declared}")


def below(tree: TextTree, row: int) -> str:
    """`66,691 rows, 25 levels`; with `…` while the numbers may grow."""
    end = tree.end(row)
    rows = end - row - 1
    more = "" if tree.is_complete or end < tree.rows else "…"
    if not rows:
        return f"0 rows{more}"
    levels = deepest(tree, row + 1, end) - tree.depth(row)
    return f"{f'{rows:,}{more} rows' if more else counted(rows, 'row')}, {counted(levels, 'level')}"


def deepest(tree: TextTree, start: int, stop: int) -> int:
    """Returns the largest depth of a range of rows; 0 if it is empty."""
    depths = tree.depths(start, stop)
    if stop - start <= PLAIN_LEVELS:
        return max(depths, default=0)
    return int(np.frombuffer(depths, np.uint16).max(initial=0))
