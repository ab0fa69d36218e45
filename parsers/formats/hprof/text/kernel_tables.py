"""The tables of a profile while kernels read it: those that large files fill are arrays that kernels write into.

Plain code, which reads all lines that kernels leave to it, appends to the same tables through the same calls.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from parsers.formats.hprof.data.columns import COLUMNS, KNOWN, NOWHERE, STACK, TEXT_TABLES, TRACES
from parsers.formats.hprof.data.tables import NAMES, ProfileTables, fitting
from parsers.formats.hprof.text.chunk import (
    APART,
    COUNT,
    LAST_KIND,
    OBJECTS,
    ChunkSegment,
    HeapRows,
    JoinedProfile,
    LineChunk,
)
from parsers.formats.hprof.text.chunk import REFERENCES as REFERENCE_COUNT
from parsers.formats.hprof.text.chunk import STACK as STACK_COUNT
from parsers.formats.hprof.text.chunk import TRACES as TRACE_COUNT
from parsers.formats.hprof.text.heap_kernel import transpose
from parsers.formats.hprof.text.join_kernel import fill_rows, join_text
from parsers.formats.hprof.text.kernel_texts import TEXT_COUNTS, FileTexts
from parsers.heapdump.graph.columns import HEAP, HEAP_DUMP, PACKED, PLAIN_OBJECT, REFERRERS
from parsers.heapdump.tables.numbers import ObjectNumbers
from parsers.index.bitpacked.writing import PackedColumn, save_packed
from parsers.index.store import CODES
from parsers.index.texts import save_texts
from parsers.index.writer import GrowingArray, Writer
from parsers.io.background_task import BackgroundTask, in_halves
from parsers.model.none import NONE

if TYPE_CHECKING:
    from parsers.model.arrays import AnyArray, U32Array, U64Array

MOST_SERIAL = 1 << 24
"""Numbers of traces from here on are stored by plain code."""

COUNT_OF = {
    "object": OBJECTS,
    "reference": REFERENCE_COUNT,
    "trace": TRACE_COUNT,
    "stack": STACK_COUNT,
}
"""Tables that kernels fill, and the index of their lengths in `JoinedProfile.state`."""
TRACE_TABLES: dict[str, tuple[str, str]] = {
    **{name: (type, "trace") for name, type in TRACES.items()},
    **{name: (type, "stack") for name, type in STACK.items()},
}
"""Columns that kernels write into: dtype and table."""
PUT_COLUMNS = {"object_kind": "object", "reference_id": "reference"}
"""Columns that are written in pieces and not packed; target ids of references are needed until the end only."""
FILLED_PACKED = {name: name.partition("_")[0] for name in APART}
"""Packed columns that kernels fill, and their tables."""
MOST = {"B": 0xFF, "I": NONE, "Q": NOWHERE}
"""The largest numbers of columns that kernels fill."""

PIECE = 1 << 16
"""Ids that are looked up at a time: as many as the processor's cache has space for."""
MOST_FORGOTTEN = 1000
"""Sections after which counts of classes are not cleared any more: that takes as long as there are classes."""


class KernelProfileTables(ProfileTables):
    """Tables of which the large ones are `whole`."""

    def __init__(self, writer: Writer, size: int) -> None:
        """
        size  bytes of the file, which determine the initial capacity of the tables
        """
        super().__init__()
        self._writer = writer
        self._transposing: BackgroundTask[None] | None = None
        rows = max(size // 60, 1 << 12)
        self._growing: dict[str, GrowingArray] = {
            name: writer.grow(name, type, 1 << 14) for name, (type, _) in TRACE_TABLES.items()
        }
        self._growing["object_kind"] = writer.grow("object_kind", HEAP["object_kind"], rows)
        self._growing["reference_id"] = writer.grow("reference_id", "u8", rows, False)
        self._packed = {name: PackedColumn(writer, name, PACKED[name], rows) for name in FILLED_PACKED}
        for name, type in KNOWN.items():
            self._growing[name] = writer.grow(name, type, 1 << 14)
            writer.drop(name)
        self._file_texts = {table: FileTexts(writer, table) for table in TEXT_COUNTS}
        self.texts.update(self._file_texts)
        self.whole = JoinedProfile(
            state=np.zeros(16, np.int64),
            trace_of=np.zeros(MOST_SERIAL, np.uint32),
            **{name: self._growing[name].array for name in TRACE_TABLES},
            **self._bases(),
            **self._text_arrays(),
            **{name: self._growing[name].array for name in KNOWN},
        )

    def _bases(self) -> dict[str, AnyArray]:
        """Bases of packed columns, which kernels set."""
        bases = {name: column.bases for name, column in self._packed.items()}
        return {f"{name}_base": growing.array for name, growing in bases.items() if growing is not None}

    def _text_arrays(self) -> dict[str, AnyArray]:
        """Returns the arrays of texts by their names in `JoinedProfile`."""
        found: dict[str, AnyArray] = {}
        for table, texts in self._file_texts.items():
            arrays: tuple[AnyArray, ...] = texts.table
            found |= zip((f"{table}_{part}" for part in ("slots", "starts", "bytes")), arrays, strict=True)
        return found

    # -- rows ---------------------------------------------------------------------------------------------------------

    def join(self, chunk: LineChunk, row: int, place: int) -> int:
        """Makes rows of a chunk's entries from `row` on: see `join_text`."""
        # Half of a chunk's data is read from the file, the other half has texts that were composed of it.
        self.reserve(int(chunk.facts[COUNT]) - row, len(chunk.data) // 2)
        whole = self.whole
        for table, texts in self._file_texts.items():
            whole.state[TEXT_COUNTS[table]] = texts.known
        after = int(join_text(chunk, whole, row, place))
        for table, texts in self._file_texts.items():
            texts.known = int(whole.state[TEXT_COUNTS[table]])
        return after

    def reserve(self, rows: int, size: int) -> None:
        """Enlarges each table for so many more rows, and for texts of so many bytes."""
        grown: dict[str, AnyArray] = {}
        for name, (_, table) in TRACE_TABLES.items():
            if self._growing[name].ensure(self.length(table) + rows + 1):
                grown[name] = self._growing[name].array
        for name, table in PUT_COLUMNS.items():
            self._growing[name].ensure(self.length(table) + rows + 1)
        for name, table in FILLED_PACKED.items():
            if self._packed[name].ensure(self.length(table) + rows + 1):
                grown |= self._bases()
        for texts in self._file_texts.values():
            texts.ensure_capacity(rows, size)
        for name in KNOWN:
            if self._growing[name].ensure(self._file_texts["class"].known + rows + 2):
                grown[name] = self._growing[name].array
        # Texts are also added by plain code, which enlarges their tables itself.
        grown |= {name: each for name, each in self._text_arrays().items() if getattr(self.whole, name) is not each}
        if grown:
            self.whole = self.whole._replace(**grown)

    def length(self, table: str) -> int:
        """Returns the number of rows of a table."""
        count = COUNT_OF.get(table)
        return super().length(table) if count is None else int(self.whole.state[count])

    def add(self, table: str, *values: int) -> int:
        """Appends a row."""
        count = COUNT_OF.get(table)
        if count is None:
            if table == "section":
                self._forget_known()
            return super().add(table, *values)
        row = int(self.whole.state[count])
        if row + 2 > self._capacity_of(table):
            self.reserve(1, 0)
        for name, value in zip(NAMES[table], values, strict=True):
            code = CODES[COLUMNS[name]]
            number = value if 0 <= value <= MOST[code] else fitting(code, value)
            if name in self._packed:
                self._packed[name].set(row, number)
            else:
                self._growing[name].array[row] = number
        self.whole.state[count] = row + 1
        return row

    def extend(self, table: str, *columns: Sequence[int]) -> None:
        """Appends rows, given column by column: of columns that kernels write into, numbers in their range."""
        if table == "section":
            self._forget_known()
        count = COUNT_OF.get(table)
        if count is None:
            return super().extend(table, *columns)
        row, rows = int(self.whole.state[count]), len(columns[0])
        self.reserve(rows, 0)
        for name, values in zip(NAMES[table], columns, strict=True):
            if name in self._packed:
                self._packed[name].extend(row, values)
            else:
                self._growing[name].array[row : row + rows] = values
        self.whole.state[count] = row + rows

    def _capacity_of(self, table: str) -> int:
        """Returns the capacity of a table in rows."""
        first = "object_kind" if table == "object" else NAMES[table][0]
        return len(self._growing[first].array)

    def set(self, column: str, row: int, value: int) -> None:
        """Changes one value."""
        if column in TRACE_TABLES:
            code = CODES[COLUMNS[column]]
            getattr(self.whole, column)[row] = value if 0 <= value <= MOST[code] else fitting(code, value)
        else:
            super().set(column, row, value)

    def get(self, column: str, row: int) -> int:
        """Returns one value; of a kind the last one, as rows of the chunk that is being joined are not yet written."""
        if column == "object_kind":
            assert row == self.length("object") - 1
            return int(self.whole.state[LAST_KIND])
        return int(getattr(self.whole, column)[row]) if column in TRACE_TABLES else super().get(column, row)

    def put(self, chunk: LineChunk, segment: ChunkSegment, place: int, rows: HeapRows) -> None:
        """Writes the rows of a segment; by any thread, at any time.

        place  file offset of the chunk's data
        """
        done = np.zeros(3, np.int64)
        fill_rows(chunk, self.whole, segment, place, rows, done)
        objects, references, apart = done.tolist()
        counts = {"object": (segment.objects, objects), "reference": (segment.references, references)}
        for name, values in rows._asdict().items():
            table = PUT_COLUMNS.get(name) or FILLED_PACKED.get(name)
            if table is not None and counts[table][1]:
                growing = self._packed[name].small if name in self._packed else self._growing[name]
                growing.put(counts[table][0], values[: counts[table][1]])
        columns = rows.apart_column[:apart]
        for column in np.flatnonzero(np.bincount(columns)).tolist():
            chosen = columns == column
            self._packed[APART[column]].add_exceptions(
                rows.apart_row[:apart][chosen], rows.apart_number[:apart][chosen]
            )

    # -- traces -------------------------------------------------------------------------------------------------------

    def _row(self, serial: int) -> int:
        """Returns the row of a trace number; -1 if there is none."""
        return int(self.whole.trace_of[serial]) - 1 if serial < MOST_SERIAL else super()._row(serial)

    def _set_row(self, serial: int, row: int) -> None:
        """Sets the row of a trace number."""
        if serial < MOST_SERIAL:
            self.whole.trace_of[serial] = row + 1
        else:
            super()._set_row(serial, row)

    def add_frame(self, text: bytes) -> None:
        """Adds a further frame of the last trace."""
        self.add("stack", self.number("frame", text))
        self.whole.trace_frames[self.length("trace") - 1] += 1

    def traces(self, serials: Sequence[int]) -> list[int]:
        """Returns the values for trace numbers."""
        return [*map(self.trace, serials)]

    # -- heaps --------------------------------------------------------------------------------------------------------

    def add_object(
        self, id: int, offset: int, size: int, serial: int, class_text: bytes, elements: int, kind: int, is_cut: bool
    ) -> None:
        """Adds an OBJ, ARR or CLS record; its references follow."""
        super().add_object(id, offset, size, serial, class_text, elements, kind, is_cut)
        number = self.number("class", class_text)
        self._fit_known()
        whole = self.whole
        whole.known_objects[number] += np.uint64(1)
        whole.known_bytes[number] += np.uint64(size)
        whole.known_printed[number] += np.uint64(size)
        whole.state[LAST_KIND] = kind

    def add_objects(
        self,
        ids: Sequence[int],
        offsets: Sequence[int],
        sizes: Sequence[int],
        serials: Sequence[int],
        class_texts: Sequence[bytes],
    ) -> list[int]:
        """Adds OBJ records without references, of numbers in their range; returns the numbers of their classes."""
        numbers = super().add_objects(ids, offsets, sizes, serials, class_texts)
        self._fit_known()
        whole = self.whole
        for known, values in zip(
            (whole.known_objects, whole.known_bytes, whole.known_printed), (1, sizes, sizes), strict=True
        ):
            np.add.at(known, numbers, np.array(values, np.uint64))
        whole.state[LAST_KIND] = PLAIN_OBJECT
        return numbers

    def _fit_known(self) -> None:
        """Enlarges the arrays of known classes: plain code may have added some since kernels were called."""
        if self._file_texts["class"].known + 2 > len(self.whole.known_objects):
            self.reserve(0, 0)

    def _forget_known(self) -> None:
        """Clears what is known of classes, which is of one dump. After very many sections it is that of all dumps."""
        for name in KNOWN if self.length("section") < MOST_FORGOTTEN else ():
            self._growing[name].array[: self._file_texts["class"].known] = 0

    def published(self) -> dict[str, int]:
        """Returns the current lengths of the arrays that readers may map."""
        found = {name: self.length(table) for name, (_, table) in TRACE_TABLES.items()}
        found |= dict.fromkeys(KNOWN, self._file_texts["class"].known)
        for texts in self._file_texts.values():
            found |= texts.lengths
        return found

    def add_reference(self, id: int, label: int) -> None:
        """Adds a further reference of the last object."""
        row = self.length("reference")
        if row + 2 > len(self._growing["reference_id"].array):
            self.reserve(1, 0)
        self._growing["reference_id"].array[row] = id
        self._packed["reference_label"].set(row, label)
        self.whole.state[REFERENCE_COUNT] = row + 1

    # -- the end ------------------------------------------------------------------------------------------------------

    def end(self) -> None:
        """Joins all that refers to each other, after the last line."""
        self._join_traces()
        self._join_objects()
        self._split_frames()

    def column(self, name: str) -> Any:
        """Returns a column: a writable array, or a packed one."""
        if name in REFERRERS and self._transposing is not None:
            self._transposing.result()
        if name in self._packed:
            return self._packed[name].column(self.length(FILLED_PACKED[name]) + (name == "object_first"))
        if name in self._growing:
            table = TRACE_TABLES[name][1] if name in TRACE_TABLES else PUT_COLUMNS.get(name)
            length = self._growing[name].length if table is None else self.length(table)
            return self._growing[name].array[:length]
        if name == "referrer_first":
            return self._firsts
        column = self.columns[name]
        return np.frombuffer(column, column.typecode) if column else np.zeros(0, column.typecode)

    def _late_in(self, name: str) -> tuple[U32Array | None, AnyArray]:
        """A number that is resolved late has its highest bit set, so a packed column stores it apart."""
        return self._packed[name].apart() if name in self._packed else (None, self.column(name))

    def _join_objects(self) -> None:
        objects, references = self.length("object"), self.length("reference")
        self.reserve(1, 0)
        self._packed["object_first"].set(objects, references)
        firsts, ids = self.column("object_first"), self.column("object_id")
        targets = self._grow("reference_target", references)
        target_ids = self.column("reference_id")
        for section, kind in enumerate(self.columns["section_kind"]):
            if kind != HEAP_DUMP:
                continue
            start = self.columns["section_first"][section]
            stop = start + self.columns["section_rows"][section]
            low, high = firsts[start], firsts[stop]
            numbers = ObjectNumbers(ids.numbers(slice(start, stop)))
            _find_rows(numbers, start, target_ids[low:high], targets[low:high])
            first = self.columns["section_more"][section]
            last = first + self.columns["section_more_rows"][section]
            rows = np.empty(last - first, np.uint32)
            _find_rows(numbers, start, np.array(self.columns["root_id"][first:last], np.uint64), rows)
            self.columns["root_object"][first:last] = array("I", rows.tobytes())
        # In the background while the views' tables are made, which don't need it.
        self._transposing = BackgroundTask(partial(self._transpose_references, targets, objects))

    def _transpose_references(self, targets: U32Array, objects: int) -> None:
        self._firsts = np.zeros(objects + 1, np.uint32)
        transpose(targets, self._firsts, partial(self._grow, "referrer"))
        save_packed(self._writer, "referrer_first", PACKED["referrer_first"], self._firsts)

    def _grow(self, name: str, length: int) -> U32Array:
        """Returns an array of the index of so many entries."""
        growing = self._growing[name] = self._writer.grow(name, "u4", max(length, 1))
        growing.length = length
        array: U32Array = growing.array[:length]
        return array

    def save(self) -> None:
        """Writes the columns that kernels didn't write, and all lengths."""
        if self._transposing is not None:
            self._transposing.result()
        for name, (_, table) in TRACE_TABLES.items():
            self._growing[name].length = self.length(table)
        for name, table in PUT_COLUMNS.items():
            self._growing[name].length = self.length(table)
        for name, table in FILLED_PACKED.items():
            self._packed[name].finish(self.length(table) + (name == "object_first"))
        for texts in self._file_texts.values():
            texts.finish()
        for name, type in COLUMNS.items():
            if name not in self._growing and name not in PACKED:
                self._writer.save(name, self.column(name).astype(np.dtype(type), copy=False))
        for table in set(TEXT_TABLES) - set(TEXT_COUNTS):
            save_texts(self._writer, table, self.texts[table].texts)


def _find_rows(numbers: ObjectNumbers, first: int, ids: U64Array, rows: U32Array) -> None:
    """Writes the row of each id to `rows`; NONE if there is none. first: row of the first of the objects"""

    def find(low: int, high: int) -> None:
        for start in range(low, high, PIECE):
            part = slice(start, min(start + PIECE, high))
            found = numbers.find(ids[part])
            found[found != NONE] += np.uint32(first)
            rows[part] = found

    in_halves(len(ids), find)
