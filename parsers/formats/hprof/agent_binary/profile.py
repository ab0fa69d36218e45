"""Tables of a binary file besides its heaps: names, classes, threads, traces, samples, allocation sites.

The records fill the same tables as text does, so that all views are the same. Heap records are only counted; the walk
over the records keeps their places.

Source: `hprof_b_spec.h` and `hprof_io.c` of JDK 8; checked on recorded output. All numbers are big-endian.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, groupby, islice
from operator import itemgetter
from typing import TYPE_CHECKING

import numpy as np

from parsers.formats.hprof.agent_binary.records import HEADER_SIZE, NAMES, RECORD, Read, created_ms, dates_of
from parsers.formats.hprof.data.columns import CPU_SAMPLES, NOWHERE, SITES_KIND
from parsers.formats.hprof.data.tables import ProfileTables
from parsers.formats.hprof.dump.read.problem_list import ProblemList
from parsers.formats.hprof.dump.records.records import Damage, DumpRecords, Record
from parsers.formats.hprof.dump.records.tags import PRIMITIVES
from parsers.heapdump.graph.columns import HAS_END
from parsers.model.names.java_method import class_name, decode
from parsers.model.none import NONE

if TYPE_CHECKING:
    from parsers.model.arrays import I64Array

TOO_SHORT: Damage = "cut", "a record is too short for what it holds", "what fits is used"
SPECIAL_LINES = {-1: b"Unknown line", -2: b"Compiled method", -3: b"Native method"}
UNKNOWN_FRAME = b"?.?(<Unknown Source>)"
SERIAL, TRACE_HEAD = struct.Struct(">I").unpack_from, struct.Struct(">III").unpack_from
SUMMARY = struct.Struct(">IIQQ").unpack_from
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
Bodies = Iterator[tuple[bytes, int, int]]
"""Records of one kind that follow each other: body, offset, time of each."""
NOT_READ: tuple[int, Callable[[Bodies], None] | None] = 0, None
MOST_EXACT = 1 << 39
"""Largest count whose shares floats give exactly."""
TOGETHER, MOST_TOGETHER = 1 << 12, 1 << 20
"""Most records that are read and added together, and most bytes of them that are read at once."""
FEW = 16
"""Times up to which a loop takes less time than arrays."""


class BinaryProfile:
    """Reads the records found by a `DumpRecords` into tables."""

    def __init__(self, tables: ProfileTables, records: DumpRecords) -> None:
        self.tables = tables
        self.walked = records
        self.problems = ProblemList()
        """Records that are too short, or a cut header."""
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
        self._last_kind = self._snapshot = -1
        self._dates: dict[int, int] = {}
        """Numbers of the words of dates, by seconds since 1970."""
        self._clock = 0
        """The latest time of all records so far, with wraps added."""

    def read(self, read: Read, size: int) -> None:
        """Reads a file of that size to its end."""
        header = read(min(HEADER_SIZE, size), 0)
        if len(header) < HEADER_SIZE:
            self._cut(0)
            return
        self._id_size, self.created_ms = int.from_bytes(header[19:23], "big"), created_ms(header)
        if self._id_size not in (4, 8):
            self._cut(19)
            return
        readers = self._readers()
        for tag, run in groupby(self.walked.walk(), itemgetter(1)):
            least, reader = readers.get(tag, NOT_READ)
            if reader is not None:
                reader(self._bodies(run, read, least))
            else:
                while batch := [*islice(run, TOGETHER)]:
                    self._times([micros for _, _, micros, _ in batch])
        self.counts |= self.walked.counts
        self._add_class_of_classes()
        self.tables.end()

    def _bodies(self, run: Iterator[Record], read: Read, least: int) -> Bodies:
        head, most = RECORD.size, MOST_BODY
        while batch := [*islice(run, TOGETHER)]:
            start, stop = batch[0][0], batch[-1][3]
            offsets, _, micros, _ = zip(*batch, strict=True)
            lengths = [end - offset - head for offset, _, _, end in batch]
            if stop - start <= MOST_TOGETHER:
                together = read(stop - start, start)
                bodies: Iterable[bytes] = [together[offset - start + head : end - start] for offset, _, _, end in batch]
            else:
                bodies = (
                    read(length, offset + head) if least <= length <= most else b""
                    for offset, length in zip(offsets, lengths, strict=True)
                )
            records = zip(bodies, offsets, self._times(micros), strict=True)
            if least <= min(lengths) and max(lengths) <= most:
                yield from records
                continue
            for record, length in zip(records, lengths, strict=True):
                if least <= length <= most:
                    yield record
                elif length < least:
                    self._damaged(record[1])

    def _readers(self) -> Mapping[int, tuple[int, Callable[[Bodies], None] | None]]:
        """Returns by tag the fewest bytes of a body, and the reader of such records."""
        self._id = struct.Struct(">I" if self._id_size == 4 else ">Q").unpack_from
        size = self._id_size
        return {
            0x01: (size, self._add_names),
            0x02: (8 + 2 * size, self._add_classes),
            0x04: (8 + 4 * size, self._add_frames),
            0x05: (12, self._add_traces),
            0x06: (SITES_HEAD.size, self._add_sites),
            0x07: (24, self._add_summaries),
            0x0A: (8 + 3 * size, self._start_threads),
            0x0B: (4, self._end_threads),
            0x0D: (8, self._add_samples),
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
        self.problems.add(offset, *TOO_SHORT)

    def _damaged(self, offset: int) -> None:
        """Notes a record that is too short for its contents."""
        self.counts["damaged_records"] += 1
        self.problems.add(offset, *TOO_SHORT)

    def _add_names(self, records: Bodies) -> None:
        names, id, size = self.names, self._id, self._id_size
        for body, _, _ in records:
            names[id(body)[0]] = body[size:]

    def _add_classes(self, records: Bodies) -> None:
        for body, _, _ in records:
            (serial,), (id,), (name,) = SERIAL(body), self._id(body, 4), self._id(body, 8 + self._id_size)
            self.loaded[id], self._serials[serial] = name, id
            self._classes[serial] = java_name(self.names.get(name, b"?"))

    def _ids(self, body: bytes, at: int, count: int) -> tuple[int, ...]:
        """Returns some ids of the file's size."""
        return struct.unpack_from(f">{count}{'I' if self._id_size == 4 else 'Q'}", body, at)

    # -- threads, frames, traces --------------------------------------------------------------------------------------

    def _start_threads(self, records: Bodies) -> None:
        number, word = self.tables.texts["word"].number, self.names.get
        for body, offset, _ in records:
            (serial,), (object,) = SERIAL(body), self._id(body, 4)
            name, group = self._ids(body, 8 + self._id_size, 2)
            self.serials.add(serial)
            texts = number(word(name, b"?")), number(word(group, b"?"))
            self._threads[serial] = self.tables.add("thread", offset, NOWHERE, object, serial, *texts, 0)

    def _end_threads(self, records: Bodies) -> None:
        threads = self._threads
        while batch := [*islice(records, TOGETHER)]:
            unknown = list[tuple[int, ...]]()
            for body, offset, _ in batch:
                (serial,) = SERIAL(body)
                row = threads.pop(serial, None)
                if row is None:
                    unknown.append((NOWHERE, offset, NOWHERE, serial, NONE, NONE, 0))
                else:
                    self.tables.set("thread_end", row, offset)
            self.tables.add_rows("thread", unknown)

    def _add_frames(self, records: Bodies) -> None:
        for body, _, _ in records:
            id, method, _, source = self._ids(body, 0, 4)
            serial, line = struct.unpack_from(">Ii", body, 4 * self._id_size)
            holder = self._classes.get(serial, b"class@0x%x" % serial)
            place = self.names.get(source, b"<Unknown Source>") if source else b"<Unknown Source>"
            if line:
                place += b":" + (b"%d" % line if line > 0 else SPECIAL_LINES.get(line, b"Unknown line"))
            self._frames[id] = holder + b"." + self.names.get(method, b"?") + b"(" + place + b")"

    def _add_traces(self, records: Bodies) -> None:
        frame, size, add, tops = self._frames.get, self._id_size, self.tables.add_whole_trace, self._tops
        for body, offset, _ in records:
            serial, thread, count = TRACE_HEAD(body)
            fitting = (len(body) - 12) // size
            if count > fitting:
                self._damaged(offset)
                count = fitting
            frames = [frame(id, UNKNOWN_FRAME) for id in self._ids(body, 12, count)] if count else []
            add(offset, serial, thread or NONE, frames)
            if frames:
                tops[serial] = frames[0].partition(b"(")[0]

    # -- tables -------------------------------------------------------------------------------------------------------

    def _add_sections(
        self, kind: int, records: Sequence[tuple[bytes, int, int]], totals: list[int], words: list[int],
        rows: list[int],
    ) -> None:  # fmt: skip
        """Adds sections of one kind that follow each other. Their rows must be added after them."""
        # Sites precede samples in a dump, so a section out of this order begins another dump.
        order, count = (SITES_KIND, CPU_SAMPLES).index(kind), len(records)
        snapshot = self._snapshot + (order <= self._last_kind or self._snapshot < 0)
        self._last_kind, self._snapshot = order, snapshot + count - 1
        first, zeros = self.tables.length("site" if kind == SITES_KIND else "rank"), [0] * count
        bodies, offsets, micros = zip(*records, strict=True)
        ends = [offset + RECORD.size + len(body) for body, offset in zip(bodies, offsets, strict=True)]
        firsts, dates = [*accumulate(rows[:-1], initial=first)], self._dates_of(micros)
        snapshots = range(snapshot, snapshot + count)
        self.tables.extend(
            "section", offsets, ends, totals, firsts, rows, zeros, zeros, words, dates, snapshots,
            [kind] * count, [HAS_END] * count,
        )  # fmt: skip

    def _dates_of(self, micros: Iterable[int]) -> list[int]:
        """Returns the numbers of the words of the dates of records."""
        created, known = 1000 * self.created_ms, self._dates
        seconds = [(created + each) // 1_000_000 for each in micros]
        if new := [second for second in dict.fromkeys(seconds) if second not in known]:
            words = "\n".join(dates_of(new)).encode().split(b"\n")
            known.update(zip(new, self.tables.numbers("word", words), strict=True))
        return [*map(known.__getitem__, seconds)]

    def _add_samples(self, records: Bodies) -> None:
        top = self._tops.get
        while batch := [*islice(records, TOGETHER)]:
            totals, rows = [SERIAL(body)[0] for body, _, _ in batch], [(len(body) - 8) // 8 for body, _, _ in batch]
            words = self.tables.numbers("word", [b"total = %d" % total for total in totals])
            self._add_sections(CPU_SAMPLES, batch, totals, words, rows)
            pairs = b"".join([body[8 : 8 + 8 * count] for (body, _, _), count in zip(batch, rows, strict=True)])
            samples, serials = np.frombuffer(pairs, ">u4").reshape(-1, 2).astype(np.int64).T
            if not len(samples):
                continue
            counts = np.array(rows, np.int64)
            firsts = np.repeat(np.cumsum(counts) - counts, counts)
            ranks = np.arange(1, len(samples) + 1) - firsts
            sums = np.append(0, np.cumsum(samples))
            accum, wholes = sums[1:] - sums[firsts], np.repeat(np.array(totals, np.int64), counts)
            offsets = np.repeat(np.array([offset for _, offset, _ in batch]) + RECORD.size, counts) + 8 * ranks
            of = serials.tolist()
            names = self.tables.numbers("method", [top(serial, b"<empty trace>") for serial in of])
            self.tables.extend(
                "rank", offsets.tolist(), samples.tolist(), shares(samples, wholes), shares(accum, wholes),
                self.tables.traces(of), names, ranks.tolist(), [0] * len(of),
            )  # fmt: skip

    def _add_sites(self, records: Bodies) -> None:
        first, size, trace = SITES_HEAD.size, SITE.size, self.tables.trace
        number = self.tables.texts["word"].number
        while batch := [*islice(records, TOGETHER)]:
            heads, rows = (
                [SITES_HEAD.unpack_from(body) for body, _, _ in batch],
                [(len(body) - first) // size for body, _, _ in batch],
            )
            orders = ("allocated" if head[0] & SORTED_BY_ALLOCATION else "live" for head in heads)
            words = [number(f"ordered by {order} bytes".encode()) for order in orders]
            self._add_sections(SITES_KIND, batch, [head[2] for head in heads], words, rows)
            found = list[tuple[int, ...]]()
            for (body, offset, _), (_, _, live, *_), count in zip(batch, heads, rows, strict=True):
                accum, start = 0, offset + RECORD.size + first
                for row, site in enumerate(SITE.iter_unpack(body[first : first + size * count])):
                    type, serial, of, live_bytes, live_objects, *allocated = site
                    if not type:
                        self._measure(serial, live_bytes, live_objects)
                        self._measure(serial, *allocated)
                    accum += live_bytes
                    shares = share(live_bytes, live), share(accum, live)
                    name = number(self._site_class(type, serial))
                    counts = live_bytes, live_objects, *allocated, *shares
                    found.append((start + size * row, *counts, trace(of), name, row + 1, 0))
            self.tables.add_rows("site", found)

    def _measure(self, serial: int, bytes: int, objects: int) -> None:
        # Class objects are counted for their own class, as one larger object, so a site with one object proves nothing.
        if objects > 1 and not bytes % objects:
            size = bytes // objects
            self._site_sizes[serial] = min(size, self._site_sizes.get(serial, size))

    def _add_summaries(self, records: Bodies) -> None:
        self.tables.add_rows("summary", [(offset, micros, *SUMMARY(body)) for body, offset, micros in records])

    def _times(self, micros: Sequence[int]) -> list[int]:
        """Returns the times of records with wraps added; a late record has that of its predecessors."""
        if len(micros) > FEW:
            ahead = np.diff(np.array([self._clock, *micros])) % WRAP
            if (ahead < WRAP - LATE).all():
                times: list[int] = (self._clock + np.cumsum(ahead)).tolist()
                self._clock = times[-1]
                return times
        times = []
        for each in micros:
            step = (each - self._clock) % WRAP
            self._clock += step if step < WRAP - LATE else 0
            times.append(self._clock)
        return times

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


def share(part: int, whole: int) -> int:
    """Returns a share in 1/100 %."""
    return round(10_000 * part / whole) if whole else 0


def shares(parts: I64Array, wholes: I64Array) -> list[int]:
    """Returns shares in 1/100 %."""
    if len(parts) and int(parts.max()) > MOST_EXACT:
        return [share(part, whole) for part, whole in zip(parts.tolist(), wholes.tolist(), strict=True)]
    found = np.rint(10_000 * parts / np.maximum(wholes, 1)).astype(np.int64)
    return np.where(wholes > 0, found, 0).tolist()  # type: ignore[no-any-return]


def java_name(raw: bytes) -> bytes:
    """Returns a class name in Java notation, from that of a record."""
    return class_name(decode(raw)).encode("utf-8", "surrogatepass")
