"""Sums over groups of rows, such as the objects of a type: loops that are compiled as they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parsers.kernels.compiled import compiled
from parsers.model.late import numpy as np

if TYPE_CHECKING:
    from parsers.model.arrays import AnyArray, Numbers, U32Array


class GroupSums:
    """By group: counts of its rows, and the number of their descendants."""

    def __init__(self, groups: int) -> None:
        self.counts, self.below, self._reached = np.zeros((3, groups), np.int64)

    def add(self, groups: U32Array, rows: AnyArray, ends: AnyArray, counts: AnyArray) -> None:
        """Adds rows, ascending and after those added before. By row: its group, the end of its subtree, its count."""
        numbers = (values.astype(np.int64, copy=False) for values in (rows, ends, counts))
        compiled(add_rows)(groups, *numbers, self.counts, self.below, self._reached)


def add_rows(
    groups: Numbers, rows: Numbers, ends: Numbers, counts: Numbers, sums: Numbers, below: Numbers, reached: Numbers
) -> None:
    """Adds the counts of rows to their groups, and each row below them once.

    Subtrees are nested or disjoint: those are counted that begin after the end of all earlier ones of their group.
    """
    for place in range(len(rows)):
        group = groups[place]
        sums[group] += counts[place]
        if rows[place] >= reached[group]:
            reached[group] = ends[place]
            below[group] += ends[place] - rows[place] - 1


def count_changes(groups: Numbers, values: Numbers, last: Numbers, counts: Numbers) -> None:
    """Counts by group the values that differ from the one before in the group. last: by group, that value"""
    for place in range(len(groups)):
        group = groups[place]
        if values[place] != last[group]:
            last[group] = values[place]
            counts[group] += 1
