"""Filters of a view made of arrays: ends of subtrees, rows of lines, rows whose methods match a pattern."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from parsers.model.names.patterns import Patterns
from parsers.query.selection.label_filters import LabelFilters

if TYPE_CHECKING:
    from parsers.model.arrays import AnyArray, BoolArray


class ArrayFilters(LabelFilters):
    """Filters over the rows of an `ArrayView`."""

    def __init__(self, view: Any) -> None:
        super().__init__(view)
        offsets = np.fromiter((view.offset_of(node) for node in range(self.rows)), np.int64, self.rows)
        self._order = np.argsort(offsets, kind="stable")
        self._offsets = offsets[self._order]

    def rows_at(self, offsets: AnyArray) -> AnyArray:
        """The row of the line that begins at each offset; -1: the line is no row."""
        if not len(self._offsets):
            return np.full(len(offsets), -1, np.int64)
        wanted = np.asarray(offsets, np.int64)
        places = np.minimum(np.searchsorted(self._offsets, wanted), len(self._offsets) - 1)
        return np.where(self._offsets[places] == wanted, self._order[places], -1)

    def matches(self, options: Mapping[str, str], start: int, stop: int) -> BoolArray:
        """Rows whose method or class is suppressed."""
        patterns = Patterns.from_options(options)
        known: dict[tuple[str, str], bool] = {}
        matching = np.zeros(stop - start, np.bool_)
        for node in range(start, stop):
            method, holder = self._view.subject_of(node)
            if not method and not holder:
                continue
            found = known.get((method, holder))
            if found is None:
                found = bool(method) and patterns.is_suppressed_method(method)
                found = known[method, holder] = found or (bool(holder) and patterns.is_suppressed_type(holder))
            matching[node - start] = found
        return matching
