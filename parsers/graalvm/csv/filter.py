"""What is found and filtered in a CSV call tree: by the names of methods, each of which is looked at once."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from parsers.graalvm.calls.filter import CallFilters
from parsers.search.line_finder import SLACK, finder_of
from parsers.selection.selecting import RANGE
from parsers.selection.view_rows import Known, ViewRows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from parsers.graalvm.calls.report import CallReport
    from parsers.search.pattern import Pattern

TOGETHER = 1 << 16
"""Names that are looked through at a time."""


class NameFinder:
    """Looks for one pattern in the methods that rows show: a `RowFinder`."""

    def __init__(self, report: CallReport, pattern: Pattern, is_patient: bool = False) -> None:
        """is_patient: whether expressions may be tried that could take very long"""
        self._report = report
        self._pattern = pattern

    @cached_property
    def _names(self) -> dict[str, NDArray[np.bool_]]:
        """By what the pattern is taken for: by name, and a last one that there is none of, whether it holds it."""
        names, pattern, encoding = self._report.tree.names, self._pattern, self._report.encoding
        kinds = [kind for kind, it in (("regex", pattern.regex), ("text", pattern.plain)) if it is not None]
        finders = {kind: finder_of(pattern, kind, encoding) for kind in kinds}  # type: ignore[arg-type]
        found = {kind: np.zeros(len(names) + 1, np.bool_) for kind in kinds}
        for first in range(0, len(names), TOGETHER):
            part = names[first : first + TOGETHER]
            starts = np.cumsum([0, *(len(name) + 1 for name in part)])
            data = bytearray(b"\n".join(part) + b"\n" + bytes(SLACK))
            for kind, finder in finders.items():
                lines = finder.find(data, int(starts[-1]))
                found[kind][first + np.searchsorted(starts, lines, "right") - 1] = True
        return {kind: ~each if pattern.is_negated else each for kind, each in found.items()}

    @cached_property
    def _thing_names(self) -> NDArray[np.int64]:
        """By thing its name."""
        return np.asarray(self._report.bulk().thing_names)

    def find(self, nodes: Any) -> Mapping[str, Any]:
        """Which of some rows (int64[], ascending) match, bool[]: as a "regex", as a "text", as what it may be."""
        bulk = self._report.bulk()
        first, last = (int(nodes[0]), int(nodes[-1]) + 1) if len(nodes) else (0, 0)
        things = np.asarray(bulk.things(first, last))[np.asarray(nodes) - first]
        names = self._thing_names[np.minimum(things, len(self._thing_names) - 1)]
        return {kind: each[names] for kind, each in self._names.items()}

    def matching(self) -> NDArray[np.bool_]:
        """By row: whether it matches what the pattern is: an expression, if it is one that anything matches."""
        rows = self._report.tree.rows
        parts = [self.find(np.arange(start, min(start + RANGE, rows))) for start in range(0, rows, RANGE)]
        by_kind = {kind: np.concatenate([part[kind] for part in parts]) for kind in (parts[0] if parts else ())}
        if not by_kind:
            return np.zeros(rows, np.bool_)
        kind = self._pattern.kind
        if kind == "auto":
            kind = "regex" if "regex" in by_kind and self._holds(by_kind["regex"]) else "text"
        return by_kind[kind]

    def _holds(self, found: NDArray[np.bool_]) -> bool:
        """Whether anything holds what is looked for."""
        return bool((~found if self._pattern.is_negated else found).any())


class CsvFilters(CallFilters):
    """Filters of the rows of the tree."""

    def matching(self, pattern: Pattern) -> NDArray[np.bool_]:
        """By row: whether the method that it shows matches."""
        return NameFinder(self._report, pattern, is_patient=True).matching()  # type: ignore[arg-type]


class CsvViewRows(ViewRows):
    """Filters of a view whose rows stand for rows of the tree."""

    def __init__(self, view: Any, report: CallReport) -> None:
        self._filters = CsvFilters(report)
        super().__init__(view, self._filters)
        self.prepare()

    def matching(self, pattern: Pattern) -> NDArray[np.bool_]:
        """By row: whether it matches, or the row of the tree that it stands for does."""
        *_, found = self.wanted(Known(self._filters.matching(pattern)), pattern)
        return np.asarray(found)
