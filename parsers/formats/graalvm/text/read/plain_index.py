"""Builds the index of a text tree with plain Python: for small files, and the start of large ones on a first run.

The arrays equal those that kernels write, except for the layout of the hash table of names.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from parsers.formats.graalvm.text.columns import BLOCK, COLUMNS, id_columns, lowest_depths, rows_below
from parsers.formats.graalvm.text.indexed_tree import DECLARES, FAR
from parsers.formats.graalvm.text.read.plain_tree import PlainTree
from parsers.index.in_memory import MemoryIndex
from parsers.index.text_hash import hash_of
from parsers.model.none import NONE

if TYPE_CHECKING:
    from parsers.index.writer import Writer
    from parsers.model.arrays import AnyArray, U32Array

ArraysOf = Callable[[PlainTree], Mapping[str, "AnyArray"]]
"""Makes the arrays that only one format has, by name, from a finished tree."""


class PlainIndex:
    """The build of one index from successive bytes."""

    def __init__(self, writer: Writer | MemoryIndex, tree: PlainTree, columns: Mapping[str, str] = COLUMNS) -> None:
        """
        tree     empty, read by `feed`; or a whole one
        columns  the `COLUMNS` that the index has
        """
        self.tree = tree
        self._scan = self.tree.scan
        self._writer = writer
        self._columns = columns
        self._written = 0
        self._lengths = dict.fromkeys(columns, 0)
        self._gap_lines = 0
        self._base = 0
        self._listed: dict[int, int] = {}
        """Rows whose subtree is open, and their place in `listed_row`."""
        for name, type in columns.items():
            writer.open(name, type)

    def feed(self, data: bytes) -> None:
        """Parses more bytes, and writes the rows that are known to be complete."""
        if self.tree.counts is not None:
            self.tree.counts.feed(data)
        open_rows = self.tree.scan.open_rows
        self._scan.feed(data)
        self._write(open_rows)

    def finish(self, arrays: ArraysOf) -> None:
        """Finishes the file and writes all arrays. arrays: returns those that only the format has"""
        open_rows = self._scan.open_rows
        self.tree.finish()
        self._write(open_rows)
        self._save()
        for name, values in arrays(self.tree).items():
            self._writer.save(name, values)

    @property
    def lengths(self) -> dict[str, int]:
        """Number of written entries of each array."""
        return dict(self._lengths)

    def _put(self, name: str, values: AnyArray) -> None:
        if name not in self._columns:
            return
        values = np.ascontiguousarray(values, np.dtype(COLUMNS[name]))
        if len(values):
            self._writer.put(name, self._lengths[name], values)
            self._lengths[name] += len(values)
            self._writer.length(name, self._lengths[name])

    def _write(self, open_rows: list[int]) -> None:
        """Writes new rows, and the ends of rows that were open before."""
        scan = self._scan
        first, last = self._written, len(scan.offsets)
        for row in open_rows:
            if scan.ends[row] != NONE and row in self._listed:
                self._writer.put("listed_end", self._listed.pop(row), np.array([scan.ends[row]], np.uint32))
        if first == last:
            return
        offsets = np.array(scan.offsets[first:last], np.uint64)
        rows = np.arange(first, last)
        begins = np.flatnonzero(rows % BLOCK == 0)
        bases = np.append(np.uint64(self._base), offsets[begins])
        deltas = offsets - bases[np.searchsorted(begins, np.arange(last - first), "right")]
        is_far = deltas >= FAR
        self._base = int(bases[-1])
        self._put("offset_base", offsets[begins])
        self._put("offset_delta", np.minimum(deltas, FAR))
        self._put("far_row", rows[is_far])
        self._put("far_offset", offsets[is_far])
        self._put("depth", np.array(scan.depths[first:last], np.uint16))
        declares = np.frombuffer(bytes(scan.declares[first:last]), np.uint8)
        self._put("kind", np.array(scan.kinds[first:last], np.uint8) | declares * np.uint8(DECLARES))
        ends = np.array(scan.ends[first:last], np.uint32)
        below, listed = rows_below(ends, first)
        for place, row in enumerate(rows[listed].tolist(), self._lengths["listed_row"]):
            if scan.ends[row] == NONE:
                self._listed[row] = place
        self._put("below", below)
        self._put("listed_row", rows[listed])
        self._put("listed_end", ends[listed])
        self._put("vertex", np.array(scan.vertices[first:last], np.uint32))
        extra = np.array(scan.lines[first:last], np.uint64) - rows.astype(np.uint64) - np.uint64(1)
        gaps = np.flatnonzero(np.diff(extra, prepend=np.uint64(self._gap_lines)))
        self._put("gap_row", rows[gaps])
        self._put("gap_lines", extra[gaps])
        self._gap_lines = int(extra[-1])
        self._written = last

    def _save(self) -> None:
        """Writes the arrays that are known at the end only."""
        scan, tree, save = self._scan, self.tree, self._writer.save
        continuing = sorted(scan.continuing)
        self._put("continued_row", np.array(continuing, np.uint32))
        self._put("continued_lines", np.array([scan.continued.get(row, 0) for row in continuing], np.uint32))
        for name, length in self._lengths.items():
            self._writer.length(name, length)
        lengths = np.array([len(name) for name in scan.names], np.uint64)
        save("name_starts", np.append(np.uint64(0), np.cumsum(lengths, dtype=np.uint64)))
        save("name_bytes", np.frombuffer(b"".join(scan.names), np.uint8))
        save("name_slots", slots_of(scan.names))
        save("vertex_name", np.array(scan.vertex_names, np.uint32))
        save("declaration", np.array(scan.declarations, np.uint32))
        vertices = np.array(scan.vertices, np.uint32)
        has_vertex = np.flatnonzero(vertices != NONE)
        counts = np.bincount(vertices[has_vertex], minlength=tree.vertices) if tree.vertices else np.zeros(0, np.int64)
        save("vertex_start", np.append(0, np.cumsum(counts)).astype(np.uint32))
        save("vertex_row", has_vertex[np.argsort(vertices[has_vertex], kind="stable")].astype(np.uint32))
        ids = np.array(scan.vertex_ids, np.int64)
        ends = np.array(scan.ends, np.uint32)
        below, large = rows_below(ends)
        self._writer.put("below", 0, below)
        save("large_row", large.astype(np.uint32))
        save("large_end", ends[large])
        for name in ("listed_row", "listed_end"):
            self._writer.drop(name)
        save("low_depth", lowest_depths(np.array(scan.depths, np.uint16)))
        for name, values in id_columns(ids).items():
            save(name, values)
        members = [tree.name_vertices(name) for name in range(len(scan.names))]
        save("name_vertex_start", np.append(0, np.cumsum([len(vertices) for vertices in members])).astype(np.uint32))
        save("name_vertex", np.array([vertex for vertices in members for vertex in vertices], np.uint32))


def index_in_memory(tree: PlainTree, arrays: ArraysOf, columns: Mapping[str, str] = COLUMNS) -> MemoryIndex:
    """Returns the index of a whole tree, without a file."""
    summary = tree.summary
    index = MemoryIndex(tree.rows, summary.totals, summary.facts, summary.problems, summary.problem_count)
    PlainIndex(index, tree, columns).finish(arrays)
    return index


def slots_of(names: list[bytes]) -> U32Array:
    """Builds a hash table of names: number + 1 in the slot of the hash, 0 in free slots."""
    size = 1 << max(4, (2 * len(names)).bit_length())
    slots = np.zeros(size, np.uint32)
    for number, name in enumerate(names):
        place = hash_of(name) & size - 1
        while slots[place]:
            place = place + 1 & size - 1
        slots[place] = number + 1
    return slots
