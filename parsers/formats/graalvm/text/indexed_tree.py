"""A text tree over the arrays of an index, finished or still growing. Arrays are read on demand.

Single answers come from mapped arrays without numpy; whole ranges as numpy arrays, which is imported then. While the
index grows, rows, their tree, offsets, lines and kinds are available; vertices and names only at the end.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import TYPE_CHECKING

from parsers.formats.graalvm.text.summary import TextSummary
from parsers.index.text_hash import find_text
from parsers.index.texts import Texts
from parsers.model.late import numpy as np
from parsers.model.lookup import place_in
from parsers.model.none import NONE

if TYPE_CHECKING:
    from parsers.index.in_memory import MemoryIndex
    from parsers.index.store import IndexReader
    from parsers.model.arrays import AnyArray, I64Array, U8Array, U32Array

BLOCK = 64
FAR = 0xFFFF
DECLARES = 0x80
KIND = 0x7F
LARGE_SUBTREE = 0xFF
LARGE = 4096
"""Rows of a block of blocks; its lowest depth is computed once."""


class IndexedTree:
    """`TextTree` of a `IndexReader`; grows with it."""

    def __init__(self, reader: IndexReader | MemoryIndex) -> None:
        self._reader = reader
        self._roots: tuple[int, Sequence[int]] = (-1, ())
        self._lows: array[int] | None = None

    # -- preorder -----------------------------------------------------------------------------------------------------

    @property
    def rows(self) -> int:
        """Number of rows known now."""
        return self._reader.rows

    @property
    def is_complete(self) -> bool:
        """True if the index is finished."""
        return self._reader.is_complete

    @property
    def roots(self) -> Sequence[int]:
        """The rows without parent that are known now."""
        from parsers.model.trees.preorder import tops

        rows = self.rows
        if self._roots[0] != rows:
            self._roots = (rows, tops(self, 0, rows))
        return self._roots[1]

    def depth(self, node: int) -> int:
        """Returns the depth of a row."""
        return self._reader.view("depth")[node]

    def depths(self, start: int, stop: int) -> memoryview:
        """Returns the depths of a range."""
        return self._reader.view("depth")[start:stop]

    def end(self, node: int) -> int:
        """Returns the first row after the subtree; all rows known now while it is open."""
        below = self._reader.view("below")[node]
        end = node + 1 + below if below != LARGE_SUBTREE else self._listed_end(node)
        return end if node < end <= self.rows else self.rows

    @property
    def _listed(self) -> tuple[str, str]:
        """Names of the arrays of rows with large subtrees and of their ends; a growing index has others."""
        return ("large_row", "large_end") if self.is_complete else ("listed_row", "listed_end")

    def _listed_end(self, row: int) -> int:
        """Returns the end of a subtree whose size does not fit in `below`."""
        rows, ends = map(self._reader.view, self._listed)
        place = place_in(rows, row)
        return 0 if place is None else int(ends[place])

    def parent(self, node: int) -> int | None:
        """Returns the nearest row before it with a smaller depth."""
        depths = self._reader.view("depth")
        depth = depths[node]
        if not depth or not node:
            return None
        # Backwards: row by row to the border of a block, over blocks by their lowest depth, then within one block.
        row = node - 1
        while row >= 0 and depths[row] >= depth:
            if row % BLOCK == 0:
                block = self._block_before(row // BLOCK, depth)
                if block is None:
                    return None
                row = min((block + 1) * BLOCK, node)
            row -= 1
        return row if row >= 0 else None

    def _block_before(self, block: int, depth: int) -> int | None:
        """Returns the last block before another that has a row of smaller depth."""
        if not self._reader.has("low_depth"):
            return self._block_of_growing(block, depth)
        lows = self._reader.view("low_depth")
        block -= 1
        while block >= 0 and lows[block] >= depth:
            if block % BLOCK == 0:
                larger = self._larger_before(block // BLOCK, depth)
                if larger is None:
                    return None
                block = min((larger + 1) * BLOCK, block)
            block -= 1
        return block if block >= 0 else None

    def _larger_before(self, larger: int, depth: int) -> int | None:
        """As `_block_before`, for blocks of blocks."""
        if self._lows is None:
            # A few milliseconds for a file of gigabytes: less than importing numpy.
            lows = self._reader.view("low_depth")
            self._lows = array("H", (min(lows[start : start + BLOCK]) for start in range(0, len(lows), BLOCK)))
        for place in range(larger - 1, -1, -1):
            if self._lows[place] < depth:
                return place
        return None

    def _block_of_growing(self, block: int, depth: int) -> int | None:
        """As `_block_before` while lowest depths are not known yet, in growing steps."""
        depths = np.frombuffer(self._reader.view("depth"), np.uint16)
        stop, step = block * BLOCK, LARGE
        while stop > 0:
            start = max(0, stop - step)
            found = np.flatnonzero(depths[start:stop] < depth)
            if len(found):
                return (start + int(found[-1])) // BLOCK
            stop, step = start, 2 * step
        return None

    # -- rows ---------------------------------------------------------------------------------------------------------

    def offset(self, row: int) -> int:
        """Returns the byte offset of the row's line."""
        view = self._reader.view
        delta: int = view("offset_delta")[row]
        if delta == FAR:
            place = place_in(view("far_row"), row)
            if place is not None:
                return int(view("far_offset")[place])
        return int(view("offset_base")[row // BLOCK]) + delta

    def line(self, row: int) -> int:
        """Returns the number of the row's line, from 1."""
        gap = bisect_right(self._reader.view("gap_row"), row) - 1
        return row + 1 + (self._reader.view("gap_lines")[gap] if gap >= 0 else 0)

    def row_at(self, offset: int) -> int | None:
        """Returns the last row whose line begins at or before this byte."""
        bases = self._reader.view("offset_base")
        block = bisect_right(bases, offset) - 1
        if block < 0:
            return None
        first = block * BLOCK
        rows = range(first, min(first + BLOCK, self.rows))
        return first + bisect_right(rows, offset, key=self.offset) - 1

    def row_of_line(self, line: int) -> int | None:
        """Row printed on this line; for a continuation line its row."""
        row = bisect_right(range(self.rows), line, key=self.line) - 1
        if row < 0:
            return None
        behind = line - self.line(row)
        if not behind:
            return row
        place = place_in(self._reader.view("continued_row"), row)
        return None if place is None or behind > self._reader.view("continued_lines")[place] else row

    def kind(self, row: int) -> int:
        """Returns the number of the row's kind."""
        return self._reader.view("kind")[row] & KIND

    def is_declaration(self, row: int) -> bool:
        """Returns True if the row declares an id."""
        return bool(self._reader.view("kind")[row] & DECLARES)

    def vertex(self, row: int) -> int:
        """Returns the row's vertex; -1 if it has none, or while the index grows."""
        if not self._reader.is_complete:
            return -1
        vertex = self._reader.view("vertex")[row]
        return -1 if vertex == NONE else vertex

    # -- vertices -----------------------------------------------------------------------------------------------------

    @property
    def vertices(self) -> int:
        """Number of vertices; 0 while the index grows."""
        return len(self._reader.view("vertex_name")) if self.is_complete else 0

    def declaration(self, vertex: int) -> int:
        """Returns the first row that declares the vertex; -1: none."""
        row = self._reader.view("declaration")[vertex]
        return -1 if row == NONE else row

    def vertex_rows(self, vertex: int) -> Sequence[int]:
        """Returns all rows of the vertex, without copying."""
        starts = self._reader.view("vertex_start")
        return self._reader.view("vertex_row")[starts[vertex] : starts[vertex + 1]]

    def vertex_of_id(self, id: int) -> int | None:
        """Returns the vertex with that id."""
        reader = self._reader
        if id < 0 or not self.is_complete:
            return None
        if reader.has("idless"):
            idless = reader.view("idless")
            vertex = id + bisect_right(range(len(idless)), id, key=lambda place: idless[place] - place)
            return vertex if vertex < self.vertices else None
        if reader.has("id_vertex"):
            table = reader.view("id_vertex")
            return int(table[id]) if id < len(table) and table[id] != NONE else None
        order, ids = reader.view("id_order"), reader.view("vertex_id")
        place = place_in(order, id, ids.__getitem__)
        return None if place is None else int(order[place])

    def vertex_id(self, vertex: int) -> int | None:
        """Returns the id of the vertex; None without one."""
        if self._reader.has("idless"):
            idless = self._reader.view("idless")
            before = bisect_left(idless, vertex)
            return None if before < len(idless) and idless[before] == vertex else vertex - before
        ids = self._reader.view("vertex_id")
        id = ids[vertex]
        return None if id < 0 or (ids.itemsize == 4 and id == NONE) else int(id)

    def distance(self, vertex: int) -> int | None:
        """Returns the number of calls on a shortest path from an entry."""
        distances = self._reader.view("distance")
        distance = distances[vertex]
        return None if distance == (FAR if distances.itemsize == 2 else NONE) else int(distance)

    # -- names --------------------------------------------------------------------------------------------------------

    @property
    def names(self) -> Sequence[bytes]:
        """The unique names."""
        if not self.is_complete:
            return ()
        return IndexedNames(self._reader.view("name_starts"), self._reader.view("name_bytes"))

    def name(self, vertex: int) -> int:
        """Returns the number of the vertex's name; -1 if only unknown rows refer to the vertex."""
        name = self._reader.view("vertex_name")[vertex]
        return -1 if name == NONE else name

    def name_vertices(self, name: int) -> Sequence[int]:
        """Returns the vertices of that name."""
        starts = self._reader.view("name_vertex_start")
        return self._reader.view("name_vertex")[starts[name] : starts[name + 1]]

    def find_name(self, name: bytes) -> int | None:
        """Returns the number of exactly this name."""
        if not self.is_complete:
            return None
        return find_text(self._reader.view("name_slots"), self.names.__getitem__, name)

    # -- the whole ----------------------------------------------------------------------------------------------------

    @property
    def summary(self) -> TextSummary:
        """Counts, facts and problems; empty while the index grows."""
        reader = self._reader
        return TextSummary(reader.totals, reader.facts, reader.problems, reader.problem_count)

    # -- ranges -------------------------------------------------------------------------------------------------------

    def array(self, name: str) -> AnyArray:
        """Returns a whole array of the index. Raises `KeyError`."""
        return np.frombuffer(self._reader.view(name), np.dtype(self._reader.type(name)))

    def kinds(self, start: int, stop: int) -> U8Array:
        """Returns the kinds of a range of rows: uint8."""
        kinds: U8Array = self.array("kind")[start:stop] & np.uint8(KIND)
        return kinds

    def ends(self, start: int, stop: int) -> U32Array:
        """Returns the ends of the subtrees of a range of rows: uint32."""
        stop = min(stop, self.rows)
        ends = np.arange(start + 1, max(start, stop) + 1, dtype=np.uint32)
        ends += self.array("below")[start:stop]
        listed, listed_ends = map(self.array, self._listed)
        first, last = np.searchsorted(listed, (start, stop))
        ends[listed[first:last] - np.uint32(start)] = listed_ends[first:last]
        return np.minimum(ends, np.uint32(self.rows), out=ends)

    def ends_of(self, rows: AnyArray) -> I64Array:
        """Returns the ends of the subtrees of any rows: int64."""
        from parsers.formats.graalvm.text.columns import ends_of_rows

        rows = np.asarray(rows, np.int64)
        ends = ends_of_rows(rows, self.array("below")[rows], *map(self.array, self._listed))
        return np.asarray(np.minimum(ends, self.rows))

    def lines_of(self, rows: AnyArray) -> I64Array:
        """Returns the numbers of the lines of any rows: int64."""
        rows = np.asarray(rows, np.int64)
        gaps = np.append(0, self.array("gap_lines").astype(np.int64))
        lines: I64Array = rows + 1 + gaps[np.searchsorted(self.array("gap_row"), rows, "right")]
        return lines

    def ids(self) -> I64Array:
        """Returns the ids of all vertices: int64, -1 without one."""
        if not self._reader.has("idless"):
            return signed(self.array("vertex_id"))
        idless = self.array("idless").astype(np.int64)
        return np.insert(np.arange(self.vertices - len(idless)), idless - np.arange(len(idless)), -1)

    def offsets(self, start: int, stop: int) -> I64Array:
        """Returns the byte offsets of a range of rows: int64."""
        rows = np.arange(start, min(stop, self.rows))
        offsets = self.array("offset_base")[rows // BLOCK].astype(np.int64)
        offsets += self.array("offset_delta")[start:stop]
        far = self.array("far_row")
        if len(far):
            first, last = np.searchsorted(far, (start, stop))
            offsets[far[first:last].astype(np.int64) - start] = self.array("far_offset")[first:last]
        return offsets


def signed(numbers: AnyArray) -> I64Array:
    """Returns numbers as int64, -1 for NONE."""
    found: I64Array = numbers.astype("i8")
    found[found == NONE] = -1
    return found


class IndexedNames(Texts):
    """Unique texts that can be searched, and given in bulk."""

    def containing(self, text: bytes, most: int) -> list[int] | None:
        """Numbers of the texts that contain some bytes, ascending; None if there are more than `most` matches."""
        import stringzilla as sz

        starts, texts = self._starts, self._blob[: self._starts[-1]]
        if not text or not texts or sz.count(texts, text) > most:
            return None
        numbers, place = [], 0
        while (place := sz.find(texts, text, place, len(texts))) >= 0:
            number = bisect_right(starts, place) - 1
            if place + len(text) <= starts[number + 1]:
                numbers.append(number)
                place = starts[number + 1]
            else:
                place += 1
        return numbers

    def arrays(self) -> tuple[AnyArray, U8Array]:
        """Returns the start of each, followed by the end of the last one, and the bytes of all."""
        return np.asarray(self._starts), np.frombuffer(self._blob, np.uint8)

    def joined(self, separator: int, start: int, stop: int) -> U8Array:
        """Returns the texts of a range of numbers as uint8[n], a separator after each."""
        starts = np.asarray(self._starts[start : stop + 1]).astype(np.int64)
        texts = np.frombuffer(self._blob, np.uint8, int(starts[-1] - starts[0]), int(starts[0]))
        joined: U8Array = np.insert(texts, starts[1:] - starts[0], separator)
        return joined
