"""Rows of the objects of a heap dump by their ids: a table if ids are dense, else bisection."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from parsers.heapdump.graph.columns import NONE
from parsers.index.bitpacked.columns import Packed
from parsers.io.background_task import in_halves

if TYPE_CHECKING:
    from parsers.model.arrays import U32Array, U64Array

SPARSE = 16
"""Average distance of ids from which on they are looked up by bisection."""
PIECE = 1 << 16
"""Ids that are looked up at a time: as many as the processor's cache has space for."""


class ObjectRowLookup:
    """Rows by id; of equal ids the last one."""

    def __init__(self, ids: Packed, rows: range) -> None:
        self._rows = rows
        found = ids.numbers(slice(rows.start, rows.stop)) if rows else np.empty(0, np.uint64)
        self._lowest = found.min() if rows else np.uint64(0)
        span = int(found.max() - self._lowest) + 1 if rows else 0
        self._is_dense = span <= SPARSE * len(rows) + (1 << 16)
        if self._is_dense:
            # Row + 1, so that 0 becomes NONE, as in the last entry, which is that of all other ids.
            self._table = np.zeros(span + 1, np.uint32)
            self._table[found - self._lowest] = np.arange(rows.start + 1, rows.stop + 1, dtype=np.uint32)
        else:
            self._order = np.argsort(found, kind="stable")
            self._sorted = found[self._order]

    def find(self, ids: U64Array, rows: U32Array) -> None:
        """Writes the row of each id to `rows`; NONE if there is none."""
        in_halves(len(ids), lambda low, high: self._find(ids[low:high], rows[low:high]))

    def _find(self, ids: U64Array, rows: U32Array) -> None:
        for start in range(0, len(ids), PIECE):
            part = slice(start, start + PIECE)
            if self._is_dense:
                places = np.minimum(ids[part] - self._lowest, np.uint64(len(self._table) - 1))
                rows[part] = self._table[places.view(np.int64)] - np.uint32(1)
                continue
            places = np.maximum(np.searchsorted(self._sorted, ids[part], "right") - 1, 0)
            is_found = self._sorted[places] == ids[part]
            rows[part] = np.where(is_found, self._order[places] + self._rows.start, NONE)
