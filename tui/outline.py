"""Which rows of a tree are shown, and which node stands on which of them.

The document is cut into intervals [start, next start), each with a cap: a row in it is shown if its depth is at most
the cap. Nothing is kept per row, so the list grows with what somebody opened and never with the file: "everything
open" is one interval, a million opened siblings are one interval.

Invariant: below a closed node of depth d every cap is at most d, so a shown row has only open ancestors.

While the preorder grows, subtrees at its end are still open and their ends unknown. They are `pending`: from the
outermost to the innermost, each with the cap that holds after its end. The last interval runs to the end of what is
known; when an end gets known a new interval begins there.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Protocol

from parsers.report import Preorder
from tui.depth_count import DEEPEST, DepthCount

MOST_STASHED = 10_000
"""Closed nodes whose inside is remembered."""


class Outline(Protocol):
    """The rows that are shown, 0 … len-1. Nodes are those of the view's tree."""

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
        """The first shown node behind the whole subtree of a shown node; None at the end."""
        ...

    def last_sibling(self, node: int) -> int:
        """The last child of the same parent."""
        ...

    def first_sibling(self, node: int) -> int:
        """The first child of the same parent."""
        ...

    def has_children(self, node: int) -> bool:
        """Whether opening the node shows anything."""
        ...

    def is_open(self, node: int) -> bool:
        """Whether the children of the node are shown (if the node itself is)."""
        ...

    def open(self, node: int) -> None:
        """Show the children, and what was open below them before the node was closed."""
        ...

    def close(self, node: int) -> None:
        """Hide everything below the node."""
        ...

    def open_siblings(self, node: int) -> int | None:
        """Open the node and all its siblings. Returns the limit if it had to stop at one, else None."""
        ...

    def close_siblings(self, node: int) -> None:
        """Close the node and all its siblings."""
        ...

    def open_all(self, node: int | None = None) -> int | None:
        """Open everything below a node (None: everything). Returns the limit if it had to stop at one, else None."""
        ...

    def close_all(self, node: int | None = None) -> None:
        """Close a node (None: all) and forget what was open below."""
        ...

    def fold_to(self, depth: int) -> int | None:
        """Show exactly the nodes of at most this depth. Returns the limit if it had to stop at one, else None."""
        ...

    def reveal(self, node: int) -> None:
        """Open all ancestors of a node."""
        ...

    def snapshot(self) -> object:
        """What is open now, for `restore`."""
        ...

    def restore(self, snapshot: object) -> None:
        """Open and close as it was at the snapshot."""
        ...

    def grow(self) -> bool:
        """Take in what the tree has got since; True if rows changed."""
        ...


@dataclass(frozen=True, slots=True)
class Folds:
    """The open and closed parts of the whole document or of the inside of one node."""

    starts: tuple[int, ...]
    caps: tuple[int, ...]
    pending: tuple[tuple[int, int], ...]
    """Nodes whose end is not known, outermost first, each with the cap after its end."""


class PreorderOutline:
    """An outline over a preorder. Starts with the first `first_rows` rows shown as they are and the rest closed.

    limit: rows behind this are taken as not known yet, so that a first screen of a large tree counts nothing; `lift`
    ends that.
    """

    def __init__(self, preorder: Preorder, first_rows: int = 0, limit: int | None = None) -> None:
        self.preorder = preorder
        self._count = DepthCount(preorder)
        self._limit = limit
        self._first_rows = first_rows
        self._known = 0
        self._stash: dict[int, Folds] = {}
        self._starts: list[int] = [0]
        self._caps: list[int] = [0]
        self._counts: list[int | None] = [None]
        self._sums: list[int] | None = None
        self._pending: list[tuple[int, int]] = []
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
        return self._count.find(self._starts[interval], self._stop(interval), self._caps[interval], row - before)

    def nodes(self, row: int, count: int) -> Sequence[int]:
        """Up to `count` nodes from a row on."""
        if not 0 <= row < len(self):
            return []
        node = self.node_at(row)
        found = [node]
        while len(found) < count:
            after = node + 1
            if after < self._known and self.preorder.depth(after) > self._cap_at(after):
                after = max(self.preorder.end(node), after)
            if after >= self._known:
                break
            node = after
            if self.is_shown(node):
                found.append(node)
        return found

    def row_of(self, node: int) -> int | None:
        """The row of a node; None if it is hidden or not known."""
        if not 0 <= node < self._known or not self.is_shown(node):
            return None
        interval = self._interval_of(node)
        before = self._row_sums()[interval - 1] if interval else 0
        return before + self._count.count(self._starts[interval], node, self._caps[interval])

    def is_shown(self, node: int) -> bool:
        """Whether the node has a row."""
        return self.preorder.depth(node) <= self._cap_at(node)

    def depth(self, node: int) -> int:
        """Depth of a node; roots have 0."""
        return self.preorder.depth(node)

    def parent(self, node: int) -> int | None:
        """The node above; None for a root."""
        return self.preorder.parent(node)

    def after(self, node: int) -> int | None:
        """The first shown node behind the whole subtree of a shown node; None at the end of what is known."""
        end = self.preorder.end(node)
        return end if end < self._known else None

    def first_sibling(self, node: int) -> int:
        """The first child of the same parent."""
        above = self.parent(node)
        return 0 if above is None else above + 1

    def last_sibling(self, node: int) -> int:
        """The last known child of the same parent."""
        above, depth = self.parent(node), self.depth(node)
        last = self._known - 1 if above is None else min(self.preorder.end(above), self._known) - 1
        while self.depth(last) > depth:
            parent = self.parent(last)
            assert parent is not None
            last = parent
        return last

    def root_number(self, node: int) -> int:
        """How many roots there are up to this node."""
        return self._count.count(0, node + 1, 0)

    def has_children(self, node: int) -> bool:
        """Whether rows below the node are known."""
        return node + 1 < self._known and self.preorder.depth(node + 1) > self.preorder.depth(node)

    def is_open(self, node: int) -> bool:
        """Whether the children of the node are shown (if the node itself is)."""
        return self.has_children(node) and self._cap_at(node + 1) > self.preorder.depth(node)

    # -- opening and closing ------------------------------------------------------------------------------------------

    def open(self, node: int) -> None:
        """Show the children, and what was open below them before the node was closed."""
        if self.has_children(node) and not self.is_open(node):
            self.reveal(node)
            folds = self._stash.pop(node, None)
            self._replace(node, self._settled(folds, node) if folds else self._even(node, self.depth(node) + 1))

    def close(self, node: int) -> None:
        """Hide everything below the node; `open` brings back what was shown there."""
        if self.is_open(node) and self.is_shown(node):
            inside = self._replace(node, self._even(node, self.depth(node)))
            self._remember(node, inside)

    def open_siblings(self, node: int) -> int | None:
        """Open the node and all its siblings by one level. There is no limit."""
        self.reveal(node)
        above = self.parent(node)
        self._replace(above, self._even(above, self.depth(node) + 1))
        return None

    def close_siblings(self, node: int) -> None:
        """Close the node and all its siblings."""
        self.reveal(node)
        above = self.parent(node)
        self._replace(above, self._even(above, self.depth(node)))

    def open_all(self, node: int | None = None) -> int | None:
        """Open everything below a node, or everything. There is no limit."""
        if node is not None:
            self.reveal(node)
            if not self.has_children(node):
                return None
        self._forget_below(node)
        self._replace(node, self._even(node, DEEPEST))
        return None

    def close_all(self, node: int | None = None) -> None:
        """Close a node, or all, and forget what was open below."""
        if node is None:
            self.fold_to(0)
        elif self.has_children(node):
            self.reveal(node)
            self._forget_below(node)
            self._replace(node, self._even(node, self.depth(node)))

    def fold_to(self, depth: int) -> int | None:
        """Show exactly the nodes of at most this depth. There is no limit."""
        self._stash.clear()
        self._replace(None, self._even(None, depth))
        return None

    def reveal(self, node: int) -> None:
        """Open all ancestors of a node."""
        while not self.is_shown(node):
            chain = self._closed_above(node)
            if self._stash and any(above in self._stash for above in chain):
                self.open(chain[0])
            else:
                self._replace(chain[0], self._chain(chain))

    # -- undo and growth ----------------------------------------------------------------------------------------------

    def snapshot(self) -> Folds:
        """What is open now."""
        return Folds(tuple(self._starts), tuple(self._caps), tuple(self._pending))

    def restore(self, snapshot: object) -> None:
        """Open and close as it was at the snapshot, which may be of an earlier, shorter state of the preorder."""
        assert isinstance(snapshot, Folds)
        self._starts = list(snapshot.starts)
        self._caps = list(snapshot.caps)
        self._counts = [None] * len(self._starts)
        self._pending = list(snapshot.pending)
        self._sums = None
        self._settle_pending()

    def grow(self) -> bool:
        """Take in what the preorder has got since; True if rows changed."""
        known, complete = self._known, self._is_complete
        self._learn_size()
        if self._known == known and self._is_complete == complete:
            return False
        self._counts[-1] = None
        self._sums = None
        if known:
            self._settle_pending()
        else:
            self._show_first()
        return True

    def lift(self) -> bool:
        """Take in the rows behind the limit."""
        self._limit = None
        return self.grow()

    @property
    def is_limited(self) -> bool:
        """Whether there are, or may come, rows behind a limit."""
        return self._limit is not None and not (self._is_complete and self._known <= self._limit)

    # -- intervals ----------------------------------------------------------------------------------------------------

    def _learn_size(self) -> None:
        rows = self.preorder.rows
        self._known = rows if self._limit is None else min(rows, self._limit)
        self._is_complete = self.preorder.is_complete and self._known == rows

    def _show_first(self) -> None:
        """Show the first rows as they are and close everything after them."""
        rows = min(self._first_rows, self._known)
        if not rows:
            return
        last = rows - 1
        depth = self.preorder.depth(last)
        self._starts, self._caps = [0, rows], [DEEPEST, depth]
        above, ancestors = self.preorder.parent(last), []
        while above is not None:
            ancestors.append(above)
            above = self.preorder.parent(above)
        self._pending = [(node, self.preorder.depth(node)) for node in reversed(ancestors)]
        if rows == self._known and self._is_complete:
            self._starts, self._caps = [0], [DEEPEST]
        self._counts = [None] * len(self._starts)
        self._settle_pending()

    def _interval_of(self, node: int) -> int:
        return bisect_right(self._starts, node) - 1

    def _cap_at(self, node: int) -> int:
        return self._caps[bisect_right(self._starts, node) - 1]

    def _stop(self, interval: int) -> int:
        return self._starts[interval + 1] if interval + 1 < len(self._starts) else self._known

    def _row_sums(self) -> list[int]:
        """Rows up to the end of each interval."""
        if self._sums is None:
            counts = self._counts
            for interval, count in enumerate(counts):
                if count is None:
                    counts[interval] = self._count.count(
                        self._starts[interval], self._stop(interval), self._caps[interval]
                    )
            self._sums = list(accumulate(count or 0 for count in counts))
        return self._sums

    def _is_settled(self, node: int) -> bool:
        """Whether the end of the node's subtree is known."""
        return self._is_complete or self.preorder.end(node) < self._known

    def _even(self, node: int | None, cap: int) -> Folds:
        """The inside of a node with one cap."""
        return Folds((0 if node is None else node + 1,), (cap,), ())

    def _replace(self, node: int | None, folds: Folds) -> Folds:
        """Put new folds inside a node (None: the whole document) and return those that were there."""
        start = 0 if node is None else node + 1
        if node is None or not self._is_settled(node):
            return self._replace_tail(node, start, folds)
        stop = min(self.preorder.end(node), self._known)
        last = self._interval_of(stop - 1)
        after = self._caps[last] if stop == self._stop(last) else None
        if after is None:
            # The interval that holds the last row goes on behind the node.
            self._insert(last + 1, stop, self._caps[last])
        first = self._interval_of(start)
        if self._starts[first] != start:
            self._insert(first + 1, start, self._caps[first])
            first += 1
            last += 1
        inside = Folds(tuple(self._starts[first : last + 1]), tuple(self._caps[first : last + 1]), ())
        self._starts[first : last + 1] = folds.starts
        self._caps[first : last + 1] = folds.caps
        self._counts[first : last + 1] = [None] * len(folds.starts)
        self._sums = None
        self._join(first + len(folds.starts))
        self._join(first)
        return inside

    def _replace_tail(self, node: int | None, start: int, folds: Folds) -> Folds:
        """`_replace` where the inside of the node runs to the end of what is known, or all is replaced."""
        first = self._interval_of(start)
        inner = 0
        if node is not None:
            while inner < len(self._pending) and self._pending[inner][0] < node:
                inner += 1
        cut, cap = len(self._starts), self._caps[-1]
        if self._starts[first] != start:
            first += 1
            self._insert(first, start, self._caps[first - 1])
            cut += 1
        pending = self._pending[inner:]
        own: list[tuple[int, int]] = []
        if node is not None:
            after = pending[0][1] if pending else cap
            own = [(node, after)]
            if pending and pending[0][0] == node:
                pending = pending[1:]
        inside = Folds(tuple(self._starts[first:cut]), tuple(self._caps[first:cut]), tuple(pending))
        self._starts[first:] = folds.starts
        self._caps[first:] = folds.caps
        self._counts[first:] = [None] * len(folds.starts)
        self._pending = [*self._pending[:inner], *own, *folds.pending]
        self._sums = None
        self._join(first)
        return inside

    def _insert(self, interval: int, start: int, cap: int) -> None:
        """Cut the interval before `interval` in two at `start`."""
        self._starts.insert(interval, start)
        self._caps.insert(interval, cap)
        self._counts.insert(interval, None)
        self._counts[interval - 1] = None
        self._sums = None

    def _join(self, interval: int) -> None:
        """Make one interval of this and the one before where both have the same cap."""
        if 0 < interval < len(self._starts) and self._caps[interval] == self._caps[interval - 1]:
            del self._starts[interval], self._caps[interval], self._counts[interval]
            self._counts[interval - 1] = None

    def _settle_pending(self) -> None:
        """Begin intervals where subtrees have ended meanwhile."""
        bound = self._known
        while self._pending:
            end = self.preorder.end(self._pending[-1][0])
            if not self._is_complete and end >= bound:
                break
            _, cap = self._pending.pop()
            if end >= bound:
                continue
            self._sums = None
            if self._starts[-1] == end:
                self._caps[-1], self._counts[-1] = cap, None
            else:
                self._counts[-1] = None
                self._starts.append(end)
                self._caps.append(cap)
                self._counts.append(None)

    def _settled(self, folds: Folds, node: int) -> Folds:
        """Folds of the inside of a node, with the subtrees that have ended since they were put away."""
        starts, caps, pending = list(folds.starts), list(folds.caps), list(folds.pending)
        settled = self._is_settled(node)
        bound = min(self.preorder.end(node), self._known)
        while pending:
            end = self.preorder.end(pending[-1][0])
            if not settled and end >= self._known:
                break
            _, cap = pending.pop()
            if end >= bound:
                continue
            if starts[-1] == end:
                caps[-1] = cap
            else:
                starts.append(end)
                caps.append(cap)
        return Folds(tuple(starts), tuple(caps), tuple(pending))

    def _closed_above(self, node: int) -> list[int]:
        """The ancestors of a node from the topmost closed one down to its parent."""
        chain: list[int] = []
        above = self.preorder.parent(node)
        while above is not None:
            chain.append(above)
            above = self.preorder.parent(above)
        chain.reverse()
        for index, ancestor in enumerate(chain):
            if self._cap_at(ancestor + 1) <= self.preorder.depth(ancestor):
                return chain[index:]
        raise AssertionError("a hidden node has a closed ancestor")

    def _chain(self, chain: list[int]) -> Folds:
        """The inside of the first of nested nodes with just them open."""
        depths = [self.preorder.depth(node) for node in chain]
        starts = [node + 1 for node in chain]
        caps = [depth + 1 for depth in depths]
        nested = list(zip(chain, depths, strict=True))[1:]
        while nested and self._is_settled(nested[-1][0]):
            inner, cap = nested.pop()
            end = self.preorder.end(inner)
            if end >= min(self.preorder.end(chain[0]), self._known):
                continue
            if starts[-1] == end:
                caps[-1] = cap
            else:
                starts.append(end)
                caps.append(cap)
        return Folds(tuple(starts), tuple(caps), tuple(nested))

    def _remember(self, node: int, inside: Folds) -> None:
        self._stash.pop(node, None)
        self._stash[node] = inside
        if len(self._stash) > MOST_STASHED:
            del self._stash[next(iter(self._stash))]

    def _forget_below(self, node: int | None) -> None:
        """Drop what was remembered of the nodes below."""
        if node is None:
            self._stash.clear()
            return
        end = self.preorder.end(node) if self._is_settled(node) else self._known
        for closed in [closed for closed in self._stash if node <= closed < end]:
            del self._stash[closed]
