"""Reads the tables of a CSV set with kernels: two threads take chunks in turn, those of methods first.

Names and ids of methods are registered in file order. All other tables are read after these, so that their ids are
converted to numbers of methods at once. Twin: the reading half of `graph`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from parsers.formats.graalvm.csv.read.chunk import CHUNK, MethodChunk, RowChunk, new_method_chunk, new_row_chunk
from parsers.formats.graalvm.csv.read.graph import LOST_METHOD
from parsers.formats.graalvm.csv.read.kernel import MORE, STRANGE_BCI, finish_texts, parse_methods, parse_rows
from parsers.formats.graalvm.csv.read.name_kernel import NONE, find_ids
from parsers.formats.graalvm.csv.read.names import MethodBuffers, NameBuffers
from parsers.formats.graalvm.csv.read.table import LEAST_FIELDS
from parsers.formats.graalvm.csv.read.table_rows import (
    COLUMNS,
    EDGES,
    FORMS,
    METHOD_TABLES,
    ChunkResult,
    CsvTotals,
    TableFile,
    TableRows,
)
from parsers.formats.graalvm.text.read.chunk import LONG_TAIL, TAIL
from parsers.index.build import read_piece
from parsers.index.writer import Writer
from parsers.io.ordered_pipeline import OrderedPipeline
from parsers.kernels.vector import SLACK
from parsers.model.distinct import distinct

if TYPE_CHECKING:
    from parsers.model.arrays import I64Array

POWERS = 10 ** np.arange(1, 19)
"""Numbers from which on another digit is written."""

ReportProgress = Callable[[int], None]
"""Called with the number of bytes read."""


class CsvKernelTables:
    """The tables of a set. After `read` all their data is available."""

    def __init__(self, writer: Writer, files: Sequence[TableFile], more: int,
                 report_progress: ReportProgress | None = None, chunk: int = CHUNK) -> None:  # fmt: skip
        """more: columns of methods after `Display`"""
        self.files = {file.table: file for file in files}
        self.more = more
        self.chunk = chunk
        self._report_progress = report_progress
        sizes = {table: self.files[table].size if table in self.files else 0 for table in (*METHOD_TABLES, *FORMS)}
        self.names = NameBuffers(writer, sum(sizes[table] for table in METHOD_TABLES))
        self.methods = {table: MethodBuffers(sizes[table]) for table in METHOD_TABLES}
        order = [table for table in METHOD_TABLES if table in self.files]
        order += [table for table in FORMS if table in self.files]
        self._jobs = [(table, number) for table in order for number in range(-(-self.files[table].size // chunk))]
        self._of_methods = sum(table in METHOD_TABLES for table, _ in self._jobs)
        self.pieces: dict[tuple[str, int], ChunkResult] = {}
        self._rows = {table: TableRows(table, sizes[table]) for table in FORMS if table not in EDGES}
        edges = TableRows(EDGES[0], sum(sizes[table] for table in EDGES))
        self._rows |= dict.fromkeys(EDGES, edges)
        self.first_row = dict.fromkeys(FORMS, 0)
        """By table: the place of its first row in `rows_of`."""
        self._strange = 0
        self.sums = CsvTotals(dict.fromkeys(sorted(self.files), 0))
        self.strange: list[bytes] = []
        self.strange_first: I64Array = np.zeros(0, np.int64)
        self.lost: dict[str, I64Array] = {}
        """By table of methods: missing ids that other tables refer to, ascending."""
        self._bytes = 0
        self._pipeline = OrderedPipeline()
        self._changed = threading.Condition()
        self._unwritten: dict[int, int] = {}
        """By turn of a chunk whose names are being written: number of bytes before them."""

    def read(self) -> None:
        """Reads everything. Raises the exception of a failed thread."""
        self._pipeline.run(len(self._jobs), self._worker)
        self._add_up()
        self._note_lost()

    # -- chunks -------------------------------------------------------------------------------------------------------

    def _worker(self) -> Callable[[int], None]:
        chunks: dict[bool, Any] = {}

        def take(job_number: int) -> None:
            (table, number), is_of_methods = self._jobs[job_number], job_number < self._of_methods
            if is_of_methods not in chunks:
                chunks.clear()
                chunks[is_of_methods] = (new_method_chunk if is_of_methods else new_row_chunk)(self.chunk)
            run = self._take_methods if is_of_methods else self._take_rows
            piece = run(chunks[is_of_methods], table, number, job_number)
            with self._changed:
                self.pieces[table, number] = piece
                self._bytes += min(self.chunk, self.files[table].size - number * self.chunk)
                if self._report_progress is not None:
                    self._report_progress(self._bytes)

        return take

    def _wait_for_names(self) -> None:
        with self._changed:
            while self._unwritten:
                self._changed.wait()

    def _take_methods(self, chunk: MethodChunk, table: str, number: int, job_number: int) -> ChunkResult:
        place = self._parse(chunk, table, number)
        self._pipeline.wait(job_number)
        with self._changed:
            readable = min([self.names.count("name_bytes"), *self._unwritten.values()])
        added = self.methods[table].note(chunk, self.names, readable, self._wait_for_names)
        with self._changed:
            self._unwritten[job_number] = added.place
        try:
            self._pipeline.done(job_number)
            self.names.write(chunk, added)
        finally:
            with self._changed:
                del self._unwritten[job_number]
                self._changed.notify_all()
        bad = int(chunk.facts[0]["bad"])
        return ChunkResult(chunk.facts.copy()[0], chunk.bad_line[:bad].copy(), chunk.bad_start[:bad] + place)

    def _take_rows(self, chunk: RowChunk, table: str, number: int, job_number: int) -> ChunkResult:
        place = self._parse(chunk, table, number)
        good, bad, strange = (int(chunk.facts[0][which]) for which in ("good", "bad", "strange"))
        rows = self._rows[table]
        self._pipeline.wait(job_number)
        begin, strange_before = rows.count, self._strange
        if number == 0:
            self.first_row[table] = begin
        end = rows.count = begin + good
        self._strange += strange
        self._pipeline.done(job_number)
        unknown = []
        for column, of in enumerate(FORMS[table][1]):
            ids, found = getattr(chunk, COLUMNS[column])[:good], rows.columns[column][begin:end]
            if of is None:
                found[:] = ids
            elif find_ids(self.methods[of].ids, ids, found):
                lost = np.flatnonzero(found == NONE)
                unknown.append((column, lost + begin, ids[lost]))
        if len(rows.bci):
            codes = chunk.bci[:good]
            if strange:
                codes[codes >= STRANGE_BCI] += np.uint32(strange_before)
            rows.bci[begin:end] = codes
        if len(rows.flag):
            rows.flag[begin:end] = chunk.flag[:good]
        texts = [
            chunk.data[start : start + length].tobytes()
            for start, length in zip(chunk.strange_start[:strange], chunk.strange_length[:strange], strict=True)
        ]
        return ChunkResult(
            chunk.facts.copy()[0],
            chunk.bad_line[:bad].copy(),
            chunk.bad_start[:bad] + place,
            texts,
            chunk.strange_first[:strange].copy(),
            unknown,
        )

    def _parse(self, chunk: Any, table: str, number: int) -> int:
        """Parses the rows of a chunk; returns the offset of its `data` in the file."""
        file = self.files[table]
        begin = number * self.chunk
        end = min(begin + self.chunk, file.size)
        place = max(begin - 1, 0)
        for tail in (TAIL, LONG_TAIL):
            filled = min(end + tail, file.size) - place
            read_piece(file.descriptor, chunk.data, filled, place, 2 * SLACK)
            where = (begin - place, end - place, filled, number == 0, place + filled == file.size)
            if table in METHOD_TABLES:
                found = parse_methods(chunk, *where, LEAST_FIELDS + self.more)
            else:
                found = parse_rows(chunk, *where, FORMS[table][0])
            if found != MORE:
                return place
        raise AssertionError("a line ends in the long tail, or is too long to be taken apart")

    # -- whole tables -------------------------------------------------------------------------------------------------

    def pieces_of(self, table: str) -> list[ChunkResult]:
        """Results of the chunks of a table, in their order."""
        return [self.pieces[job] for job in self._jobs if job[0] == table]

    def _add_up(self) -> None:
        sums, firsts = self.sums, [np.zeros(0, np.int64)]
        for (table, _), piece in ((job, self.pieces[job]) for job in self._jobs):
            sums.rows[table] += int(piece.facts["rows"])
            sums.lines += int(piece.facts["lines"])
            sums.crlf += int(piece.facts["crlf"])
            if table in METHOD_TABLES:
                sums.repaired += int(piece.facts["odd"])
                continue
            sums.negative += int(piece.facts["negative"])
            sums.chained += int(piece.facts["chained"])
            self.strange += piece.strange
            firsts.append(piece.strange_first)
        self.strange_first = np.concatenate(firsts)

    def _note_lost(self) -> None:
        """Adds a method for each id that is in no table."""
        for of in METHOD_TABLES:
            unknown = [
                (table, column, rows, ids)
                for table in FORMS
                for piece in self.pieces_of(table)
                for column, rows, ids in piece.unknown
                if FORMS[table][1][column] == of
            ]
            self.lost[of] = lost = distinct(np.concatenate([np.zeros(0, np.int64), *(ids for *_, ids in unknown)]))
            buffers = self.methods[of]
            base = buffers.count
            for start in range(0, len(lost), 1 << 12):
                chunk = _lost_chunk(lost[start : start + (1 << 12)])
                added = buffers.note(chunk, self.names, self.names.count("name_bytes"), self._wait_for_names)
                self.names.write(chunk, added)
            for table, column, rows, ids in unknown:
                self._rows[table].columns[column][rows] = base + np.searchsorted(lost, ids)

    def rows_of(self, table: str) -> TableRows:
        """Returns all rows of a table, none of a missing one; for EDGES those of both."""
        return self._rows[table]

    def forget_rows(self) -> None:
        """Releases the memory of all rows, after calls were built from them."""
        self._rows.clear()

    @property
    def direct(self) -> int:
        """Number of rows of EDGES that are of the first table."""
        return self.first_row[EDGES[1]] if (EDGES[1], 0) in self.pieces else self._rows[EDGES[0]].count


def _lost_chunk(ids: I64Array) -> MethodChunk:
    """Chunk of methods named by their ids only."""
    count = len(ids)
    data = np.frombuffer(LOST_METHOD * count % tuple(ids.tolist()), np.uint8)
    lengths = np.searchsorted(POWERS, ids, "right") + len(LOST_METHOD % 0)
    chunk = new_method_chunk(64 * count)
    chunk.id[:count] = ids
    chunk.text_length[:count] = lengths
    chunk.text_start[:count] = np.cumsum(lengths) - lengths
    chunk.is_entry[:count] = 0
    chunk.texts[: len(data)] = data
    chunk.facts[0]["good"], chunk.facts[0]["text"] = count, len(data)
    chunk.facts[0]["highest"] = int(ids.max())
    finish_texts(chunk, np.arange(count))
    return chunk
