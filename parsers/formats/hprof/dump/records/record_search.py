"""Finds records by their contents, where a length is wrong.

Most lengths can be verified: a tag has a fixed length, or the number of rows is in the body; a text has no zero byte; a
heap record begins with a sub-record. So a few records in a row that are all right are no coincidence.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import NamedTuple

from parsers.formats.hprof.agent_binary.records import NAMES, RECORD, TEXT, Read, body_shapes
from parsers.formats.hprof.dump.records.tags import CLASS_DUMP, HEAP_TAGS, SUB_RECORDS

MOST_TEXT = 1 << 16
"""Maximum bytes of a text with its id: JVMs write no longer ones."""
CHAIN = 3
"""Number of right records in a row, or up to the end of the file, with which a search ends."""
CLOCK = 1000
"""Times of records are multiples of this number of microseconds: of milliseconds, or 0."""
WINDOW = 1 << 20
"""Bytes that are searched at a time."""
MOST_TESTED = 100_000
"""Maximum places of a file that are tested. Damage needs few; random bytes have one in about a thousand."""


class RecordHead(NamedTuple):
    """Head of a record, with the limits of its body."""

    tag: int
    micros: int
    start: int
    end: int


class RecordSearch:
    """Search in a file."""

    def __init__(self, read: Read, size: int, id_size: int) -> None:
        self._read_file = read
        self._size = size
        self._id_size = id_size
        self._shapes = body_shapes(id_size)
        self.least_text = self._shapes[TEXT].least
        self._fixed = {tag: shape.least for tag, shape in self._shapes.items() if not shape.row}
        self._base, self._window = 0, b""
        self._tested = 0
        self.begun, self.found = 0, -1
        """Begin and result of the last search: one that begins between them has the same result."""

    def fits(self, window: bytes, at: int, left: int) -> bool:
        """Returns True if bytes of the file show that the length of the record at `at` is right: a quick test.

        left    bytes of the file from the beginning of the window on
        """
        if at + RECORD.size > len(window):
            return False
        tag, micros, length = RECORD.unpack_from(window, at)
        is_right: bool
        if tag == TEXT:
            is_right = self.least_text <= length <= MOST_TEXT
        elif tag in self._fixed:
            is_right = length == self._fixed[tag] and (length > 0 or not micros % CLOCK)
        elif tag in self._shapes:
            least, row, count_at = self._shapes[tag]
            count_at += at + RECORD.size
            rows = int.from_bytes(window[count_at : count_at + 4], "big")
            is_right = length == least + row * rows and count_at + 4 <= len(window)
        else:
            return False
        return is_right and at + RECORD.size + length <= left

    def header(self, offset: int) -> RecordHead | None:
        """Returns the head of the record at an offset; None if the file ends inside of it."""
        start = offset + RECORD.size
        if start > self._size:
            return None
        tag, micros, length = RECORD.unpack(self._read(RECORD.size, offset))
        return RecordHead(tag, micros, start, start + length)

    def is_known(self, offset: int) -> bool:
        """Returns True if tag and time at an offset are those of a record, whatever its length is."""
        header = self.header(offset)
        if header is None:
            return offset < self._size and self._read(1, offset)[0] in NAMES
        return header.tag in NAMES and not header.micros % CLOCK

    def end_by_contents(self, tag: int, start: int) -> int | None:
        """Returns the end of a body by its tag and its number of rows; None for texts, heap records, unknown tags."""
        shape = self._shapes.get(tag)
        if shape is None or tag == TEXT or start + shape.least > self._size:
            return None
        rows = int.from_bytes(self._read(4, start + shape.count_at), "big") if shape.row else 0
        return start + shape.least + rows * shape.row

    def has_right_length(self, header: RecordHead | None) -> bool:
        """Returns True if the length of a record is right for its tag, and its time without a body. No text is read."""
        if header is None or header.end > self._size:
            return False
        tag, micros, start, end = header
        if end == start and micros % CLOCK:
            return False
        if tag == TEXT:
            return self.least_text <= end - start <= MOST_TEXT
        if tag in HEAP_TAGS:
            return end == start or self._is_sub_record(start)
        return end == self.end_by_contents(tag, start)

    def is_right(self, header: RecordHead) -> bool:
        """Returns True if the length of a record is right for its tag and its contents."""
        return self.has_right_length(header) and (header.tag != TEXT or self.is_text(header.start, header.end))

    def is_text(self, start: int, end: int) -> bool:
        """Returns True if a body is that of a text."""
        start += self.least_text
        return 0 <= end - start <= MOST_TEXT and 0 not in self._read(end - start, start)

    def next_record(self, start: int) -> int:
        """Returns the offset of the first sure record from an offset on; the end of the file if there is none."""
        if not self.begun <= start <= self.found:
            self.begun, self.found = start, self._search(start)
        return self.found

    def has_none(self, start: int, end: int) -> bool:
        """Returns True if it is known from the last search that no sure record begins in a range."""
        return self.begun <= start and end <= self.found

    def is_sure(self, offset: int) -> bool:
        """Returns True if several right records in a row begin at an offset."""
        for _ in range(CHAIN):
            header = self.header(offset)
            if header is None or header.tag not in NAMES or header.micros % CLOCK:
                return offset == self._size
            if header.tag in HEAP_TAGS and self._is_sub_record(header.start):
                return self._is_heap(header)
            if not self.is_right(header):
                return False
            offset = header.end
        return True

    def _is_heap(self, header: RecordHead) -> bool:
        """Returns True if a record follows a heap record, or if a class begins it: this has two ids that are 0."""
        if header.end == self._size or self.has_right_length(self.header(header.end)):
            return True
        unused = header.start + 5 + 5 * self._id_size
        is_class = unused + 2 * self._id_size <= self._size and self._read(1, header.start)[0] == CLASS_DUMP
        return is_class and not any(self._read(2 * self._id_size, unused))

    def _search(self, start: int) -> int:
        for base in range(start, self._size, WINDOW):
            self._base, self._window = base, self._read_file(min(2 * WINDOW, self._size - base), base)
            for match in self._candidates.finditer(self._window):
                at = match.start()
                if at >= WINDOW:
                    break
                self._tested += 1
                if self._tested > MOST_TESTED:
                    return self._size
                is_heap = self._window[at] in HEAP_TAGS
                if (is_heap or self.fits(self._window, at, self._size - base)) and self.is_sure(base + at):
                    return base + at
        return self._size

    @cached_property
    def _candidates(self) -> re.Pattern[bytes]:
        """Expression for tags that a length follows which may be right."""
        after = {tag: b".{4}" + re.escape(length.to_bytes(4, "big")) for tag, length in self._fixed.items()}
        for tag, (least, row, _) in self._shapes.items():
            if row:
                after[tag] = rb".{4}\0(?:\0\0[%b-\xff]|\0[^\0]|[^\0])" % re.escape(bytes((least,)))
        after |= dict.fromkeys(HEAP_TAGS, b".{8}[" + re.escape(bytes(sorted(SUB_RECORDS))) + b"]")
        return re.compile(b"|".join(re.escape(bytes((tag,))) + b"(?=%b)" % after[tag] for tag in after), re.DOTALL)

    def _is_sub_record(self, offset: int) -> bool:
        """Returns True if the tag at an offset is that of a sub-record."""
        return offset < self._size and self._read(1, offset)[0] in SUB_RECORDS

    def _read(self, count: int, offset: int) -> bytes:
        """Reads bytes of the file, from the window if they are in it."""
        at = offset - self._base
        if at >= 0 and at + count <= len(self._window):
            return self._window[at : at + count]
        return self._read_file(count, offset)
