"""The owner of a reference: the reference's own row has the name of its target, its owner is an ancestor."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from parsers.model.row import Row
    from parsers.model.trees.tree import Tree

MOST_ANCESTORS = 40
"""Maximum number of ancestors of a reference that are searched for its owner."""


def owner_of(tree: Tree, node: int) -> tuple[Row, list[Row]]:
    """Returns the row that declares the owner of a reference, and the rows from the reference up to it.

    If no ancestor is a declaration, the last one searched is the owner.
    """
    row = tree.row(node)
    owner, between, parent = row, [row], tree.parent(node)
    for _ in range(MOST_ANCESTORS):
        if parent is None:
            break
        owner = tree.row(parent)
        if owner.badges.get("id") is not None or owner.kind == row.kind == "method":
            break
        between.append(owner)
        parent = tree.parent(parent)
    return owner, between
