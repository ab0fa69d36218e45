"""The tables of a recording while kernels read it: records that they write, and hash tables that grow.

tables = KernelTables(writer)
tables.make_room(events, spellings)
join_events(..., tables.room)

Records are in temporary files, so that they don't count as memory of the process.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from parsers.formats.tptp.join.buffers import (
    CLASS_IDS,
    COLLECTION_NOW,
    COUNTS,
    DUMP_IDS,
    DUMP_NOW,
    EARLIEST,
    FINISHED,
    FIRST_MOMENT,
    HASHED,
    IS_COLLECTING,
    KINDS,
    LATEST,
    LIVE,
    LIVE_BYTES,
    METHOD_IDS,
    NO_METHOD,
    NO_THREAD,
    OPEN_CALLS,
    OPEN_KEYS,
    PAGE,
    PAGE_BITS,
    PAGED,
    PAUSE_START,
    POOL,
    RECORDS,
    ROWS,
    STATE_SIZE,
    THREAD_IDS,
    TOUCHED,
    Ids,
    Room,
    record_of,
)
from parsers.formats.tptp.join.kernels.calls import rehash_nodes
from parsers.formats.tptp.join.kernels.ids import rehash_ids
from parsers.formats.tptp.join.kernels.open_calls import rehash_open
from parsers.formats.tptp.join.name_table import FIRST_WORDS
from parsers.formats.tptp.schema.columns import COLUMNS, KEPT_FINDINGS, NEVER, NONE, OF_SESSIONS, TABLES
from parsers.index.texts import UniqueTexts
from parsers.index.writer import Growing, Writer

SMALLEST = 1 << 10
"""Initial capacity of tables in rows, and of hash tables in ids."""
ROWS_OF_EVENT = 2
"""Most rows that an event adds to a table: threads, things."""
IDS_OF_EVENT = 4
"""Most new ids in an event."""
KEYS_OF_CALL = 2
"""Keys of an open call: its ticket, its method."""
HASHES: dict[str, int] = {
    "hashed": HASHED,
    "thread": THREAD_IDS,
    "class": CLASS_IDS,
    "method": METHOD_IDS,
    "dump": DUMP_IDS,
}
"""Hash tables of `Ids`, and the indices of their entry counts in `state`."""


class KernelTables:
    """All tables. `room` is passed to kernels; `make_room` may replace it."""

    def __init__(self, writer: Writer) -> None:
        self.words = UniqueTexts()
        for word in FIRST_WORDS:
            self.words.number(word)
        self.sessions: dict[str, list[int]] = {name: [] for name in TABLES["session"]}
        """Columns of sessions, and each session's first row in other tables."""
        self.sessions |= {f"session_first_{table}": [] for table in OF_SESSIONS}
        self._records = {table: record_of(table) for table in RECORDS.values()}
        self._growing: dict[str, Growing] = {}
        for table, record in self._records.items():
            rows = KINDS * KEPT_FINDINGS + 1 if table == "finding" else SMALLEST
            self._growing[table] = writer.grow(f"rows_{table}", f"V{record.itemsize}", rows, False)
        self._things = writer.grow("things", "u4", SMALLEST, False)
        self._things_ended = writer.grow("things_ended", "u1", SMALLEST, False)
        self._hashes: dict[str, tuple[Any, Any]] = {}
        self._slots = np.zeros(SMALLEST, np.uint32)
        self._open_slots = np.zeros((2, SMALLEST), np.int64)
        self._spelled = np.full(SMALLEST, NONE, np.uint32)
        self._touched = np.zeros(SMALLEST, np.uint32)
        state = np.zeros(STATE_SIZE, np.int64)
        self.room = self._room_of(state, np.zeros(COUNTS, np.int64), np.zeros(KINDS, np.int64), self._new_ids())

    def _new_ids(self) -> Ids:
        for name in HASHES:
            self._hashes[name] = np.full(SMALLEST, NEVER, np.int64), np.zeros(SMALLEST, np.uint32)
        return self._ids(np.zeros(PAGED >> PAGE_BITS, np.uint32))

    def _ids(self, pages: Any) -> Ids:
        return Ids(
            pages, self._things.array, self._things_ended.array,
            *(array for name in HASHES for array in self._hashes[name]),
        )  # fmt: skip

    def _room_of(self, state: Any, counts: Any, found: Any, ids: Ids) -> Room:
        records = {
            field: self._growing[table].array.view(self._records[table]) for field, table in RECORDS.items()
        }  # fmt: skip
        return Room(
            state=state, counts=counts, found=found, node_slots=self._slots, open_slots=self._open_slots,
            spelled=self._spelled, touched=self._touched, ids=ids, **records,
        )  # fmt: skip

    # -- capacity -----------------------------------------------------------------------------------------------------

    def length(self, table: str) -> int:
        """Returns the number of rows of a table."""
        return len(self.sessions["session_offset"]) if table == "session" else int(self.room.state[ROWS.index(table)])

    def make_room(self, events: int, spellings: int) -> None:
        """Ensures capacity for a number of further events, and for a total number of element spellings."""
        room = self.room
        is_changed = False
        for table, growing in self._growing.items():
            if table != "finding":
                more = int(room.state[TOUCHED]) if table == "counted" else 0
                is_changed |= growing.ensure(self.length(table) + ROWS_OF_EVENT * events + more + 1)
        slots = int(room.state[POOL]) + IDS_OF_EVENT * events * PAGE + PAGE
        is_changed |= self._things.ensure(slots)
        is_changed |= self._things_ended.ensure(slots)
        for name, count in HASHES.items():
            needed = 2 * (int(room.state[count]) + IDS_OF_EVENT * events)
            ids, rows = self._hashes[name]
            if needed > len(ids):
                size = 1 << (2 * needed).bit_length()
                self._hashes[name] = np.full(size, NEVER, np.int64), np.zeros(size, np.uint32)
                rehash_ids(ids, rows, *self._hashes[name])
                is_changed = True
        nodes = self.length("node")
        if 2 * (nodes + events) > len(self._slots):
            self._slots = np.zeros(1 << (4 * (nodes + events)).bit_length(), np.uint32)
            rehash_nodes(self._slots, room.nodes[:nodes])
            is_changed = True
        open = KEYS_OF_CALL * (int(room.state[OPEN_CALLS]) + events)
        if 2 * (int(room.state[OPEN_KEYS]) + open) > self._open_slots.shape[1]:
            smaller, self._open_slots = self._open_slots, np.zeros((2, 1 << (8 * open).bit_length()), np.int64)
            room.state[OPEN_KEYS] = rehash_open(smaller, self._open_slots, room)
            is_changed = True
        if spellings > len(self._spelled):
            before, self._spelled = self._spelled, np.full(2 * spellings, NONE, np.uint32)
            self._spelled[: len(before)] = before
            touched, self._touched = self._touched, np.zeros(2 * spellings, np.uint32)
            self._touched[: len(touched)] = touched
            is_changed = True
        if is_changed:
            self.room = self._room_of(room.state, room.counts, room.found, self._ids(room.ids.pages))

    def larger(self) -> None:
        """Enlarges all hash tables, as many ids would."""
        most = max(len(self._slots), *(len(ids) for ids, _ in self._hashes.values()))
        self.make_room(most, len(self._spelled) + 1)

    # -- sessions -----------------------------------------------------------------------------------------------------

    def begin_session(self, offset: int, word: int) -> None:
        """Begins a session with its own ids."""
        self.end_rows()
        for name, value in zip(TABLES["session"], (offset, offset, word, NEVER, NEVER, NEVER, 1), strict=True):
            self.sessions[name].append(value)
        state = self.room.state
        used = int(state[POOL])
        self._things.array[:used] = 0
        self._things_ended.array[:used] = 0
        for place in (POOL, *HASHES.values(), OPEN_CALLS, OPEN_KEYS, LIVE, LIVE_BYTES, FINISHED, IS_COLLECTING):
            state[place] = 0
        for place in (FIRST_MOMENT, EARLIEST, LATEST, PAUSE_START):
            state[place] = NEVER
        for place in (NO_THREAD, NO_METHOD, COLLECTION_NOW, DUMP_NOW):
            state[place] = -1
        self._open_slots = np.zeros((2, SMALLEST), np.int64)
        self.room = self._room_of(state, np.zeros(COUNTS, np.int64), self.room.found, self._new_ids())

    def end_rows(self) -> None:
        """Records the end of the session's rows, which is the start of the next session's."""
        for table in OF_SESSIONS:
            self.sessions[f"session_first_{table}"].append(self.length(table))

    def forget_ids(self) -> None:
        """Frees the hash tables: no more input follows."""
        none = np.zeros(0, np.uint32)
        self._slots, self._hashes = none, {name: (none.astype(np.int64), none) for name in HASHES}
        self.room = self.room._replace(node_slots=none, ids=self._ids(none))

    # -- columns ------------------------------------------------------------------------------------------------------

    def rows(self, table: str) -> Any:
        """Returns the records of a table."""
        return self._growing[table].array.view(self._records[table])[: self.length(table)]

    def column(self, name: str) -> Any:
        """Returns the current state of a column: a numpy array, mostly a view of records."""
        if name in self.sessions:
            return np.array(self.sessions[name], np.dtype(COLUMNS[name]))
        return self.rows(name.partition("_")[0])[name]
