"""The view "Code cache": its free space over time, and each time it was full or swept."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import TYPE_CHECKING

from parsers.formats.hotspot.aggregates.code_cache import CodeCacheSample, FreeSpace, cache_events, free_space
from parsers.formats.hotspot.log.columns import EVENT_KINDS, NONE, EventKind
from parsers.formats.hotspot.names import value
from parsers.formats.hotspot.tasks.rows.row import event_row_flags, task_method, task_ref
from parsers.model.report import Chart, Column, Link, Section, SectionRow, Shape, counted
from parsers.views.list_view import LazyRows, ListRow, ListView

if TYPE_CHECKING:
    from parsers.formats.hotspot.report import HotSpotReport

FREE = Column("free", "free", "bytes", badges=(("free", ""),), width=20, priority=2, bar=9)
TIME = Column("start_s", "at", "s", badges=(("start_s", ""),), width=9, priority=1)

TASKS = "Tasks"


class CodeCacheView(ListView):
    """A summary of all readings, then the events."""

    name = "Code cache"
    description = "Code cache: size, use, sweeps"
    shape: Shape = "tree"
    columns: tuple[Column, ...] = (FREE, TIME)
    orders: tuple[str, ...] = ("free", "start_s")

    def __init__(self, report: HotSpotReport) -> None:
        super().__init__()
        self._report = report

    @property
    def state(self) -> Hashable:
        """A value that changes with the rows: number of events, and the contents of the tasks for the free space."""
        return self._report.log.events, self._report.log.is_complete

    @property
    def is_complete(self) -> bool:
        """True if all is known."""
        return self._report.log.is_complete

    def make(self) -> Sequence[ListRow]:
        """Returns the rows of free space and events."""
        space = free_space(self._report.log) if self._report.log.is_complete else None
        rows: list[ListRow | int] = [] if space is None else list(self._space(space))
        events = cache_events(self._report.log)
        kinds, free = (self._report.log.column(name) for name in ("event_kind", "event_value"))
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
        log = self._report.log
        links: tuple[Link, ...] = ()
        if reading.task is not None:
            label = f"{name}: after {task_method(log, reading.task).short}"
            links = (Link("task", task_ref(log, reading.task), TASKS),)
        else:
            assert reading.event is not None
            label = f"{name}: {EVENT_KINDS[log.column('event_kind')[reading.event]].replace('_', ' ')}"
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
        log = self._report.log
        free, stamps = log.column("event_value"), log.column("event_stamp")
        kind = EVENT_KINDS[log.column("event_kind")[event]]
        state = value(log.word(log.column("event_reason")[event]))
        badges = {
            "free": free[event] << 10 if free[event] != NONE else None,
            "start_s": stamps[event] / 1000 if stamps[event] != NONE else None,
        }
        return ListRow(
            kind,
            f"{kind.replace('_', ' ')}{f': {state}' if state else ''}",
            depth,
            badges={name: badge for name, badge in badges.items() if badge is not None},
            offset=log.column("event_start")[event],
            flags=event_row_flags(log, event),
            sections=(Section(kind.replace("_", " ").capitalize(), (SectionRow("", self._text(event)),)),),
            key=("event", event),
            bars={"free": (free[event] << 10) / most} if free[event] != NONE else {},
        )

    def _text(self, event: int) -> str:
        """Returns the event as written."""
        return self._report.log.event_bytes(event).decode("utf-8", "replace")
