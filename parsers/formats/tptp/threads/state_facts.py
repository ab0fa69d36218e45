"""Facts derived from the columns of threads and states: starts, ends, labels.

Moments are nanoseconds since 1970 here; views show them since the start of their session.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from parsers.formats.tptp.schema.columns import FOR_LOCK, NEVER, NOWHERE, SLEEPING, STATE_KINDS
from parsers.formats.tptp.store.names import TraceNames
from parsers.formats.tptp.threads.deadlock import StillWaiting
from parsers.formats.tptp.threads.state_kinds import STILL
from parsers.formats.tptp.views.typed_moment import reach
from parsers.model.late import numpy as np
from parsers.model.names.java_name import short_class
from parsers.model.none import NONE
from parsers.model.time_text import nanos_text
from parsers.profile.threads.wait_graph import monitor_with_owner

if TYPE_CHECKING:
    from parsers.formats.tptp.store.recording import TraceRecording
    from parsers.formats.tptp.views.negative_times import NegativeStates
    from parsers.model.arrays import AnyArray, I64Array

IN_RING, ON_RING, NOT_ENDED = "deadlock", "on deadlock", "data end"
"""Endings of states that had not ended."""
KEPT_LABELS = 20_000
KEPT_THREADS = 256
"""Most threads whose waits by monitor, and allocations by class, are cached."""
MOST_DESCRIBED = 200
"""Most threads of a deadlock that are listed."""
SUMS = ("blocked", "waited", "slept")
"""Durations of completed states by kind; columns have the prefix `thread_`."""


class AllocatedClass(NamedTuple):
    """Allocations of a class by a thread."""

    row: int
    """Row of classes."""
    objects: int
    bytes: int


class StateFacts:
    """Facts of one recording."""

    owns = "has"

    def __init__(self, recording: TraceRecording) -> None:
        self._recording = recording
        self.names = TraceNames(recording)
        self._labels: dict[tuple[int, int, int, int, int], str] = {}
        self._still: dict[int, StillWaiting] = {}

    # -- moments ------------------------------------------------------------------------------------------------------

    def first(self, session: int) -> int:
        """Returns the start of a session; 0 if nothing in it has a time."""
        return reach(self._recording, session)[0]

    def last(self, session: int) -> int:
        """Returns the end of a session's data."""
        return reach(self._recording, session)[1]

    def session_of_thread(self, thread: int) -> int:
        """Returns the session of a thread."""
        return self._recording.session_of("thread", thread)

    def life(self, thread: int) -> int | None:
        """Returns the lifetime of a thread as far as known; None if its start is unknown."""
        column = self._recording.column
        start, end = int(column("thread_start")[thread]), int(column("thread_end")[thread])
        if start == NEVER:
            return None
        return (self.last(self.session_of_thread(thread)) if end == NEVER else end) - start

    def reach(self, state: int) -> tuple[int, int, bool]:
        """Returns start and end of a state, and True if it had not ended when the data did.

        As clocks step back, it may end before it begins.
        """
        column = self._recording.column
        start, end = int(column("state_start")[state]), int(column("state_end")[state])
        thread = int(column("state_thread")[state])
        session = self.session_of_thread(thread)
        if start == NEVER:
            start = self.first(session)
        is_open = False
        if end == NEVER:
            end = int(column("thread_end")[thread])
            if end == NEVER:
                end, is_open = self.last(session), True
            end = max(start, end)
        return start, end, is_open

    def reaches(self, states: AnyArray) -> tuple[I64Array, I64Array]:
        """Returns the same for many states of one session: int64[n] each. states: their rows"""
        starts, ends = self._recording.numbers("state_start", states), self._recording.numbers("state_end", states)
        threads = self._recording.numbers("state_thread", states)
        session = self.session_of_thread(int(threads[0])) if len(threads) else 0
        if len(states):
            stops = self._recording.numbers("thread_end")
            stops = np.where(stops == NEVER, np.int64(self.last(session)), stops)
            starts = np.where(starts == NEVER, np.int64(self.first(session)), starts)
            ends = np.where(ends == NEVER, np.maximum(starts, stops[threads]), ends)
        return starts, ends

    @cached_property
    def waited(self) -> I64Array:
        """Sum of the durations of all states by thread, including those that had not ended: int64[threads]."""
        recording = self._recording
        found: I64Array = np.sum([self._recording.numbers(f"thread_{name}") for name in SUMS], axis=0, dtype=np.int64)
        # Sums leave out states that had not ended, and those whose end is unknown.
        open_states = np.flatnonzero(self._recording.numbers("state_end_offset") == NOWHERE)
        for session in range(recording.sessions):
            rows = recording.session_rows(session, "state")
            states = open_states[(open_states >= rows.start) & (open_states < rows.stop)]
            starts, ends = self.reaches(states)
            np.add.at(found, self._recording.numbers("state_thread", states), ends - starts)
        return found

    @cached_property
    def _negative(self) -> NegativeStates:
        from parsers.formats.tptp.views.negative_times import NegativeStates

        return NegativeStates(self._recording)

    @cached_property
    def negative_of_thread(self) -> Mapping[int, tuple[int, int]]:
        """Number of states that end before they begin, and the sum of their durations, by thread."""
        return self._negative.by("state_thread")

    @cached_property
    def negative_of_monitor(self) -> Mapping[int, tuple[int, int]]:
        """The same by monitor."""
        return self._negative.by("state_monitor")

    def still_waiting(self, session: int) -> StillWaiting:
        """Returns the threads that wait when the data of a session end."""
        found = self._still.get(session)
        if found is None:
            found = self._still[session] = StillWaiting(self._recording, session)
        return found

    def at(self, thread: int, moment: int) -> int | None:
        """Returns the state of a thread at a moment, the last one begun if there are several; None: none."""
        column = self._recording.column
        states, starts = column("state_of_thread"), column("state_start")
        places = self._recording.of_thread("state", thread)
        before = bisect_right(places, moment, key=lambda place: int(starts[states[place]]))
        # The one before may have begun within another one that continues.
        for each in reversed(places[max(before - 3, 0) : before]):
            state = int(states[each])
            start, end, is_open = self.reach(state)
            if start <= moment < end or (is_open and moment == end):
                return state
        return None

    # -- words --------------------------------------------------------------------------------------------------------

    def thread_text(self, thread: int) -> str:
        """Returns the name of a thread."""
        return self.names.thread_label(thread)

    def state_ref(self, state: int) -> str:
        """Returns the REF of a state."""
        return f"state:{int(self._recording.column('state_offset')[state])}"

    def monitor_text(self, wait: int) -> str:
        """Returns the monitor of a state, with its id; empty for sleeping."""
        column = self._recording.column
        return self.names.entity_text(int(column("state_monitor")[wait]), int(column("state_offset")[wait]))

    def monitor_id(self, state: int) -> str:
        """Returns the id of the monitor, as REFs have it."""
        column = self._recording.column
        return self.names.entity_id(int(column("state_monitor")[state]), int(column("state_offset")[state]))

    def monitor_ref(self, state: int) -> str:
        """Returns the REF of the monitor in "Monitors"."""
        session = self.session_of_thread(int(self._recording.column("state_thread")[state]))
        return f"{f'run:{session + 1}/' if session else ''}monitor:{self.monitor_id(state)}"

    def monitor_class(self, state: int) -> str:
        """Returns the class of the monitor."""
        return self.names.entity_class(int(self._recording.column("state_monitor")[state]))

    def label(self, state: int) -> str:
        """Returns the label of a state."""
        column = self._recording.column
        kind, monitor = int(column("state_kind")[state]), int(column("state_monitor")[state])
        owner, timeout = int(column("state_owner")[state]), int(column("state_timeout")[state])
        # An object may have had another id before it was moved.
        place = int(column("state_offset")[state]) if self._recording.rows("move") else 0
        key = kind, monitor, owner, timeout, place
        found = self._labels.get(key)
        if found is None:
            if len(self._labels) >= KEPT_LABELS:
                self._labels.clear()
            found = self._labels[key] = self._worded(state, kind, owner, timeout)
        return found

    def _worded(self, state: int, kind: int, owner: int, timeout: int) -> str:
        words = STATE_KINDS[kind]
        if kind == FOR_LOCK and owner != NONE:
            return f"{words} {monitor_with_owner(self, state, owner)}"
        if kind != SLEEPING:
            words += f" {self.monitor_text(state)}"
        if kind == FOR_LOCK:
            words += ", owner not recorded"
        elif timeout > 0:
            words += f", for at most {timeout:,} ms"
        return words

    def short_label(self, state: int) -> str:
        """Returns a short label, without packages."""
        column = self._recording.column
        kind, owner = int(column("state_kind")[state]), int(column("state_owner")[state])
        if kind == SLEEPING:
            return STATE_KINDS[SLEEPING]
        monitor = f"{short_class(self.monitor_class(state))} #{self.monitor_id(state)}"
        if kind != FOR_LOCK:
            return f"waiting for {monitor}"
        has = f": {self.names.thread_label(owner)} has it" if owner != NONE else ", owner not recorded"
        return f"lock {monitor}{has}"

    def ending(self, state: int) -> str:
        """Returns the remark on a state that had not ended, with its duration; empty for others."""
        start, end, _ = self.reach(state)
        word = self.ending_word(state)
        return f"{word}, for {nanos_text(end - start)}" if word else ""

    def ending_word(self, state: int) -> str:
        """Returns the same without the duration, for rows that show it in a column."""
        words = {IN_RING: "deadlocked", ON_RING: "blocked by a deadlock"}
        return words.get(self.open_word(state), STILL) if self.reach(state)[2] else ""

    def open_word(self, state: int) -> str:
        """Returns, for a state that had not ended, if its thread is in a deadlock or waits for one."""
        thread = int(self._recording.column("state_thread")[state])
        waiting = self.still_waiting(self.session_of_thread(thread))
        if self._recording.column("state_kind")[state] == FOR_LOCK and thread in waiting.graph.ring_of:
            return IN_RING if thread in waiting.graph.deadlocked else ON_RING
        return NOT_ENDED

    def at_end(self, thread: int) -> str:
        """Returns the monitor that a thread still waits for when the data end; empty if there is none."""
        state = self._open_of_thread.get(thread)
        return "" if state is None else self.ending(state)

    @cached_property
    def _open_of_thread(self) -> dict[int, int]:
        threads = self._recording.column("state_thread")
        found: dict[int, int] = {}
        for session in range(self._recording.sessions):
            waiting = self.still_waiting(session)
            found |= {int(threads[state]): state for state in waiting.open_states}
            found |= waiting.by_thread
        return found

    @cached_property
    def allocated(self) -> Callable[[int], Sequence[AllocatedClass]]:
        """Classes of the objects that a thread allocated, those with most bytes first."""
        return lru_cache(KEPT_THREADS)(self._allocated_by)

    def _allocated_by(self, thread: int) -> Sequence[AllocatedClass]:
        objects = np.flatnonzero(self._recording.numbers("object_thread") == thread)
        classes = self._recording.numbers("object_class", objects)
        objects, classes = objects[classes != NONE], classes[classes != NONE]
        rows, which, counts = np.unique(classes, return_inverse=True, return_counts=True)
        sums = np.bincount(which, self._recording.numbers("object_size", objects), len(rows)).astype(np.int64)
        order = np.argsort(-sums, kind="stable")
        return [AllocatedClass(*each) for each in np.stack([rows, counts, sums])[:, order].T.tolist()]

    @cached_property
    def monitors_of(self) -> Callable[[int], Sequence[tuple[str, str, int, int]]]:
        """Monitors that a thread waited for, the longest wait first: text, REF, nanoseconds, times."""
        # A thread may have waited a million times, and the side pane shows its waits at each key press.
        return lru_cache(KEPT_THREADS)(self._sum_of_waits)

    def _sum_of_waits(self, thread: int) -> Sequence[tuple[str, str, int, int]]:
        states = self._recording.numbers("state_of_thread", self._recording.of_thread("state", thread))
        monitors = self._recording.numbers("state_monitor", states)
        states, monitors = states[monitors != NONE], monitors[monitors != NONE]
        if not len(states):
            return []
        starts, ends = self.reaches(states)
        unique, firsts, which = np.unique(monitors, return_index=True, return_inverse=True)
        sums = np.zeros(len(unique), np.int64)
        np.add.at(sums, which, ends - starts)
        times = np.bincount(which)
        return [
            (
                self.monitor_text(int(states[firsts[each]])),
                self.monitor_ref(int(states[firsts[each]])),
                int(sums[each]),
                int(times[each]),
            )
            for each in np.argsort(-sums, kind="stable")[:100].tolist()
        ]
