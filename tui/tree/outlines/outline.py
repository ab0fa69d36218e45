"""Outlines of trees: which rows are shown, 0 … len-1, and which node of the view's tree is on each row."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from tui.tree.outlines.lazy_outline import LazyOutline
    from tui.tree.outlines.preorder_outline import PreorderOutline
    from tui.tree.outlines.selected_outline import SelectedOutline

Outline: TypeAlias = "PreorderOutline | LazyOutline | SelectedOutline"
"""An outline of any tree. All kinds have the same methods."""
