"""Filters of a view that aggregates tasks: rows by their labels, rows whose methods are suppressed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from parsers.formats.hotspot.suppression import Suppression
from parsers.query.selection.label_filters import LabelFilters

if TYPE_CHECKING:
    from parsers.formats.hotspot.names import Method
    from parsers.model.arrays import BoolArray
    from parsers.views.entry_view import EntryView


class MergedFilters(LabelFilters):
    """The `RowFilters` of an aggregating view."""

    def __init__(self, view: EntryView, method_of: Callable[[int], Method | None]) -> None:
        """method_of: method of a node; None if it has none"""
        super().__init__(view)
        self._method_of = method_of

    def suppressed(self, options: Mapping[str, str], start: int, stop: int) -> BoolArray:
        """Returns rows whose methods match the patterns."""
        suppression = Suppression(options)
        found = np.zeros(stop - start, np.bool_)
        for node in range(start, stop) if suppression else ():
            method = self._method_of(node)
            found[node - start] = method is not None and suppression.matches(node, method)
        return found
