"""Joins the objects of a heap dump that kernels have read: ids become rows, references are transposed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from parsers.formats.hprof.text.heap_kernel import (
    add_up,
    count_targets,
    find_targets,
    number_rows,
    transpose_references,
)
from parsers.heapdump.graph.columns import NONE
from parsers.index.bitpacked.columns import Packed
from parsers.io.background_task import in_halves

SPARSE = 16
"""Average distance of ids from which on they are looked up by bisection."""
PIECE = 1 << 20
"""Ids that are unpacked at a time."""


class ObjectRowLookup:
    """Rows of objects by their ids: a table if ids are dense, else bisection."""

    def __init__(self, ids: Packed, rows: range) -> None:
        self._rows = rows
        self._table: Any = None
        self._ids = ids
        self._lowest, highest = ids.bounds(rows) if rows else (0, -1)
        span = highest - self._lowest + 1
        if self._lowest < 1 << 62 and span <= SPARSE * len(rows) + (1 << 16):
            self._table = np.zeros(max(span, 0), np.uint32)
            first = rows.start
            for piece in self._pieces():
                number_rows(piece, self._lowest, first, self._table)
                first += len(piece)
        else:
            found = ids.numbers(slice(rows.start, rows.stop))
            self._order = np.argsort(found, kind="stable")
            self._sorted = found[self._order]

    def _pieces(self) -> Any:
        for start in range(self._rows.start, self._rows.stop, PIECE):
            yield self._ids.numbers(slice(start, min(start + PIECE, self._rows.stop)))

    def find(self, ids: Any, rows: Any) -> None:
        """Writes the row of each id to `rows`; NONE if there is none."""
        if self._table is not None:
            find_targets(ids, self._lowest, self._table, rows)
            return
        # The last one of equal ids.
        places = np.searchsorted(self._sorted, ids, "right").astype(np.int64) - 1
        is_found = (places >= 0) & (self._sorted[np.maximum(places, 0)] == ids)
        rows[:] = np.where(is_found, self._order[np.maximum(places, 0)] + self._rows.start, NONE)

    def find_in_halves(self, ids: Any, rows: Any) -> None:
        """Does the same with two threads."""
        in_halves(len(ids), lambda low, high: self.find(ids[low:high], rows[low:high]))


def transpose(targets: Any, objects: int, make_buffer: Any) -> tuple[Any, Any]:
    """Returns references by their targets: the start for each object (one entry more), and the references.

    targets  uint32: an object or NONE for each reference
    make_buffer     returns an array of so many numbers for the references
    """
    # One entry more: 0 until the counts are added up, then the number of all references.
    firsts = np.zeros(objects + 1, np.uint32)
    count_targets(targets, firsts)
    add_up(firsts)
    referrers = make_buffer(int(firsts[objects]))
    transpose_references(targets, firsts, referrers)
    return firsts, referrers


def roots_found(lookup: ObjectRowLookup, ids: Sequence[int]) -> list[int]:
    """Returns the rows of the ids of roots."""
    found = np.full(len(ids), NONE, np.uint32)
    lookup.find(np.array(ids, np.uint64), found)
    rows: list[int] = found.tolist()
    return rows
