"""Groups of a profile's rows (methods, classes, packages, groupings of a format), the heaviest first.

Rows without a group form one, too: traces without a shown frame, and what a cutoff omitted from the file. So the
weights of the groups add up to the profile.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from parsers.profile.cost import Costs, costs
from parsers.profile.merge import sums_of
from parsers.profile.source import RowGrouping

if TYPE_CHECKING:
    from parsers.model.arrays import AnyArray, BoolArray, I64Array
    from parsers.profile.profile import Profile

NO_FRAMES = "no frames"
BELOW_CUTOFF = "below the cutoff"
NAMELESS = (NO_FRAMES, BELOW_CUTOFF)
"""Labels of the last groups."""


@dataclass(frozen=True)
class RankedGroups:
    """Sorted groups. A *place* is a group's index in that order, a *number* a row's index in all groups."""

    kind: str
    labels: Sequence[str]
    """By group; the last ones are `NAMELESS`."""
    found: Costs
    """Weights and rows of the groups, by group."""
    is_of_frames: bool
    """True if groups consist of frames, so that rows can pass through without having them on top."""
    missing: int = 0
    """First value of what the file lacks: the weight of the last group."""

    @cached_property
    def order(self) -> I64Array:
        """Groups, the heaviest first, without unused ones; missing rows are last."""
        found, counts = self.found, np.diff(self.found.first)
        order = np.lexsort((-found.total[0], -found.own[0])) if len(found.own) else np.arange(len(counts))
        order = order[counts[order] > 0]
        return np.append(order, len(self.labels) - 1) if self.missing > 0 else order

    @cached_property
    def first(self) -> I64Array:
        """By place: the first of its rows."""
        counts = np.diff(self.found.first)
        return np.concatenate([[0], np.cumsum(counts[self.order])])

    @cached_property
    def _place_of(self) -> I64Array:
        places = np.full(len(self.labels), -1, np.int64)
        places[self.order] = np.arange(len(self.order))
        return places

    def place_of(self, group: int) -> int | None:
        """Returns the place of a group; None if it is unused."""
        place = int(self._place_of[group])
        return place if place >= 0 else None

    @cached_property
    def running(self) -> I64Array:
        """By place: cumulative sum of the first value."""
        return np.cumsum(self.found.own[0][self.order]) if len(self.found.own) else np.zeros(0, np.int64)

    @cached_property
    def most(self) -> int:
        """The largest first value of a group, at least 1."""
        own = self.found.own
        return max(1, int(np.abs(own[0][self.order]).max(initial=1))) if len(own) else 1

    def kind_of(self, group: int) -> str:
        """Returns the kind of a group's row."""
        return self.kind if group < len(self.labels) - len(NAMELESS) else "unknown"

    def count(self, group: int) -> int:
        """Returns the number of a group's rows."""
        return int(self.found.first[group + 1] - self.found.first[group])

    def rows_of(self, group: int) -> I64Array:
        """Returns the rows of the profile with the group on top; if there are none, those through it."""
        first, tops = int(self.found.first[group]), int(self.found.tops[group])
        return self.found.rows[first : first + (tops or self.count(group))]

    def row_at(self, number: int) -> int:
        """Returns the row of the profile at an index."""
        place = bisect_right(self.first, number) - 1
        return int(self.found.rows[self.found.first[self.order[place]] + number - self.first[place]])

    def numbers_of(self, row: int, only_tops: bool = False) -> list[int]:
        """Returns the indexes of a row of the profile: in each of its groups, or in the one on top of it."""
        found = self.found
        at = np.flatnonzero(found.rows == row)
        groups = np.searchsorted(found.first, at, "right") - 1
        within = at - found.first[groups]
        if only_tops:
            is_top = within < found.tops[groups]
            groups, within = groups[is_top], within[is_top]
        numbers: list[int] = (self.first[self._place_of[groups]] + within).tolist()
        return numbers

    def all_rows(self) -> tuple[I64Array, BoolArray]:
        """Returns by index the row of the profile, and True if its group is on top of it."""
        counts = np.diff(self.first)
        within = np.arange(int(self.first[-1])) - np.repeat(self.first[:-1], counts)
        rows = self.found.rows[within + np.repeat(self.found.first[self.order], counts)]
        return rows, within < np.repeat(self.found.tops[self.order], counts)


def ranked_frames(
    profile: Profile,
    kind: str,
    group_of: I64Array,
    labels: Sequence[str],
    is_hidden: AnyArray | None,
    missing: int = 0,
) -> RankedGroups:
    """Returns groups of frames, without hidden ones."""
    found = costs(profile, group_of, len(labels), is_hidden)
    return _with_missing(kind, labels, found, missing, is_of_frames=True)


def ranked_groups(profile: Profile, groups: RowGrouping, missing: int = 0) -> RankedGroups:
    """Returns groups of whole rows: their sums."""
    count, weights = len(groups.labels) + 1, profile.weights
    heaviest = weights[0] if len(weights) else np.zeros(len(groups.of_rows), np.int64)
    rows = np.lexsort((-heaviest, groups.of_rows))
    first = np.searchsorted(groups.of_rows[rows], np.arange(count + 1))
    sums = sums_of(weights, groups.of_rows, count)
    found = Costs(sums, sums, first, rows, np.diff(first))
    return _with_missing(groups.kind, groups.labels, found, missing, is_of_frames=False)


def _with_missing(kind: str, labels: Sequence[str], found: Costs, missing: int, is_of_frames: bool) -> RankedGroups:
    """Adds a group without rows, with the weight of what is missing."""
    own, total = (np.pad(sums, ((0, 0), (0, 1))) for sums in (found.own, found.total))
    if len(own):
        own[0, -1] = total[0, -1] = max(missing, 0)
    wider = Costs(own, total, np.append(found.first, found.first[-1:]), found.rows, np.append(found.tops, 0))
    return RankedGroups(kind, [*labels, *NAMELESS], wider, is_of_frames, missing)
