"""What the filters of both trees have in common: rows and their ends in bulk, and what is decided once a name."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from parsers.graalvm.bulk import name_texts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from parsers.graalvm.text_report import TextReport


class TextFilters:
    """Rows of one tree, as filters ask for them; a derived class knows what is hidden and suppressed."""

    def __init__(self, report: TextReport[Any]) -> None:
        self._report = report
        self._bulk = report.bulk()
        self._by_name: dict[object, NDArray[np.bool_]] = {}

    @property
    def rows(self) -> int:
        """All rows."""
        return self._bulk.rows

    def ends(self, start: int, stop: int) -> NDArray[Any]:
        """First row after each subtree, uint32[stop - start]."""
        return self._bulk.ends(start, stop)

    def rows_at(self, offsets: NDArray[Any]) -> NDArray[Any]:
        """The row of the line that begins at each offset; a continuation line names its row; -1: the line is no row."""
        return self._bulk.rows_at(offsets)

    def met_names(self, key: object, decide: Callable[[str], bool]) -> NDArray[np.bool_]:
        """By name: whether it is met; a last one, for rows without a name, is not. Decided once for a key."""
        met = self._by_name.get(key)
        if met is None:
            report = self._report
            parts = (map(decide, texts) for texts in name_texts(report.tree.behind, report.text))
            met = self._by_name[key] = np.array([*chain.from_iterable(parts), False], np.bool_)
        return met
