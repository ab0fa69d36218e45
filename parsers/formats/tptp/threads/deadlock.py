"""Wait graph of threads when the data of a session end.

Locks without a recorded owner give no edges. A thread about to get its lock looks like one blocked for ever; only
a cycle is certain. Source: format page, section 8.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from parsers.formats.tptp.schema.columns import FOR_LOCK, NEVER, NONE, NOWHERE
from parsers.profile.threads.waiting_rings import Ring, rings

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
        import numpy as np

        from parsers.index.bitpacked.columns import numbers

        if not len(self.rows):
            return []
        part = slice(self.rows.start, self.rows.stop)
        column = self._recording.column
        found = numbers(column("state_end"), part) == NEVER
        found &= numbers(column("state_end_offset"), part) == NOWHERE
        ends, threads = column("thread_end"), column("state_thread")
        rows: list[int] = (np.flatnonzero(found) + self.rows.start).tolist()
        return [row for row in rows if ends[threads[row]] == NEVER]

    @cached_property
    def by_thread(self) -> Mapping[int, int]:
        """State in which a thread waits for a lock, by thread."""
        column = self._recording.column
        kinds, threads = column("state_kind"), column("state_thread")
        return {int(threads[row]): row for row in self.open_states if kinds[row] == FOR_LOCK}

    @cached_property
    def waits(self) -> Mapping[int, tuple[int, int]]:
        """Owner and state, by thread that waits for a lock with a known owner."""
        owners = self._recording.column("state_owner")
        # A thread that waits for its own lock is not blocked by another thread.
        return {
            thread: (int(owners[row]), row)
            for thread, row in self.by_thread.items()
            if owners[row] not in (NONE, thread)
        }

    @cached_property
    def rings(self) -> list[Ring]:
        """All deadlocks. `blocks` are rows of STATES."""
        return rings(self.waits)

    @cached_property
    def closed_at(self) -> Mapping[int, int]:
        """Moment a deadlock closed (the last of its threads began to wait), by state of its threads."""
        starts: Any = self._recording.column("state_start")
        found: dict[int, int] = {}
        for ring in self.rings:
            found |= dict.fromkeys(ring.blocks, max(int(starts[each]) for each in ring.blocks))
        return found

    @cached_property
    def in_ring(self) -> Mapping[int, bool]:
        """By thread: True if it is in a deadlock, False if it waits for a thread in one."""
        found: dict[int, bool] = {}
        for ring in self.rings:
            found |= {**dict.fromkeys(ring.threads, True), **dict.fromkeys(ring.victims, False)}
        return found

    def chain(self, thread: int) -> list[int]:
        """Returns a thread, the one it waits for, and so on, up to one that doesn't wait for a lock or occurs again."""
        chain, visited = [thread], {thread}
        while chain[-1] in self.waits:
            chain.append(self.waits[chain[-1]][0])
            if chain[-1] in visited:
                break
            visited.add(chain[-1])
        return chain
