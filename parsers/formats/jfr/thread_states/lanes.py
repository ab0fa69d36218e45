"""The lanes of a recording: pauses of all threads, then a lane for each thread, with the events of each."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from parsers.formats.jfr.data.jvms import jvm_of_events
from parsers.formats.jfr.thread_states.dumps import RecordedDumps
from parsers.formats.jfr.thread_states.kinds import (
    ALIVE,
    DEADLOCKED,
    LANES,
    PAUSE,
    SAFEPOINT_BEGIN,
    SAFEPOINT_END,
    SAMPLED,
    WAITS,
)
from parsers.formats.jfr.totals import SAMPLES
from parsers.model.late.lazy_sequence import LazyItems
from parsers.model.none import NONE
from parsers.views.timelines.lane_pieces import cut_into_pieces
from parsers.views.timelines.timeline_view import NOTHING, Lane, LaneStates

if TYPE_CHECKING:
    from parsers.formats.jfr.data.recorded_data import RecordedData
    from parsers.formats.jfr.thread_states.threads import RecordedThreads
    from parsers.model.arrays import AnyArray, I64Array, U8Array

STATES = {**WAITS, **dict.fromkeys(SAMPLES, SAMPLED)}
"""States by type of event."""
KEPT = 64
"""Lanes whose events are kept in order of time."""
AT_ONCE = 1 << 20
"""Events that are examined at a time."""
NEAR = 50_000_000
"""Nanoseconds between a moment and a sample that shows what a thread did then."""


class LaneEvents(NamedTuple):
    """The events of a lane, by start."""

    rows: I64Array
    starts: I64Array
    """In nanoseconds since the start of the recording."""
    ends: I64Array
    states: U8Array


class Stuck(NamedTuple):
    """A deadlock of a thread."""

    start: int
    """The first dump with it, in nanoseconds since the start of the recording."""
    end: int
    """After the last dump with it."""
    row: int
    """The event with the first dump."""
    wait: str
    """The lock that the thread waits for, and its owner."""


class LaneTable:
    """Lanes by number, and their events. Unnamed virtual threads share one lane."""

    def __init__(self, data: RecordedData, threads: RecordedThreads) -> None:
        self._data, self._threads = data, threads
        self.first, self.last = data.column("span").tolist()
        self.pauses = [type for type in LANES if len(data.rows_of(type))]
        """By lane, of the first lanes: the type of their events."""
        self.events = lru_cache(KEPT)(self._events)

    @cached_property
    def state_of_type(self) -> U8Array:
        """By type of event: the state, NOTHING for others."""
        found = np.zeros(len(self._data.type_names), np.uint8)
        for name, state in STATES.items():
            if name in self._data.type_numbers:
                found[self._data.type_numbers[name]] = state
        return found

    @cached_property
    def rows(self) -> I64Array:
        """Rows of the events that are states or samples of threads, ascending."""
        found = [np.zeros(0, np.int64), *(self._data.rows_of(type) for type in STATES)]
        return np.sort(np.concatenate(found))

    @cached_property
    def _of_threads(self) -> tuple[I64Array, Sequence[int], I64Array]:
        """Returns the threads with a lane each, those of the last lane, and the lane of each; most events first."""
        threads = self._threads
        counts = np.bincount(self._data.events("thread", self.rows) + np.uint32(1), minlength=len(threads) + 1)[1:]
        together = threads.unnamed if len(threads.unnamed) > 1 else []
        is_alone = np.ones(len(threads), np.bool_)
        is_alone[together] = False
        ranked = np.argsort(-counts[: len(threads)], kind="stable")
        alone = ranked[is_alone[ranked]]
        lane_of = np.full(len(threads), len(self.pauses) + len(alone))
        lane_of[alone] = len(self.pauses) + np.arange(len(alone))
        return alone, together, lane_of

    def __len__(self) -> int:
        alone, together, _ = self._of_threads
        return len(self.pauses) + len(alone) + bool(together)

    def lane_of(self, thread: int) -> int:
        """Returns the lane of a thread."""
        return int(self._of_threads[2][thread])

    def threads_of(self, lane: int) -> Sequence[int]:
        """Returns the threads of a lane; none for lanes of pauses."""
        if lane < len(self.pauses):
            return ()
        alone, together, _ = self._of_threads
        return [int(alone[lane - len(self.pauses)])] if lane - len(self.pauses) < len(alone) else together

    def label(self, lane: int) -> str:
        """Returns the name of a lane."""
        if lane < len(self.pauses):
            return LANES[self.pauses[lane]][0]
        threads = self.threads_of(lane)
        return self._threads.label(threads[0]) if len(threads) == 1 else unnamed_label(len(threads))

    @cached_property
    def _by_lane(self) -> tuple[I64Array, I64Array]:
        """Returns the rows of threads' events by lane, and the first of each lane, with the end of the last one."""
        threads = self._data.events("thread", self.rows)
        rows = self.rows[threads != NONE]
        lanes = self._of_threads[2][threads[threads != NONE].astype(np.int64)]
        counts = np.bincount(lanes, minlength=len(self))
        small = lanes.astype(np.uint16) if len(self) < 1 << 16 else lanes
        return rows[np.argsort(small, kind="stable")], np.append(0, np.cumsum(counts))

    @cached_property
    def counts(self) -> Sequence[int]:
        """Number of events by lane."""
        of_threads: list[int] = np.diff(self._by_lane[1])[len(self.pauses) :].tolist()
        return [*(len(self._data.rows_of(type)) for type in self.pauses), *of_threads]

    def _events(self, lane: int) -> LaneEvents:
        if lane < len(self.pauses):
            return self._pause_events(self.pauses[lane])
        rows, first = self._by_lane
        rows = rows[int(first[lane]) : int(first[lane + 1])]
        return self._ordered(rows, self.state_of_type[self._data.events("type", rows)])

    def _ordered(self, rows: I64Array, states: AnyArray, ends: I64Array | None = None) -> LaneEvents:
        starts = self._data.events("start", rows) - self.first
        ends = starts + self._data.durations(rows) if ends is None else ends - self.first
        order = np.argsort(starts, kind="stable")
        return LaneEvents(rows[order], starts[order], ends[order], np.asarray(states, np.uint8)[order])

    def _pause_events(self, type: str) -> LaneEvents:
        rows = self._data.rows_of(type)
        ends = None if type == PAUSE else self._safepoint_ends(rows)
        return self._ordered(rows, np.full(len(rows), LANES[type][1]), ends)

    def _safepoint_ends(self, rows: I64Array) -> I64Array:
        """Returns the ends of safepoints: of the next end with the id in the JVM, else of the begin itself."""
        data = self._data
        ends = data.events("start", rows) + data.durations(rows)
        stops = data.rows_of(SAFEPOINT_END)
        if not len(stops):
            return ends
        (ids,), (of_stops,) = (data.columns(type, [("safepointId",)]) for type in (SAFEPOINT_BEGIN, SAFEPOINT_END))
        moments = data.events("start", stops) + data.durations(stops)
        order = np.argsort(moments, kind="stable")
        place = np.minimum(moments[order].searchsorted(ends), len(order) - 1)
        found = order[place]
        is_same = (of_stops.numbers[found] == ids.numbers) & (moments[found] >= ends)
        is_same &= jvm_of_events(data, stops)[found] == jvm_of_events(data, rows)
        return np.where(is_same, moments[found], ends)

    @cached_property
    def deadlocked(self) -> dict[int, Stuck]:
        """By thread: its deadlock in thread dumps. A wait that doesn't end is no event."""
        found: dict[int, Stuck] = {}
        dumps = RecordedDumps(self._data)
        for deadlock in dumps.deadlocks():
            dump, ring = dumps.ring(deadlock)
            start, last = (self._data.event("start", row) - self.first for row in (deadlock.rows[0], deadlock.rows[-1]))
            for number in ring.threads:
                thread = self._threads.of_ref.get(f"thread:{dump.threads[number].id}")
                if thread is not None:
                    found[thread] = Stuck(start, last + 1, deadlock.rows[0], dump.graph.wait_text(dump, number))
        return found

    # -- the time line ------------------------------------------------------------------------------------------------

    def life(self, thread: int) -> tuple[int, int]:
        """Returns start and end of a thread since the start of the recording: its edges where they are not recorded."""
        start, end = (lives.get(thread) for lives in self._lives)
        return max(0, 0 if start is None else start - self.first), (self.last if end is None else end) - self.first

    @cached_property
    def _lives(self) -> tuple[dict[int, int], dict[int, int]]:
        found = []
        for types in (("jdk.ThreadStart", "jdk.VirtualThreadStart"), ("jdk.ThreadEnd", "jdk.VirtualThreadEnd")):
            moments: dict[int, int] = {}
            for type in types:
                rows = self._data.rows_of(type)
                if not len(rows):
                    continue
                (field,) = self._data.columns(type, [("thread",)])
                threads = self._threads.of_field(field) if field.fields else self._data.events("thread", rows)
                moments |= zip(threads.tolist(), self._data.events("start", rows).tolist(), strict=True)
            found.append(moments)
        return found[0], found[1]

    def at(self, moment: int) -> dict[int, tuple[int, int]]:
        """Returns the state of each thread at a moment, and the row of its event or of a near sample."""
        found: dict[int, tuple[int, int]] = {}
        near: dict[int, tuple[int, int]] = {}
        for at in range(0, len(self.rows), AT_ONCE):
            rows = self.rows[at : at + AT_ONCE]
            starts = self._data.events("start", rows) - self.first
            is_in = (starts <= moment + NEAR) & (starts + np.maximum(self._data.durations(rows), NEAR) >= moment)
            rows, starts = rows[is_in], starts[is_in]
            ends = starts + self._data.durations(rows)
            states = self.state_of_type[self._data.events("type", rows)]
            threads = self._data.events("thread", rows)
            values = (each.tolist() for each in (rows, starts, ends, states, threads))
            for row, start, end, state, thread in zip(*values, strict=True):
                distance = abs(start - moment)
                if state != SAMPLED and start <= moment < max(end, start + 1):
                    if thread not in found or start >= self._data.event("start", found[thread][1]) - self.first:
                        found[thread] = state, row
                elif state == SAMPLED and distance <= NEAR and distance < near.get(thread, (NEAR + 1, 0))[0]:
                    near[thread] = distance, row
        stuck = {
            thread: (DEADLOCKED, each.row)
            for thread, each in self.deadlocked.items()
            if each.start <= moment < each.end
        }
        return {thread: (SAMPLED, row) for thread, (_, row) in near.items()} | stuck | found


class RecordingLine:
    """The time line of a recording. Moments are nanoseconds since its start."""

    title = ""

    def __init__(self, table: LaneTable, nodes: Sequence[int]) -> None:
        """nodes: the row of each lane"""
        self._table = table
        self.first, self.length = table.first, table.last - table.first + 1
        self.lanes: Sequence[Lane] = LazyItems(len(nodes), lambda lane: Lane(table.label(lane), nodes[lane]))

    @cached_property
    def pauses(self) -> LaneStates | None:
        """Pauses of all threads."""
        parts = [self._table.events(lane) for lane in range(len(self._table.pauses))]
        if not parts:
            return None
        starts, ends, states = (np.concatenate([part[at] for part in parts]) for at in (1, 2, 3))
        order = np.lexsort((-ends, starts))
        nodes = np.zeros(len(order), np.int64)
        return cut_into_pieces(starts[order], ends[order], states[order], nodes, 0, (NOTHING, 0), self.length)

    @cached_property
    def shown(self) -> Sequence[int]:
        """Numbers of the states that occur in lanes."""
        table = self._table
        there = set(table.state_of_type.tolist()) - {NOTHING}
        there |= {DEADLOCKED} if table.deadlocked else set()
        return sorted({ALIVE, *there, *(LANES[type][1] for type in table.pauses)})

    def pieces(self, lane: int) -> LaneStates:
        """Returns the states of a lane."""
        table, node = self._table, self.lanes[lane].node
        events = table.events(lane)
        own = np.flatnonzero(events.states != SAMPLED)
        threads = table.threads_of(lane)
        begin, end = (0, self.length) if len(threads) != 1 else table.life(threads[0])
        if len(own) and len(threads) == 1:
            begin, end = min(begin, max(0, int(events.starts[own[0]]))), max(end, int(events.ends[own].max()))
        nodes = node + 1 + own
        # Events of length 0 get 1 ns, to be visible at the highest zoom.
        starts = np.maximum(events.starts[own], 0)
        ends, states = np.maximum(events.ends[own], starts + 1), events.states[own]
        stuck = table.deadlocked.get(threads[0]) if len(threads) == 1 else None
        if stuck is not None:
            place = int(starts.searchsorted(stuck.start))
            starts, ends = np.insert(starts, place, stuck.start), np.insert(ends, place, stuck.end)
            states, nodes = np.insert(states, place, DEADLOCKED), np.insert(nodes, place, node)
            end = max(end, stuck.end)
        between = NOTHING if lane < len(table.pauses) else ALIVE
        return cut_into_pieces(starts, ends, states, nodes, begin, (between, node), min(max(end, begin), self.length))

    def marks(self, lane: int) -> I64Array:
        """Returns the moments of the samples of a lane."""
        events = self._table.events(lane)
        return events.starts[np.equal(events.states, SAMPLED)]


def unnamed_label(count: int) -> str:
    """Returns the label of virtual threads without names."""
    return f"{count:,} virtual threads without names"
