"""Filters of a view made of arrays: ends of subtrees, rows of lines, rows whose methods match a pattern."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol

import numpy as np

from parsers.model.names.patterns import Patterns
from parsers.query.selection.label_filters import LabelFilters, LabelledRows

if TYPE_CHECKING:
    from parsers.model.arrays import AnyArray, BoolArray


class ViewOfLines(LabelledRows, Protocol):
    """A view whose rows show lines with methods or classes."""

    def offset_of(self, node: int) -> int:
        """Returns the byte offset of the line of a node; -1 if it is none."""
        ...

    def subject_of(self, node: int) -> tuple[str, str]:
        """Returns method and class of a node; empty if it has none."""
        ...


class ArrayFilters(LabelFilters):
    """Filters over the rows of a `ViewOfLines`."""

    def __init__(self, view: ViewOfLines) -> None:
        super().__init__(view)
        self._line_rows = view
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
            method, holder = self._line_rows.subject_of(node)
            if not method and not holder:
                continue
            found = known.get((method, holder))
            if found is None:
                found = bool(method) and patterns.is_suppressed_method(method)
                found = known[method, holder] = found or (bool(holder) and patterns.is_suppressed_type(holder))
            matching[node - start] = found
        return matching
