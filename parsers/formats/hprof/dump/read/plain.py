"""Reader of sub-records in plain code: for small files, and as the reference for kernels."""

from __future__ import annotations

import struct
from array import array
from collections.abc import Iterable
from functools import cached_property, reduce
from operator import or_
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from parsers.formats.hprof.agent_binary.records import RECORD, Read
from parsers.formats.hprof.dump.read.class_record import HeapClass, read_class, width_of
from parsers.formats.hprof.dump.read.heap import FIRST_CLASS, FIRST_PRIMITIVE, HeapCounts, HeapRoots, ParsedHeap
from parsers.formats.hprof.dump.read.problem_list import LEAST_LOST, RESUMED
from parsers.formats.hprof.dump.records.records import DumpRecords, HeapSegment, Segments
from parsers.formats.hprof.dump.records.tags import (
    CLASS_DUMP,
    HEAP_DUMP_INFO,
    INSTANCE_DUMP,
    OBJECT,
    OBJECT_ARRAY_DUMP,
    OBJECTS,
    PRIMITIVE_ARRAY_DUMP,
    ROOTS,
)
from parsers.heapdump.graph.columns import CLASS_OBJECT, OBJECT_ARRAY, PLAIN_OBJECT, PRIMITIVE_ARRAY
from parsers.model.late import numpy as np
from parsers.model.none import NONE

if TYPE_CHECKING:
    from parsers.model.arrays import U64Array

CLASS_BYTES = (1 << 16, 1 << 20, 1 << 24)
"""Bytes read to find the end of a class, in turn: 3 × 65,535 constants, statics and fields take less than the last."""
HEAD = 64
"""Maximum bytes of any other sub-record before its values."""
WINDOW = 1 << 16
"""Bytes that are read at a time."""
FEWEST_SEARCHED, MOST_SEARCHED = 1 << 14, 1 << 20
"""Bytes in which readable sub-records are searched at a time: few at first."""
MOST_TRIED, TRIED = 8, 1 << 14
"""Places that are tried in these bytes, and bytes read from each."""
MOST_SEARCHES = 1000
"""Damaged sub-records of a file after which others are searched; later ones end their heap record."""
FEWEST_READABLE = 32
"""Classes, instances and arrays of objects that follow each other where reading continues."""
Object = tuple[int, int, int, int, int]
"""Id, offset, kind, class or type, length."""
Root = tuple[int, int, int, int, int]
"""Offset, tag, id, the two numbers after it; NONE if missing."""


class PlainDumpScan:
    """Reader of sub-records. It drops a dump when the next one begins."""

    def __init__(self, read: Read, id_size: int, records: DumpRecords, loaded: Iterable[int] = ()) -> None:
        """loaded: ids of classes that records announce"""
        self._read = read
        self._id_size = id_size
        self._id_code = code = "I" if id_size == 4 else "Q"
        shapes = zip(OBJECTS[1:], (f"{code}I", f"I{code}", "IB", "IB"), strict=True)
        self._heads = {tag: struct.Struct(f">{code}4x{rest}") for tag, rest in shapes}
        self._records = records
        self._loaded = frozenset(loaded) - {0}
        self._searches = 0
        self.counts = HeapCounts()
        self._base, self._window = 0, b""
        self._dump = -1
        self.objects: dict[int, Object] = {}
        self.classes: dict[int, tuple[HeapClass, int]] = {}
        """Classes by id, each with its offset."""
        self.roots: list[Root] = []

    def scan(self, segment: HeapSegment) -> int | None:
        """Reads a segment. Returns the offset of a record that begins inside it, or None."""
        if segment.dump != self._dump:
            self._dump = segment.dump
            self.objects, self.classes, self.roots = {}, {}, []
        at, end = segment.start, segment.end
        while at < end:
            self._show(at)
            tag = self._window[at - self._base]
            after = 0
            if tag in ROOTS:
                after = self._root(tag, at, end)
            elif tag == CLASS_DUMP:
                after = self._class(at, end)
            elif tag in self._heads:
                after = self._object(tag, at, end)
            elif tag == HEAP_DUMP_INFO:
                after = at + 1 + 4 + self._id_size
                self.counts.sub_records["heap_dump_info"] += after <= end
            if not at < after <= end:
                inside = self._records.record_inside(at, segment.start, end)
                if inside is not None:
                    return inside
                is_cut, after = after > 0, self.resumed(at, end)
                self.counts.unknown += not is_cut
                self.counts.is_truncated |= is_cut
                self.counts.pass_by(at, segment, is_cut + RESUMED * (after < end), tag)
            at = after
        return None

    @cached_property
    def _loaded_ids(self) -> U64Array:
        return np.array([*self._loaded], np.uint64)

    def resumed(self, at: int, end: int) -> int:
        """Returns the offset after an unreadable sub-record from which others can be read; `end` if there is none."""
        if end - at < LEAST_LOST or self._searches >= MOST_SEARCHES or not self._loaded:
            return end
        self._searches += 1
        size, count, at = self._id_size, FEWEST_SEARCHED, at + 1
        while at < end:
            data = np.frombuffer(self._read(min(count + HEAD, end - at), at), np.uint8)
            found = [np.empty(0, np.int64)]
            for tag, place in ((CLASS_DUMP, 1), (INSTANCE_DUMP, 5 + size), (OBJECT_ARRAY_DUMP, 9 + size)):
                places = np.flatnonzero(data[: max(min(count, len(data) - place - size), 0)] == tag)
                ids = data[places[:, None] + np.arange(place, place + size)].view(f">u{size}").ravel()
                found.append(places[np.isin(ids.astype(np.uint64), self._loaded_ids)])
            starts: list[int] = (np.sort(np.concatenate(found))[:MOST_TRIED] + at).tolist()
            for start in starts:
                if self._is_readable(start, end):
                    return start
            at, count = at + count, min(4 * count, MOST_SEARCHED)
        return end

    def _is_readable(self, start: int, end: int) -> bool:
        """True if many sub-records with announced classes follow each other, which other bytes never look like."""
        apart: Any = SimpleNamespace(size=self._records.size, record_inside=lambda *_: None)
        trial = PlainDumpScan(self._read, self._id_size, apart)
        trial.scan(HeapSegment(start - RECORD.size, min(end, start + TRIED), 0))
        classes = [*trial.classes, *(of for _, _, kind, of, _ in trial.objects.values() if kind != PRIMITIVE_ARRAY)]
        return len(classes) >= FEWEST_READABLE and self._loaded.issuperset(classes[:FEWEST_READABLE])

    def _show(self, at: int) -> None:
        """Loads HEAD bytes from an offset on into the window, or as many as the file has."""
        if not 0 <= at - self._base <= len(self._window) - HEAD:
            self._base, self._window = at, self._read(min(WINDOW, self._records.size - at), at)

    def _root(self, tag: int, at: int, end: int) -> int:
        """Reads a root. Returns its end."""
        _, ids, more = ROOTS[tag]
        after = at + 1 + ids * self._id_size + more
        if after > end:
            return end + 1
        place = at - self._base + 1
        (id,) = struct.unpack_from(f">{self._id_code}", self._window, place)
        numbers = struct.unpack_from(f">{more // 4}I", self._window, place + ids * self._id_size)
        first, second, *_ = (*numbers, NONE, NONE)
        self.roots.append((at, tag, id, first, second))
        return after

    def _class(self, at: int, end: int) -> int:
        found = read_class(self._window, at - self._base, self._id_size)
        for most in CLASS_BYTES if found is None else ():
            found = found or read_class(self._read(min(end - at, most), at), 0, self._id_size)
        if found is None or at + found.end > end:
            return end + 1
        self.counts.sub_records["class_dump"] += 1
        if found.id:
            self.classes.pop(found.id, None)
            self.classes[found.id] = found, at
        else:
            self.counts.nulls += 1
        return at + found.end

    def _object(self, tag: int, at: int, end: int) -> int:
        """Reads an instance or an array. Returns its end."""
        head, size = self._heads[tag], self._id_size
        values = at + 1 + head.size
        if values > end:
            return end + 1
        length: int
        if tag == INSTANCE_DUMP:
            id, of, length = head.unpack_from(self._window, at - self._base + 1)
            name, kind, after = "instance_dump", PLAIN_OBJECT, values + length
        elif tag == OBJECT_ARRAY_DUMP:
            id, length, of = head.unpack_from(self._window, at - self._base + 1)
            name, kind, after = "object_array_dump", OBJECT_ARRAY, values + length * size
        else:
            id, length, of = head.unpack_from(self._window, at - self._base + 1)
            width = width_of(of, size)
            if not width or of == OBJECT:
                return end + 1
            has_values = tag == PRIMITIVE_ARRAY_DUMP
            name, kind, after = "primitive_array_dump", PRIMITIVE_ARRAY, values + length * width * has_values
        if after > end:
            return after
        self.counts.sub_records[name] += 1
        if not id:
            self.counts.nulls += 1
        else:
            self.counts.duplicates += self.objects.pop(id, None) is not None
            self.objects[id] = id, at, kind, of, length
        return after

    def _roots(self) -> HeapRoots:
        types = (np.uint64, np.uint8, np.uint64, np.uint32, np.uint32)
        columns = list(zip(*self.roots, strict=True)) or [(), (), (), (), ()]
        return HeapRoots(*(np.array(column, type) for column, type in zip(columns, types, strict=True)))

    def heap(self, segments: Segments, loaded: Iterable[int]) -> ParsedHeap:
        """The last dump. `loaded` are ids of classes that records announce."""
        from parsers.formats.hprof.dump.read.classes import HeapClasses, columns_of

        also = {id: (each[1], each[2]) for id, each in self.objects.items() if id in self.classes}
        every = [each for id, each in self.objects.items() if id not in self.classes]
        every += [(id, at, CLASS_OBJECT, id, 0) for id, (_, at) in self.classes.items()]
        every.sort(key=lambda each: each[1])
        of_classes = set(loaded) - {0}
        of_classes |= {each[3] for each in (*every, *self.objects.values()) if each[2] != PRIMITIVE_ARRAY}
        type_ids = [0] * FIRST_CLASS + sorted(of_classes)
        numbers = {id: number for number, id in enumerate(type_ids[FIRST_CLASS:], FIRST_CLASS)}
        types = array(
            "I", [each[3] - FIRST_PRIMITIVE if each[2] == PRIMITIVE_ARRAY else numbers[each[3]] for each in every]
        )
        columns = list(zip(*every, strict=True)) or [(), (), (), (), ()]
        return ParsedHeap(
            id_size=self._id_size,
            id_bits=reduce(or_, self.objects, 0),
            ids=np.array(columns[0], np.uint64),
            offsets=np.array(columns[1], np.uint64),
            kinds=np.array(columns[2], np.uint8),
            types=np.array(types, np.uint32),
            lengths=np.array(columns[4], np.uint32),
            type_ids=type_ids,
            classes=HeapClasses(columns_of(found for found, _ in self.classes.values())),
            roots=self._roots(),
            also=also,
            counts=self.counts,
            segments=segments,
        )
