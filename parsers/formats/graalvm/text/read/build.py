"""Reads a text tree with kernels: two threads take chunks in turn. See `kernel` for the steps."""

from __future__ import annotations

import threading
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from parsers.formats.graalvm.text.columns import LISTS, ROWS, ends_of_rows
from parsers.formats.graalvm.text.read.buffers import TextBuffers
from parsers.formats.graalvm.text.read.chunk import (
    BLOCK,
    CHUNK,
    FARTHEST,
    KINDS,
    LONG_TAIL,
    TAGS,
    TAIL,
    TextChunk,
    TextState,
    new_chunk,
    prefix_words,
)
from parsers.formats.graalvm.text.read.join_kernel import join_chunk
from parsers.formats.graalvm.text.read.join_lines_kernel import join_lines
from parsers.formats.graalvm.text.read.kernel import CALL, MORE, parse_chunk
from parsers.formats.graalvm.text.read.line import DEEPEST
from parsers.formats.graalvm.text.read.resolve_kernel import resolve_chunk
from parsers.formats.graalvm.text.read.shape_kernel import shape_chunk
from parsers.index.build import read_piece
from parsers.index.writer import Writer
from parsers.io.charset import Boxes
from parsers.io.ordered_pipeline import OrderedPipeline
from parsers.kernels.vector import SLACK

if TYPE_CHECKING:
    from parsers.model.arrays import AnyArray, I64Array, U32Array

ReportProgress = Callable[[int, int, dict[str, int]], None]
"""Called with the bytes and rows that are ready, and the lengths of the arrays that readers may use."""


@dataclass
class ChunkTotals:
    """Counts of all chunks."""

    kinds: I64Array = field(default_factory=lambda: np.zeros(KINDS, np.int64))
    tags: I64Array = field(default_factory=lambda: np.zeros(TAGS, np.int64))
    depths: I64Array = field(default_factory=lambda: np.zeros(DEEPEST + 1, np.int64))
    counts: U32Array = field(default_factory=lambda: np.zeros(0, np.uint32))
    """uint32 by vertex: number of its rows"""
    otherwise: dict[int, list[tuple[int, int, bytes]]] = field(default_factory=dict)
    """By chunk: rows that name a vertex differently from its first row: row, vertex, name."""

    def add(self, thread: Reading) -> None:
        """Adds the counts of a thread that has ended."""
        self.kinds += thread.chunk.kinds
        self.tags += thread.chunk.tags
        self.depths += thread.chunk.depths
        counts = thread.counts
        if len(self.counts) < len(counts):
            self.counts, counts = counts, self.counts
        self.counts[: len(counts)] += counts


@dataclass(slots=True)
class Reading:
    """The arrays of one thread."""

    chunk: TextChunk
    counts: U32Array
    """uint32 by vertex: number of its rows that this thread has read."""

    def counts_of(self, vertices: int) -> U32Array:
        """Returns `counts`, enlarged for at least so many vertices."""
        self.counts = with_capacity(self.counts, vertices)
        return self.counts


class TextBuild:
    """The build of one file's index. After `read` all rows, vertices and names are known."""

    def __init__(
        self, writer: Writer, descriptor: int, size: int, boxes: Boxes, format: int, chunk: int = CHUNK
    ) -> None:
        self.writer = writer
        self.size = size
        self.boxes = boxes
        self.sums = ChunkTotals()
        self.buffers = TextBuffers(writer, size, chunk)
        self._descriptor = descriptor
        self._words = prefix_words(boxes)
        self._format = format
        self._chunk = chunk
        self._chunks = -(-size // chunk)
        self._changed = OrderedPipeline()
        self._lock = threading.Lock()
        self._report_progress: ReportProgress | None = None
        self._threads: list[Reading] = []
        self._joined = self.whole, 0
        """Arrays after the last joined chunk, and the number of vertices in them."""
        self._written: dict[int, tuple[int, int, dict[str, int]]] = {}
        self._ready = 0
        for name, type in ROWS.items():
            if name != "below":
                writer.open(name, type)
        writer.open("offset_base", "u8")
        self.below = writer.grow("below", "u1", size // 120 + 1024)
        """uint8 by row: its descendants; LARGE for rows in `listed`."""

    @property
    def whole(self) -> TextState:
        """State of all joined chunks."""
        return self.buffers.whole

    @property
    def facts(self) -> Any:
        """Counts of the whole: a record FACTS."""
        return self.buffers.facts

    def free_name_slots(self) -> None:
        """Frees the hash table of names: no name can be added afterwards."""
        self.buffers.whole = self.whole._replace(name_slots=np.zeros(0, np.uint64))
        self._joined = self.whole, 0

    def read(self, report_progress: ReportProgress | None = None) -> None:
        """Reads the whole file. Raises the exception of a failed thread."""
        self._report_progress = report_progress
        self._changed.run(self._chunks, self._worker)
        for thread in self._threads:
            self.sums.add(thread)
        self._threads.clear()
        self._close_tree()

    def _worker(self) -> Callable[[int], None]:
        thread = Reading(new_chunk(self._chunk), np.zeros(self.size // 1500 + (1 << 16), np.uint32))
        self._threads.append(thread)
        return lambda number: self._take(thread, number)

    def _take(self, thread: Reading, number: int) -> None:
        chunk = thread.chunk
        place, stop, is_end = self._parse(chunk, number)
        whole, vertices = self._joined
        resolve_chunk(chunk, whole, vertices, thread.counts_of(vertices), self._format == CALL)
        self._changed.wait(number)
        base = self.rows
        self.buffers.make(chunk)
        self.below.ensure(base + int(chunk.facts[0]["rows"]))
        whole = self.whole
        join_lines(chunk, whole, place, stop, is_end)
        join_chunk(chunk, whole, place, self._format == CALL)
        lengths = self._lengths()
        vertices = int(self.facts["vertices"])
        self._joined = whole, vertices
        self._changed.done(number)
        self._write(chunk, whole, number, base, place, thread.counts_of(vertices))
        self._note(number, base + int(chunk.facts[0]["rows"]), place + stop, lengths)

    def _parse(self, chunk: TextChunk, number: int) -> tuple[int, int, bool]:
        """Reads a chunk and finds its rows: offset of `data`, the chunk's end in it, True at the end of the file."""
        begin = number * self._chunk
        end = min(begin + self._chunk, self.size)
        place = max(begin - 1, 0)
        for tail in (TAIL, LONG_TAIL):
            filled = min(end + tail, self.size) - place
            read_piece(self._descriptor, chunk.data, filled, place, 2 * SLACK)
            is_end = place + filled == self.size
            found = parse_chunk(
                chunk,
                begin - place,
                end - place,
                filled,
                number == 0,
                is_end,
                self._words,
                self._format,
            )
            if found != MORE:
                return place, end - place, end == self.size
        raise AssertionError("a line ends in the long tail, or is too long to be taken apart")

    def _write(self, chunk: TextChunk, whole: TextState, number: int, base: int, place: int, counts: U32Array) -> None:
        """Writes the rows of a chunk that was joined."""
        strange = shape_chunk(chunk, whole, base, place, counts)
        if strange:
            found = []
            for row in np.sort(chunk.otherwise[:strange]):
                start = int(chunk.name_start[row])
                name = chunk.data[start : start + int(chunk.name_length[row])].tobytes()
                found.append((base + int(row), int(chunk.vertex[row]), name))
            self.sums.otherwise[number] = found
        rows = int(chunk.facts[0]["rows"])
        if not rows:
            return
        put = self.writer.put
        put("offset_delta", base, chunk.delta[:rows])
        put("depth", base, chunk.depth[:rows])
        put("kind", base, chunk.kind[:rows])
        put("vertex", base, chunk.vertex[:rows])
        self.below.put(base, chunk.below[:rows])
        first = -(-base // BLOCK)
        blocks = -(-(base + rows) // BLOCK) - first
        if blocks:
            put("offset_base", first, chunk.base[:blocks])

    def _note(self, number: int, rows: int, bytes: int, lengths: dict[str, int]) -> None:
        """Notes a written chunk, and reports chunks to readers in file order."""
        with self._lock:
            self._written[number] = (rows, bytes, lengths)
            while self._ready in self._written:
                rows, bytes, lengths = self._written.pop(self._ready)
                self._ready += 1
                if self._report_progress is not None:
                    self._report_progress(bytes, rows, lengths)

    def _lengths(self) -> dict[str, int]:
        """Returns the lengths of the arrays that readers may use, valid once all rows so far are written."""
        rows = self.rows
        return dict.fromkeys(ROWS, rows) | {"offset_base": -(-rows // BLOCK)} | self.buffers.lengths()

    def _close_tree(self) -> None:
        """Ends the subtrees that are open at the end of the file, and cuts all arrays to their lengths."""
        whole, facts = self.whole, self.facts
        still_open = int(facts["stack"])
        whole.listed_end[whole.stack_listed[:still_open]] = self.rows
        facts["most_children"] = max([facts["most_children"], *whole.stack_children[:still_open]])
        for name, length in self._lengths().items():
            if name not in LISTS and name != "below":
                self.writer.length(name, length)
        self.below.length = self.rows
        self.buffers.cut()
        self.sums.counts = with_capacity(self.sums.counts, int(facts["vertices"]))

    @property
    def rows(self) -> int:
        """Number of rows found."""
        return int(self.facts["rows"])

    @property
    def listed(self) -> tuple[U32Array, U32Array]:
        """Rows of which `below` is LARGE, and the ends of their subtrees: uint32."""
        count = int(self.facts["listed"])
        return self.whole.listed_row[:count], self.whole.listed_end[:count]

    def ends_of(self, rows: AnyArray) -> I64Array:
        """Returns the ends of the subtrees of some rows: int64."""
        return ends_of_rows(rows, self.below.array[rows], *self.listed)

    def line(self, row: int) -> int:
        """Returns the number of a row's line, from 1."""
        gap = bisect_right(self.whole.gap_row, row, 0, int(self.facts["gaps"])) - 1
        return row + 1 + (int(self.whole.gap_lines[gap]) if gap >= 0 else 0)

    def offset(self, row: int) -> int:
        """Returns the byte offset of a row's line."""
        delta = int(self.writer.column("offset_delta", self.rows)[row])
        if delta == FARTHEST:
            far = bisect_left(self.whole.far_row, row, 0, int(self.facts["far"]))
            return int(self.whole.far_offset[far])
        return int(self.writer.column("offset_base", -(-self.rows // BLOCK))[row // BLOCK]) + delta

    def of_vertices(self, name: str) -> AnyArray:
        """Returns an array by vertex."""
        found: AnyArray = getattr(self.whole, name)
        return found[: int(self.facts["vertices"])]

    def name_aliases(self) -> tuple[list[tuple[int, int]], dict[int, int]]:
        """Numbers the names that rows use for vertices and that differ from those of their first rows.

        Returns (name, vertex) for each such pair, and the name of each such row.
        """
        aliases: dict[tuple[int, int], None] = {}
        of_row = {}
        for _, found in sorted(self.sums.otherwise.items()):
            for row, vertex, text in found:
                of_row[row] = name = self.buffers.note_name(text)
                aliases.setdefault((name, vertex))
        self.sums.otherwise.clear()
        self.buffers.cut()
        return list(aliases), of_row


def with_capacity(counts: U32Array, vertices: int) -> U32Array:
    """Counts for at least so many vertices: the same array if it is large enough."""
    if vertices <= len(counts):
        return counts
    return np.append(counts, np.zeros(max(vertices - len(counts), len(counts)), np.uint32))
