"""Computation of a heap dump's arrays, step by step: plain code for small dumps, kernels for large ones, same results.

Each step returns numpy arrays. Those of kernels are in memory or in files, see `parsers.index.scratch`.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from parsers.formats.hprof.agent_binary.profile import BinaryProfile
from parsers.formats.hprof.agent_binary.records import RECORD, Read
from parsers.formats.hprof.dump.index.object_sizes import ObjectSizes, object_sizes
from parsers.formats.hprof.dump.index.sizes import Addresses, MeasuredHeap
from parsers.formats.hprof.dump.index.strings import Strings, StringTexts, plain_texts, string_arrays, string_objects
from parsers.formats.hprof.dump.read.heap import ParsedHeap
from parsers.formats.hprof.dump.read.plain import PlainDumpScan
from parsers.formats.hprof.dump.records.records import DumpRecords, HeapSegment
from parsers.formats.hprof.dump.references.references import HeapReferences, read_references
from parsers.graph.dominator_tree.build import Dominators, find_dominators
from parsers.heapdump.graph.columns import CLASS_OBJECT, OBJECT_ARRAY, PLAIN_OBJECT
from parsers.index.bitpacked.columns import Packing
from parsers.index.scratch import TableMemory
from parsers.index.writer import Writer
from parsers.io.plain import PlainBytes
from parsers.model.none import NONE

if TYPE_CHECKING:
    from parsers.heapdump.tables.numbers import ObjectNumbers
    from parsers.model.arrays import AnyArray, U32Array

ReportProgress = Callable[[float], object]


class Transposed(NamedTuple):
    """References by target."""

    firsts: U32Array
    referrers: U32Array


class PlainSteps:
    """Steps by plain code."""

    def __init__(self, read: Read) -> None:
        self._read = read

    def read_heap(self, profile: BinaryProfile, id_size: int) -> tuple[ParsedHeap | None, bool]:
        """Returns the last dump, and True if records begin inside heap records."""
        records = profile.walked
        scan = PlainDumpScan(self._read, id_size, records, profile.loaded)
        has_records_inside = any(scan.scan(segment) is not None for segment in records.segments)
        return scan.heap(records.segments, profile.loaded), has_records_inside

    def records(self, size: int, id_size: int, repairs: bool) -> DumpRecords:
        """Returns a walk over a file. `repairs`: heap records end where records begin inside them."""
        records = DumpRecords(self._read, size, id_size)
        if repairs:
            scan, numbers = PlainDumpScan(self._read, id_size, records), count()
            # Each heap record counts as a separate dump, so that none of its predecessors is kept.
            records.find_end = lambda start, end: scan.scan(HeapSegment(start - RECORD.size, end, next(numbers)))
        return records

    def addresses(self, heap: ParsedHeap) -> Addresses:
        """Returns objects by id."""
        numbers = {id: number for number, id in enumerate(heap.ids.tolist())}
        find_all = lambda ids: np.array([numbers.get(id, NONE) for id in ids.tolist()], np.uint32)  # noqa: E731
        return Addresses(numbers.get, find_all, np.argsort(heap.ids, kind="stable"))

    def sizes(self, heap: ParsedHeap, measured: MeasuredHeap) -> ObjectSizes:
        """Returns the sizes of all objects."""
        return object_sizes(heap, measured, self.scratch_array)

    def references(self, heap: ParsedHeap, report_progress: ReportProgress) -> HeapReferences:
        """Returns the references of all objects."""
        return read_references(heap, self._read)

    def transpose(self, references: HeapReferences, objects: int) -> Transposed:
        """Returns references by target, for each target in file order."""
        places = np.flatnonzero(references.targets != NONE)
        targets = references.targets[places]
        firsts = np.cumulative_sum(np.bincount(targets, minlength=objects), dtype=np.uint32, include_initial=True)
        return Transposed(firsts, places[np.argsort(targets, kind="stable")].astype(np.uint32))

    def strings(self, heap: ParsedHeap, measured: MeasuredHeap, references: HeapReferences, units: U32Array) -> Strings:
        """Returns Strings by text, see `strings`."""
        strings = string_objects(heap, measured)
        texts = self._texts(heap, measured, references, strings)
        return string_arrays(heap, measured, strings, texts, units)

    def _texts(
        self, heap: ParsedHeap, measured: MeasuredHeap, references: HeapReferences, strings: U32Array
    ) -> StringTexts:
        """Returns the texts of Strings, given as objects."""
        return plain_texts(heap, measured, strings)

    def dominate(
        self, heap: ParsedHeap, references: HeapReferences, classes: U32Array, roots: U32Array, units: U32Array,
        report_progress: ReportProgress,
    ) -> Dominators:  # fmt: skip
        """Returns dominators and retained sizes / UNIT. classes: by type the class object, or NONE; roots: objects"""
        return find_dominators(
            references.firsts, references.targets, classes, heap.types, roots, units, self.scratch_array,
            report_progress,
        )  # fmt: skip

    def save(self, writer: Writer, name: str, packing: Packing, numbers: AnyArray) -> None:
        """Writes a bitpacked column."""
        from parsers.index.bitpacked.writing import save_packed

        save_packed(writer, name, packing, numbers)

    def scratch_array(self, name: str, type: str, length: int) -> AnyArray:
        """Returns a temporary array of zeros."""
        return np.zeros(length, np.dtype(type))

    def give_up_ids(self, heap: ParsedHeap) -> None:
        """Frees the ids, which are stored bitpacked by now; `heap` keeps them only if later steps need them."""


class KernelSteps(PlainSteps):
    """Steps by kernels."""

    def __init__(
        self, read: Read, plain: PlainBytes, writer: Writer, report_progress: ReportProgress, size: int
    ) -> None:
        """report_progress: receives the share of the file whose objects are read"""
        super().__init__(read)
        from parsers.formats.hprof.dump.read.scan import COLUMNS

        self._plain = plain
        self._writer = writer
        self._report_progress = report_progress
        self._size = size
        self._table_memory = TableMemory(lambda name, type, length: writer.scratch_array(f"room_{name}", type, length))
        for name, type in COLUMNS.items():
            writer.open(name, type, is_kept=False)
        self._numbers: ObjectNumbers

    def read_heap(self, profile: BinaryProfile, id_size: int) -> tuple[ParsedHeap | None, bool]:
        """Returns the last dump, and True if records begin inside heap records; no dump if it is walked again then."""
        from parsers.formats.hprof.dump.read.scan import KernelScan
        from parsers.formats.hprof.dump.records.walk import KernelRecords

        assert isinstance(profile.walked, KernelRecords)

        report_progress = lambda done: self._report_progress(done / self._size)  # noqa: E731
        scan = KernelScan(
            self._plain,
            profile.walked,
            id_size,
            list(profile.loaded),
            self._writer,
            self._table_memory,
            report_progress,
        )
        found = scan.read()
        if found[0] is not None:
            self._numbers = scan.numbers
        return found

    def records(self, size: int, id_size: int, repairs: bool) -> DumpRecords:
        """Returns a walk over a file by kernels."""
        from parsers.formats.hprof.dump.records.walk import KernelRecords

        return KernelRecords(self._read, size, id_size, repairs)

    def addresses(self, heap: ParsedHeap) -> Addresses:
        """Returns objects by id."""

        def find(id: int) -> int | None:
            number = int(self._numbers.find(np.array([id], np.uint64))[0])
            return None if number == NONE else number

        order, self._numbers.order = self._numbers.order, None
        return Addresses(find, self._numbers.find, order)

    def references(self, heap: ParsedHeap, report_progress: ReportProgress) -> HeapReferences:
        """Returns the references of all objects."""
        from parsers.formats.hprof.dump.references.kernel_references import KernelReferences

        self._writer.open("referred_first", "u4", is_kept=False)
        self._writer.open("referred_target", "u4", is_kept=False)
        reading = KernelReferences(
            self._plain, heap, self._numbers, self._writer, lambda done: report_progress(done / self._size)
        )
        reading.read()
        self._table_memory.allow(heap.objects, reading.total)
        return HeapReferences(
            self._writer.column("referred_first", heap.objects + 1),
            self._writer.column("referred_target", reading.total),
            int(reading.counts[PLAIN_OBJECT]),
            int(reading.counts[OBJECT_ARRAY]),
            int(reading.counts[CLASS_OBJECT]),
            reading.weak,
        )

    def scratch_array(self, name: str, type: str, length: int) -> AnyArray:
        """Returns a temporary array of zeros."""
        array: AnyArray = self._table_memory.make(name, type, length)
        return array

    def give_up_ids(self, heap: ParsedHeap) -> None:
        """Frees the ids, which are stored bitpacked by now; their file is removed with its last array."""
        heap.ids = np.empty(0, np.uint64)
        self._writer.give_up("scanned_id")

    def transpose(self, references: HeapReferences, objects: int) -> Transposed:
        """Returns references by target."""
        from parsers.formats.hprof.text.heap_kernel import transpose

        firsts = self.scratch_array("referrer_firsts", "u4", objects + 1)
        make_buffer = lambda count: self.scratch_array("referrers", "u4", count)  # noqa: E731
        return Transposed(firsts, transpose(references.targets, firsts, make_buffer))

    def _texts(
        self, heap: ParsedHeap, measured: MeasuredHeap, references: HeapReferences, strings: U32Array
    ) -> StringTexts:
        """Returns the texts of Strings, given as objects."""
        from parsers.formats.hprof.dump.index.string_texts import StringTextReader

        return StringTextReader(heap, measured, references, strings, self._plain, self.scratch_array).find()

    def save(self, writer: Writer, name: str, packing: Packing, numbers: AnyArray) -> None:
        """Writes a bitpacked column."""
        from parsers.index.bitpacked.parallel import pack_parallel

        pack_parallel(writer, name, packing, numbers)
