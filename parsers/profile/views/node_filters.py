"""Label filters over all nodes of a profile at once. Used in the worker."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from parsers.model.capabilities import HasEnds
from parsers.model.trees.tree import Preorder

if TYPE_CHECKING:
    from parsers.model.arrays import AnyArray, BoolArray, I64Array, U32Array
    from parsers.query.search.pattern import Pattern


class NodeFilters:
    """A `RowFilters` over nodes with few different labels. The view itself hides frames before it merges."""

    def __init__(self, preorder: Preorder, numbers: I64Array, texts: Sequence[str]) -> None:
        """
        numbers  by node: the number of its label
        texts    the labels
        """
        self._preorder = preorder
        self._numbers = numbers
        self._texts = texts

    @property
    def rows(self) -> int:
        """Number of nodes."""
        return self._preorder.rows

    def ends(self, start: int, stop: int) -> U32Array:
        """Returns the first node after each subtree."""
        if isinstance(self._preorder, HasEnds):
            return np.asarray(self._preorder.ends(start, stop)).astype(np.uint32)
        end = self._preorder.end
        return np.fromiter((end(node) for node in range(start, stop)), np.uint32, stop - start)

    def rows_at(self, offsets: AnyArray) -> AnyArray:
        """Returns -1 for all: nodes are not lines of the file."""
        return np.full(len(offsets), -1, np.int64)

    def mask(self, name: str, start: int, stop: int) -> AnyArray:
        """Returns False for all: see above."""
        return np.zeros(stop - start, np.bool_)

    def suppressed(self, options: Mapping[str, str], start: int, stop: int) -> AnyArray:
        """Returns False for all."""
        return np.zeros(stop - start, np.bool_)

    def matches(self, options: Mapping[str, str], start: int, stop: int) -> AnyArray:
        """Returns False for all."""
        return np.zeros(stop - start, np.bool_)

    def matching(self, pattern: Pattern) -> BoolArray:
        """Returns True for nodes whose label matches; each label is tested once."""
        matching = np.fromiter(map(pattern.matches, self._texts), np.bool_, len(self._texts))
        return matching[self._numbers]
