"""Rows of the view "Cut": the cuts, vertices that become unreachable, and reachable ones of the same packages."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from parsers.graph.cuts import Cut
from parsers.graph.graph_model import GraphModel
from parsers.model.distinct import begins, ranks_of
from parsers.model.late import numpy as np
from parsers.model.trees.nested_tables import NestedTables

if TYPE_CHECKING:
    from parsers.model.arrays import AnyArray, I64Array

CUTS, UNREACHABLE, REACHABLE = range(3)
"""Numbers of the three lists."""


class RowIdentity(NamedTuple):
    """Identifies a row when cuts change."""

    of_list: int
    level: int
    what: Hashable
    """Key of a cut, or the number of a list, a group or a vertex."""


class CutRows:
    """The rows for a set of cuts."""

    def __init__(self, graph: GraphModel) -> None:
        cuts = graph.cuts
        self.marks: Sequence[Cut] = cuts.marks
        effect = cuts.effect
        self.by: tuple[str, ...] = graph.terms.levels
        """Groupings of the levels below each list, the outermost first; vertices follow."""
        is_unreachable = np.zeros(len(effect.before), bool)
        is_unreachable[effect.unreachable] = True
        # Vertices without a group are one group at the end; NONE plus one wraps to zero.
        sizes = [int((graph.groups(by) + np.uint32(1)).max(initial=0)) for by in self.by]
        groups = [np.minimum(graph.groups(by), size) for by, size in zip(self.by, sizes, strict=True)]
        size = max(sizes, default=0) + 1
        outer = groups[0]
        self.unreachable = [np.bincount(each[is_unreachable], minlength=size) for each in groups]
        self.left = [np.bincount(each[effect.before & ~is_unreachable], minlength=size) for each in groups]
        is_left = effect.before & ~is_unreachable & (self.unreachable[0][outer] > 0)
        lists = [self._ordered(np.flatnonzero(each), groups) for each in (is_unreachable, is_left)]
        vertices = np.concatenate(lists)
        borders = np.cumsum([0, *map(len, lists)])
        list_of = np.repeat([UNREACHABLE, REACHABLE], list(map(len, lists)))
        # By level the numbers of groups, and the first child of each.
        numbers: list[AnyArray] = []
        firsts: list[I64Array] = []
        before = list_of
        for each in groups:
            keys = each[vertices]
            is_new = begins(keys, before)
            starts = np.flatnonzero(is_new)
            numbers.append(keys[starts])
            firsts.append(starts)
            before = np.cumsum(is_new)
        self.numbers = [*numbers, vertices]
        marks = len(self.marks)
        hidden = None if len(lists[1]) else {0: np.array([REACHABLE])}
        self.levels = NestedTables(self._firsts(firsts, borders, marks), hidden)
        self.counts = (marks, len(lists[0]), len(lists[1]))

    def _ordered(self, members: I64Array, groups: Sequence[AnyArray]) -> I64Array:
        """Sorts vertices by group: those with most unreachable vertices first, then in the order of the report."""
        for group, unreachable in zip(reversed(groups), reversed(self.unreachable), strict=True):
            order = np.argsort(-unreachable, kind="stable")
            rank = ranks_of(order, np.uint16 if len(order) < 1 << 16 else np.uint32)
            # 16-bit numbers are radix sorted.
            members = members[np.argsort(rank[group[members]], kind="stable")]
        return members

    def _firsts(self, starts: Sequence[I64Array], borders: I64Array, marks: int) -> list[I64Array]:
        """Returns the input of `NestedTables`: three lists; cuts and outer groups; inner groups; vertices."""
        outer = starts[0]
        lists = marks + np.searchsorted(outer, borders)
        found = [np.array([0, *lists])]
        below = [*starts[1:], None]
        ends = int(borders[-1])
        for place, (own, inner) in enumerate(zip(starts, below, strict=True)):
            first = np.append(own, ends) if inner is None else np.searchsorted(inner, np.append(own, ends))
            found.append(np.concatenate([np.zeros(marks, np.int64), first]) if not place else first)
        return found

    def some_of(self, by: str) -> Sequence[int]:
        """Returns one of the listed groups or vertices; empty if there is none."""
        level = self.by.index(by) if by in self.by else len(self.by)
        numbers: Sequence[int] = self.numbers[level][:1].tolist()
        return numbers

    def path(self, node: int) -> RowIdentity:
        """Returns the identity of a row, stable while cuts change."""
        levels = self.levels
        level, number = levels.level(node), levels.number(node)
        top = node
        while (above := levels.parent(top)) is not None:
            top = above
        of_list = levels.number(top)
        if level == 1 and of_list == CUTS:
            return RowIdentity(of_list, level, self.marks[number].key)
        if level:
            number = int(self.numbers[level - 1][number - (len(self.marks) if level == 1 else 0)])
        return RowIdentity(of_list, level, number)

    def find(self, path: RowIdentity) -> int | None:
        """Returns the row of an identity."""
        if path.level == 0:
            return self.levels.node(0, int(str(path.what)))
        if path.of_list == CUTS:
            keys = [mark.key for mark in self.marks]
            return self.levels.node(1, keys.index(path.what)) if path.what in keys else None
        places = (self.numbers[path.level - 1] == path.what).nonzero()[0]
        rows = [
            self.levels.node(path.level, int(each) + (len(self.marks) if path.level == 1 else 0)) for each in places
        ]
        return next((row for row in rows if row is not None and self.path(row) == path), None)
