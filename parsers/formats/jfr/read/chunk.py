"""One chunk: its types, its constants and its events, as far as they can be read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from parsers.formats.jfr.read.chunks import (
    COMPRESSED,
    HEADER_BYTES,
    UPDATING,
    File,
    Landmarks,
    Region,
    skipped_problem,
)
from parsers.formats.jfr.read.engine import Engine
from parsers.formats.jfr.read.loops import (
    AT_HEADER,
    CROSSES,
    DAMAGED,
    DONE,
    FULL,
    MARKS,
    METADATA,
    NO_SLOT,
    ROWS,
    STATE,
    STATUS,
    UNKNOWN,
    skip_numbers,
)
from parsers.formats.jfr.read.metadata import Metadata, MetadataError, event_body, parse_metadata
from parsers.formats.jfr.read.program import STACK_TYPE, Programs, constant_program, index_program, trace_layout
from parsers.formats.jfr.read.stack_loops import (
    CHECKPOINT_STATE,
    CONSTANTS,
    ENDED,
    FRAMES,
    LAYOUT,
    NEEDED,
    PLACES,
    POOLS,
    TRACES,
)
from parsers.model.report import Problem

if TYPE_CHECKING:
    from parsers.model.arrays import I64Array, U8Array, U32Array

WINDOW = 2 << 20
"""Bytes read at a time: they stay in the cache of a processor."""
SPAN_ROWS = 1 << 19
"""Most events indexed at a time."""
MARKS_AT_ONCE = 1 << 12
FEW = 1 << 12
"""Constants, traces and frames for which there is space at first."""
MOST_UNKNOWN = 64
"""Undeclared types that are counted one by one; the rest counts as the last of them."""
MOST_PROBLEMS = 100
"""Problems of a chunk that are listed."""
MOST_METADATA = 64 << 20
"""Bytes of metadata that are read: real ones have 110 KB."""


@dataclass(frozen=True)
class Types:
    """The types of some metadata, with their programs."""

    metadata: Metadata
    body: bytes
    ids: I64Array
    """Ascending ids of all types."""
    names: Sequence[str]
    """By place in `ids`."""
    events: U8Array
    """By place: 1 if it is a type of events."""
    program: I64Array
    indexed: I64Array
    """By place: its program for the index, NO_SLOT: none. One more for each undeclared type."""
    constants: I64Array
    """By place: its program for constants."""
    layout: I64Array
    trace_type: int
    """Place of the type of stack traces; -2: there is none that can be read."""


def types_of(body: bytes) -> Types:
    """Makes the programs of metadata. Raises `MetadataError`."""
    metadata = parse_metadata(body)
    programs = Programs(metadata)
    ordered = sorted((id, type) for id, type in metadata.types.items() if id >= 0)
    layout = trace_layout(programs)
    trace_id = metadata.id_of(STACK_TYPE)
    ids = np.array([id for id, _ in ordered], np.int64)
    has_traces = layout is not None and trace_id is not None
    indexed = [index_program(programs, type) if type.is_event else NO_SLOT for _, type in ordered]
    constants = [NO_SLOT if type.is_event else constant_program(programs, type) for _, type in ordered]
    return Types(
        metadata,
        body,
        ids,
        [type.name for _, type in ordered],
        np.array([type.is_event for _, type in ordered], np.uint8),
        programs.array,
        np.array([*indexed, *[NO_SLOT] * MOST_UNKNOWN], np.int64),
        np.array(constants, np.int64),
        layout if layout is not None else np.zeros(LAYOUT, np.int64),
        int(np.searchsorted(ids, trace_id)) if has_traces and trace_id is not None else -2,
    )


NO_TYPES = types_of(b"\1\1\0\0\0")
"""The types of a chunk without metadata: an element without name, values and children."""


@dataclass
class Traces:
    """The stack traces of a chunk."""

    keys: I64Array
    ends: I64Array
    """By trace: end of its frames in `frames`."""
    cuts: U8Array
    """By trace: 1 if it is truncated."""
    frames: U32Array
    """Numbers of different frames."""
    fields: I64Array
    """By different frame: keys of method and type, line and bytecode index: `METHOD` … as in the file."""


@dataclass
class Constants:
    """The constants of a chunk besides stack traces."""

    types: U32Array
    """Place of the type of each."""
    keys: I64Array
    places: I64Array
    """Offset of each value in the file."""
    hashes: I64Array
    """Hash of the bytes of each value."""


@dataclass
class ChunkEvents:
    """Events of a part of a chunk, in file order."""

    places: I64Array
    """Offset of each in the file."""
    types: U32Array
    """As from `loops.walk`."""
    starts: I64Array
    """Nanoseconds since 1970."""
    durations: I64Array
    threads: I64Array
    """Keys of threads; 0: none."""
    stacks: I64Array
    """Keys of stack traces; 0: none."""


@dataclass
class ChunkContents:
    """Types, constants and damage of a chunk, found before its events are read."""

    region: Region
    types: Types
    sizes: I64Array
    """Bytes of the events of each type."""
    spans: list[tuple[int, int]]
    """Parts of the chunk that consist of whole events."""
    unknown: list[int]
    """Ids of undeclared types."""
    problems: list[Problem]
    constants: Constants
    traces: Traces
    end: int = 0
    """Offset behind its last event."""
    bytes_lost: int = 0
    problem_count: int = 0


@dataclass
class ChunkReader:
    """Reads chunks of a file; each thread has its own."""

    file: File
    engine: Engine
    find_types: Callable[[bytes], Types]
    """Returns the types of metadata (`event_body`), which several chunks may share."""
    path: str = ""
    _window: tuple[int, Any] = field(default=(0, b""))
    """Offset and bytes of the last window."""
    _constant_arrays: _ConstantArrays = field(default_factory=lambda: _ConstantArrays())
    """Constants of the last chunk."""
    _walked: _WalkArrays = field(default_factory=lambda: _WalkArrays())
    _constant_buffer: bytearray = field(default_factory=bytearray)
    """Bytes of checkpoints that are not in the last window."""
    _buffer: bytearray = field(default_factory=bytearray)
    """The bytes of windows: new memory for each would take longer than reading them."""

    # -- the walk -----------------------------------------------------------------------------------------------------

    def read(self, region: Region) -> ChunkContents:
        """Reads everything but the fields of events. Its constants are overwritten by the next chunk."""
        nothing = np.zeros(0, np.int64)
        found = ChunkContents(
            region, NO_TYPES, nothing, [], [], [], Constants(nothing.astype(np.uint32), nothing, nothing, nothing),
            Traces(nothing, nothing, np.zeros(0, np.uint8), np.zeros(0, np.uint32), np.zeros((0, 4), np.int64)),
        )  # fmt: skip
        header, landmarks = region.header, Landmarks(self.file, region)
        self._check_header(found)
        if not header.flags & COMPRESSED:
            self._add(found, region.start + 66, "no compression", "integers are not compressed", "it is skipped")
            found.end, found.bytes_lost = region.end, region.end - region.start - HEADER_BYTES
            return found
        place = region.start + header.metadata
        marks: list[tuple[int, int]] = []
        if not (landmarks.is_metadata(place) and self._take_types(found, [place])):
            self._walk(found, landmarks, marks, is_trial=True)
            self._take_types(found, [at for at, type in reversed(marks) if type == METADATA], is_sought=True)
            marks.clear()
        self._walk(found, landmarks, marks)
        self._read_checkpoints(found, [at for at, type in marks if type != METADATA])
        return found

    def _add(self, found: ChunkContents, offset: int, kind: str, what: str, done: str) -> None:
        found.problem_count += 1
        if len(found.problems) < MOST_PROBLEMS:
            found.problems.append(Problem(kind, what, done, self.path, offset))

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
            size, _, _ = self.file.event_at(place, found.region.end)
            try:
                found.types = self.find_types(event_body(self.file.read(min(size, MOST_METADATA), place)))
            except MetadataError as error:
                what = f"the metadata can't be read: {error}"
                self._add(found, place, "metadata", what, "earlier ones are used, if there are any")
            else:
                return True
        if is_sought:
            what = "a chunk without metadata: no event can be named"
            self._add(
                found, found.region.start, "no metadata", what, "events are counted by the numbers of their types"
            )
        return False

    def _walk(
        self, found: ChunkContents, landmarks: Landmarks, marks: list[tuple[int, int]], is_trial: bool = False
    ) -> None:
        """Finds all events of a chunk.

        marks     filled with offsets and types of metadata and checkpoints
        is_trial  True if only those are wanted
        """
        region, ids = found.region, found.types.ids
        unknown = np.zeros(MOST_UNKNOWN, np.int64)
        found.sizes = np.zeros(len(ids) + MOST_UNKNOWN, np.int64)
        state = np.zeros(STATE, np.int64)
        walked = self._walked
        at, end = region.start + HEADER_BYTES, region.end
        while at < end:
            base, data = self._read_window(at, end)
            stop = base + len(data)
            start = at
            at = base + self.engine.loops.walk(
                data, at - base, stop - base, end - base, ids, unknown, walked.places, walked.types, found.sizes,
                walked.mark_places, walked.mark_types, state,
            )  # fmt: skip
            count = int(state[MARKS])
            places, types = walked.mark_places[:count].tolist(), walked.mark_types[:count].tolist()
            marks += [(base + place, type) for place, type in zip(places, types, strict=True)]
            if at > start and not is_trial:
                found.spans.append((start, at))
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
                found.problems.append(skipped_problem(at, end, self.path))
                found.problem_count += 1
            found.end = at
            found.unknown = unknown[: int(state[UNKNOWN])].tolist()

    def _read_window(self, at: int, end: int) -> tuple[int, Any]:
        """Returns bytes from an offset on, and the offset of the first of them, which may be before it."""
        base, data = self._window
        if base <= at and (at + WINDOW <= base + len(data) or end <= base + len(data)) and at < base + len(data):
            return base, data if base + len(data) <= end else data[: end - base]
        wanted = min(WINDOW, end - at)
        if len(self._buffer) < wanted:
            self._buffer = bytearray(wanted)
        view = memoryview(self._buffer)[:wanted]
        self.file.fill(view, at)
        self._window = at, self.engine.data(view)
        return self._window

    # -- constants ----------------------------------------------------------------------------------------------------

    def _read_checkpoints(self, found: ChunkContents, places: Sequence[int]) -> None:
        """Reads the constants of checkpoints. One that can't be read spoils only itself."""
        arrays = self._constant_arrays
        arrays.clear()
        for place in places:
            size, _, _ = self.file.event_at(place, found.region.end)
            if not size or not self._read_checkpoint(found, arrays, place, place + size):
                what = "a checkpoint can't be read to its end"
                self._add(found, place, "damaged constants", what, "its constants before that are used")
        found.constants, found.traces = arrays.constants(), arrays.traces()

    def _read_checkpoint(self, found: ChunkContents, arrays: _ConstantArrays, place: int, end: int) -> bool:
        """Reads the constants of one checkpoint; False if it is damaged."""
        types, at, wanted = found.types, place, WINDOW
        arrays.state[POOLS] = -1
        is_first = True
        while True:
            base, data = self._constant_window(at, end, wanted)
            stop = min(base + len(data), end)
            if is_first:
                # Size, type, time, duration, distance; one byte of flags.
                behind = skip_numbers(data, at - base, stop - base, 5)
                if behind < 0 or behind + 1 >= stop - base:
                    return False
                at, is_first = base + behind + 1, False
            before = int(arrays.state[CONSTANTS])
            reached = base + self.engine.stacks.read_constants(
                data, at - base, stop - base, end - base, types.ids, types.constants, types.program,
                self.engine.counters, self.engine.slots, arrays.state, types.trace_type, types.layout,
                arrays.types, arrays.keys, arrays.places, arrays.hashes,
                arrays.trace_keys, arrays.trace_ends, arrays.trace_cuts,
                arrays.frames, arrays.frame_slots, arrays.frame_fields,
            )  # fmt: skip
            arrays.places[before : int(arrays.state[CONSTANTS])] += base
            ended = int(arrays.state[ENDED])
            if ended == FULL:
                arrays.grow(self.engine)
            elif ended == CROSSES:
                wanted = 2 * wanted if reached == at else WINDOW
            else:
                return ended != DAMAGED
            at = reached

    def _constant_window(self, at: int, end: int, wanted: int) -> tuple[int, Any]:
        """Returns bytes of a checkpoint from an offset on: of the last window if it has them."""
        base, data = self._window
        if base <= at and end <= base + len(data):
            return base, data
        count = min(wanted, end - at)
        if len(self._constant_buffer) < count:
            self._constant_buffer = bytearray(count)
        view = memoryview(self._constant_buffer)[:count]
        self.file.fill(view, at)
        return at, self.engine.data(view)

    # -- events -------------------------------------------------------------------------------------------------------

    def events(self, found: ChunkContents) -> Iterator[ChunkEvents]:
        """Yields the events of a chunk, in parts."""
        header, types, ids = found.region.header, found.types, found.types.ids
        unknown = np.zeros(MOST_UNKNOWN, np.int64)
        unknown[: len(found.unknown)] = found.unknown
        state, sizes, walked = np.zeros(STATE, np.int64), np.zeros(len(found.sizes), np.int64), self._walked
        for start, stop in found.spans:
            base, data = self._read_window(start, found.region.end)
            state[UNKNOWN] = len(found.unknown)
            self.engine.loops.walk(
                data, start - base, min(stop - base, len(data)), stop - base, ids, unknown, walked.places,
                walked.types, sizes, walked.mark_places, walked.mark_types, state,
            )  # fmt: skip
            rows = int(state[ROWS])
            if not rows:
                continue
            numbers = [np.empty(rows, np.int64) for _ in range(4)]
            failed = self.engine.loops.index_fields(
                data, len(data), walked.places, walked.types, rows, types.indexed, types.program,
                self.engine.counters, self.engine.slots, header.start_ns, header.start_ticks, header.ticks_per_ns,
                *numbers,
            )  # fmt: skip
            if failed:
                what = f"{failed:,} events from here on have fields that can't be read"
                self._add(found, start, "damaged fields", what, "the fields before them are used")
            yield ChunkEvents(walked.places[:rows] + base, walked.types[:rows].copy(), *numbers)


class _WalkArrays:
    """The arrays that `loops.walk` fills."""

    def __init__(self) -> None:
        self.places = np.empty(SPAN_ROWS, np.int64)
        self.types = np.empty(SPAN_ROWS, np.uint32)
        self.mark_places = np.empty(MARKS_AT_ONCE, np.int64)
        self.mark_types = np.empty(MARKS_AT_ONCE, np.int64)


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

    def clear(self) -> None:
        """Removes all constants."""
        if len(self.frame_slots) > 16 * int(self.state[FRAMES]) + 2 * FEW:
            # Clearing the large table of an earlier chunk again and again would take longer than reading small ones.
            self.frame_slots = np.zeros(2 * FEW, np.uint32)
            self.frame_fields = np.empty((FEW, 4), np.int64)
        elif self.state[FRAMES]:
            self.frame_slots[:] = 0
        self.state[:] = 0

    def grow(self, engine: Engine) -> None:
        """Doubles the arrays that are full."""
        constants, traces, frames, places, needed = self.state[[CONSTANTS, TRACES, FRAMES, PLACES, NEEDED]].tolist()
        if constants == len(self.keys):
            self.types, self.keys, self.places, self.hashes = map(
                _doubled, (self.types, self.keys, self.places, self.hashes)
            )
        if traces == len(self.trace_keys):
            self.trace_keys, self.trace_ends, self.trace_cuts = map(
                _doubled, (self.trace_keys, self.trace_ends, self.trace_cuts)
            )
        while needed > len(self.frames) - places:
            self.frames = _doubled(self.frames)
        if 2 * (frames + needed) > len(self.frame_slots):
            while 2 * (frames + needed) > len(self.frame_slots):
                self.frame_slots = np.zeros(2 * len(self.frame_slots), np.uint32)
                self.frame_fields = _doubled(self.frame_fields)
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


def _doubled(array: Any) -> Any:
    larger = np.empty((2 * len(array), *array.shape[1:]), array.dtype)
    larger[: len(array)] = array
    return larger
