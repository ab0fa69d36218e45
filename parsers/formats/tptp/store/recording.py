"""Reader of a recording: columns, words and bytes, from an index or from plain tables.

recording.column("thread_id")[0]       by number, see `columns`; large ones are bitpacked, with the same interface
recording.word(recording.column("thread_name")[0])      b"main"
recording.rows("thread")               number of rows of a table
recording.rows_with("thread_id", 42)   rows of an id, which may have been reused, in file order
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from parsers.formats.tptp.join.name_table import id_text
from parsers.formats.tptp.schema.columns import COLUMNS, OF_SESSIONS, PACKED, TABLES
from parsers.index.bitpacked.columns import Packed, numbers, open_packed
from parsers.index.column_store import ColumnStore, FirstUse
from parsers.index.texts import Texts
from parsers.model.late import numpy as np
from parsers.model.none import NONE

if TYPE_CHECKING:
    from parsers.formats.tptp.join.tables import TraceTables
    from parsers.index.store import IndexReader
    from parsers.io.plain import PlainBytes
    from parsers.model.arrays import AnyArray, I64Array, U32Array


class TraceRecording:
    """One recording. Columns grow while an index grows; request them again after each `follow`."""

    def __init__(self, source: PlainBytes, read_head: Callable[[], TraceTables] | None = None) -> None:
        """read_head: makes tables of the first bytes; called on first access while no index is complete"""
        self.source = source
        self._head = FirstUse(None if read_head is None else lambda: self.take_plain(read_head()))
        self.is_complete = False
        """True if all is known and joined."""
        self.facts: Mapping[str, Any] = {}
        """Facts that are not in the tables; empty until the recording is complete. See `JoinedSessions`."""
        self._columns = ColumnStore(COLUMNS, _open)
        self._words: Sequence[bytes] = ()
        self._moves: tuple[U32Array, I64Array] | None = None

    def take_plain(self, tables: TraceTables, facts: Mapping[str, Any] | None = None) -> None:
        """Uses plain tables, which must not grow any more. With facts given, the recording is complete."""
        columns = {name: memoryview(column) for name, column in tables.columns.items()}
        self.take_arrays(columns, tables.words.texts, facts)

    def take_arrays(
        self, columns: Mapping[str, Sequence[int]], words: Sequence[bytes], facts: Mapping[str, Any] | None
    ) -> None:  # fmt: skip
        """Uses columns. With facts given, the recording is complete."""
        self._columns.take(columns)
        self._words, self._moves = words, None
        self.is_complete, self.facts = facts is not None, facts or {}

    def add_columns(self, columns: Mapping[str, AnyArray]) -> None:
        """Adds columns computed from others, as the index will have them."""
        self._columns.add(columns)

    def take_index(self, reader: IndexReader) -> None:
        """Uses an index, which may still grow."""
        if reader.is_complete:
            self._head.omit()
        self._head.do()
        self._moves = None
        # Columns not published while the index grows keep the values read from the head.
        self._columns.follow(reader, lambda name: not (reader.is_complete or reader.has(name)))
        if reader.has("word_starts"):
            self._words = Texts(reader.view("word_starts"), reader.view("word_bytes"))
        self.is_complete = reader.is_complete
        if reader.is_complete:
            self.facts = reader.facts

    def column(self, name: str) -> Sequence[int]:
        """Returns a column in its current state: a memoryview, or bitpacked. Raises `KeyError` if it doesn't exist.

        The index may have columns that are not in `columns.COLUMNS`: those that views store.
        """
        self._head.do()
        found: Sequence[int] = self._columns[name]
        return found

    def numbers(self, name: str, chosen: slice | range | AnyArray = slice(None)) -> AnyArray:
        """Returns the numbers of a column, of a slice, a range or an array of rows."""
        rows = slice(chosen.start, chosen.stop) if isinstance(chosen, range) else chosen
        found: AnyArray = numbers(self.column(name), rows)
        return found

    def rows(self, table: str) -> int:
        """Returns the number of rows of a table, by its name in `columns.TABLES`."""
        return len(self.column(next(iter(TABLES[table]))))

    @property
    def words(self) -> Sequence[bytes]:
        """All unique words."""
        self._head.do()
        return self._words

    def word(self, number: int) -> bytes:
        """Returns a word; empty for NONE."""
        return self.words[number] if number != NONE else b""

    def text(self, number: int) -> str:
        """Returns a word, decoded."""
        return self.word(number).decode("utf-8", "replace")

    def id_text(self, id: int) -> str:
        """Returns an id of a column as the file writes it; empty for none."""
        return id_text(id, self.word)

    # -- sessions -----------------------------------------------------------------------------------------------------

    @property
    def sessions(self) -> int:
        """Number of sessions."""
        return self.rows("session")

    def session_rows(self, session: int, table: str) -> range:
        """Returns the rows of a session in a table; all known rows while the recording is incomplete."""
        if table not in OF_SESSIONS:
            raise KeyError(table)
        firsts = self.column(f"session_first_{table}")
        if not len(firsts):
            return range(self.rows(table))
        first = firsts[session] if session < len(firsts) else self.rows(table)
        return range(first, firsts[session + 1] if session + 1 < len(firsts) else self.rows(table))

    def session_of(self, table: str, row: int) -> int:
        """Returns the session of a row."""
        firsts = self.column(f"session_first_{table}")[: self.sessions]
        return max(bisect_right(firsts, row) - 1, 0)

    def sessions_of(self, table: str, rows: range | I64Array) -> I64Array:
        """Returns the sessions of rows."""
        firsts = np.asarray(self.column(f"session_first_{table}")[: self.sessions]).astype(np.int64)
        asked = np.arange(rows.start, rows.stop) if isinstance(rows, range) else rows
        return np.maximum(np.searchsorted(firsts, asked, "right") - 1, 0)

    def of_thread(self, table: str, thread: int) -> range:
        """The places of the states or calls of a thread in `state_of_thread` or `call_of_thread`."""
        firsts = self.column(f"thread_first_{table}")
        return range(int(firsts[thread]), int(firsts[thread + 1]))

    # -- ids ----------------------------------------------------------------------------------------------------------

    def rows_with(self, name: str, value: int, rows: range | None = None) -> list[int]:
        """Returns the rows, of some or all, in which a column has a value, in file order."""
        column = self.column(name)
        return _places(column, value, range(len(column)) if rows is None else rows)

    def row_at(self, table: str, id: int, offset: int, session: int) -> int | None:
        """Returns the row of a session that an id denotes at a byte of the file: the last one by then, else the first.

        An object is also found by the ids that it was moved to.
        """
        rows = self.rows_with(f"{table}_id", id, self.session_rows(session, table))
        if table == "object":
            moved = self.rows_with("move_id", id, self.session_rows(session, "move"))
            rows = sorted({*rows, *(int(self.column("move_object")[move]) for move in moved)})
        offsets = self.column(f"{table}_offset")
        before = [row for row in rows if offsets[row] <= offset]
        return before[-1] if before else rows[0] if rows else None

    def object_id(self, row: int, offset: int) -> int:
        """Returns the id that an object had at a byte of the file."""
        if self.rows("move"):
            objects, moves = self._moves_by_object()
            first, last = bisect_left(objects, row), bisect_right(objects, row)
            offsets = self.column("move_offset")
            before = bisect_right(range(first, last), offset, key=lambda place: int(offsets[int(moves[place])]))
            if before:
                return int(self.column("move_id")[int(moves[first + before - 1])])
        return int(self.column("object_id")[row])

    def _moves_by_object(self) -> tuple[U32Array, I64Array]:
        """Returns the objects of all moves, ascending, and the moves, in file order for each object."""
        if self._moves is None:
            objects = self.numbers("move_object")
            order = np.argsort(objects, kind="stable")
            self._moves = objects[order], order
        return self._moves

    def pread(self, count: int, offset: int) -> bytes:
        """Reads bytes of the decompressed recording."""
        return self.source.pread(count, offset)


def _open(reader: IndexReader, name: str) -> Sequence[int]:
    """Returns a column of an index, bitpacked or not."""
    if name in PACKED:
        return open_packed(name, PACKED[name], reader.view)
    return reader.view(name)


def _places(column: Sequence[int], value: int, rows: range) -> list[int]:
    """Returns the positions of a value in a range of a column."""
    if not len(rows):
        return []
    if isinstance(column, Packed):
        return [row for row in column.find(value) if row in rows]
    if len(rows) < MANY:
        return [row for row in rows if column[row] == value]
    return (np.flatnonzero(np.asarray(column)[rows.start : rows.stop] == value) + rows.start).tolist()


MANY = 10_000
"""Number of rows from which loading numpy costs less than a loop over the rows."""
