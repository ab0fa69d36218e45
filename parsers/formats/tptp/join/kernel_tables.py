"""The tables of a recording while kernels read it: records that they write, and hash tables that grow.

tables = KernelTables(writer)
tables.ensure_capacity(events, name_count)
join_events(..., tables.buffers)

Records are in temporary files, so that they don't count as memory of the process.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from parsers.formats.tptp.join.buffers import (
    COUNTS,
    FEW,
    KINDS,
    PAGE,
    PAGE_BITS,
    PAGED,
    RECORDS,
    SPARSE,
    IdTables,
    JoinState,
    TraceBuffers,
    field_of,
    record_of,
)
from parsers.formats.tptp.join.kernels.calls import rehash_nodes
from parsers.formats.tptp.join.kernels.events import flush_counts
from parsers.formats.tptp.join.kernels.open_calls import KEYS_OF_CALL, rehash_open
from parsers.formats.tptp.join.name_table import FIRST_WORDS
from parsers.formats.tptp.schema.columns import COLUMNS, KEPT_FINDINGS, NEVER, OF_SESSIONS, TABLES
from parsers.index.kernel_texts import KernelTexts
from parsers.index.writer import GrowingArray, Writer
from parsers.kernels.id_table import IdTable, larger_ids, new_ids
from parsers.model.none import NONE

if TYPE_CHECKING:
    from parsers.model.arrays import AnyArray, I64Array, RecordArray, U32Array

SMALLEST = 1 << 10
"""Initial capacity of tables in rows, and of hash tables of calls and nodes in slots."""
ROWS_OF_EVENT = 2
"""Most rows that an event adds to a table: threads, entities."""
IDS_OF_EVENT = 4
"""Most new ids in an event, beside those of the methods of a class that ends."""
HASHES = ("hashed", "threads", "classes", "methods", "dumps")
"""Hash tables of `IdTables`."""
LENGTHS = {table: field for field, table in RECORDS.items()}
"""Fields of `JoinState` by table."""


class TraceKernelTables:
    """All tables. `buffers` is passed to kernels; `ensure_capacity` may replace it."""

    def __init__(self, writer: Writer) -> None:
        self.words = KernelTexts()
        self.words.numbers(FIRST_WORDS)
        self.sessions: dict[str, list[int]] = {name: [] for name in TABLES["session"]}
        """Columns of sessions, and each session's first row in other tables."""
        self.sessions |= {f"session_first_{table}": [] for table in OF_SESSIONS}
        self._records = {table: record_of(table) for table in RECORDS.values()}
        self._growing: dict[str, GrowingArray] = {}
        for table, record in self._records.items():
            rows = KINDS * KEPT_FINDINGS + 1 if table == "finding" else SMALLEST
            self._growing[table] = writer.grow(f"rows_{table}", f"V{record.itemsize}", rows, False)
        self._entities = writer.grow("entities", "u4", SMALLEST, False)
        self._ended_kinds = writer.grow("ended_kinds", "u1", SMALLEST, False)
        self._hashes: dict[str, IdTable] = {}
        self._slots = np.zeros(SMALLEST, np.uint32)
        self._open_slots = np.zeros((2, SMALLEST), np.int64)
        self._element_rows = np.full(SMALLEST, NONE, np.uint32)
        self._touched = np.zeros(SMALLEST, np.uint32)
        self.state = JoinState()
        state = np.frombuffer(memoryview(self.state), np.dtype(JoinState))
        self.buffers = self._make_buffers(state, np.zeros(COUNTS, np.int64), np.zeros(KINDS, np.int64), self._new_ids())

    def _new_ids(self) -> IdTables:
        self._hashes = {name: new_ids() for name in HASHES}
        return self._ids(np.zeros(PAGED >> PAGE_BITS, np.uint32))

    def _ids(self, pages: U32Array) -> IdTables:
        return IdTables(pages, self._entities.array, self._ended_kinds.array, **self._hashes)

    def _make_buffers(self, state: RecordArray, counts: I64Array, found: I64Array, ids: IdTables) -> TraceBuffers:
        records = {
            field: self._growing[table].array.view(self._records[table]) for field, table in RECORDS.items()
        }  # fmt: skip
        return TraceBuffers(
            state=state, counts=counts, found=found, node_slots=self._slots, open_slots=self._open_slots,
            element_rows=self._element_rows, touched=self._touched, ids=ids, **records,
        )  # fmt: skip

    # -- capacity -----------------------------------------------------------------------------------------------------

    def length(self, table: str) -> int:
        """Returns the number of rows of a table."""
        if table == "session":
            return len(self.sessions["session_offset"])
        return getattr(self.state, LENGTHS[table]) if table in LENGTHS else 0

    def ensure_capacity(self, events: int, name_count: int) -> None:
        """Ensures capacity for a number of further events, and for a total number of element spellings."""
        state = self.state
        is_changed = False
        for table, growing in self._growing.items():
            if table != "finding":
                more = state.touched if table == "counted" else 0
                is_changed |= growing.ensure(self.length(table) + ROWS_OF_EVENT * events + more + 1)
        ids = IDS_OF_EVENT * events + int(self._hashes["methods"].used[0])
        pages = min(ids, max(0, SPARSE * (state.objects + events + FEW) - state.pool) // PAGE + 1)
        slots = state.pool + ids + (pages + 1) * PAGE
        is_changed |= self._entities.ensure(slots)
        is_changed |= self._ended_kinds.ensure(slots)
        if name_count > len(self._element_rows):
            before, self._element_rows = self._element_rows, np.full(2 * name_count, NONE, np.uint32)
            self._element_rows[: len(before)] = before
            touched, self._touched = self._touched, np.zeros(2 * name_count, np.uint32)
            self._touched[: len(touched)] = touched
            is_changed = True
        if is_changed:
            self._renew_buffers()

    def enlarge(self) -> None:
        """Enlarges the hash tables of which half of the slots are used."""
        buffers, state = self.buffers, self.state
        state.is_full = 0
        for name, table in self._hashes.items():
            used = int(table.used[0]) + (int(self._hashes["methods"].used[0]) if name == "hashed" else 0)
            if 2 * used >= len(table.ids):
                self._hashes[name] = larger_ids(table, max(used, len(table.ids) // 4))
        nodes = self.length("node")
        if 2 * nodes >= len(self._slots):
            self._slots = np.zeros(1 << max(4 * nodes, len(self._slots)).bit_length(), np.uint32)
            rehash_nodes(self._slots, buffers.nodes[:nodes])
        open = KEYS_OF_CALL * state.open_calls
        smaller = self._open_slots
        if 2 * (state.open_keys + open) >= smaller.shape[1]:
            self._open_slots = np.zeros((2, 1 << max(8 * open, SMALLEST).bit_length()), np.int64)
            state.open_keys = rehash_open(smaller, self._open_slots, buffers.calls)
        self._renew_buffers()

    def _renew_buffers(self) -> None:
        buffers = self.buffers
        self.buffers = self._make_buffers(buffers.state, buffers.counts, buffers.found, self._ids(buffers.ids.pages))

    def flush_counts(self) -> None:
        """Writes the element counts of the last block."""
        buffers = self.buffers
        flush_counts(buffers.state, buffers.touched, buffers.elements, buffers.counted)

    # -- sessions -----------------------------------------------------------------------------------------------------

    def begin_session(self, offset: int, word: int) -> None:
        """Begins a session with its own ids."""
        self.end_rows()
        for name, value in zip(TABLES["session"], (offset, offset, word, NEVER, NEVER, NEVER, 1), strict=True):
            self.sessions[name].append(value)
        state = self.state
        self._entities.array[: state.pool] = 0
        self._ended_kinds.array[: state.pool] = 0
        state.pool = state.open_calls = state.open_keys = 0
        state.live = state.live_bytes = state.finished = state.is_collecting = 0
        state.first_moment = state.earliest = state.latest = state.pause_start = NEVER
        state.no_thread = state.no_method = state.collection_now = state.dump_now = -1
        self._open_slots = np.zeros((2, SMALLEST), np.int64)
        buffers = self.buffers
        self.buffers = self._make_buffers(buffers.state, np.zeros(COUNTS, np.int64), buffers.found, self._new_ids())

    def end_rows(self) -> None:
        """Records the end of the session's rows, which is the start of the next session's."""
        for table in OF_SESSIONS:
            self.sessions[f"session_first_{table}"].append(self.length(table))

    def forget_ids(self) -> None:
        """Frees the hash tables: no more input follows."""
        none = np.zeros(0, np.uint32)
        self._slots, self._hashes = none, dict.fromkeys(HASHES, new_ids())
        self.buffers = self.buffers._replace(node_slots=none, ids=self._ids(none))

    # -- columns ------------------------------------------------------------------------------------------------------

    def rows(self, table: str) -> AnyArray:
        """Returns the records of a table."""
        found: AnyArray = self._growing[table].array.view(self._records[table])[: self.length(table)]
        return found

    def column(self, name: str) -> AnyArray:
        """Returns the current state of a column: a numpy array, mostly a view of records."""
        if name in self.sessions:
            return np.array(self.sessions[name], np.dtype(COLUMNS[name]))
        return self.rows(name.partition("_")[0])[field_of(name)]
