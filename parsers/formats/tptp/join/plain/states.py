"""Wait states of threads by plain code: monitor events to states."""

from __future__ import annotations

from parsers.formats.tptp.join.plain.ids import SessionIds, row_of
from parsers.formats.tptp.join.tables import TraceTables, fitting
from parsers.formats.tptp.schema.batch import TraceEvent
from parsers.formats.tptp.schema.columns import CLASS_ENTITY, FOR_LOCK, FOR_OBJECT, NEVER, NOWHERE, SLEEPING
from parsers.formats.tptp.schema.counters import THREAD, FindingKind, SessionCounter
from parsers.formats.tptp.schema.vocabulary import OBJECT, OWNER, TIMEOUT
from parsers.formats.tptp.schema.vocabulary import THREAD as THREAD_ID
from parsers.model.none import NONE

SUMS = (
    ("thread_blocked", "thread_blocks"),
    ("thread_waited", "thread_waits"),
    ("thread_slept", "thread_sleeps"),
)
"""Columns for durations and counts of completed states, by kind."""
NEGATIVE = (SessionCounter.NEGATIVE_BLOCK, SessionCounter.NEGATIVE_WAIT, SessionCounter.NEGATIVE_WAIT)


class SessionStates:
    """The states of a session."""

    def __init__(self, tables: TraceTables, counts: list[int], ids: SessionIds) -> None:
        self._tables = tables
        self._counts = counts
        self._ids = ids
        self._locks: dict[int, int] = {}
        """State in which a thread waits for a lock, by thread."""
        self._waits: dict[int, int] = {}

    def block(self, event: TraceEvent, thread: int) -> None:
        """Handles monContendedEnter."""
        thread = self._ids.thread_of(event, thread)
        monitor = self._ids.entity(event.numbers[OBJECT], event.offset)
        owner = self._ids.owner(event.numbers[OWNER], event.offset)
        self._begin(self._locks, FOR_LOCK, thread, monitor, owner, event, NEVER)

    def wait(self, event: TraceEvent, thread: int) -> None:
        """Handles monWait."""
        thread = self._ids.thread_of(event, thread)
        monitor = self._ids.entity(event.numbers[OBJECT], event.offset)
        kind = SLEEPING if monitor == NONE else FOR_OBJECT
        self._begin(self._waits, kind, thread, monitor, NONE, event, event.numbers[TIMEOUT])

    def unblock(self, event: TraceEvent, thread: int) -> None:
        """Handles monContendedEntered."""
        self._end(self._locks, event, thread, NEVER, SessionCounter.ENTERED_ALONE, FindingKind.ENTERED_WITHOUT_ENTER)

    def wake(self, event: TraceEvent, thread: int) -> None:
        """Handles monWaited."""
        self._end(
            self._waits,
            event,
            thread,
            event.numbers[TIMEOUT],
            SessionCounter.WAITED_ALONE,
            FindingKind.WAITED_WITHOUT_WAIT,
        )

    def end_thread(self, event: TraceEvent, thread: int) -> None:
        """Handles threadEnd."""
        if thread != NONE:
            self._tables.set("thread_end", thread, event.time)
            self._locks.pop(thread, None)
            self._waits.pop(thread, None)
            self._ids.end(THREAD, event.numbers[THREAD_ID])

    def _begin(
        self, opened: dict[int, int], kind: int, thread: int, monitor: int, owner: int, event: TraceEvent, timeout: int
    ) -> None:  # fmt: skip
        before = opened.get(thread)
        if before is not None:
            # It must have ended before this one began.
            self._tables.set("state_end", before, event.time)
        known = NONE
        if monitor < CLASS_ENTITY:
            known = self._tables.columns["object_class"][row_of(monitor)]
        opened[thread] = self._tables.add(
            "state", event.time, NEVER, event.offset, NOWHERE, timeout, NEVER, thread, monitor, owner, known, kind
        )

    def _end(
        self, opened: dict[int, int], event: TraceEvent, thread: int, waited: int, alone: int, finding: int
    ) -> None:
        tables, thread, time, offset = self._tables, self._ids.thread_of(event, thread), event.time, event.offset
        state = opened.pop(thread, None)
        if state is None:
            self._counts[alone] += 1
            tables.find(finding, offset)
            return
        tables.set("state_end", state, time)
        tables.set("state_end_offset", state, offset)
        tables.set("state_waited", state, waited)
        start, kind = tables.columns["state_start"][state], tables.columns["state_kind"][state]
        duration = duration_of(start, time)
        if duration < 0:
            self._counts[NEGATIVE[kind]] += 1
            tables.find(FindingKind.ENDS_BEFORE_IT_BEGINS, offset, duration)
        total, count = SUMS[kind]
        tables.plus(total, thread, duration)
        tables.plus(count, thread, 1)
        if kind == FOR_LOCK and duration > tables.columns["thread_longest_block"][thread]:
            tables.set("thread_longest_block", thread, duration)


def duration_of(start: int, end: int) -> int:
    """Returns nanoseconds between two moments, negative if the clock steps back; 0 if one is missing."""
    return 0 if NEVER in (start, end) else fitting("q", end - start)
