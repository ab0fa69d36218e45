"""Depths and leaves of the rows of all monitor dumps, from columns: the rows are made when they are shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from parsers.formats.hprof.data.columns import IS_UNOWNED, MONITOR_DUMP
from parsers.formats.hprof.monitors.dumps import SHOWN_FIRST, state_of_status
from parsers.model.none import NONE

if TYPE_CHECKING:
    from parsers.formats.hprof.data.recording import ProfileRecording
    from parsers.formats.hprof.monitors.dumps import MonitorDumps
    from parsers.model.arrays import I64Array

DUMP, MONITORS, MONITOR, THREADS, STATE = range(5)
"""Kinds of groups of a dump, in their order; MONITORS and THREADS are there if there are some."""
DEPTHS = np.array([0, 1, 2, 1, 2])


class MonitorOutline:
    """The groups of all dumps, one dump after the other."""

    def __init__(self, recording: ProfileRecording, dumps: MonitorDumps) -> None:
        self._recording = recording
        sections, every = recording.sections(MONITOR_DUMP), np.arange(len(dumps))
        monitors, leaves = self._monitors(sections, dumps)
        states, threads = self._states(sections)
        parts = (every, np.unique(monitors), monitors, np.unique(states), states)
        of, kinds = np.concatenate(parts), np.repeat(np.arange(len(parts)), [*map(len, parts)])
        counts = np.zeros(len(of), np.int64)
        counts[kinds == MONITOR], counts[kinds == STATE] = leaves, threads
        order = np.lexsort((kinds, of))
        self.depths: list[int] = DEPTHS[kinds[order]].tolist()
        self.leaves: list[int] = counts[order].tolist()
        self.starts: list[int] = np.searchsorted(of[order], every).tolist()
        """First group of each dump."""

    def _column(self, name: str, rows: I64Array) -> I64Array:
        return np.asarray(self._recording.column(name))[rows].astype(np.int64)

    def _monitors(self, sections: list[int], dumps: MonitorDumps) -> tuple[I64Array, I64Array]:
        """Returns the dumps of all monitors without repeated ones, and the number of threads at each."""
        rows, of = self._recording.rows_of(sections)
        names = ("first", "owner", "flags", "entering", "notified", "name", "entries")
        firsts, owners, flags, entering, notified, *others = (self._column(f"monitor_{name}", rows) for name in names)
        owners[flags & IS_UNOWNED != 0] = NONE
        waiters, known = np.zeros(len(rows), np.int64), dict[bytes, int]()
        ids, waiting = self._recording.column("waiter"), entering + notified
        for row in np.flatnonzero(waiting).tolist():
            listed = bytes(ids[firsts[row] : firsts[row] + waiting[row]])
            waiters[row] = known.setdefault(listed, len(known) + 1)
        keys = np.array((of, owners, flags, entering, notified, *others, waiters))
        order = np.lexsort(keys)
        keys = keys[:, order]
        is_new = np.append(np.True_, (keys[:, 1:] != keys[:, :-1]).any(axis=0))[: len(rows)]
        blocks = np.sort(order[is_new])
        of, leaves = of[blocks], ((owners != NONE) + waiting)[blocks]
        for number in dumps.with_waits:
            lost = [*dumps[number].lost.values()]
            np.add.at(leaves, np.searchsorted(of, number) + np.array(lost, np.int64), 1)
        return of, leaves

    def _states(self, sections: list[int]) -> tuple[I64Array, I64Array]:
        """Returns the dumps of all states of threads in them, and the number of threads of each."""
        rows, of = self._recording.rows_of(sections, "more", "more_rows")
        words, statuses = np.unique(self._column("dumped_status", rows), return_inverse=True)
        states = [state_of_status(self._recording.word(word)) for word in words.tolist()]
        names = [*SHOWN_FIRST, *dict.fromkeys(state for state in states if state not in SHOWN_FIRST)]
        numbers = np.array([names.index(state) for state in states], np.int64)[statuses]
        found, first, counts = np.unique(of * len(names) + numbers, return_index=True, return_counts=True)
        dumps, state = np.divmod(found, len(names))
        order = np.lexsort((first, np.minimum(state, len(SHOWN_FIRST)), dumps))
        return dumps[order], counts[order]
