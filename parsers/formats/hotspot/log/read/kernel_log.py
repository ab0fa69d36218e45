"""Pass 1 by kernels: two threads parse chunks, and join them in file order. See `kernel` for the steps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from parsers.formats.hotspot.decisions.tasks import texts_of
from parsers.formats.hotspot.log.columns import COLUMNS, EVENTS, NO_WORD, TASKS, TEXTS, THREADS, WRITERS
from parsers.formats.hotspot.log.part import KEPT_PROBLEMS, LINE_BLOCK, LogFile
from parsers.formats.hotspot.log.read.chunk import (
    BEFORE,
    CHUNK,
    DEPENDENCIES,
    ELEMENTS,
    EVENT,
    FRAGMENT_ELEMENTS,
    FRAGMENT_WORDS,
    HEADER,
    LONG_TAIL,
    OUTSIDE_FRAGMENTS,
    OUTSIDE_WORDS,
    STATE,
    TAIL,
    TASK,
    TORN_TAG,
    LogChunk,
    RunState,
    new_chunk,
)
from parsers.formats.hotspot.log.read.join_kernel import join_log
from parsers.formats.hotspot.log.read.kernel import MORE, parse_log
from parsers.formats.hotspot.log.read.name_table import make_names
from parsers.formats.hotspot.log.read.plain_log import Gaps, first_bad_byte, name_of, nul_runs
from parsers.formats.hotspot.log.read.tags import KEPT, KINDS, UNKNOWN
from parsers.index.build import read_piece
from parsers.index.kernel_texts import TextSlots
from parsers.index.writer import Writer
from parsers.io.ordered_pipeline import OrderedPipeline
from parsers.kernels.id_table import fill_slots
from parsers.kernels.text_table import larger_slots
from parsers.kernels.vector import SLACK
from parsers.model.none import NONE

if TYPE_CHECKING:
    from parsers.model.arrays import AnyArray, U32Array

ROWS = {"tasks": TASKS, "events": EVENTS, "threads": THREADS}
"""Columns of the rows that kernels make, by their array in a chunk."""
KIND_OF = dict.fromkeys(TASKS, "tasks") | dict.fromkeys(EVENTS, "events") | dict.fromkeys(THREADS, "threads")
KIND_OF |= dict.fromkeys(WRITERS, "writers")
BYTES_PER_ROW = 1000
"""Bytes of a normal log per row, at most: gives the initial capacity of arrays."""

ReportProgress = Callable[[int, dict[str, int]], None]
"""Called with the run offset up to which rows are complete, and the lengths of all arrays."""


@dataclass(frozen=True, slots=True)
class ChunkRange:
    """The range of one file that is a chunk."""

    file: int
    start: int
    stop: int


@dataclass(slots=True)
class StrangeTags:
    """Problems in a chunk that kernels leave to plain code."""

    nuls: list[tuple[int, int]]
    bad: int
    mid_line: list[tuple[int, str]]


class KernelLog:
    """The reader of a run. After `read` all columns are complete."""

    def __init__(self, writer: Writer, descriptors: Sequence[int], sizes: Sequence[int], chunk: int = CHUNK) -> None:
        self.parts: list[LogFile] = []
        self.lines: list[U32Array] = []
        """By file: line ends in each block."""
        self._descriptors, self._sizes, self._chunk = descriptors, sizes, chunk
        self._bases = [sum(sizes[:number]) for number in range(len(sizes))]
        self._pieces = [
            ChunkRange(file, start, min(start + chunk, size))
            for file, size in enumerate(sizes)
            for start in range(0, max(size, 1), chunk)
        ]
        self._names = make_names()
        self._pipeline = OrderedPipeline()
        self._report_progress: ReportProgress | None = None
        guess = sum(sizes) // BYTES_PER_ROW + 1024
        self._growing = {name: writer.grow(name, type, guess) for name, type in (COLUMNS | TEXTS).items()}
        self._rows = {"tasks": 0, "events": 0, "threads": 0, "writers": 0}
        self._tables = {"method": self._new_table("method", 1 << 16), "word": self._new_table("word", 1 << 10)}
        self.whole = self._new_whole()
        self._gaps: Gaps | None = None

    def _new_whole(self) -> RunState:
        return RunState(
            state=np.zeros(1, STATE),
            open_task=np.zeros(1, TASK),
            open_event=np.zeros(1, EVENT),
            kinds=np.zeros((3, KINDS), np.int64),
            counts=np.zeros((3, NO_WORD + 1), np.uint32),
            torn=np.zeros(KEPT_PROBLEMS, TORN_TAG),
            headers=np.zeros(8, HEADER),
            writer_slots=np.zeros(1 << 10, np.uint32),
            writer_id=self._growing["writer_id"].array,
            writer_events=self._growing["writer_events"].array,
        )

    def _new_table(self, kind: str, slots: int) -> TextSlots:
        starts, blob = (self._growing[f"{kind}_{name}"].array for name in ("starts", "bytes"))
        return TextSlots(np.zeros(slots, np.uint64), starts, blob)

    def read(self, report_progress: ReportProgress | None = None) -> None:
        """Reads all files. Raises the exception of a thread that failed."""
        self._report_progress = report_progress
        self._pipeline.run(len(self._pieces), self._worker)
        for name, length in self.lengths().items():
            self._growing[name].length = length

    def _worker(self) -> Callable[[int], None]:
        chunk = new_chunk(self._chunk)

        def take(number: int) -> None:
            piece = self._pieces[number]
            place = self._parse(chunk, piece)
            strange = self._read_strange_tags(chunk, piece, place)
            self._pipeline.wait(number)
            self._join(chunk, piece, place, strange)
            if self._report_progress is not None:
                self._report_progress(self._bases[piece.file] + piece.stop, self.lengths())
            self._pipeline.done(number)

        return take

    def _parse(self, chunk: LogChunk, piece: ChunkRange) -> int:
        """Reads a chunk and finds its tags. Returns the file offset of its `data`, negative at the file's start."""
        size, place = self._sizes[piece.file], piece.start - BEFORE
        for tail in (TAIL, LONG_TAIL):
            end = min(piece.stop + tail, size)
            first = max(place, 0)
            chunk.data[: first - place] = 0
            read_piece(self._descriptors[piece.file], chunk.data[first - place :], end - first, first, 2 * SLACK)
            is_first, is_end = piece.start == 0, end == size
            found = parse_log(chunk, piece.stop - place, end - place, is_first, is_end, self._names)
            if found != MORE:
                return place
        raise AssertionError("a tag ends in the long tail, or is too long to be taken apart")

    def _read_strange_tags(self, chunk: LogChunk, piece: ChunkRange, place: int) -> StrangeTags:
        """Finds gaps, broken UTF-8 and tags in mid-line: rare, so plain code does it."""
        facts, stop = chunk.facts[0], piece.stop - place
        nuls: list[tuple[int, int]] = []
        bad = -1
        if facts["nuls"]:
            nuls = nul_runs(chunk.data[:stop].tobytes(), BEFORE)
        if facts["is_high"] or chunk.data[BEFORE - 3 : BEFORE].max() > 127:
            begin = BEFORE - min(piece.start, 3)
            is_end = piece.stop == self._sizes[piece.file]
            bad = first_bad_byte(chunk.data[begin:stop].tobytes(), BEFORE - begin, is_end)
            bad = place + begin + bad if bad >= 0 else -1
        mid_line = [
            (place + at, chunk.data[at + 1 : at + 1 + length].tobytes().decode())
            for at, length in chunk.mid[: min(int(facts["mid_lines"]), KEPT_PROBLEMS)].tolist()
        ]
        return StrangeTags(nuls, bad, mid_line)

    def _join(self, chunk: LogChunk, piece: ChunkRange, place: int, strange: StrangeTags) -> None:
        """Joins the chunk to the run, in the order of the files."""
        if piece.start == 0:
            self._begin(piece.file)
        part, facts = self.parts[-1], chunk.facts[0]
        assert self._gaps is not None
        self._ensure_capacity(int(facts["tags"]), piece.stop - piece.start)
        base = self._bases[piece.file]
        is_last = piece.stop == self._sizes[piece.file]
        end = base + piece.stop if is_last else -1
        join_log(chunk, self.whole, self._tables["method"], self._tables["word"], base + place, base, end)
        self._keep_rows(chunk)
        part.nul_bytes += int(facts["nuls"])
        self._gaps.add(strange.nuls, place)
        if part.first_bad_utf8_byte < 0:
            part.first_bad_utf8_byte = strange.bad
        part.mid_line_count += int(facts["mid_lines"])
        part.mid_line += strange.mid_line[: KEPT_PROBLEMS - len(part.mid_line)]
        if facts["ends_in"] >= 0:
            part.ends_in = place + int(facts["ends_in"])
        blocks = -(-(piece.stop - piece.start) // LINE_BLOCK)
        self.lines[-1][piece.start // LINE_BLOCK : piece.start // LINE_BLOCK + blocks] += chunk.lines[:blocks]
        if is_last:
            self._end()

    def _keep_rows(self, chunk: LogChunk) -> None:
        """Appends the rows of a chunk to the columns."""
        for name, rows in zip(ROWS, (chunk.tasks, chunk.events, chunk.threads), strict=True):
            first, count = self._rows[name], int(chunk.facts[0][f"new_{name}"])
            for column, field in zip(ROWS[name], rows.dtype.names or (), strict=True):
                self._growing[column].array[first : first + count] = rows[field][:count]
            self._rows[name] = first + count
        self._rows["writers"] = self._count("writers")

    def _begin(self, file: int) -> None:
        """Begins a file."""
        whole = self.whole
        counts = (self._rows["tasks"], self._rows["events"], self._rows["threads"])
        blocks = sum(len(lines) for lines in self.lines)
        self.parts.append(LogFile(self._bases[file], self._sizes[file], *counts, blocks))
        self.lines.append(np.zeros(-(-self._sizes[file] // LINE_BLOCK), np.uint32))
        self._gaps = Gaps(self.parts[-1])
        for value, names in (
            (NONE, ("thread", "writer", "stamp")),
            (0, ("in_fragment", "in_tty", "torn_tags", "headers", "has_task", "has_event", "is_called")),
            (-1, ("tty_at", "tty_end")),
        ):
            for name in names:
                whole.state[name] = value
        whole.kinds[:] = whole.counts[:] = 0

    def _end(self) -> None:
        """Ends a file: stores its counts in its part."""
        part, whole = self.parts[-1], self.whole
        assert self._gaps is not None
        self._gaps.close()
        part.fragment_is_open = bool(self._count("in_fragment"))
        part.kinds = [int(count) for count in whole.kinds[OUTSIDE_FRAGMENTS]]
        part.newlines = int(self.lines[-1].sum())
        for counter, kinds, words in (
            (part.outside, whole.kinds[ELEMENTS], OUTSIDE_WORDS),
            (part.outside_in_fragments, whole.kinds[FRAGMENT_ELEMENTS], FRAGMENT_WORDS),
        ):
            counter.update({KEPT[kind]: int(kinds[kind]) for kind in range(UNKNOWN) if kinds[kind]})
            counter.update(self._by_word(words))
        part.failed_dependencies.update(self._by_word(DEPENDENCIES))
        part.torn_count = self._count("torn_tags")
        kept = min(part.torn_count, KEPT_PROBLEMS)
        part.torn = [(offset, name_of(kind)) for offset, kind in whole.torn[:kept].tolist()]
        part.headers = whole.headers[: self._count("headers")].tolist()
        part.tty = (self._count("tty_at"), self._count("tty_end"))

    def _by_word(self, row: int) -> dict[str, int]:
        counts: dict[str, int] = {}
        for word in np.flatnonzero(self.whole.counts[row]):
            name = "" if word == NO_WORD else self.word(int(word)).decode("utf-8", "replace")
            counts[name] = counts.get(name, 0) + int(self.whole.counts[row, word])
        return counts

    def word(self, word: int) -> bytes:
        """Returns the text of a word."""
        _, starts, blob = self._tables["word"]
        return blob[int(starts[word]) : int(starts[word + 1])].tobytes()

    def words(self) -> list[bytes]:
        """Returns all words."""
        _, starts, blob = self._tables["word"]
        return texts_of(starts, blob, 0, self._count("words"))

    def _ensure_capacity(self, rows: int, size: int) -> None:
        """Enlarges all arrays for what a chunk may add."""
        grown = {}
        capacities = {
            "method_starts": self._count("methods") + rows + 2,
            "method_bytes": self._count("method_bytes") + size + LONG_TAIL + SLACK,
            "word_starts": self._count("words") + 4 * rows + 2,
            "word_bytes": self._count("word_bytes") + size + LONG_TAIL + SLACK,
        }
        for name, growing in self._growing.items():
            if growing.ensure(capacities[name] if name in capacities else self._rows[KIND_OF[name]] + rows + 2):
                grown[name] = growing.array
        if "writer_id" in grown or "writer_events" in grown:
            arrays = {name: self._growing[name].array for name in WRITERS}
            self.whole = self.whole._replace(**arrays)
        for kind, count in (("method", self._count("methods") + rows), ("word", self._count("words") + 4 * rows)):
            if f"{kind}_starts" in grown or f"{kind}_bytes" in grown:
                self._tables[kind] = self._tables[kind]._replace(
                    starts=self._growing[f"{kind}_starts"].array, blob=self._growing[f"{kind}_bytes"].array
                )
            table = self._tables[kind]
            if 2 * count > len(table.slots):
                self._tables[kind] = table._replace(slots=larger_slots(table.slots, count, table.starts, table.blob))
        writers = self._count("writers") + rows
        if 2 * writers > len(self.whole.writer_slots):
            slots = np.zeros(1 << (2 * writers).bit_length(), np.uint32)
            fill_slots(slots, self.whole.writer_id, self._count("writers"))
            self.whole = self.whole._replace(writer_slots=slots)

    def _count(self, name: str) -> int:
        """Returns a number of the state of reading."""
        return int(self.whole.state[name][0])

    def lengths(self) -> dict[str, int]:
        """Returns the lengths of all arrays."""
        lengths = {name: self._rows[kind] for name, kind in KIND_OF.items()}
        for kind in ("method", "word"):
            lengths |= {f"{kind}_starts": self._count(f"{kind}s") + 1, f"{kind}_bytes": self._count(f"{kind}_bytes")}
        return lengths

    def column(self, name: str) -> AnyArray:
        """Returns a column, which is writable."""
        found: AnyArray = self._growing[name].array[: self.lengths()[name]]
        return found

    def line_counts(self) -> U32Array:
        """Returns line ends before each block of each file, counted within the file, as uint32."""
        parts = [np.cumsum(lines) - lines for lines in self.lines]
        return np.concatenate(parts).astype(np.uint32) if parts else np.zeros(0, np.uint32)
