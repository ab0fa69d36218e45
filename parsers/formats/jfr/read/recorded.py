"""Events and stacks of all chunks, written to the index chunk by chunk."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from parsers.formats.jfr.columns import BELOW, EVENTS, LOST_STACK, NONE
from parsers.formats.jfr.read.chunk import ChunkContents, ChunkEvents
from parsers.formats.jfr.read.engine import Engine
from parsers.formats.jfr.read.interning import ChunkConstants, Names
from parsers.formats.jfr.read.loops import NO_DURATION
from parsers.formats.jfr.read.program import THREAD_TYPE
from parsers.formats.jfr.read.stack_loops import COUNTED, STACK_FRAMES, STACKS, TAKEN
from parsers.index.bitpacked.columns import BLOCK, TOPS, Packing

if TYPE_CHECKING:
    from parsers.index.writer import GrowingArray, Writer
    from parsers.model.arrays import I64Array, U8Array, U32Array


class GrowingColumn:
    """A packed column, written piece by piece."""

    def __init__(self, writer: Writer, name: str, packing: Packing) -> None:
        self._writer, self._name, self._packing = writer, name, packing
        self._below = BELOW.get(name, 0) if packing.has_bases else -1
        self.small: GrowingArray = writer.grow(name, packing.small)
        self.bases: GrowingArray | None = writer.grow(f"{name}_base", packing.wide) if packing.has_bases else None
        self._apart: list[tuple[Any, Any]] = []
        """Rows and numbers of the exceptions of each piece."""

    def add(self, engine: Engine, first: int, numbers: I64Array | U32Array) -> None:
        """Adds numbers from a row on."""
        rows = len(numbers)
        self.small.ensure(first + rows)
        bases, base_row = np.zeros(1, np.int64), first
        if self.bases is not None:
            self.bases.ensure((first + rows) // BLOCK + 1)
            base_row = first - first % BLOCK
            bases = self.bases.array[first // BLOCK :].view(np.int64)
        apart_rows, apart = np.empty(rows, np.uint32), np.empty(rows, np.int64)
        none = self._packing.none
        count = engine.loops.pack_numbers(
            numbers, first, TOPS[self._packing.small], self._below, -2 if none is None else none,
            self.small.array[first : first + rows], bases, base_row, apart_rows, apart,
        )  # fmt: skip
        if count:
            self._apart.append((apart_rows[:count].copy(), apart[:count].copy()))

    def finish(self, rows: int) -> dict[str, Any]:
        """Writes the exceptions; returns all arrays."""
        found = {self._name: self.small.array[:rows]}
        self.small.length = rows
        if self.bases is not None:
            self.bases.length = -(-rows // BLOCK)
            found[f"{self._name}_base"] = self.bases.array[: self.bases.length]
        wide = np.dtype(self._packing.wide)
        apart_rows = [np.empty(0, np.uint32), *(rows for rows, _ in self._apart)]
        apart = [np.empty(0, wide), *(numbers.astype(wide) for _, numbers in self._apart)]
        for name, values in ((f"{self._name}_rows", apart_rows), (f"{self._name}_values", apart)):
            found[name] = np.concatenate(values)
            self._writer.save(name, found[name])
        return found


class RecordedStacks:
    """The different stacks of a recording."""

    def __init__(self, writer: Writer) -> None:
        self._frames = writer.grow("stack_frame", "u4")
        self._ends = writer.grow("stack_end", "u8")
        self._cuts = writer.grow("stack_cut", "u1")
        self._slots = np.zeros((1 << 12, 2), np.int64)
        self._state = np.zeros(3, np.int64)
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

    @property
    def cuts(self) -> U8Array:
        """By stack: 1 if it is truncated."""
        return self._cuts.array[: self.count]  # type: ignore[no-any-return]

    def numbers(self, engine: Engine, found: ChunkContents, frame_numbers: U32Array) -> U32Array:
        """Returns the stacks of the traces of a chunk. frame_numbers: frames of the recording by those of the chunk"""
        traces = found.traces
        count = len(traces.keys)
        numbers, state = np.empty(count, np.uint32), self._state
        state[TAKEN] = 0
        while True:
            self._ensure(engine)
            engine.stacks.intern_stacks(
                traces.ends, traces.cuts, traces.frames, frame_numbers, count, self._slots,
                self._ends.array.view(np.int64), self._cuts.array, self._frames.array, numbers, state,
            )  # fmt: skip
            if int(state[TAKEN]) == count:
                return numbers
            taken = int(state[TAKEN])
            first = int(traces.ends[taken - 1]) if taken else 0
            self._frames.ensure(int(state[STACK_FRAMES]) + int(traces.ends[taken]) - first + 1)

    def _ensure(self, engine: Engine) -> None:
        if 2 * (self.count + 1) > len(self._slots):
            larger = np.zeros((4 * len(self._slots), 2), np.int64)
            engine.stacks.move_stacks(self._slots, larger)
            self._slots = larger
        self._ends.ensure(self.count + 1)
        self._cuts.ensure(self.count + 1)

    def finish(self) -> dict[str, Any]:
        """Sets the lengths of the arrays; returns them."""
        self._ends.length = self._cuts.length = self.count
        self._frames.length = int(self._state[STACK_FRAMES])
        arrays = {"stack_end": self._ends, "stack_cut": self._cuts, "stack_frame": self._frames}
        return {name: growing.array[: growing.length] for name, growing in arrays.items()}


class RecordedEvents:
    """The events of a recording."""

    def __init__(self, writer: Writer, names: Names, stacks: RecordedStacks) -> None:
        self._columns: Mapping[str, GrowingColumn] = {
            name: GrowingColumn(writer, name, packing) for name, packing in EVENTS.items()
        }
        self._names, self._stacks = names, stacks
        self.rows = 0
        self.stacks_missing = 0
        """Events whose stack trace is not in the file."""
        self.type_bytes: list[int] = []
        self.counts = np.zeros((64, COUNTED), np.int64)
        """By type: as `stack_loops.count_events` counts."""
        self.uses = np.zeros(1 << 12, np.int64)
        """By stack: number of events with it."""
        self.span = np.array([np.iinfo(np.int64).max, np.iinfo(np.int64).min])
        """First start and last end of an event."""

    def type_numbers(self, found: ChunkContents) -> U32Array:
        """Returns the types of the recording by those of a chunk, with its undeclared types."""
        sizes, types, names = found.sizes.tolist(), found.types, self._names.types
        numbers = np.zeros(len(sizes), np.uint32)
        for place in np.flatnonzero(found.sizes).tolist():
            declared = place < len(types.names)
            label = types.names[place] if declared else f"(type {found.unknown[place - len(types.names)]})"
            number = numbers[place] = names.number(label.encode("utf-8", "surrogatepass"))
            self.type_bytes += [0] * (int(number) + 1 - len(self.type_bytes))
            self.type_bytes[number] += sizes[place]
        if len(self.type_bytes) > len(self.counts):
            self.counts = np.concatenate([self.counts, np.zeros((len(self.type_bytes), COUNTED), np.int64)])
        return numbers

    def add(
        self, engine: Engine, events: ChunkEvents, types: U32Array, threads: _Keys, stacks: _Keys
    ) -> None:  # fmt: skip
        """Adds the events of a part of a chunk."""
        rows = len(events.places)
        numbers = types[events.types]
        thread_numbers, _ = threads.find(engine, events.threads, NONE, NONE)
        stack_numbers, missing = stacks.find(engine, events.stacks, NONE, LOST_STACK)
        self.stacks_missing += missing
        if self._stacks.count > len(self.uses):
            self.uses = np.concatenate([self.uses, np.zeros(self._stacks.count, np.int64)])
        engine.stacks.count_events(
            numbers, events.starts, events.durations, stack_numbers, NO_DURATION, NONE, LOST_STACK,
            self._stacks.ends, self._stacks.cuts, self.counts, self.uses, self.span,
        )  # fmt: skip
        for name, column in (
            ("place", events.places),
            ("start", events.starts),
            ("duration", events.durations),
            ("thread", thread_numbers),
            ("stack", stack_numbers),
            ("type", numbers),
        ):
            self._columns[f"event_{name}"].add(engine, self.rows, column)
        self.rows += rows

    def finish(self) -> dict[str, Any]:
        """Writes what is left of the columns; returns their arrays."""
        found: dict[str, Any] = {}
        for column in self._columns.values():
            found |= column.finish(self.rows)
        return found


class _Keys:
    """Numbers of constants by their keys."""

    def __init__(self, engine: Engine, keys: I64Array, numbers: U32Array) -> None:
        self._keys, self._numbers = keys, numbers
        self._slots = np.zeros(1 << (2 * len(keys) + 1).bit_length(), np.uint32)
        engine.stacks.fill_keys(keys, self._slots)

    def find(self, engine: Engine, wanted: I64Array, none: int, missing: int) -> tuple[U32Array, int]:
        """Returns the numbers of keys, and how many keys are missing."""
        found = np.empty(len(wanted), np.uint32)
        absent = engine.stacks.find_keys(wanted, self._keys, self._slots, self._numbers, none, missing, found)
        return found, absent


def _distinct(engine: Engine, keys: I64Array) -> I64Array:
    """Returns the different keys, in the order of their first places."""
    room = 1 << 10
    while True:
        found = np.empty(room, np.int64)
        count = engine.stacks.distinct_keys(keys, np.zeros(2 * room, np.uint32), found, 0)
        if count >= 0:
            return found[:count]
        room *= 8


def add_chunk(
    engine: Engine, found: ChunkContents, parts: list[ChunkEvents], values: ChunkConstants, names: Names,
    stacks: RecordedStacks, events: RecordedEvents,
) -> Any:  # fmt: skip
    """Numbers what a chunk names; returns a function that adds a part of its events."""
    frame_numbers = names.frame_numbers(found, values)
    of_traces = stacks.numbers(engine, found, frame_numbers)
    by_stack = _Keys(engine, found.traces.keys, of_traces)
    types = events.type_numbers(found)

    def add(part: ChunkEvents) -> None:
        keys = _distinct(engine, part.threads)
        if values.place(values.id_of(THREAD_TYPE), 0) is None:
            keys = keys[keys != 0]
        by_thread = _Keys(engine, keys, names.thread_numbers(values, keys))
        events.add(engine, part, types, by_thread, by_stack)

    for part in parts:
        add(part)
    return add
