"""The recorded data of an index: events, stacks, threads, and the values of events, decoded when they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np

from parsers.formats.jfr.data.columns import BLOCKS, TABLES
from parsers.formats.jfr.data.method_names import method_label
from parsers.formats.jfr.read.engine import Engine
from parsers.formats.jfr.read.interning import ChunkConstants, ConstantBlocks
from parsers.formats.jfr.read.loops import number_at, skip_numbers
from parsers.formats.jfr.read.metadata import Field, Metadata, Type, metadata_of, string_at
from parsers.formats.jfr.read.program import SIZES, STRING_TYPE, Programs, UnreadableType, wanted_fields
from parsers.formats.jfr.read.values import Fields, Key, UnreadableValue, decode_fields, narrowed
from parsers.index.bitpacked.blocks import BlockColumn
from parsers.index.texts import Texts
from parsers.model.distinct import begins, distinct_places
from parsers.model.none import NONE
from parsers.profile.stacks import Stacks

if TYPE_CHECKING:
    from parsers.model.arrays import AnyArray, BoolArray, I64Array

GAP = 1 << 16
"""Bytes between two events that are read rather than skipped."""
PIECE = 4 << 20
"""Bytes of events that are read at a time."""
CHUNKS_KEPT = 64
"""Chunks whose decoded constants are kept."""
TYPES_KEPT = 8
"""Types whose rows are kept."""
AT_ONCE = 1 << 20
"""Events whose numbers are read at a time."""
BLOCK = 1 << 14
"""Events of which the bounds of their starts are compared with a range of time."""

Computed = TypeVar("Computed")
Found = TypeVar("Found")

TimeSpan = tuple[int, int]
"""A range of time: start and end, in nanoseconds since 1970."""


class Arrays(Protocol):
    """The arrays of an index."""

    def view(self, name: str) -> memoryview:
        """Returns an array. Raises `KeyError`."""
        ...


@dataclass(frozen=True)
class FieldColumn:
    """The values of a field in some events."""

    numbers: I64Array
    """By event: a number, a key, the bits of a float, or the offset of a string in the file."""
    chunks: I64Array
    """By event: its chunk."""
    is_known: BoolArray
    """By event: False if its type has no such field there."""
    fields: Mapping[int, Field]
    """By number of metadata: the field."""


class ChunkData(ChunkConstants):
    """The constants of a chunk, found by the index."""

    def __init__(self, data: RecordedData, number: int) -> None:
        self._data, self.number = data, number
        self.metadata = data.metadata(int(data.column("chunk_metadata")[number]))
        self._values, self._blocks = {}, ConstantBlocks(data.read)
        self.start_ns = int(data.column("chunk_start")[number])
        self.start_ticks = int(data.column("chunk_ticks")[number])
        self.ticks_per_ns = int(data.column("chunk_frequency")[number]) / 1e9

    def place(self, type: int, key: int) -> int | None:
        """Returns the offset of a constant."""
        return self._data.constant_place(self.number, type, key)


METHOD_LABELS = "labels of methods"
"""Key of what is computed once: the labels of all methods."""


class RecordedData:
    """The events of a recording, by row."""

    def __init__(self, read: Callable[[int, int], bytes], size: int, engine: Engine) -> None:
        """read: reads up to `count` bytes of the file at an offset"""
        self.read, self.size, self.engine = read, size, engine
        self._arrays: Arrays | None = None
        self._computed: dict[Hashable, Any] = {}
        self._parsed: Sequence[Metadata] = ()
        self._of_type = lru_cache(TYPES_KEPT)(self._rows_of)
        self._of_type_in = lru_cache(TYPES_KEPT)(self._rows_of_in)
        self._in_span = lru_cache(1)(self._rows_in)
        self.metadata = lru_cache(None)(self._metadata)
        self.chunk = lru_cache(CHUNKS_KEPT)(self._chunk)
        self.method_label = lru_cache(None)(self._method_label)

    def take_index(self, arrays: Arrays, metadata: Sequence[Metadata] = ()) -> None:
        """Uses a complete index. metadata: by number, as far as they are parsed"""
        self._arrays, self._parsed = arrays, metadata

    @property
    def is_complete(self) -> bool:
        """True if there is an index."""
        return self._arrays is not None

    def column(self, name: str) -> AnyArray:
        """Returns an array of `columns.TABLES` as a numpy array; an empty one before there is an index."""
        if self._arrays is None:
            return np.zeros(0, np.dtype(TABLES[name]))
        return np.asarray(self._arrays.view(name))

    @cached_property
    def _blocks(self) -> Mapping[str, BlockColumn]:
        assert self._arrays is not None
        view, ends = self._arrays.view, self.column("stack_end")
        frames, events = int(ends[-1]) if len(ends) else 0, int(self.column("type_events").sum())
        return {
            name: BlockColumn(
                self.engine.blocks, view(name), view(f"{name}_end"), frames if name == "stack_frame" else events, type
            )
            for name, type in BLOCKS.items()
        }

    @property
    def stacks(self) -> Stacks:
        """All different stacks, with rows of the table of frames; none before there is an index."""
        if not self.is_complete:
            return Stacks(np.zeros(1, np.int64), np.zeros(0, np.uint32))
        return self.computed("stacks", self._all_stacks)

    def _all_stacks(self) -> Stacks:
        ends = self.column("stack_end").astype(np.int64)
        return Stacks(np.append(0, ends), self._blocks["stack_frame"].numbers())

    def events(self, name: str, rows: I64Array | slice = slice(None)) -> AnyArray:
        """Returns numbers of a column of events: `start` …; of a slice, or of an array of rows."""
        return self._blocks[f"event_{name}"].numbers(rows)

    def durations(self, rows: I64Array | slice) -> I64Array:
        """Returns the durations of some events; 0 for those without."""
        return np.maximum(self.events("duration", rows), 0)

    def event(self, name: str, row: int) -> int:
        """Returns a number of one event."""
        return int(self._blocks[f"event_{name}"][row])

    def computed(self, key: Hashable, make: Callable[[], Computed]) -> Computed:
        """Returns a value that is computed once."""
        if key not in self._computed:
            self._computed[key] = make()
        return self._computed[key]  # type: ignore[no-any-return]  # each key has values of one type

    @property
    def first_start(self) -> int:
        """First start of an event, in nanoseconds since 1970."""
        span = self.column("span")
        return int(span[0]) if len(span) else 0

    def texts(self, table: str) -> Sequence[bytes]:
        """Returns the texts of a table."""
        if self._arrays is None:
            return ()
        view = self._arrays.view
        return self.computed(("texts", table), lambda: Texts(view(f"{table}_starts"), view(f"{table}_bytes")))

    def strings(self, table: str) -> list[str]:
        """Returns the texts of a table, decoded."""
        return [text.decode("utf-8", "surrogatepass") for text in self.texts(table)]

    def text(self, table: str, number: int) -> str:
        """Returns a text."""
        return self.texts(table)[number].decode("utf-8", "surrogatepass")

    def method_labels(self) -> Sequence[str]:
        """Returns the labels of all methods."""
        return self.computed(METHOD_LABELS, lambda: [*map(method_label, self.strings("method"))])

    def _method_label(self, number: int) -> str:
        """Returns the label of a method by its number."""
        known = self._computed.get(METHOD_LABELS)
        return method_label(self.text("method", number)) if known is None else known[number]

    @property
    def rows(self) -> int:
        """Number of events."""
        return 0 if self._arrays is None else len(self._blocks["event_type"])

    # -- types --------------------------------------------------------------------------------------------------------

    @cached_property
    def type_names(self) -> Sequence[str]:
        """Names of the types with events."""
        return self.strings("type_name")

    @cached_property
    def type_numbers(self) -> Mapping[str, int]:
        """Numbers of types by name."""
        return {name: number for number, name in enumerate(self.type_names)}

    def rows_of(self, type: str | int, span: TimeSpan | None = None) -> I64Array:
        """Returns the rows of the events of a type, ascending; none for an unknown one.

        span  only events that are, at least partly, in this range of time; None: all
        """
        number = self.type_numbers.get(type, -1) if isinstance(type, str) else type
        return self._of_type(number) if span is None else self._of_type_in(number, span)

    def _rows_of_in(self, type: int, span: TimeSpan) -> I64Array:
        rows = self.rows_of(type)
        return rows[self.in_span(span, rows)]

    def in_span(self, span: TimeSpan, rows: I64Array) -> BoolArray:
        """Returns, for some events, True if they are, at least partly, in a range of time."""
        return self._in_span(span)[rows]

    def _rows_in(self, span: TimeSpan) -> BoolArray:
        """Returns, by event, True if it is in a range of time. Most blocks are known by the bounds of their starts."""
        found = np.zeros(self.rows, np.bool_)
        starts_of, longest = self._blocks["event_start"], max(int(self.column("type_longest").max(initial=0)), 0)
        for at in range(0, self.rows, BLOCK):
            part = slice(at, min(at + BLOCK, self.rows))
            least, most = starts_of.bounds(at, part.stop)
            if least >= span[1] or most + longest < span[0]:
                continue
            if span[0] <= least and most < span[1]:
                found[part] = True
                continue
            starts = self.events("start", part)
            found[part] = (starts < span[1]) & (starts + self.durations(part) >= span[0])
        return found

    def counts(self, span: TimeSpan | None = None) -> I64Array:
        """Returns the number of events of each type, of those in a range of time if there is one."""
        found: I64Array = self.column("type_events")
        return found if span is None else self.counted("type", span, len(found))

    def sums(self, span: TimeSpan) -> I64Array:
        """Returns the sum of the durations of the events of each type in a range of time."""
        found = np.zeros(len(self.type_names), np.int64)
        for at in range(0, self.rows, AT_ONCE):
            part = slice(at, at + AT_ONCE)
            is_in = self._in_span(span)[part]
            np.add.at(found, self.events("type", part)[is_in], self.durations(part)[is_in])
        return found

    def counted(self, name: str, span: TimeSpan | None, count: int) -> I64Array:
        """Returns the number of events by the numbers of a column, of those in a range of time if there is one."""
        found = np.zeros(count, np.int64)
        for at in range(0, self.rows, AT_ONCE):
            part = slice(at, at + AT_ONCE)
            numbers = self.events(name, part)
            numbers = (
                numbers[numbers != NONE] if span is None else numbers[(numbers != NONE) & self._in_span(span)[part]]
            )
            found += np.bincount(numbers, minlength=count)
        return found

    def _rows_of(self, type: int) -> I64Array:
        if self._arrays is None or not 0 <= type < len(self.column("type_events")):
            return np.zeros(0, np.int64)
        return self._blocks["event_type"].find(type, int(self.column("type_events")[type]))

    def declared(self, type: str) -> tuple[Metadata, Type] | None:
        """Returns a type of events as the last chunk with it declares it."""
        for number in reversed(range(len(self.column("metadata_ends")))):
            metadata = self.metadata(number)
            if type in metadata.by_name:
                return metadata, metadata.by_name[type]
        return None

    def _metadata(self, number: int) -> Metadata:
        ends = self.column("metadata_ends")
        if number == NONE:
            return Metadata({}, {})
        if number < len(self._parsed):
            return self._parsed[number]
        start = int(ends[number - 1]) if number else 0
        return metadata_of(self.column("metadata_bytes")[start : int(ends[number])].tobytes())

    # -- chunks -------------------------------------------------------------------------------------------------------

    def _chunk(self, number: int) -> ChunkData:
        return ChunkData(self, number)

    def chunks_of(self, rows: I64Array) -> I64Array:
        """Returns the chunks of some events."""
        return np.searchsorted(self.column("chunk_first"), rows, "right") - 1

    @cached_property
    def _pools(self) -> Mapping[tuple[int, int], tuple[int, int]]:
        chunks, types, firsts = (self.column(f"pool_{name}").tolist() for name in ("chunk", "type", "first"))
        ends = firsts[1:]
        return {(chunk, type): span for chunk, type, *span in zip(chunks, types, firsts, ends, strict=False)}  # type: ignore[misc]

    def constant_place(self, chunk: int, type: int, key: int) -> int | None:
        """Returns the offset of a constant."""
        first, end = self._pools.get((chunk, type), (0, 0))
        keys = self.column("constant_key")[first:end]
        at = int(np.searchsorted(keys, key))
        return int(self.column("constant_place")[first + at]) if at < len(keys) and keys[at] == key else None

    # -- stacks -------------------------------------------------------------------------------------------------------

    def frames_of(self, stack: int) -> AnyArray:
        """Returns the frames of a stack, the innermost first."""
        ends = self.column("stack_end")
        first = int(ends[stack - 1]) if stack else 0
        return self._blocks["stack_frame"].numbers(slice(first, int(ends[stack])))

    def count_methods(self, stacks: I64Array, times: I64Array) -> tuple[I64Array, list[int]]:
        """Returns the innermost frames of different stacks, -1: none; and by method the sum of those that it is in.

        times  how often each stack counts
        """
        methods = len(self.texts("method"))
        tops, seen, counts = np.empty(len(stacks), np.int64), np.full(methods, -1), np.zeros(methods, np.int64)
        ends, (words, of_words) = self.column("stack_end").view(np.int64), self._blocks["stack_frame"].arrays
        self.engine.stacks.count_methods(
            stacks, times, ends, words, of_words, self.column("frame_method"), seen, counts, tops
        )  # fmt: skip
        return tops, counts.tolist()

    # -- values -------------------------------------------------------------------------------------------------------

    def values(self, row: int) -> tuple[ChunkData, Type | None, Fields, bool]:
        """Decodes an event: its chunk, its type (None: undeclared), its fields by name; False if some can't be read."""
        chunk = self.chunk(int(self.chunks_of(np.array([row]))[0]))
        place = self.event("place", row)
        head = self.read(32, place)
        size, at = number_at(head, 0, len(head))  # type: ignore[arg-type]
        type = chunk.metadata.by_name.get(self.type_names[self.event("type", row)])
        if at < 0 or type is None:
            return chunk, type, {}, type is None
        data = self.read(size, place)
        at = skip_numbers(data, 0, len(data), 2)  # type: ignore[arg-type]
        try:
            return chunk, type, decode_fields(chunk.metadata, type, data, at, len(data))[0], True
        except UnreadableValue as error:
            return chunk, type, error.found, False

    def columns(self, type: str, names: Sequence[tuple[str, ...]], rows: I64Array | None = None) -> list[FieldColumn]:
        """Reads fields of the events of a type, by their paths of names.

        rows  some of its rows, ascending; None: all
        """
        rows = self.rows_of(type) if rows is None else rows
        chunks = self.chunks_of(rows)
        numbers = np.zeros((len(names), len(rows)), np.int64)
        known = np.zeros((len(names), len(rows)), np.bool_)
        fields: list[dict[int, Field]] = [{} for _ in names]
        places = self.events("place", rows).astype(np.int64)
        of_chunks = self.column("chunk_metadata")
        for start, stop in _runs(of_chunks[chunks]):
            number = int(of_chunks[chunks[start]])
            program = self._program(number, type, tuple(names))
            if program is None:
                continue
            words, found = program
            for place, field in enumerate(found):
                if field is not None:
                    fields[place][number], known[place, start:stop] = field, True
            self._read_columns(places, start, stop, words, found, numbers)
        return [FieldColumn(numbers[place], chunks, known[place], fields[place]) for place in range(len(names))]

    def _read_columns(
        self,
        places: I64Array,
        start: int,
        stop: int,
        program: _FieldProgram,
        fields: Sequence[Field | None],
        numbers: I64Array,
    ) -> None:
        """Reads fields of the events from row `start` to `stop`, whose chunks declare the same types."""
        engine = self.engine
        strings = [place for place, field in enumerate(fields) if field is not None and field.is_array]
        strings += [place for place in range(len(fields)) if program.strings[place]]
        for at, end in pieces_of(places, start, stop):
            first, last = int(places[at]), int(places[end - 1])
            head = self.read(16, last)
            size, _ = number_at(head, 0, len(head))  # type: ignore[arg-type]
            data = engine.data(self.read(last - first + size, first))
            columns = np.zeros((len(fields), end - at), np.int64)
            engine.loops.read_columns(
                data, len(data), places[at:end] - first, program.words, 0, len(fields), engine.counters, engine.slots,
                columns,
            )  # fmt: skip
            for place in strings:
                columns[place] += first
            numbers[:, at:end] = columns

    @lru_cache(256)  # noqa: B019
    def _program(
        self, metadata: int, type: str, names: tuple[tuple[str, ...], ...]
    ) -> tuple[_FieldProgram, list[Field | None]] | None:
        """Returns the program for fields of a type, and those of them that it has; None: none can be read."""
        declared = self.metadata(metadata)
        found = declared.by_name.get(type)
        if found is None:
            return None
        programs = Programs(declared)
        try:
            programs.add(found, wanted_fields(names))
        except UnreadableType:
            return None
        fields = [field_at(declared, found, name) for name in names]
        strings = [
            field is not None and not field.is_constant and declared.types[field.type].name == STRING_TYPE
            for field in fields
        ]
        return _FieldProgram(programs.array, strings), fields

    def text_at(self, chunk: int, place: int) -> str | None:
        """Returns the string at an offset of the file, as it is in an event."""
        data, values = self.read(64, place), self.chunk(chunk)
        text, at = string_at(data, 0, len(data))
        if at < 0:
            data = self.read(1 << 24, place)
            text, _ = string_at(data, 0, len(data))
        if isinstance(text, int):
            return values.text(Key(values.id_of(STRING_TYPE), text))
        return text

    def different(
        self, column: FieldColumn, of: Callable[[ChunkData, Field | None, int], Found]
    ) -> tuple[list[Found], I64Array]:
        """Calls a function once for each different number in each chunk; returns the results, and by event its place.

        of  called with the chunk, its field, and the number: in the order of chunks, whose constants are close together
        """
        used, numbers = distinct_places(column.numbers)
        of_chunks = self.column("chunk_metadata")
        pairs, places = distinct_places(numbers * len(of_chunks) + column.chunks)
        each, chunks = (found.tolist() for found in (used[pairs // len(of_chunks)], pairs % len(of_chunks)))
        found: dict[int, Found] = {}
        for place in np.argsort(pairs % len(of_chunks), kind="stable").tolist():
            chunk = self.chunk(chunks[place])
            found[place] = of(chunk, column.fields.get(int(of_chunks[chunks[place]])), each[place])
        return [found[place] for place in range(len(pairs))], places

    def objects(self, column: FieldColumn) -> Iterator[Any]:
        """Yields the values of a field: numbers, floats, booleans, texts, decoded constants, None."""
        known: dict[tuple[int, int], Any] = {}
        of_chunks = self.column("chunk_metadata")
        for number, chunk, is_known in zip(
            column.numbers.tolist(), column.chunks.tolist(), column.is_known.tolist(), strict=True
        ):
            if not is_known:
                yield None
                continue
            metadata = int(of_chunks[chunk])
            field = column.fields[metadata]
            type = self.metadata(metadata).types[field.type]
            if field.is_constant:
                if (chunk, number) not in known:
                    known[chunk, number] = self.chunk(chunk).value(type.id, number)
                yield known[chunk, number]
            elif type.name == STRING_TYPE:
                yield self.text_at(chunk, number)
            else:
                yield number_of(number, type.name)


@dataclass(frozen=True)
class _FieldProgram:
    """A program for some fields."""

    words: I64Array
    strings: Sequence[bool]
    """By field: True if it is a string."""


def number_of(number: int, type: str) -> Any:
    """Returns a number of a column as its type has it."""
    if type in SIZES:
        if type == "boolean":
            return number != 0
        if type == "byte":
            return narrowed(number, type)
        bits = "f4" if type == "float" else "f8"
        return float(np.array([number], np.int64).astype(np.int32 if type == "float" else np.int64).view(bits)[0])
    return narrowed(number, type)


def field_at(metadata: Metadata, type: Type, path: Sequence[str]) -> Field | None:
    """Returns the field at a path of names; None if the type has none there."""
    for name in path[:-1]:
        field = next((each for each in type.fields if each.name == name), None)
        below = None if field is None or field.is_constant or field.is_array else metadata.types.get(field.type)
        if below is None:
            return None
        type = below
    return next((each for each in type.fields if each.name == path[-1]), None)


def pieces_of(places: I64Array, start: int, stop: int) -> Iterator[tuple[int, int]]:
    """Yields ranges of ascending offsets whose bytes are read at once, from one of them to another."""
    while start < stop:
        end = int(np.searchsorted(places[start:stop], places[start] + PIECE)) + start
        gaps = np.flatnonzero(np.diff(places[start:end]) > GAP)
        end = start + int(gaps[0]) + 1 if len(gaps) else max(end, start + 1)
        yield start, end
        start = end


def _runs(numbers: I64Array) -> Iterator[tuple[int, int]]:
    """Yields the ranges of equal numbers."""
    yield from pairwise([*np.flatnonzero(begins(numbers)).tolist(), len(numbers)])
