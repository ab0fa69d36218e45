"""A preorder of texts and the Strings that have them: texts of several Strings first, then those of a single one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from parsers.model.trees.grouped_preorder import TwoLevelPreorder

if TYPE_CHECKING:
    from parsers.model.arrays import I64Array

NO_TEXT = "(no text in the file)"
"""Label of the group of Strings without a text."""


class TextRows(TwoLevelPreorder):
    """A `Preorder` of millions of texts. A text is a group, its Strings are the leaves.

    A single String of a text has no row of its own. After all texts comes a group of Strings without one.
    """

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
        self.without_text = strings - firsts[self.shared] - (texts - self.shared)

    @property
    def groups(self) -> int:
        """Number of texts, and of the group of Strings without one."""
        return self.texts + (self.without_text > 0)

    def before(self, group: int) -> int:
        """Number of Strings with rows of their own before those of a text."""
        return self._firsts[min(group, self.shared)] + (self.without_text if group > self.texts else 0)

    def string(self, group: int, leaf: int) -> int:
        """Returns the String of a row, counted in the order of texts; the first one for a group."""
        if group < self.shared:
            return self._firsts[group] + max(leaf, 0)
        return self._firsts[self.shared] + group - self.shared + max(leaf, 0)

    def strings(self, first: int, last: int) -> I64Array:
        """Returns the first String of each of some texts, counted in the order of texts: int64."""
        shared = np.asarray(self._firsts[first : min(last, self.shared)], np.int64)
        alone = np.arange(max(first, self.shared), last) - self.shared + self._firsts[self.shared]
        return np.concatenate([shared, alone])

    def depths(self, start: int, stop: int) -> memoryview:
        """Returns the depths of a range."""
        start, stop = max(start, 0), min(stop, self.rows)
        found = np.ones(max(stop - start, 0), np.uint16)
        if not len(found):
            return found.data
        alone, rest = self.node(self.shared), self.node(self.texts)
        if start < alone:
            first, last = self.place(start)[0], self.place(min(stop, alone) - 1)[0] + 1
            groups = np.arange(first, last) + np.asarray(self._firsts[first:last], np.int64)
            found[groups[groups >= start] - start] = 0
        found[max(alone - start, 0) : max(rest + 1 - start, 0)] = 0
        return found.data

    def all_tops(self) -> I64Array:
        """Returns the nodes of all groups: int64."""
        shared = np.arange(self.shared) + np.asarray(self._firsts[: self.shared], np.int64)
        return np.concatenate([shared, np.arange(self.node(self.shared), self.node(self.groups - 1) + 1)])

    def tops(self, start: int, stop: int) -> Any:
        """Returns the nodes of a range without an ancestor in it, if that needs no work; else None."""
        if not 0 <= start < stop <= self.rows:
            return None
        if (start, stop) == (0, self.rows):
            return self.all_tops()
        group, leaf = self.place(start)
        return range(start, stop) if leaf >= 0 and stop <= self.node(group) + 1 + self.leaves(group) else None
