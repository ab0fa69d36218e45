"""Side pane of monitors: numbers, owners and waiting threads, the chain of a deadlock."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parsers.formats.tptp.schema.columns import FOR_LOCK
from parsers.formats.tptp.threads.state_facts import MOST_DESCRIBED
from parsers.model.late import numpy as np
from parsers.model.none import NONE
from parsers.model.row import Section, SectionRow
from parsers.model.time_text import nanos_text

if TYPE_CHECKING:
    from parsers.formats.tptp.threads.monitor_groups import MonitorGroup
    from parsers.formats.tptp.threads.state_view import StateView

TOPS = 8
"""Most threads listed."""
MOST_EXAMINED = 100_000
"""Most states of a monitor that are examined."""
NOT_CLAIMED = (
    "these may wait forever, or would have continued a moment later: the data don't show it. "
    "Only threads in a ring are called deadlocked."
)


class TraceMonitorDetail:
    """Sections for one view."""

    def __init__(self, view: StateView) -> None:
        self._view = view

    def describe_deadlock(self, each: MonitorGroup) -> Section:
        """Returns the chain of a deadlock, then the other threads blocked by it."""
        ring = each.ring
        assert ring is not None
        graph = self._view.facts.still_waiting(each.session).graph
        rows = self._view.deadlock_rows(graph, ring.threads[:MOST_DESCRIBED])
        rows += self._view.deadlock_rows(graph, ring.victims[: MOST_DESCRIBED - len(rows)], "also blocked")
        return Section("Each waits for the next", tuple(rows), len(ring.threads) + len(ring.victims) - len(rows))

    def numbers_of(self, each: MonitorGroup) -> Section:
        """Returns all numbers other than zero."""
        words = {
            "blocked_ns": "waited for its lock",
            "contended": "times",
            "longest_ns": "longest",
            "still_blocked": "still waiting for it when the data end",
            "waited_ns": "waited to be notified",
            "waits": "waits",
            "negative_ns": "of these times below zero",
            "threads": "threads",
            "monitors": "monitors",
        }
        rows = [
            SectionRow(word, nanos_text(int(value)) if name.endswith("_ns") else f"{int(value):,}")
            for name, word in words.items()
            if isinstance(value := each.badges.get(name), int) and value
        ]
        return Section(each.label, tuple(rows))

    def waiting_threads(self, each: MonitorGroup) -> list[Section]:
        """Returns threads that owned the lock while others waited, and those that waited, with durations."""
        states = np.asarray(each.states[:MOST_EXAMINED])
        recording, names = self._view.recording, self._view.facts.names
        starts, ends = self._view.facts.reaches(states)
        is_lock = recording.numbers("state_kind", states) == FOR_LOCK
        found = []
        for title, name, chosen in (
            ("Owned while others waited", "state_owner", is_lock),
            ("Waited for the lock", "state_thread", is_lock),
            ("Waited to be notified", "state_thread", ~is_lock),
        ):
            threads = recording.numbers(name, states[chosen])
            threads, times = threads[threads != NONE], (ends - starts)[chosen][threads != NONE]
            unique, which = np.unique(threads, return_inverse=True)
            sums = np.zeros(len(unique), np.int64)
            np.add.at(sums, which, times)
            counts = np.bincount(which, minlength=len(unique))
            rows = [
                SectionRow(
                    names.thread_label(int(unique[at])),
                    f"{nanos_text(int(sums[at]))}, {int(counts[at]):,} ×",
                    names.ref("thread", int(unique[at])),
                    "Threads",
                )
                for at in np.argsort(-sums, kind="stable")[:TOPS].tolist()
            ]
            if rows:
                found.append(Section(title, tuple(rows), max(0, len(unique) - TOPS)))
        return found

    def longest(self, each: MonitorGroup) -> list[Section]:
        """Returns the longest of its states."""
        states = np.asarray(each.states)
        starts, ends = self._view.facts.reaches(states)
        column, rows = self._view.recording.column, []
        for at in np.argsort(starts - ends, kind="stable")[:TOPS].tolist():
            state = int(states[at])
            thread = self._view.facts.names.thread_label(int(column("state_thread")[state]))
            ref = self._view.facts.state_ref(state)
            rows.append(SectionRow(thread, nanos_text(int(ends[at] - starts[at])), ref, "Time line"))
        return [Section("Longest", tuple(rows), max(0, len(states) - TOPS))]
