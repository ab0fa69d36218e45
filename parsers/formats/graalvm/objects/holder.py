"""Holders and referrers of an object, from the rows of an object tree.

The holder of an object is the object or root above its declaration. Referrers are the holder and all rows that refer to
the object; these are below a field, directly below an array, or roots themselves.
"""

from __future__ import annotations

from collections.abc import Sequence

from parsers.formats.graalvm.objects.index.row import FIELD_VALUE, ROOT_OPEN, ROOT_VALUE
from parsers.formats.graalvm.text.tree import TextTree, column
from parsers.model.late import numpy as np

FEW = 2048
"""Up to this many rows are examined one by one; more with numpy."""

DECLARES = 0x80
"""Bit of a kind as stored in an index: the row declares an id."""

HOLDING = (ROOT_VALUE, ROOT_OPEN, FIELD_VALUE)
"""Rows whose only child is their value."""


def value_row(tree: TextTree, row: int) -> int | None:
    """Returns the row of the value of a root or field, its child; None if the row has none."""
    below = row + 1
    if tree.kind(row) in HOLDING and below < tree.rows and tree.depth(below) > tree.depth(row):
        return below
    return None


def shown_vertex(tree: TextTree, row: int) -> int:
    """Returns the object that a row shows, refers to or holds; -1 if there is none."""
    vertex = tree.vertex(row)
    below = value_row(tree, row) if vertex < 0 else None
    return vertex if below is None else tree.vertex(below)


def field_row(tree: TextTree, row: int) -> int | None:
    """Returns the field above a value; None for an element or the value of a root."""
    above = tree.parent(row)
    return above if above is not None and tree.kind(above) == FIELD_VALUE else None


def holder_row(tree: TextTree, row: int) -> int | None:
    """Row of the root or object that holds or refers to the object of a row; None if the row has no parent."""
    if tree.kind(row) <= ROOT_OPEN:
        return row
    field = field_row(tree, row)
    if field is None:
        return tree.parent(row)
    owner = tree.parent(field)
    return field if owner is None else owner


def root_row(tree: TextTree, row: int) -> int:
    """Returns the row of depth 0 above a row."""
    above = tree.parent(row)
    while above is not None:
        row, above = above, tree.parent(above)
    return row


def references(tree: TextTree, vertex: int) -> Sequence[int]:
    """Returns the rows that refer to an object (`id-ref`), in document order."""
    rows = tree.vertex_rows(vertex)
    kinds = column(tree, "kind") if len(rows) > FEW else None
    if kinds is None:
        return [row for row in map(int, rows) if not tree.is_declaration(row)]
    found = np.asarray(rows)
    return found[kinds[found] & DECLARES == 0]  # type: ignore[no-any-return]


def reference_count(tree: TextTree, vertex: int) -> int:
    """Returns the number of rows that refer to an object."""
    rows = len(tree.vertex_rows(vertex))
    return len(references(tree, vertex)) if rows <= FEW else rows - (tree.declaration(vertex) >= 0)
