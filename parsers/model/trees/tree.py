"""Trees: the protocols that a view's rows are navigated by, and operations on any tree."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from parsers.model.capability import Capability

if TYPE_CHECKING:
    from parsers.model.row import Row


@runtime_checkable
class Preorder(Protocol, metaclass=Capability):
    """A tree as positions in document order: 0 … rows-1. Positions are the tree's nodes.

    It may grow with the index. Known rows never change, except for the end of subtrees that are still open. Depths are
    uint16 in native order; deeper rows have depth 65,535.
    """

    @property
    def rows(self) -> int:
        """Number of positions known now."""
        ...

    @property
    def is_complete(self) -> bool:
        """True if `rows` is final."""
        ...

    def depth(self, node: int) -> int:
        """Depth of a position; roots have 0."""
        ...

    def depths(self, start: int, stop: int) -> memoryview:
        """Depths of a range: a memoryview of format "H", not copied where possible."""
        ...

    def end(self, node: int) -> int:
        """First position after the subtree; `rows` while the subtree is still open."""
        ...

    def parent(self, node: int) -> int | None:
        """The nearest earlier position of smaller depth; None for a root."""
        ...


class Tree(Protocol):
    """Nodes are small integers. `order` is a sort key of the view; None is document order."""

    @property
    def preorder(self) -> Preorder | None:
        """The tree as positions, or None if it unfolds a graph."""
        ...

    def roots(self, order: str | None = None) -> Sequence[int]:
        """The nodes without parent; `len` and items are cheap."""
        ...

    def children(self, node: int, order: str | None = None) -> Sequence[int]:
        """The children of a node; `len` and items are cheap even for a million."""
        ...

    def has_children(self, node: int) -> bool:
        """True if opening the node would show rows."""
        ...

    def parent(self, node: int) -> int | None:
        """The parent; None for a root."""
        ...

    def row(self, node: int) -> Row:
        """Returns the contents of this node's line."""
        ...


def walk(
    tree: Tree, start: int | None = None, depth: int | None = None, order: str | None = None
) -> Iterator[tuple[int, int]]:
    """Yields nodes with their depth relative to the start, without recursion, to any depth.

    `start` None: all roots. `depth` is the number of levels below the start to enter; None: all. `order` None: document
    order.
    """
    stack: list[tuple[Iterator[int], int]] = [(iter(tree.roots(order) if start is None else (start,)), 0)]
    while stack:
        nodes, level = stack[-1]
        node = next(nodes, None)
        if node is None:
            stack.pop()
            continue
        yield node, level
        if (depth is None or level < depth) and tree.has_children(node):
            stack.append((iter(tree.children(node, order)), level + 1))


def path_to(node: int, parent: Callable[[int], int | None]) -> list[int]:
    """Returns the path from the root to a node, both included."""
    path = [node]
    while (above := parent(path[-1])) is not None:
        path.append(above)
    return path[::-1]
