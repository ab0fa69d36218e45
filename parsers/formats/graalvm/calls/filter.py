"""Masks of a call tree for filters, in bulk: rows to hide, and suppressed methods.

Decisions that depend on a name are made once for each name and then looked up for ranges of rows. Used in the worker,
with numpy, over a finished index.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from parsers.formats.graalvm.calls.index.row import ENTRY, UNKNOWN
from parsers.formats.graalvm.text.filter import TextFilters
from parsers.model.names.java_name import JDK_METHODS
from parsers.model.names.patterns import Patterns

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from parsers.model.arrays import BoolArray
    from parsers.model.names.patterns import Subject


class CallFilters(TextFilters):
    """Masks and suppressed methods of one call tree."""

    def mask(self, name: str, start: int, stop: int) -> BoolArray:
        """Returns True for rows that a filter hides, bool[stop - start]. Raises `KeyError` for an unknown filter."""
        if name == "references":
            return self._bulk.references(start, stop)
        decide = {"jdk": lambda: self.names.of(JDK_METHODS), "synthetic": self.names.synthetic}[name]
        return self.shown(self.matching_vertices(name, decide), start, stop)

    def suppressed(self, options: Mapping[str, str], start: int, stop: int) -> BoolArray:
        """True for rows with children that show a suppressed method, bool[stop - start]; entries also as roots."""
        patterns = Patterns.from_options(options)
        if not patterns:
            return np.zeros(stop - start, np.bool_)
        kinds = self._tree.kinds(start, stop)
        matching = self._suppressed(patterns, "methods", start, stop)
        if patterns.suppresses("roots"):
            matching |= self._suppressed(patterns, "roots", start, stop) & (kinds == ENTRY)
        matching &= self._tree.ends(start, stop) > np.arange(start + 1, stop + 1)
        matching &= kinds != UNKNOWN
        return matching

    def matches(self, options: Mapping[str, str], start: int, stop: int) -> BoolArray:
        """Returns True for rows that show a suppressed method, with or without children."""
        return self._suppressed(Patterns.from_options(options), "methods", start, stop)

    def _suppressed(self, patterns: Patterns, subject: Subject, start: int, stop: int) -> NDArray[np.bool_]:
        return self.shown(self.suppressed_vertices(patterns, subject, self.names.of), start, stop)
