"""Reader of recordings by kernels: two threads read chunks in turn; the steps that need file order run in that order.

The kernel reads all known elements of a chunk. The real position is known only in file order: then rows inside other
constructs (a comment, a value with a `<`) are dropped, and plain code reads the constructs that are no plain element.
Twin: `blocks.PlainReader`, with the same events.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np

from parsers.formats.tptp.read.construct_reader import ConstructReader
from parsers.formats.tptp.read.decoding import as_utf_8, undecodable
from parsers.formats.tptp.read.element_chunk import CHUNK, MOST_NAMES, ElementChunk, FoundArrays, new_chunk
from parsers.formats.tptp.read.kernels.construct import DECODING, FULL, MORE_NAMES, MORE_OTHERS, PLAIN, take_rows
from parsers.formats.tptp.read.kernels.element import read_elements
from parsers.formats.tptp.read.kernels.ordered_arrays import AttributePlaces, OrderedArrays
from parsers.formats.tptp.read.kernels.text import MODIFIED, UTF_8
from parsers.formats.tptp.read.parts import DocumentPart
from parsers.formats.tptp.read.scanner import MOST, next_start, resolved
from parsers.formats.tptp.read.session_state import SessionState
from parsers.formats.tptp.schema.batch import EventBatch, TraceFinding
from parsers.formats.tptp.schema.element_names import NameTables
from parsers.formats.tptp.schema.values import FURTHER_NAMES, MOST_OTHERS, MOST_UNKNOWN_NAMES
from parsers.formats.tptp.schema.vocabulary import NOTHING, SLOTS, Vocabulary
from parsers.index.build import ChangedReport
from parsers.index.kernel_texts import KernelTexts
from parsers.io.ordered_pipeline import OrderedPipeline
from parsers.kernels.vector import SLACK

DECLARATION = re.compile(rb"<\?")


class ReadInto(Protocol):
    """Source of bytes."""

    def read_into(self, view: memoryview, offset: int) -> int:
        """Fills a view from `offset` on, as far as there are bytes. Returns their number."""
        ...


class Findings:
    """Findings of a batch as arrays: kernels and plain code add to them in file order. Their number is in the state."""

    def __init__(self, state: SessionState, found: FoundArrays) -> None:
        self._state = state
        self.kinds, self.offsets, self.values = found.kinds, found.offsets, found.values

    def __len__(self) -> int:
        return int(self._state.findings)

    def append(self, found: TraceFinding) -> None:
        """Adds a finding."""
        row = len(self)
        self.kinds[row], self.offsets[row], self.values[row] = found
        self._state.findings = row + 1

    def __iter__(self) -> Iterator[TraceFinding]:
        for row in range(len(self)):
            yield TraceFinding(int(self.kinds[row]), int(self.offsets[row]), int(self.values[row]))


class _Piece(NamedTuple):
    """A chunk of the plain bytes."""

    part: DocumentPart
    start: int
    stop: int


class KernelReader:
    """Reader of a recording from its start to its end."""

    def __init__(
        self, source: ReadInto, parts: Sequence[DocumentPart], vocabulary: Vocabulary, chunk: int = CHUNK
    ) -> None:
        self._source = source
        self._chunk = chunk
        self._pieces = [piece for part in parts for piece in _pieces(part, chunk)]
        self._tables = NameTables(vocabulary)
        self._state = SessionState()
        self._numbers = np.frombuffer(memoryview(self._state), np.dtype(SessionState))
        """The same for kernels."""
        self._odd, self._others = KernelTexts(), KernelTexts()
        self._undecodable = np.zeros(1, np.int64)
        self._learned = 0
        """Number of unknown attributes taken over."""
        self._key = np.zeros(MOST + SLACK, np.uint8)
        self._places = AttributePlaces(*np.zeros((4, MOST_NAMES), np.int64))
        self._constructs = ConstructReader(vocabulary, self._number_odd, self._note_other, self._state)
        self._characters = np.frombuffer(self._constructs.sessions.characters, np.uint8)
        self._resume = 0
        """Offset of the next construct, or of bytes that are none. Used in file order."""

    def read(self, take: Callable[[EventBatch], None]) -> None:
        """Passes all events to `take`, in file order, one batch at a time. Arrays are reused after `take` returns."""
        pipeline = OrderedPipeline()

        def worker() -> Callable[[int], None]:
            chunk = new_chunk(self._chunk)
            return lambda number: self._take_piece(pipeline, chunk, number, take)

        pipeline.run(len(self._pieces), worker)

    def _take_piece(
        self, pipeline: OrderedPipeline, chunk: ElementChunk, number: int, take: Callable[[EventBatch], None]
    ) -> None:
        piece = self._pieces[number]
        length = self._load(chunk, piece)
        rows, reached = self._parse(chunk, 0, piece.stop - piece.start)
        pipeline.wait(number)
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
                pipeline.done(number)
                return
            rows, reached = self._parse(chunk, self._resume - piece.start, piece.stop - piece.start)

    def _load(self, chunk: ElementChunk, piece: _Piece) -> int:
        """Reads the bytes of a chunk and the rest of its last tag. Returns their number."""
        length = min(piece.stop + MOST, piece.part.end) - piece.start
        view = chunk.data[:length].data
        if self._source.read_into(view, piece.start) < length:
            raise ChangedReport
        chunk.data[length : length + SLACK] = 0
        return length

    def _parse(self, chunk: ElementChunk, at: int, stop: int) -> tuple[int, int]:
        """Runs the kernel from a position on. Returns the number of rows, and where it ended."""
        rows, reached = read_elements(chunk, self._tables.arrays, at, stop)
        return int(rows), int(reached)

    def _join(
        self, chunk: ElementChunk, piece: _Piece, rows: int, reached: int, length: int, is_first: bool
    ) -> EventBatch:
        """In file order: takes the rows from the reading position on; moves `_resume` to the end of the last one."""
        base, stop = piece.start, piece.stop - piece.start
        batch = EventBatch(
            base, chunk.code[:rows], chunk.name[:rows], chunk.start[:rows], chunk.end[:rows], chunk.numbers
        )
        state, sessions = self._state, self._constructs.sessions
        state.findings = state.odds = state.words = state.row = 0
        state.at = self._resume - base
        state.decoded = 0
        batch.findings = Findings(state, chunk.found)
        batch.odd_names = self._odd
        sessions.batch = batch
        if is_first:
            sessions.begin(0, base, piece.part)
        data = chunk.data[:length].data
        while True:
            why = self._take_rows(chunk, length, rows, reached, stop, base)
            if why in (MORE_NAMES, MORE_OTHERS):
                (self._odd if why == MORE_NAMES else self._others).ensure_capacity(1, MOST)
                if self._odd.known == MOST_UNKNOWN_NAMES and why == MORE_NAMES:
                    self._number_odd(FURTHER_NAMES)
                continue
            if why == DECODING:
                self._find_undecodable(chunk, length)
                continue
            self._learn()
            self._take_words(batch, chunk)
            if why != PLAIN:
                break
            row = state.row
            state.at = self._take_construct(batch, chunk, data, row, state.at, stop)
            state.row = row + 1
        rows = state.row if why == FULL else rows
        batch.code, batch.name = batch.code[:rows], batch.name[:rows]
        batch.start, batch.end = batch.start[:rows], batch.end[:rows]
        batch.numbers, batch.odd = batch.numbers[: rows * SLOTS], chunk.found.odd[: state.odds]
        self._resume = batch.done = base + state.at
        return batch

    def _take_rows(self, chunk: ElementChunk, length: int, rows: int, reached: int, stop: int, base: int) -> int:
        """Lets the kernel take rows up to a construct that plain code reads; why it returned."""
        ordered = OrderedArrays(
            self._numbers,
            chunk.found,
            self._places,
            self._characters,
            self._undecodable,
            self._odd.table,
            self._others.table,
            self._key,
        )
        tables = self._tables
        why = take_rows(ordered, chunk, tables.arrays, length, rows, reached, stop, base, tables.has_long_names)
        self._odd.known, self._others.known = int(self._state.odd_names), int(self._state.others)
        return int(why)

    def _find_undecodable(self, chunk: ElementChunk, length: int) -> None:
        """Decodes the bytes from an element on, up to where the encoding may change."""
        state, codec = self._state, self._constructs.sessions.codec
        assert codec is not None, "bytes of a declared encoding"
        data = chunk.data[state.at : length].data
        declaration = DECLARATION.search(data, MOST)  # Behind the element, whatever is in it.
        stop = declaration.start() if declaration is not None else len(data)
        positions = undecodable(bytes(data[:stop]), codec)
        known = [state.at + position for position in positions] if positions is not None else [-1]
        self._undecodable = np.array([*known, length + 1], np.int64)
        state.decoded, self._constructs.sessions.decoded_as = state.at + stop, codec

    def _take_words(self, batch: EventBatch, chunk: ElementChunk) -> None:
        """Adds the words found by the kernel to those of the batch."""
        first, count = len(batch.words), self._state.words
        if first < count:
            data, words, found_words = chunk.data, batch.words, chunk.found
            starts = found_words.word_starts[first:count]
            ends = (starts + found_words.word_lengths[first:count]).tolist()
            first = int(starts.min())
            text = data[first : max(ends)].tobytes()
            starts = (starts - starts.dtype.type(first)).tolist()
            found = [text[start : end - first] for start, end in zip(starts, ends, strict=True)]
            encodings = found_words.word_encodings[len(words) : count]
            if encodings.any():
                words += map(self._decoded, found, encodings.tolist())
            else:
                words += [word.decode() for word in found]

    def _decoded(self, word: bytes, encoding: int) -> str:
        """A word in one of the encodings of `kernels.text`."""
        codec = ("utf-8", "", self._constructs.sessions.codec or "", "cp1252", "latin-1")[encoding]
        if encoding == UTF_8:
            return word.decode()
        return resolved(word.decode(codec) if encoding != MODIFIED else as_utf_8(word) or "")

    def _take_construct(
        self, batch: EventBatch, chunk: ElementChunk, data: memoryview, row: int, at: int, stop: int
    ) -> int:
        """Reads a construct that the kernel left. Returns its end."""
        chunk.code[row] = NOTHING
        taken = self._constructs.take(batch, data, at, row)
        while batch.odd:
            chunk.found.odd[self._state.odds] = batch.odd.pop()
            self._state.odds += 1
        self._state.words = len(batch.words)
        if taken is None:
            until = next_start(data, at + 1, stop)
            self._constructs.sessions.gap(batch.base + at, bytes(data[at:until]))
            return until
        if taken.code != NOTHING:
            chunk.code[row], chunk.name[row], chunk.end[row] = taken.code, taken.name, taken.end
            chunk.numbers[row * SLOTS : row * SLOTS + SLOTS] = taken.numbers
        return taken.end

    @cached_property
    def _kept_odd(self) -> frozenset[bytes]:
        """All names of unknown elements, when there are as many as are kept."""
        return frozenset(self._odd.texts)

    def _number_odd(self, name: bytes) -> int:
        """Number of the name of an unknown element."""
        if self._odd.known >= MOST_UNKNOWN_NAMES and name not in self._kept_odd:
            name = FURTHER_NAMES
        number = self._odd.number(name)
        self._state.odd_names = self._odd.known
        return number

    def _note_other(self, code: int, attribute: str) -> None:
        """Notes an unknown attribute of a known element, as the kernel does."""
        if (code, attribute) not in self._constructs.sessions.others and self._state.others < MOST_OTHERS:
            self._others.number(f"{chr(code)}{attribute}".encode("utf-8", "replace"))
            self._state.others = self._others.known

    def _learn(self) -> None:
        """Takes over unknown attributes: from now on they are skipped."""
        for text in self._others[self._learned :]:
            code, attribute = text[0], text[1:].decode()
            self._constructs.sessions.note_other(code, attribute)
            self._tables.pass_by(code, attribute)
        self._learned = len(self._others)


def _pieces(part: DocumentPart, size: int) -> list[_Piece]:
    starts = range(part.start, max(part.end, part.start + 1), size)
    return [_Piece(part, start, min(start + size, part.end)) for start in starts]
