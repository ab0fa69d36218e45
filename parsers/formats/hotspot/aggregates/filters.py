"""Filters of a view that aggregates tasks: rows by their labels, rows whose methods are suppressed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from parsers.formats.hotspot.suppression import Suppression
from parsers.query.selection.label_filters import LabelFilters

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from parsers.formats.hotspot.aggregates.aggregate_view import AggregateView


class MergedFilters(LabelFilters):
    """The `RowFilters` of an `AggregateView`."""

    def __init__(self, view: AggregateView) -> None:
        super().__init__(view)
        self._merged = view

    def suppressed(self, options: Mapping[str, str], start: int, stop: int) -> NDArray[Any]:
        """Returns rows whose methods match the patterns."""
        view, suppression = self._merged, Suppression(options)
        found = np.zeros(stop - start, np.bool_)
        for node in range(start, stop) if suppression else ():
            method = view.method_of(*view.place(node))
            found[node - start] = method is not None and suppression.matches(node, view.decisions.method(method))
        return found

    def matches(self, options: Mapping[str, str], start: int, stop: int) -> NDArray[Any]:
        """Returns the same as `suppressed`."""
        return self.suppressed(options, start, stop)
