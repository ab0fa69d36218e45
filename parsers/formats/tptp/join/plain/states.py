"""Wait states of threads by plain code: monitor events to states (format page, section 8)."""

from __future__ import annotations

from parsers.formats.tptp.join.plain.ids import row_of
from parsers.formats.tptp.join.tables import TraceTables, fitting
from parsers.formats.tptp.schema import columns
from parsers.formats.tptp.schema.columns import CLASS_ENTITY, FOR_LOCK, FOR_OBJECT, NEVER, NONE, NOWHERE, SLEEPING
from parsers.formats.tptp.schema.counters import SessionCounter

SUMS = (
    ("thread_blocked", "thread_blocks"),
    ("thread_waited", "thread_waits"),
    ("thread_slept", "thread_sleeps"),
)
"""Columns for durations and counts of completed states, by kind."""
NEGATIVE = (SessionCounter.NEGATIVE_BLOCK, SessionCounter.NEGATIVE_WAIT, SessionCounter.NEGATIVE_WAIT)


class SessionStates:
    """The states of a session."""

    def __init__(self, tables: TraceTables, counts: list[int]) -> None:
        self._tables = tables
        self._counts = counts
        self._locks: dict[int, int] = {}
        """State in which a thread waits for a lock, by thread."""
        self._waits: dict[int, int] = {}

    def block(self, thread: int, monitor: int, owner: int, time: int, offset: int) -> None:
        """Handles monContendedEnter. monitor: an entity"""
        self._begin(self._locks, FOR_LOCK, thread, monitor, owner, time, offset, NEVER)

    def wait(self, thread: int, monitor: int, time: int, offset: int, timeout: int) -> None:
        """Handles monWait."""
        kind = SLEEPING if monitor == NONE else FOR_OBJECT
        self._begin(self._waits, kind, thread, monitor, NONE, time, offset, timeout)

    def unblock(self, thread: int, time: int, offset: int) -> None:
        """Handles monContendedEntered."""
        self._end(self._locks, thread, time, offset, NEVER, SessionCounter.ENTERED_ALONE, columns.ENTERED_ALONE)

    def wake(self, thread: int, time: int, offset: int, waited: int) -> None:
        """Handles monWaited."""
        self._end(self._waits, thread, time, offset, waited, SessionCounter.WAITED_ALONE, columns.WAITED_ALONE)

    def end_thread(self, thread: int) -> None:
        """Handles threadEnd."""
        self._locks.pop(thread, None)
        self._waits.pop(thread, None)

    def _begin(
        self, opened: dict[int, int], kind: int, thread: int, monitor: int, owner: int, time: int, offset: int,
        timeout: int,
    ) -> None:  # fmt: skip
        before = opened.get(thread)
        if before is not None:
            # It must have ended before this one began.
            self._tables.set("state_end", before, time)
        known = NONE
        if monitor < CLASS_ENTITY:
            known = self._tables.columns["object_class"][row_of(monitor)]
        opened[thread] = self._tables.add(
            "state", time, NEVER, offset, NOWHERE, timeout, NEVER, thread, monitor, owner, known, kind
        )

    def _end(
        self, opened: dict[int, int], thread: int, time: int, offset: int, waited: int, alone: int, finding: int
    ) -> None:
        tables = self._tables
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
            tables.find(columns.IS_NEGATIVE_TIME, offset, duration)
        total, count = SUMS[kind]
        tables.plus(total, thread, duration)
        tables.plus(count, thread, 1)
        if kind == FOR_LOCK and duration > tables.columns["thread_longest_block"][thread]:
            tables.set("thread_longest_block", thread, duration)


def duration_of(start: int, end: int) -> int:
    """Returns nanoseconds between two moments, negative if the clock steps back; 0 if one is missing."""
    return 0 if NEVER in (start, end) else fitting("q", end - start)
