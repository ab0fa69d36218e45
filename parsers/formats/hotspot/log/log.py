"""Reading a log: columns, texts by number and bytes, from an index or from plain columns.

log.column("task_id")[0]                     a memoryview by number; see `columns`
log.method(log.column("task_method")[0])     b"java.lang.Object &lt;init&gt; ()V"
log.pread(100, log.column("task_start")[0])  bytes at a run offset
"""

from __future__ import annotations

import json
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from parsers.formats.hotspot.decisions.published_tables import DecisionTables
from parsers.formats.hotspot.log.columns import COLUMNS, IN_FRAGMENT, NO_WORD
from parsers.formats.hotspot.log.part import LINE_BLOCK, LogFile
from parsers.index.column_store import ColumnStore, FirstUse
from parsers.index.texts import Texts
from parsers.model.none import NONE

if TYPE_CHECKING:
    from parsers.formats.hotspot.log.read.plain_log import PlainLog
    from parsers.index.store import IndexReader
    from parsers.io.plain import PlainBytes


class Log:
    """A run of one or more files. Columns grow with the index; get them again after each `follow`."""

    def __init__(self, source: PlainBytes, read_head: Callable[[], PlainLog] | None = None) -> None:
        """read_head: makes columns of the first bytes; called on first access while there is no index"""
        self.source = source
        self._head = FirstUse(None if read_head is None else lambda: self.take_plain(read_head()))
        self.parts: list[LogFile] = []
        """The files, in order; complete when the log is."""
        self.is_joined = False
        """True if pass 1 is done: all tasks and events are known and joined."""
        self.is_complete = False
        """True if all is known, including the contents of the tasks."""
        self.tables: DecisionTables | None = None
        """Tables of the contents of tasks as far as known; None if nothing is known."""
        self._in_flight: list[int] | None = None
        self._in_flight_by: dict[str, Counter[int]] = {}
        self._counted = (0, 0, 0)
        """Newlines that were counted last: the offsets between which, and their number."""
        self._columns = ColumnStore(COLUMNS)
        self._methods: Sequence[bytes] = ()
        self._words: Sequence[bytes] = ()

    def take_plain(self, log: PlainLog, is_complete: bool = False) -> None:
        """Uses plain columns, which must not grow any more; sets the parts if the columns are of the whole log."""
        columns = {**log.columns, "lines": log.lines}
        self._columns.take({name: memoryview(column) for name, column in columns.items()})
        self._methods, self._words = log.methods.texts, log.words.texts
        self.parts, self.is_complete = log.parts if is_complete else [], is_complete
        self.is_joined = is_complete

    def take_index(self, reader: IndexReader) -> None:
        """Uses an index, which may still grow."""
        self._head.omit()
        self._columns.follow(reader)
        self._methods = Texts(reader.view("method_starts"), reader.view("method_bytes"))
        self._words = Texts(reader.view("word_starts"), reader.view("word_bytes"))
        self.is_complete = reader.is_complete
        self.tables = DecisionTables.of(reader, self.tables)
        if reader.has("parts") and not self.parts:
            self.parts = [LogFile.of(fields) for fields in json.loads(bytes(reader.view("parts")))]
        self.is_joined = bool(self.parts)

    def column(self, name: str) -> memoryview:
        """Returns a column as it is now. Raises `KeyError` if there is none of that name."""
        self._head.do()
        found: memoryview = self._columns[name]
        return found

    @property
    def partial(self) -> str:
        """Share of the tasks whose contents are known; empty if there are none yet, or all."""
        tables = self.tables
        if tables is None or tables.is_whole:
            return ""
        return f"{100 * tables.tasks // max(self.tasks, 1)} % of the tasks read"

    @property
    def tasks(self) -> int:
        """Number of tasks known now."""
        return len(self.column("task_id"))

    @property
    def in_flight(self) -> Sequence[int]:
        """Numbers of the tasks in fragments, which `info` counts apart; none before the log is joined."""
        if self._in_flight is None:
            if not self.is_joined:
                return ()
            flags = bytes(self.column("task_flags"))
            self._in_flight = [task for task, each in enumerate(flags) if each & IN_FRAGMENT]
        return self._in_flight

    def in_flight_where(self, column: str, value: int) -> dict[str, int]:
        """Returns a badge: the number of tasks in fragments with a value in a column; empty if there are none."""
        if not self.in_flight:
            return {}
        if column not in self._in_flight_by:
            values = self.column(column)
            self._in_flight_by[column] = Counter(values[task] for task in self.in_flight)
        count = self._in_flight_by[column][value]
        return {"in_flight": count} if count else {}

    @property
    def events(self) -> int:
        """Number of events known now."""
        return len(self.column("event_id"))

    @property
    def threads(self) -> int:
        """Number of compiler threads that have started."""
        return len(self.column("thread_id"))

    @property
    def methods(self) -> Sequence[bytes]:
        """Texts `class name signature`, as in the log."""
        self._head.do()
        return self._methods

    @property
    def words(self) -> Sequence[bytes]:
        """Reasons, actions, names of threads and the like, as in the log."""
        self._head.do()
        return self._words

    def method(self, number: int) -> bytes:
        """Returns a method's text; empty for NONE."""
        return self.methods[number] if number != NONE else b""

    def word(self, number: int) -> bytes:
        """Returns a word; empty for NO_WORD."""
        return self.words[number] if number != NO_WORD else b""

    def pread(self, count: int, offset: int) -> bytes:
        """Reads bytes of the run."""
        return self.source.pread(count, offset)

    def line(self, offset: int) -> tuple[int, int]:
        """Returns the number of the file at a run offset, and the line there, from 1. Needs a joined log."""
        number = max(bisect_right(self.parts, offset, key=lambda part: part.base) - 1, 0)
        part = self.parts[number]
        block, rest = divmod(min(offset - part.base, part.size), LINE_BLOCK)
        before = self.column("lines")[part.first_block + block] if rest or block * LINE_BLOCK < part.size else 0
        if not rest and block and block * LINE_BLOCK >= part.size:
            return number, part.newlines + 1
        return number, before + self._newlines(offset - rest, offset) + 1

    def _newlines(self, start: int, stop: int) -> int:
        """Counts the newlines from the start of a block, from where they were counted last: most rows are in order."""
        known_start, known_stop, count = self._counted
        if known_start != start or known_stop > stop:
            known_stop, count = start, 0
        count += self.pread(stop - known_stop, known_stop).count(b"\n")
        self._counted = start, stop, count
        return count

    def line_start(self, line: int) -> int | None:
        """Returns the offset where a line of the first file begins, from 1; None if there is none, or not yet."""
        if not self.is_complete or line < 1 or not self.parts:
            return None
        part, counts = self.parts[0], self.column("lines")
        blocks = -(-part.size // LINE_BLOCK)
        if line > part.newlines + 1 or not blocks:
            return None
        block = max(bisect_left(counts, line - 1, 0, blocks) - 1, 0)
        start = block * LINE_BLOCK
        # A line ends in the block in which its newline is counted, so the next one begins in it or right after it.
        data = self.pread(min(2 * LINE_BLOCK, part.size - start), start)
        at = 0
        for _ in range(line - 1 - counts[block]):
            at = data.find(b"\n", at) + 1
            if not at:
                return None
        return start + at if start + at < part.size else None

    def event_bytes(self, event: int) -> bytes:
        """Returns the text of an event with its children."""
        start = self.column("event_start")[event]
        return self.pread(self.column("event_end")[event] - start, start)
