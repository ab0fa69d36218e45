"""Base of the filters of both trees: rows and subtree ends in bulk, and decisions made once for each name."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from parsers.formats.graalvm.text.report import TextReport
    from parsers.model.arrays import I64Array, U32Array, U64Array
    from parsers.model.names.patterns import Patterns, PatternSet, Subject


class TextFilters:
    """Rows of one tree for filters; a derived class decides which are hidden and suppressed."""

    def __init__(self, report: TextReport[Any]) -> None:
        self._report = report
        self._tree, self._bulk, self.names = report.indexed, report.bulk, report.matched_names
        self._matching: dict[object, NDArray[np.bool_]] = {}

    @property
    def rows(self) -> int:
        """All rows."""
        return self._tree.rows

    def ends(self, start: int, stop: int) -> U32Array:
        """Returns the first row after each subtree, uint32[stop - start]."""
        return self._tree.ends(start, stop)

    def rows_at(self, offsets: U64Array) -> I64Array:
        """Row of the line that begins at each offset; for a continuation line its row; -1: the line is no row."""
        return self._bulk.rows_at(offsets)

    def matching_vertices(self, key: object, decide: Callable[[], NDArray[np.bool_]]) -> NDArray[np.bool_]:
        """bool by vertex: True if it matches; an extra last element, for rows without a vertex, is False.

        decide  gives bool by name; called once for each key
        """
        if key not in self._matching:
            self._matching[key] = np.append(decide(), False)[self._bulk.vertex_names]
        return self._matching[key]

    def suppressed_vertices(
        self, patterns: Patterns, subject: Subject, of: Callable[[PatternSet], NDArray[np.bool_]]
    ) -> NDArray[np.bool_]:
        """bool by vertex as `matching_vertices`: True if it is suppressed; `of` gives the names that patterns match."""
        return self.matching_vertices((subject, patterns), lambda: suppressed(patterns, subject, of))

    def shown(self, matching: NDArray[np.bool_], start: int, stop: int) -> NDArray[np.bool_]:
        """Returns True for rows that show or refer to a matching vertex."""
        vertices = self._tree.array("vertex")[start:stop]
        rows: NDArray[np.bool_] = matching[np.minimum(vertices, len(matching) - 1)]
        return rows


def suppressed(
    patterns: Patterns, subject: Subject, of: Callable[[PatternSet], NDArray[np.bool_]]
) -> NDArray[np.bool_]:
    """`Patterns.is_suppressed` of many texts; `of` gives the texts that patterns match."""
    expand, suppress, built_in = patterns.sets(subject)
    return (of(suppress) | of(built_in)) & ~of(expand)
