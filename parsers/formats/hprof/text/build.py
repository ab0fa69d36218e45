"""Reads HPROF text by kernels: two threads parse chunks, and join them in file order. See `kernel`."""

from __future__ import annotations

import os
from bisect import bisect_left
from collections.abc import Callable, Mapping

import numpy as np

from parsers.formats.hprof.data.columns import KEPT_PROBLEMS, LINE_BLOCK, REPEATED_TRACE
from parsers.formats.hprof.text.chunk import (
    BEFORE,
    CHUNK,
    COUNT,
    FIRST_TRACE,
    OBJECTS,
    OPEN,
    OTHER,
    REFERENCES,
    REPEATED,
    SECTION,
    TAIL,
    ChunkSegment,
    LineChunk,
    new_chunk,
    new_rows,
)
from parsers.formats.hprof.text.kernel import parse_text
from parsers.formats.hprof.text.kernel_tables import KernelProfileTables
from parsers.formats.hprof.text.plain_text import IN_BODY, PlainText
from parsers.index.build import ChangedReport, read_piece
from parsers.index.writer import Writer
from parsers.io.ordered_pipeline import OrderedPipeline
from parsers.kernels.vector import SLACK

WINDOW = 64 << 10
"""Bytes that plain code reads at a time."""
NEWLINE = 10
FEWEST_ENTRIES, MOST_PLAIN = 16, 1 << 14
"""Entries that make a call of kernels worth while; most bytes that plain code then reads instead."""

JOINING, WRITING = range(2)
"""Turns of chunks."""

ReportProgress = Callable[[int, int, Mapping[str, int]], None]
"""Called with the bytes read, the number of rows, and the lengths of arrays that readers may map."""


class KernelText:
    """The reader of one file. `text` is the plain code that reads what kernels leave to it."""

    def __init__(self, writer: Writer, descriptor: int, size: int, chunk: int = CHUNK) -> None:
        self.tables = KernelProfileTables(writer, size)
        self.text = PlainText(self.tables, WINDOW)
        self._descriptor = descriptor
        self._size = size
        self._chunk = chunk
        self._pieces = [(start, min(start + chunk, size)) for start in range(0, size, chunk)]
        self._lines = np.zeros(-(-size // LINE_BLOCK), np.uint32)
        self._pipeline = OrderedPipeline(turns=2)
        self._report_progress: ReportProgress | None = None
        self._plain_bytes = 0
        """Bytes that plain code reads where kernels stop: more each time that these get nowhere."""
        self._resume = 0
        """Start of the next record: kernels continue with the first line from there on."""

    def read(self, report_progress: ReportProgress | None = None) -> None:
        """Reads the file to its end. Raises the exception of a thread that failed."""
        self._report_progress = report_progress
        self._pipeline.run(len(self._pieces), self._worker)
        text = self.text
        text.newlines = int(self._lines.sum())
        text.lines.frombytes((np.cumsum(self._lines) - self._lines).astype(np.uint32).tobytes())
        text.has_last_end = self._size == 0 or self._pread(1, self._size - 1) == b"\n"
        text.end(self._size)

    def _worker(self) -> Callable[[int], None]:
        chunk, rows = new_chunk(self._chunk), new_rows(self._chunk)

        def take(number: int) -> None:
            start, stop = self._pieces[number]
            self._parse(chunk, start, stop)
            self._pipeline.wait(number, JOINING)
            segments = self._join(chunk, start, stop)
            rows_there = self.tables.length("trace") + self.tables.length("object")
            published = self.tables.published()
            self._pipeline.done(number, JOINING)
            for segment in segments:
                self.tables.put(chunk, segment, start - BEFORE, rows)
            # Readers may map the rows of all earlier chunks, too.
            self._pipeline.wait(number, WRITING)
            if self._report_progress is not None:
                self._report_progress(stop, rows_there, published)
            self._pipeline.done(number, WRITING)

        return take

    def _parse(self, chunk: LineChunk, start: int, stop: int) -> None:
        place, end = start - BEFORE, min(stop + TAIL, self._size)
        first = max(place, 0)
        chunk.data[: first - place] = NEWLINE
        read_piece(self._descriptor, chunk.data[first - place :], end - first, first, 2 * SLACK)
        parse_text(chunk, stop - place, end - place)
        blocks = -(-(stop - start) // LINE_BLOCK)
        self._lines[start // LINE_BLOCK : start // LINE_BLOCK + blocks] += chunk.lines[:blocks]

    def _join(self, chunk: LineChunk, start: int, stop: int) -> list[ChunkSegment]:
        """Joins a chunk: kernels and plain code read its entries in file order; returns segments of rows to write."""
        segments: list[ChunkSegment] = []
        text, place = self.text, start - BEFORE
        count = int(chunk.facts[COUNT])
        starts, kinds = chunk.start[:count], chunk.kind[:count]
        while self._resume < stop:
            row = bisect_left(starts, self._resume - place)
            at = place + int(starts[row]) if row < count else stop
            is_there = row < count and at == self._resume
            if text.place != IN_BODY:
                self._take_plain(self._resume + 1)
            elif not is_there:
                self._take_plain(at)
            elif kinds[row] == OTHER:
                # A run of other lines is followed by a line for kernels.
                self._take_plain(place + int(starts[row + 1]) if row + 1 < count else stop)
            else:
                segments += self._take_lines(chunk, row, place, stop)
        return segments

    def _take_lines(self, chunk: LineChunk, row: int, place: int, stop: int) -> list[ChunkSegment]:
        """Reads entries from `row` on with kernels, as far as they can; returns their rows, if there are any."""
        text, state, count = self.text, self.tables.whole.state, int(chunk.facts[COUNT])
        state[SECTION], state[OPEN] = text.section, text.open
        repeated = self.tables.problem_counts[REPEATED_TRACE]
        state[FIRST_TRACE], state[REPEATED] = self.tables.first_of_file, repeated if repeated >= KEPT_PROBLEMS else -1
        first = ChunkSegment(row, row, int(state[OBJECTS]), int(state[REFERENCES]))
        after = self.tables.join(chunk, row, place)
        text.open = int(state[OPEN])
        self.tables.problem_counts[REPEATED_TRACE] = max(repeated, int(state[REPEATED]))
        self._plain_bytes = min(2 * self._plain_bytes + 1, MOST_PLAIN) if after - row < FEWEST_ENTRIES else 0
        if after >= count:
            # The last entry is a line that ends after this chunk or with it.
            self._resume = self._end_of_line(chunk, place, int(chunk.start[count - 1]))
        else:
            self._resume = place + int(chunk.start[after])
            if chunk.kind[after] != OTHER or self._plain_bytes > FEWEST_ENTRIES:
                self._take_plain(min(self._resume + 1 + self._plain_bytes, stop))
        if first.objects < state[OBJECTS] or first.references < state[REFERENCES]:
            return [first._replace(stop=after)]
        return []

    @staticmethod
    def _end_of_line(chunk: LineChunk, place: int, start: int) -> int:
        """Returns the end of the line at `start`."""
        line = chunk.data[start : start + TAIL]
        return place + start + int(np.argmax(line == NEWLINE)) + 1

    def _take_plain(self, until: int) -> None:
        """Reads the records that begin from `resume` on and before an offset with plain code."""
        self._resume = self.text.feed(self._pread, self._resume, until, self._size)

    def _pread(self, count: int, offset: int) -> bytes:
        data = os.pread(self._descriptor, count, offset)
        if len(data) < count:
            raise ChangedReport
        return data
