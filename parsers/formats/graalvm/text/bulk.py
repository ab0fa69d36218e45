"""Properties of rows in ranges, derived from several columns of an index, for filters. Used in the worker process."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from parsers.formats.graalvm.text.indexed_tree import BLOCK, DECLARES, FAR, signed

if TYPE_CHECKING:
    from parsers.formats.graalvm.text.indexed_tree import IndexedTree
    from parsers.model.arrays import AnyArray, BoolArray, I64Array, U16Array

DENSE = 16
"""Up to this many rows for each requested offset, the offsets of all rows are compared in order."""

STEP = 1 << 14
"""Offsets looked up together, each with the rows of a block."""


class Bulk:
    """Properties of the rows of a finished index, in ranges."""

    def __init__(self, tree: IndexedTree, pread: Callable[[int, int], bytes]) -> None:
        """pread: bytes of the file, by count and offset"""
        self._tree = tree
        self._pread = pread
        # One more of each, for rows without a vertex and vertices without a name.
        self._has_id = np.append(tree.ids() >= 0, False)
        self.vertex_names = np.append(signed(tree.array("vertex_name")), -1)
        """int64: name of each vertex; -1 without one, also for an extra last element."""

    def names(self, start: int, stop: int) -> I64Array:
        """Names of the rows' vertices, int64[stop - start]; -1 without one, which indexes an appended last element."""
        vertices = self._tree.array("vertex")[start:stop]
        return np.asarray(self.vertex_names[np.minimum(vertices, len(self.vertex_names) - 1)])

    def row_follows(self, start: int, stop: int) -> BoolArray:
        """Returns True for rows with another row on the next line, bool[stop - start]."""
        follows = np.ones(stop - start, np.bool_)
        last = np.append(self._tree.array("gap_row").astype(np.int64), self._tree.rows) - 1
        follows[last[(last >= start) & (last < stop)] - start] = False
        return follows

    def references(self, start: int, stop: int) -> BoolArray:
        """Returns True for rows that refer to an id declared elsewhere, bool[stop - start]."""
        vertices = self._tree.array("vertex")[start:stop]
        has_id = self._has_id[np.minimum(vertices, len(self._has_id) - 1)]
        references: BoolArray = has_id & (self._tree.array("kind")[start:stop] & DECLARES == 0)
        return references

    def rows_at(self, offsets: AnyArray) -> I64Array:
        """Row of the line that begins at each offset; for a continuation line its row; -1: the line is no row."""
        return rows_at(self._tree, np.asarray(offsets, np.int64), self._pread)


def rows_at(tree: IndexedTree, offsets: I64Array, pread: Callable[[int, int], bytes]) -> I64Array:
    """Returns the row of the line that begins at each of some offsets: int64; -1 where the line is no row.

    A line between a row and the next one belongs to the first if it is among the continuation lines of that row.
    """
    rows = np.full(len(offsets), -1, np.int64)
    if not tree.rows:
        return rows
    bases = tree.array("offset_base").astype(np.int64)
    deltas = tree.array("offset_delta")
    for start in range(0, len(offsets), STEP):
        asked = offsets[start : start + STEP]
        blocks = np.searchsorted(bases, asked, "right") - 1
        inside = np.flatnonzero(blocks >= 0)
        if not len(inside):
            continue
        blocks, asked = blocks[inside], asked[inside]
        first, last = int(blocks[0]) * BLOCK, min((int(blocks[-1]) + 1) * BLOCK, tree.rows)
        if last - first <= DENSE * len(asked):
            begins = tree.offsets(first, last)
            places = np.searchsorted(begins, asked, "right") - 1
            found, is_row = first + places, begins[places] == asked
        else:
            found = _found(tree, asked, blocks, bases, deltas)
            is_row = _offsets_of(tree, found, bases, deltas) == asked
        others = np.flatnonzero(~is_row)
        found[others[~_continues(tree, found[others], asked[others], pread)]] = -1
        rows[start + inside] = found
    return rows


def _found(tree: IndexedTree, asked: I64Array, blocks: I64Array, bases: I64Array, deltas: U16Array) -> I64Array:
    """Returns the last row that begins at or before each offset, found by comparing it with all rows of its block."""
    members = blocks[:, None] * BLOCK + np.arange(BLOCK)
    is_there = members < tree.rows
    begins = deltas[np.minimum(members, tree.rows - 1)]
    behind = begins <= (asked - bases[blocks])[:, None]
    # Rows whose offset exceeds 16 bits are looked up one by one.
    far = np.flatnonzero((begins == FAR).any(axis=1))
    found: I64Array = blocks * BLOCK + (behind & is_there).sum(axis=1) - 1
    for place in far.tolist():
        found[place] = tree.row_at(int(asked[place])) or 0
    return found


def _offsets_of(tree: IndexedTree, rows: I64Array, bases: I64Array, deltas: U16Array) -> I64Array:
    offsets = bases[rows // BLOCK] + deltas[rows]
    for place in np.flatnonzero(deltas[rows] == FAR).tolist():
        offsets[place] = tree.offset(int(rows[place]))
    return np.asarray(offsets)


def _continues(tree: IndexedTree, rows: I64Array, offsets: I64Array, pread: Callable[[int, int], bytes]) -> BoolArray:
    """Returns True for lines that continue the row before them. rows, offsets: of the lines, ascending"""
    continued, lines = tree.array("continued_row"), tree.array("continued_lines")
    found = np.isin(rows, continued[lines > 0])
    asked = np.unique(rows[found])
    gaps, before = tree.array("gap_row"), np.append(0, tree.array("gap_lines").astype(np.int64))
    between = before[np.searchsorted(gaps, asked + 1, "right")] - before[np.searchsorted(gaps, asked, "right")]
    counts = lines[np.searchsorted(continued, asked)]
    # Few rows are followed by lines that continue them and others.
    mixed = (between > counts) | (asked + 1 == tree.rows)
    for row, count in zip(asked[mixed].tolist(), counts[mixed].tolist(), strict=True):
        mine, start = slice(*np.searchsorted(rows, (row, row + 1)).tolist()), tree.offset(row)
        text = np.frombuffer(pread(int(offsets[mine][-1]) - start, start), np.uint8)
        found[mine] = np.searchsorted(np.flatnonzero(text == ord("\n")), offsets[mine] - start) <= count
    return found
