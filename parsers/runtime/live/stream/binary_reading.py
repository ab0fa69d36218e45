"""Parser of the records of a binary stream: counts them, and reads the heads of those with information.

Source: `hprof_io.c` of JDK 8. Bodies of any length are skipped, so a heap dump takes no memory. The start
of a record follows from the previous one, and a stream is never damaged except at its end.
"""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Mapping

from parsers.formats.hprof.agent_binary.records import HEADER_SIZE, NAMES, RECORD
from parsers.runtime.live.stream.record import Record

HEAP_SEGMENT = 0x1C
HEADS: Mapping[int, tuple[struct.Struct, tuple[str, ...]]] = {
    0x06: (struct.Struct(">H28xI"), ("flags", "sites")),
    0x07: (struct.Struct(">IIQQ"), ("live_bytes", "live_instances", "allocated_bytes", "allocated_instances")),
    0x0D: (struct.Struct(">II"), ("total", "rows")),
    0x0E: (struct.Struct(">IH"), ("flags", "depth")),
}
"""Layout and fields of the first bytes of a body, by tag, for the bodies that are read."""
DUMPS = {0x0C: "heap_dump", 0x2C: "heap_dump"}
"""Records that complete a heap dump: its only one, or the one after its segments."""
UNKNOWN = "unknown_records"


class BinaryReading:
    """Parser of one stream, fed piece by piece."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        """Complete records by name."""
        self.whole = 0
        """Offset up to which all records and heap dumps are complete."""
        self.options: int | None = None
        self.depth: int | None = None
        self._rest = b""
        """The incomplete header, or head of a record."""
        self._offset = 0
        """Offset of the incomplete record."""
        self._passing = 0
        """Bytes of its body still to be skipped."""
        self._tag = -1
        self._facts: dict[str, int] = {}
        self._end = 0
        self._dump_start: int | None = None
        """Offset of the first segment of an incomplete heap dump."""

    @property
    def is_between(self) -> bool:
        """True if the stream is at the end of a record."""
        return not self._passing and not self._rest and self._offset > 0

    @property
    def half(self) -> str:
        """The name of the incomplete record; empty: none."""
        if self._passing:
            return NAMES.get(self._tag, UNKNOWN)
        if not self._rest or not self._offset:
            return ""
        return NAMES.get(self._rest[0], UNKNOWN)

    def feed(self, data: bytes) -> list[Record]:
        """Returns the completed records with information."""
        found: list[Record] = []
        at = 0
        if self._rest:
            data, self._rest = self._rest + data, b""
        while True:
            if self._passing:
                passed = min(self._passing, len(data) - at)
                self._passing -= passed
                at += passed
                if self._passing:
                    return found
                self._complete(found)
            elif self._offset == 0:
                if len(data) - at < HEADER_SIZE:
                    break
                at += HEADER_SIZE
                self._offset = self.whole = HEADER_SIZE
            else:
                size = self._head_size(data, at)
                if len(data) - at < size:
                    break
                self._begin(data, at)
                at += size
                if not self._passing:
                    self._complete(found)
        self._rest = data[at:]
        return found

    def _head_size(self, data: bytes, at: int) -> int:
        """Bytes of the record needed to parse it."""
        head = HEADS.get(data[at]) if at < len(data) else None
        if head is None or len(data) - at < RECORD.size:
            return RECORD.size
        length: int = RECORD.unpack_from(data, at)[2]
        return RECORD.size + min(head[0].size, length)

    def _begin(self, data: bytes, at: int) -> None:
        self._tag, _, length = RECORD.unpack_from(data, at)
        self._end = self._offset + RECORD.size + length
        head, self._facts = HEADS.get(self._tag), {}
        self._passing = length
        if head is not None:
            layout, names = head
            self._passing = length - min(layout.size, length)
            if length >= layout.size:
                self._facts = dict(zip(names, layout.unpack_from(data, at + RECORD.size), strict=True))

    def _complete(self, found: list[Record]) -> None:
        """Adds the record that is complete now."""
        tag, start, self._offset = self._tag, self._offset, self._end
        self.counts[NAMES.get(tag, UNKNOWN)] += 1
        if tag == HEAP_SEGMENT:
            if self._dump_start is None:
                self._dump_start = start
            return
        self.whole = self._end
        if tag in DUMPS:
            begin = start if self._dump_start is None else self._dump_start
            found.append(Record(DUMPS[tag], begin, self._end, {"bytes": self._end - begin}))
        elif tag in HEADS:
            if tag == 0x0E:
                self.options, self.depth = self._facts.get("flags"), self._facts.get("depth")
            found.append(Record(NAMES[tag], start, self._end, self._facts))
        self._dump_start = None
