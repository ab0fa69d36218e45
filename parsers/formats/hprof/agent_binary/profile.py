"""Tables of a binary file besides its heaps: names, classes, threads, traces, samples, allocation sites.

The records fill the same tables as text does, so that all views are the same. Heap records are only counted; the walk
over the records keeps their places.

Source: `hprof_b_spec.h` and `hprof_io.c` of JDK 8; checked on recorded output. All numbers are big-endian.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping

from parsers.formats.hprof.agent_binary.records import HEADER_SIZE, NAMES, RECORD, Read, created_ms, date_of, version_of
from parsers.formats.hprof.columns import CPU_SAMPLES, CUT, NOWHERE, SITES_KIND
from parsers.formats.hprof.dump.read.records import DumpRecords
from parsers.formats.hprof.dump.read.tags import PRIMITIVES
from parsers.formats.hprof.tables import ProfileTables
from parsers.heapdump.graph.columns import HAS_END, NONE
from parsers.model.java_method import class_name, decode

SPECIAL_LINES = {-1: b"Unknown line", -2: b"Compiled method", -3: b"Native method"}
UNKNOWN_FRAME = b"?.?(<Unknown Source>)"
SERIAL, TRACE_HEAD = struct.Struct(">I").unpack_from, struct.Struct(">III").unpack_from
SUMMARY = struct.Struct(">IIQQ").unpack_from
SAMPLE = struct.Struct(">II")
"""Samples, serial of the trace."""
SITES_HEAD, SITE = struct.Struct(">HIIIQQI"), struct.Struct(">BIIIIII")
"""Numbers before the rows: flags, cutoff, live bytes, … A row: type, 0 for instances; serials of class and trace;
live bytes and objects, allocated bytes and objects.
"""
SORTED_BY_ALLOCATION = 2
CLASS_OF_CLASSES = b"java.lang.Class"
WRAP = 1 << 32
"""Modulus of record times: 71.6 minutes."""
LATE = 10_000_000
"""Most microseconds that a record may be older than its predecessors, as threads write them; else time has wrapped."""
MOST_BODY = 64 << 20
"""Most bytes of a record that is read; longer ones than any agent writes are skipped."""
ReadBody = Callable[[bytes, int, int], None]
"""Reader of the body of a record, with its offset and its time."""
NOT_READ: tuple[int, ReadBody | None] = 0, None


class BinaryProfile:
    """Reads the records found by a `DumpRecords` into tables."""

    def __init__(self, tables: ProfileTables, records: DumpRecords) -> None:
        self.tables = tables
        self.walked = records
        self.version = b""
        self.created_ms = 0
        self.counts = dict.fromkeys((*NAMES.values(), "unknown_records", "damaged_records", "truncated"), 0)
        self.serials: set[int] = set()
        """Serials of threads that were started."""
        self.names: dict[int, bytes] = {}
        """Texts by id."""
        self.loaded: dict[int, int] = {}
        """Name id by id of a class object."""
        self._id_size = 4
        self._serials: dict[int, int] = {}
        """Class id by serial."""
        self._site_sizes: dict[int, int] = {}
        """Bytes of one instance by serial of a class: the minimum of its allocation sites."""
        self._classes: dict[int, bytes] = {}
        self._frames: dict[int, bytes] = {}
        self._threads: dict[int, int] = {}
        self._tops: dict[int, bytes] = {}
        """Method of the first frame of each trace."""
        self._last_kind = self._snapshot = self._dated = self._date = -1
        self._micros = self._clock = 0
        """The time of the last record as written, and the latest time of all records so far with wraps added."""

    def read(self, read: Read, size: int) -> None:
        """Reads a file of that size to its end."""
        header = read(min(HEADER_SIZE, size), 0)
        self.version = version_of(header)
        if len(header) < HEADER_SIZE:
            self._cut(0)
            return
        self._id_size, self.created_ms = int.from_bytes(header[19:23], "big"), created_ms(header)
        if self._id_size not in (4, 8):
            self._cut(19)
            return
        readers, head = self._readers(), RECORD.size
        for offset, tag, micros, end in self.walked.walk():
            micros = self._clock if micros == self._micros else self._since_start(micros)
            least, reader = readers.get(tag, NOT_READ)
            length = end - offset - head
            if reader is None or length > MOST_BODY:
                continue
            if length < least:
                self._damaged(offset)
            else:
                reader(read(length, offset + head), offset, micros)
        self.counts |= self.walked.counts
        self._add_class_of_classes()
        self.tables.end()

    def _readers(self) -> Mapping[int, tuple[int, ReadBody | None]]:
        """Returns by tag the fewest bytes of a body, and its reader."""
        self._id = struct.Struct(">I" if self._id_size == 4 else ">Q").unpack_from
        size = self._id_size
        return {
            0x01: (size, self._name),
            0x02: (8 + 2 * size, self._class),
            0x04: (8 + 4 * size, self._frame),
            0x05: (12, self._trace),
            0x06: (SITES_HEAD.size, self._sites),
            0x07: (24, self._summary),
            0x0A: (8 + 3 * size, self._start_thread),
            0x0B: (4, self._end_thread),
            0x0D: (8, self._samples),
        }

    def _add_class_of_classes(self) -> None:
        """Adds java.lang.Class if no record does, under an unused id.

        Class objects are its instances, so they have a row of their own even in a dump that lacks it.
        """
        of_classes = {name for name, text in self.names.items() if text in (b"java/lang/Class", CLASS_OF_CLASSES)}
        if of_classes.isdisjoint(self.loaded.values()):
            largest = (1 << 8 * self._id_size) - 1
            id = next(id for id in range(largest, 0, -1) if id not in self.loaded)
            name = next(name for name in range(largest, 0, -1) if name not in self.names)
            self.loaded[id], self.names[name] = name, CLASS_OF_CLASSES

    def _cut(self, offset: int) -> None:
        self.counts["truncated"] = 1
        self.tables.find(CUT, offset)

    def _damaged(self, offset: int) -> None:
        """Notes a record that is too short for its contents."""
        self.counts["damaged_records"] += 1
        self.tables.find(CUT, offset)

    def _name(self, body: bytes, offset: int, micros: int) -> None:
        self.names[self._id(body)[0]] = body[self._id_size :]

    def _class(self, body: bytes, offset: int, micros: int) -> None:
        (serial,), (id,), (name,) = SERIAL(body), self._id(body, 4), self._id(body, 8 + self._id_size)
        self.loaded[id], self._serials[serial] = name, id
        self._classes[serial] = java_name(self.names.get(name, b"?"))

    def _ids(self, body: bytes, at: int, count: int) -> tuple[int, ...]:
        """Returns some ids of the file's size."""
        return struct.unpack_from(f">{count}{'I' if self._id_size == 4 else 'Q'}", body, at)

    # -- threads, frames, traces --------------------------------------------------------------------------------------

    def _start_thread(self, body: bytes, offset: int, micros: int) -> None:
        (serial,), (object,) = SERIAL(body), self._id(body, 4)
        name, group = self._ids(body, 8 + self._id_size, 2)
        self.serials.add(serial)
        number = self.tables.number
        texts = (number("word", self.names.get(each, b"?")) for each in (name, group))
        self._threads[serial] = self.tables.add("thread", offset, NOWHERE, object, serial, *texts, 0)

    def _end_thread(self, body: bytes, offset: int, micros: int) -> None:
        (serial,) = SERIAL(body)
        row = self._threads.pop(serial, None)
        if row is None:
            self.tables.add("thread", NOWHERE, offset, NOWHERE, serial, NONE, NONE, 0)
        else:
            self.tables.set("thread_end", row, offset)

    def _frame(self, body: bytes, offset: int, micros: int) -> None:
        id, method, _, source = self._ids(body, 0, 4)
        serial, line = struct.unpack_from(">Ii", body, 4 * self._id_size)
        holder = self._classes.get(serial, b"class@0x%x" % serial)
        place = self.names.get(source, b"<Unknown Source>") if source else b"<Unknown Source>"
        if line:
            place += b":" + (b"%d" % line if line > 0 else SPECIAL_LINES.get(line, b"Unknown line"))
        self._frames[id] = holder + b"." + self.names.get(method, b"?") + b"(" + place + b")"

    def _trace(self, body: bytes, offset: int, micros: int) -> None:
        serial, thread, count = TRACE_HEAD(body)
        fitting = (len(body) - 12) // self._id_size
        if count > fitting:
            self._damaged(offset)
            count = fitting
        frames = [self._frames.get(id, UNKNOWN_FRAME) for id in self._ids(body, 12, count)] if count else []
        self.tables.add_whole_trace(offset, serial, thread or NONE, frames)
        if frames:
            self._tops[serial] = frames[0].partition(b"(")[0]

    # -- tables -------------------------------------------------------------------------------------------------------

    def _begin_section(
        self, kind: int, offset: int, total: int, printed: str, micros: int, end: int, rows: int
    ) -> None:
        # Sites precede samples in a dump, so a section out of this order begins another dump.
        order = (SITES_KIND, CPU_SAMPLES).index(kind)
        if order <= self._last_kind or self._snapshot < 0:
            self._snapshot += 1
        self._last_kind = order
        first, number = self.tables.length("site" if kind == SITES_KIND else "rank"), self.tables.texts["word"].number
        word, millis = number(printed.encode()), self.created_ms + micros // 1000
        if self._dated != millis:
            self._dated, self._date = millis, number(date_of(millis).encode())
        section = offset, end, total, first, rows, 0, 0, word, self._date, self._snapshot, kind, HAS_END
        self.tables.add_rows("section", (section,))

    def _samples(self, body: bytes, offset: int, micros: int) -> None:
        (total,), start = SERIAL(body), offset + RECORD.size
        rows = (len(body) - 8) // 8
        self._begin_section(CPU_SAMPLES, offset, total, f"total = {total}", micros, start + len(body), rows)
        trace, number, found, accum = self.tables.trace, self.tables.texts["method"].number, [], 0
        for row, (count, serial) in enumerate(SAMPLE.iter_unpack(body[8 : 8 + 8 * rows]), 1):
            accum += count
            name = number(self._tops.get(serial, b"<empty trace>"))
            part, parts = share(count, total), share(accum, total)
            found.append((start + 8 * row, count, part, parts, trace(serial), name, row, 0))
        self.tables.add_rows("rank", found)

    def _sites(self, body: bytes, offset: int, micros: int) -> None:
        (flags, _, live, *_), start = SITES_HEAD.unpack_from(body), offset + RECORD.size
        rows, first = (len(body) - SITES_HEAD.size) // SITE.size, SITES_HEAD.size
        order = "allocated" if flags & SORTED_BY_ALLOCATION else "live"
        self._begin_section(SITES_KIND, offset, live, f"ordered by {order} bytes", micros, start + len(body), rows)
        number, found, accum = self.tables.texts["word"].number, [], 0
        for row, site in enumerate(SITE.iter_unpack(body[first : first + SITE.size * rows])):
            type, serial, trace, live_bytes, live_objects, *allocated = site
            if not type:
                self._measure(serial, live_bytes, live_objects)
                self._measure(serial, *allocated)
            accum += live_bytes
            found.append(
                (
                    start + first + SITE.size * row,
                    live_bytes,
                    live_objects,
                    *allocated,
                    share(live_bytes, live),
                    share(accum, live),
                    self.tables.trace(trace),
                    number(self._site_class(type, serial)),
                    row + 1,
                    0,
                )
            )
        self.tables.add_rows("site", found)

    def _measure(self, serial: int, bytes: int, objects: int) -> None:
        # Class objects are counted for their own class, as one larger object, so a site with one object proves nothing.
        if objects > 1 and not bytes % objects:
            size = bytes // objects
            self._site_sizes[serial] = min(size, self._site_sizes.get(serial, size))

    def _summary(self, body: bytes, offset: int, micros: int) -> None:
        self.tables.add_rows("summary", ((offset, micros, *SUMMARY(body)),))

    def _since_start(self, micros: int) -> int:
        """Returns the time of a record with wraps added; for a late one, that of its predecessors."""
        self._micros = micros
        ahead = (micros - self._clock) % WRAP
        self._clock += ahead if ahead < WRAP - LATE else 0
        return self._clock

    def _site_class(self, type: int, serial: int) -> bytes:
        """Returns the class of a site; the type of primitive arrays is a separate number."""
        name = self._classes.get(serial, b"class@0x%x" % serial)
        if type in PRIMITIVES and not name.endswith(b"[]"):
            return f"{PRIMITIVES[type]}[]".encode()
        return name

    # -- the whole -----------------------------------------------------------------------------------------------------

    def site_sizes(self) -> dict[int, int]:
        """Returns the bytes of one instance by class id, for classes in allocation sites."""
        return {self._serials[serial]: size for serial, size in self._site_sizes.items() if serial in self._serials}

    def class_text(self, id: int) -> bytes:
        """Returns a class in the form of columns: its name in Java notation, and its id."""
        raw = self.names.get(self.loaded[id]) if id in self.loaded else None
        return b"class@0x%x@%x" % (id, id) if raw is None else b"%b@%x" % (java_name(raw), id)

    @property
    def findings(self) -> list[int]:
        """Offsets of damaged records."""
        columns = self.tables.columns
        kinds, offsets = columns["finding_kind"], columns["finding_offset"]
        return [offset for kind, offset in zip(kinds, offsets, strict=True) if kind == CUT]


def share(part: int, whole: int) -> int:
    """Returns a share in 1/100 %."""
    return round(10_000 * part / whole) if whole else 0


def java_name(raw: bytes) -> bytes:
    """Returns a class name in Java notation, from that of a record."""
    return class_name(decode(raw)).encode("utf-8", "surrogatepass")
