"""Who waits for whom when the data of a session end.

Nothing is concluded where the file doesn't name the owner of a lock. That the data end looks the same for a thread that
would have got its lock a moment later; only a ring can't have ended otherwise. Source: format page, section 8.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from parsers.formats.tptp.schema.columns import FOR_LOCK, NEVER, NONE, NOWHERE
from parsers.profile.threads.waiting_rings import Ring, rings

if TYPE_CHECKING:
    from parsers.formats.tptp.store.recording import Recording


class StillWaiting:
    """The states of a session that had not ended, and the rings among them."""

    def __init__(self, recording: Recording, session: int) -> None:
        self._recording = recording
        self.rows = recording.session_rows(session, "state")

    @cached_property
    def open_states(self) -> list[int]:
        """States that last until the data end, in file order; of a thread that has ended none does."""
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
        """By thread the state that it waits for a lock in."""
        column = self._recording.column
        kinds, threads = column("state_kind"), column("state_thread")
        return {int(threads[row]): row for row in self.open_states if kinds[row] == FOR_LOCK}

    @cached_property
    def waits(self) -> Mapping[int, tuple[int, int]]:
        """By thread that waits for a lock whose owner is told: that, and the state."""
        owners = self._recording.column("state_owner")
        # A thread that waits for what it has itself is none that another one could let go on.
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
        """By state of a thread in a ring when that closed: when the last of its threads began to wait."""
        starts: Any = self._recording.column("state_start")
        found: dict[int, int] = {}
        for ring in self.rings:
            found |= dict.fromkeys(ring.blocks, max(int(starts[each]) for each in ring.blocks))
        return found

    @cached_property
    def in_ring(self) -> Mapping[int, bool]:
        """By thread whether it is in a ring; of those that wait for one in a ring that it isn't."""
        found: dict[int, bool] = {}
        for ring in self.rings:
            found |= {**dict.fromkeys(ring.threads, True), **dict.fromkeys(ring.victims, False)}
        return found

    def chain(self, thread: int) -> list[int]:
        """A thread, the one it waits for, and so on, to one that doesn't wait for a lock or that comes again."""
        chain, met = [thread], {thread}
        while chain[-1] in self.waits:
            chain.append(self.waits[chain[-1]][0])
            if chain[-1] in met:
                break
            met.add(chain[-1])
        return chain
