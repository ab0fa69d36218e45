"""Reader of a profile: columns, texts by number, bytes, from an index or from plain tables.

recording.column("trace_serial")[0]              a memoryview by number; see `columns`
recording.method(recording.column("frame_method")[0])     b"java.lang.Object.wait"
recording.stack(row)                             the frames of a row of traces, the innermost first
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from itertools import compress
from typing import TYPE_CHECKING, Any

from parsers.formats.hprof.data.columns import COLUMNS, KNOWN, LINE_BLOCK, TABLES, TEXT_TABLES
from parsers.formats.hprof.data.names import frame_label
from parsers.heapdump.graph.columns import MAY_BE_PACKED
from parsers.index.bitpacked.columns import Packed, Packing, open_packed
from parsers.index.column_store import ColumnStore, FirstUse
from parsers.index.texts import Texts
from parsers.model.late import numpy as np
from parsers.model.none import NONE

if TYPE_CHECKING:
    from parsers.formats.hprof.data.tables import ProfileTables
    from parsers.index.store import IndexReader
    from parsers.io.plain import PlainBytes
    from parsers.model.arrays import AnyArray, I64Array

MOST_DIGITS = 10
"""Most digits of a trace's number."""


class ProfileRecording:
    """One profile. Columns grow while an index grows; request them again after each `follow`."""

    def __init__(
        self, source: PlainBytes, read_head: Callable[[], ProfileTables] | None = None, path: str = ""
    ) -> None:
        """
        read_head  makes tables of the first bytes; called on first access while no index is complete
        path       the file, if the bytes are from one
        """
        self.source = source
        self.path = path
        self._head = FirstUse(None if read_head is None else lambda: self.take_plain(read_head()))
        self.is_complete = False
        """True if all is known and joined: rows of traces, targets of references."""
        self.stages: frozenset[str] = frozenset()
        """Complete stages of an index that is built in stages."""
        self.facts: Mapping[str, Any] = {}
        """Facts that are not in the tables: see `PlainText.facts`. Empty until the profile is complete."""
        self._columns = ColumnStore(COLUMNS | KNOWN, _open)
        self._texts: dict[str, Sequence[bytes]] = dict.fromkeys(TEXT_TABLES, ())
        self._serials: dict[int, int | list[int]] = {}
        self._serials_known = 0
        """Number of rows of traces in `_serials`."""
        self._threads: dict[int, int] = {}
        self._threads_known = 0

    def take_plain(
        self, tables: ProfileTables, facts: Mapping[str, Any] | None = None, lines: array[int] | None = None
    ) -> None:
        """Uses plain tables, which must not grow any more. With facts given, the profile is complete."""
        columns = {**tables.columns, "lines": lines if lines is not None else array("I")}
        texts = {name: table.texts for name, table in tables.texts.items()}
        self.take_arrays({name: memoryview(column) for name, column in columns.items()}, texts, facts)

    def take_arrays(
        self,
        columns: Mapping[str, memoryview | Packed],
        texts: Mapping[str, Sequence[bytes]],
        facts: Mapping[str, Any] | None,
    ) -> None:
        """Uses columns. With facts, the profile is complete."""
        self._columns.take(columns)
        self._texts = dict(texts)
        self.is_complete, self.facts = facts is not None, facts or {}

    def add_columns(self, arrays: Mapping[str, AnyArray]) -> None:
        """Adds or replaces columns: numpy arrays."""
        self._columns.add({name: array.data for name, array in arrays.items()})

    def take_index(self, reader: IndexReader) -> None:
        """Uses an index, which may still grow."""
        if reader.is_complete:
            self._head.omit()
        self._head.do()
        is_final = bool(reader.is_complete or reader.stages)
        # Columns not published while the index grows keep the values read from the head.
        self._columns.follow(reader, lambda name: not (is_final or reader.has(name) or name in KNOWN))
        for name in TEXT_TABLES:
            if reader.has(f"{name}_starts"):
                self._texts[name] = Texts(reader.view(f"{name}_starts"), reader.view(f"{name}_bytes"))
        self.is_complete, self.stages = reader.is_complete, frozenset(reader.stages)
        if reader.is_complete or reader.stages:
            self.facts = reader.facts
            self._serials, self._threads = {}, {}
            self._serials_known = self._threads_known = 0

    def has_stage(self, name: str) -> bool:
        """True if the results of a stage are known."""
        return self.is_complete or name in self.stages

    def column(self, name: str) -> memoryview:
        """Returns a column in its present state; for those in MAY_BE_PACKED see `packed`. Raises `KeyError`."""
        self._head.do()
        found: memoryview = self._columns[name]
        return found

    def packed(self, name: str) -> memoryview | Packed:
        """Returns the current state of a column of MAY_BE_PACKED: bitpacked if the index has it so."""
        return self.column(name)

    @property
    def rows_known(self) -> int:
        """Number of traces and objects in a growing index; its classes are in the columns of `KNOWN`."""
        reader = self._columns.reader
        return 0 if self.is_complete or self.stages or reader is None else reader.rows

    def rows(self, table: str) -> int:
        """Returns the number of rows of a table, by its name in `columns.TABLES`."""
        name = next(iter(TABLES[table]))
        return len(self.packed(name))

    def texts(self, table: str) -> Sequence[bytes]:
        """Returns one of the four tables of texts: "method", "frame", "class", "word"."""
        self._head.do()
        return self._texts[table]

    def text(self, table: str, number: int) -> bytes:
        """Returns one text of a table; empty for NONE."""
        return self.texts(table)[number] if number != NONE else b""

    def thread_row(self, id: int) -> int | None:
        """Returns the row of the thread with that id; the first one if there are several."""
        column = self.column("thread_id")
        for row in range(self._threads_known, len(column)):
            self._threads.setdefault(column[row], row)
        self._threads_known = len(column)
        return self._threads.get(id)

    def trace_row(self, serial: int) -> int | None:
        """Returns the row of the trace with that number; the last one if there are several."""
        rows = self._traces.get(serial)
        return rows if rows is None or isinstance(rows, int) else rows[-1]

    def trace_ref(self, row: int) -> str:
        """Returns the REF of a trace: `trace:N`; with the dump if several have its number: `run:2/trace:N`."""
        serial = self.column("trace_serial")[row]
        ref = f"trace:{serial}"
        return ref if isinstance(self._traces[serial], int) else f"run:{self._run_of(row)}/{ref}"

    def trace_named(self, ref: str) -> int | None:
        """Returns the row of the trace of such a REF; the last one if there are several."""
        before, _, serial = ref.rpartition("trace:")
        if not serial.isascii() or not serial.isdigit() or len(serial) > MOST_DIGITS:
            return None
        rows = self._traces.get(int(serial))
        if not before or rows is None:
            return None if rows is None else self.trace_row(int(serial))
        several = (rows,) if isinstance(rows, int) else rows[::-1]
        return next((row for row in several if before == f"run:{self._run_of(row)}/"), None)

    @property
    def _traces(self) -> Mapping[int, int | list[int]]:
        """Row of a trace by its number, or a list of rows if there are several."""
        column = self.column("trace_serial")
        rows = self._serials
        for row in range(self._serials_known, len(column)):
            serial = column[row]
            before = rows.setdefault(serial, row)
            if before != row:
                rows[serial] = [before, row] if isinstance(before, int) else [*before, row]
        self._serials_known = len(column)
        return rows

    def _run_of(self, row: int) -> int:
        """Returns the dump, from 1, that a trace was printed for: that of the first section after it."""
        sections = self.column("section_offset")
        behind = bisect_right(sections, self.column("trace_offset")[row])
        snapshots = self.column("section_snapshot")
        return int(snapshots[min(behind, len(snapshots) - 1)]) + 1 if len(snapshots) else 1

    def method(self, number: int) -> bytes:
        """Returns `class.method`, as in the file."""
        return self.text("method", number)

    def frame(self, number: int) -> bytes:
        """Returns a line of a stack: `class.method(source:line)`, as in the file."""
        return self.texts("frame")[number]

    def frame_label(self, number: int) -> str:
        """Returns a frame as text, its class with dots."""
        return frame_label(self.frame(number))

    def word(self, number: int) -> bytes:
        """Returns a word; empty for NONE."""
        return self.text("word", number)

    def class_name(self, number: int) -> bytes:
        """Returns the name of a class of a heap dump, without its id."""
        text = self.texts("class")[number]
        name, at, _ = text.rpartition(b"@")
        return name if at else text

    def stack(self, trace: int) -> memoryview:
        """Returns the frames of a row of traces, the innermost first."""
        first = self.column("trace_first")[trace]
        return self.column("stack")[first : first + self.column("trace_frames")[trace]]

    def pread(self, count: int, offset: int) -> bytes:
        """Reads bytes of the file."""
        return self.source.pread(count, offset)

    def line(self, offset: int) -> int | None:
        """Returns the number of the line of a byte, from 1; None if lines are unknown."""
        lines = self.column("lines")
        block = min(offset // LINE_BLOCK, len(lines) - 1)
        if block < 0:
            return None
        start = block * LINE_BLOCK
        return lines[block] + self.pread(offset - start, start).count(b"\n") + 1

    def sections(self, *kinds: int) -> list[int]:
        """Returns the rows of sections of some kinds, in file order."""
        column = bytes(self.column("section_kind"))
        return [*compress(range(len(column)), column.translate(bytes(kind in kinds for kind in range(256))))]

    def section_range(self, section: int) -> range:
        """Returns the rows of a section in its table."""
        first = self.column("section_first")[section]
        return range(first, first + self.column("section_rows")[section])

    def rows_of(
        self, sections: Sequence[int] | I64Array, first: str = "first", rows: str = "rows"
    ) -> tuple[I64Array, I64Array]:
        """Returns the rows of sections, one section after the other, and of each row the place of its section."""
        of = np.asarray(sections, np.int64)
        firsts, counts = (np.asarray(self.column(f"section_{name}"))[of].astype(np.int64) for name in (first, rows))
        places = np.repeat(np.arange(len(of)), counts)
        return np.arange(len(places)) + (firsts - np.cumsum(counts) + counts)[places], places


def _open(reader: IndexReader, name: str) -> memoryview | Packed:
    """Opens a column of an index, bitpacked or not: large dumps have other columns packed than small ones."""
    if name not in MAY_BE_PACKED or not reader.has(f"{name}_rows"):
        return reader.view(name)
    packing = Packing(reader.type(name), reader.type(f"{name}_values"), reader.has(f"{name}_base"))
    return open_packed(name, packing, reader.view)
