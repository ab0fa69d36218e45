"""A preorder of texts and the Strings that have them: texts of several Strings first, then those of a single one."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from parsers.model.trees.grouped_preorder import ITSELF

if TYPE_CHECKING:
    from parsers.model.arrays import I64Array

NO_TEXT = "(no text in the file)"
"""Label of the group of Strings without a text."""


class TextRows:
    """A `Preorder` of millions of texts, similar to `GroupedPreorder`. A text is a group, its Strings are the leaves.

    A single String of a text has no row of its own. After all texts comes a group of Strings without one.
    """

    is_complete = True

    def __init__(self, firsts: Sequence[int], texts: int, strings: int) -> None:
        """
        firsts   first String of each text that several have; and the first of the single ones
        texts    number of all texts, including those of a single String
        strings  number of all Strings, including those without text
        """
        self._firsts = firsts
        self.shared = len(firsts) - 1
        """Number of texts that several Strings have: the first ones."""
        self.texts = texts
        self._alone = self.shared + firsts[self.shared]
        """Row of the first text of a single String."""
        self._rest = self._alone + texts - self.shared
        self.without_text = strings - firsts[self.shared] - (texts - self.shared)
        self.groups = texts + (self.without_text > 0)
        self.rows = self._rest + (1 + self.without_text if self.without_text else 0)

    def leaves(self, group: int) -> int:
        """Returns the number of rows below a group."""
        if group < self.shared:
            return self._firsts[group + 1] - self._firsts[group]
        return self.without_text if group == self.texts else 0

    def string(self, group: int, leaf: int) -> int:
        """Returns the String of a row, counted in the order of texts; the first one for a group."""
        if group < self.shared:
            return self._firsts[group] + max(leaf, 0)
        return self._firsts[self.shared] + group - self.shared + max(leaf, 0)

    def strings(self, first: int, last: int) -> I64Array:
        """Returns the first String of each of some texts, counted in the order of texts: int64."""
        import numpy as np

        shared = np.asarray(self._firsts[first : min(last, self.shared)], np.int64)
        alone = np.arange(max(first, self.shared), last) - self.shared + self._firsts[self.shared]
        return np.concatenate([shared, alone])

    def place(self, node: int) -> tuple[int, int]:
        """Returns the group of a node and the index of its leaf, from 0; ITSELF for the group."""
        if not 0 <= node < self.rows:
            raise IndexError(f"no node {node}")
        if node < self._alone:
            group = bisect_right(range(self.shared), node, key=self._start) - 1
            return group, node - self._start(group) - 1
        if node < self._rest:
            return self.shared + node - self._alone, ITSELF
        return self.texts, node - self._rest - 1

    def _start(self, group: int) -> int:
        """Returns the row of a text that several have."""
        return group + self._firsts[group]

    def node(self, group: int, leaf: int = ITSELF) -> int:
        """Returns the node of a group or of one of its leaves."""
        start = self._start(group) if group < self.shared else self._alone + group - self.shared
        return start + 1 + leaf

    def depth(self, node: int) -> int:
        """Returns the depth of a node."""
        return int(self.place(node)[1] >= 0)

    def depths(self, start: int, stop: int) -> memoryview:
        """Returns the depths of a range."""
        import numpy as np

        start, stop = max(start, 0), min(stop, self.rows)
        found = np.ones(max(stop - start, 0), np.uint16)
        if not len(found):
            return found.data
        if start < self._alone:
            first, last = self.place(start)[0], self.place(min(stop, self._alone) - 1)[0] + 1
            groups = np.arange(first, last) + np.asarray(self._firsts[first:last], np.int64)
            found[groups[groups >= start] - start] = 0
        found[max(self._alone - start, 0) : max(self._rest + 1 - start, 0)] = 0
        return found.data

    def tops(self, start: int, stop: int) -> Any:
        """Returns the nodes of a range without an ancestor in it, if that needs no work; else None."""
        if not 0 <= start < stop <= self.rows:
            return None
        if (start, stop) == (0, self.rows):
            import numpy as np

            shared = np.arange(self.shared) + np.asarray(self._firsts[: self.shared], np.int64)
            return np.concatenate([shared, np.arange(self._alone, self._rest + (self.without_text > 0))])
        group, leaf = self.place(start)
        return range(start, stop) if leaf >= 0 and stop <= self.node(group) + 1 + self.leaves(group) else None

    def end(self, node: int) -> int:
        """Returns the first node after the subtree of a node."""
        group, leaf = self.place(node)
        return node + 1 if leaf >= 0 else node + 1 + self.leaves(group)

    def parent(self, node: int) -> int | None:
        """Returns the parent of a node."""
        group, leaf = self.place(node)
        return self.node(group) if leaf >= 0 else None
