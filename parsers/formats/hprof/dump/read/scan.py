"""Reader of heap records by kernels, two pieces of the file at once, into the arrays of an index."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from parsers.formats.hprof.agent_binary.records import RECORD
from parsers.formats.hprof.dump.read.class_columns import HEADS, NUMBERS
from parsers.formats.hprof.dump.read.classes import NO_CLASSES, ClassColumns, HeapClasses
from parsers.formats.hprof.dump.read.heap import FIRST_CLASS, HeapCounts, HeapRoots, ParsedHeap, damaged_segment
from parsers.formats.hprof.dump.read.kernel import (
    AT,
    CLASS_DUMPS,
    CLASS_VALUES,
    CLASSES,
    DAMAGED,
    DONE,
    HEAD,
    ID_BITS,
    INFOS,
    INSTANCES,
    IS_NEW,
    MORE,
    NEW_CLASSES,
    NULLS,
    OBJECT_ARRAYS,
    OBJECTS,
    PRIMITIVE_ARRAYS,
    PROBLEMS,
    ROOTS,
    SEGMENT,
    STATE,
    ScanBuffers,
    scan,
)
from parsers.formats.hprof.dump.read.plain import PlainDumpScan
from parsers.formats.hprof.dump.read.problem_list import CUT, RESUMED
from parsers.formats.hprof.dump.records.records import Segments
from parsers.formats.hprof.dump.records.tags import BEGINS_AGAIN, THREAD_OBJECT, WITH_FRAME, WITH_THREAD
from parsers.formats.hprof.dump.records.walk import KernelRecords
from parsers.heapdump.graph.columns import CLASS_OBJECT
from parsers.heapdump.tables.numbers import ObjectNumbers
from parsers.index.scratch import TableMemory
from parsers.index.writer import Writer
from parsers.io.ordered_pipeline import OrderedPipeline
from parsers.io.plain import PlainBytes
from parsers.kernels.id_table import new_ids, number_ids
from parsers.model.none import NONE

if TYPE_CHECKING:
    from parsers.model.arrays import AnyArray, I64Array

PIECE = 4 << 20
"""Bytes of a piece: many small segments, or one that has to be read from its beginning."""
BUFFER = 2 * PIECE
"""Bytes that are read at once: half of them contain a whole class."""
OBJECT_CAPACITY, ROOT_CAPACITY, CLASS_CAPACITY, NEW_CLASS_CAPACITY, PROBLEM_CAPACITY = (
    PIECE // 16,
    1 << 14,
    1 << 12,
    1 << 14,
    1 << 12,
)
VALUE_CAPACITY = 1 << 18
"""Constants, statics and fields of classes: more than one class has."""
FEWEST_DUMPED = 64 << 20
"""Bytes of dumps that are read together, all of them but the last one: there may be a million."""
COUNTS = {
    "class_dump": CLASS_DUMPS,
    "instance_dump": INSTANCES,
    "object_array_dump": OBJECT_ARRAYS,
    "primitive_array_dump": PRIMITIVE_ARRAYS,
    "heap_dump_info": INFOS,
}
COLUMNS = {
    "scanned_id": "u8",
    "scanned_offset": "u8",
    "scanned_kind": "u1",
    "scanned_type": "u4",
    "scanned_length": "u4",
}
ID_MASK = 0xFFFF_FFFF_FFFF_FFFF


class KernelScan:
    """Reader of all heap records of a file. It drops a dump when the next one begins."""

    def __init__(
        self, plain: PlainBytes, records: KernelRecords, id_size: int, loaded: list[int], arrays: Writer,
        table_memory: TableMemory, report_progress: Callable[[int], object] = lambda done: None,
    ) -> None:  # fmt: skip
        self._plain = plain
        self._table_memory = table_memory
        self._records = records
        self._id_size = id_size
        self._report_progress = report_progress
        self._arrays = arrays
        self._announced = sorted(set(loaded) - {0})
        self._plain_scan = PlainDumpScan(plain.pread, id_size, records, loaded)
        self._table = new_ids(np.uint64, len(self._announced))
        number_ids(self._table, np.array(self._announced, np.uint64), FIRST_CLASS)
        self.counts = HeapCounts()
        self.has_records_inside = False

    def read(self) -> tuple[ParsedHeap | None, bool]:
        """The last dump, and whether records begin inside heap records; no dump if it is walked again for that."""
        segments, start = self._records.segments, 0
        last = segments.first_of_last
        for stop in groups_of(segments, last):
            self._read(start, stop)
            if self.is_given_up:
                break
            self._count_repeated(start, stop)
            start = stop
        else:
            self._read(last, len(segments))
        return None if self.is_given_up else self._heap(segments), self.has_records_inside

    @property
    def is_given_up(self) -> bool:
        """True if the file must be walked again, as records begin inside heap records."""
        return self.has_records_inside and not self._records.repairs

    def _read(self, first: int, stop: int) -> None:
        self._new: dict[int, int] = {}
        """Numbers of classes that no record announces, by id."""
        self._filled = self._id_bits = 0
        self._types_of_also = np.empty(0, np.uint32)
        self._roots: list[tuple[AnyArray, ...]] = []
        self._classes: list[ClassColumns] = []
        self._pieces = pieces_of(self._records.segments, first, stop)
        self._pipeline = OrderedPipeline()
        self._pipeline.run(len(self._pieces), lambda: _Worker(self).take)

    def _count_repeated(self, first: int, stop: int) -> None:
        """Counts the objects of equal ids in dumps that are not shown."""
        ids, offsets, kinds = (self._arrays.column(name, self._filled) for name in tuple(COLUMNS)[:3])
        segments = self._records.segments
        starts, numbers = (np.array(column[first:stop]) for column in (segments.offsets, segments.dumps))
        starts = starts[np.diff(numbers, prepend=-1) != 0].astype(np.uint64)
        dumps = np.searchsorted(starts, offsets, "right")
        order = np.lexsort((ids, dumps, kinds == CLASS_OBJECT))
        ids, dumps, kinds = ids[order], dumps[order], kinds[order]
        is_same = (ids[1:] == ids[:-1]) & (dumps[1:] == dumps[:-1])
        is_same &= (kinds[1:] != CLASS_OBJECT) & (kinds[:-1] != CLASS_OBJECT)
        self.counts.duplicates += int(np.count_nonzero(is_same))

    # -- called by workers --------------------------------------------------------------------------------------------

    def _flush(self, piece: int, rows: ScanBuffers, state: I64Array) -> None:
        """Writes the results of a worker, in file order."""
        count = int(state[OBJECTS])
        self._pipeline.wait(piece)
        first, self._filled = self._filled, self._filled + count
        if state[ROOTS]:
            part = slice(0, int(state[ROOTS]))
            self._roots.append(
                tuple(
                    each[part].copy() for each in (rows.root_offsets, rows.root_tags, rows.root_ids, rows.root_numbers)
                )
            )
        if state[CLASSES]:
            counts = (int(state[CLASSES]),) * 2 + (int(state[CLASS_VALUES]),) * 3
            columns: tuple[AnyArray, ...] = (
                rows.class_heads,
                rows.class_numbers,
                rows.class_names,
                rows.class_types,
                rows.class_values,
            )
            self._classes.append(
                ClassColumns(*(column[:filled].copy() for column, filled in zip(columns, counts, strict=True)))
            )
        if state[NEW_CLASSES]:
            new, numbers = rows.new_classes[: int(state[NEW_CLASSES])].tolist(), self._new
            known = FIRST_CLASS + len(self._announced)
            places = np.array([known + numbers.setdefault(id, len(numbers)) for id in new], np.uint32)
            types = rows.types[:count]
            is_new = types >= IS_NEW
            types[is_new] = places[types[is_new] - IS_NEW]
        objects: tuple[AnyArray, ...] = rows[: len(COLUMNS)]
        for name, values in zip(COLUMNS, objects, strict=True):
            self._arrays.put(name, first, values[:count])
        self._copy_problems(piece, rows, int(state[PROBLEMS]))
        state[[OBJECTS, ROOTS, CLASSES, CLASS_VALUES, NEW_CLASSES, PROBLEMS]] = 0

    def _end(self, piece: int, state: I64Array) -> None:
        """Adds the counts of a worker, and lets the next one continue."""
        self._pipeline.wait(piece)
        for name, place in COUNTS.items():
            self.counts.sub_records[name] += int(state[place])
        self.counts.nulls += int(state[NULLS])
        self._id_bits |= int(state[ID_BITS]) & ID_MASK
        self._pipeline.done(piece)
        self._report_progress(int(self._pieces[piece].ends[-1]))

    def _copy_problems(self, piece: int, rows: ScanBuffers, count: int) -> None:
        """Notes why segments could not be read to their ends."""
        if not count:
            return
        counts, segments = self.counts, self._pieces[piece]
        columns = (rows.problem_kinds, rows.problem_tags, rows.problem_offsets)
        kinds, tags, offsets = (column[:count].astype(np.int64) for column in columns)
        places = rows.problem_segments[:count].astype(np.int64)
        starts, ends = (column[places] for column in segments)
        are_records = np.zeros(count, bool)
        are_adjacent = segments.offsets[np.minimum(places + 1, len(segments.offsets) - 1)] == ends
        may_be_records = ~are_adjacent | np.isin(tags, BEGINS_AGAIN)
        for place in np.flatnonzero(may_be_records).tolist():
            start, end = int(starts[place]) + RECORD.size, int(ends[place])
            if self._records.record_inside(int(offsets[place]), start, end) is not None:
                are_records[place] = self.has_records_inside = True
                if self.is_given_up:
                    return
        counts.is_truncated = counts.is_truncated or bool((kinds & CUT).any())
        counts.unknown += int(np.count_nonzero(~are_records & (kinds & CUT == 0)))
        starts = np.where(offsets == starts + RECORD.size, starts, offsets)
        counts.problems.add_all(np.column_stack((kinds, tags, offsets, starts, ends))[~are_records], damaged_segment)

    def _resumed(self, piece: int, rows: ScanBuffers, state: I64Array) -> int:
        """Where reading continues after an unreadable sub-record, the last of the problems. Searches in file order."""
        self._pipeline.wait(piece)
        at, segments, segment = int(state[AT]), self._pieces[piece], int(state[SEGMENT])
        start, end = int(segments.offsets[segment]) + RECORD.size, int(segments.ends[segment])
        if self._records.record_inside(at, start, end) is not None:
            return end
        resumed = self._plain_scan.resumed(at, end)
        rows.problem_kinds[state[PROBLEMS] - 1] += RESUMED * (resumed < end)
        return resumed

    # -- the whole ----------------------------------------------------------------------------------------------------

    def _heap(self, segments: Segments) -> ParsedHeap:
        arrays = self._arrays
        ids, offsets, kinds, types, lengths = (arrays.column(name, self._filled) for name in COLUMNS)
        columns = ClassColumns(*map(np.concatenate, zip(NO_CLASSES, *self._classes, strict=True)))
        heap = ParsedHeap(
            id_size=self._id_size, id_bits=self._id_bits, ids=ids, offsets=offsets, kinds=kinds, types=types,
            lengths=lengths, type_ids=[0] * FIRST_CLASS + self._announced + list(self._new),
            classes=HeapClasses(columns), roots=self._read_roots(), also={}, counts=self.counts, segments=segments,
        )  # fmt: skip
        self._table_memory.allow(heap.objects)
        self.numbers = ObjectNumbers(ids, self._table_memory.make)
        if self.numbers.count < len(ids):
            self._take_out_repeated(heap)
            self.numbers = ObjectNumbers(heap.ids, self._table_memory.make)
        if self._new:
            self._put_types_in_order(heap)
        return heap

    def _put_types_in_order(self, heap: ParsedHeap) -> None:
        """Sorts types by class id. Removes types that have no objects and that no record announces."""
        is_used = np.zeros(len(heap.type_ids), bool)
        is_used[: FIRST_CLASS + len(self._announced)] = True
        is_used[heap.types] = True
        is_used[self._types_of_also] = True
        used = np.flatnonzero(is_used[FIRST_CLASS:]).tolist()
        ids = heap.type_ids[FIRST_CLASS:]
        used.sort(key=ids.__getitem__)
        numbers = np.arange(len(heap.type_ids), dtype=np.uint32)
        numbers[FIRST_CLASS + np.array(used, np.int64)] = np.arange(FIRST_CLASS, FIRST_CLASS + len(used))
        heap.type_ids = [0] * FIRST_CLASS + [ids[number] for number in used]
        heap.types = numbers[heap.types]

    def _read_roots(self) -> HeapRoots:
        none = np.empty(0, np.uint64), np.empty(0, np.uint8), np.empty(0, np.uint64), np.empty((0, 2), np.uint32)
        offsets, tags, ids, numbers = (np.concatenate(parts) for parts in zip(none, *self._roots, strict=True))
        # For roots without such numbers the columns have the bytes that follow the root.
        has_first = np.isin(tags, np.array(WITH_THREAD, np.uint8))
        has_second = np.isin(tags, np.array((*WITH_FRAME, THREAD_OBJECT), np.uint8))
        first, second = (
            np.where(has, column, NONE) for has, column in zip((has_first, has_second), numbers.T, strict=True)
        )
        return HeapRoots(offsets, tags, ids, first.astype(np.uint32), second.astype(np.uint32))

    def _take_out_repeated(self, heap: ParsedHeap) -> None:
        """Keeps the last of the objects with one id. A class is always kept; the object is then added to `also`."""
        # For each id objects, then classes, each kind in file order: the last one is kept.
        order = np.lexsort((heap.kinds == CLASS_OBJECT, heap.ids))
        ids, is_class = heap.ids[order], heap.kinds[order] == CLASS_OBJECT
        is_same = ids[1:] == ids[:-1]
        self.counts.duplicates += int(np.count_nonzero(is_same & (is_class[1:] == is_class[:-1]) & ~is_class[1:]))
        also = order[:-1][is_same & is_class[1:] & ~is_class[:-1]]
        self._types_of_also = heap.types[also]
        for number in also.tolist():
            heap.also[int(heap.ids[number])] = int(heap.offsets[number]), int(heap.kinds[number])
        is_kept = np.zeros(len(order), bool)
        is_kept[order[np.append(~is_same, True)]] = True
        heap.classes = heap.classes.kept(is_kept[heap.kinds == CLASS_OBJECT])
        heap.ids, heap.offsets, heap.kinds = heap.ids[is_kept], heap.offsets[is_kept], heap.kinds[is_kept]
        heap.types, heap.lengths = heap.types[is_kept], heap.lengths[is_kept]


class ScanPiece(NamedTuple):
    """Segments that are read together: int64 twice."""

    offsets: I64Array
    ends: I64Array


class _Worker:
    """Buffer and tables of one thread."""

    def __init__(self, whole: KernelScan) -> None:
        self._whole = whole
        self._buffer = np.zeros(BUFFER + HEAD, np.uint8)
        self._base = self._filled = 0
        objects, roots, classes, values = OBJECT_CAPACITY, ROOT_CAPACITY, CLASS_CAPACITY, VALUE_CAPACITY
        self._rows = ScanBuffers(
            np.empty(objects, np.uint64), np.empty(objects, np.uint64), np.empty(objects, np.uint8),
            np.empty(objects, np.uint32), np.empty(objects, np.uint32),
            np.empty(roots, np.uint64), np.empty(roots, np.uint64), np.empty((roots, 2), np.uint32),
            np.empty(roots, np.uint8), np.empty((classes, HEADS), np.uint64), np.empty((classes, NUMBERS), np.uint32),
            np.empty(values, np.uint64), np.empty(values, np.uint8), np.empty(values, np.uint64),
            np.empty(NEW_CLASS_CAPACITY, np.uint64),
            np.empty(PROBLEM_CAPACITY, np.int64), np.empty(PROBLEM_CAPACITY, np.int64),
            np.empty(PROBLEM_CAPACITY, np.uint8), np.empty(PROBLEM_CAPACITY, np.uint8),
        )  # fmt: skip
        self._new = np.zeros(4 * NEW_CLASS_CAPACITY, np.uint32)

    def take(self, piece: int) -> None:
        """Reads the segments of a piece."""
        whole, state = self._whole, np.zeros(STATE, np.int64)
        starts, ends = whole._pieces[piece].offsets + RECORD.size, whole._pieces[piece].ends
        last = int(ends[-1])
        state[AT] = starts[0]
        while not whole.is_given_up:
            status = scan(
                self._buffer, self._base, self._filled, starts, ends, whole._id_size, whole._table, self._new, state,
                self._rows,
            )  # fmt: skip
            if status == MORE:
                self._fill(int(state[AT]), last)
                continue
            if status == DAMAGED:
                state[AT] = whole._resumed(piece, self._rows, state)
                continue
            if state[NEW_CLASSES]:
                self._new[:] = 0
            whole._flush(piece, self._rows, state)
            if status == DONE:
                break
        whole._end(piece, state)

    def _fill(self, at: int, last: int) -> None:
        count = min(BUFFER, last - at)
        self._base, self._filled = at, count
        if self._whole._plain.read_into(self._buffer.data[:count], at) < count:
            raise EOFError


def pieces_of(segments: Segments, first: int, stop: int) -> list[ScanPiece]:
    """Segments that follow each other, as many as fit into a piece; those that are empty are left out."""
    offsets, ends = (np.array(column[first:stop]) for column in (segments.offsets, segments.ends))
    is_filled = ends - offsets > RECORD.size
    offsets, ends = offsets[is_filled], ends[is_filled]
    pieces, at = list[ScanPiece](), 0
    while at < len(ends):
        until = max(at + 1, int(np.searchsorted(ends, offsets[at] + RECORD.size + PIECE, "right")))
        pieces.append(ScanPiece(offsets[at:until], ends[at:until]))
        at = until
    return pieces


def groups_of(segments: Segments, stop: int) -> Iterator[int]:
    """Where groups of whole dumps end that are not small, among the first segments."""
    ends, dumps = (np.array(column[:stop]) for column in (segments.ends, segments.dumps))
    lasts = np.append(np.flatnonzero(dumps[1:] != dumps[:-1]), stop - 1)
    start = 0
    while start < stop:
        place = int(np.searchsorted(ends[lasts], segments.offsets[start] + FEWEST_DUMPED))
        start = int(lasts[min(place, len(lasts) - 1)]) + 1
        yield start
