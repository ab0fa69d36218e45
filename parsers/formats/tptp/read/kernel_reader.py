"""A recording read by kernels: two threads read chunks in turn, what is to be done in file order is done in their turn.

The kernel takes what it knows wherever it stands in a chunk. In the chunk's turn it is known where reading really is:
rows inside of something else (a comment, a value with a `<`) are dropped, and plain code looks at what is no plain
element. Twin: `blocks.PlainReader`, which gives the same events.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, cast

import numpy as np

from parsers.formats.tptp.read.construct_kernel import FULL, MORE_NAMES, PLAIN, Names, Turn, take_rows
from parsers.formats.tptp.read.construct_reader import ConstructReader
from parsers.formats.tptp.read.element_chunk import CHUNK, MOST_NAMES, Chunk, new_chunk
from parsers.formats.tptp.read.element_kernel import read_elements
from parsers.formats.tptp.read.findings import Findings
from parsers.formats.tptp.read.odd_names import OddNames, OddRows
from parsers.formats.tptp.read.parts import Part
from parsers.formats.tptp.read.scanner import MOST, next_start
from parsers.formats.tptp.read.session_state import (
    AT,
    FINDINGS,
    HAS_CODEC,
    IS_FULL_OF_OTHERS,
    LENGTH,
    ODDS,
    ROW,
    UNMATCHED,
    WORDS,
)
from parsers.formats.tptp.schema.batch import EventBatch
from parsers.formats.tptp.schema.element_names import NameTables
from parsers.formats.tptp.schema.values import MOST_OTHERS
from parsers.formats.tptp.schema.vocabulary import NOTHING, SLOTS, Vocabulary
from parsers.index.build import ChangedReport
from parsers.io.ordered_pipeline import OrderedPipeline
from parsers.kernels.vector import SLACK


class ReadInto(Protocol):
    """Where bytes come from."""

    def read_into(self, view: memoryview, offset: int) -> int:
        """Fills a view from `offset` on, as far as there are bytes; how many those are."""
        ...


class _Piece:
    """A chunk of the plain bytes."""

    def __init__(self, part: Part, start: int, stop: int) -> None:
        self.part = part
        self.start = start
        self.stop = stop


class KernelReader:
    """Reads a recording from its start to its end."""

    def __init__(self, source: ReadInto, parts: Sequence[Part], vocabulary: Vocabulary, chunk: int = CHUNK) -> None:
        self._source = source
        self._chunk = chunk
        self._pieces = [piece for part in parts for piece in _pieces(part, chunk)]
        self._tables = NameTables(vocabulary)
        self._numbers = np.zeros(LENGTH, np.int64)
        self._state = memoryview(cast(Any, self._numbers))
        """The same, see `session_state`."""
        self._odd = OddNames(self._state)
        self._name_starts, self._name_lengths = np.zeros(MOST_NAMES, np.int64), np.zeros(MOST_NAMES, np.int64)
        self._value_starts, self._value_lengths = np.zeros_like(self._name_starts), np.zeros_like(self._name_starts)
        self._constructs = ConstructReader(vocabulary, self._odd.number, self._state)
        tables = self._tables
        self._names = Names(
            tables.elements, tables.attributes, tables.words, tables.codes, tables.all_codes, tables.all_reads
        )
        self._known = 0
        self._resume = 0
        """In turn: the offset where the next construct, or what is none, begins."""

    def read(self, take: Callable[[EventBatch], None]) -> None:
        """Gives all events, in file order, one batch at a time. Their arrays are used again after `take` returns."""
        turns = OrderedPipeline()

        def worker() -> Callable[[int], None]:
            chunk = new_chunk(self._chunk)
            return lambda number: self._take_piece(turns, chunk, number, take)

        turns.run(len(self._pieces), worker)

    def _take_piece(
        self, turns: OrderedPipeline, chunk: Chunk, number: int, take: Callable[[EventBatch], None]
    ) -> None:
        piece = self._pieces[number]
        length = self._load(chunk, piece)
        rows, reached = self._parse(chunk, 0, piece.stop - piece.start)
        turns.wait(number)
        sessions = self._constructs.sessions
        is_first, is_last = piece.start == piece.part.start, piece.stop == piece.part.end
        if is_first:
            self._resume = piece.start
        while True:
            batch = self._join(chunk, piece, rows, reached, length, is_first)
            is_first = False
            is_done = self._resume >= piece.stop
            if is_done and is_last:
                sessions.end(len(batch.code))
            take(batch)
            if is_done:
                turns.done(number)
                return
            rows, reached = self._parse(chunk, self._resume - piece.start, piece.stop - piece.start)

    def _load(self, chunk: Chunk, piece: _Piece) -> int:
        """Reads a chunk and what of its last tag is behind it; how many bytes there are."""
        length = min(piece.stop + MOST, piece.part.end) - piece.start
        view = memoryview(chunk.data)[:length]
        if self._source.read_into(view, piece.start) < length:
            raise ChangedReport
        chunk.data[length : length + SLACK] = 0
        return length

    def _parse(self, chunk: Chunk, at: int, stop: int) -> tuple[int, int]:
        """Lets the kernel read from a place on; rows, and where it ended."""
        tables = self._tables
        rows, reached = read_elements(
            chunk.data,
            at,
            stop,
            chunk.code,
            chunk.name,
            chunk.start,
            chunk.end,
            chunk.numbers,
            chunk.met,
            tables.elements,
            tables.attributes,
            tables.words,
            tables.codes,
            tables.reads,
        )
        return int(rows), int(reached)

    def _join(self, chunk: Chunk, piece: _Piece, rows: int, reached: int, length: int, is_first: bool) -> EventBatch:
        """In turn: takes rows as far as they are where reading is; moves `_resume` behind what was taken."""
        base, stop = piece.start, piece.stop - piece.start
        batch = EventBatch(
            base, chunk.code[:rows], chunk.name[:rows], chunk.start[:rows], chunk.end[:rows], chunk.numbers
        )
        state, sessions = self._state, self._constructs.sessions
        state[FINDINGS] = state[ODDS] = state[WORDS] = state[ROW] = 0
        state[AT] = self._resume - base
        batch.findings = Findings(state, chunk.kinds, chunk.offsets, chunk.values)
        batch.odd, batch.odd_names = OddRows(state, chunk.odd), self._odd.texts
        sessions.batch = batch
        if is_first:
            sessions.begin(0, base, piece.part)
        data = memoryview(chunk.data)[:length]
        while True:
            why = self._take_rows(chunk, length, rows, reached, stop, base)
            if why == MORE_NAMES:
                self._odd.grow()
                continue
            sessions.catch_up()
            self._take_words(batch, chunk)
            if why != PLAIN:
                break
            row = state[ROW]
            state[AT] = self._take_construct(batch, chunk, data, row, state[AT], stop)
            state[ROW] = row + 1
        return self._finish(batch, state[ROW] if why == FULL else rows, state[AT], base)

    def _take_rows(self, chunk: Chunk, length: int, rows: int, reached: int, stop: int, base: int) -> int:
        """Lets the kernel take rows up to a construct that plain code reads; why it returned."""
        odd, tables = self._odd, self._tables
        turn = Turn(
            self._numbers,
            chunk.kinds,
            chunk.offsets,
            chunk.values,
            chunk.odd,
            self._name_starts,
            self._name_lengths,
            self._value_starts,
            self._value_lengths,
            chunk.word_starts,
            chunk.word_lengths,
            odd.slots,
            odd.starts,
            odd.blob,
        )
        return int(
            take_rows(
                turn,
                chunk.data,
                length,
                rows,
                reached,
                stop,
                base,
                chunk.code,
                chunk.name,
                chunk.start,
                chunk.end,
                chunk.numbers,
                self._names,
                tables.has_long_names,
            )
        )

    def _finish(self, batch: EventBatch, rows: int, at: int, base: int) -> EventBatch:
        """The batch with so many rows; the next one begins at `at`."""
        batch.code, batch.name = batch.code[:rows], batch.name[:rows]
        batch.start, batch.end = batch.start[:rows], batch.end[:rows]
        batch.numbers = batch.numbers[: rows * SLOTS]
        batch.odd = batch.odd.rows()
        self._odd.update()
        self._resume = batch.done = base + at
        return batch

    def _take_words(self, batch: EventBatch, chunk: Chunk) -> None:
        """Adds the words that the kernel found to those of the batch."""
        first, count = len(batch.words), self._state[WORDS]
        if first < count:
            data, words = chunk.data, batch.words
            starts = chunk.word_starts[first:count]
            ends = (starts + chunk.word_lengths[first:count]).tolist()
            first, last = int(starts[0]), ends[-1]
            text = data[first:last].tobytes().decode("latin-1")
            words.extend(text[start - first : end - first] for start, end in zip(starts.tolist(), ends, strict=True))

    def _take_construct(self, batch: EventBatch, chunk: Chunk, data: memoryview, row: int, at: int, stop: int) -> int:
        """Takes a construct that the kernel left; its end."""
        chunk.code[row] = NOTHING
        constructs = self._constructs.constructs
        constructs.unmatched = self._state[UNMATCHED]
        taken = self._constructs.take(batch, data, at, row)
        self._state[WORDS] = len(batch.words)
        self._state[HAS_CODEC] = self._constructs.sessions.codec is not None
        self._state[UNMATCHED] = constructs.unmatched
        if taken is None:
            until = next_start(data, at + 1, stop)
            self._constructs.sessions.gap(batch.base + at, bytes(data[at:until]))
            return until
        if taken.code != NOTHING:
            chunk.code[row], chunk.name[row], chunk.end[row] = taken.code, taken.name, taken.end
            chunk.numbers[row * SLOTS : row * SLOTS + SLOTS] = taken.numbers
        self._learn()
        return taken.end

    def _learn(self) -> None:
        """Attributes that plain code met, and that are not known, are passed by from now on."""
        others = self._constructs.sessions.others
        if len(others) > self._known:
            for code, attribute in others:
                self._tables.pass_by(code, attribute)
            self._known = len(others)
            self._state[IS_FULL_OF_OTHERS] = self._known >= MOST_OTHERS


def _pieces(part: Part, size: int) -> list[_Piece]:
    starts = range(part.start, max(part.end, part.start + 1), size)
    return [_Piece(part, start, min(start + size, part.end)) for start in starts]
