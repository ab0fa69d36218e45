"""Size of the subtree below a row, as text."""

from __future__ import annotations

from parsers.formats.graalvm.text.tree import TextTree
from parsers.model.report import counted

PLAIN_LEVELS = 1 << 16
"""Largest subtree, in rows, whose levels are counted without numpy."""


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
    import numpy as np

    return int(np.frombuffer(depths, np.uint16).max(initial=0))
