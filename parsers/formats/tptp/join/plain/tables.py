"""Plain code that joins events to tables: simple, and the reference for the kernels.

join = PlainJoin(vocabulary())
for batch in batches:
    join.take(batch)
join.end()
join.tables.columns["thread_id"]
"""

from __future__ import annotations

from typing import Any

from parsers.formats.tptp.join.name_table import CLASS_DEFINED, METHOD_DEFINED, word_numbers
from parsers.formats.tptp.join.plain.calls import SessionCalls, add_up
from parsers.formats.tptp.join.plain.heap import SessionHeap
from parsers.formats.tptp.join.plain.ids import UNDEFINED_ROWS, SessionIds
from parsers.formats.tptp.join.plain.monitors import sum_up
from parsers.formats.tptp.join.plain.states import SessionStates
from parsers.formats.tptp.join.sessions import JoinedSessions
from parsers.formats.tptp.join.tables import TraceTables
from parsers.formats.tptp.read.counted_session import CountedSession
from parsers.formats.tptp.schema import columns
from parsers.formats.tptp.schema.batch import EventBatch, SessionMark, TraceEvent
from parsers.formats.tptp.schema.columns import BLOCK, IS_UNKNOWN_ELEMENT, NEVER, NO_END_TAG, NONE
from parsers.formats.tptp.schema.counters import CLASS, METHOD, THREAD, SessionCounter
from parsers.formats.tptp.schema.vocabulary import CLASS as CLASS_ID
from parsers.formats.tptp.schema.vocabulary import (
    CLASS_NAME,
    CLASS_SOURCE,
    CODES,
    COUNT,
    DEPTH,
    DUMP,
    DUMP_NAME,
    FIRST_LINE,
    IS_ARRAY,
    LAST_LINE,
    METHOD_NAME,
    METHOD_SIGNATURE,
    OBJECT,
    OVERHEAD,
    OWNER,
    ROOT_TYPE,
    SIZE,
    TARGET,
    THREAD_GROUP,
    THREAD_NAME,
    THREAD_PARENT,
    TICKET,
    TIME,
    TIMEOUT,
    TOTAL_BYTES,
    UNKNOWN,
    USED_BYTES,
    USED_OBJECTS,
    Vocabulary,
)
from parsers.formats.tptp.schema.vocabulary import METHOD as METHOD_ID
from parsers.formats.tptp.schema.vocabulary import THREAD as THREAD_ID

NAMES = {code: name for name, code in CODES.items()}
THREAD_DEFINED = CODES["threadStart"]
ROOT = CODES["TRACE"]
"""The root element, which contains all others and is not an event."""


class PlainJoin(JoinedSessions):
    """Joins the events of one recording to tables."""

    def __init__(self, names: Vocabulary) -> None:
        super().__init__()
        self.tables = TraceTables()
        self._names = names
        self._words: list[int] = []
        """Numbers of the words of the batch."""
        self._elements: dict[str, int] = {}
        self._block = -1
        self._counted: dict[int, int] = {}
        """Counts of the elements of the block."""
        self._dump_of: tuple[list[int], list[int]] = ([], [])
        self._takers = {code: getattr(self, f"_{name}", None) for code, name in NAMES.items()}

    # -- batches ------------------------------------------------------------------------------------------------------

    def take(self, batch: EventBatch) -> None:
        """Adds the events of a batch. Batches must be in file order."""
        marks = list(batch.sessions)
        defining = (row for row, code in enumerate(batch.code) if code in (CLASS_DEFINED, METHOD_DEFINED))
        self._words = word_numbers(batch, defining, self.tables.words.numbers)
        for found in batch.findings:
            self.tables.find(*found)
        for event in batch.events():
            if event.code == ROOT:
                continue
            while marks and marks[0].row <= event.row:
                self._mark(marks.pop(0))
            self._event(event)
        for mark in marks:
            self._mark(mark)

    def _begin_session(self, offset: int, member: str | None) -> None:
        tables, counts = self.tables, [0] * len(SessionCounter)
        self._is_open = True
        word = NONE if member is None else tables.words.number(member.encode("utf-8", "replace"))
        self._flush()
        tables.begin_session()
        self._session = tables.add("session", offset, offset, word, NEVER, NEVER, NEVER, NO_END_TAG)
        self._counts = counts
        self._ids = SessionIds(tables, counts)
        self._states = SessionStates(tables, counts)
        self._calls = SessionCalls(tables, counts)
        self._heap = SessionHeap(tables, counts, self._ids, self._dump_of)
        self._last_moments: dict[int, int] = {}
        self._pause = NEVER
        self.sessions.append(CountedSession(counts))

    def _end_session(self, mark: SessionMark) -> None:
        self._is_open = False
        self._flush()
        self._calls.end()
        self.tables.set("session_end", self._session, mark.offset)
        self.tables.set("session_state", self._session, mark.end or 0)
        self.sessions[-1].end(mark)

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
            for column in columns.TABLES[table]:
                values = tables.columns[column]
                values[:] = type(values)(values.typecode, [values[row] for row in order])
            firsts = tables.columns[f"dump_first_{table}"]
            firsts_of([dumps[row] for row in order], tables.length("dump"), firsts)

    def facts(self) -> dict[str, Any]:
        """Returns the facts that are not in the tables."""
        return self._facts(self.tables.finding_counts)

    # -- any event ----------------------------------------------------------------------------------------------------

    def _event(self, event: TraceEvent) -> None:
        if not self._is_open:
            self._begin_session(event.offset, None)
        numbers, offset = event.numbers, event.offset
        self._count(event)
        self.tables.set("session_end", self._session, event.end)
        time = numbers[TIME]
        if time != NEVER:
            self._note_moment(time)
        thread = NONE
        if event.code == THREAD_DEFINED:
            thread = self._start_thread(event)
        elif numbers[THREAD_ID] != NEVER and event.code != UNKNOWN:
            thread = self._ids.row(THREAD, self._id(numbers[THREAD_ID]), offset)
        if thread != NONE and time != NEVER:
            id = self.tables.columns["thread_id"][thread]
            last = self._last_moments.get(id, NEVER)
            if time < last:
                self._counts[SessionCounter.STEPS_BACK] += 1
                self.tables.find(columns.STEPS_BACK, offset, last - time)
            self._last_moments[id] = time
        taker: Any = self._takers.get(event.code)
        if taker is not None:
            taker(numbers, offset, event.end, time, thread)

    def _count(self, event: TraceEvent) -> None:
        """Counts elements by their names, block by block."""
        name = event.element_name if event.code == UNKNOWN else self._names.names[event.name]
        element = self._elements.get(name)
        if element is None:
            flags = IS_UNKNOWN_ELEMENT if event.code == UNKNOWN else 0
            word = self.tables.words.number(name.encode("utf-8", "replace"))
            element = self._elements[name] = self.tables.add("element", word, event.offset, flags)
            if flags:
                self.tables.find(columns.UNKNOWN_ELEMENT, event.offset)
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

    def _id(self, number: int) -> int:
        """Returns the id in a slot, as columns encode it."""
        return number if number >= 0 or number == NEVER else -1 - self._words[-1 - number]

    def _word(self, number: int) -> int:
        """Returns the word in a slot."""
        return NONE if number >= 0 or number == NEVER else self._words[-1 - number]

    # -- definitions --------------------------------------------------------------------------------------------------

    def _define(self, kind: int, id: int, offset: int) -> int:
        """Returns the row of an element being defined: a new one, or that of an id that was used before."""
        row = self._ids.undefined_row(kind, id)
        if row is None:
            table, values = UNDEFINED_ROWS[kind]
            row = self.tables.add(table, id, *values)
        table, _ = UNDEFINED_ROWS[kind]
        self.tables.set(f"{table}_offset", row, offset)
        self._ids.define(kind, id, row, offset)
        return row

    def _start_thread(self, event: TraceEvent) -> int:
        tables, numbers = self.tables, event.numbers
        if numbers[THREAD_ID] == NEVER:
            return NONE
        row = self._define(THREAD, self._id(numbers[THREAD_ID]), event.offset)
        tables.set("thread_start", row, numbers[TIME])
        tables.set("thread_object", row, self._id(numbers[OBJECT]))
        for name, slot in (("name", THREAD_NAME), ("group", THREAD_GROUP), ("parent", THREAD_PARENT)):
            tables.set(f"thread_{name}", row, self._word(numbers[slot]))
        return row

    def _threadEnd(self, numbers: tuple[int, ...], offset: int, end: int, time: int, thread: int) -> None:
        if thread != NONE:
            self.tables.set("thread_end", thread, time)
            self._states.end_thread(thread)
            self._ids.end(THREAD, self._id(numbers[THREAD_ID]))

    def _classDef(self, numbers: tuple[int, ...], offset: int, end: int, time: int, thread: int) -> None:
        if numbers[CLASS_ID] == NEVER:
            return
        row = self._define(CLASS, self._id(numbers[CLASS_ID]), offset)
        self.tables.set("class_time", row, time)
        self.tables.set("class_name", row, self._word(numbers[CLASS_NAME]))
        self.tables.set("class_source", row, self._word(numbers[CLASS_SOURCE]))

    def _classUnload(self, numbers: tuple[int, ...], offset: int, end: int, time: int, thread: int) -> None:
        row = self._ids.end(CLASS, self._id(numbers[CLASS_ID]))
        if row != NONE:
            self.tables.set("class_unloaded", row, time)
            self._ids.end_methods(row)

    def _methodDef(self, numbers: tuple[int, ...], offset: int, end: int, time: int, thread: int) -> None:
        tables = self.tables
        if numbers[METHOD_ID] == NEVER:
            return
        kind = self._ids.row(CLASS, self._id(numbers[CLASS_ID]), offset)
        row = self._define(METHOD, self._id(numbers[METHOD_ID]), offset)
        tables.set("method_class", row, kind)
        tables.set("method_name", row, self._word(numbers[METHOD_NAME]))
        tables.set("method_signature", row, self._word(numbers[METHOD_SIGNATURE]))
        for name, slot in (("first", FIRST_LINE), ("last", LAST_LINE)):
            line = numbers[slot]
            tables.set(f"method_{name}_line", row, NONE if line < 0 else line)

    # -- calls --------------------------------------------------------------------------------------------------------

    def _thread_of(self, thread: int, offset: int) -> int:
        """Returns the thread of an event that must have one."""
        return self._ids.any_row(THREAD, NEVER, offset) if thread == NONE else thread

    def _method_of(self, numbers: tuple[int, ...], offset: int) -> int:
        known = self.tables.length("method")
        row = self._ids.any_row(METHOD, self._id(numbers[METHOD_ID]), offset)
        if row == known:
            # Its class may be known.
            self.tables.set("method_class", row, self._ids.known(CLASS, self._id(numbers[CLASS_ID])))
        return row

    def _methodEntry(self, numbers: tuple[int, ...], offset: int, end: int, time: int, thread: int) -> None:
        thread, method = self._thread_of(thread, offset), self._method_of(numbers, offset)
        self._calls.enter(thread, method, time, numbers[TICKET], numbers[DEPTH], offset)

    def _methodExit(self, numbers: tuple[int, ...], offset: int, end: int, time: int, thread: int) -> None:
        thread, method = self._thread_of(thread, offset), self._method_of(numbers, offset)
        self._calls.leave(thread, method, time, numbers[TICKET], numbers[DEPTH], numbers[OVERHEAD], offset)

    def _methodCount(self, numbers: tuple[int, ...], offset: int, end: int, time: int, thread: int) -> None:
        if numbers[COUNT] > 0:
            self.tables.plus("method_count", self._method_of(numbers, offset), numbers[COUNT])

    # -- objects ------------------------------------------------------------------------------------------------------

    def _objAlloc(self, numbers: tuple[int, ...], offset: int, end: int, time: int, thread: int) -> None:
        id = self._id(numbers[OBJECT])
        if id != NEVER:
            kind = self._ids.row(CLASS, self._id(numbers[CLASS_ID]), offset)
            call = NONE if thread == NONE else self._calls.top(thread)
            self._heap.allocate(id, time, offset, numbers[SIZE], kind, thread, call, numbers[IS_ARRAY])

    def _objDef(self, numbers: tuple[int, ...], offset: int, end: int, time: int, thread: int) -> None:
        id = self._id(numbers[OBJECT])
        if id != NEVER:
            kind = self._ids.row(CLASS, self._id(numbers[CLASS_ID]), offset)
            self._heap.define(id, offset, numbers[SIZE], kind, numbers[IS_ARRAY])

    def _objFree(self, numbers: tuple[int, ...], offset: int, end: int, time: int, thread: int) -> None:
        if numbers[OBJECT] != NEVER:
            self._heap.free(self._id(numbers[OBJECT]), time, offset)

    def _objMove(self, numbers: tuple[int, ...], offset: int, end: int, time: int, thread: int) -> None:
        if numbers[TARGET] != NEVER:
            self._heap.move(self._id(numbers[OBJECT]), self._id(numbers[TARGET]), time, offset)

    def _gcStart(self, numbers: tuple[int, ...], offset: int, end: int, time: int, thread: int) -> None:
        self._heap.start(time, offset)

    def _gcFinish(self, numbers: tuple[int, ...], offset: int, end: int, time: int, thread: int) -> None:
        self._heap.finish(time, offset, (numbers[USED_OBJECTS], numbers[USED_BYTES], numbers[TOTAL_BYTES]))

    def _heapDumpDef(self, numbers: tuple[int, ...], offset: int, end: int, time: int, thread: int) -> None:
        self._heap.begin_dump(self._id(numbers[DUMP]), time, offset, end, self._word(numbers[DUMP_NAME]))

    def _objectReference(self, numbers: tuple[int, ...], offset: int, end: int, time: int, thread: int) -> None:
        source, target = self._id(numbers[OBJECT]), self._id(numbers[TARGET])
        self._heap.refer(self._id(numbers[DUMP]), source, target, offset, end)

    def _gcRoot(self, numbers: tuple[int, ...], offset: int, end: int, time: int, thread: int) -> None:
        kind = numbers[ROOT_TYPE]
        word = kind if kind >= 0 else self._word(kind)
        self._heap.root(self._id(numbers[DUMP]), self._id(numbers[OBJECT]), word, offset, end)

    # -- monitors -----------------------------------------------------------------------------------------------------

    def _monContendedEnter(self, numbers: tuple[int, ...], offset: int, end: int, time: int, thread: int) -> None:
        thread = self._thread_of(thread, offset)
        monitor = self._ids.entity(self._id(numbers[OBJECT]), offset)
        owner = self._ids.owner(self._id(numbers[OWNER]), offset)
        self._states.block(thread, monitor, owner, time, offset)

    def _monContendedEntered(self, numbers: tuple[int, ...], offset: int, end: int, time: int, thread: int) -> None:
        self._states.unblock(self._thread_of(thread, offset), time, offset)

    def _monWait(self, numbers: tuple[int, ...], offset: int, end: int, time: int, thread: int) -> None:
        thread = self._thread_of(thread, offset)
        monitor = self._ids.entity(self._id(numbers[OBJECT]), offset)
        self._states.wait(thread, monitor, time, offset, numbers[TIMEOUT])

    def _monWaited(self, numbers: tuple[int, ...], offset: int, end: int, time: int, thread: int) -> None:
        self._states.wake(self._thread_of(thread, offset), time, offset, numbers[TIMEOUT])

    # -- pauses -------------------------------------------------------------------------------------------------------

    def _traceEnd(self, numbers: tuple[int, ...], offset: int, end: int, time: int, thread: int) -> None:
        self._pause = time

    def _traceStart(self, numbers: tuple[int, ...], offset: int, end: int, time: int, thread: int) -> None:
        if self._pause != NEVER:
            self.tables.add("pause", self._pause, time)
        self._pause = NEVER


def firsts_of(keys: list[int], count: int, firsts: Any) -> None:
    """Fills the first row of each key, of keys 0 … count that ascend, and one entry more."""
    del firsts[:]
    at = 0
    for key in range(count + 1):
        while at < len(keys) and keys[at] < key:
            at += 1
        firsts.append(at)
