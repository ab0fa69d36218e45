"""The tables of a profile while plain code reads it: arrays that grow, and unique texts by number.

While a file is read, columns contain trace numbers instead of rows, as a trace may follow its first use: the number
with the bit LATE. `end` replaces them by rows. Targets of references are also resolved there.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from itertools import compress
from typing import TYPE_CHECKING, Any

import numpy as np

from parsers.formats.hprof.data.columns import (
    COLUMNS,
    IS_REPEATED,
    KEPT_PROBLEMS,
    MISSING_TRACE,
    NOWHERE,
    PROBLEM_KINDS,
    REPEATED_TRACE,
    TABLES,
    TEXT_TABLES,
)
from parsers.formats.hprof.text.lines import split_frame
from parsers.heapdump.graph.columns import HEAP_DUMP, IS_MISSING, PLAIN_OBJECT
from parsers.index.store import CODES
from parsers.index.texts import UniqueTexts
from parsers.model.none import NONE

if TYPE_CHECKING:
    from parsers.index.kernel_texts import KernelTexts
    from parsers.model.arrays import AnyArray

LATE = 0x8000_0000
"""Bit of a trace number in a column of rows of traces. NONE has it too, but is no trace number."""
NAMES = {table: tuple(columns) for table, columns in TABLES.items()}
OFFSET_OF = {
    "rank_trace": "rank_offset",
    "site_trace": "site_offset",
    "dumped_trace": "dumped_offset",
    "object_trace": "object_offset",
    "root_trace": "root_offset",
}
"""Columns of rows of traces, and the offset columns of their tables."""
MOST_LATE = LATE - 2
PENDING_ROWS = 1 << 12
"""Rows that are moved to columns together."""
MOST_32 = NONE - 1
MOST_63 = (1 << 63) - 1


NOTHING, A_TRACE, AN_OBJECT, A_MONITOR = range(4)
"""Records that lines with a leading tab may belong to."""


class ProfileTables:
    """All tables, empty at first. `columns` are as in `columns.COLUMNS`."""

    def __init__(self) -> None:
        self.columns: dict[str, array[int]] = {name: array(CODES[type]) for name, type in COLUMNS.items()}
        self._of_tables = {table: [self.columns[name] for name in names] for table, names in NAMES.items()}
        self._pending: dict[str, list[tuple[int, ...]]] = {table: [] for table in NAMES}
        """Rows that are not in the columns yet."""
        self.texts: dict[str, UniqueTexts | KernelTexts] = {name: UniqueTexts() for name in TEXT_TABLES}
        self.reference_ids: array[int] = array("Q")
        """Target ids of references."""
        self.problem_counts = [0] * len(PROBLEM_KINDS)
        self._rows: dict[int, int] = {}
        """Row by trace number, for the part of the file read so far."""
        self.first_of_file = 0
        """First row of traces of the part of the file read so far that has its own numbers."""

    def length(self, table: str) -> int:
        """Returns the number of rows of a table, named by the prefix of its columns."""
        filled = self.reference_ids if table == "reference" else self._of_tables[table][0]
        return len(filled) + len(self._pending[table])

    def add(self, table: str, *values: int) -> int:
        """Appends a row, values in the table's column order; returns its number. Values out of range become the
        largest in range.
        """
        if self._pending[table]:
            self._fill(table)
        columns = self._of_tables[table]
        for column, value in zip(columns, values, strict=True):
            try:
                column.append(value)
            except OverflowError:
                column.append(fitting(column.typecode, value))
        return len(columns[0]) - 1

    def add_rows(self, table: str, rows: Iterable[tuple[int, ...]]) -> None:
        """Appends rows as `add` does. Columns have them later: many at once take a fifth of the time. A table whose
        rows are added so can't be changed before `end`.
        """
        pending = self._pending[table]
        pending += rows
        if len(pending) >= PENDING_ROWS:
            self._fill(table)

    def _fill(self, table: str) -> None:
        """Moves pending rows to the columns of a table."""
        rows, self._pending[table] = self._pending[table], []
        if rows:
            self.extend(table, *zip(*rows, strict=True))

    def extend(self, table: str, *columns: Sequence[int]) -> None:
        """Appends rows, given column by column; else as `add`."""
        try:
            rows = [array(CODES[COLUMNS[name]], each) for name, each in zip(NAMES[table], columns, strict=True)]
        except OverflowError:
            for values in zip(*columns, strict=True):
                self.add(table, *values)
            return
        for name, row_values in zip(NAMES[table], rows, strict=True):
            self.columns[name].extend(row_values)

    def set(self, column: str, row: int, value: int) -> None:
        """Changes one value."""
        try:
            self.columns[column][row] = value
        except OverflowError:
            self.columns[column][row] = fitting(self.columns[column].typecode, value)

    def get(self, column: str, row: int) -> int:
        """Returns one value."""
        return self.columns[column][row]

    def number(self, table: str, text: bytes) -> int:
        """Returns the number of a text in one of the four tables of texts."""
        return self.texts[table].number(text)

    def numbers(self, table: str, texts: Sequence[bytes]) -> list[int]:
        """Returns the numbers of texts."""
        return self.texts[table].numbers(texts)

    # -- traces -------------------------------------------------------------------------------------------------------

    def add_trace(self, offset: int, serial: int, thread: int, phase: int) -> int:
        """Adds a TRACE record; its frames follow."""
        return self.add("trace", offset, serial, thread, self.length("stack"), 0, phase, self._number(offset, serial))

    def _number(self, offset: int, serial: int) -> int:
        """Gives the next trace its number; returns its flags."""
        is_repeated = self._row(serial) >= self.first_of_file
        self._set_row(serial, self.length("trace"))
        if is_repeated:
            self.find(REPEATED_TRACE, offset, serial)
        return IS_REPEATED if is_repeated else 0

    def add_whole_trace(self, offset: int, serial: int, thread: int, frames: Iterable[bytes]) -> None:
        """Adds a TRACE record with its frames."""
        stack, number = self.columns["stack"], self.texts["frame"].number
        first = len(stack)
        stack.extend([number(frame) for frame in frames])
        flags = self._number(offset, serial)
        self.add_rows("trace", ((offset, serial, thread, first, len(stack) - first, 0, flags),))

    def add_frame(self, text: bytes) -> None:
        """Adds a frame to the last trace."""
        self.columns["stack"].append(self.texts["frame"].number(text))
        self.columns["trace_frames"][-1] += 1

    def trace(self, serial: int) -> int:
        """Returns the value for a trace number in a column of rows of traces."""
        row = self._row(serial)
        return min(serial, MOST_LATE) | LATE if row < 0 else row

    def traces(self, serials: Sequence[int]) -> list[int]:
        """Returns the values for trace numbers."""
        rows = map(self._rows.get, serials)
        return [
            min(serial, MOST_LATE) | LATE if row is None else row for serial, row in zip(serials, rows, strict=True)
        ]

    def begin_file(self) -> None:
        """Begins another file: it has its own numbers, which apply to all that follows."""
        self.first_of_file = self.length("trace")

    # -- heaps --------------------------------------------------------------------------------------------------------

    def add_object(
        self, id: int, offset: int, size: int, serial: int, class_text: bytes, elements: int, kind: int, is_cut: bool
    ) -> None:
        """Adds an OBJ, ARR or CLS record; its references follow."""
        number = self.number("class", class_text)
        trace = self.trace(serial) if serial != NONE else NONE
        if is_cut:
            self.add("cut", self.length("object"))
        self.add("object", id, offset, size, trace, number, elements, self.length("reference"), kind)

    def add_objects(
        self,
        ids: Sequence[int],
        offsets: Sequence[int],
        sizes: Sequence[int],
        serials: Sequence[int],
        class_texts: Sequence[bytes],
    ) -> list[int]:
        """Adds OBJ records without references, of numbers in their range; returns the numbers of their classes."""
        numbers, zeros = self.numbers("class", class_texts), [0] * len(ids)
        traces, firsts = self.traces(serials), [self.length("reference")] * len(ids)
        self.extend("object", ids, offsets, sizes, traces, numbers, zeros, firsts, [PLAIN_OBJECT] * len(ids))
        return numbers

    def add_reference(self, id: int, label: int) -> None:
        """Adds a reference to the last object."""
        self.reference_ids.append(id)
        self.columns["reference_label"].append(label)

    # -- problems -----------------------------------------------------------------------------------------------------

    def find(self, kind: int, offset: int, value: int = 0) -> None:
        """Records a problem."""
        self.problem_counts[kind] += 1
        if self.problem_counts[kind] <= KEPT_PROBLEMS:
            self.add("problem", offset, value, kind)

    def find_all(self, kind: int, offsets: Sequence[int], values: Sequence[int] | None = None) -> None:
        """Records problems of a kind."""
        kept = max(KEPT_PROBLEMS - self.problem_counts[kind], 0)
        self.problem_counts[kind] += len(offsets)
        for place, offset in enumerate(offsets[:kept]):
            self.add("problem", offset, values[place] if values is not None else 0, kind)

    def find_more(self, kind: int, count: int) -> bool:
        """Counts further problems of a kind; False if there may be some to be recorded."""
        if self.problem_counts[kind] < KEPT_PROBLEMS:
            return False
        self.problem_counts[kind] += count
        return True

    # -- end of the input ---------------------------------------------------------------------------------------------

    def end(self) -> None:
        """Ends the input: resolves trace numbers and references."""
        for table in NAMES:
            self._fill(table)
        self._join_traces()
        self._join_objects()
        self._split_frames()

    def _join_traces(self) -> None:
        """Replaces trace numbers by rows; adds rows for missing traces."""
        missing = dict[int, int]()
        for name in OFFSET_OF:
            rows, column = self._late_in(name)
            places = np.flatnonzero((column >= LATE) & (column != NONE))
            if not len(places):
                continue
            values, first, which = np.unique(column[places], return_index=True, return_inverse=True)
            order = np.argsort(first)
            serials = (values[order] - LATE).tolist()
            found = np.array([self._row(serial) for serial in serials])
            if missing:
                found = np.maximum(found, [missing.get(serial, -1) for serial in serials])
            is_new, start = found < 0, self.length("trace")
            new = list(compress(serials, is_new.tolist()))
            count = len(new)
            found[is_new] = range(start, start + count)
            missing.update(zip(new, range(start, start + count), strict=True))
            zeros, stack = [0] * count, [self.length("stack")] * count
            self.extend("trace", [NOWHERE] * count, new, [NONE] * count, stack, zeros, zeros, [IS_MISSING] * count)
            at, offsets = places[first[order]][is_new], self.column(OFFSET_OF[name])
            self.find_all(MISSING_TRACE, [offsets[row] for row in (at if rows is None else rows[at]).tolist()], new)
            rows_of = np.zeros(len(values), np.uint32)
            rows_of[order] = found
            column[places] = rows_of[which]

    def _late_in(self, name: str) -> tuple[AnyArray | None, AnyArray]:
        """Returns the rows of a column that may contain trace numbers, None for all, and their values to be changed."""
        return None, np.asarray(self.columns[name])

    def _row(self, serial: int) -> int:
        """Returns the row of a trace number; -1 if there is none."""
        return self._rows.get(serial, -1)

    def _set_row(self, serial: int, row: int) -> None:
        """Sets the row of a trace number."""
        self._rows[serial] = row

    def column(self, name: str) -> Any:
        """Returns the current state of a column."""
        return self.columns[name]

    def _join_objects(self) -> None:
        """Resolves targets of references and of roots, dump by dump; counts references to each object."""
        columns = self.columns
        columns["object_first"].append(len(self.reference_ids))
        targets, first_of, ids = columns["reference_target"], columns["object_first"], columns["object_id"]
        for section, kind in enumerate(columns["section_kind"]):
            if kind != HEAP_DUMP:
                continue
            start = columns["section_first"][section]
            stop = start + columns["section_rows"][section]
            rows = {ids[row]: row for row in range(start, stop)}
            targets.extend(rows.get(id, NONE) for id in self.reference_ids[first_of[start] : first_of[stop]])
            first_root = columns["section_more"][section]
            for root in range(first_root, first_root + columns["section_more_rows"][section]):
                columns["root_object"][root] = rows.get(columns["root_id"][root], NONE)
        self._transpose(targets)

    def _transpose(self, targets: Iterable[int]) -> None:
        leading: list[list[int]] = [[] for _ in range(self.length("object"))]
        for reference, target in enumerate(targets):
            if target != NONE:
                leading[target].append(reference)
        firsts, referrers = self.columns["referrer_first"], self.columns["referrer"]
        for references in leading:
            firsts.append(len(referrers))
            referrers.extend(references)
        firsts.append(len(referrers))

    def _split_frames(self) -> None:
        sources: dict[bytes | None, int] = {None: NONE}
        methods = self.texts["method"]
        columns = [self.columns[name] for name in NAMES["frame"]]
        for text in self.texts["frame"].texts:
            method, source, line = split_frame(text)
            if source not in sources:
                sources[source] = self.number("word", source or b"")
            for column, value in zip(columns, (methods.number(method), sources[source], line), strict=True):
                column.append(value)


class ReadingState:
    """Tables that are being filled, and the record that was read last."""

    def __init__(self, tables: ProfileTables) -> None:
        self.tables = tables
        self.open = NOTHING
        """Record that lines with a leading tab belong to."""


def fitting(typecode: str, value: int) -> int:
    """Clips a value to the range of a column, excluding the column's special values."""
    if typecode == "q":
        return max(min(value, MOST_63), -MOST_63)
    return max(min(value, {"B": 0xFF, "H": 0xFFFF, "I": MOST_32}.get(typecode, NOWHERE - 1)), 0)
