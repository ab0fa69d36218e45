"""The view "Methods": classes, their methods, the compilations of each in the order of time."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from parsers.hotspot.columns import IS_FINISHED, IS_OK, NO_LEVEL, NONE
from parsers.hotspot.level_rows import LevelRows
from parsers.hotspot.listed_view import Entry
from parsers.hotspot.merged_view import TASKS, MergedView
from parsers.hotspot.merged_words import TASK_COUNT
from parsers.hotspot.task_words import COMPILE_MS, INLINED_BYTES, LEVEL, NMSIZE, RESULT, START
from parsers.java_name import class_spans
from parsers.report import Badge, Column, Link, Section, SectionRow

if TYPE_CHECKING:
    from numpy.typing import NDArray

CLASS, METHOD, TASK = range(3)
"""Levels."""


class Sums(NamedTuple):
    """What compilations come to."""

    tasks: int
    milliseconds: int
    code: int
    """Bytes of machine code that were installed in all."""
    inlined: int
    failed: int


class MethodsView(MergedView):
    """Classes by name. Of a compilation there is its tier, size, time, and how its code ended."""

    name = "Methods"
    columns: tuple[Column, ...] = (RESULT, TASK_COUNT, LEVEL, COMPILE_MS, NMSIZE, INLINED_BYTES, START)
    orders: tuple[str, ...] = ("tasks", "compile_ms", "nmsize", "inlined_bytes", "start_s", "name")

    def make_rows(self) -> LevelRows:
        """Classes, methods, tasks."""
        return LevelRows([self.insides.column("class_first"), self.insides.column("class_method_first")])

    @cached_property
    def _running(self) -> tuple[NDArray[Any], ...]:
        """Sums of tasks in the order of this view, up to each: milliseconds, code, inlined bytes, failures."""
        import numpy as np

        order = np.asarray(self.insides.column("class_task"))

        def column(name: str) -> NDArray[Any]:
            found: NDArray[Any] = np.asarray(self.log.column(f"task_{name}"))[order]
            return found

        def running(values: NDArray[Any]) -> NDArray[Any]:
            return np.concatenate(([0], np.cumsum(values)))

        begun, done, code, inlined, flags = (column(name) for name in ("begun", "done", "code", "inlined", "flags"))
        is_timed = (begun != NONE) & (done != NONE)
        taken = np.where(is_timed, done.astype(np.int64) - begun, 0)
        code, inlined = (np.where(values != NONE, values, 0).astype(np.int64) for values in (code, inlined))
        has_failed = (flags & IS_FINISHED != 0) & (flags & IS_OK == 0)
        return tuple(running(values) for values in (taken, code, inlined, has_failed))

    def _sums(self, level: int, number: int) -> Sums:
        first, stop = number, number + 1
        for name in ("class_first", "class_method_first")[level:]:
            column = self.insides.column(name)
            first, stop = column[first], column[stop]
        return Sums(stop - first, *(int(running[stop] - running[first]) for running in self._running))

    def entry(self, level: int, number: int) -> Entry:
        """A class, a method, a task."""
        if level == TASK:
            return self._task(self.insides.column("class_task")[number])
        return self._class(number) if level == CLASS else self._method(number)

    def _badges(self, sums: Sums) -> dict[str, Badge]:
        badges: dict[str, Badge] = {
            "tasks": sums.tasks,
            "compile_ms": sums.milliseconds,
            "nmsize": sums.code,
            "inlined_bytes": sums.inlined,
        }
        if sums.failed:
            badges["failed"] = sums.failed
        return badges

    @staticmethod
    def _facts(sums: Sums) -> list[SectionRow]:
        rows = [
            SectionRow("compilations", f"{sums.tasks:,}" + (f", {sums.failed:,} failed" if sums.failed else "")),
            SectionRow("time", f"{sums.milliseconds:,} ms"),
            SectionRow("code", f"{sums.code:,} bytes, replaced code too"),
        ]
        if sums.inlined:
            rows.append(SectionRow("inlined", f"{sums.inlined:,} bytes of bytecode"))
        return rows

    def _class(self, number: int) -> Entry:
        column = self.insides.column
        first, stop = column("class_first")[number : number + 2]
        label = self._class_name(number)
        sums = self._sums(CLASS, number)
        return Entry(
            kind="class",
            label=label,
            badges={"methods": stop - first, **self._badges(sums)},
            ref=f"class:{label}",
            spans=tuple(class_spans(label)),
        )

    def _class_name(self, number: int) -> str:
        first = self.insides.column("class_first")[number]
        return self.insides.method(self.insides.column("class_method")[first]).holder

    def _method(self, number: int) -> Entry:
        method = self.insides.method(self.insides.column("class_method")[number])
        sums = self._sums(METHOD, number)
        badges = self._badges(sums)
        levels = self._levels(number)
        if levels:
            badges["result"] = "tiers " + " ".join(levels)
        return Entry(
            kind="method",
            label=method.label,
            badges=badges,
            ref=f"method:{method.label}",
            spans=method.spans,
        )

    def sections_of(self, level: int, number: int) -> Sequence[Section]:
        """The sums in words; of a method its compilations."""
        facts = self._facts(self._sums(level, number))
        if level == CLASS:
            first, stop = self.insides.column("class_first")[number : number + 2]
            return [Section("Class", (SectionRow("methods", f"{stop - first:,}"), *facts))]
        size = self.insides.code_bytes(self.insides.column("class_method")[number])
        if size is not None:
            facts.insert(0, SectionRow("bytecode", f"{size:,} bytes"))
        first, stop = self.insides.column("class_method_first")[number : number + 2]
        tasks = self.insides.column("class_task")[first:stop].tolist()
        listed = tuple(self._listed(task) for task in tasks[:SHOWN])
        return [Section("Method", tuple(facts)), Section("Compilations", listed, max(0, len(tasks) - SHOWN))]

    def _levels(self, number: int) -> list[str]:
        first, stop = self.insides.column("class_method_first")[number : number + 2]
        levels = [self.log.column("task_level")[task] for task in self.insides.column("class_task")[first:stop]]
        return [str(level) for level in levels[:MOST_LEVELS] if level != NO_LEVEL] + (
            ["…"] if len(levels) > MOST_LEVELS else []
        )

    def _listed(self, task: int) -> SectionRow:
        row = self.task_entry(task)
        level, result = row.badges.get("level", ""), self.result(task)
        start = row.badges.get("start_s", "")
        return SectionRow(f"{start} s", f"tier {level} · {result}", row.ref, TASKS)

    def _task(self, task: int) -> Entry:
        entry = self.task_entry(task)
        badges = {**entry.badges, "result": self.result(task)}
        return Entry(
            kind=entry.kind,
            label=entry.label,
            badges=badges,
            ref=entry.ref,
            offset=entry.offset,
            spans=entry.spans,
            look=entry.look,
        )

    def result(self, task: int) -> str:
        """How a compilation, or its code, ended."""
        badges = self.task_entry(task).badges
        if badges["outcome"] != "ok":
            return f"{badges['outcome']}: {badges['reason']}" if "reason" in badges else str(badges["outcome"])
        about = self.tasks.nodes.about
        end = about.end(task)
        return "in use at the end" if end is None else f"not entrant: {about.reason(end)}"

    # -- what belongs together ----------------------------------------------------------------------------------------

    def mark(self, level: int, number: int) -> Hashable:
        """The class, the method's number, the task's: both have the same numbers at all times."""
        if level == CLASS:
            return self._class_name(number)
        return self.insides.column("class_method" if level == METHOD else "class_task")[number]

    def method_of(self, level: int, number: int) -> int | None:
        """The second level."""
        return self.insides.column("class_method")[number] if level == METHOD else None

    def task_of(self, level: int, number: int) -> int | None:
        """The third level."""
        return self.insides.column("class_task")[number] if level == TASK else None

    def nodes_of_method(self, method: int) -> Sequence[int]:
        """Its one row."""
        place = self.insides.place_of_method(method)
        node = None if place is None else self.rows.node(METHOD, place)
        return () if node is None else (node,)

    def nodes_of_task(self, task: int) -> Sequence[int | None]:
        """Its one row."""
        tasks = self.insides.compilations(self.log.column("task_method")[task])
        place = self.insides.place_of_method(self.log.column("task_method")[task])
        if place is None:
            return ()
        return (self.rows.node(TASK, self.insides.column("class_method_first")[place] + tasks.tolist().index(task)),)

    def named(self, kind: str, value: str) -> Sequence[int]:
        """Of a class too."""
        found = super().named(kind, value)
        if found or kind not in ("class", "name"):
            return found
        for number in range(len(self.insides.column("class_first")) - 1):
            if self._class_name(number) == value:
                node = self.rows.node(CLASS, number)
                return () if node is None else (node,)
        return ()

    def key(self, node: int) -> tuple[str, object] | None:
        """Of a class its name, else as all do."""
        level, number = self.place(node)
        if level == CLASS:
            return ("class", self._class_name(number))
        task, method = self.task_of(level, number), self.method_of(level, number)
        if task is not None:
            return ("task", task)
        return None if method is None else ("method", self.insides.method(method).label)

    def links(self, node: int) -> list[Link]:
        """Of a class none."""
        return [] if self.place(node)[0] == CLASS else list(super().links(node))


SHOWN = 16
"""Compilations that a side pane lists."""
MOST_LEVELS = 12
"""Tiers that are listed of a method."""
