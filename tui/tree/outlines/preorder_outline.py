"""The outline of a preorder: arithmetic on positions, depths and ends.

A `FoldMap` decides which rows are shown; a `DepthCount` counts the shown rows before a row.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import accumulate, islice

from parsers.model.trees.tree import Preorder, path_to
from tui.tree.outlines.depth_count import BLOCK, DEEPEST, DepthCount
from tui.tree.outlines.fold_map import UNCOUNTED, FoldMap, Folds

MOST_STASHED = 10_000
"""Maximum closed nodes whose inner folds are remembered."""

MOST_CLOSED = 2_000
"""Maximum siblings that are closed one by one, so that each remembers its open nodes."""

MOST_UNPREPARED = 200_000
"""Maximum rows that are counted fast without preparation."""


class PreorderOutline:
    """An outline over a preorder. Initially the first `first_rows` rows are all shown and the rest is closed.

    limit: rows after this are treated as unknown, so that the first screen of a large tree counts nothing; `lift`
    removes the limit.
    """

    def __init__(self, preorder: Preorder, first_rows: int = 0, limit: int | None = None) -> None:
        self.preorder = preorder
        self._count = DepthCount(preorder)
        self._folds = FoldMap(preorder)
        self._limit = limit
        self._first_rows = first_rows
        self._stash: dict[int, Folds] = {}
        self._sums: list[int] = []
        self._learn_size()
        self._show_first()

    # -- rows and nodes -----------------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return self._row_sums()[-1]

    def node_at(self, row: int) -> int:
        """The node on a row. Raises `IndexError`."""
        sums = self._row_sums()
        if not 0 <= row < sums[-1]:
            raise IndexError(row)
        interval = bisect_right(sums, row)
        before = sums[interval - 1] if interval else 0
        return self._count.find(
            self._folds.starts[interval], self._folds.stop(interval), self._folds.caps[interval], row - before
        )

    def nodes(self, row: int, count: int) -> Sequence[int]:
        """Up to `count` nodes from a row on."""
        if not 0 <= row < len(self):
            return []
        node = self.node_at(row)
        found = [node]
        while len(found) < count:
            after = node + 1
            if after < self._folds.known and self.preorder.depth(after) > self._folds.cap_at(after):
                after = max(self.preorder.end(node), after)
            if after >= self._folds.known:
                break
            node = after
            if self.is_shown(node):
                found.append(node)
        return found

    def row_of(self, node: int) -> int | None:
        """The row of a node; None if it is hidden or not known."""
        if not 0 <= node < self._folds.known or not self.is_shown(node):
            return None
        interval = self._folds.interval_of(node)
        before = self._row_sums()[interval - 1] if interval else 0
        return before + self._count.count(self._folds.starts[interval], node, self._folds.caps[interval])

    def is_shown(self, node: int) -> bool:
        """True if the node has a row."""
        return self.preorder.depth(node) <= self._folds.cap_at(node)

    def depth(self, node: int) -> int:
        """Depth of a node; roots have 0."""
        return self.preorder.depth(node)

    def parent(self, node: int) -> int | None:
        """The node above; None for a root."""
        return self.preorder.parent(node)

    def after(self, node: int) -> int | None:
        """The first shown node after the whole subtree of a shown node; None at the end of the known rows."""
        end = self.preorder.end(node)
        return end if end < self._folds.known else None

    def first_sibling(self, node: int) -> int:
        """The first child of the same parent."""
        above = self.parent(node)
        return 0 if above is None else above + 1

    def last_sibling(self, node: int) -> int:
        """The last known child of the same parent."""
        above, depth = self.parent(node), self.depth(node)
        last = self._folds.known - 1 if above is None else min(self.preorder.end(above), self._folds.known) - 1
        while self.depth(last) > depth:
            parent = self.parent(last)
            assert parent is not None
            last = parent
        return last

    def root_number(self, node: int) -> int:
        """Number of roots up to and including this node."""
        return self._count.count(0, node + 1, 0)

    @property
    def root_count(self) -> int | None:
        """Number of roots; None while more may follow, and until all rows are counted."""
        is_known = self._folds.is_complete and self.is_prepared
        return self._count.count(0, self._folds.known, 0) if is_known else None

    def has_children(self, node: int) -> bool:
        """True if rows below the node are known."""
        return node + 1 < self._folds.known and self.preorder.depth(node + 1) > self.preorder.depth(node)

    def is_open(self, node: int) -> bool:
        """True if the children of the node are shown (if the node itself is)."""
        return self.has_children(node) and self._folds.cap_at(node + 1) >= self.preorder.depth(node + 1)

    # -- opening and closing ------------------------------------------------------------------------------------------

    def open(self, node: int) -> None:
        """Shows the children, and restores the folds below them."""
        if self.has_children(node) and not self.is_open(node):
            self.reveal(node)
            folds = self._stash.pop(node, None)
            self._folds.replace(node, self._folds.with_ended(folds, node) if folds else self._folds.inside(node))

    def close(self, node: int) -> None:
        """Hides everything below the node; `open` restores the folds there."""
        if self.is_open(node) and self.is_shown(node):
            self._stash.pop(node, None)
            self._stash[node] = self._folds.replace(node, self._folds.even(node, self.depth(node)))
            if len(self._stash) > MOST_STASHED:
                del self._stash[next(iter(self._stash))]

    def open_siblings(self, node: int) -> int | None:
        """Opens the node and its siblings; folds below them stay. There is no limit."""
        self.reveal(node)
        above = self.parent(node)
        inside = self._folds.replace(above, self._folds.even(above, self.depth(node)))
        self._folds.replace(above, inside.at_least(self.depth(node) + 1))
        return None

    def close_siblings(self, node: int) -> None:
        """Closes the node and all its siblings; those opened one by one remember their open nodes."""
        self.reveal(node)
        above, depth = self.parent(node), self.depth(node)
        for opened in self._opened_below(above, depth):
            self.close(opened)
        self._folds.replace(above, self._folds.even(above, depth))

    def _opened_below(self, above: int | None, depth: int) -> list[int]:
        """The nodes of a depth below a node that have intervals of their own; empty if there are too many."""
        folds = self._folds
        first = 0 if above is None else folds.interval_of(above + 1)
        last = len(folds.starts) if above is None else folds.interval_of(folds.end(above) - 1) + 1
        if last - first > MOST_CLOSED:
            return []
        return [start - 1 for start in folds.starts[first:last] if start and self.depth(start - 1) == depth]

    def open_all(self, node: int | None = None) -> int | None:
        """Opens everything below a node (None: everything). There is no limit."""
        if node is not None:
            self.reveal(node)
            if not self.has_children(node):
                return None
        self._forget_below(node)
        self._folds.replace(node, self._folds.even(node, DEEPEST))
        return None

    def close_all(self, node: int | None = None) -> None:
        """Closes a node (None: all) and forgets the folds below."""
        if node is None:
            self.fold_to(0)
        elif self.has_children(node):
            self.reveal(node)
            self._forget_below(node)
            self._folds.replace(node, self._folds.even(node, self.depth(node)))

    def fold_to(self, depth: int) -> int | None:
        """Shows exactly the nodes of at most this depth. There is no limit."""
        self._stash.clear()
        self._folds.replace(None, self._folds.even(None, depth) if depth else self._folds.inside(None))
        return None

    def reveal(self, node: int) -> None:
        """Opens all ancestors of a node."""
        while not self.is_shown(node):
            chain = self._closed_above(node)
            if not chain:
                above = self.parent(node)
                self._folds.replace(above, self._folds.even(above, self.depth(node)))
            elif any(above in self._stash or self._skips(above) for above in chain):
                self.open(chain[0])
            else:
                self._folds.replace(chain[0], self._folds.chain(chain))

    # -- another opening of the same tree -----------------------------------------------------------------------------

    def cuts(self) -> Sequence[int]:
        """The nodes at which the visible depth changes, including the first node."""
        return [start for start in self._folds.starts if start < self._folds.known]

    @property
    def known(self) -> int:
        """Number of preorder nodes that are included."""
        return self._folds.known

    def snapshot_to_grow(self) -> Folds:
        """Folds for a longer version of the tree: its further nodes are folded like the others."""
        folds, last = self._folds.all(), self._folds.known - 1
        if folds.pending or last < 0:
            return folds
        ending = path_to(last, self.preorder.parent)
        return folds._replace(pending=tuple((node, self._folds.cap_at(node)) for node in ending))

    @property
    def least_depth(self) -> int:
        """The depth to which everything is shown."""
        return min(self._folds.caps)

    def opened(self) -> Iterator[tuple[int, bool]]:
        """Yields further open nodes, parents first, each with True if everything below it is open."""
        folds, least = self._folds, self.least_depth
        for interval, (start, cap) in enumerate(zip(folds.starts, folds.caps, strict=True)):
            if cap == least:
                continue
            if start and self.is_open(start - 1):
                yield start - 1, cap == DEEPEST
            elif not start:
                node: int | None = 0
                while node is not None and node < folds.stop(interval):
                    if self.is_open(node):
                        yield node, cap == DEEPEST
                    node = self.after(node)

    # -- undo and growth ----------------------------------------------------------------------------------------------

    def snapshot(self) -> Folds:
        """The current folds."""
        return self._folds.all()

    def restore(self, snapshot: object) -> None:
        """Restores the folds of a snapshot, which may be of an earlier, shorter state of the preorder."""
        assert isinstance(snapshot, Folds)
        self._folds.set_all(snapshot)

    def grow(self) -> bool:
        """Includes rows added to the preorder since the last call; True if rows changed."""
        before = self._folds.known, self._folds.is_complete
        self._learn_size()
        if not before[0]:
            self._show_first()
        return before != (self._folds.known, self._folds.is_complete)

    @property
    def is_prepared(self) -> bool:
        """True if counting is fast for all known rows."""
        return self.preorder.rows < MOST_UNPREPARED or self._count.prepared >= self.preorder.rows - BLOCK

    def prepare(self) -> None:
        """Prepares fast counts of the rows known now. May run in a thread."""
        self._count.prepare(self.preorder.rows)

    def lift(self) -> bool:
        """Includes the rows after the limit."""
        self._limit = None
        return self.grow()

    @property
    def is_limited(self) -> bool:
        """True if there are, or may be later, rows after a limit."""
        return self._limit is not None and not (self._folds.is_complete and self._folds.known <= self._limit)

    # -- counting -----------------------------------------------------------------------------------------------------

    def _learn_size(self) -> None:
        rows = self.preorder.rows
        known = rows if self._limit is None else min(rows, self._limit)
        is_complete = self.preorder.is_complete and known == rows
        if (known, is_complete) != (self._folds.known, self._folds.is_complete):
            self._folds.grow(known, is_complete)

    def _show_first(self) -> None:
        """Shows all of the first rows and closes everything after them."""
        rows = min(self._first_rows, self._folds.known)
        if not rows:
            return
        if rows == self._folds.known and self._folds.is_complete:
            self._folds.set_all(Folds((0,), (DEEPEST,)))
            return
        last = rows - 1
        pending = [(node, self.preorder.depth(node)) for node in self._above(last)]
        self._folds.set_all(Folds((0, rows), (DEEPEST, self.preorder.depth(last)), tuple(pending)))

    def _row_sums(self) -> list[int]:
        """Cumulative number of shown rows at the end of each interval."""
        folds, sums = self._folds, self._sums
        first = folds.changed_from
        if first is not None:
            starts, caps, counts = folds.starts, folds.caps, folds.counts
            with suppress(ValueError):
                interval = first - 1
                while True:
                    interval = counts.index(UNCOUNTED, interval + 1)
                    counts[interval] = self._count.count(starts[interval], folds.stop(interval), caps[interval])
            del sums[first:]
            before = sums[-1] if sums else 0
            sums.extend(islice(accumulate(counts[first:], initial=before), 1, None))
            folds.changed_from = None
        return sums

    def _above(self, node: int) -> list[int]:
        """The ancestors of a node, from its root on."""
        return path_to(node, self.preorder.parent)[:-1]

    def _closed_above(self, node: int) -> list[int]:
        """The ancestors of a node from the topmost closed one down to its parent; empty if all are open."""
        chain = self._above(node)
        for index, ancestor in enumerate(chain):
            if not self.is_open(ancestor):
                return chain[index:]
        return []

    def _skips(self, node: int) -> bool:
        """True if the first child is more than one level deeper than the node: rows between them are lost."""
        return self.preorder.depth(node + 1) > self.preorder.depth(node) + 1

    def _forget_below(self, node: int | None) -> None:
        """Forgets the remembered folds of the nodes below."""
        if node is None:
            self._stash.clear()
            return
        end = self._folds.end(node)
        for closed in [closed for closed in self._stash if node <= closed < end]:
            del self._stash[closed]
