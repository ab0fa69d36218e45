"""Totals of threads and of monitors, and the wait graph at the end of the data."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from parsers.formats.tptp.schema.columns import FOR_LOCK, FOR_OBJECT, NEVER, NOWHERE
from parsers.formats.tptp.store.names import TraceNames
from parsers.formats.tptp.threads.deadlock import StillWaiting
from parsers.formats.tptp.views.negative_times import NegativeStates
from parsers.model.none import NONE

if TYPE_CHECKING:
    from parsers.formats.tptp.store.recording import TraceRecording
    from parsers.model.arrays import AnyArray

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


def thread_totals(recording: TraceRecording, session: int) -> list[dict[str, object]]:
    """Returns all threads with a start, in the order of their starts."""
    found: list[dict[str, object]] = []
    column, states = recording.column, recording.session_rows(session, "state")
    offsets = column("thread_offset")
    negative = NegativeStates(recording, states).by("state_thread")
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


class TraceWaits(StillWaiting):
    """Waits at the end of a session, and total waits by monitor."""

    def __init__(self, recording: TraceRecording, session: int) -> None:
        super().__init__(recording, session)
        self._session = session
        self._names = TraceNames(recording)

    def still_blocked(self) -> list[dict[str, object]]:
        """Returns the threads that wait for a lock."""
        latest = int(self._recording.column("session_latest")[self._session])
        found: list[dict[str, object]] = []
        for row in self.open_of(FOR_LOCK)[:MOST_ROWS]:
            waiting = self._waiting(row)
            owner = self._recording.column("state_owner")[row]
            waiting["owner"] = None if owner == NONE else self._thread_id(owner)
            found.append({**waiting, "until_end_ns": latest - waiting["since"]})
        return found

    def still_waiting(self) -> list[dict[str, object]]:
        """Returns the threads that wait for an object."""
        return [self._waiting(row) for row in self.open_of(FOR_OBJECT)[:MOST_ROWS]]

    def _waiting(self, row: int) -> dict[str, Any]:
        column = self._recording.column
        thread = column("state_thread")[row]
        return {
            "thread": self._recording.text(column("thread_name")[thread]),
            "id": self._thread_id(thread),
            "monitor": self._names.entity_id(column("state_monitor")[row], column("state_offset")[row]),
            "since": int(column("state_start")[row]),
        }

    def _thread_id(self, row: int) -> str:
        return self._recording.id_text(self._recording.column("thread_id")[row])

    def deadlocks(self) -> list[dict[str, object]]:
        """Returns cycles of waiting threads in file order, each from its lowest id on."""
        column = self._recording.column
        names, ids, places = column("thread_name"), column("thread_id"), {t: n for n, t in enumerate(self.by_thread)}
        found: list[dict[str, object]] = []
        for ring in sorted(
            self.graph.rings, key=lambda ring: min(map(places.__getitem__, ring.threads + ring.victims))
        ):
            lowest = min(range(len(ring.threads)), key=lambda place: (ids[ring.threads[place]], ring.threads[place]))
            threads = ring.threads[lowest:] + ring.threads[:lowest]
            found.append(
                {
                    "threads": [self._recording.text(names[thread]) for thread in threads],
                    "ids": [self._thread_id(thread) for thread in threads],
                    "monitors": [self._waiting(self.by_thread[thread])["monitor"] for thread in threads],
                }
            )
        return found

    def victims(self) -> list[dict[str, object]]:
        """Returns the threads outside of a deadlock whose chain of owners leads into it."""
        found = []
        for thread, (owner, row) in self.graph.waits.items():
            if thread in self.graph.ring_of and thread not in self.graph.deadlocked:
                waiting = self._waiting(row)
                del waiting["since"]
                found.append({**waiting, "owner": self._thread_id(owner)})
        return found

    def monitors(self) -> dict[str, object]:
        """Returns the monitors with most blocked time, and the number of monitors."""
        column, mine = self._recording.column, self._recording.session_rows(self._session, "monitor")
        blocked = self._recording.numbers("monitor_blocked", mine)
        negative = NegativeStates(self._recording, self.rows).by("state_monitor")
        still = Counter(self.of_open("state_monitor", self.open_of(FOR_LOCK)))
        found = []
        for number in (np.argsort(-blocked, kind="stable")[:MOST_MONITORS] + mine.start).tolist():
            entity, row = int(column("monitor_entity")[number]), int(column("monitor_first_state")[number])
            state = int(column("state_of_monitor")[row])
            kind = column("state_class")[state]
            found.append(
                {
                    "id": self._names.entity_id(entity, column("state_offset")[state]),
                    "class": None if kind == NONE else names_or_ids(self._recording, "class", np.array([kind]))[0],
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


def names_or_ids(recording: TraceRecording, table: str, rows: range | AnyArray) -> list[str]:
    """Returns the names of a range or an array of rows of classes or methods; ids of those that were not defined."""
    names, ids = (recording.numbers(f"{table}_{part}", rows).tolist() for part in ("name", "id"))
    text, id_text = recording.text, recording.id_text
    return [text(name) if name != NONE else f"#{id_text(id)}" for name, id in zip(names, ids, strict=True)]
