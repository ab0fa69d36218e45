"""Totals of threads and of monitors, and the wait graph at the end of the data."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from parsers.formats.tptp.schema.columns import (
    CLASS_ENTITY,
    ENTITY_BITS,
    FOR_LOCK,
    FOR_OBJECT,
    NEVER,
    NONE,
    NOWHERE,
    THREAD_ENTITY,
    UNKNOWN_ENTITY,
)
from parsers.formats.tptp.views.negative_times import NegativeStates
from parsers.index.bitpacked.columns import numbers

if TYPE_CHECKING:
    from parsers.formats.tptp.store.recording import TraceRecording

MOST_ROWS = 10_000
"""Most threads, collections and waits of a session that are listed; the tables have more."""
MOST_MONITORS = 60
"""Most monitors of a session that are listed."""
COUNTED = {
    "blocks": "thread_blocks",
    "blocked_ns": "thread_blocked",
    "waits": "thread_waits",
    "waited_ns": "thread_waited",
    "sleeps": "thread_sleeps",
    "slept_ns": "thread_slept",
    "calls": "thread_calls",
    "allocations": "thread_allocations",
}


def thread_totals(recording: TraceRecording, session: int) -> list[dict[str, Any]]:
    """Returns all threads with a start, in the order of their starts."""
    found = []
    offsets, column, states = (
        recording.column("thread_offset"),
        recording.column,
        recording.session_rows(session, "state"),
    )
    negative = NegativeStates(recording, slice(states.start, states.stop)).by("state_thread")
    order = [row for row in recording.session_rows(session, "thread") if offsets[row] != NOWHERE]
    for row in sorted(order, key=offsets.__getitem__)[:MOST_ROWS]:
        end = column("thread_end")[row]
        found.append(
            {
                "id": recording.id_text(column("thread_id")[row]),
                "name": recording.text(column("thread_name")[row]),
                "group": recording.text(column("thread_group")[row]),
                "parent": recording.text(column("thread_parent")[row]),
                "start": int(column("thread_start")[row]),
                "end": None if end == NEVER else int(end),
                **{name: int(column(counted)[row]) for name, counted in COUNTED.items()},
                **({"negative_ns": negative[row][1]} if row in negative else {}),
            }
        )
    return found


class TraceWaits:
    """Waits at the end of a session, and total waits by monitor."""

    def __init__(self, recording: TraceRecording, session: int) -> None:
        self._recording = recording
        self._session = session
        self._rows = recording.session_rows(session, "state")

    def _part(self, name: str) -> Any:
        return numbers(self._recording.column(name), slice(self._rows.start, self._rows.stop))

    @cached_property
    def _open(self) -> list[int]:
        """States that have not ended, of threads that have not."""
        ends = self._recording.column("thread_end")
        threads = self._recording.column("state_thread")
        found = np.flatnonzero(self._part("state_end") == NEVER) + self._rows.start
        offsets = self._recording.column("state_end_offset")
        return [row for row in found.tolist() if offsets[row] == NOWHERE and ends[threads[row]] == NEVER]

    def _open_of(self, kind: int) -> list[int]:
        kinds = self._recording.column("state_kind")
        return [row for row in self._open if kinds[row] == kind]

    def still_blocked(self) -> list[dict[str, Any]]:
        """Returns the threads that wait for a lock."""
        latest = int(self._recording.column("session_latest")[self._session])
        found = []
        for row in self._open_of(FOR_LOCK)[:MOST_ROWS]:
            waiting = self._waiting(row)
            owner = self._recording.column("state_owner")[row]
            waiting["owner"] = None if owner == NONE else self._thread_id(owner)
            found.append({**waiting, "until_end_ns": latest - waiting["since"]})
        return found

    def still_waiting(self) -> list[dict[str, Any]]:
        """Returns the threads that wait for an object."""
        return [self._waiting(row) for row in self._open_of(FOR_OBJECT)[:MOST_ROWS]]

    def _waiting(self, row: int) -> dict[str, Any]:
        column = self._recording.column
        thread = column("state_thread")[row]
        return {
            "thread": self._recording.text(column("thread_name")[thread]),
            "id": self._thread_id(thread),
            "monitor": entity_id(self._recording, column("state_monitor")[row], column("state_offset")[row]),
            "since": int(column("state_start")[row]),
        }

    def _thread_id(self, row: int) -> str:
        return self._recording.id_text(self._recording.column("thread_id")[row])

    @cached_property
    def _chain(self) -> dict[int, int]:
        """State of each thread that waits for a lock, by thread."""
        threads = self._recording.column("state_thread")
        return {threads[row]: row for row in self._open_of(FOR_LOCK)}

    @cached_property
    def _rings(self) -> list[list[int]]:
        """Threads that wait for each other in a cycle, each for the next one; the lowest id is first."""
        owners, ids = self._recording.column("state_owner"), self._recording.column("thread_id")
        visited: dict[int, int] = {}
        rings = []
        for first in self._chain:
            path: list[int] = []
            thread = first
            while thread in self._chain and thread not in visited:
                visited[thread] = first
                path.append(thread)
                thread = owners[self._chain[thread]]
            if thread in self._chain and visited[thread] == first:
                ring = path[path.index(thread) :]
                lowest = min(range(len(ring)), key=lambda place: (ids[ring[place]], ring[place]))
                rings.append(ring[lowest:] + ring[:lowest])
        return rings

    def deadlocks(self) -> list[dict[str, Any]]:
        """Returns deadlocks: cycles of waiting threads."""
        column = self._recording.column
        found = []
        for ring in self._rings:
            waiting = [self._waiting(self._chain[thread]) for thread in ring]
            found.append(
                {
                    "threads": [self._recording.text(column("thread_name")[thread]) for thread in ring],
                    "ids": [self._thread_id(thread) for thread in ring],
                    "monitors": [each["monitor"] for each in waiting],
                }
            )
        return found

    def victims(self) -> list[dict[str, Any]]:
        """Returns the threads outside of a deadlock whose chain of owners leads into it."""
        owners = self._recording.column("state_owner")
        in_ring = {thread for ring in self._rings for thread in ring}
        leads: dict[int, bool] = dict.fromkeys(in_ring, True)
        found = []
        for first in self._chain:
            path = []
            thread = first
            while thread in self._chain and thread not in leads:
                leads[thread] = False
                path.append(thread)
                thread = owners[self._chain[thread]]
            for each in path:
                leads[each] = leads.get(thread, False)
            if leads[first] and first not in in_ring:
                waiting = self._waiting(self._chain[first])
                del waiting["since"]
                found.append({**waiting, "owner": self._thread_id(owners[self._chain[first]])})
        return found

    def monitors(self) -> dict[str, Any]:
        """Returns the monitors with most blocked time, and the number of monitors."""
        column, mine = self._recording.column, self._recording.session_rows(self._session, "monitor")
        part = slice(mine.start, mine.stop)
        blocked = np.asarray(column("monitor_blocked"))[part]
        monitors = column("state_monitor")
        part = slice(self._rows.start, self._rows.stop)
        negative = NegativeStates(self._recording, part).by("state_monitor")
        still = Counter(int(monitors[row]) for row in self._open_of(FOR_LOCK))
        found = []
        for number in (np.argsort(-blocked, kind="stable")[:MOST_MONITORS] + mine.start).tolist():
            entity, row = int(column("monitor_thing")[number]), int(column("monitor_first_state")[number])
            state = int(column("state_of_monitor")[row])
            kind = column("state_class")[state]
            found.append(
                {
                    "id": entity_id(self._recording, entity, column("state_offset")[state]),
                    "class": None if kind == NONE else class_text(self._recording, kind),
                    "contended": int(column("monitor_contended")[number]),
                    "blocked_ns": int(column("monitor_blocked")[number]),
                    "longest_ns": int(column("monitor_longest")[number]),
                    "still_blocked": still[entity],
                    "waits": int(column("monitor_waits")[number]),
                    "waited_ns": int(column("monitor_waited")[number]),
                    **({"negative_ns": negative[entity][1]} if entity in negative else {}),
                }
            )
        return {"monitors": found, "monitors_total": len(mine)}


def entity_id(recording: TraceRecording, entity: int, offset: int) -> str:
    """Returns the id of an entity, as the file had it at an offset; empty for none."""
    row = entity & (1 << ENTITY_BITS) - 1
    if entity == NONE:
        return ""
    if entity < CLASS_ENTITY:
        return recording.id_text(recording.object_id(row, offset))
    name = {CLASS_ENTITY: "class_id", THREAD_ENTITY: "thread_id", UNKNOWN_ENTITY: "unknown_id"}[entity - row]
    return recording.id_text(recording.column(name)[row])


def class_text(recording: TraceRecording, row: int) -> str:
    """Returns the name of a class, or its id if it was not defined."""
    name = recording.column("class_name")[row]
    return recording.text(name) if name != NONE else f"#{recording.id_text(recording.column('class_id')[row])}"
