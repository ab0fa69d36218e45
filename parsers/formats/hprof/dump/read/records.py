"""The records of a binary file: where each begins and ends, even if its length is wrong or missing.

Lengths of records are unreliable: writers die before they fill them in, and they have only 32 bits. So the end of a
heap record is verified by the bytes that follow it. A repair is reported as a problem with its byte offset.

Source: format page of binary HPROF, section 2.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from typing import NamedTuple

from parsers.formats.hprof.agent_binary.records import HEADER_SIZE, NAMES, RECORD, Read
from parsers.formats.hprof.dump.read.tags import HEAP_DUMP, HEAP_DUMP_END, HEAP_DUMP_SEGMENT, HEAP_TAGS
from parsers.formats.hprof.dump.read.troubles import Troubles

WRAP = 1 << 32
"""Lengths are stored modulo this number."""
MOST_WRAPS = 4096
"""Maximum multiples of it that are added to a length: up to 16 TB."""
FIRST_WINDOW, WINDOW = 4 << 10, 1 << 20
"""Bytes that are read after a heap record; bytes that are read at a time from small adjacent records."""


Record = tuple[int, int, int, int]
"""A record with a readable body: offset, tag, microseconds, end."""
FindEnd = Callable[[int, int], "int | None"]
"""Function of the body of a heap record: offset of a record that begins inside it by its sub-records, or None."""


class HeapSegment(NamedTuple):
    """A heap record: a whole dump or a segment of one."""

    offset: int
    end: int
    dump: int
    """Number of the dump, from 0."""

    @property
    def start(self) -> int:
        """Offset of its first sub-record."""
        return self.offset + RECORD.size


class DumpRecords:
    """Iteration over the records of a file.

    find_end  finds the end of a heap record with a wrong length; without it lengths are trusted
    """

    def __init__(self, read: Read, size: int, id_size: int, find_end: FindEnd | None = None) -> None:
        self._read = read
        self.size = size
        self._id_size = id_size
        self.find_end = find_end
        self._base, self._window = 0, b""
        self._wanted = FIRST_WINDOW
        self.segments: list[HeapSegment] = []
        self.troubles = Troubles()
        self.counts = dict.fromkeys((*NAMES.values(), "unknown_records"), 0)
        self.is_truncated = False
        self.dumps = 0
        self._is_open = False
        """True if segments of a dump follow."""

    def walk(self) -> Iterator[Record]:
        """Yields all records except heap records, which are added to `segments`."""
        offset, size, names, counts = HEADER_SIZE, self.size, NAMES, self.counts
        unpack, head = RECORD.unpack_from, RECORD.size
        base, window, last = 0, b"", -head
        while offset < size:
            if not 0 <= offset - base <= last:
                if self._header(offset) is None:
                    self.troubles.add(offset, "cut", "the file ends inside the head of a record", "it is left out")
                    break
                base, window = self._base, self._window
                last = len(window) - head
            tag, micros, length = unpack(window, offset - base)
            end = offset + head + length
            if tag in HEAP_TAGS:
                end = self._end_of_heap(offset, end)
                self._take_heap(tag, offset, end)
                self._wanted = FIRST_WINDOW
            elif tag not in names:
                counts["unknown_records"] += 1
                what = f"a record of the unknown tag 0x{tag:02x}"
                self.troubles.add(offset, "unknown record", what, "it is passed by", offset, end)
                if end > size:
                    break
            elif end > size:
                self.is_truncated = True
                self.troubles.add(offset, "cut", "the file ends inside a record", "it is left out")
                break
            else:
                counts[names[tag]] += 1
                if tag == HEAP_DUMP_END:
                    self._is_open = False
                yield offset, tag, micros, end
            offset = end
        if self._is_open:
            self.troubles.add(size, "cut", "the file ends inside a heap dump", "what could be read is used")

    def read(self, count: int, offset: int) -> bytes:
        """Reads bytes of the file, from the last window if they are in it."""
        at = offset - self._base
        if at >= 0 and at + count <= len(self._window):
            return self._window[at : at + count]
        return self._read(count, offset)

    def is_believable(self, offset: int) -> bool:
        """Returns True if a record may begin at an offset."""
        size, head = self.size, RECORD.size
        # The record, and the one after it if the tag of the first is unknown.
        for _ in range(2):
            if offset == size:
                return True
            place = offset - self._base
            if 0 <= place <= len(self._window) - head:
                tag, _, length = RECORD.unpack_from(self._window, place)
                end = offset + head + length
            else:
                header = self._header(offset)
                if header is None:
                    return False
                tag, _, end = header
            if end > size:
                return False
            if tag in NAMES:
                return True
            offset = end
        return False

    def _take_heap(self, tag: int, offset: int, end: int) -> None:
        self.counts[NAMES[tag]] += 1
        if tag == HEAP_DUMP or not self._is_open:
            self.dumps += 1
        self._is_open = tag == HEAP_DUMP_SEGMENT
        self.segments.append(HeapSegment(offset, end, self.dumps - 1))

    def _end_of_heap(self, offset: int, end: int) -> int:
        """Returns the end of a heap record; `end` is the end by its length."""
        size, start = self.size, offset + RECORD.size
        found = end
        if end > size:
            what = f"{end - size:,} bytes of a heap record are missing"
            self.troubles.add(offset, "cut", what, "what is there is read")
            found = size
        elif self.is_believable(end):
            pass
        elif end == start:
            what = "the length of a heap record was never filled in: its writer died"
            self.troubles.add(offset, "no length", what, "it is taken to reach to the end of the file")
            found = size
        elif self._tag_at(end) not in NAMES:
            found = self._unwrapped(offset, end)
        repaired = self.find_end(start, found) if self.find_end is not None and start < found else None
        if repaired is None:
            return found
        what = "a record begins inside a heap record"
        self.troubles.add(repaired, "wrong length", what, "the heap record ends there", offset, repaired)
        return repaired

    def _unwrapped(self, offset: int, end: int) -> int:
        """Returns the first plausible end with a multiple of 4 GiB added; else the end of the file."""
        most = min(MOST_WRAPS - 1, (self.size - end) // WRAP)
        for wraps in range(1, most + 1):
            longer = end + wraps * WRAP
            if self.is_believable(longer):
                what = f"a heap record is {wraps * 4:,} GiB longer than its stated length"
                self.troubles.add(offset, "wrong length", what, "it is read whole")
                return longer
        what = "no record begins where a heap record ends by its length"
        self.troubles.add(offset, "wrong length", what, "it is taken to reach to the end of the file")
        return self.size

    def _header(self, offset: int) -> tuple[int, int, int] | None:
        """Returns tag, time and end of the record at an offset; None if its head is cut."""
        if self.size - offset < RECORD.size:
            return None
        if not 0 <= offset - self._base <= len(self._window) - RECORD.size:
            is_near = 0 <= offset - self._base <= len(self._window) + FIRST_WINDOW
            self._wanted = min(self._wanted * 4, WINDOW) if is_near else FIRST_WINDOW
            self._base = offset
            self._window = self._read(min(self._wanted, self.size - offset), offset)
        tag, micros, length = RECORD.unpack_from(self._window, offset - self._base)
        return tag, micros, offset + RECORD.size + length

    def _tag_at(self, offset: int) -> int:
        place = offset - self._base
        return self._window[place] if 0 <= place < len(self._window) else self._read(1, offset)[0]


def read_header(read: Read, size: int) -> tuple[bytes, int, int] | None:
    """Returns version, id size and time in ms of a file; None if the header is cut, or the id size is unknown."""
    header = read(min(HEADER_SIZE, size), 0)
    if len(header) < HEADER_SIZE:
        return None
    id_size, created = struct.unpack_from(">IQ", header, 19)
    return (header[13:18], id_size, created) if id_size in (4, 8) else None
