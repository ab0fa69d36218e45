"""The outline of trees without document positions: unfolded graphs, and children in a sorted order.

Only open nodes are stored: a branch contains the (lazy) sequence of children and which of them are open. A row is found
by descending from the roots, with one bisection a level. Nothing is recursive. "Open all" is bounded, since an unfolded
graph may be infinite.
"""

from __future__ import annotations

import time
from bisect import bisect_left, bisect_right, insort
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from parsers.model.trees.tree import Tree

MOST_OPENED = 10_000
"""Maximum nodes that one "open all" opens; the screen reports that the limit was reached."""

MOST_SECONDS = 0.7
"""Maximum seconds of one "open all", where opening a node needs work."""

MOST_STASHED = 1_000
"""Maximum closed nodes whose inner folds are remembered."""

MOST_PLACES = 100_000
"""Maximum nodes whose place among their siblings is remembered."""


@dataclass(slots=True, eq=False)
class Branch:
    """The children of one open node, or the roots."""

    node: int | None
    children: Sequence[int]
    depth: int
    """Depth of the children."""
    parent: Branch | None = None
    index: int = 0
    """Index of the node among the children of `parent`."""
    length: int = 0
    """Number of children when rows were last added up."""
    rows: int = 0
    """Rows of the children and of everything open below them."""
    opened: list[int] = field(default_factory=list)
    """Indexes of the open children, ascending."""
    branches: dict[int, Branch] = field(default_factory=dict)
    """Branches of open children by index."""
    places: list[int] | None = None
    """The row of each open child in this branch; None if it must be computed again."""

    def rows_of_open(self) -> list[int]:
        """The row of each open child, counted from the first row of this branch."""
        if self.places is None:
            self.places, before = [], 0
            for index in self.opened:
                self.places.append(index + before)
                before += self.branches[index].rows
        return self.places

    def row_of(self, index: int) -> int:
        """The row of a child, counted from the first row of this branch."""
        earlier = bisect_left(self.opened, index)
        if not earlier:
            return index
        last = self.opened[earlier - 1]
        return self.rows_of_open()[earlier - 1] + self.branches[last].rows + index - last

    def add_rows(self, rows: int) -> None:
        """Adds rows (negative: removes) to this branch and all branches above."""
        branch: Branch | None = self
        while branch is not None:
            branch.rows += rows
            branch.places = None
            branch = branch.parent


class LazyOutline:
    """An outline over `Tree.children`, in one order."""

    def __init__(self, tree: Tree, order: str | None = None) -> None:
        self.tree = tree
        self.order = order
        self._places: dict[int, tuple[Branch, int]] = {}
        self._stash: dict[int, Branch] = {}
        self._open: dict[int, Branch] = {}
        self._root = self._new_root()

    # -- rows and nodes -----------------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return self._root.rows

    def node_at(self, row: int) -> int:
        """The node on a row. Raises `IndexError`."""
        if not 0 <= row < self._root.rows:
            raise IndexError(row)
        branch, index = self._place_at(row)
        return self._node(branch, index)

    def nodes(self, row: int, count: int) -> Sequence[int]:
        """Up to `count` nodes from a row on."""
        return [self.node_at(row) for row in range(max(row, 0), min(row + count, self._root.rows))]

    def stretch(self, row: int, most: int) -> Sequence[int]:
        """Up to `most` nodes from a row on, as long as they are siblings with nothing open between; not cached."""
        branch, index = self._place_at(row)
        after = bisect_left(branch.opened, index)
        end = branch.opened[after] + 1 if after < len(branch.opened) else branch.length
        return branch.children[index : min(end, index + most)]

    def row_of(self, node: int) -> int | None:
        """The row of a node; None if it is hidden."""
        place = self._place(node)
        if place is None:
            return None
        branch: Branch | None
        branch, index = place
        row = branch.row_of(index)
        while branch.parent is not None:
            row += 1 + branch.parent.row_of(branch.index)
            branch = branch.parent
        return row if branch is self._root else None

    def depth(self, node: int) -> int:
        """Depth of a node; roots have 0."""
        place = self._place(node)
        if place is not None:
            return place[0].depth
        depth, parent = 0, self.tree.parent(node)
        while parent is not None:
            depth, parent = depth + 1, self.tree.parent(parent)
        return depth

    def parent(self, node: int) -> int | None:
        """The node above; None for a root."""
        place = self._places.get(node)
        return place[0].node if place is not None else self.tree.parent(node)

    def after(self, node: int) -> int | None:
        """The first shown node after the whole subtree of a shown node; None at the end."""
        row = self.row_of(node)
        if row is None:
            return None
        row += 1 + (self._open[node].rows if node in self._open else 0)
        return self.node_at(row) if row < len(self) else None

    def first_sibling(self, node: int) -> int:
        """The first child of the same parent."""
        place = self._place(node)
        return node if place is None else self._node(place[0], 0)

    def last_sibling(self, node: int) -> int:
        """The last child of the same parent."""
        place = self._place(node)
        return node if place is None else self._node(place[0], place[0].length - 1)

    def has_children(self, node: int) -> bool:
        """True if opening the node shows anything."""
        return self.tree.has_children(node)

    def is_open(self, node: int) -> bool:
        """True if the children of the node are shown (if the node itself is)."""
        return node in self._open

    # -- opening and closing ------------------------------------------------------------------------------------------

    def open(self, node: int) -> None:
        """Shows the children, and restores the folds below them."""
        if node in self._open or not self.tree.has_children(node):
            return
        self.reveal(node)
        place = self._place(node)
        if place is None:
            return
        parent, index = place
        branch = self._stash.pop(node, None)
        if branch is None:
            children = self._children(node)
            branch = Branch(node, children, parent.depth + 1, length=len(children), rows=len(children))
        branch.parent, branch.index = parent, index
        insort(parent.opened, index)
        parent.branches[index] = branch
        parent.add_rows(branch.rows)
        for inner in self._branches_below(branch):
            assert inner.node is not None
            self._open[inner.node] = inner

    def close(self, node: int) -> None:
        """Hides everything below the node; `open` restores the folds there."""
        branch = self._detach(node)
        if branch is not None:
            self._stash[node] = branch
            if len(self._stash) > MOST_STASHED:
                del self._stash[next(iter(self._stash))]

    def open_siblings(self, node: int) -> int | None:
        """Opens the node and its siblings, as many as the limit allows."""
        self.reveal(node)
        siblings, until = self._siblings(node), time.monotonic() + MOST_SECONDS
        for opened, sibling in enumerate(siblings[:MOST_OPENED]):
            if time.monotonic() > until:
                return opened
            self.open(sibling)
        return MOST_OPENED if len(siblings) > MOST_OPENED else None

    def close_siblings(self, node: int) -> None:
        """Closes the node and all its siblings."""
        self.reveal(node)
        place = self._place(node)
        for branch in list(place[0].branches.values()) if place is not None else ():
            assert branch.node is not None
            self.close(branch.node)

    def open_all(self, node: int | None = None) -> int | None:
        """Opens everything below a node, level by level. Returns the limit if it was reached, else None."""
        if node is not None:
            self.reveal(node)
        return self._open_below(node, None)

    def close_all(self, node: int | None = None) -> None:
        """Closes a node (None: all) and forgets the folds below."""
        if node is None:
            self.restore(())
        elif self.tree.has_children(node):
            self.reveal(node)
            self._detach(node)
            self._stash.pop(node, None)

    def fold_to(self, depth: int) -> int | None:
        """Shows exactly the nodes of at most this depth. Returns the limit if it was reached, else None."""
        self.restore(())
        return self._open_below(None, depth)

    def reveal(self, node: int) -> None:
        """Opens all ancestors of a node."""
        chain: list[int] = []
        parent = self.tree.parent(node)
        while parent is not None and parent not in self._open:
            chain.append(parent)
            parent = self.tree.parent(parent)
        for closed in reversed(chain):
            self.open(closed)

    # -- undo and growth ----------------------------------------------------------------------------------------------

    def snapshot(self) -> tuple[int, ...]:
        """The open nodes, each after those above it."""
        return tuple(branch.node for branch in self._branches_below(self._root) if branch.node is not None)

    def restore(self, snapshot: object) -> None:
        """Opens only the nodes of the snapshot."""
        assert isinstance(snapshot, tuple)
        self._stash.clear()
        self._places.clear()
        self._open.clear()
        self._root = self._new_root()
        for node in snapshot:
            self.open(node)

    def grow(self) -> bool:
        """Includes children added to the tree since the last call; True if rows changed."""
        rows = self._root.rows
        order = self._branches_below(self._root)
        for branch in order:
            branch.children = self._children(branch.node)
        if any(branch.parent is not None and self._moved(branch) for branch in order):
            self.restore(self.snapshot())
            return True
        for branch in reversed(order):
            branch.length = len(branch.children)
            branch.rows = branch.length + sum(inner.rows for inner in branch.branches.values())
            branch.places = None
        return self._root.rows != rows

    # -- branches -----------------------------------------------------------------------------------------------------

    def _children(self, node: int | None) -> Sequence[int]:
        return self.tree.roots(self.order) if node is None else self.tree.children(node, self.order)

    def _new_root(self) -> Branch:
        roots = self._children(None)
        return Branch(None, roots, 0, length=len(roots), rows=len(roots))

    def _place_at(self, row: int) -> tuple[Branch, int]:
        """Returns the branch and the index in it of the node on a row."""
        branch = self._root
        while True:
            places = branch.rows_of_open()
            earlier = bisect_right(places, row) - 1
            if earlier < 0:
                return branch, row
            index = branch.opened[earlier]
            inner = branch.branches[index]
            below = row - places[earlier]
            if below == 0:
                return branch, index
            if below > inner.rows:
                return branch, index + below - inner.rows
            branch, row = inner, below - 1

    def _node(self, branch: Branch, index: int) -> int:
        node = branch.children[index]
        if len(self._places) > MOST_PLACES:
            self._places.clear()
        self._places[node] = branch, index
        return node

    def _place(self, node: int) -> tuple[Branch, int] | None:
        """Returns the branch and the index in it of a shown node; None if hidden."""
        place = self._places.get(node)
        if place is not None and self._is_attached(place[0]):
            return place
        parent = self.tree.parent(node)
        branch = self._root if parent is None else self._open.get(parent)
        if branch is None or not self._is_attached(branch):
            return None
        try:
            index = branch.children.index(node)
        except ValueError:
            return None
        self._places[node] = branch, index
        return branch, index

    def _is_attached(self, branch: Branch) -> bool:
        return branch is self._root or (branch.node is not None and self._open.get(branch.node) is branch)

    def _detach(self, node: int) -> Branch | None:
        """Removes the branch of an open node, with everything inside, from the rows."""
        branch = self._open.get(node)
        if branch is None or branch.parent is None:
            return None
        parent = branch.parent
        del parent.branches[branch.index]
        parent.opened.remove(branch.index)
        parent.add_rows(-branch.rows)
        for inner in self._branches_below(branch):
            if inner.node is not None:
                self._open.pop(inner.node, None)
        branch.parent = None
        return branch

    def _branches_below(self, branch: Branch) -> list[Branch]:
        """The branch and all open ones below, each after the one above it."""
        found = [branch]
        for inner in found:
            found.extend(inner.branches.values())
        return found

    def _siblings(self, node: int) -> Sequence[int]:
        place = self._place(node)
        if place is None:
            return (node,)
        children = place[0].children
        return [children[index] for index in range(min(len(children), MOST_OPENED + 1))]

    def _open_below(self, node: int | None, depth: int | None) -> int | None:
        """Opens nodes level by level, only those of less than `depth`, until the limit."""
        nodes = deque([node] if node is not None else [])
        level_ends: deque[Branch] = deque()
        if node is None:
            level_ends.append(self._root)
        opened, until = 0, time.monotonic() + MOST_SECONDS
        while nodes or level_ends:
            if not nodes:
                branch = level_ends.popleft()
                if depth is not None and branch.depth >= depth:
                    continue
                nodes.extend(branch.children[index] for index in range(min(len(branch.children), MOST_OPENED + 1)))
                continue
            inner = nodes.popleft()
            if not self.tree.has_children(inner):
                continue
            if opened >= MOST_OPENED or time.monotonic() > until:
                return opened
            self.open(inner)
            opened += 1
            if inner in self._open:
                level_ends.append(self._open[inner])
        return None

    def _moved(self, branch: Branch) -> bool:
        """True if the node of an open branch has moved among its siblings."""
        assert branch.parent is not None
        siblings = branch.parent.children
        return branch.index >= len(siblings) or siblings[branch.index] != branch.node
