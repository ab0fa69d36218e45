"""Plain code that joins events to tables: simple, and the reference for the kernels.

join = PlainJoin(vocabulary())
for batch in batches:
    join.take(batch)
join.end()
join.tables.columns["thread_id"]
"""

from __future__ import annotations

from array import array
from collections.abc import Callable

from parsers.formats.tptp.join.name_table import CLASS_DEFINED, METHOD_DEFINED, word_numbers
from parsers.formats.tptp.join.plain.calls import SessionCalls, add_up
from parsers.formats.tptp.join.plain.heap import SessionHeap
from parsers.formats.tptp.join.plain.ids import SessionIds
from parsers.formats.tptp.join.plain.monitors import sum_up
from parsers.formats.tptp.join.plain.states import SessionStates
from parsers.formats.tptp.join.sessions import CountedSession, JoinedSessions
from parsers.formats.tptp.join.tables import TraceTables
from parsers.formats.tptp.schema.batch import EventBatch, TraceEvent
from parsers.formats.tptp.schema.columns import BLOCK, IS_UNKNOWN_ELEMENT, NEVER, NO_END_TAG, TABLES
from parsers.formats.tptp.schema.counters import THREAD, FindingKind, SessionCounter
from parsers.formats.tptp.schema.vocabulary import CODES, TIME, UNKNOWN, Vocabulary
from parsers.formats.tptp.schema.vocabulary import THREAD as THREAD_ID
from parsers.model.none import NONE

THREAD_DEFINED = CODES["threadStart"]
ROOT = CODES["TRACE"]
"""The root element, which contains all others and is not an event."""


class PlainJoin(JoinedSessions):
    """Joins the events of one recording to tables."""

    def __init__(self, names: Vocabulary) -> None:
        super().__init__()
        self.tables = TraceTables()
        self._names = names
        self._elements: dict[str, int] = {}
        self._block = -1
        self._counted: dict[int, int] = {}
        """Counts of the elements of the block."""
        self._dump_of: tuple[list[int], list[int]] = ([], [])
        self._handlers: dict[int, Callable[[TraceEvent, int], None]] = {}
        """Functions of the session that take an event and its thread, by the code of its element."""

    # -- batches ------------------------------------------------------------------------------------------------------

    def take(self, batch: EventBatch) -> None:
        """Adds the events of a batch, whose texts become words. Batches must be in file order."""
        marks = list(batch.sessions)
        defining = (row for row, code in enumerate(batch.code) if code in (CLASS_DEFINED, METHOD_DEFINED))
        words = word_numbers(batch, defining, self.tables.words.numbers)
        for found in batch.findings:
            self.tables.find(*found)
        for event in batch.events(words):
            if event.code == ROOT:
                continue
            while marks and marks[0].row <= event.row:
                self._mark(marks.pop(0))
            self._event(event)
        for mark in marks:
            self._mark(mark)

    def _begin_session(self, offset: int, member: str | None) -> None:
        tables, counts = self.tables, [0] * len(SessionCounter)
        word = NONE if member is None else tables.words.number(member.encode("utf-8", "replace"))
        self._flush()
        tables.begin_session()
        self._session = tables.add("session", offset, offset, word, NEVER, NEVER, NEVER, NO_END_TAG)
        self._counts = counts
        self._ids = ids = SessionIds(tables, counts)
        states = SessionStates(tables, counts, ids)
        self._calls = calls = SessionCalls(tables, counts, ids)
        heap = SessionHeap(tables, counts, ids, calls, self._dump_of)
        self._last_moments: dict[int, int] = {}
        self._pause = NEVER
        self.sessions.append(CountedSession(counts))
        handlers = {
            "threadEnd": states.end_thread,
            "classDef": ids.define_class,
            "classUnload": ids.end_class,
            "methodDef": ids.define_method,
            "methodEntry": calls.enter,
            "methodExit": calls.leave,
            "methodCount": calls.count,
            "objAlloc": heap.allocate,
            "objDef": heap.define,
            "objFree": heap.free,
            "objMove": heap.move,
            "gcStart": heap.start,
            "gcFinish": heap.finish,
            "heapDumpDef": heap.begin_dump,
            "objectReference": heap.refer,
            "gcRoot": heap.root,
            "monContendedEnter": states.block,
            "monContendedEntered": states.unblock,
            "monWait": states.wait,
            "monWaited": states.wake,
            "traceEnd": self._begin_pause,
            "traceStart": self._end_pause,
        }
        self._handlers = {CODES[name]: handle for name, handle in handlers.items()}

    def _end_rows(self, offset: int, state: int) -> None:
        self._flush()
        self._calls.end()
        self.tables.set("session_end", self._session, offset)
        self.tables.set("session_state", self._session, state)

    def end(self) -> None:
        """Ends the input."""
        tables = self.tables
        self._end_last(tables.columns["session_end"][-1] if self.sessions else 0)
        self._flush()
        tables.begin_session()
        add_up(tables)
        sum_up(tables)
        for name, of_thread in (("state", "state_of_thread"), ("call", "call_of_thread")):
            threads = tables.columns[f"{name}_thread"]
            order = sorted(range(len(threads)), key=threads.__getitem__)
            tables.columns[of_thread].extend(order)
            firsts_of([threads[row] for row in order], tables.length("thread"), tables.columns[f"thread_first_{name}"])
        for table, dumps in zip(("edge", "root"), self._dump_of, strict=True):
            order = sorted(range(len(dumps)), key=dumps.__getitem__)
            for column in TABLES[table]:
                values = tables.columns[column]
                values[:] = type(values)(values.typecode, [values[row] for row in order])
            firsts = tables.columns[f"dump_first_{table}"]
            firsts_of([dumps[row] for row in order], tables.length("dump"), firsts)

    def facts(self) -> dict[str, object]:
        """Returns the facts that are not in the tables."""
        return self._facts(self.tables.finding_counts)

    # -- any event ----------------------------------------------------------------------------------------------------

    def _event(self, event: TraceEvent) -> None:
        if not self._is_open:
            self._begin(event.offset)
        self._count(event)
        self.tables.set("session_end", self._session, event.end)
        time = event.numbers[TIME]
        if time != NEVER:
            self._note_moment(time)
        if event.code == UNKNOWN:
            return
        if event.code == THREAD_DEFINED:
            thread = self._ids.start_thread(event)
        else:
            thread = self._ids.row(THREAD, event.numbers[THREAD_ID], event.offset)
        if thread != NONE and time != NEVER:
            self._note_moment_of(thread, time, event.offset)
        handle = self._handlers.get(event.code)
        if handle is not None:
            handle(event, thread)

    def _note_moment_of(self, thread: int, time: int, offset: int) -> None:
        """Records a finding if time steps back within a thread."""
        id = self.tables.columns["thread_id"][thread]
        last = self._last_moments.get(id, NEVER)
        if time < last:
            self._counts[SessionCounter.STEPS_BACK] += 1
            self.tables.find(FindingKind.TIME_STEPS_BACK, offset, last - time)
        self._last_moments[id] = time

    def _count(self, event: TraceEvent) -> None:
        """Counts elements by their names, block by block."""
        name = event.element_name if event.code == UNKNOWN else self._names.names[event.name]
        element = self._elements.get(name)
        if element is None:
            flags = IS_UNKNOWN_ELEMENT if event.code == UNKNOWN else 0
            word = self.tables.words.number(name.encode("utf-8", "replace"))
            element = self._elements[name] = self.tables.add("element", word, event.offset, flags)
            if flags:
                self.tables.find(FindingKind.UNKNOWN_ELEMENT, event.offset)
        if event.offset // BLOCK != self._block:
            self._flush()
            self._block = event.offset // BLOCK
        self._counted[element] = self._counted.get(element, 0) + 1
        self._counts[SessionCounter.ELEMENTS] += 1

    def _flush(self) -> None:
        for element, count in self._counted.items():
            self.tables.add("counted", self._block, element, count)
        self._counted.clear()

    def _note_moment(self, time: int) -> None:
        found = self.tables.columns
        row = self._session
        if found["session_first_moment"][row] == NEVER:
            for name in ("first_moment", "earliest", "latest"):
                self.tables.set(f"session_{name}", row, time)
        elif time < found["session_earliest"][row]:
            self.tables.set("session_earliest", row, time)
        elif time > found["session_latest"][row]:
            self.tables.set("session_latest", row, time)

    def _begin_pause(self, event: TraceEvent, thread: int) -> None:
        """Handles traceEnd."""
        self._pause = event.time

    def _end_pause(self, event: TraceEvent, thread: int) -> None:
        """Handles traceStart."""
        if self._pause != NEVER:
            self.tables.add("pause", self._pause, event.time)
        self._pause = NEVER


def firsts_of(keys: list[int], count: int, firsts: array[int]) -> None:
    """Fills the first row of each key, of keys 0 … count that ascend, and one entry more."""
    del firsts[:]
    at = 0
    for key in range(count + 1):
        while at < len(keys) and keys[at] < key:
            at += 1
        firsts.append(at)
