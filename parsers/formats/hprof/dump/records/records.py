"""The records of a binary file: where each begins and ends, even if its length is wrong or missing.

Lengths of records are unreliable: writers die before they fill them in, they have only 32 bits, and bits flip. So each
length is verified by the contents of its record and by the bytes that follow. A repair is reported as a problem with
its byte offset.

Sources: `hprof_b_spec.h` and `hprof_io.c` of the agent, `heapDumper.cpp` of HotSpot.
"""

from __future__ import annotations

import struct
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterator
from typing import NamedTuple

from parsers.formats.hprof.agent_binary.records import HEADER_SIZE, NAMES, RECORD, TEXT, Read
from parsers.formats.hprof.dump.read.problem_list import ProblemList
from parsers.formats.hprof.dump.records.record_search import RecordHead, RecordSearch
from parsers.formats.hprof.dump.records.tags import BEGINS_AGAIN, HEAP_DUMP, HEAP_DUMP_END, HEAP_DUMP_SEGMENT, HEAP_TAGS

WRAP = 1 << 32
"""Lengths are stored modulo this number."""
MOST_WRAPS = 4096
"""Maximum multiples of it that are added to a length: up to 16 TB."""
MOST_DOUBTED = 1_000
"""Maximum records whose lengths are doubted: with more of them nothing in a file can be trusted."""
MISREAD = 64
"""Maximum bytes of the head of a record that are read as sub-records."""
FIRST_WINDOW, WINDOW = 4 << 10, 1 << 20
"""Bytes that are read after a heap record; bytes that are read at a time from small adjacent records."""


Record = tuple[int, int, int, int]
"""A record with a readable body: offset, tag, microseconds, end."""
FindEnd = Callable[[int, int], "int | None"]
"""Function of the body of a heap record: offset of a record that begins inside it by its sub-records, or None."""


Damage = tuple[str, str, str]
"""Kind of a problem, what is wrong, what was done."""
NO_LENGTH: Damage = (
    "no length",
    "the length of a heap record was never filled in: its writer died",
    "it is taken to reach to the end of the file",
)
NO_NEXT: Damage = (
    "wrong length",
    "no record begins where a heap record ends by its length",
    "it is taken to reach to the end of the file",
)
INSIDE: Damage = "wrong length", "a record begins inside a heap record", "the heap record ends there"


def unknown_record(tag: int) -> Damage:
    """A record of a tag that there is not."""
    return "unknown record", f"a record of the unknown tag 0x{tag:02x}", "it is skipped"


def wrong_length(tag: int, length: int, right: int) -> Damage:
    """The length of a record besides heap records."""
    what = f"a record of tag 0x{tag:02x} has a length of {length:,} bytes instead of {right:,}"
    return "wrong length", what, "it is read with the right length"


def missing(count: int) -> Damage:
    """The file ends inside a heap record."""
    return "cut", f"{count:,} bytes of a heap record are missing", "what is there is read"


def wrapped(wraps: int) -> Damage:
    """The length of a heap record has more than 32 bits."""
    return "wrong length", f"a heap record is {wraps * 4:,} GiB longer than its length says", "it is read whole"


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


class Segments:
    """Heap records in the order of the file, as columns: there may be a million."""

    def __init__(self) -> None:
        self.offsets, self.ends, self.dumps = array("q"), array("q"), array("q")

    def __len__(self) -> int:
        return len(self.offsets)

    def __iter__(self) -> Iterator[HeapSegment]:
        return map(HeapSegment, self.offsets, self.ends, self.dumps)

    def add(self, offset: int, end: int, dump: int) -> None:
        """Adds one."""
        self.offsets.append(offset)
        self.ends.append(end)
        self.dumps.append(dump)

    @property
    def first_of_last(self) -> int:
        """Number of the first heap record of the last dump."""
        return bisect_left(self.dumps, self.dumps[-1])


class DumpRecords:
    """Iteration over the records of a file."""

    def __init__(self, read: Read, size: int, id_size: int) -> None:
        self._read = read
        self.size = size
        self._id_size = id_size
        self.find_end: FindEnd | None = None
        """Finds the end of a heap record with a wrong length; without it lengths are trusted."""
        self._base, self._window = 0, b""
        self._wanted, self._least, self._most = FIRST_WINDOW, FIRST_WINDOW, WINDOW
        self.search = RecordSearch(self.read, size, id_size)
        self.doubted = 0
        """Records whose lengths were doubted."""
        self.segments = Segments()
        self.problems = ProblemList()
        self.counts = dict.fromkeys((*NAMES.values(), "unknown_records"), 0)
        self.is_truncated = False
        self.dumps = 0
        self._is_open = False
        """True if segments of a dump follow."""

    def walk(self) -> Iterator[Record]:
        """Yields all records except heap records, which are added to `segments`."""
        offset, size, names, counts = HEADER_SIZE, self.size, NAMES, self.counts
        unpack, head, fits = RECORD.unpack_from, RECORD.size, self.search.fits
        base, window, last, text = 0, b"", -head, head + self.search.least_text
        is_right = False
        while offset < size:
            if not 0 <= offset - base <= last:
                if not self._has_head(offset):
                    self._take_last(offset)
                    break
                base, window = self._base, self._window
                last = len(window) - head
            tag, micros, length = unpack(window, offset - base)
            end = offset + head + length
            if tag in HEAP_TAGS:
                end = self._end_of_heap(offset, end)
                self._take_heap(tag, offset, end)
                self._wanted = FIRST_WINDOW
                offset, is_right = end, False
                continue
            was_right, is_right = is_right, fits(window, end - base, size - base)
            if not (is_right and was_right) or (tag == TEXT and window.find(0, offset - base + text, end - base) >= 0):
                checked = self.checked_end(offset)
                end, is_right = checked, is_right and checked == end
            if tag not in names:
                counts["unknown_records"] += 1
                self.problems.add(offset, *unknown_record(tag), offset, end)
                if end > size:
                    break
            elif end > size:
                self._take_last(offset)
                break
            else:
                counts[names[tag]] += 1
                if tag == HEAP_DUMP_END:
                    self._is_open = False
                yield offset, tag, micros, end
            offset = end
        self._end_of_walk()

    def _take_last(self, offset: int) -> None:
        """Notes a record that ends behind the file."""
        has_head = self.size - offset >= RECORD.size
        self.is_truncated = self.is_truncated or has_head
        what = "the file ends inside a record" if has_head else "the file ends inside the head of a record"
        self.problems.add(offset, "cut", what, "it is left out")

    def _end_of_walk(self) -> None:
        if self._is_open:
            self.problems.add(self.size, "cut", "the file ends inside a heap dump", "what could be read is used")

    def read(self, count: int, offset: int) -> bytes:
        """Reads bytes of the file, from the last window if they are in it."""
        at = offset - self._base
        if at >= 0 and at + count <= len(self._window):
            return self._window[at : at + count]
        return self._read(count, offset)

    def is_believable(self, offset: int) -> bool:
        """Returns True if a record may begin at an offset: one of right length, or one before such a record."""
        for _ in range(2):
            if offset == self.size:
                return True
            header = self.search.header(offset)
            if self.search.has_right_length(header):
                return True
            if header is None or header.end > self.size:
                return False
            offset = header.end
        return False

    def checked_end(self, offset: int) -> int:
        """Returns the end of a record that is no heap record: by its length, unless its contents show another one."""
        search, header = self.search, self.search.header(offset)
        assert header is not None
        tag, _, start, end = header
        is_followed = end == self.size or search.has_right_length(search.header(end))
        is_right = search.is_right(header)
        if is_followed and (is_right or tag not in NAMES):
            return end
        if is_right and (tag != TEXT or self._may_begin(end)):
            return end
        if tag not in NAMES and search.has_none(offset, end):
            return end
        found = self._right_end(header, is_followed) if self._may_repair() else end
        if found != end and tag in NAMES:
            self.problems.add(offset, *wrong_length(tag, end - start, found - start))
        return found

    def _right_end(self, header: RecordHead, is_followed: bool) -> int:
        """Returns the end of a record whose length is doubtful; that by its length if there is no better one."""
        search, (tag, _, start, end) = self.search, header
        by_contents = search.end_by_contents(tag, start)
        if by_contents == end or (by_contents is not None and search.is_sure(by_contents)):
            return by_contents
        if is_followed and tag != TEXT:
            return end
        is_known = tag in NAMES
        found = search.next_record(start if is_known else start - RECORD.size)
        if found < min(end, self.size):
            return found
        is_short = is_known and not is_followed and found < self.size
        return found if is_short and (tag != TEXT or search.is_text(start, found)) else end

    def _may_begin(self, offset: int) -> bool:
        """Returns True if a record, perhaps one with a wrong length, may begin at an offset."""
        return self.search.is_known(offset) or self.is_believable(offset)

    def _may_repair(self) -> bool:
        """Counts a doubtful length. Returns False if there were too many."""
        self.doubted += 1
        return self.doubted <= MOST_DOUBTED

    def record_inside(self, at: int, start: int, end: int) -> int | None:
        """Returns the offset of a record inside a heap record; None if there is none.

        at          the sub-record that can't be read
        start, end  of all sub-records; the end is not doubted if another record begins there
        """
        if self._tag_at(at) in BEGINS_AGAIN and self.is_believable(at):
            return at
        if (end < self.size and self.is_believable(end)) or not self._may_repair():
            return None
        found = self.search.next_record(max(start, at - MISREAD))
        return found if found < end else None

    def _take_heap(self, tag: int, offset: int, end: int) -> None:
        self.counts[NAMES[tag]] += 1
        if tag == HEAP_DUMP or not self._is_open:
            self.dumps += 1
        self._is_open = tag == HEAP_DUMP_SEGMENT
        self.segments.add(offset, end, self.dumps - 1)

    def _end_of_heap(self, offset: int, end: int) -> int:
        """Returns the end of a heap record; `end` is the end by its length."""
        size, start = self.size, offset + RECORD.size
        found = end
        if end > size:
            self.problems.add(offset, *missing(end - size))
            found = size
        elif self.is_believable(end):
            pass
        elif end == start:
            self.problems.add(offset, *NO_LENGTH)
            found = size
        elif not self._may_begin(end):
            found = self._unwrapped(offset, end)
        repaired = self.find_end(start, found) if self.find_end is not None and start < found else None
        return self._ended(offset, found, repaired)

    def _ended(self, offset: int, end: int, inside: int | None) -> int:
        """Returns the end of a heap record: a record inside of it, if there is one."""
        if inside is None:
            return end
        self.problems.add(inside, *INSIDE, offset, inside)
        return inside

    def end_inside(self, offset: int, at: int, end: int) -> int:
        """Returns the end of a heap record whose sub-record at `at` can't be read."""
        return self._ended(offset, end, self.record_inside(at, offset + RECORD.size, end))

    def _unwrapped(self, offset: int, end: int) -> int:
        """The first believable end with 4 GiB added so many times; else the end of the file."""
        wraps = self.wraps_behind(end)
        if not wraps:
            self.problems.add(offset, *NO_NEXT)
            return self.size
        self.problems.add(offset, *wrapped(wraps))
        return end + wraps * WRAP

    def wraps_behind(self, end: int) -> int:
        """How often 4 GiB must be added to an end until a record may begin there; 0 if none does."""
        most = min(MOST_WRAPS - 1, (self.size - end) // WRAP)
        return next((wraps for wraps in range(1, most + 1) if self.is_believable(end + wraps * WRAP)), 0)

    def _has_head(self, offset: int) -> bool:
        """Returns True if the file has the head of the record at an offset, which is read then."""
        if self.size - offset < RECORD.size:
            return False
        if not 0 <= offset - self._base <= len(self._window) - RECORD.size:
            self._show(offset)
        return True

    def _show(self, offset: int) -> None:
        """Reads from an offset on: more each time, as long as these are near each other."""
        is_near = 0 <= offset - self._base <= len(self._window) + FIRST_WINDOW
        self._wanted = min(self._wanted * 4, self._most) if is_near else self._least
        self._base = offset
        self._window = self._read(min(self._wanted, self.size - offset), offset)

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
