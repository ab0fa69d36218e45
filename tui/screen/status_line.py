"""The position of the cursor as text: the path to it, its REF, row number and row count."""

from __future__ import annotations

from tui.screen import frame
from tui.screen.sanitise import safe
from tui.tree import tree_move
from tui.tree.indentation import STEP
from tui.tree.outlines.preorder_outline import PreorderOutline
from tui.tree.piece import Piece
from tui.tree.tree_lines import TreeLines

MOST_CRUMBS = 24
"""Maximum number of ancestors in the path."""

REF_WIDTH = 14
"""Cells of a REF, so that the text after it mostly keeps its place."""


def path(tree: TreeLines, width: int) -> list[Piece]:
    """The ancestors of the cursor and its row, each clickable; the view's name if it has no rows."""
    node = tree.cursor_node
    if node is None:
        return [Piece(" " + safe(tree.view.name), "crumb")]
    above = tree_move.ancestors(tree.outline, node, MOST_CRUMBS)
    is_cut = len(above) == MOST_CRUMBS and tree.outline.parent(above[-1]) is not None
    crumbs = [(frame.crumb_text(tree.row(each)), f"node:{each}") for each in [*above[::-1], node]]
    return frame.crumb_pieces(crumbs, width, is_cut)


def place(tree: TreeLines, shows_percent: bool) -> list[Piece]:
    """REF, row and root of the cursor of a tree."""
    node, view = tree.cursor_node, tree.view
    marks = [Piece(f"  partial: {safe(view.partial)} ", "progress")] if view.partial else []
    if view.estimated:
        marks.append(Piece("  sizes are estimates ", "problem"))
    if node is None:
        return [Piece(" no rows", "status-dim"), *marks]
    row = tree.row(node)
    pieces = [Piece(" " + safe(row.ref).ljust(REF_WIDTH), "status"), *marks]
    preorder = view.tree.preorder
    if preorder is not None and tree.order is None:
        at, rows, words = node, preorder.rows, "" if preorder.is_complete else "…"
    else:
        at, rows, words = tree.cursor_row, tree.row_count, " shown"
    pieces.append(Piece(f" row {at + 1:,} of {rows:,}{words}", "status"))
    if tree.order is not None:
        pieces.append(Piece("   " + frame.order_words(view, tree.order), "flag"))
    if shows_percent:
        pieces.append(Piece(f"  {100 * (at + 1) // max(1, rows)} %", "status"))
    if isinstance(tree.outline, PreorderOutline) and preorder is not None and not tree.is_limited:
        pieces.append(Piece("   " + _root_words(tree, tree.outline, node), "status-dim"))
    if status_text := view.status_text(node):
        pieces.append(Piece(f"   {safe(status_text)}", "status-dim"))
    if tree.layout_now.indentation.cells(row.depth) != STEP * row.depth:
        pieces.append(Piece(f"   depth {row.depth:,}", "status-dim"))
    return pieces


def _root_words(tree: TreeLines, outline: PreorderOutline, node: int) -> str:
    """Number of the node's root, in the format's own word for roots."""
    root = tree.row(tree_move.root_of(outline, node))
    kinds = tree.report.kinds
    word = kinds[root.kind].name if root.kind in kinds else "root"
    total = outline.root_count
    return f"{safe(word)} {outline.root_number(node):,}" + (f" of {total:,}" if total is not None else "")
