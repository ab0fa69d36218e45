"""Whole columns of a text tree as numpy arrays, for both implementations of the tree. Used in the worker process."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from parsers.formats.graalvm.text.read.plain_tree import PlainTree

if TYPE_CHECKING:
    from numpy.typing import NDArray

NONE = 0xFFFFFFFF
"""No vertex, no name."""


class Bulk(Protocol):
    """Columns in ranges of rows."""

    rows: int
    vertex_names: NDArray[Any]
    """Name of each vertex, int64; -1 without one, also for an extra last element."""

    def kinds(self, start: int, stop: int) -> NDArray[Any]:
        """Returns the numbers of the rows' kinds, uint8[stop - start]."""
        ...

    def ends(self, start: int, stop: int) -> NDArray[Any]:
        """Returns the first row after each subtree, uint32[stop - start]."""
        ...

    def vertices(self, start: int, stop: int) -> NDArray[Any]:
        """Returns the vertices of the rows, uint32[stop - start]; `NONE` without one."""
        ...

    def names(self, start: int, stop: int) -> NDArray[Any]:
        """Names of the rows' vertices, int64[stop - start]; -1 without one, which indexes an appended last element."""
        ...

    def offsets(self, start: int, stop: int) -> NDArray[Any]:
        """Returns the byte offsets of the rows' lines, int64[stop - start]."""
        ...

    def row_follows(self, start: int, stop: int) -> NDArray[Any]:
        """Returns True for rows with another row on the next line, bool[stop - start]."""
        ...

    def references(self, start: int, stop: int) -> NDArray[Any]:
        """Returns True for rows that refer to an id declared elsewhere, bool[stop - start]."""
        ...

    def rows_at(self, offsets: NDArray[Any]) -> NDArray[Any]:
        """Row of the line that begins at each offset; for a continuation line its row; -1: the line is no row."""
        ...


class PlainBulk:
    """Columns of a tree in memory."""

    def __init__(self, tree: PlainTree) -> None:
        scan = tree.scan
        self.rows = tree.rows
        self._kinds = np.array(scan.kinds, np.uint8)
        self._vertices = np.array(scan.vertices, np.uint32)
        self._ends = np.minimum(np.array(scan.ends, np.uint32), np.uint32(self.rows))
        self._declares = np.frombuffer(bytes(scan.declares), np.uint8).astype(np.bool_)
        self._lines = np.array(scan.lines, np.int64)
        self._offsets = np.array(scan.offsets, np.uint64)
        # A line after a row that is no row continues that row if the row can continue and the line is not a stray one.
        self._continued = np.array(sorted(scan.continued), np.int64)
        self._strays = np.array(scan.strays, np.uint64)
        # One more of each, for rows without a vertex and vertices without a name.
        self._has_id = np.append(np.array(scan.vertex_ids, np.int64) >= 0, False)
        names = np.append(np.array(scan.vertex_names, np.uint32), np.uint32(NONE)).astype(np.int64)
        self.vertex_names = np.where(names == NONE, -1, names)

    def kinds(self, start: int, stop: int) -> NDArray[Any]:
        """Returns the numbers of the rows' kinds, uint8[stop - start]."""
        return self._kinds[start:stop]

    def ends(self, start: int, stop: int) -> NDArray[Any]:
        """Returns the first row after each subtree, uint32[stop - start]."""
        return self._ends[start:stop]

    def vertices(self, start: int, stop: int) -> NDArray[Any]:
        """Returns the vertices of the rows, uint32[stop - start]; `NONE` without one."""
        return self._vertices[start:stop]

    def names(self, start: int, stop: int) -> NDArray[Any]:
        """Names of the rows' vertices, int64[stop - start]; -1 without one, which indexes an appended last element."""
        return np.asarray(self.vertex_names[np.minimum(self.vertices(start, stop), len(self.vertex_names) - 1)])

    def offsets(self, start: int, stop: int) -> NDArray[Any]:
        """Returns the byte offsets of the rows' lines, int64[stop - start]."""
        return self._offsets[start:stop].astype(np.int64)

    def row_follows(self, start: int, stop: int) -> NDArray[Any]:
        """Returns True for rows with another row on the next line, bool[stop - start]."""
        follows: NDArray[Any] = np.append(np.diff(self._lines[start : stop + 1]) == 1, False)[: stop - start]
        return follows

    def references(self, start: int, stop: int) -> NDArray[Any]:
        """Returns True for rows that refer to an id declared elsewhere, bool[stop - start]."""
        has_id = self._has_id[np.minimum(self.vertices(start, stop), len(self._has_id) - 1)]
        references: NDArray[Any] = has_id & ~self._declares[start:stop]
        return references

    def rows_at(self, offsets: NDArray[Any]) -> NDArray[Any]:
        """Row of the line that begins at each offset; for a continuation line its row; -1: the line is no row."""
        if not self.rows:
            return np.full(len(offsets), -1, np.int64)
        rows = np.searchsorted(self._offsets, offsets, "right") - 1
        is_row = (rows >= 0) & (self._offsets[np.maximum(rows, 0)] == offsets)
        rows[~is_row & (np.isin(offsets, self._strays) | ~np.isin(rows, self._continued))] = -1
        return rows
