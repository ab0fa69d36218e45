"""Filters for rows whose labels are methods, threads or packages: those of `NodeFilters`, and patterns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from parsers.model.names.patterns import Patterns
from parsers.profile.views.choices import MASKS
from parsers.profile.views.node_filters import NodeFilters

if TYPE_CHECKING:
    from parsers.model.arrays import AnyArray, BoolArray


class MethodFilters(NodeFilters):
    """Hides rows of suppressed methods with their descendants."""

    def _matching(self, decide: Callable[[str], bool], start: int, stop: int) -> BoolArray:
        matching = np.fromiter(map(decide, self._texts), np.bool_, len(self._texts))
        found: AnyArray = matching[self._numbers[start:stop]]
        return found

    def mask(self, name: str, start: int, stop: int) -> AnyArray:
        """Returns the rows that a filter hides by label. Raises `KeyError` for an unknown name."""
        if name == "references":
            return np.zeros(stop - start, np.bool_)
        return self._matching(MASKS[name], start, stop)

    def matches(self, options: Mapping[str, str], start: int, stop: int) -> BoolArray:
        """Returns rows whose label is a suppressed method."""
        patterns = Patterns.from_options(options)
        if not patterns.suppresses("methods"):
            return np.zeros(stop - start, np.bool_)
        return self._matching(patterns.is_suppressed_method, start, stop)

    def suppressed(self, options: Mapping[str, str], start: int, stop: int) -> BoolArray:
        """Returns those of them that have descendants."""
        found: AnyArray = self.matches(options, start, stop) & (self.ends(start, stop) > np.arange(start, stop) + 1)
        return found
