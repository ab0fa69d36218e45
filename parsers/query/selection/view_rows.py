"""Filters of a view whose rows represent rows of the file, but are not the file itself.

A leaf (a method of a package, an object of a type) is hidden or matched like the row of the file that it represents. An
inner row (a package, a type) is hidden or suppressed if all its leaves are, and is found if its own label matches. Runs
in the worker, with numpy; a view has far fewer rows than its file, so arrays of all of them are acceptable.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from parsers.query.selection.label_filters import ViewFilters
from parsers.query.selection.selecting import RANGE

if TYPE_CHECKING:
    from parsers.model.arrays import AnyArray, BoolArray, I64Array
    from parsers.model.capabilities import RepresentsRows
    from parsers.query.search.pattern import Pattern
    from parsers.query.selection.selecting import MatchingRows
    from parsers.query.selection.selection import RowFilters

STEP = 4_096
"""Labels tested between two progress messages."""


class ViewRows(ViewFilters):
    """Filters over the rows of a view whose leaves represent rows of the file."""

    def __init__(self, view: RepresentsRows, document: RowFilters) -> None:
        """document: the filters of the file."""
        super().__init__(view)
        self._view = view
        self._document = document
        self._masks: dict[str, BoolArray] = {}
        self._suppressed: BoolArray | None = None

    @cached_property
    def _leaves(self) -> I64Array:
        return np.flatnonzero(self._ends == np.arange(1, self.rows + 1))

    @cached_property
    def _of_leaves(self) -> I64Array:
        """By leaf the row of the file that it represents."""
        return np.asarray(self._view.leaf_rows(), np.int64)

    def mask(self, name: str, start: int, stop: int) -> BoolArray:
        """Rows that a filter hides. Raises `KeyError` for a name that the report doesn't know."""
        if name not in self._masks:
            self._masks[name] = self._with_ancestors(
                self._leaf_values(lambda first, last: self._document.mask(name, first, last))
            )
        return self._masks[name][start:stop]

    def suppressed(self, options: Mapping[str, str], start: int, stop: int) -> BoolArray:
        """Inner rows whose leaves are all of suppressed methods or types."""
        if self._suppressed is None:
            matching = self._with_ancestors(
                self._leaf_values(lambda first, last: self._document.matches(options, first, last))
            )
            matching[self._leaves] = False
            self._suppressed = matching
        return self._suppressed[start:stop]

    def matches(self, options: Mapping[str, str], start: int, stop: int) -> AnyArray:
        """Same as `suppressed`: a leaf has no rows that could be hidden."""
        return self.suppressed(options, start, stop)

    def wanted(self, lines: MatchingRows, pattern: Pattern) -> Iterator[float | BoolArray]:
        """Rows that match by their line of the file, else by their label. Yields fractions, and the result last."""
        found = np.zeros(self.rows, np.bool_)
        found[self._leaves] = self._leaf_values(lines)
        inner = np.setdiff1d(np.arange(self.rows), self._leaves, assume_unique=True)
        for start in range(0, len(inner), STEP):
            nodes = inner[start : start + STEP].tolist()
            found[nodes] = [pattern.matches(label) for label in self._view.labels_of(nodes)]
            yield start / len(inner)
        yield found

    def _leaf_values(self, ask: MatchingRows) -> BoolArray:
        """For each leaf, the filter value of the file's row that it represents."""
        rows = self._document.rows
        values = np.concatenate(
            [np.asarray(ask(start, min(start + RANGE, rows)), np.bool_) for start in range(0, rows, RANGE)]
            or [np.zeros(0, np.bool_)]
        )
        return values[self._of_leaves]

    def _with_ancestors(self, of_leaves: BoolArray) -> BoolArray:
        """For each row, True if it, or all leaves below it, match."""
        counts, matching = np.zeros(self.rows + 1, np.int64), np.zeros(self.rows + 1, np.int64)
        counts[self._leaves + 1] = 1
        matching[self._leaves + 1] = of_leaves
        counts, matching = np.cumsum(counts), np.cumsum(matching)
        nodes = np.arange(self.rows)
        has_all: BoolArray = matching[self._ends] - matching[nodes] == counts[self._ends] - counts[nodes]
        return has_all
