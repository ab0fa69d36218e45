"""An outline over a selection: the rows of a tree that filters leave."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from tui.tree.outlines.preorder_outline import PreorderOutline

if TYPE_CHECKING:
    from parsers.query.selection.selection import Selection


class SelectedOutline:
    """The outline of a selection: positions of its preorder inside, nodes of the whole tree outside."""

    def __init__(self, selection: Selection, inner: PreorderOutline) -> None:
        self.selection = selection
        self.inner = inner

    def __len__(self) -> int:
        return len(self.inner)

    def node_at(self, row: int) -> int:
        """The node on a row. Raises `IndexError`."""
        return self.selection.node_at(self.inner.node_at(row))

    def nodes(self, row: int, count: int) -> Sequence[int]:
        """Up to `count` nodes from a row on."""
        return [self.selection.node_at(position) for position in self.inner.nodes(row, count)]

    def row_of(self, node: int) -> int | None:
        """The row of a node; None if it is hidden or not selected."""
        position = self.selection.position_of(node)
        return None if position is None else self.inner.row_of(position)

    def depth(self, node: int) -> int:
        """Depth of a node; roots have 0."""
        return self.inner.depth(self._position(node))

    def parent(self, node: int) -> int | None:
        """The node above; None for a root."""
        return self._node(self.inner.parent(self._position(node)))

    def after(self, node: int) -> int | None:
        """The first shown node after the whole subtree of a shown node; None at the end."""
        return self._node(self.inner.after(self._position(node)))

    def first_sibling(self, node: int) -> int:
        """The first child of the same parent."""
        return self.selection.node_at(self.inner.first_sibling(self._position(node)))

    def last_sibling(self, node: int) -> int:
        """The last child of the same parent."""
        return self.selection.node_at(self.inner.last_sibling(self._position(node)))

    def has_children(self, node: int) -> bool:
        """True if the selection contains anything below the node."""
        position = self.selection.position_of(node)
        return position is not None and self.inner.has_children(position)

    def is_open(self, node: int) -> bool:
        """True if the children of the node are shown (if the node itself is)."""
        position = self.selection.position_of(node)
        return position is not None and self.inner.is_open(position)

    def open(self, node: int) -> None:
        """Shows the children, and restores the folds below them."""
        self.inner.open(self._position(node))

    def close(self, node: int) -> None:
        """Hides everything below the node."""
        self.inner.close(self._position(node))

    def open_siblings(self, node: int) -> int | None:
        """Opens the node and all its siblings."""
        return self.inner.open_siblings(self._position(node))

    def close_siblings(self, node: int) -> None:
        """Closes the node and all its siblings."""
        self.inner.close_siblings(self._position(node))

    def open_all(self, node: int | None = None) -> int | None:
        """Opens everything below a node (None: everything). There is no limit."""
        return self.inner.open_all(None if node is None else self._position(node))

    def close_all(self, node: int | None = None) -> None:
        """Closes a node (None: all) and forgets the folds below."""
        self.inner.close_all(None if node is None else self._position(node))

    def fold_to(self, depth: int) -> int | None:
        """Shows exactly the nodes of at most this depth."""
        return self.inner.fold_to(depth)

    def reveal(self, node: int) -> None:
        """Opens all ancestors of a node; nothing happens if it is not selected."""
        position = self.selection.position_of(node)
        if position is not None:
            self.inner.reveal(position)

    @property
    def least_depth(self) -> int:
        """The depth to which everything is shown."""
        return self.inner.least_depth

    def opened(self) -> Iterator[tuple[int, bool]]:
        """Yields further open nodes, parents first, each with True if everything below it is open."""
        return ((self.selection.node_at(position), is_all_open) for position, is_all_open in self.inner.opened())

    def snapshot(self) -> object:
        """The current folds."""
        return self.inner.snapshot()

    def restore(self, snapshot: object) -> None:
        """Restores the folds of a snapshot."""
        self.inner.restore(snapshot)

    def grow(self) -> bool:
        """Includes rows selected since the last call; True if rows changed."""
        return self.inner.grow()

    def _node(self, position: int | None) -> int | None:
        return None if position is None else self.selection.node_at(position)

    def _position(self, node: int) -> int:
        position = self.selection.position_of(node)
        if position is None:
            raise KeyError(node)
        return position
