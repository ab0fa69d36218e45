"""The tables of a profile while kernels read it: those that large files fill are arrays that kernels write into.

Plain code, which reads all lines that kernels leave to it, appends to the same tables through the same calls.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from parsers.hprof.columns import (
    COLUMNS,
    HEAP,
    HEAP_DUMP,
    IS_MISSING,
    IS_REPEATED,
    MISSING_TRACE,
    NONE,
    NOWHERE,
    REFERENCES,
    REFERRERS,
    REPEATED_TRACE,
    STACK,
    TEXT_TABLES,
    TRACES,
)
from parsers.hprof.heap_kernel import add_up, count_targets, find_targets, number_rows, turn_round
from parsers.hprof.tables import LATE, MOST_LATE, NAMES, TRACE_COLUMNS, Tables, fitting
from parsers.hprof.text_chunk import (
    CLASS_BYTES,
    CLASSES,
    FRAME_BYTES,
    FRAMES,
    LAST_KIND,
    OBJECTS,
    REFERENCE,
    WORD_BYTES,
    WORDS,
    Chunk,
    HeapRows,
    Segment,
    Whole,
)
from parsers.hprof.text_chunk import REFERENCES as REFERENCE_COUNT
from parsers.hprof.text_chunk import STACK as STACK_COUNT
from parsers.hprof.text_chunk import TRACES as TRACE_COUNT
from parsers.hprof.text_join_kernel import fill_rows
from parsers.hprof.text_save import save_texts
from parsers.index.store import CODES
from parsers.index.text_table import note_text, rehash
from parsers.index.vector import SLACK
from parsers.index.writer import Writer

MOST_SERIAL = 1 << 24
"""Numbers of traces from here on are kept by plain code."""
SPARSE = 16
"""Ids of a dump that lie further apart than this on average are looked up by searching."""

COUNT_OF = {
    "object": OBJECTS,
    "reference": REFERENCE_COUNT,
    "trace": TRACE_COUNT,
    "stack": STACK_COUNT,
}
"""Tables that kernels fill, and where their lengths stand in `Whole.state`."""
HOT: dict[str, tuple[str, str]] = {
    **{name: (type, "object") for name, type in HEAP.items()},
    "reference_label": (REFERENCES["reference_label"], "reference"),
    "reference_id": ("u8", "reference"),
    **{name: (type, "trace") for name, type in TRACES.items()},
    **{name: (type, "stack") for name, type in STACK.items()},
}
"""Their columns: type and table."""
TEXT_COUNTS = {"class": (CLASSES, CLASS_BYTES), "word": (WORDS, WORD_BYTES), "frame": (FRAMES, FRAME_BYTES)}
"""Tables of texts that kernels fill: where their lengths stand. Methods are found out at the end."""
MOST = {"B": 0xFF, "I": NONE, "Q": NOWHERE}
"""The largest numbers of columns that kernels fill."""


class KernelTables(Tables):
    """Tables of which the large ones are `whole`."""

    def __init__(self, writer: Writer, size: int) -> None:
        """
        size  bytes of the file, which tell what the tables have room for at first
        """
        super().__init__()
        self._writer = writer
        self._growing = {}
        self._turning: threading.Thread | None = None
        self._failure: BaseException | None = None
        rows = max(size // 60, 1 << 12)
        for name, (type, table) in HOT.items():
            room = rows if table in ("object", "reference") else 1 << 14
            self._growing[name] = writer.grow(name, type, room, name != "reference_id")
        arrays: dict[str, Any] = {name: growing.array for name, growing in self._growing.items()}
        for table in TEXT_COUNTS:
            for name, type in ((f"{table}_starts", "u8"), (f"{table}_bytes", "u1")):
                growing = self._growing[name] = writer.grow(name, type, 1 << 14)
                arrays[name] = growing.array
            arrays[f"{table}_slots"] = np.zeros(1 << 12, np.uint64)
        self.whole = Whole(state=np.zeros(16, np.int64), trace_of=np.zeros(MOST_SERIAL, np.uint32), **arrays)

    # -- rows ---------------------------------------------------------------------------------------------------------

    def make_room(self, rows: int, size: int) -> None:
        """Room for so many more rows of each table, and for texts of so many bytes."""
        state, grown = self.whole.state, {}
        for name, (_, table) in HOT.items():
            growing = self._growing[name]
            if growing.ensure(int(state[COUNT_OF[table]]) + rows + 1):
                grown[name] = growing.array
        for table, (count, bytes_count) in TEXT_COUNTS.items():
            for name, room in (
                (f"{table}_starts", int(state[count]) + rows + 2),
                (f"{table}_bytes", int(state[bytes_count]) + size + 2 * SLACK),
            ):
                growing = self._growing[name]
                if growing.ensure(room):
                    grown[name] = growing.array
        if grown:
            self.whole = self.whole._replace(**grown)
        for table, (count, _) in TEXT_COUNTS.items():
            self._make_slots(table, int(state[count]) + rows)

    def _has_room(self, table: str, count: int, size: int) -> bool:
        """Whether there is room for a text more, if they had so many bytes then."""
        whole = self.whole
        slots, starts, blob = (getattr(whole, f"{table}_{part}") for part in ("slots", "starts", "bytes"))
        return 2 * count + 2 <= len(slots) and count + 3 <= len(starts) and size + 2 * SLACK <= len(blob)

    def _make_slots(self, table: str, count: int) -> None:
        whole = self.whole
        slots = getattr(whole, f"{table}_slots")
        if 2 * count > len(slots):
            larger = np.zeros(1 << (2 * count).bit_length(), np.uint64)
            rehash(slots, larger, getattr(whole, f"{table}_starts"), getattr(whole, f"{table}_bytes"))
            self.whole = whole._replace(**{f"{table}_slots": larger})

    def larger_slots(self) -> None:
        """Makes all hash tables larger, as many texts would."""
        for table in TEXT_COUNTS:
            self._make_slots(table, len(getattr(self.whole, f"{table}_slots")))

    def length(self, table: str) -> int:
        """Rows of a table."""
        count = COUNT_OF.get(table)
        return super().length(table) if count is None else int(self.whole.state[count])

    def add(self, table: str, *values: int) -> int:
        """Appends a row."""
        count = COUNT_OF.get(table)
        if count is None:
            return super().add(table, *values)
        row = int(self.whole.state[count])
        if row + 2 > len(getattr(self.whole, NAMES[table][0])):
            self.make_room(1, 0)
        for name, value in zip(NAMES[table], values, strict=True):
            code = CODES[COLUMNS[name]]
            getattr(self.whole, name)[row] = value if 0 <= value <= MOST[code] else fitting(code, value)
        self.whole.state[count] = row + 1
        return row

    def set(self, column: str, row: int, value: int) -> None:
        """Changes one value."""
        if column in HOT:
            code = CODES[COLUMNS[column]]
            getattr(self.whole, column)[row] = value if 0 <= value <= MOST[code] else fitting(code, value)
        else:
            super().set(column, row, value)

    def get(self, column: str, row: int) -> int:
        """One value."""
        if column == "object_kind" and row == self.length("object") - 1:
            # Rows of the chunk that is being joined are not yet written.
            return int(self.whole.state[LAST_KIND])
        return int(getattr(self.whole, column)[row]) if column in HOT else super().get(column, row)

    def number(self, table: str, text: bytes) -> int:
        """The number of a text."""
        if table not in TEXT_COUNTS:
            return super().number(table, text)
        count, size = TEXT_COUNTS[table]
        state = self.whole.state
        if not self._has_room(table, int(state[count]), int(state[size]) + len(text)):
            self.make_room(1, len(text))
        whole = self.whole
        data = np.zeros(len(text) + SLACK, np.uint8)
        data[: len(text)] = np.frombuffer(text, np.uint8)
        slots, starts, blob = (getattr(whole, f"{table}_{part}") for part in ("slots", "starts", "bytes"))
        known = int(state[count])
        number: int = note_text(slots, starts, blob, known, data, len(text))
        if number == known:
            state[count] = known + 1
            state[size] += len(text)
        return number

    def put(self, chunk: Chunk, segment: Segment, place: int, rows: HeapRows) -> None:
        """Writes the rows of a segment; by any thread, at any time.

        place  file offset of the chunk's data
        """
        start, stop, first, references, section_offset = segment
        objects = int(fill_rows(chunk, start, stop, place, section_offset, references, rows))
        kinds = chunk.kind[start:stop]
        counts = {"object": objects, "reference": int(np.count_nonzero(kinds == REFERENCE))}
        firsts = {"object": first, "reference": references}
        for name, values in zip(HeapRows._fields, rows, strict=True):
            table = name.partition("_")[0]
            if counts[table]:
                self._growing[name].put(firsts[table], values[: counts[table]])

    # -- traces -------------------------------------------------------------------------------------------------------

    def add_trace(self, offset: int, serial: int, thread: int, phase: int) -> int:
        """A TRACE record; its frames follow."""
        flags = 0
        if self._row(serial) >= self._first_of_file:
            flags = IS_REPEATED
            self.find(REPEATED_TRACE, offset, serial)
        row = self.add("trace", offset, serial, thread, self.length("stack"), 0, phase, flags)
        if serial < MOST_SERIAL:
            self.whole.trace_of[serial] = row + 1
        else:
            self._rows[serial] = row
        return row

    def _row(self, serial: int) -> int:
        """The row of a number; -1 if there is none."""
        return int(self.whole.trace_of[serial]) - 1 if serial < MOST_SERIAL else self._rows.get(serial, -1)

    def add_frame(self, text: bytes) -> None:
        """A further frame of the last trace."""
        self.add("stack", self.number("frame", text))
        self.whole.trace_frames[self.length("trace") - 1] += 1

    def trace(self, serial: int) -> int:
        """What a column of rows of traces holds for a number."""
        row = self._row(serial)
        return min(serial, MOST_LATE) | LATE if row < 0 else row

    # -- heaps --------------------------------------------------------------------------------------------------------

    def add_object(
        self, id: int, at: int, size: int, serial: int, class_text: bytes, elements: int, kind: int, flags: int
    ) -> None:
        """An OBJ, ARR or CLS record; its references follow."""
        trace = self.trace(serial) if serial != NONE else NONE
        number = self.number("class", class_text)
        self.add("object", id, at, size, trace, number, elements, self.length("reference"), kind, flags)
        self.whole.state[LAST_KIND] = kind

    def add_reference(self, id: int, label: int) -> None:
        """A further reference of the last object."""
        row = self.length("reference")
        if row + 2 > len(self.whole.reference_id):
            self.make_room(1, 0)
        whole = self.whole
        whole.reference_id[row], whole.reference_label[row] = id, label
        whole.state[REFERENCE_COUNT] = row + 1

    # -- the end ------------------------------------------------------------------------------------------------------

    def end(self) -> None:
        """All was read: joins what refers to each other."""
        self._join_traces()
        self._join_objects()
        self._split_frames()

    def column(self, name: str) -> Any:
        """A column, as an array that can be written."""
        if name in REFERRERS:
            self._wait()
        if name in HOT:
            return getattr(self.whole, name)[: self.length(HOT[name][1]) + (name == "object_first")]
        if name in self._growing:
            return self._growing[name].array[: self._growing[name].length]
        column = self.columns[name]
        return np.frombuffer(column, column.typecode) if column else np.zeros(0, column.typecode)

    def _wait(self) -> None:
        """Waits for what is turned round."""
        if self._turning is not None:
            self._turning.join()
        if self._failure is not None:
            raise self._failure

    def frames(self) -> list[bytes]:
        """All lines of stacks."""
        return self.texts_of("frame")

    def texts_of(self, table: str) -> list[bytes]:
        """All texts of a table."""
        if table not in TEXT_COUNTS:
            return self.texts[table].texts
        count, size = (int(self.whole.state[place]) for place in TEXT_COUNTS[table])
        blob = getattr(self.whole, f"{table}_bytes")[:size].tobytes()
        starts = getattr(self.whole, f"{table}_starts")[: count + 1].tolist()
        return [blob[start:end] for start, end in itertools.pairwise(starts)]

    def _join_traces(self) -> None:
        missing: dict[int, int] = {}
        for name in TRACE_COLUMNS:
            column = self.column(name)
            places = np.flatnonzero((column >= LATE) & (column != NONE))
            if not len(places):
                continue
            values, first, which = np.unique(column[places], return_index=True, return_inverse=True)
            rows = np.zeros(len(values), np.uint32)
            for number in np.argsort(first):
                serial = int(values[number]) - LATE
                row = self._row(serial)
                row = row if row >= 0 else missing.get(serial, -1)
                if row < 0:
                    row = missing[serial] = self.length("trace")
                    self.add("trace", NOWHERE, serial, NONE, self.length("stack"), 0, 0, IS_MISSING)
                    self.find(MISSING_TRACE, self._offset(name, int(places[first[number]])), serial)
                rows[number] = row
            self.column(name)[places] = rows[which]

    def _join_objects(self) -> None:
        objects, references = self.length("object"), self.length("reference")
        self.make_room(1, 0)
        self.whole.object_first[objects] = references
        firsts = self.whole.object_first
        targets = self._grow("reference_target", references)
        ids, target_ids = self.whole.object_id, self.whole.reference_id
        for section, kind in enumerate(self.columns["section_kind"]):
            if kind != HEAP_DUMP:
                continue
            start = self.columns["section_first"][section]
            stop = start + self.columns["section_rows"][section]
            low, high = int(firsts[start]), int(firsts[stop])
            lookup = Lookup(ids[start:stop], start)
            in_halves(high - low, partial(find_some, lookup, target_ids[low:high], targets[low:high]))
            first = self.columns["section_more"][section]
            last = first + self.columns["section_more_rows"][section]
            found = np.full(last - first, NONE, np.uint32)
            lookup.find(np.array(self.columns["root_id"][first:last], np.uint64), found)
            for root, row in enumerate(found.tolist(), first):
                self.columns["root_object"][root] = row
        self._turning = threading.Thread(target=self._turn_round_beside, args=(targets,))
        self._turning.start()

    def _turn_round_beside(self, targets: Any) -> None:
        """While the views' tables are made, which don't need it."""
        try:
            self._turn_round(targets)
        except BaseException as error:
            self._failure = error

    def _turn_round(self, targets: Any) -> None:
        """References by their targets."""
        objects = self.length("object")
        counts = self._grow("referrer_first", objects + 1)
        count_targets(targets, counts, 0, objects)
        add_up(counts)
        referrers = self._grow("referrer", int(counts[objects]))
        turn_round(targets, counts, np.zeros(objects, np.uint32), referrers, 0, objects)

    def _grow(self, name: str, length: int) -> Any:
        """An array of the index of so many entries."""
        growing = self._growing[name] = self._writer.grow(name, "u4", max(length, 1))
        growing.length = length
        return growing.array[:length]

    def save(self) -> None:
        """Writes what kernels didn't write, and says how long everything is."""
        self._wait()
        state = self.whole.state
        for name, (_, table) in HOT.items():
            self._growing[name].length = int(state[COUNT_OF[table]])
        self._growing["object_first"].length += 1
        for table, (count, size) in TEXT_COUNTS.items():
            self._growing[f"{table}_starts"].length = int(state[count]) + 1
            self._growing[f"{table}_bytes"].length = int(state[size])
        for name, type in COLUMNS.items():
            if name not in self._growing:
                self._writer.save(name, self.column(name).astype(np.dtype(type), copy=False))
        for table in set(TEXT_TABLES) - set(TEXT_COUNTS):
            save_texts(self._writer, table, self.texts[table].texts)


def in_halves(count: int, work: Callable[[int, int], object]) -> None:
    """Does work on two ranges of 0 … count at once."""
    half = count // 2
    thread = threading.Thread(target=work, args=(half, count))
    thread.start()
    work(0, half)
    thread.join()


def find_some(lookup: Lookup, ids: Any, rows: Any, low: int, high: int) -> None:
    """Rows of some ids."""
    lookup.find(ids[low:high], rows[low:high])


class Lookup:
    """Rows of objects by their ids: a table where ids lie close together, else by searching."""

    def __init__(self, ids: Any, start: int) -> None:
        self._start = start
        self._table: Any = None
        self._lowest = int(ids.min()) if len(ids) else 0
        span = int(ids.max()) - self._lowest + 1 if len(ids) else 0
        if self._lowest < 1 << 62 and span <= SPARSE * len(ids) + (1 << 16):
            self._table = np.zeros(span, np.uint32)
            number_rows(ids, self._lowest, start, self._table)
        else:
            self._order = np.argsort(ids, kind="stable")
            self._sorted = ids[self._order]

    def find(self, ids: Any, rows: Any) -> None:
        """Puts the row of each id into `rows`; NONE where there is none."""
        if self._table is not None:
            find_targets(ids, self._lowest, self._table, rows)
            return
        # The last one of those that are equal.
        places = np.searchsorted(self._sorted, ids, "right").astype(np.int64) - 1
        is_found = (places >= 0) & (self._sorted[np.maximum(places, 0)] == ids)
        rows[:] = np.where(is_found, self._order[np.maximum(places, 0)] + self._start, NONE)
