"""Time of compilers: by tier and over time, from the columns of tasks. Times are milliseconds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from parsers.formats.hotspot.log.columns import IS_DAMAGED, IS_OK, NO_LEVEL, EventKind
from parsers.model.distinct import distinct
from parsers.model.none import NONE

if TYPE_CHECKING:
    from parsers.formats.hotspot.log.log import Log
    from parsers.model.arrays import BoolArray, F64Array, I64Array

STEPS = 100
"""Number of intervals of a run."""
C2_LEVEL = 4


@dataclass(frozen=True, slots=True)
class TierTime:
    """Compile times of the tasks of one level."""

    level: int
    tasks: int
    failed: int
    total: int
    longest: int
    """Number of the task that took longest."""
    code: int
    """Bytes of code that were installed."""
    inlined: int


@dataclass(frozen=True, slots=True)
class CompileActivity:
    """Compilation over the time of one JVM, in intervals of equal length.

    All arrays have STEPS items, for the shortest runs fewer.
    """

    run: int
    step: float
    """Milliseconds of an interval."""
    tasks: I64Array
    """Tasks begun."""
    busy: I64Array
    """Milliseconds that compilers worked in it, all threads together."""
    queues: tuple[I64Array, I64Array]
    """Maximum lengths of the queues of C1 and C2: tasks that were queued and not begun."""
    waits: tuple[I64Array, I64Array]
    """Maximum times that tasks begun in it had waited for C1 and C2."""


class CompileTimes:
    """Times of all tasks of a log whose columns are joined."""

    def __init__(self, log: Log) -> None:
        def column(name: str) -> I64Array:
            return np.asarray(log.column(name)).astype(np.int64)

        self.level = column("task_level")
        self.flags = column("task_flags")
        self.begun = column("task_begun")
        self.run = column("task_run")
        done, queued = column("task_done"), column("task_queued")
        self.took = np.where((done != NONE) & (self.begun != NONE), np.maximum(done - self.begun, 0), 0)
        self.code = np.where(column("task_code") != NONE, column("task_code"), 0)
        self.inlined = np.where(column("task_inlined") != NONE, column("task_inlined"), 0)
        stamps = np.append(column("event_stamp"), NONE)
        self.queued = stamps[np.minimum(queued, len(stamps) - 1)]
        kinds, event_flags, ids = column("event_kind"), column("event_flags"), column("event_id")
        is_unknown = (column("event_stamp") == NONE) | (ids == NONE)
        is_queued = (kinds == EventKind.TASK_QUEUED) & (event_flags & IS_DAMAGED != 0) & is_unknown
        self.incomplete = int(is_queued.sum() + ((self.flags & IS_DAMAGED != 0) & (self.begun == NONE)).sum())
        """Damaged tags of tasks and of their queueing that lack a time or an id."""
        self.wait = np.where((self.queued != NONE) & (self.begun != NONE), np.maximum(self.begun - self.queued, 0), 0)

    @property
    def total(self) -> int:
        """Milliseconds of all tasks."""
        return int(self.took.sum())

    def tiers(self) -> list[TierTime]:
        """Returns the times by level, the unknown one last."""
        return [self._tier(level) for level in distinct(self.level).tolist()]

    def _tier(self, level: int) -> TierTime:
        tasks = np.flatnonzero(self.level == level)
        is_ok = (self.flags[tasks] & IS_OK) != 0
        return TierTime(
            level=level,
            tasks=len(tasks),
            failed=int(len(tasks) - is_ok.sum()),
            total=int(self.took[tasks].sum()),
            longest=int(tasks[self.took[tasks].argmax()]),
            code=int(self.code[tasks].sum()),
            inlined=int(self.inlined[tasks].sum()),
        )

    def tasks_of(self, level: int) -> list[int]:
        """Returns the tasks of a level, in order of time."""
        return self._in_order(self.level == level)

    def tasks_in(self, run: int, begin: float, end: float) -> list[int]:
        """Returns the tasks of a run that were being compiled at some time from `begin` to `end`, in order of time."""
        is_there = (self.run == run) & (self.begun != NONE) & (self.begun < end) & (self.begun + self.took >= begin)
        return self._in_order(is_there)

    def _in_order(self, which: BoolArray) -> list[int]:
        tasks = np.flatnonzero(which)
        found: list[int] = tasks[np.argsort(self.begun[tasks], kind="stable")].tolist()
        return found

    def longest(self, values: I64Array, most: int) -> list[int]:
        """Returns the tasks of the highest values above 0, the first of equal ones first."""
        tasks = np.argsort(-values, kind="stable")[:most]
        found: list[int] = tasks[values[tasks] > 0].tolist()
        return found

    def courses(self) -> list[CompileActivity]:
        """Returns the course over time of each JVM that wrote the log."""
        return [course for run in distinct(self.run).tolist() if (course := self._course(run)) is not None]

    def _course(self, run: int) -> CompileActivity | None:
        is_here = (self.run == run) & (self.begun != NONE)
        if not is_here.any():
            return None
        begun, queued, took, wait = (each[is_here] for each in (self.begun, self.queued, self.took, self.wait))
        last = int((begun + took).max()) + 1
        steps = min(STEPS, last)
        step = last / steps
        places = np.minimum((begun / step).astype(np.int64), steps - 1)
        is_c2 = (self.level[is_here] >= C2_LEVEL) & (self.level[is_here] != NO_LEVEL)

        def queue(which: BoolArray) -> I64Array:
            is_known = which & (queued != NONE)
            return longest_queue(queued[is_known], begun[is_known], step, steps)

        def longest_wait(which: BoolArray) -> I64Array:
            highest = np.zeros(steps, np.int64)
            np.maximum.at(highest, places[which], wait[which])
            return highest

        busy = np.diff(np.round(time_until(begun, step, steps) - time_until(begun + took, step, steps)))
        return CompileActivity(
            run=run,
            step=step,
            tasks=np.bincount(places, minlength=steps),
            busy=busy.astype(np.int64),
            queues=(queue(~is_c2), queue(is_c2)),
            waits=(longest_wait(~is_c2), longest_wait(is_c2)),
        )


def time_until(moments: I64Array, step: float, steps: int) -> F64Array:
    """Returns for each border of intervals, with the last one, the sum of milliseconds since all earlier moments."""
    moments = np.sort(moments)
    sums = np.append(0, np.cumsum(moments))
    borders = np.arange(steps + 1) * step
    past = np.searchsorted(moments, borders, "right")
    return np.asarray(borders * past - sums[past])


def longest_queue(queued: I64Array, begun: I64Array, step: float, steps: int) -> I64Array:
    """Returns the maximum length of a queue in each interval.

    A task that is queued and begun in one millisecond never waited: it is not counted.
    """
    times = np.concatenate((queued, begun))
    changes = np.concatenate((np.ones(len(queued), np.int64), -np.ones(len(begun), np.int64)))
    order = np.argsort(times, kind="stable")
    times, lengths = times[order], np.cumsum(changes[order])
    # Of several changes in one millisecond only the last length counts.
    is_last = np.append(times[1:] != times[:-1], True) if len(times) else np.zeros(0, bool)
    times, lengths = times[is_last], lengths[is_last]
    highest = np.zeros(steps, np.int64)
    places = np.minimum((times / step).astype(np.int64), steps - 1)
    np.maximum.at(highest, places, lengths)
    # A queue keeps its length until it changes, so it counts in all intervals up to there.
    for place in range(steps):
        before = np.searchsorted(times, place * step, "left") - 1
        if before >= 0:
            highest[place] = max(highest[place], lengths[before])
    return highest
