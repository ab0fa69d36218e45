"""The protocol of outlines: which rows of a tree are shown, and which node is on each row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Outline(Protocol):
    """The shown rows, 0 … len-1. Nodes are those of the view's tree."""

    def __len__(self) -> int: ...

    def node_at(self, row: int) -> int:
        """The node on a row."""
        ...

    def nodes(self, row: int, count: int) -> Sequence[int]:
        """Up to `count` nodes from a row on."""
        ...

    def row_of(self, node: int) -> int | None:
        """The row of a node; None if it is hidden."""
        ...

    def depth(self, node: int) -> int:
        """Depth of a node; roots have 0."""
        ...

    def parent(self, node: int) -> int | None:
        """The node above; None for a root."""
        ...

    def after(self, node: int) -> int | None:
        """The first shown node after the whole subtree of a shown node; None at the end."""
        ...

    def last_sibling(self, node: int) -> int:
        """The last child of the same parent."""
        ...

    def first_sibling(self, node: int) -> int:
        """The first child of the same parent."""
        ...

    def has_children(self, node: int) -> bool:
        """True if opening the node shows anything."""
        ...

    def is_open(self, node: int) -> bool:
        """True if the children of the node are shown (if the node itself is)."""
        ...

    def open(self, node: int) -> None:
        """Shows the children, and restores the folds below them."""
        ...

    def close(self, node: int) -> None:
        """Hides everything below the node."""
        ...

    def open_siblings(self, node: int) -> int | None:
        """Opens the node and its siblings. Returns the limit if it was reached, else None."""
        ...

    def close_siblings(self, node: int) -> None:
        """Closes the node and all its siblings."""
        ...

    def open_all(self, node: int | None = None) -> int | None:
        """Opens everything below a node (None: everything). Returns the limit if it was reached, else None."""
        ...

    def close_all(self, node: int | None = None) -> None:
        """Closes a node (None: all) and forgets the folds below."""
        ...

    def fold_to(self, depth: int) -> int | None:
        """Shows exactly the nodes of at most this depth. Returns the limit if it was reached, else None."""
        ...

    def reveal(self, node: int) -> None:
        """Opens all ancestors of a node."""
        ...

    def snapshot(self) -> object:
        """The open nodes, for `restore`."""
        ...

    def restore(self, snapshot: object) -> None:
        """Restores the folds of a snapshot."""
        ...

    def grow(self) -> bool:
        """Includes rows added to the tree since the last call; True if rows changed."""
        ...
