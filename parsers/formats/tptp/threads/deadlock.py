"""Wait graph of threads when the data of a session end.

Locks without a recorded owner give no edges. A thread about to get its lock looks like one blocked for ever; only
a cycle is certain.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from parsers.formats.tptp.schema.columns import FOR_LOCK, NEVER, NOWHERE
from parsers.model.late import numpy as np
from parsers.model.none import NONE
from parsers.profile.threads.wait_graph import WaitGraph

if TYPE_CHECKING:
    from parsers.formats.tptp.store.recording import TraceRecording


class StillWaiting:
    """The states of a session that had not ended, and the deadlocks among them."""

    def __init__(self, recording: TraceRecording, session: int) -> None:
        self._recording = recording
        self.rows = recording.session_rows(session, "state")

    @cached_property
    def open_states(self) -> list[int]:
        """States that last until the data end, in file order; none of a thread that has ended."""
        if not len(self.rows):
            return []
        found = self._recording.numbers("state_end", self.rows) == NEVER
        found &= self._recording.numbers("state_end_offset", self.rows) == NOWHERE
        rows = np.flatnonzero(found) + self.rows.start
        ends = self._recording.numbers("thread_end", self._recording.numbers("state_thread", rows))
        lasting: list[int] = rows[ends == NEVER].tolist()
        return lasting

    def of_open(self, name: str, states: Sequence[int]) -> list[int]:
        """Returns a column of states for some states."""
        found: list[int] = self._recording.numbers(name, np.array(states, np.int64)).tolist()
        return found

    def open_of(self, kind: int) -> list[int]:
        """Returns the open states of a kind of wait."""
        kinds = self.of_open("state_kind", self.open_states)
        return [row for row, each in zip(self.open_states, kinds, strict=True) if each == kind]

    @cached_property
    def by_thread(self) -> Mapping[int, int]:
        """State in which a thread waits for a lock, by thread."""
        locks = self.open_of(FOR_LOCK)
        return dict(zip(self.of_open("state_thread", locks), locks, strict=True))

    @cached_property
    def graph(self) -> WaitGraph:
        """Threads that wait for owners of locks, by rows of states."""
        states = list(self.by_thread.values())
        owners = (None if owner == NONE else owner for owner in self.of_open("state_owner", states))
        return WaitGraph(zip(self.by_thread, owners, states, strict=True))

    @cached_property
    def closed_at(self) -> Mapping[int, int]:
        """Moment a deadlock closed (the last of its threads began to wait), by state of its threads."""
        starts = self._recording.column("state_start")
        found: dict[int, int] = {}
        for ring in self.graph.rings:
            found |= dict.fromkeys(ring.waits, max(int(starts[each]) for each in ring.waits))
        return found
