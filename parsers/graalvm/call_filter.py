"""What filters ask of a call tree in bulk: which rows to hide, and which methods are suppressed.

Everything that a name decides is decided once a name and then looked up for ranges of rows. Used in the worker, with
numpy, over a finished index.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from parsers.graalvm.call_row import ENTRY, UNKNOWN
from parsers.graalvm.text_filter import TextFilters
from parsers.java_name import is_jdk as is_jdk
from parsers.java_name import is_synthetic as is_synthetic
from parsers.patterns import Patterns

if TYPE_CHECKING:
    from numpy.typing import NDArray


class CallFilters(TextFilters):
    """Masks and suppressed methods of one call tree."""

    def mask(self, name: str, start: int, stop: int) -> NDArray[Any]:
        """Which rows a filter hides, bool[stop - start]. Raises `KeyError` for a name it doesn't know."""
        if name == "references":
            return self._bulk.references(start, stop)
        decide = {"jdk": is_jdk, "synthetic": is_synthetic}[name]
        return self._shows(name, decide, start, stop)

    def suppressed(self, options: Mapping[str, str], start: int, stop: int) -> NDArray[Any]:
        """Rows that show a suppressed method and have rows below them, bool[stop - start]; entries also as roots."""
        patterns = Patterns.from_options(options)
        if not patterns:
            return np.zeros(stop - start, np.bool_)
        kinds = self._bulk.kinds(start, stop)
        met = self.meets(options, start, stop)
        if patterns.suppresses("roots"):
            met |= self._shows(("roots", patterns), patterns.is_suppressed_root, start, stop) & (kinds == ENTRY)
        met &= self._bulk.ends(start, stop) > np.arange(start + 1, stop + 1)
        met &= kinds != UNKNOWN
        return met

    def meets(self, options: Mapping[str, str], start: int, stop: int) -> NDArray[Any]:
        """Rows that show a suppressed method, whether or not rows are below them."""
        patterns = Patterns.from_options(options)
        return self._shows(patterns, patterns.is_suppressed_method, start, stop)

    def _shows(self, key: object, decide: Callable[[str], bool], start: int, stop: int) -> NDArray[np.bool_]:
        """Which rows show or refer to something whose name is met."""
        shown: NDArray[np.bool_] = self.met_names(key, decide)[self._bulk.names(start, stop)]
        return shown
