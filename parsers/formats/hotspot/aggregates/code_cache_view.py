"""The view "Code cache": its free space over time, and each time it was full or swept.

Every task ends with a `<code_cache>` of its own; `<sweeper>` (up to JDK 19) and `<code_cache_full>` are in the main
log. With a segmented code cache free space is that of all segments. Source: `compileBroker.cpp` and `sweeper.cpp`.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import TYPE_CHECKING

from parsers.formats.hotspot.log.columns import EVENT_KINDS, EventKind
from parsers.formats.hotspot.names import value
from parsers.formats.hotspot.tasks.rows.row import event_row_flags, task_method, task_ref
from parsers.model.distinct import begins
from parsers.model.late import numpy as np
from parsers.model.none import NONE
from parsers.model.row import Badge, Chart, Column, Link, Section, SectionRow, capitalized, counted
from parsers.model.value import value_class
from parsers.views.list_view import LazyRows, ListRow, ListView

if TYPE_CHECKING:
    from parsers.formats.hotspot.log.log import Log
    from parsers.formats.hotspot.report import HotSpotReport
    from parsers.model.arrays import I64Array

FREE = Column("free", "free", "bytes", badges=(("free", ""),), width=20, priority=2, bar=9)
TIME = Column("start_s", "at", "s", badges=(("start_s", ""),), width=9, priority=1)

TASKS = "Tasks"
STEPS = 200
"""Number of intervals of the chart."""


@value_class
class CodeCacheSample:
    """Free bytes at a moment, and their source: the number of a task, or of an event."""

    milliseconds: int
    free: int
    is_of_task: bool
    source: int


@value_class
class FreeSpace:
    """Free space over the run."""

    first: CodeCacheSample
    lowest: CodeCacheSample
    last: CodeCacheSample
    readings: int
    steps: tuple[float, ...]
    """The lowest free bytes in each of STEPS intervals of equal length; the previous value if there is no reading."""


class CodeCacheView(ListView):
    """A summary of all readings, then the events."""

    name = "Code cache"
    description = "Code cache: size, use, sweeps"
    columns: tuple[Column, ...] = (FREE, TIME)
    orders: tuple[str, ...] = ("free", "start_s")

    def __init__(self, report: HotSpotReport) -> None:
        super().__init__()
        self._log = report.log

    @property
    def state(self) -> Hashable:
        """A value that changes with the rows: the number of events."""
        return self._log.events

    @property
    def is_complete(self) -> bool:
        """True if all is known, with the free space."""
        return self._log.is_complete

    def make(self) -> Sequence[ListRow]:
        """Returns the rows of free space and events."""
        log = self._log
        space = free_space(log) if log.is_complete else None
        rows: list[ListRow | int] = [] if space is None else list(self._space(space))
        events = cache_events(log)
        kinds, free = log.column("event_kind"), log.column("event_value")
        full = sum(kinds[event] == EventKind.CODE_CACHE_FULL for event in events)
        label = f"Events: full {counted(full, 'time')}, {counted(len(events) - full, 'step')} of the sweeper"
        none = "Events: the code cache was never full, and nothing was swept"
        rows += [ListRow("group", label if events else none, ref="name:Events"), *events]
        most = max((free[event] << 10 for event in events if free[event] != NONE), default=1)
        most = max(most, 1 if space is None else space.first.free, 1)
        depths = [each.depth if isinstance(each, ListRow) else 1 for each in rows]
        return LazyRows(rows, depths, lambda event, depth: self._event(event, depth, most))

    def _space(self, space: FreeSpace) -> Iterator[ListRow]:
        most = max(space.first.free, *map(int, space.steps), 1)
        end = f"{space.last.milliseconds / 1000:.3f} s"
        says = SectionRow("", f"{space.readings:,} readings: one at the end of each task, and one at each event")
        sections = (Section("Free space", (says,), chart=Chart(space.steps, "bytes", "0 s", end)),)
        badges = {"free": space.lowest.free, "start_s": space.lowest.milliseconds / 1000}
        yield ListRow("group", "Free space", badges=badges, ref="name:Free space", sections=sections)
        for name, reading in (("first", space.first), ("lowest", space.lowest), ("last", space.last)):
            yield self._reading(name, reading, most, sections)

    def _reading(self, name: str, reading: CodeCacheSample, most: int, sections: tuple[Section, ...]) -> ListRow:
        log, links = self._log, tuple[Link, ...]()
        if reading.is_of_task:
            label = f"{name}: after {task_method(log, reading.source).short}"
            links = (Link("task", task_ref(log, reading.source), TASKS),)
        else:
            label = f"{name}: {EVENT_KINDS[log.column('event_kind')[reading.source]].replace('_', ' ')}"
        return ListRow(
            "code_cache",
            label,
            1,
            badges={"free": reading.free, "start_s": reading.milliseconds / 1000},
            sections=sections,
            links=links,
            bars={"free": reading.free / most},
        )

    def _event(self, event: int, depth: int, most: int) -> ListRow:
        """Returns the row of an event. most: free bytes of the longest bar"""
        log = self._log
        free, stamp = log.column("event_value")[event], log.column("event_stamp")[event]
        kind = EVENT_KINDS[log.column("event_kind")[event]]
        state = value(log.word(log.column("event_reason")[event]))
        badges: dict[str, Badge] = {}
        if free != NONE:
            badges["free"] = free << 10
        if stamp != NONE:
            badges["start_s"] = stamp / 1000
        text = log.event_bytes(event).decode("utf-8", "replace")
        return ListRow(
            kind,
            f"{kind.replace('_', ' ')}{f': {state}' if state else ''}",
            depth,
            badges=badges,
            offset=log.column("event_start")[event],
            flags=event_row_flags(log, event),
            sections=(Section(capitalized(kind.replace("_", " ")), (SectionRow("", text),)),),
            key=("event", event),
            bars={"free": (free << 10) / most} if free != NONE else {},
        )


def cache_events(log: Log) -> list[int]:
    """Returns the events with data about the code cache."""
    kinds = np.asarray(log.column("event_kind"))
    return np.flatnonzero(np.isin(kinds, (EventKind.CODE_CACHE_FULL, EventKind.SWEEPER))).tolist()


def free_space(log: Log) -> FreeSpace | None:
    """Returns the free space by all readings; None if there are none. Needs the contents of the tasks."""
    task_free, task_done = np.asarray(log.column("decisions_free")), np.asarray(log.column("task_done"))
    tasks = np.flatnonzero((task_free != NONE) & (task_done != NONE))
    events = np.array(cache_events(log), np.int64)
    event_free, event_time = (np.asarray(log.column(f"event_{name}"))[events] for name in ("value", "stamp"))
    known = (event_free != NONE) & (event_time != NONE)
    time = np.concatenate([task_done[tasks], event_time[known]]).astype(np.int64)
    free = np.concatenate([task_free[tasks], event_free[known]]).astype(np.int64) << 10
    sources = np.concatenate([tasks, events[known]])
    if not len(time):
        return None
    order = np.argsort(time, kind="stable")
    time, free, sources, is_of_task = time[order], free[order], sources[order], order < len(tasks)

    def reading(place: int) -> CodeCacheSample:
        return CodeCacheSample(int(time[place]), int(free[place]), bool(is_of_task[place]), int(sources[place]))

    return FreeSpace(reading(0), reading(int(free.argmin())), reading(-1), len(time), lowest_of_steps(time, free))


def lowest_of_steps(time: I64Array, free: I64Array) -> tuple[float, ...]:
    """Returns the lowest free bytes in each of STEPS intervals. time: milliseconds, ascending"""
    step = np.minimum(time * STEPS // (int(time[-1]) + 1), STEPS - 1)
    first = np.flatnonzero(begins(step))
    lowest = np.full(STEPS, free[0])
    lowest[step[first]] = np.minimum.reduceat(free, first)
    # An interval without a reading has the value of the last one that has any; before the first one it is the first.
    has_reading = np.zeros(STEPS, np.int64)
    has_reading[step[first]] = step[first]
    return tuple(map(float, lowest[np.maximum.accumulate(has_reading)].tolist()))
