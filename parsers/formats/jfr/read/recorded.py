"""Events and stacks of all chunks, written to the index chunk by chunk."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from parsers.formats.jfr.data.columns import BLOCKS, LOST_STACK
from parsers.formats.jfr.read.chunk import ChunkContents, ChunkEvents, Traces
from parsers.formats.jfr.read.engine import Engine
from parsers.formats.jfr.read.interning import ChunkConstants, Names
from parsers.formats.jfr.read.loops import COUNTED
from parsers.formats.jfr.read.program import THREAD_TYPE
from parsers.formats.jfr.read.stack_loops import NEW_FRAMES, STACKS, TAKEN
from parsers.index.bitpacked.blocks import BlockWriter

if TYPE_CHECKING:
    from parsers.index.writer import Writer
    from parsers.model.arrays import AnyArray, I64Array, U32Array

STACK_FRAME = "stack_frame"
EVENT_COLUMNS = [name for name in BLOCKS if name.startswith("event_")]
HELD = 1 << 15
"""Most events that are held."""
MISSING = -1
"""NONE, as it is packed."""
LEAST_STACKS = 1 << 7


class RecordedStacks:
    """The different stacks of a recording."""

    def __init__(self, writer: Writer) -> None:
        self._frames, self._words = BlockWriter(writer, STACK_FRAME), BlockWriter.space()
        self._ends = writer.grow("stack_end", "u8")
        self._cuts = writer.grow("stack_cut", "u1")
        self._slots, self._hashes = np.zeros(2 * LEAST_STACKS, np.uint32), np.zeros((LEAST_STACKS, 2), np.int64)
        self._state = np.zeros(4, np.int64)
        # LOST_STACK comes first; no trace has its number.
        self._ends.array[LOST_STACK] = self._cuts.array[LOST_STACK] = 0
        self._state[STACKS] = 1

    @property
    def count(self) -> int:
        """Number of stacks."""
        return int(self._state[STACKS])

    @property
    def ends(self) -> I64Array:
        """By stack: end of its frames."""
        return self._ends.array[: self.count].view(np.int64)  # type: ignore[no-any-return]

    def numbers(self, engine: Engine, traces: Traces, frame_numbers: U32Array) -> I64Array:
        """Returns the stacks of the traces of a chunk. Overwrites their frames.

        frame_numbers  frames of the recording by those of the chunk
        """
        count, state = len(traces.keys), self._state
        if not count:
            return np.zeros(0, np.int64)
        numbers, hashes = np.empty(count, np.int64), np.empty((count, 2), np.int64)
        engine.stacks.hash_traces(traces.ends, traces.cuts, traces.frames, frame_numbers, hashes)
        state[TAKEN] = state[NEW_FRAMES] = 0
        while True:
            self._ensure(engine)
            engine.stacks.intern_stacks(
                traces.ends, traces.cuts, traces.frames, hashes, self._slots, self._hashes,
                self._ends.array.view(np.int64), self._cuts.array, numbers, state,
            )  # fmt: skip
            if int(state[TAKEN]) == count:
                break
        self._frames.add(engine.blocks, traces.frames[: int(state[NEW_FRAMES])], self._words)
        return numbers

    def _ensure(self, engine: Engine) -> None:
        if 2 * (self.count + 1) > len(self._slots):
            self._hashes = np.concatenate([self._hashes, np.empty_like(self._hashes)])
            self._slots = np.zeros(2 * len(self._slots), np.uint32)
            engine.stacks.fill_stacks(self._hashes[: self.count], self._slots)
        self._ends.ensure(len(self._hashes))
        self._cuts.ensure(len(self._hashes))

    def finish(self, engine: Engine) -> dict[str, AnyArray]:
        """Writes what is left of the frames; returns all arrays."""
        self._ends.length = self._cuts.length = self.count
        arrays = {"stack_end": self._ends.array[: self.count], "stack_cut": self._cuts.array[: self.count]}
        return arrays | self._frames.finish(engine.blocks, self._words)


class RecordedEvents:
    """The events of a recording."""

    def __init__(self, writer: Writer, names: Names) -> None:
        self._columns: Mapping[str, BlockWriter] = {name: BlockWriter(writer, name) for name in EVENT_COLUMNS}
        self._names = names
        self._words = BlockWriter.space()
        self._held, self._held_rows = np.empty((len(EVENT_COLUMNS), HELD), np.int64), 0
        """Events that are not yet in the columns: those of small chunks are added together."""
        self.rows = 0
        self.stacks_missing = 0
        """Events whose stack trace is not in the file."""
        self.type_bytes: list[int] = []
        self.counts = np.zeros((64, COUNTED), np.int64)
        """By type: as `loops.read_events` counts."""
        self.uses = np.zeros(1 << 12, np.int64)
        """By stack: number of events with it."""
        self.span = np.array([np.iinfo(np.int64).max, np.iinfo(np.int64).min])
        """First start and last end of an event."""

    def type_numbers(self, found: ChunkContents) -> U32Array:
        """Returns the types of the recording by those of a chunk, with its undeclared types."""
        sizes, ids, names = found.sizes.tolist(), found.types.programs.ids, self._names.types
        numbers = np.zeros(len(sizes), np.uint32)
        for place in np.flatnonzero(found.sizes).tolist():
            declared = place < len(ids)
            types = found.types.metadata.types
            label = types[int(ids[place])].name if declared else f"(type {found.unknown[place - len(ids)]})"
            number = numbers[place] = names.number(label.encode("utf-8", "surrogatepass"))
            self.type_bytes += [0] * (int(number) + 1 - len(self.type_bytes))
            self.type_bytes[number] += sizes[place]
        return numbers

    def add(self, engine: Engine, events: ChunkEvents, numbers: ChunkNumbers) -> None:
        """Adds the events of a span."""
        rows = events.rows
        threads = numbers.threads(events.known_threads)
        if len(self.uses) <= numbers.last_stack:
            self.uses = np.concatenate([self.uses, np.zeros(numbers.last_stack + 1, np.int64)])
        if len(self.counts) <= int(numbers.types.max(initial=0)):
            self.counts = np.concatenate([self.counts, np.zeros((int(numbers.types.max()) + 1, COUNTED), np.int64)])
        self.stacks_missing += events.stacks_missing
        engine.loops.add_counts(events.counts, numbers.types, self.counts)
        self.span[0], self.span[1] = min(self.span[0], events.span[0]), max(self.span[1], events.span[1])
        types = numbers.types.astype(np.int64)
        for start in range(0, rows, HELD):
            part = slice(start, min(start + HELD, rows))
            if self._held_rows + part.stop - start > HELD:
                self._release(engine)
            held = self._held[:, self._held_rows : self._held_rows + part.stop - start]
            for place, column in enumerate((events.places, events.starts, events.durations)):
                held[place] = column[part]
            np.take(threads, events.threads[part], out=held[3], mode="clip")
            np.take(numbers.stacks, events.stacks[part], out=held[4], mode="clip")
            np.take(types, events.types[part], out=held[5], mode="clip")
            self._held_rows += part.stop - start
        self.rows += rows

    def _release(self, engine: Engine) -> None:
        """Adds the held events to the columns."""
        held, self._held_rows = self._held[:, : self._held_rows], 0
        engine.stacks.count_uses(held[4], self.uses)
        for writer, column in zip(self._columns.values(), held, strict=True):
            writer.add(engine.blocks, column, self._words)

    def finish(self, engine: Engine) -> dict[str, AnyArray]:
        """Writes what is left of the columns; returns their arrays."""
        self._release(engine)
        found: dict[str, AnyArray] = {}
        for column in self._columns.values():
            found |= column.finish(engine.blocks, self._words)
        return found


class ChunkNumbers:
    """Numbers in the recording of what a chunk names; made in the order of the file."""

    def __init__(
        self, engine: Engine, found: ChunkContents, values: ChunkConstants, names: Names, stacks: RecordedStacks,
        types: U32Array,
    ) -> None:  # fmt: skip
        """types: by type of the chunk, with those not declared"""
        self._values, self._names, self.types = values, names, types
        of_traces = stacks.numbers(engine, found.traces, names.frame_numbers(engine, found, values))
        self.stacks = np.concatenate([np.array([MISSING, LOST_STACK]), of_traces])
        """By stack of `loops.read_events`."""
        self.last_stack = stacks.count - 1

    def threads(self, keys: I64Array) -> I64Array:
        """Returns the threads of keys."""
        is_there = keys != 0
        if not is_there.all() and self._values.place(self._values.id_of(THREAD_TYPE), 0) is not None:
            is_there[:] = True
        found = np.full(len(keys), MISSING)
        found[is_there] = self._names.thread_numbers(self._values, keys[is_there])
        return found
