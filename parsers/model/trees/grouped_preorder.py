"""A preorder of few groups and very many leaves: groups are listed, leaves are counted.

Groups are in document order, each with its depth. A group's leaves directly follow it, one level deeper, before its
child groups. So a heap of millions of objects by class takes only as much memory as its classes do.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate

from parsers.model.trees.column_preorder import ColumnPreorder, preorder_of

ITSELF = -1
"""Leaf number that means the group itself."""


class GroupedPreorder:
    """A `Preorder`. A node is a group or one of its leaves: see `place`."""

    is_complete = True

    def __init__(self, depths: Sequence[int], leaves: Sequence[int]) -> None:
        """
        depths  of the groups, in document order
        leaves  number of leaves directly below each group
        """
        self._depths = array("H", depths)
        self._leaves = array("Q", leaves)
        self._starts = array("Q", accumulate(map((1).__add__, self._leaves), initial=0))
        """First row of each group; the last one: the end."""
        self.rows = self._starts[-1]
        """Number of groups and leaves."""
        self._deepest = max(self._depths, default=0) + 1
        self._sums: dict[int, array[int]] = {}
        """By cap: number of rows no deeper than it, before each group and before the end."""

    @cached_property
    def _groups(self) -> ColumnPreorder:
        """The groups alone."""
        return preorder_of(self._depths)

    @property
    def groups(self) -> int:
        """Number of groups."""
        return len(self._depths)

    def leaves(self, group: int) -> int:
        """Number of leaves directly below a group."""
        return self._leaves[group]

    def place(self, node: int) -> tuple[int, int]:
        """The group of a node and its leaf number, from 0; ITSELF for the group."""
        if not 0 <= node < self.rows:
            raise IndexError(f"no node {node}")
        group = bisect_right(self._starts, node) - 1
        return group, node - self._starts[group] - 1

    def node(self, group: int, leaf: int = ITSELF) -> int:
        """The node of a group or of one of its leaves."""
        return self._starts[group] + 1 + leaf

    def depth(self, node: int) -> int:
        """Depth of a node."""
        group, leaf = self.place(node)
        return self._depths[group] + (leaf >= 0)

    def depths(self, start: int, stop: int) -> memoryview:
        """Depths of a range."""
        found = array("H")
        node, stop = max(start, 0), min(stop, self.rows)
        while node < stop:
            group, leaf = self.place(node)
            depth = self._depths[group]
            if leaf < 0:
                found.append(depth)
                node += 1
            end = min(self._starts[group] + 1 + self._leaves[group], stop)
            found.extend(array("H", (depth + 1,)) * (end - node))
            node = max(node, end)
        return memoryview(found)

    def shown(self, start: int, stop: int, cap: int) -> int:
        """Counts the rows of a range that are no deeper than a cap."""
        return 0 if stop <= start else self._before(stop, cap) - self._before(start, cap)

    def nth_shown(self, start: int, cap: int, index: int) -> int:
        """Returns the row at or after `start` that has `index` rows no deeper than `cap` before it. It must exist."""
        sums = self._sums_of(cap)
        wanted = self._before(start, cap) + index
        group = bisect_right(sums, wanted) - 1
        return self._starts[group] + wanted - sums[group]

    def _before(self, node: int, cap: int) -> int:
        """Counts the rows before a node, or the end, that are no deeper than a cap."""
        if node >= self.rows:
            return self._sums_of(cap)[-1]
        group, leaf = self.place(node)
        depth, found = self._depths[group], self._sums_of(cap)[group]
        return found if depth > cap or leaf < 0 else found + 1 + (leaf if depth < cap else 0)

    def _sums_of(self, cap: int) -> array[int]:
        cap = min(cap, self._deepest)
        found = self._sums.get(cap)
        if found is None:
            of_depth = [0 if depth > cap else 1 for depth in range(self._deepest)]
            counts = (
                leaves + 1 if depth < cap else of_depth[depth]
                for depth, leaves in zip(self._depths, self._leaves, strict=True)
            )
            found = self._sums[cap] = array("Q", accumulate(counts, initial=0))
        return found

    def tops(self, start: int, stop: int) -> Sequence[int] | None:
        """The nodes of a range without ancestor in it; None if it begins with a leaf and has rows after its leaves."""
        if not 0 <= start < stop <= self.rows:
            return None
        group, leaf = self.place(start)
        if leaf < 0:
            found, lowest = list[int](), self._depths[group]
            last = bisect_right(self._starts, stop - 1)
            for depth, first in zip(self._depths[group:last], self._starts[group:last], strict=True):
                if depth <= lowest:
                    lowest = depth
                    found.append(first)
            return found
        is_all = leaf >= 0 and stop <= self._starts[group] + 1 + self._leaves[group]
        return range(start, stop) if is_all else None

    def end(self, node: int) -> int:
        """First node after the subtree of a node."""
        group, leaf = self.place(node)
        return self._starts[self._groups.end(group)] if leaf < 0 else node + 1

    def parent(self, node: int) -> int | None:
        """The parent; None for a root."""
        group, leaf = self.place(node)
        if leaf >= 0:
            return self._starts[group]
        above = self._groups.parent(group)
        return None if above is None else self._starts[above]


class TwoLevelPreorder:
    """A `Preorder` of as many groups as leaves: only the number of leaves before each group is known.

    Derived classes define `groups` and `before`.
    """

    is_complete = True

    _last_group = range(0), 0
    """The nodes of the group that was looked for last, and its number: the next call mostly asks for one of them."""

    @property
    def groups(self) -> int:
        """Number of groups."""
        raise NotImplementedError

    def before(self, group: int) -> int:
        """Number of leaves before a group; after the last group that of all leaves."""
        raise NotImplementedError

    @property
    def rows(self) -> int:
        """Number of groups and leaves."""
        return self.node(self.groups)

    def leaves(self, group: int) -> int:
        """Number of leaves of a group."""
        return self.before(group + 1) - self.before(group)

    def place(self, node: int) -> tuple[int, int]:
        """The group of a node and its leaf number, from 0; ITSELF for the group."""
        nodes, group = self._last_group
        if node not in nodes:
            if not 0 <= node < self.rows:
                raise IndexError(f"no node {node}")
            group = bisect_right(range(self.groups), node, key=self.node) - 1
            nodes = range(self.node(group), self.node(group + 1))
            self._last_group = nodes, group
        return group, node - nodes.start - 1

    def node(self, group: int, leaf: int = ITSELF) -> int:
        """The node of a group or of one of its leaves."""
        return group + self.before(group) + 1 + leaf

    def depth(self, node: int) -> int:
        """Depth of a node."""
        return int(self.place(node)[1] >= 0)

    def depths(self, start: int, stop: int) -> memoryview:
        """Depths of a range."""
        start, stop = max(start, 0), min(stop, self.rows)
        found = array("H", (1,)) * max(stop - start, 0)
        group = bisect_left(range(self.groups), start, key=self.node)
        while group < self.groups and (node := self.node(group)) < stop:
            found[node - start] = 0
            group += 1
        return memoryview(found)

    def end(self, node: int) -> int:
        """First node after the subtree of a node."""
        group, leaf = self.place(node)
        return self.node(group + 1) if leaf < 0 else node + 1

    def parent(self, node: int) -> int | None:
        """The group of a leaf; None for a group."""
        group, leaf = self.place(node)
        return None if leaf < 0 else self.node(group)
