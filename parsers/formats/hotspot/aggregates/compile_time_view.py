"""The view "Compile time": by tier, by phase if the log has phases, the longest tasks and waits, and over time."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, cached_property, partial
from itertools import count
from typing import TYPE_CHECKING, cast

from parsers.formats.hotspot.decisions.compile_decisions import CompileDecisions
from parsers.formats.hotspot.log.columns import NO_LEVEL
from parsers.formats.hotspot.tasks.rows.row import in_flight_rows, task_method, task_ref
from parsers.formats.hotspot.tasks.rows.task_entry import task_entry
from parsers.model.late import numpy as np
from parsers.model.row import Badge, Chart, Column, Link, Section, SectionRow, Unit, capitalized, counted
from parsers.model.view import References
from parsers.views.list_view import LazyRows, ListRow, ListView

if TYPE_CHECKING:
    from parsers.formats.hotspot.aggregates.compile_time import CompileActivity, CompileTimes, TierTime
    from parsers.formats.hotspot.report import HotSpotReport
    from parsers.formats.hotspot.tasks.view import TasksView
    from parsers.model.arrays import AnyArray

LISTED = 100
"""Maximum longest tasks, and maximum longest waits."""

TIERS = {
    0: "tier 0: native",
    1: "tier 1: C1, no profile",
    2: "tier 2: C1, counters",
    3: "tier 3: C1, full profile",
    4: "tier 4: C2",
    NO_LEVEL: "tier unknown",
}
"""Source: CompLevel in HotSpot's compilerDefinitions.hpp."""

TIME = Column("compile_ms", "ms", "ms", width=18, priority=4, bar=9)
COUNT = Column("tasks", "tasks", "count", width=8, priority=3)
QUEUE = Column("queue", "queue", "count", width=6, priority=2)
WAIT = Column("wait_ms", "waited", "ms", width=8, priority=1)
CODE = Column("nmsize", "code", "bytes", width=11, priority=0)

TASKS = "Tasks"
MakeRow = Callable[[], ListRow]
"""Makes a row at depth 1 when it is needed."""
TIMES = ("count", "total", "longest", "task")
"""Values of the times of a phase."""


class CompileTimeView(ListView):
    """Groups of rows; the bar of a row is its share of the longest one in its group."""

    name = "Compile time"
    description = "Compile time by compiler phase"
    columns: tuple[Column, ...] = (TIME, COUNT, QUEUE, WAIT, CODE)
    orders: tuple[str, ...] = ("compile_ms", "tasks", "queue", "wait_ms", "nmsize")

    def __init__(self, report: HotSpotReport) -> None:
        super().__init__()
        self._report = report

    @property
    def is_ready(self) -> bool:
        """True if all tasks are known; phases are added as the tasks are read."""
        return self._report.log.tables is not None

    @property
    def is_complete(self) -> bool:
        """True if all phases are known."""
        tables = self._report.log.tables
        return tables is not None and tables.is_whole

    @property
    def partial(self) -> str:
        """Share of the log that the phases are made of; empty if it is all of it."""
        return self._report.log.partial

    @property
    def state(self) -> Hashable:
        """A value that changes with the rows: the tables, as other tables have other phases."""
        return self._report.log.tables

    @cached_property
    def _times(self) -> CompileTimes:
        from parsers.formats.hotspot.aggregates.compile_time import CompileTimes

        return CompileTimes(self._report.log)

    def make(self) -> Sequence[ListRow]:
        """Returns all groups that have values in the log."""
        if not self.is_ready or not self._report.log.tasks:
            return ()
        found = [*self._tiers(), *self._phases(), *self._longest(), *self._waits(), *self._courses()]
        later = [row for row in found if not isinstance(row, ListRow)]
        numbers = count()
        rows = [row if isinstance(row, ListRow) else next(numbers) for row in found]
        depths = [row.depth if isinstance(row, ListRow) else 1 for row in rows]
        return LazyRows(rows, depths, cache(lambda number, depth: later[number]()))

    # -- tiers --------------------------------------------------------------------------------------------------------

    def _tiers(self) -> Iterator[ListRow]:
        tiers = self._times.tiers()
        total, tasks = self._times.total, sum(tier.tasks for tier in tiers)
        in_flight = {"in_flight": len(self._report.log.in_flight)} if self._report.log.in_flight else {}
        rows = (
            *in_flight_rows(in_flight),
            SectionRow("compilers", f"busy for {total:,} ms, all threads together"),
            SectionRow("exact to", "1 ms: many tasks take less and count as 0"),
        )
        yield ListRow(
            "group",
            "By tier",
            badges={"compile_ms": total, "tasks": tasks, **in_flight, "nmsize": sum(tier.code for tier in tiers)},
            ref="name:By tier",
            sections=(Section("Compile time by tier", rows),),
        )
        most = max(tier.total for tier in tiers)
        yield from (self._tier(tier, most) for tier in tiers)

    def _tier(self, tier: TierTime, most: int) -> ListRow:
        title = TIERS.get(tier.level, f"tier {tier.level}")
        longest = task_ref(self._report.log, tier.longest)
        in_flight = self._report.log.in_flight_where("task_level", tier.level)
        rows = (
            SectionRow("tasks", f"{tier.tasks:,}, {tier.failed:,} of them without code"),
            *in_flight_rows(in_flight),
            SectionRow("time", f"{tier.total:,} ms, {tier.total / tier.tasks:.2f} ms a task"),
            SectionRow("code", counted(tier.code, "byte")),
            SectionRow("inlined", f"{counted(tier.inlined, 'byte')} of bytecode"),
            SectionRow("longest", self._label(tier.longest), longest, TASKS),
        )
        return ListRow(
            "level",
            title,
            1,
            {"level": tier.level, "compile_ms": tier.total, "tasks": tier.tasks, **in_flight, "nmsize": tier.code},
            sections=(Section(capitalized(title), rows),),
            links=(Link("the longest task", longest, TASKS),),
            key=("level", tier.level),
            bars=_bar(tier.total, most),
        )

    # -- phases -------------------------------------------------------------------------------------------------------

    def _phases(self) -> Iterator[ListRow]:
        tables = self._report.log.tables
        assert tables is not None
        decisions = CompileDecisions(self._report.log, tables)
        levels = decisions.column("decisions_time_level")
        if not len(levels):
            return
        yield ListRow("group", "By phase", ref="name:By phase", sections=(PHASES,))
        parent, name = decisions.column("decisions_phase_parent"), decisions.column("decisions_phase_name")
        path, total = decisions.column("decisions_time_path"), decisions.column("decisions_time_total")
        for level in sorted(set(levels)):
            cells = [cell for cell in range(len(levels)) if levels[cell] == level]
            roots = [total[cell] for cell in cells if parent[path[cell]] == path[cell]]
            title = TIERS.get(level, f"tier {level}")
            yield ListRow("level", title, 1, {"level": level, "compile_ms": sum(roots)})
            most = max(roots, default=0)
            for cell in _dearest_first(cells, path, parent, total):
                times = (decisions.column(f"decisions_time_{column}")[cell] for column in TIMES)
                depth = 2 + _levels_above(parent, path[cell])
                yield self._phase(decisions.word(name[path[cell]]), depth, most, *times)

    def _phase(self, name: str, depth: int, most: int, count: int, total: int, longest: int, task: int) -> ListRow:
        ref = task_ref(self._report.log, task)
        rows = (
            SectionRow("time", f"{total:,} ms in {counted(count, 'time')}"),
            SectionRow("longest", f"{longest:,} ms: {self._label(task)}", ref, TASKS),
        )
        return ListRow(
            "phase",
            name,
            depth,
            {"compile_ms": total, "tasks": count},
            sections=(Section(f"Phase {name}", rows),),
            links=(Link("the longest one", ref, TASKS),),
            bars=_bar(total, most),
        )

    # -- tasks --------------------------------------------------------------------------------------------------------

    def _longest(self) -> Iterator[ListRow | MakeRow]:
        tasks = self._times.longest(self._times.took, LISTED)
        if tasks:
            yield ListRow("group", "Longest tasks", badges={"tasks": len(tasks)}, ref="name:Longest tasks")
            most = int(self._times.took[tasks[0]])
            yield from (partial(self._task, task, _bar(int(self._times.took[task]), most)) for task in tasks)

    def _waits(self) -> Iterator[ListRow | MakeRow]:
        tasks = self._times.longest(self._times.wait, LISTED)
        if tasks:
            flags, sections = self._incomplete()
            badges: dict[str, Badge] = {"tasks": len(tasks)}
            yield ListRow("group", "Longest waits", 0, badges, "name:Longest waits", flags=flags, sections=sections)
            yield from (partial(self._task, task, {}) for task in tasks)

    def _incomplete(self) -> tuple[tuple[str, ...], tuple[Section, ...]]:
        """Returns the flag and the section of rows about waits if some waits are unknown."""
        count = self._times.incomplete
        if not count:
            return (), ()
        tags = "1 tag has" if count == 1 else f"{count:,} tags have"
        row = SectionRow("not counted", f"{tags} lost the time or the id: how long the task waited is unknown")
        return ("damaged",), (Section("Waits", (row,)),)

    def _task(self, task: int, bars: Mapping[str, float]) -> ListRow:
        entry, ref = task_entry(self._report.log, task), task_ref(self._report.log, task)
        rows = tuple(SectionRow(name.replace("_", " "), _text(value)) for name, value in entry.badges.items())
        sections, links = (Section("Task", rows),), (Link("the task", ref, TASKS),)
        return replace(entry, depth=1, ref=ref, sections=sections, links=links, key=("task", task), bars=bars)

    def _label(self, task: int) -> str:
        return task_method(self._report.log, task).label

    # -- over time ----------------------------------------------------------------------------------------------------

    def _courses(self) -> Iterator[ListRow | MakeRow]:
        courses = self._times.courses()
        for course in courses:
            title = "Over time" if len(courses) == 1 else f"Over time, run {course.run + 1}"
            last = f"{len(course.tasks) * course.step / 1000:.1f} s"
            charts: tuple[tuple[str, AnyArray, Unit, str], ...] = (
                ("Compiling", course.busy / course.step, "count", "threads that compile, as a mean"),
                ("Queue of C1", course.queues[0], "count", "tasks that wait"),
                ("Queue of C2", course.queues[1], "count", "tasks that wait"),
                ("Longest wait for C1", course.waits[0], "ms", "of the tasks begun then"),
                ("Longest wait for C2", course.waits[1], "ms", "of the tasks begun then"),
            )
            sections = tuple(
                Section(name, (SectionRow("", says),), chart=Chart(tuple(values.tolist()), unit, "0 s", last))
                for name, values, unit, says in charts
                if values.any()
            )
            queue, wait = int(np.add(*course.queues).max()), int(np.maximum(*course.waits).max())
            badges = {"tasks": int(course.tasks.sum()), "queue": queue, "wait_ms": wait}
            flags, more = self._incomplete()
            yield ListRow("group", title, 0, badges, f"name:{title}", flags=flags, sections=(*sections, *more))
            yield from (partial(self._interval, course, place) for place in range(len(course.tasks)))

    def _interval(self, course: CompileActivity, place: int) -> ListRow:
        begin, end = place * course.step / 1000, (place + 1) * course.step / 1000
        busy = int(course.busy[place])
        queues, waits = ([int(of_compiler[place]) for of_compiler in each] for each in (course.queues, course.waits))
        rows = (
            SectionRow("tasks", f"{int(course.tasks[place]):,} begun"),
            SectionRow("compiling", f"{busy / course.step:.1f} threads, as a mean"),
            *(SectionRow(f"C{each} queue", f"{queues[each - 1]:,} at most") for each in (1, 2)),
            *(SectionRow(f"C{each} wait", f"{waits[each - 1]:,} ms at most") for each in (1, 2)),
        )
        badges = {
            "start_s": round(begin, 3),
            "compile_ms": busy,
            "tasks": int(course.tasks[place]),
            "queue": sum(queues),
            "wait_ms": max(waits),
        }
        title = f"{begin:.2f} – {end:.2f} s"
        return ListRow(
            "interval",
            title,
            1,
            badges,
            sections=(Section(title, rows),),
            key=("interval", course.run, begin, end),
            bars=_bar(busy, int(course.busy.max())),
        )

    def references(self, node: int) -> References:
        """Returns the tasks of an interval or a tier, as nodes of the view of tasks."""
        entry = self.entries[node]
        match entry.key:
            case ("interval", int(run), float(begin), float(end)):
                tasks = self._times.tasks_in(run, begin * 1000, end * 1000)
            case ("level", int(level)):
                tasks = self._times.tasks_of(level)
            case _:
                return super().references(node)
        view = cast("TasksView", self._report.view(TASKS))
        return References(f"tasks of {entry.label}", TASKS, list(map(view.nodes.of_task, tasks)), have_labels=True)


PHASES = Section(
    "Compile time by phase",
    (
        SectionRow("", "The time of a phase holds that of the phases in it."),
        SectionRow("", "JDK 8 logs phases of both compilers, JDK 17 of C1 only, JDK 22 and later none."),
    ),
)


def _bar(time: int, most: int) -> dict[str, float]:
    """Returns the bar of a time relative to the longest one."""
    return {"compile_ms": time / most} if most > 0 else {}


def _dearest_first(cells: Sequence[int], path: Sequence[int], parent: Sequence[int], total: Sequence[int]) -> list[int]:
    """Returns phases in preorder; siblings by time, longest first."""
    cell_of = {path[cell]: cell for cell in cells}

    def rank(cell: int) -> tuple[tuple[int, int], ...]:
        found, at = [(-total[cell], cell)], path[cell]
        while parent[at] != at and (above := cell_of.get(parent[at])) is not None:
            found.append((-total[above], above))
            at = parent[at]
        return tuple(reversed(found))

    return sorted(cells, key=rank)


def _levels_above(parent: memoryview, path: int) -> int:
    """Returns the number of ancestors of a phase."""
    levels = 0
    while parent[path] != path:
        path = parent[path]
        levels += 1
    return levels


def _text(value: Badge) -> str:
    return f"{value:,}" if isinstance(value, int) else str(value)
