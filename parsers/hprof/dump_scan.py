"""Reads heap records by kernels, two pieces of the file at once, into the arrays of an index."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from parsers.heap.hprof_kernel import (
    AT,
    CLASS_DUMPS,
    CLASSES,
    CUT,
    DONE,
    FULL,
    HEAD,
    ID_BITS,
    INFOS,
    INSTANCES,
    MORE,
    NEW_CLASS,
    NULLS,
    OBJECT_ARRAYS,
    OBJECTS,
    PRIMITIVE_ARRAYS,
    ROOTS,
    STATE,
    UNKNOWN_CLASS,
    Rows,
    Table,
    scan,
)
from parsers.heap.numbers import Numbers
from parsers.heap.scratch import Rooms
from parsers.hprof.columns import CLASS_OBJECT, NONE
from parsers.hprof.dump_class import HeapClass, read_class
from parsers.hprof.dump_heap import FIRST_CLASS, Heap, HeapCounts, HeapRoots
from parsers.hprof.dump_records import DumpRecords, Segment, Trouble
from parsers.hprof.dump_words import BEGINS_AGAIN, THREAD_OBJECT, WITH_FRAME, WITH_THREAD
from parsers.input.plain import PlainBytes
from parsers.turns import Turns

PIECE = 4 << 20
"""Bytes of a piece: of many small segments, or of one that has to be read from its beginning."""
BUFFER = 2 * PIECE
"""Bytes that are read at once: a class ends within half of them."""
OBJECT_ROOM, ROOT_ROOM, CLASS_ROOM = PIECE // 16, 1 << 14, 1 << 12
CLASS_BYTES = (1 << 12, 1 << 16, 1 << 20, BUFFER)
"""How much is read to find the end of a class."""
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
MULTIPLIER, HASH_SHIFT, HASH_MASK = 0x9E37_79B9_7F4A_7C15, 32, 0xFFFF_FFFF_FFFF_FFFF


class Arrays(Protocol):
    """Where arrays are written: `parsers.index.writer.Writer`."""

    def put(self, name: str, place: int, values: Any) -> None:
        """Writes a piece of an array, from entry `place` on."""
        ...

    def column(self, name: str, length: int) -> Any:
        """An array that was written in pieces, for reading."""
        ...


class ClassTable:
    """Numbers of classes by their ids: a hash table that kernels read; it is another one when it has grown."""

    def __init__(self, ids: list[int]) -> None:
        self.ids = list(ids)
        self._known = set(ids)
        self._lock = threading.Lock()
        self._make(ids)

    def _make(self, ids: list[int]) -> None:
        size = 1 << max(6, (4 * len(ids)).bit_length())
        table = Table(np.zeros(size + 1, np.uint64), np.zeros(size + 1, np.uint32))
        for number, id in enumerate(ids, FIRST_CLASS):
            self._put(table, id, number)
        self.table = table

    @staticmethod
    def _put(table: Table, id: int, number: int) -> None:
        mask = len(table.keys) - 2
        if not id:
            table.numbers[mask + 1] = number + 1
            return
        place = ((id * MULTIPLIER & HASH_MASK) >> HASH_SHIFT) & mask
        while table.keys[place]:
            place = (place + 1) & mask
        # The number first: another thread may be looking.
        table.numbers[place] = number
        table.keys[place] = id

    def add(self, id: int) -> None:
        """A class that no record has announced."""
        with self._lock:
            if id in self._known:
                return
            self._known.add(id)
            self.ids.append(id)
            if 2 * len(self.ids) > len(self.table.keys):
                self._make(self.ids)
            else:
                self._put(self.table, id, len(self.ids) - 1 + FIRST_CLASS)


class KernelScan:
    """All heap records of a file. What it has of a dump goes when the next one begins."""

    def __init__(
        self, plain: PlainBytes, records: DumpRecords, id_size: int, loaded: list[int], arrays: Arrays,
        rooms: Rooms, tell: Callable[[int], object] = lambda done: None,
    ) -> None:  # fmt: skip
        self._plain = plain
        self._rooms = rooms
        self._records = records
        self._id_size = id_size
        self._tell = tell
        self._arrays = arrays
        self._announced = sorted(set(loaded) - {0})
        self.counts = HeapCounts()
        self.ends: dict[int, int] = {}

    def read(self) -> tuple[Heap, dict[int, int]]:
        """The last dump, and where heap records end in which other records begin."""
        segments = self._records.segments
        dumps = sorted({segment.dump for segment in segments})
        for dump in dumps:
            heap = self._read_dump([segment for segment in segments if segment.dump == dump])
        return heap, self.ends

    def _read_dump(self, segments: list[Segment]) -> Heap:
        self._table = ClassTable(self._announced)
        self._filled = self._id_bits = 0
        self._types_of_also = np.empty(0, np.uint32)
        self._roots: list[tuple[Any, ...]] = []
        self._classes: list[Any] = []
        self._pieces = pieces_of(segments)
        self._turns = Turns()
        self._turns.run(len(self._pieces), lambda: _Worker(self).take)
        self.counts.troubles.sort(key=lambda trouble: trouble.offset)
        return self._heap(segments)

    # -- what workers call --------------------------------------------------------------------------------------------

    def _flush(self, piece: int, rows: Rows, state: Any) -> None:
        """Writes what a worker has, in its turn."""
        count = int(state[OBJECTS])
        self._turns.wait(piece)
        first, self._filled = self._filled, self._filled + count
        if state[ROOTS]:
            part = slice(0, int(state[ROOTS]))
            self._roots.append(
                tuple(
                    each[part].copy() for each in (rows.root_offsets, rows.root_tags, rows.root_ids, rows.root_numbers)
                )
            )
        if state[CLASSES]:
            self._classes.append(rows.class_offsets[: int(state[CLASSES])].copy())
        for name, values in zip(COLUMNS, rows[:5], strict=True):
            self._arrays.put(name, first, values[:count])
        state[OBJECTS] = state[ROOTS] = state[CLASSES] = 0

    def _end(self, piece: int, state: Any) -> None:
        """Counts what a worker has seen, and lets the next one have its turn."""
        self._turns.wait(piece)
        for name, place in COUNTS.items():
            self.counts.sub_records[name] += int(state[place])
        self.counts.nulls += int(state[NULLS])
        self._id_bits |= int(state[ID_BITS]) & HASH_MASK
        self._turns.done(piece)
        self._tell(self._pieces[piece][-1].end)

    def _in_trouble(self, says: int, at: int, segment: Segment) -> None:
        """Notes why a segment could not be read to its end."""
        tag, counts = self._plain.pread(1, at)[0], self.counts
        if says == CUT:
            counts.is_truncated = True
            kind, what = "cut", f"a sub-record of tag 0x{tag:02x} is cut or damaged"
        elif tag in BEGINS_AGAIN and self._records.is_believable(at):
            self.ends[segment.offset] = at
            return
        else:
            counts.unknown += 1
            kind, what = "unknown record", f"a sub-record of the unknown tag 0x{tag:02x}"
        counts.troubles.append(Trouble(at, kind, what, "the rest of the heap record is passed by"))

    # -- the whole ----------------------------------------------------------------------------------------------------

    def _heap(self, segments: list[Segment]) -> Heap:
        arrays = self._arrays
        ids, offsets, kinds, types, lengths = (arrays.column(name, self._filled) for name in COLUMNS)
        heap = Heap(
            id_size=self._id_size, id_bits=self._id_bits, ids=ids, offsets=offsets, kinds=kinds, types=types,
            lengths=lengths, type_ids=[0] * FIRST_CLASS + self._table.ids, classes=self._read_classes(),
            roots=self._read_roots(), also={}, counts=self.counts, segments=segments,
        )  # fmt: skip
        self._rooms.allow(heap.objects)
        self.numbers = Numbers(ids, self._rooms.make)
        if self.numbers.count < len(ids):
            self._take_out_repeated(heap)
            self.numbers = Numbers(heap.ids, self._rooms.make)
        if len(self._table.ids) > len(self._announced):
            self._put_types_in_order(heap)
        return heap

    def _put_types_in_order(self, heap: Heap) -> None:
        """Types by the ids of their classes; those go that nothing has and no record announces."""
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

    def _read_classes(self) -> dict[int, HeapClass]:
        classes: dict[int, HeapClass] = {}
        for offset in np.concatenate([np.empty(0, np.uint64), *self._classes]).tolist():
            for size in CLASS_BYTES:
                found = read_class(self._plain.pread(size, offset), 0, self._id_size)
                if found is not None:
                    break
            else:
                # It was whole when it was scanned.
                raise EOFError
            classes.pop(found.id, None)
            classes[found.id] = found
        return classes

    def _read_roots(self) -> HeapRoots:
        none = np.empty(0, np.uint64), np.empty(0, np.uint8), np.empty(0, np.uint64), np.empty((0, 2), np.uint32)
        offsets, tags, ids, numbers = (np.concatenate(parts) for parts in zip(none, *self._roots, strict=True))
        # What is behind roots without such numbers is read in their place.
        has_first = np.isin(tags, np.array(WITH_THREAD, np.uint8))
        has_second = np.isin(tags, np.array((*WITH_FRAME, THREAD_OBJECT), np.uint8))
        first, second = np.where(has_first, numbers[:, 0], NONE), np.where(has_second, numbers[:, 1], NONE)
        return HeapRoots(offsets, tags, ids, first.astype(np.uint32), second.astype(np.uint32))

    def _take_out_repeated(self, heap: Heap) -> None:
        """Of objects of one id the last one stays; a class stays in any case, and the object is one of `also`."""
        # Of each id objects, then classes, each kind in the order of the file: the last one stays.
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
        heap.ids, heap.offsets, heap.kinds, heap.types, heap.lengths = (
            each[is_kept] for each in (heap.ids, heap.offsets, heap.kinds, heap.types, heap.lengths)
        )


class _Worker:
    """One thread: its buffer, its tables."""

    def __init__(self, whole: KernelScan) -> None:
        self._whole = whole
        self._buffer = np.zeros(BUFFER + HEAD, np.uint8)
        self._base = self._filled = 0
        objects, roots, classes = OBJECT_ROOM, ROOT_ROOM, CLASS_ROOM
        self._rows = Rows(
            np.empty(objects, np.uint64), np.empty(objects, np.uint64), np.empty(objects, np.uint8),
            np.empty(objects, np.uint32), np.empty(objects, np.uint32),
            np.empty(roots, np.uint64), np.empty(roots, np.uint64), np.empty((roots, 2), np.uint32),
            np.empty(roots, np.uint8), np.empty(classes, np.uint64),
        )  # fmt: skip

    def take(self, piece: int) -> None:
        """Reads the segments of a piece."""
        whole, state = self._whole, np.zeros(STATE, np.int64)
        segments = whole._pieces[piece]
        last = segments[-1].end
        for segment in segments:
            state[AT] = segment.start
            while True:
                says = scan(
                    self._buffer, self._base, self._filled, segment.end, whole._id_size, whole._table.table, state,
                    self._rows,
                )  # fmt: skip
                if says == DONE:
                    break
                if says == MORE:
                    self._fill(int(state[AT]), last)
                elif says == FULL:
                    whole._flush(piece, self._rows, state)
                elif says == NEW_CLASS:
                    whole._table.add(int(state[UNKNOWN_CLASS]) & 0xFFFF_FFFF_FFFF_FFFF)
                else:
                    whole._turns.wait(piece)
                    whole._in_trouble(says, int(state[AT]), segment)
                    break
        whole._flush(piece, self._rows, state)
        whole._end(piece, state)

    def _fill(self, at: int, last: int) -> None:
        count = min(BUFFER, last - at)
        self._base, self._filled = at, count
        if self._whole._plain.read_into(self._buffer.data[:count], at) < count:
            raise EOFError


def pieces_of(segments: list[Segment]) -> list[list[Segment]]:
    """Segments that follow each other, as many as fit into a piece."""
    pieces: list[list[Segment]] = []
    start = 0
    for segment in segments:
        if not pieces or segment.end - start > PIECE:
            pieces.append([])
            start = segment.start
        pieces[-1].append(segment)
    return pieces
