"""A preorder over nested tables: groups, their items, the items of those, like chapters and pages.

A level is a table; each entry of it has a range of entries of the next level. Reasons have call sites, call sites have
tasks. Nodes of the preorder are numbered across all levels; `level` and `number` give the table and the entry that a
node shows.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from parsers.model.late import numpy as np
from parsers.model.lookup import place_in
from parsers.model.trees.column_preorder import ColumnPreorder, ends_of

if TYPE_CHECKING:
    from parsers.model.arrays import I64Array


class NestedTables(ColumnPreorder):
    """A `Preorder` over several levels. It is not complete if its rows will be replaced by others.

    Ends and parents are computed on first use.
    """

    def __init__(self, firsts: Sequence[Any], hidden: Mapping[int, Any] | None = None) -> None:
        """
        firsts  by level except the last: first child entry of each entry, and the total number of them
        hidden  by level: entries without a row; their children move up one level
        """
        firsts = self._firsts = [np.asarray(first, np.int64) for first in firsts]
        counts = [len(first) - 1 for first in firsts] + [int(firsts[-1][-1])]
        rows = sum(counts)
        # For each level, the parent entry of each of its entries.
        owners = [np.repeat(np.arange(len(first) - 1), np.diff(first)) for first in firsts]
        levels, numbers = np.empty(rows, np.uint8), np.empty(rows, np.uint32)
        depths, is_row = np.empty(rows, np.uint16), np.ones(rows, bool)
        for level, count in enumerate(counts):
            places = self._nodes(level, firsts, counts, owners)
            levels[places] = depths[places] = level
            numbers[places] = np.arange(count, dtype=np.uint32)
            above = np.arange(count)
            for upper in range(level, -1, -1):
                if hidden is not None and upper in hidden:
                    is_below = np.isin(above, hidden[upper])
                    depths[places] -= is_below
                    if upper == level:
                        is_row[places] = ~is_below
                if upper and hidden is not None:
                    above = owners[upper - 1][above]
        self._levels, self._numbers = levels[is_row].data, numbers[is_row].data
        self._depths, self.rows, self.is_complete = depths[is_row].data, len(self._levels), True
        self._deepest = len(counts)
        self._kept: dict[int, Any] = {}

    @staticmethod
    def _nodes(level: int, firsts: Sequence[I64Array], counts: Sequence[int], owners: Sequence[I64Array]) -> I64Array:
        """The node of each entry of a level: the number of entries of all levels before it."""
        entries = np.arange(counts[level])
        nodes = entries.copy()
        above = entries
        for upper in range(level - 1, -1, -1):
            above = owners[upper][above]
            nodes += above + 1
        below = entries
        for lower in range(level, len(firsts)):
            below = firsts[lower][below]
            nodes += below
        return nodes

    @cached_property
    def _ends(self) -> memoryview:
        return ends_of(np.asarray(self._depths)).data

    @cached_property
    def _parents(self) -> memoryview:
        depths = np.asarray(self._depths)
        parents = np.arange(len(depths), dtype=np.uint32)
        for depth in range(1, self._deepest):
            at = np.maximum.accumulate(np.where(depths == depth - 1, np.arange(len(depths)), 0))
            parents[depths == depth] = at[depths == depth]
        return parents.data

    def level(self, node: int) -> int:
        """Number of the table that contains the node's entry."""
        return self._levels[node]

    def number(self, node: int) -> int:
        """Number of the node's entry in its table."""
        return self._numbers[node]

    def above(self, level: int, number: int) -> int:
        """The parent entry, on the level above, of an entry; it need not have a row."""
        return bisect_right(self._firsts[level - 1], number) - 1

    def below(self, level: int, number: int) -> tuple[int, int]:
        """The child entries of an entry: the first, and the one after the last. Level -1: the roots."""
        if level < 0:
            return 0, len(self._firsts[0]) - 1
        return int(self._firsts[level][number]), int(self._firsts[level][number + 1])

    def node(self, level: int, number: int) -> int | None:
        """The node of an entry; None if it has no row. Nodes of one level ascend with their entries."""
        places, numbers = self._places(level), self._numbers
        place = place_in(places, number, numbers.__getitem__)
        return None if place is None else int(places[place])

    def nodes(self, level: int) -> Sequence[int]:
        """All nodes of entries of a level, ascending."""
        places: Sequence[int] = self._places(level)
        return places

    def _places(self, level: int) -> Any:
        found = self._kept.get(level)
        if found is None:
            found = self._kept[level] = np.flatnonzero(np.asarray(self._levels) == level)
        return found
