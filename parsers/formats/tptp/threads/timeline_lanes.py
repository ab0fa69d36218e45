"""The lanes of a session: states of its collections and threads over time."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from parsers.formats.tptp.schema.columns import NEVER
from parsers.formats.tptp.threads.state_facts import StateFacts
from parsers.formats.tptp.threads.state_kinds import (
    COLLECTING,
    DEADLOCKED,
    FIRST_KIND,
    IN_CALLS,
    NOT_RECORDED,
    RUNNING,
    THERE,
)
from parsers.model.distinct import distinct
from parsers.model.none import NONE
from parsers.views.timelines.lane_pieces import cut_into_pieces
from parsers.views.timelines.timeline_view import NOTHING, Lane, LaneStates

if TYPE_CHECKING:
    from parsers.formats.tptp.store.recording import TraceRecording
    from parsers.model.arrays import AnyArray, I64Array


class SessionLine:
    """The time line of one session. Moments are nanoseconds since its earliest one."""

    def __init__(
        self,
        recording: TraceRecording,
        facts: StateFacts,
        session: int,
        title: str,
        lanes: Sequence[tuple[Lane, int | None]],
    ) -> None:
        """lanes: each with the row of its thread; None: collections"""
        self._recording, self._facts, self._session = recording, facts, session
        self.first, self.title = facts.first(session), title
        self.length = facts.last(session) - self.first + 1
        self.lanes = [lane for lane, _ in lanes]
        self._threads = [thread for _, thread in lanes]
        self._pieces: dict[int, LaneStates] = {}

    @property
    def pauses(self) -> LaneStates | None:
        """Pauses of the recording."""
        rows = self._recording.session_rows(self._session, "pause")
        if not len(rows):
            return None
        starts, ends = self._ends_of("pause_start", "pause_end", rows)
        return cut_into_pieces(
            starts, ends, np.full(len(rows), NOT_RECORDED), np.zeros(len(rows)), 0, (NOTHING, 0), self.length
        )

    def marks(self, lane: int) -> I64Array:
        """Returns no moments: traces have no samples."""
        return np.zeros(0, np.int64)

    @cached_property
    def _kinds(self) -> list[int]:
        """Kinds of states of the session. Without any, it is unknown when its threads ran."""
        rows = self._recording.session_rows(self._session, "state")
        found: list[int] = distinct(self._recording.numbers("state_kind", rows)).tolist()
        return found

    @cached_property
    def shown(self) -> Sequence[int]:
        """Numbers of the states that occur in lanes."""
        found = [RUNNING, *(FIRST_KIND + kind for kind in self._kinds)] if self._kinds else [THERE]
        if self._facts.still_waiting(self._session).graph.rings:
            found.append(DEADLOCKED)
        if len(self._recording.session_rows(self._session, "collection")):
            found.append(COLLECTING)
        if not self._kinds and len(self._recording.session_rows(self._session, "call")):
            found.append(IN_CALLS)
        return sorted(found)

    def _ends_of(self, starts: str, ends: str, rows: range) -> tuple[I64Array, I64Array]:
        """Returns two columns since the start of the session; an unknown end gives length 0."""
        begins, stops = self._recording.numbers(starts, rows), self._recording.numbers(ends, rows)
        begins = np.where(begins == NEVER, stops, begins)
        stops = np.where(stops == NEVER, begins, stops)
        return begins - self.first, stops - self.first

    def pieces(self, lane: int) -> LaneStates:
        """Returns the states of a lane, computed on first use."""
        found = self._pieces.get(lane)
        if found is None:
            thread = self._threads[lane]
            made = self._collections(lane) if thread is None else self._thread(lane, thread)
            found = self._pieces[lane] = made
        return found

    def _collections(self, lane: int) -> LaneStates:
        rows, node = self._recording.session_rows(self._session, "collection"), self.lanes[lane].node
        starts, ends = self._ends_of("collection_start", "collection_finish", rows)
        count = len(rows)
        # States of length 0 get 1 ns, to be visible at the highest zoom.
        ends = np.maximum(ends, starts + 1)
        states, nodes = np.full(count, COLLECTING), node + 1 + np.arange(count)
        return cut_into_pieces(starts, ends, states, nodes, 0, (NOTHING, node), self.length)

    def _thread(self, lane: int, thread: int) -> LaneStates:
        column, node = self._recording.column, self.lanes[lane].node
        states = self._recording.numbers("state_of_thread", self._recording.of_thread("state", thread))
        begin, end = int(column("thread_start")[thread]), int(column("thread_end")[thread])
        # A state that lasts until the data end includes their last moment.
        end = self.length if end == NEVER else end - self.first
        begin = 0 if begin == NEVER else begin - self.first
        if not self._kinds:
            return self._calls(lane, thread, begin, end)
        starts, ends = self._within("state", states, begin, end)
        kinds = self._recording.numbers("state_kind", states) + np.uint8(FIRST_KIND)
        nodes = node + 1 + np.arange(len(states))
        pieces = cut_into_pieces(starts, ends, kinds, nodes, begin, (RUNNING, node), end)
        waiting = self._facts.still_waiting(self._session)
        state = waiting.by_thread.get(thread, -1)
        if state in waiting.closed_at:
            place = int(states.searchsorted(state))
            pieces = _closed(pieces, node + 1 + place, waiting.closed_at[state] - self.first)
        return pieces

    def _within(self, table: str, rows: AnyArray, begin: int, end: int) -> tuple[I64Array, I64Array]:
        """Returns starts and ends of states or calls of a thread; unknown ones are those of the thread."""
        starts, ends = (self._recording.numbers(f"{table}_{name}", rows) for name in ("start", "end"))
        return np.where(starts == NEVER, begin, starts - self.first), np.where(ends == NEVER, end, ends - self.first)

    def _calls(self, lane: int, thread: int, begin: int, end: int) -> LaneStates:
        """Returns the times a thread was in calls, if nothing else is known of it."""
        node = self.lanes[lane].node
        calls = self._recording.numbers("call_of_thread", self._recording.of_thread("call", thread))
        calls = calls[self._recording.numbers("call_parent", calls) == NONE]
        # A call entered before the recording began lasts from its start; a call without exit lasts to its end.
        starts, ends = self._within("call", calls, begin, end)
        count = len(calls)
        return cut_into_pieces(
            starts, ends, np.full(count, IN_CALLS, np.uint8), np.full(count, node), begin, (THERE, node), end
        )


def _closed(pieces: LaneStates, node: int, moment: int) -> LaneStates:
    """Returns the pieces of a thread deadlocked from a moment on, in the state that has a row."""
    place = pieces.at(max(moment, int(pieces.starts[0]))) if len(pieces) else -1
    if place < 0 or pieces.nodes[place] != node:
        return pieces
    starts, states, nodes = pieces.starts, pieces.states.copy(), pieces.nodes
    if starts[place] < moment:
        place += 1
        starts, states = np.insert(starts, place, moment), np.insert(states, place, DEADLOCKED)
        nodes = np.insert(nodes, place, node)
    states[place] = DEADLOCKED
    return LaneStates(starts, states, nodes, pieces.end)
