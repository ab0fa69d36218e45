"""Fill level of the code cache: its free space by tasks and events, in order of time.

Every task ends with a `<code_cache>` of its own; `<sweeper>` (up to JDK 19) and `<code_cache_full>` are in the main
log (format page of LogCompilation, 2.1 and 2.2). With a segmented code cache free space is that of all segments.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from parsers.formats.hotspot.log.columns import NONE, EventKind
from parsers.formats.hotspot.log.log import Log
from parsers.model.value import value_class

if TYPE_CHECKING:
    from parsers.model.arrays import I64Array

STEPS = 200
"""Number of intervals of a chart."""


@value_class
class CodeCacheSample:
    """Free bytes at a moment, and their source: a task (its number) or an event."""

    milliseconds: int
    free: int
    task: int | None
    event: int | None


@value_class
class FreeSpace:
    """Free space over the run."""

    first: CodeCacheSample
    lowest: CodeCacheSample
    last: CodeCacheSample
    readings: int
    steps: tuple[float, ...]
    """The lowest free bytes in each of STEPS intervals of equal length; the previous value if there is no reading."""


def cache_events(log: Log) -> list[int]:
    """Returns the events with data about the code cache."""
    import numpy as np

    found: list[int] = np.flatnonzero(
        np.isin(np.asarray(log.column("event_kind")), (EventKind.CODE_CACHE_FULL, EventKind.SWEEPER))
    ).tolist()
    return found


def free_space(log: Log) -> FreeSpace | None:
    """Returns the free space by all readings; None if there are none. Needs the contents of the tasks."""
    import numpy as np

    task_free = np.asarray(log.column("inside_free"))
    task_done = np.asarray(log.column("task_done"))
    tasks = np.flatnonzero((task_free != NONE) & (task_done != NONE))
    events = np.array(cache_events(log), np.int64)
    event_free = np.asarray(log.column("event_value"))[events]
    event_time = np.asarray(log.column("event_stamp"))[events]
    known = (event_free != NONE) & (event_time != NONE)
    time = np.concatenate([task_done[tasks], event_time[known]]).astype(np.int64)
    free = np.concatenate([task_free[tasks], event_free[known]]).astype(np.int64) << 10
    sources = np.concatenate([tasks, -1 - events[known]])
    if not len(time):
        return None
    order = np.argsort(time, kind="stable")
    time, free, sources = time[order], free[order], sources[order]

    def reading(place: int) -> CodeCacheSample:
        number = int(sources[place])
        task, event = (number, None) if number >= 0 else (None, -1 - number)
        return CodeCacheSample(int(time[place]), int(free[place]), task, event)

    steps = _lowest_of_steps(np, time, free)
    return FreeSpace(reading(0), reading(int(free.argmin())), reading(-1), len(time), steps)


def _lowest_of_steps(np: Any, time: I64Array, free: I64Array) -> tuple[float, ...]:
    step = np.minimum(time * STEPS // (int(time[-1]) + 1), STEPS - 1)
    lowest = np.full(STEPS, -1, np.int64)
    at = np.flatnonzero(np.diff(step, prepend=-1))
    lowest[step[at]] = np.minimum.reduceat(free, at)
    last = int(free[0])
    for number, value in enumerate(lowest.tolist()):
        last = last if value < 0 else value
        lowest[number] = last
    return tuple(map(float, lowest.tolist()))
