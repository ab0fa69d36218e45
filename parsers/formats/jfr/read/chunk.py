"""One chunk: its types, its constants and its events, as far as they can be read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from parsers.formats.jfr.read.chunk_types import MOST_UNKNOWN, NO_TYPES, Types
from parsers.formats.jfr.read.chunks import COMPRESSED, HEADER_BYTES, UPDATING, File, Landmarks, Region, skipped_problem
from parsers.formats.jfr.read.engine import Engine
from parsers.formats.jfr.read.loops import (
    AT_HEADER,
    COUNTED,
    CROSSES,
    DONE,
    EVENTS,
    FULL,
    MARKS,
    METADATA,
    ROWS,
    STATE,
    STATUS,
    THREADS,
    UNKNOWN,
    UNREADABLE,
)
from parsers.formats.jfr.read.metadata import MOST_ELEMENTS, MetadataError, event_body
from parsers.formats.jfr.read.stack_loops import (
    CHECKPOINT_STATE,
    CONSTANTS,
    ENDED,
    FRAMES,
    NEEDED,
    PLACES,
    POOLS,
    REACHED,
    TRACES,
)
from parsers.io.ordered_pipeline import in_parallel
from parsers.model.report import Problem

if TYPE_CHECKING:
    from parsers.formats.jfr.read.engine import Data
    from parsers.model.arrays import AnyArray, I64Array, U8Array, U32Array

WINDOW = 2 << 20
"""Bytes read at a time: they stay in the cache of a processor."""
SPLIT = 32 << 20
"""Size of a chunk from which on its checkpoints are read by two threads."""
MOST_GAPS = 4
"""Largest range of keys with a place each, as a multiple of the number of keys."""
MARKS_AT_ONCE = 1 << 12
USUAL_FRAME = 6
"""Bytes of a frame in a file; few have less."""
FEW = 1 << 9
"""Constants, traces and frames for which there is space at first."""
MOST_PROBLEMS = 100
"""Problems of a chunk that are listed."""
MOST_METADATA = 64 << 20
"""Bytes of metadata that are read: real ones have 110 KB."""


@dataclass
class Traces:
    """The stack traces of a chunk."""

    keys: I64Array
    ends: I64Array
    """By trace: end of its frames in `frames`."""
    cuts: U8Array
    """By trace: 1 if it is truncated."""
    frames: U32Array
    """Numbers of different frames; overwritten when the traces are numbered."""
    fields: I64Array
    """By different frame: keys of method and type, line and bytecode index: `METHOD` … as in the file."""


@dataclass(frozen=True)
class TraceTable:
    """A table of traces by their keys, as `loops.find_stacks` needs it."""

    least: int
    places: U32Array


class Constants(NamedTuple):
    """The constants of a chunk besides stack traces."""

    types: U32Array
    """Place of the type of each."""
    keys: I64Array
    places: I64Array
    """Offset of each value in the file."""
    hashes: I64Array
    """Hash of the bytes of each value."""


def marked(marks: Sequence[I64Array], is_metadata: bool) -> I64Array:
    """Returns the offsets of metadata, or of checkpoints, among marks: offsets and types from `loops.walk`."""
    places, types = np.concatenate([np.zeros((2, 0), np.int64), *marks], axis=1)
    return places[(types == METADATA) == is_metadata]  # type: ignore[no-any-return]


def joined_constants(parts: Sequence[Constants]) -> Constants:
    """Returns constants that were read in parts."""
    return Constants(*map(np.concatenate, zip(*parts, strict=True))) if len(parts) > 1 else parts[0]


def joined_traces(parts: Sequence[Traces]) -> Traces:
    """Returns stack traces that were read in parts; some different frames may be equal then."""
    if len(parts) == 1:
        return parts[0]
    frames = np.cumsum([0, *(len(part.frames) for part in parts)])
    different = np.cumsum([0, *(len(part.fields) for part in parts)])
    return Traces(
        np.concatenate([part.keys for part in parts]),
        np.concatenate([part.ends + first for part, first in zip(parts, frames, strict=False)]),
        np.concatenate([part.cuts for part in parts]),
        np.concatenate([part.frames + np.uint32(first) for part, first in zip(parts, different, strict=False)]),
        np.concatenate([part.fields for part in parts]),
    )


@dataclass(frozen=True)
class EventSpan:
    """A part of a chunk that consists of whole events."""

    start: int
    end: int
    rows: int


class ChunkEvents:
    """Events of a span, in file order: the arrays that `loops.read_events` fills. The first `rows` are used."""

    def __init__(self, rows: int) -> None:
        """rows: number of events for which there is space"""
        self.places: I64Array = np.empty(rows, np.int64)
        """Offset of each in the file."""
        self.starts: I64Array = np.empty(rows, np.int64)
        """Nanoseconds since 1970."""
        self.durations: I64Array = np.empty(rows, np.int64)
        self.threads: U32Array = np.empty(rows, np.uint32)
        """Place of each event's thread in `thread_keys`."""
        self.stack_keys: I64Array = np.empty(rows, np.int64)
        self.stacks: U32Array = np.empty(rows, np.uint32)
        """As from `loops.find_stacks`."""
        self.types: U32Array = np.empty(rows, np.uint32)
        """Place of each event's type among those declared, then those not declared."""
        self.thread_keys, self.thread_slots = np.empty(1 << 10, np.int64), np.zeros(1 << 11, np.uint32)
        self.state = np.zeros(3, np.int64)

    def clear(self, types: int) -> None:
        """Removes all events. types: number of those of the chunk"""
        self.state[:] = 0
        self.thread_slots[:] = 0
        self.counts = np.zeros((types, COUNTED), np.int64)
        """As from `loops.read_events` and `count_stacks`."""
        self.span = np.array([np.iinfo(np.int64).max, np.iinfo(np.int64).min])
        """First start and last end."""
        self.stacks_missing = 0
        """Events whose stack trace is not in the chunk."""

    @property
    def rows(self) -> int:
        """Number of events."""
        return int(self.state[EVENTS])

    @property
    def unreadable(self) -> int:
        """Number of events with fields that can't be read."""
        return int(self.state[UNREADABLE])

    @property
    def known_threads(self) -> I64Array:
        """Keys of the different threads; 0: none."""
        return self.thread_keys[: int(self.state[THREADS])]


@dataclass
class ChunkContents:
    """Types, constants and damage of a chunk, found before its events are read."""

    region: Region
    types: Types
    sizes: I64Array
    """Bytes of the events of each type."""
    spans: list[EventSpan]
    unknown: list[int]
    """Ids of undeclared types."""
    problems: list[Problem]
    constants: Constants
    traces: Traces
    end: int = 0
    """Offset behind its last event."""
    bytes_lost: int = 0
    problem_count: int = 0

    def add(self, problem: Problem) -> None:
        """Counts a problem, and lists it if there is space."""
        self.problem_count += 1
        if len(self.problems) < MOST_PROBLEMS:
            self.problems.append(problem)


@dataclass
class ChunkReader:
    """Reads chunks of a file; each thread has its own."""

    file: File
    engine: Engine
    find_types: Callable[[bytes], Types]
    """Returns the types of metadata (`event_body`), which several chunks may share."""
    path: str = ""
    _window: tuple[int, Data] = field(default=(0, b""))
    """Offset and bytes of the last window."""
    _constant_arrays: _ConstantArrays = field(default_factory=lambda: _ConstantArrays())
    """Constants of the last chunk."""
    _events: ChunkEvents = field(default_factory=lambda: ChunkEvents(0))
    """Events of the last span: new memory for each would take longer than reading them."""
    _marks: I64Array = field(default_factory=lambda: np.empty((2, MARKS_AT_ONCE), np.int64))
    """Offsets and types of metadata and checkpoints that were found last."""
    _buffer: bytearray = field(default_factory=bytearray)
    """The bytes of windows: new memory for each would take longer than reading them."""

    # -- the walk -----------------------------------------------------------------------------------------------------

    def read(self, region: Region) -> ChunkContents:
        """Reads everything but the fields of events. Its constants are overwritten by the next chunk."""
        arrays = self._constant_arrays
        arrays.clear(region.end - region.start)
        found = ChunkContents(region, NO_TYPES, np.zeros(0, np.int64), [], [], [], arrays.constants(), arrays.traces())
        header, landmarks = region.header, Landmarks(self.file, region)
        self._check_header(found)
        if not header.flags & COMPRESSED:
            self._add(found, region.start + 66, "no compression", "integers are not compressed", "it is skipped")
            found.end, found.bytes_lost = region.end, region.end - region.start - HEADER_BYTES
            return found
        place = region.start + header.metadata
        marks: list[I64Array] = []
        if not self._take_types(found, [place]):
            self._walk(found, landmarks, marks, is_trial=True)
            others = [other for other in marked(marks, True)[::-1].tolist() if other != place]
            self._take_types(found, others, is_sought=True)
            marks.clear()
        is_split = region.end - region.start > SPLIT
        self._walk(found, landmarks, marks, reads_checkpoints=not is_split)
        readers = [self]
        if is_split:
            readers.append(ChunkReader(self.file, Engine(self.engine.is_plain), self.find_types, self.path))
            self._read_split(found, marked(marks, False), readers)
        found.constants = joined_constants([reader._constant_arrays.constants() for reader in readers])
        found.traces = joined_traces([reader._constant_arrays.traces() for reader in readers])
        return found

    def _add(self, found: ChunkContents, offset: int, kind: str, what: str, done: str) -> None:
        found.add(Problem(kind, what, done, self.path, offset))

    def _check_header(self, found: ChunkContents) -> None:
        region, header = found.region, found.region.header
        if region.is_restored:
            what = "the header of a chunk is lost"
            self._add(found, region.start, "no header", what, "a copy inside the chunk is used")
        elif not region.is_sound and header.state == 0:
            what = f"the size of a chunk, {header.size:,} bytes, leads to no chunk"
            self._add(found, region.start + 8, "wrong size", what, "its events are read one after the other")
        if header.state == UPDATING:
            what = "the header of a chunk was being written"
            self._add(found, region.start + 64, "unfinished", what, "its numbers may be those of the flush before")
        elif header.state:
            what = f"the recording is unfinished: the last chunk ends at its flush {header.state}"
            self._add(found, region.start + 64, "unfinished", what, "everything that was written is read")

    def _take_types(self, found: ChunkContents, places: Sequence[int], is_sought: bool = False) -> bool:
        """Reads the first readable metadata at some places; False if there are none."""
        for place in places:
            is_inside = found.region.start + HEADER_BYTES <= place < found.region.end
            size, type, _ = self.file.event_at(place, found.region.end) if is_inside else (0, -1, [])
            if type != METADATA:
                continue
            try:
                found.types = self.find_types(event_body(self.file.read(min(size, MOST_METADATA), place)))
            except MetadataError as error:
                what = f"the metadata can't be read: {error}"
                self._add(found, place, "metadata", what, "earlier ones are used, if there are any")
            else:
                if not found.types.metadata.is_whole:
                    what = f"the metadata have more than {MOST_ELEMENTS:,} elements"
                    self._add(found, place, "metadata", what, "the types before that are used")
                return True
        if is_sought:
            what = "a chunk without metadata: no event can be named"
            self._add(
                found, found.region.start, "no metadata", what, "events are counted by the numbers of their types"
            )
        return False

    def _walk(
        self, found: ChunkContents, landmarks: Landmarks, marks: list[I64Array], is_trial: bool = False,
        reads_checkpoints: bool = False,
    ) -> None:  # fmt: skip
        """Finds all events of a chunk.

        marks              filled with offsets and types of metadata and checkpoints
        is_trial           True if only those are wanted
        reads_checkpoints  True if those are read at once, while their bytes are there
        """
        region, ids = found.region, found.types.programs.ids
        found.sizes = np.zeros(len(ids) + MOST_UNKNOWN, np.int64)
        unknown, state = np.zeros(MOST_UNKNOWN, np.int64), np.zeros(STATE, np.int64)
        at, end = region.start + HEADER_BYTES, region.end
        while at < end:
            base, data = self._read_window(at, end)
            stop = base + len(data)
            start = at
            at = base + self.engine.loops.walk(
                data, at - base, stop - base, end - base, ids, unknown, found.sizes, *self._marks, state,
            )  # fmt: skip
            if count := int(state[MARKS]):
                marks.append(self._marks[:, :count].copy())
                marks[-1][0] += base
                checkpoints = marks[-1][0][marks[-1][1] != METADATA]
                if reads_checkpoints and len(checkpoints):
                    self._add_damaged(found, self._read_checkpoints(found, checkpoints))
            if at > start and not is_trial:
                found.spans.append(EventSpan(start, at, int(state[ROWS])))
            status = int(state[STATUS])
            if status in (DONE, CROSSES, FULL):
                continue
            if status == AT_HEADER or at == region.declared_end:
                header = self.file.header_at(at)
                if at == region.declared_end or (header is not None and self.file.chunk_of_copy(at) is None):
                    break
            following = landmarks.next_after(at)
            if not is_trial:
                found.bytes_lost += following - at
                what = f"no event is here: {following - at:,} bytes can't be read"
                self._add(found, at, "damaged event", what, f"reading continues at byte {following:,}")
            at = following
        if not is_trial:
            if at < end:
                found.bytes_lost += end - at
                found.add(skipped_problem(at, end, self.path))
            found.end = at
            found.unknown = unknown[: int(state[UNKNOWN])].tolist()

    def _read_window(self, at: int, end: int, least: int = 0) -> tuple[int, Data]:
        """Returns bytes from an offset on, and the offset of the first of them, which may be before it.

        least  bytes that are needed; 0: those of a window
        """
        base, data = self._window
        if base <= at < base + len(data) and min(at + (least or WINDOW), end) <= base + len(data):
            return base, data[: end - base]
        wanted = min(max(least, WINDOW), end - at)
        if len(self._buffer) < wanted:
            self._buffer = bytearray(wanted)
        view = memoryview(self._buffer)[:wanted]
        self.file.fill(view, at)
        self._window = at, self.engine.data(view)
        return self._window

    # -- constants ----------------------------------------------------------------------------------------------------

    def _read_checkpoints(self, found: ChunkContents, places: I64Array) -> I64Array:
        """Reads the constants of checkpoints; returns those that can't be read. Each spoils only itself."""
        types, arrays, end, number = found.types.programs, self._constant_arrays, found.region.end, 0
        damaged = np.zeros(len(places), np.uint8)
        arrays.state[POOLS], wanted = -1, WINDOW
        base, data = self._read_window(int(places[0]), end, least=1) if len(places) else (0, b"")
        while number < len(places):
            number = self.engine.stacks.read_checkpoints(
                data, places, number, base, len(data), end - base, damaged, types.ids, types.constants, types.program,
                self.engine.counters, self.engine.slots, arrays.state, types.trace_type, types.layout, *arrays.filled,
            )  # fmt: skip
            ended = int(arrays.state[ENDED])
            if ended == FULL:
                arrays.grow(self.engine)
            elif ended == CROSSES:
                reached = int(arrays.state[REACHED])
                # A constant may be larger than a window.
                wanted = 2 * wanted if reached == base else WINDOW
                base, data = self._read_window(reached, end, wanted)
        return places[damaged != 0]  # type: ignore[no-any-return]

    def _read_split(self, found: ChunkContents, places: I64Array, readers: Sequence[ChunkReader]) -> None:
        """Reads the constants of checkpoints by several threads."""
        readers[-1]._constant_arrays.clear(found.end - found.region.start)
        middle = int(np.searchsorted(places, (found.region.start + found.end) // 2))
        halves, damaged = (places[:middle], places[middle:]), [places[:0] for _ in readers]

        def read(number: int) -> None:
            damaged[number] = readers[number]._read_checkpoints(found, halves[number])

        in_parallel(partial(read, number) for number in range(len(readers)))
        self._add_damaged(found, np.concatenate(damaged))

    def _add_damaged(self, found: ChunkContents, places: I64Array) -> None:
        listed = places[: max(MOST_PROBLEMS - len(found.problems), 0)]
        for place in listed.tolist():
            what = "a checkpoint can't be read to its end"
            self._add(found, place, "damaged constants", what, "its constants before that are used")
        found.problem_count += len(places) - len(listed)

    # -- events -------------------------------------------------------------------------------------------------------

    def table_of(self, traces: Traces) -> TraceTable:
        """Returns a table of traces by their keys: those of a JVM follow each other."""
        keys = traces.keys
        least, most = (int(keys.min()), int(keys.max())) if len(keys) else (0, 0)
        if least >= 0 and most - least <= MOST_GAPS * len(keys):
            places = np.zeros(most - least + 1, np.uint32)
            self.engine.loops.place_keys(keys, least, places)
            return TraceTable(least, places)
        slots = np.zeros(1 << (2 * len(keys) + 1).bit_length(), np.uint32)
        self.engine.loops.fill_keys(keys, slots)
        return TraceTable(-1, slots)

    def events(self, found: ChunkContents, table: TraceTable, span: EventSpan) -> ChunkEvents:
        """Reads the events of a span; those of the next one overwrite them. table: from `table_of`"""
        header, types, traces = found.region.header, found.types.programs, found.traces
        unknown = np.zeros(MOST_UNKNOWN, np.int64)
        unknown[: len(found.unknown)] = found.unknown
        if span.rows > len(self._events.places):
            self._events = ChunkEvents(span.rows)
        events = self._events
        events.clear(len(found.sizes))
        base, data = self._read_window(span.start, found.region.end)
        at, stop = span.start - base, min(span.end - base, len(data))
        while True:
            at = self.engine.loops.read_events(
                data, at, stop, base, types.ids, unknown, types.indexed, types.program,
                self.engine.counters, self.engine.slots, header.start_ns, header.start_ticks, header.ticks_per_ns,
                events.thread_keys, events.thread_slots, events.places, events.starts, events.durations,
                events.threads, events.stack_keys, events.types, events.counts, events.span, events.state,
            )  # fmt: skip
            if len(events.known_threads) < len(events.thread_keys):
                break
            known = events.thread_keys
            events.thread_keys, events.thread_slots = _larger(known), np.zeros(4 * len(known), np.uint32)
            self.engine.loops.fill_keys(known, events.thread_slots)
        stacks = events.stacks[: events.rows]
        events.stacks_missing = self.engine.loops.find_stacks(
            events.stack_keys[: events.rows], traces.keys, table.least, table.places, stacks
        )
        self.engine.loops.count_stacks(stacks, events.types[: events.rows], traces.ends, traces.cuts, events.counts)
        return events


class _ConstantArrays:
    """The arrays that `stack_loops.read_constants` fills; they grow when they are full."""

    def __init__(self) -> None:
        few = FEW
        self.state = np.zeros(CHECKPOINT_STATE, np.int64)
        self.types = np.empty(few, np.uint32)
        self.keys, self.places, self.hashes = (np.empty(few, np.int64) for _ in range(3))
        self.trace_keys, self.trace_ends = (np.empty(few, np.int64) for _ in range(2))
        self.trace_cuts = np.empty(few, np.uint8)
        self.frames = np.empty(16 * few, np.uint32)
        self.frame_slots = np.zeros(2 * few, np.uint32)
        self.frame_fields = np.empty((few, 4), np.int64)

    def clear(self, size: int) -> None:
        """Removes all constants. size: bytes of those that will be read"""
        if size // USUAL_FRAME > len(self.frames):
            # Space that is not used costs nothing; more of it later would be a copy.
            self.frames = np.empty(size // USUAL_FRAME, np.uint32)
        if len(self.frame_slots) > 16 * int(self.state[FRAMES]) + 2 * FEW:
            # Clearing the large table of an earlier chunk again and again would take longer than reading small ones.
            self.frame_slots = np.zeros(2 * FEW, np.uint32)
            self.frame_fields = np.empty((FEW, 4), np.int64)
        elif self.state[FRAMES]:
            self.frame_slots[:] = 0
        self.state[:] = 0

    @property
    def filled(self) -> tuple[AnyArray, ...]:
        """The arrays as `stack_loops.read_constants` takes them."""
        return (
            self.types, self.keys, self.places, self.hashes, self.trace_keys, self.trace_ends, self.trace_cuts,
            self.frames, self.frame_slots, self.frame_fields,
        )  # fmt: skip

    def grow(self, engine: Engine) -> None:
        """Enlarges the arrays that are full."""
        constants, traces, frames, places, needed = self.state[[CONSTANTS, TRACES, FRAMES, PLACES, NEEDED]].tolist()
        if constants == len(self.keys):
            self.types, self.keys = _larger(self.types), _larger(self.keys)
            self.places, self.hashes = _larger(self.places), _larger(self.hashes)
        if traces == len(self.trace_keys):
            self.trace_keys, self.trace_ends = _larger(self.trace_keys), _larger(self.trace_ends)
            self.trace_cuts = _larger(self.trace_cuts)
        while needed > len(self.frames) - places:
            self.frames = _larger(self.frames)
        if 2 * (frames + needed) > len(self.frame_slots):
            while 2 * (frames + needed) > len(self.frame_slots):
                # All frames get new slots each time; space that is not used costs nothing.
                self.frame_slots = np.zeros(8 * len(self.frame_slots), np.uint32)
                self.frame_fields = _larger(self.frame_fields, 8)
            engine.stacks.rehash_frames(self.frame_fields, frames, self.frame_slots)

    def constants(self) -> Constants:
        """Returns the constants."""
        count = int(self.state[CONSTANTS])
        return Constants(self.types[:count], self.keys[:count], self.places[:count], self.hashes[:count])

    def traces(self) -> Traces:
        """Returns the stack traces."""
        traces, frames, places = self.state[[TRACES, FRAMES, PLACES]].tolist()
        return Traces(
            self.trace_keys[:traces],
            self.trace_ends[:traces],
            self.trace_cuts[:traces],
            self.frames[:places],
            self.frame_fields[:frames],
        )


def _larger(array: AnyArray, times: int = 2) -> AnyArray:
    larger = np.empty((times * len(array), *array.shape[1:]), array.dtype)
    larger[: len(array)] = array
    return larger
