"""Who holds an object, and who points to it: questions to the rows of an object tree.

An object is held where it is declared: by the object or root above it. It is pointed to from there and from all rows
that refer to it; those stand below a field or right below an array, or are roots themselves.
"""

from __future__ import annotations

from collections.abc import Sequence

from parsers.formats.graalvm.objects.index.row import FIELD_VALUE, ROOT_OPEN, ROOT_VALUE
from parsers.formats.graalvm.text.tree import TextTree, column

FEW = 2048
"""Up to this many rows are looked at one by one; more with numpy."""

DECLARES = 0x80
"""Bit of a kind, as an index keeps it: the row declares an id."""

HOLDING = (ROOT_VALUE, ROOT_OPEN, FIELD_VALUE)
"""Rows that have their value as the one row below them."""


def value_row(tree: TextTree, row: int) -> int | None:
    """The row of the value of a root or field, right below it; None if the row has none."""
    below = row + 1
    if tree.kind(row) in HOLDING and below < tree.rows and tree.depth(below) > tree.depth(row):
        return below
    return None


def shown_thing(tree: TextTree, row: int) -> int:
    """The object that a row shows, refers to or holds; -1 if there is none."""
    thing = tree.thing(row)
    below = value_row(tree, row) if thing < 0 else None
    return thing if below is None else tree.thing(below)


def field_row(tree: TextTree, row: int) -> int | None:
    """The field that a value stands below; None if it is an element or the value of a root."""
    above = tree.parent(row)
    return above if above is not None and tree.kind(above) == FIELD_VALUE else None


def holder_row(tree: TextTree, row: int) -> int | None:
    """The root, or row of the object, that holds or points to the object of a row; None if nothing is above it."""
    if tree.kind(row) <= ROOT_OPEN:
        return row
    field = field_row(tree, row)
    if field is None:
        return tree.parent(row)
    owner = tree.parent(field)
    return field if owner is None else owner


def root_row(tree: TextTree, row: int) -> int:
    """The row of depth 0 that a row stands below."""
    above = tree.parent(row)
    while above is not None:
        row, above = above, tree.parent(above)
    return row


def references(tree: TextTree, thing: int) -> Sequence[int]:
    """Rows that refer to an object (`id-ref`), in document order."""
    rows = tree.thing_rows(thing)
    kinds = column(tree, "kind") if len(rows) > FEW else None
    if kinds is None:
        return [row for row in map(int, rows) if not tree.is_declaration(row)]
    import numpy as np

    found = np.asarray(rows)
    return found[kinds[found] & DECLARES == 0]  # type: ignore[no-any-return]


def reference_count(tree: TextTree, thing: int) -> int:
    """How many rows refer to an object."""
    rows = len(tree.thing_rows(thing))
    return len(references(tree, thing)) if rows <= FEW else rows - (tree.declaration(thing) >= 0)
