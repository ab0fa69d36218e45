"""What filters ask of a view that merges tasks: which rows' labels match, which rows' methods are suppressed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from parsers.hotspot.suppression import Suppression

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from parsers.hotspot.merged_view import MergedView
    from parsers.search.pattern import Pattern


class MergedFilters:
    """A `RowFilters` over the nodes of a `MergedView`."""

    def __init__(self, view: MergedView) -> None:
        self._view = view

    @property
    def rows(self) -> int:
        """All nodes."""
        return self._view.rows.rows

    def ends(self, start: int, stop: int) -> NDArray[Any]:
        """First node after each subtree."""
        end = self._view.rows.end
        return np.fromiter((end(node) for node in range(start, stop)), np.uint32, stop - start)

    def rows_at(self, offsets: NDArray[Any]) -> NDArray[Any]:
        """No node is a line of the file."""
        return np.full(len(offsets), -1, np.int64)

    def mask(self, name: str, start: int, stop: int) -> NDArray[Any]:
        """There are no kinds of rows to hide. Raises `KeyError`."""
        raise KeyError(name)

    def suppressed(self, options: Mapping[str, str], start: int, stop: int) -> NDArray[Any]:
        """Rows of methods that the patterns meet."""
        view, suppression = self._view, Suppression(options)
        found = np.zeros(stop - start, np.bool_)
        for node in range(start, stop) if suppression else ():
            method = view.method_of(*view.place(node))
            found[node - start] = method is not None and suppression.meets(node, view.insides.method(method))
        return found

    def meets(self, options: Mapping[str, str], start: int, stop: int) -> NDArray[Any]:
        """The same."""
        return self.suppressed(options, start, stop)

    def matching(self, pattern: Pattern) -> NDArray[np.bool_]:
        """By node: whether its label matches; each label is looked at once."""
        known: dict[str, bool] = {}
        found = np.zeros(self.rows, np.bool_)
        for node, label in enumerate(self._view.labels(0, self.rows)):
            met = known.get(label)
            if met is None:
                met = known[label] = pattern.matches(label)
            found[node] = met
        return found
