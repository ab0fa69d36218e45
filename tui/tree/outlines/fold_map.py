"""The folds of a growing preorder: intervals of rows, each with a cap of the visible depth.

The document is cut into intervals [start, next start); a row is shown if its depth is at most the cap of its
interval. Nothing is stored per row, so the list grows with the user's folds and never with the file: "everything
open" is one interval, a million opened siblings are one interval.

Invariant: below a closed node of depth d every cap is at most d, so a shown row has only open ancestors.

While the preorder grows, subtrees at its end are incomplete and their ends unknown. They are `pending`: from the
outermost to the innermost, each with the cap after its end. The last interval ends at the last known row; a subtree
end that becomes known begins a new interval.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import NamedTuple

from parsers.model.trees.tree import Preorder

UNCOUNTED = -1
"""Placeholder of a count that is not known."""


class Folds(NamedTuple):
    """The open and closed parts of the whole document or of the rows inside one node."""

    starts: tuple[int, ...]
    caps: tuple[int, ...]
    pending: tuple[tuple[int, int], ...] = ()
    """Nodes whose end is not known, outermost first, each with the cap after its end."""

    def at_least(self, cap: int) -> Folds:
        """Returns the same folds with no cap below the given one."""
        pending = tuple((node, max(after, cap)) for node, after in self.pending)
        return Folds(self.starts, tuple(max(each, cap) for each in self.caps), pending)


class FoldMap:
    """The intervals of one preorder, of which the rows before `known` are included."""

    def __init__(self, preorder: Preorder) -> None:
        self.preorder = preorder
        self.known = 0
        self.is_complete = False
        """True if no rows will follow `known`."""
        self.starts: list[int] = [0]
        self.caps: list[int] = [0]
        self.counts: list[int] = [UNCOUNTED]
        """Rows shown of each interval, filled by the outline that counts them."""
        self.changed_from: int | None = 0
        """First interval that changed or needs a new count since the outline set this to None."""
        self._pending: list[tuple[int, int]] = []

    def interval_of(self, node: int) -> int:
        """The interval that contains a node."""
        return bisect_right(self.starts, node) - 1

    def cap_at(self, node: int) -> int:
        """The cap that applies to a node."""
        return self.caps[bisect_right(self.starts, node) - 1]

    def stop(self, interval: int) -> int:
        """The end of an interval."""
        return self.starts[interval + 1] if interval + 1 < len(self.starts) else self.known

    def has_known_end(self, node: int) -> bool:
        """True if the end of the node's subtree is known."""
        return self.is_complete or self.preorder.end(node) < self.known

    def end(self, node: int) -> int:
        """The end of the node's subtree, as far as it is known."""
        return min(self.preorder.end(node), self.known)

    # -- all of it ----------------------------------------------------------------------------------------------------

    def all(self) -> Folds:
        """Folds of the whole document."""
        return Folds(tuple(self.starts), tuple(self.caps), tuple(self._pending))

    def set_all(self, folds: Folds) -> None:
        """Replaces all folds, perhaps by an earlier state with fewer known rows."""
        self.starts, self.caps = list(folds.starts), list(folds.caps)
        self.counts = [UNCOUNTED] * len(self.starts)
        self._pending = list(folds.pending)
        self.changed_from = 0
        self._end_known()

    def grow(self, known: int, is_complete: bool) -> None:
        """Includes more rows of the preorder: intervals begin where subtrees have ended."""
        self.known, self.is_complete = known, is_complete
        self._recount(len(self.starts) - 1)
        self._end_known()

    def _end_known(self) -> None:
        while self._pending:
            node, cap = self._pending[-1]
            if not self.has_known_end(node):
                break
            self._pending.pop()
            end = self.end(node)
            if end < self.known:
                self._recount(len(self.starts) - 1)
                if begin(self.starts, self.caps, end, cap):
                    self.counts.append(UNCOUNTED)

    # -- the inside of a node -----------------------------------------------------------------------------------------

    def even(self, node: int | None, cap: int) -> Folds:
        """Folds inside a node (None: the whole document) with one cap."""
        return Folds((0 if node is None else node + 1,), (cap,))

    def inside(self, node: int | None) -> Folds:
        """Folds inside a node (None: the whole document) with only its children shown.

        In a damaged file with lost rows, a child may be more than one level deeper than its parent; the children after
        it are at most as deep as it is.
        """
        first, depth = (0, 0) if node is None else (node + 1, self.preorder.depth(node) + 1)
        bound = self.known if node is None else self.end(node)
        if first >= bound:
            return self.even(node, depth)
        child, starts, caps = first, [first], [max(self.preorder.depth(first), depth)]
        while caps[-1] > depth:
            child = self.end(child)
            if child >= bound:
                break
            cap = max(self.preorder.depth(child), depth)
            if cap < caps[-1]:
                starts.append(child)
                caps.append(cap)
        return Folds(tuple(starts), tuple(caps))

    def chain(self, nodes: list[int]) -> Folds:
        """Folds inside the first of nested nodes with only these nodes open."""
        depths = [self.preorder.depth(node) for node in nodes]
        caps = [depth + 1 for depth in depths]
        nested = list(zip(nodes, depths, strict=True))[1:]
        return self.with_ended(Folds(tuple(node + 1 for node in nodes), tuple(caps), tuple(nested)), nodes[0])

    def with_ended(self, folds: Folds, node: int) -> Folds:
        """Updates stored folds inside a node: adds the subtrees that have ended since."""
        starts, caps, pending = list(folds.starts), list(folds.caps), list(folds.pending)
        bound = self.end(node)
        while pending and self.has_known_end(pending[-1][0]):
            inner, cap = pending.pop()
            if self.end(inner) < bound:
                begin(starts, caps, self.end(inner), cap)
        return Folds(tuple(starts), tuple(caps), tuple(pending))

    def replace(self, node: int | None, folds: Folds) -> Folds:
        """Puts new folds inside a node (None: the whole document) and returns those that were there."""
        if node is None or not self.has_known_end(node):
            return self._replace_tail(node, folds)
        stop = self.end(node)
        last = self.interval_of(stop - 1)
        if stop != self.stop(last):
            # The interval with the last row continues after the node.
            self._insert(last + 1, stop)
        first = self.interval_of(node + 1)
        if self.starts[first] != node + 1:
            first += 1
            last += 1
            self._insert(first, node + 1)
        return self._splice(first, last + 1, folds)

    def _replace_tail(self, node: int | None, folds: Folds) -> Folds:
        """`replace` where the inside of the node extends to the last known row, or everything is replaced."""
        if node is None:
            pending, self._pending = self._pending, list(folds.pending)
            return self._splice(0, len(self.starts), folds)._replace(pending=tuple(pending))
        inner = 0
        while inner < len(self._pending) and self._pending[inner][0] < node:
            inner += 1
        pending = self._pending[inner:]
        after = pending[0][1] if pending else self.caps[-1]
        self._pending[inner:] = [(node, after), *folds.pending]
        first = self.interval_of(node + 1)
        if self.starts[first] != node + 1:
            first += 1
            self._insert(first, node + 1)
        below = [each for each in pending if each[0] != node]
        return self._splice(first, len(self.starts), folds)._replace(pending=tuple(below))

    def _splice(self, first: int, last: int, folds: Folds) -> Folds:
        """Replaces whole intervals."""
        inside = Folds(tuple(self.starts[first:last]), tuple(self.caps[first:last]))
        self.starts[first:last] = folds.starts
        self.caps[first:last] = folds.caps
        self.counts[first:last] = [UNCOUNTED] * len(folds.starts)
        self._changes(first)
        self._join(first + len(folds.starts))
        self._join(first)
        return inside

    def _insert(self, interval: int, start: int) -> None:
        """Splits the interval before `interval` at `start`."""
        self.starts.insert(interval, start)
        self.caps.insert(interval, self.caps[interval - 1])
        self.counts.insert(interval, UNCOUNTED)
        self._recount(interval - 1)

    def _join(self, interval: int) -> None:
        """Merges this interval with the previous one if both have the same cap."""
        if 0 < interval < len(self.starts) and self.caps[interval] == self.caps[interval - 1]:
            del self.starts[interval], self.caps[interval], self.counts[interval]
            self._recount(interval - 1)

    def _recount(self, interval: int) -> None:
        self.counts[interval] = UNCOUNTED
        self._changes(interval)

    def _changes(self, interval: int) -> None:
        if self.changed_from is None or interval < self.changed_from:
            self.changed_from = interval


def begin(starts: list[int], caps: list[int], start: int, cap: int) -> bool:
    """Adds an interval at the end. False: one that begins there received the cap instead."""
    if starts[-1] == start:
        caps[-1] = cap
        return False
    starts.append(start)
    caps.append(cap)
    return True
