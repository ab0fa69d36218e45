"""Who refers to a thing: a reference's own row bears the name of what it refers to, its owner stands above it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from parsers.model.report import Row, Tree

MOST_ABOVE = 40
"""Rows above a reference among which the one that it stands in is looked for."""


def owner_of(tree: Tree, node: int) -> tuple[Row, list[Row]]:
    """The row that declares what a reference stands in, and the rows from the reference up to it.

    Where none of those above declares anything, the last one that was looked at is the owner.
    """
    row = tree.row(node)
    owner, between, above = row, [row], tree.parent(node)
    for _ in range(MOST_ABOVE):
        if above is None:
            break
        owner = tree.row(above)
        if owner.badges.get("id") is not None or owner.kind == row.kind == "method":
            break
        between.append(owner)
        above = tree.parent(above)
    return owner, between
