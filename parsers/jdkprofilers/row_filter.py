"""What filters ask of a view made of arrays: ends of subtrees, rows of lines, rows whose methods a pattern meets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from parsers.patterns import Patterns

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from parsers.search.pattern import Pattern


class ArrayFilters:
    """Filters over the rows of an `ArrayView`."""

    def __init__(self, view: Any) -> None:
        self._view = view
        self._preorder = view.tree.preorder
        rows = self.rows
        self._ends = np.fromiter((self._preorder.end(node) for node in range(rows)), np.uint32, rows)
        offsets = np.fromiter((view.offset_of(node) for node in range(rows)), np.int64, rows)
        self._order = np.argsort(offsets, kind="stable")
        self._offsets = offsets[self._order]

    @property
    def rows(self) -> int:
        """All rows."""
        return int(self._preorder.rows)

    def ends(self, start: int, stop: int) -> NDArray[Any]:
        """First row after each subtree."""
        return self._ends[start:stop]

    def rows_at(self, offsets: NDArray[Any]) -> NDArray[Any]:
        """The row of the line that begins at each offset; -1: the line is no row."""
        if not len(self._offsets):
            return np.full(len(offsets), -1, np.int64)
        wanted = np.asarray(offsets, np.int64)
        places = np.minimum(np.searchsorted(self._offsets, wanted), len(self._offsets) - 1)
        return np.where(self._offsets[places] == wanted, self._order[places], -1)

    def mask(self, name: str, start: int, stop: int) -> NDArray[Any]:
        """No filter hides rows of a kind here. Raises `KeyError`."""
        raise KeyError(name)

    def suppressed(self, options: Mapping[str, str], start: int, stop: int) -> NDArray[Any]:
        """Rows with rows below them whose method or class is suppressed."""
        return self.meets(options, start, stop) & (self._ends[start:stop] > np.arange(start, stop) + 1)

    def meets(self, options: Mapping[str, str], start: int, stop: int) -> NDArray[Any]:
        """Rows whose method or class is suppressed."""
        patterns = Patterns.from_options(options)
        known: dict[tuple[str, str], bool] = {}
        met = np.zeros(stop - start, np.bool_)
        for node in range(start, stop):
            method, holder = self._view.subject_of(node)
            if not method and not holder:
                continue
            found = known.get((method, holder))
            if found is None:
                found = bool(method) and patterns.is_suppressed_method(method)
                found = known[method, holder] = found or (bool(holder) and patterns.is_suppressed_type(holder))
            met[node - start] = found
        return met

    def matching(self, pattern: Pattern) -> NDArray[np.bool_]:
        """By row: whether its label matches; each label is looked at once."""
        known: dict[str, bool] = {}
        found = np.zeros(self.rows, np.bool_)
        for node, label in enumerate(self._view.labels(0, self.rows)):
            met = known.get(label)
            if met is None:
                met = known[label] = pattern.matches(label)
            found[node] = met
        return found
