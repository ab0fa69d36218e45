"""Reads what the agent writes with `format=b` besides heap dumps: samples, allocation sites, traces, threads.

The records fill the same tables as text does, so that all views are the same. Heap dumps are counted and skipped.

Source: `hprof_b_spec.h` and `hprof_io.c` of JDK 8; checked on recorded output. All numbers are big-endian.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

from parsers.formats.hprof.agent_binary.records import HEADER_SIZE, NAMES, RECORD, Read, created_ms, date_of, version_of
from parsers.formats.hprof.columns import CPU_SAMPLES, CUT, NOWHERE, SITES_KIND, UNKNOWN_RECORD
from parsers.formats.hprof.tables import ProfileTables
from parsers.heapdump.graph.columns import HAS_END, NONE
from parsers.model.java_method import class_name, decode

HEAP_TAGS = (0x0C, 0x1C)
PASSED_BY = (0x03, 0x0C, 0x0E, 0x1C, 0x2C)
ARRAY_TYPES = {4: "boolean", 5: "char", 6: "float", 7: "double", 8: "byte", 9: "short", 10: "int", 11: "long"}
SPECIAL_LINES = {-1: b"Unknown line", -2: b"Compiled method", -3: b"Native method"}
SORTED_BY_ALLOCATION = 2
WRAP = 1 << 32
"""Modulus of record times: 71.6 minutes."""
LATE = 10_000_000
"""Most microseconds that a record may be older than its predecessors, as threads write them; else time has wrapped."""
MOST_BODY = 64 << 20
"""Most bytes of a record that is read; longer ones than any agent writes are skipped."""
BLOCK = 1 << 20


class BinaryProfile:
    """Reads one file into tables."""

    def __init__(self, tables: ProfileTables) -> None:
        self.tables = tables
        self.version = b""
        self.created_ms = 0
        self.counts = dict.fromkeys((*NAMES.values(), "unknown_records", "damaged_records", "truncated"), 0)
        self.serials: set[int] = set()
        """Serials of threads that were started."""
        self.depth = 0
        """Most frames of a trace, from CONTROL_SETTINGS."""
        self._id_size = 4
        self._names: dict[int, bytes] = {}
        self._classes: dict[int, bytes] = {}
        self._frames: dict[int, bytes] = {}
        self._threads: dict[int, int] = {}
        self._tops: dict[int, bytes] = {}
        """Method of the first frame of each trace."""
        self._last_kind = self._snapshot = -1
        self._micros = self._clock = 0
        """The time of the last record as written, and the latest time of all records so far with wraps added."""

    def read(self, read: Read, size: int, is_head: bool = False) -> None:
        """Reads a file of that size to its end.

        is_head  True if more follows, so that a record may be incomplete
        """
        header = read(min(HEADER_SIZE, size), 0)
        self.version = version_of(header)
        if len(header) < HEADER_SIZE:
            self._cut(0)
            return
        self._id_size, self.created_ms = int.from_bytes(header[19:23], "big"), created_ms(header)
        if self._id_size not in (4, 8):
            self._cut(19)
            return
        for offset, tag, micros, length in self._records(read, size, is_head):
            self._take(read, offset, tag, micros, length)
        self.tables.end()

    def _records(self, read: Read, size: int, is_head: bool) -> Iterator[tuple[int, int, int, int]]:
        """Yields offset, tag, time and length of each record."""
        offset, window, base = HEADER_SIZE, b"", HEADER_SIZE
        while offset < size:
            if size - offset < RECORD.size:
                if not is_head:
                    self.tables.find(CUT, offset)
                return
            if not 0 <= offset - base <= len(window) - RECORD.size:
                base, window = offset, read(min(BLOCK, size - offset), offset)
            tag, micros, length = RECORD.unpack_from(window, offset - base)
            end = offset + RECORD.size + length
            if tag not in NAMES:
                self.counts["unknown_records"] += 1
                self.tables.find(UNKNOWN_RECORD, offset, tag)
                if end > size:
                    return
            elif end > size:
                if not is_head:
                    self.counts[NAMES[tag]] += tag in HEAP_TAGS
                    self._cut(offset)
                return
            else:
                self.counts[NAMES[tag]] += 1
                yield offset, tag, micros, length
            offset = end

    def _cut(self, offset: int) -> None:
        self.counts["truncated"] = 1
        self.tables.find(CUT, offset)

    def _take(self, read: Read, offset: int, tag: int, micros: int, length: int) -> None:
        """Reads one complete record."""
        if micros != self._micros:
            self._micros, micros = micros, self._since_start(micros)
        else:
            micros = self._clock
        if tag in PASSED_BY or length > MOST_BODY:
            return
        body = read(length, offset + RECORD.size)
        try:
            self._take_body(tag, body, offset, micros)
        except struct.error:
            self.counts["damaged_records"] += 1
            self.tables.find(CUT, offset)

    def _take_body(self, tag: int, body: bytes, offset: int, micros: int) -> None:
        if tag == 0x01:
            (id,) = self._ids(body, 0, 1)
            self._names[id] = body[self._id_size :]
        elif tag == 0x02:
            (serial,) = struct.unpack_from(">I", body)
            _, name = self._ids(body, 4, 1)[0], self._ids(body, 8 + self._id_size, 1)[0]
            self._classes[serial] = class_name(decode(self._names.get(name, b"?"))).encode("utf-8", "surrogatepass")
        elif tag == 0x04:
            self._frame(body)
        elif tag == 0x05:
            self._trace(body, offset)
        elif tag == 0x06:
            self._sites(body, offset, micros)
        elif tag == 0x07:
            self._summary(body, offset, micros)
        elif tag == 0x0A:
            self._start_thread(body, offset)
        elif tag == 0x0B:
            self._end_thread(body, offset)
        elif tag == 0x0D:
            self._samples(body, offset, micros)

    def _ids(self, body: bytes, at: int, count: int) -> tuple[int, ...]:
        """Returns some ids of the file's size."""
        return struct.unpack_from(f">{count}{'I' if self._id_size == 4 else 'Q'}", body, at)

    # -- threads, frames, traces --------------------------------------------------------------------------------------

    def _start_thread(self, body: bytes, offset: int) -> None:
        (serial,) = struct.unpack_from(">I", body)
        (object,) = self._ids(body, 4, 1)
        name, group = self._ids(body, 8 + self._id_size, 2)
        self.serials.add(serial)
        number = self.tables.number
        texts = (number("word", self._names.get(each, b"?")) for each in (name, group))
        self._threads[serial] = self.tables.add("thread", offset, NOWHERE, object, serial, *texts, 0)

    def _end_thread(self, body: bytes, offset: int) -> None:
        (serial,) = struct.unpack_from(">I", body)
        row = self._threads.pop(serial, None)
        if row is None:
            self.tables.add("thread", NOWHERE, offset, NOWHERE, serial, NONE, NONE, 0)
        else:
            self.tables.set("thread_end", row, offset)

    def _frame(self, body: bytes) -> None:
        id, method, _, source = self._ids(body, 0, 4)
        serial, line = struct.unpack_from(">Ii", body, 4 * self._id_size)
        holder = self._classes.get(serial, b"class@0x%x" % serial)
        place = self._names.get(source, b"<Unknown Source>") if source else b"<Unknown Source>"
        if line:
            place += b":" + (b"%d" % line if line > 0 else SPECIAL_LINES.get(line, b"Unknown line"))
        self._frames[id] = holder + b"." + self._names.get(method, b"?") + b"(" + place + b")"

    def _trace(self, body: bytes, offset: int) -> None:
        serial, thread, count = struct.unpack_from(">III", body)
        fitting = (len(body) - 12) // self._id_size
        frames = self._ids(body, 12, min(count, fitting))
        if count > fitting:
            self.counts["damaged_records"] += 1
            self.tables.find(CUT, offset)
        self.tables.add_trace(offset, serial, thread or NONE, 0)
        for frame in frames:
            self.tables.add_frame(self._frames.get(frame, b"?.?(<Unknown Source>)"))
        if frames:
            self._tops[serial] = self._frames.get(frames[0], b"?.?(").partition(b"(")[0]

    # -- tables -------------------------------------------------------------------------------------------------------

    def _begin_section(
        self, kind: int, offset: int, total: int, printed: str, micros: int, end: int, rows: int
    ) -> None:
        # Sites precede samples in a dump, so a section out of this order begins another dump.
        order = (SITES_KIND, CPU_SAMPLES).index(kind)
        if order <= self._last_kind or self._snapshot < 0:
            self._snapshot += 1
        self._last_kind = order
        date = date_of(self.created_ms + micros // 1000)
        tables = self.tables
        first = tables.length("site" if kind == SITES_KIND else "rank")
        words = (tables.number("word", text.encode()) for text in (printed, date))
        tables.add("section", offset, end, total, first, rows, 0, 0, *words, self._snapshot, kind, HAS_END)

    def _samples(self, body: bytes, offset: int, micros: int) -> None:
        total, _ = struct.unpack_from(">II", body)
        rows = (len(body) - 8) // 8
        end = offset + RECORD.size + len(body)
        self._begin_section(CPU_SAMPLES, offset, total, f"total = {total}", micros, end, rows)
        tables, accum = self.tables, 0
        for row in range(rows):
            count, serial = struct.unpack_from(">II", body, 8 + 8 * row)
            accum += count
            tables.add(
                "rank",
                offset + RECORD.size + 8 + 8 * row,
                count,
                share(count, total),
                share(accum, total),
                tables.trace(serial),
                tables.number("method", self._tops.get(serial, b"<empty trace>")),
                row + 1,
                0,
            )

    def _sites(self, body: bytes, offset: int, micros: int) -> None:
        flags, _, live, _, _, _, _ = struct.unpack_from(">HIIIQQI", body)
        rows = (len(body) - 34) // 25
        order = "allocated" if flags & SORTED_BY_ALLOCATION else "live"
        end = offset + RECORD.size + len(body)
        self._begin_section(SITES_KIND, offset, live, f"ordered by {order} bytes", micros, end, rows)
        tables, accum = self.tables, 0
        for row in range(rows):
            at = 34 + 25 * row
            type, serial, trace, *numbers = struct.unpack_from(">BIIIIII", body, at)
            live_bytes, live_objects, allocated_bytes, allocated_objects = numbers
            accum += live_bytes
            tables.add(
                "site",
                offset + RECORD.size + at,
                live_bytes,
                live_objects,
                allocated_bytes,
                allocated_objects,
                share(live_bytes, live),
                share(accum, live),
                tables.trace(trace),
                tables.number("word", self._site_class(type, serial)),
                row + 1,
                0,
            )

    def _summary(self, body: bytes, offset: int, micros: int) -> None:
        self.tables.add("summary", offset, micros, *struct.unpack_from(">IIQQ", body))

    def _since_start(self, micros: int) -> int:
        """Returns the time of a record with wraps added; for a late one, that of its predecessors."""
        ahead = (micros - self._clock) % WRAP
        self._clock += ahead if ahead < WRAP - LATE else 0
        return self._clock

    def _site_class(self, type: int, serial: int) -> bytes:
        """Returns the class of a site; the type of primitive arrays is a separate number."""
        name = self._classes.get(serial, b"class@0x%x" % serial)
        if type in ARRAY_TYPES and not name.endswith(b"[]"):
            return f"{ARRAY_TYPES[type]}[]".encode()
        return name


def share(part: int, whole: int) -> int:
    """Returns a share in 1/100 %."""
    return round(10_000 * part / whole) if whole else 0
