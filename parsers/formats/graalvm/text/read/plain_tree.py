"""A text tree in memory, built by the plain row parsers: the head of a large file, or a whole small file."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property
from typing import Any

from parsers.formats.graalvm.text.read.plain_scan import ParseRow, PlainTextScan
from parsers.formats.graalvm.text.summary import TextSummary
from parsers.io.charset import boxes_of, detect
from parsers.io.source import HEAD
from parsers.model.none import NONE


class FormatCounts:
    """Counts of one format, updated while rows are read."""

    def feed(self, data: bytes) -> None:
        """Adds more bytes of the file, before its rows. Does nothing: most counts need only rows."""

    def observe(self, scan: PlainTextScan, row: int, parsed: Any, text: bytes) -> None:
        """Adds one row."""
        raise NotImplementedError

    def summary(self, tree: PlainTree) -> TextSummary:
        """Returns the totals, facts and problems of the whole file."""
        raise NotImplementedError


class PlainTree:
    """`TextTree` over a `PlainTextScan`.

    For a file's head (`is_whole` False), an incomplete last line is omitted and the subtrees at its end are open.
    """

    def __init__(
        self,
        data: bytes,
        parse_row: ParseRow,
        is_whole: bool,
        *,
        unknown: int,
        encoding: str | None = None,
        counts: FormatCounts | None = None,
    ) -> None:
        """unknown: number of the kind of rows that fit no form. encoding: None detects it from the first row."""
        self.counts = counts
        boxes = boxes_of(encoding or detect(data[:HEAD]))
        self.scan = PlainTextScan(parse_row, unknown, boxes, counts.observe if counts else None)
        """The scan with all rows read."""
        self.scan.feed(data)
        if is_whole:
            self.scan.finish()
        self._is_whole = is_whole

    def finish(self) -> None:
        """Finishes a file that was given to the scan in pieces."""
        self.scan.finish()
        self._is_whole = True

    @cached_property
    def summary(self) -> TextSummary:
        """Counts, facts and problems of a whole file; empty for a head."""
        return self.counts.summary(self) if self.counts is not None and self._is_whole else TextSummary()

    # -- preorder -----------------------------------------------------------------------------------------------------

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(self.scan.offsets)

    @property
    def is_complete(self) -> bool:
        """True if the whole file was read."""
        return self._is_whole

    @cached_property
    def roots(self) -> Sequence[int]:
        """The rows without parent."""
        return [row for row, parent in enumerate(self.scan.parents) if parent == NONE]

    def depth(self, node: int) -> int:
        """Returns the depth of a row."""
        return self.scan.depths[node]

    def depths(self, start: int, stop: int) -> memoryview:
        """Returns the depths of a range of rows."""
        return memoryview(self.scan.depths)[start:stop]

    def end(self, node: int) -> int:
        """Returns the first row after the subtree."""
        end = self.scan.ends[node]
        return len(self.scan.offsets) if end == NONE else end

    def parent(self, node: int) -> int | None:
        """Returns the parent of the row."""
        parent = self.scan.parents[node]
        return None if parent == NONE else parent

    # -- rows ---------------------------------------------------------------------------------------------------------

    def offset(self, row: int) -> int:
        """Returns the byte offset of the row's line."""
        return self.scan.offsets[row]

    def line(self, row: int) -> int:
        """Returns the number of the row's line, from 1."""
        return self.scan.lines[row]

    def row_at(self, offset: int) -> int | None:
        """Returns the last row that begins at or before a byte."""
        row = bisect_right(self.scan.offsets, offset) - 1
        return row if row >= 0 else None

    def row_of_line(self, line: int) -> int | None:
        """Row on a line; for a continuation line its row."""
        scan = self.scan
        row = bisect_right(scan.lines, line) - 1
        return row if row >= 0 and line <= scan.lines[row] + scan.continued.get(row, 0) else None

    def kind(self, row: int) -> int:
        """Returns the number of the row's kind."""
        return self.scan.kinds[row]

    def vertex(self, row: int) -> int:
        """Returns the row's vertex; -1 if it has none."""
        vertex = self.scan.vertices[row]
        return -1 if vertex == NONE else vertex

    def is_declaration(self, row: int) -> bool:
        """Returns True if the row declares an id."""
        return bool(self.scan.declares[row])

    # -- vertices -----------------------------------------------------------------------------------------------------

    @property
    def vertices(self) -> int:
        """Number of vertices that the rows show or refer to."""
        return len(self.scan.vertex_ids)

    def declaration(self, vertex: int) -> int:
        """Returns the first row that declares the vertex; -1: none."""
        row = self.scan.declarations[vertex]
        return -1 if row == NONE else row

    def vertex_rows(self, vertex: int) -> Sequence[int]:
        """Returns all rows of the vertex."""
        return self._rows_by_vertex[vertex]

    def vertex_of_id(self, id: int) -> int | None:
        """Returns the vertex with that id."""
        return self.scan.vertex_of_id.get(id)

    def vertex_id(self, vertex: int) -> int | None:
        """Returns the id of the vertex."""
        id = self.scan.vertex_ids[vertex]
        return None if id < 0 else id

    def distance(self, vertex: int) -> int | None:
        """Returns the number of calls on a shortest path from an entry."""
        return self.distances[vertex]

    @cached_property
    def distances(self) -> list[int | None]:
        """By vertex: its distance, breadth first over the calls that the rows show."""
        scan = self.scan
        calls: list[list[int]] = [[] for _ in range(self.vertices)]
        found: list[int | None] = [None] * self.vertices
        level = []
        for vertex, owner, kind in zip(scan.vertices, scan.owners, scan.kinds, strict=True):
            if vertex == NONE or scan.vertex_ids[vertex] < 0:
                continue
            if kind == 0:
                if found[vertex] is None:
                    found[vertex] = 0
                    level.append(vertex)
            elif owner != NONE:
                calls[owner].append(vertex)
        distance = 0
        while level:
            distance += 1
            below = []
            for vertex in level:
                for callee in calls[vertex]:
                    if found[callee] is None:
                        found[callee] = distance
                        below.append(callee)
            level = below
        return found

    @cached_property
    def _rows_by_vertex(self) -> list[list[int]]:
        rows: list[list[int]] = [[] for _ in range(self.vertices)]
        for row, vertex in enumerate(self.scan.vertices):
            if vertex != NONE:
                rows[vertex].append(row)
        return rows

    # -- names --------------------------------------------------------------------------------------------------------

    @property
    def names(self) -> Sequence[bytes]:
        """The unique names."""
        return self.scan.names

    def name(self, vertex: int) -> int:
        """Returns the number of the vertex's name; -1 if only unknown rows refer to the vertex."""
        name = self.scan.vertex_names[vertex]
        return -1 if name == NONE else name

    def name_vertices(self, name: int) -> Sequence[int]:
        """Returns the vertices of that name."""
        return self._vertices_by_name[name]

    def find_name(self, name: bytes) -> int | None:
        """Returns the number of a name."""
        return self.scan.name_numbers.get(name)

    @cached_property
    def _vertices_by_name(self) -> list[list[int]]:
        vertices: list[list[int]] = [[] for _ in self.scan.names]
        for vertex, name in enumerate(self.scan.vertex_names):
            if name != NONE:
                vertices[name].append(vertex)
        for name, vertex in self.scan.aliases:
            vertices[name].append(vertex)
        for found in vertices:
            found.sort()
        return vertices
