"""Base class of views whose rows are the positions of a preorder."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from parsers.model.trees.preorder import FlatPreorder, PreorderTree
from parsers.model.view import View

if TYPE_CHECKING:
    from parsers.model.row import Row, SortKey
    from parsers.model.trees.tree import Preorder


class PositionsView(View):
    """A view of the positions of `rows`, which are known once it is ready. Derived classes define the three below."""

    @property
    def rows(self) -> Preorder:
        """The preorder."""
        raise NotImplementedError

    def row(self, node: int) -> Row:
        """The row of a position."""
        raise NotImplementedError

    def sort_keys(self, order: str, nodes: Sequence[int]) -> Sequence[SortKey]:
        """Sort keys of positions for an order."""
        raise NotImplementedError

    @property
    def tree(self) -> PreorderTree:
        """The rows as a tree; empty before the view is ready."""
        return self._tree if self.is_ready else PreorderTree(FlatPreorder(lambda: 0, lambda: False), self.row)

    @cached_property
    def _tree(self) -> PreorderTree:
        return PreorderTree(self.rows, self.row, self.sort_keys)

    @property
    def row_count(self) -> int | None:
        """Number of all rows."""
        return self.rows.rows if self.is_ready else None

    @property
    def root_count(self) -> int | None:
        """Number of roots."""
        return len(self.tree.roots()) if self.is_ready else None
