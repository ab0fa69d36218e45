"""Builds the index of a recording: three threads read chunks, which are numbered in the order of the file."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from parsers.formats.jfr.data.columns import CHUNKS, COUNTS
from parsers.formats.jfr.data.recorded_data import RecordedData
from parsers.formats.jfr.kernels import KERNELS
from parsers.formats.jfr.read.chunk import ChunkContents, ChunkReader, TraceTable
from parsers.formats.jfr.read.chunk_types import NO_TYPES, TypeReader, Types
from parsers.formats.jfr.read.chunks import File, Region, refuse_old, skipped_problem
from parsers.formats.jfr.read.engine import Engine
from parsers.formats.jfr.read.interning import ChunkConstants, Names
from parsers.formats.jfr.read.recorded import ChunkNumbers, RecordedEvents, RecordedStacks
from parsers.formats.jfr.totals import totals_of
from parsers.index.build import FileBuild, read_piece
from parsers.index.memory import reuse_freed_memory
from parsers.index.texts import text_arrays
from parsers.io.ordered_pipeline import THREADS, OrderedPipeline
from parsers.model.distinct import begins
from parsers.model.none import NONE
from parsers.model.report import Problem

if TYPE_CHECKING:
    from parsers.formats.jfr.read.metadata import Metadata
    from parsers.index.store import Header
    from parsers.index.writer import Writer
    from parsers.model.arrays import AnyArray, I64Array, U64Array

AT_ONCE = 3
"""Chunks in work: one is walked over, names and stacks of one are numbered, the events of one are added."""
SMALL_CHUNK = 1 << 16
"""Bytes of chunks for which threads would wait for each other most of the time, on average."""
NUMBERING, ADDING = range(2)
"""Turns of a chunk."""
KEPT_PROBLEMS = 1000
"""Problems that are listed; all are counted."""


class RecordingBuild(FileBuild):
    """The build of the index of one recording."""

    groups = (KERNELS,)
    small = 256 << 10

    def with_plain(self) -> Header:
        """Builds by plain code."""
        return self._build(is_plain=True)

    def with_kernels(self) -> Header:
        """Builds by kernels."""
        reuse_freed_memory()
        return self._build(is_plain=False)

    def _build(self, is_plain: bool) -> Header:
        writer = self.writer()
        file = File(self._pread, self.size, self._fill)
        refuse_old(self._pread(68, 0), self.source.path)
        building = Recording(writer, file, self.source.path, is_plain)
        building.read(lambda done: self.report_progress(self.progress(done, building.events.rows)))
        self.check_unchanged()
        kept = Kept(writer)
        building.save(kept, Engine(is_plain))
        recorded = RecordedData(self._pread, self.size, Engine(is_plain))
        recorded.take_index(kept, building.metadata)
        totals, facts = totals_of(recorded, building.bytes_lost, building.events.stacks_missing)
        self.check_unchanged()
        return self.finish(
            writer, building.events.rows, totals, facts, building.problems[:KEPT_PROBLEMS], building.problem_count
        )

    def _pread(self, count: int, offset: int) -> bytes:
        return os.pread(self.descriptors[0], max(min(count, self.size - offset), 0), offset)

    def _fill(self, buffer: memoryview, offset: int) -> None:
        read_piece(self.descriptors[0], np.asarray(buffer), len(buffer), offset, 0)


class Kept:
    """Arrays that are written, and can be read at once, as `IndexReader` gives them."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self.arrays: dict[str, AnyArray] = {}

    def save(self, name: str, values: AnyArray) -> None:
        """Writes an array."""
        self._writer.save(name, values)
        self.arrays[name] = np.ascontiguousarray(values)

    def view(self, name: str) -> memoryview:
        """Returns an array. Raises `KeyError`."""
        return self.arrays[name].data


class Recording:
    """The known contents of a recording while its index is built."""

    def __init__(self, writer: Writer, file: File, path: str, is_plain: bool) -> None:
        self.writer, self.file, self.path, self.is_plain = writer, file, path, is_plain
        self.names = Names()
        self.stacks = RecordedStacks(writer)
        self.events = RecordedEvents(writer, self.names)
        self.problems: list[Problem] = []
        self.problem_count = 0
        self.chunks: dict[str, list[int]] = {name: [] for name in CHUNKS}
        self.bytes_lost = 0
        self._event_readers = [self._reader() for _ in range(THREADS)]
        self._spans = OrderedPipeline()
        self._type_reader = TypeReader()
        self._types: dict[bytes, Types] = {}
        self._types_lock = threading.Lock()
        self._metadata: dict[bytes, int] = {}
        self._pools: list[tuple[int, int, int]] = []
        self._constants: list[tuple[I64Array, U64Array]] = []
        self._constant_count = 0

    def read(self, report: Callable[[int], None]) -> None:
        """Reads all chunks. report: called with the bytes read so far"""
        regions: list[Region] = []
        for found in self.file.regions():
            if isinstance(found, Region):
                regions.append(found)
            else:
                self._add_problems([skipped_problem(*found, self.path)], 1)
                self.bytes_lost += found[1] - found[0]
        at_once = AT_ONCE if len(regions) * SMALL_CHUNK <= self.file.size else 1
        pipeline = OrderedPipeline(at_once, len((NUMBERING, ADDING)))

        def worker() -> Callable[[int], object]:
            reader = self._reader()

            def read(number: int) -> None:
                found = reader.read(regions[number])
                table = reader.table_of(found.traces)
                pipeline.wait(number, NUMBERING)
                values, types = (
                    ChunkConstants(found.types, found.constants, self.file.read),
                    self.events.type_numbers(found),
                )
                numbers = ChunkNumbers(reader.engine, found, values, self.names, self.stacks, types)
                pipeline.done(number, NUMBERING)
                pipeline.wait(number, ADDING)
                self._add(reader, found, table, numbers)
                # In turn: two threads must not report at once.
                if found.end // SMALL_CHUNK > found.region.start // SMALL_CHUNK or number + 1 == len(regions):
                    report(found.end)
                pipeline.done(number, ADDING)

            return read

        pipeline.run(len(regions), worker)

    def _reader(self) -> ChunkReader:
        return ChunkReader(self.file, Engine(self.is_plain), self._find_types, self.path)

    @property
    def metadata(self) -> list[Metadata]:
        """Different metadata by number."""
        return [self._types[body].metadata for body in self._metadata]

    def _find_types(self, body: bytes) -> Types:
        with self._types_lock:
            found = self._types.get(body)
            if found is None:
                found = self._types[body] = self._type_reader.types_of(body)
            return found

    def _add(self, reader: ChunkReader, found: ChunkContents, table: TraceTable, numbers: ChunkNumbers) -> None:
        """Adds a chunk; called in the order of the file. table: from `ChunkReader.table_of`"""
        header, chunk = found.region.header, len(self.chunks["chunk_offset"])
        metadata = NONE if found.types is NO_TYPES else self._metadata.setdefault(found.types.body, len(self._metadata))
        values = {
            "offset": header.offset,
            "size": found.end - header.offset,
            "first": self.events.rows,
            "start": header.start_ns,
            "ticks": header.start_ticks,
            "frequency": header.ticks_per_second,
            "metadata": metadata,
        }
        for name, value in values.items():
            self.chunks[f"chunk_{name}"].append(value)
        if found.spans:
            self._add_events(reader, found, table, numbers)
            self._add_constants(chunk, found)
        self.bytes_lost += found.bytes_lost
        self._add_problems(found.problems, found.problem_count)

    def _add_events(self, reader: ChunkReader, found: ChunkContents, table: TraceTable, numbers: ChunkNumbers) -> None:
        """Adds the events of a chunk, read by two threads; those of one span by `reader`, which has their bytes."""
        spans, pipeline = [span for span in found.spans if span.rows], self._spans
        if not spans:
            return
        readers = iter(self._event_readers if len(spans) > 1 else [reader])

        def worker() -> Callable[[int], object]:
            reader = next(readers)

            def read(number: int) -> None:
                events = reader.events(found, table, spans[number])
                pipeline.wait(number)
                self.events.add(reader.engine, events, numbers)
                if events.unreadable:
                    what = f"{events.unreadable:,} events from here on have fields that can't be read"
                    done = "the fields before them are used"
                    found.add(Problem("damaged fields", what, done, self.path, spans[number].start))
                pipeline.done(number)

            return read

        pipeline.run(len(spans), worker)

    def _add_problems(self, problems: list[Problem], count: int) -> None:
        self.problems += problems[: max(KEPT_PROBLEMS - len(self.problems), 0)]
        self.problem_count += count

    def _add_constants(self, chunk: int, found: ChunkContents) -> None:
        """Sorts the constants of a chunk by type and key; of equal keys the last one is kept."""
        constants = found.constants
        if not len(constants.keys):
            return
        order = np.lexsort((constants.keys, constants.types))
        types, keys = constants.types[order], constants.keys[order]
        is_last = np.append(begins(types, keys)[1:], True)
        types = types[is_last]
        self._constants.append((keys[is_last], constants.places[order][is_last].astype(np.uint64)))
        for start in np.flatnonzero(begins(types)).tolist():
            self._pools.append((chunk, int(found.types.programs.ids[types[start]]), self._constant_count + start))
        self._constant_count += len(types)

    def save(self, writer: Kept, engine: Engine) -> None:
        """Writes all arrays."""
        names = self.names
        writer.arrays |= {**self.events.finish(engine), **self.stacks.finish(engine)}
        writer.save("span", self.events.span if self.events.rows else np.zeros(2, np.int64))
        for name, type in CHUNKS.items():
            writer.save(name, _array(self.chunks[name], type))
        bodies = list(self._metadata)
        writer.save("metadata_ends", np.cumsum([len(body) for body in bodies], dtype=np.uint64))
        writer.save("metadata_bytes", np.frombuffer(b"".join(bodies), np.uint8))
        pools = [*self._pools, (NONE, 0, self._constant_count)]
        for place, (name, type) in enumerate((("chunk", "u4"), ("type", "i8"), ("first", "u8"))):
            writer.save(f"pool_{name}", _array([pool[place] for pool in pools], type))
        nothing = (np.zeros(0, np.int64), np.zeros(0, np.uint64))
        keys, places = zip(nothing, *self._constants, strict=True)
        writer.save("constant_key", np.concatenate(keys))
        writer.save("constant_place", np.concatenate(places))
        counts = self.events.counts[: len(names.types.texts)]
        for number, name in enumerate(COUNTS):
            writer.save(f"type_{name}", np.ascontiguousarray(counts[:, number]))
        writer.save("type_bytes", _array(self.events.type_bytes, "u8"))
        threads = list(names.threads)
        for name, of, type in (("os_id", 2, "i8"), ("java_id", 3, "i8"), ("flags", 4, "u1")):
            writer.save(f"thread_{name}", np.array([thread[of] for thread in threads], np.dtype(type)))
        methods, lines, _, kinds = names.frames.T
        writer.save("frame_method", methods.astype(np.uint32))
        writer.save("frame_line", lines)
        writer.save("frame_kind", np.minimum(kinds, 255).astype(np.uint8))
        writer.save("frame_hidden", np.array(names.hidden, np.uint8)[methods])
        of_kinds = np.zeros(256, np.int64)
        uses = np.zeros(self.stacks.count, np.int64)
        uses[: len(self.events.uses)] = self.events.uses[: len(uses)]
        words, ends = writer.arrays["stack_frame"], writer.arrays["stack_frame_end"]
        engine.stacks.count_kinds(self.stacks.ends, words, ends, writer.arrays["frame_kind"], uses, of_kinds)
        writer.save("kind_frames", of_kinds[: len(names.kinds.texts[:256])])
        texts: Mapping[str, list[bytes]] = {
            "type_name": names.types.texts,
            "method": names.methods.texts,
            "kind": names.kinds.texts[:256],
            "thread": [_bytes(thread[0]) for thread in threads],
            "thread_group": [_bytes(thread[1]) for thread in threads],
        }
        for table, of_table in texts.items():
            for name, values in text_arrays(table, of_table).items():
                writer.save(name, values)


def _array(values: list[int], type: str) -> AnyArray:
    return np.array(values, np.dtype(type))


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
