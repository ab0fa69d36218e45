"""Targets of movements in an outline: from a node to a node. Nothing here scrolls; only `chain_end` opens."""

from __future__ import annotations

from parsers.model.trees.tree import path_to
from tui.tree.outlines.outline import Outline

MOST_ROWS = 20_000
"""Maximum rows searched for the next change of depth; at the limit the last one is returned."""

MOST_OPENED = 10_000
"""Maximum nodes of a chain that are opened."""


def root_of(outline: Outline, node: int) -> int:
    """The topmost ancestor, or the node itself."""
    return path_to(node, outline.parent)[0]


def ancestors(outline: Outline, node: int, most: int | None = None) -> list[int]:
    """Ancestors of a node, the nearest first; at most `most`."""
    found: list[int] = []
    parent = outline.parent(node)
    while parent is not None and (most is None or len(found) < most):
        found.append(parent)
        parent = outline.parent(parent)
    return found


def sibling(outline: Outline, node: int, step: int, depth: int) -> int:
    """The next (step 1) or previous (step -1) shown row that is no deeper than `depth`; the node itself at an end."""
    row = outline.row_of(node)
    if row is None:
        return node
    if step > 0:
        if outline.depth(node) < depth and row + 1 < len(outline):
            return outline.node_at(row + 1)
        after = outline.after(node)
        return node if after is None else after
    if row == 0:
        return node
    before: int | None = outline.node_at(row - 1)
    while before is not None and outline.depth(before) > depth:
        before = outline.parent(before)
    return node if before is None else before


def depth_change(outline: Outline, node: int, step: int) -> int:
    """Nearest shown row after or before with another depth; at an end the last row examined."""
    row = outline.row_of(node)
    if row is None:
        return node
    depth = outline.depth(node)
    stop = min(len(outline), row + MOST_ROWS) if step > 0 else max(-1, row - MOST_ROWS)
    found = node
    for place in range(row + step, stop, step):
        found = outline.node_at(place)
        if outline.depth(found) != depth:
            break
    return found


def block(outline: Outline, node: int, step: int) -> int:
    """The root after that of the node, or (backwards) its own root, or the previous one if it is a root."""
    root = root_of(outline, node)
    if step > 0:
        after = outline.after(root)
        return root if after is None else after
    if root != node:
        return root
    row = outline.row_of(root)
    return root_of(outline, outline.node_at(row - 1)) if row else root


def chain_end(outline: Outline, node: int) -> int:
    """Opens a node, its only child and so on; returns the first node with no child or several."""
    for _ in range(MOST_OPENED):
        if not outline.has_children(node):
            return node
        outline.open(node)
        row = outline.row_of(node)
        if row is None or row + 1 >= len(outline):
            return node
        child = outline.node_at(row + 1)
        if outline.last_sibling(child) != child:
            return node
        node = child
    return node
