"""The view "Methods": classes, their methods, the compilations of each in order of time.

Methods without tasks (native wrappers, and methods that were only queued) have their events as children.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, cast

from parsers.formats.hotspot.aggregates.aggregate_view import INLINING, TASKS, AggregateView, Levels
from parsers.formats.hotspot.aggregates.kinds import TASK_COUNT
from parsers.formats.hotspot.log.columns import IS_FINISHED, IS_NATIVE, IS_OK, NO_LEVEL, EventKind
from parsers.formats.hotspot.tasks.rows.kinds import COMPILE_MS, INLINED_BYTES, LEVEL, NMSIZE, RESULT, START
from parsers.model.late import numpy as np
from parsers.model.names.java_name import class_spans
from parsers.model.none import NONE
from parsers.model.row import Badge, Column, Link, Section, SectionRow, counted
from parsers.views.list_view import ListRow

if TYPE_CHECKING:
    from parsers.formats.hotspot.aggregates.inlining_view import InliningView
    from parsers.model.arrays import AnyArray, I64Array

CLASS, METHOD, ITEM = range(1, 4)
"""Levels below the runs."""


class CompilationSums(NamedTuple):
    """Sums over compilations."""

    tasks: int
    milliseconds: int
    code: int
    """Bytes of machine code that were installed in all."""
    inlined: int
    failed: int


class CompiledMethodsView(AggregateView):
    """Classes by name. A compilation shows its tier, size, time, and how its code ended."""

    name = "Methods"
    sorted_by = "name"
    description = "Compiled methods with all their compilations"
    level_kinds: Mapping[str, int] = {"class": CLASS, "method": METHOD}
    columns: tuple[Column, ...] = (RESULT, TASK_COUNT, LEVEL, COMPILE_MS, NMSIZE, INLINED_BYTES, START)
    orders: tuple[str, ...] = ("tasks", "compile_ms", "nmsize", "inlined_bytes", "start_s", "name")

    def levels(self) -> Levels:
        """Returns the levels: classes, methods, tasks."""
        column = self.decisions.column
        return Levels(column("class_run"), [column("class_first"), column("class_method_first")])

    @cached_property
    def _running(self) -> tuple[AnyArray, ...]:
        """Cumulative sums in the order of this view: tasks, milliseconds, code, inlined bytes, failures."""
        items = np.asarray(self.decisions.column("class_item"))
        is_task = items & 1 == 1
        order = items[is_task] >> 1

        def column(name: str) -> AnyArray:
            found: AnyArray = np.asarray(self.log.column(f"task_{name}"))[order]
            return found

        def running(values: AnyArray | int) -> I64Array:
            all_values = np.zeros(len(items), np.int64)
            all_values[is_task] = values
            return np.concatenate(([0], np.cumsum(all_values)))

        begun, done, code, inlined, flags = (column(name) for name in ("begun", "done", "code", "inlined", "flags"))
        is_timed = (begun != NONE) & (done != NONE)
        taken = np.where(is_timed, done.astype(np.int64) - begun, 0)
        code, inlined = (np.where(values != NONE, values, 0).astype(np.int64) for values in (code, inlined))
        has_failed = (flags & IS_FINISHED != 0) & (flags & IS_OK == 0)
        return tuple(running(values) for values in (1, taken, code, inlined, has_failed))

    def _sums(self, level: int, number: int) -> CompilationSums:
        first, stop = number, number + 1
        for name in ("class_first", "class_method_first")[level - CLASS :]:
            column = self.decisions.column(name)
            first, stop = column[first], column[stop]
        return CompilationSums(*(int(running[stop] - running[first]) for running in self._running))

    def entry(self, level: int, number: int) -> ListRow:
        """Returns the row of a class, a method, a task or an event."""
        if level == ITEM:
            item = self.decisions.column("class_item")[number]
            return self._task(item >> 1) if item & 1 else self._event(item >> 1)
        return self._class(number) if level == CLASS else self._method(number)

    def _badges(self, sums: CompilationSums) -> dict[str, Badge]:
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
    def _facts(sums: CompilationSums) -> list[SectionRow]:
        rows = [
            SectionRow("compilations", f"{sums.tasks:,}" + (f", {sums.failed:,} failed" if sums.failed else "")),
            SectionRow("time", f"{sums.milliseconds:,} ms"),
            SectionRow("code", f"{counted(sums.code, 'byte')}, replaced code too"),
        ]
        if sums.inlined:
            rows.append(SectionRow("inlined", f"{counted(sums.inlined, 'byte')} of bytecode"))
        return rows

    def _class(self, number: int) -> ListRow:
        column = self.decisions.column
        first, stop = column("class_first")[number : number + 2]
        label = self._class_name(number)
        sums = self._sums(CLASS, number)
        return ListRow(
            kind="class",
            label=label,
            badges={"methods": stop - first, **self._badges(sums)},
            ref=self.ref_in_run(f"class:{label}", column("class_run")[number]),
            spans=tuple(class_spans(label)),
        )

    def _class_name(self, number: int) -> str:
        first = self.decisions.column("class_first")[number]
        return self.decisions.method(self.decisions.column("class_method")[first]).holder

    def _method(self, number: int) -> ListRow:
        method = self.decisions.method(self.decisions.column("class_method")[number])
        sums = self._sums(METHOD, number)
        badges = self._badges(sums)
        levels = self._levels(number)
        if levels:
            badges["result"] = "tiers " + " ".join(levels)
        elif not sums.tasks:
            badges["result"] = self._state(number)
        return ListRow(
            kind="method",
            label=method.label,
            badges=badges,
            ref=self.ref_in_run(f"method:{method.label}", self.decisions.run_at(number)),
            spans=method.spans,
        )

    def sections_of(self, level: int, number: int) -> Sequence[Section]:
        """Returns the sums as text; of a method its compilations; of an event its text."""
        if level == ITEM:
            return [self.text_of_event(self.decisions.column("class_item")[number] >> 1)]
        facts = self._facts(self._sums(level, number))
        if level == CLASS:
            first, stop = self.decisions.column("class_first")[number : number + 2]
            return [Section("Class", (SectionRow("methods", f"{stop - first:,}"), *facts))]
        method = self.decisions.column("class_method")[number]
        size = self.decisions.code_bytes(method)
        if size is not None:
            facts.insert(0, SectionRow("bytecode", counted(size, "byte")))
        tasks = self.decisions.tasks_at(number)
        listed = tuple(self._listed(task) for task in tasks[:SHOWN])
        calls = cast("InliningView", self.report.view(INLINING)).sections_of_callee(method, self.run_of(level, number))
        if not tasks:
            return [Section("Method", (*facts, SectionRow("code", self._state(number)))), *calls]
        return [Section("Method", tuple(facts)), Section("Compilations", listed, max(0, len(tasks) - SHOWN)), *calls]

    def _levels(self, number: int) -> list[str]:
        levels = [self.log.column("task_level")[task] for task in self.decisions.tasks_at(number)]
        return [str(level) for level in levels[:MOST_LEVELS] if level != NO_LEVEL] + (
            ["…"] if len(levels) > MOST_LEVELS else []
        )

    def _state(self, number: int) -> str:
        """Returns the state of a method that no task compiled."""
        kinds, flags = self.log.column("event_kind"), self.log.column("event_flags")
        first, stop = self.decisions.column("class_method_first")[number : number + 2]
        events = [item >> 1 for item in self.decisions.column("class_item")[first:stop]]
        if any(flags[event] & IS_NATIVE for event in events):
            return NATIVE
        return INSTALLED if any(kinds[event] == EventKind.NMETHOD for event in events) else QUEUED

    def _event(self, event: int) -> ListRow:
        about, column = self.tasks.nodes.about, self.log.column
        badges = about.badges(event)
        is_code = column("event_kind")[event] == EventKind.NMETHOD
        if is_code:
            badges["result"] = NATIVE if column("event_flags")[event] & IS_NATIVE else INSTALLED
            badges["nmsize"] = badges.pop("size", None) or 0
        else:
            badges["result"] = QUEUED
        level = column("event_level")[event]
        if level != NO_LEVEL:
            badges["level"] = level
        return self.event_entry(event, "code" if is_code else "queued", badges)

    def _listed(self, task: int) -> SectionRow:
        row = self.task_entry(task)
        level, result = row.badges.get("level", ""), self.result(task)
        start = row.badges.get("start_s", "")
        return SectionRow(f"{start} s", f"tier {level} · {result}", row.ref, TASKS)

    def _task(self, task: int) -> ListRow:
        entry = self.task_entry(task)
        return replace(entry, badges={**entry.badges, "result": self.result(task)})

    def result(self, task: int) -> str:
        """Returns how a compilation, or its code, ended."""
        badges = self.task_entry(task).badges
        if badges["outcome"] != "ok":
            return f"{badges['outcome']}: {badges['reason']}" if "reason" in badges else str(badges["outcome"])
        about = self.tasks.nodes.about
        end = about.end(task)
        return "in use at the end" if end is None else f"not entrant: {about.reason(end)}"

    # -- relations between rows ---------------------------------------------------------------------------------------

    def mark(self, level: int, number: int) -> Hashable:
        """Returns the class, the method's number, the task's or event's: these numbers never change."""
        if level == CLASS:
            return self._class_name(number)
        return self.decisions.column("class_method" if level == METHOD else "class_item")[number]

    def method_of(self, level: int, number: int) -> int | None:
        """Returns the method of an entry on the second level."""
        return self.decisions.column("class_method")[number] if level == METHOD else None

    def task_of(self, level: int, number: int) -> int | None:
        """Returns the task of an entry on the third level; None for events."""
        item = self.decisions.column("class_item")[number] if level == ITEM else 0
        return item >> 1 if item & 1 else None

    def nodes_of_method(self, method: int) -> Sequence[int]:
        """Returns the method's row in each run that has it."""
        return self.nodes_at(METHOD, self.decisions.places_of_method(method))

    def nodes_of_task(self, task: int) -> Sequence[int | None]:
        """Returns the task's one row."""
        column = self.decisions.column
        places = self.decisions.places_of_method(column("task_method")[task], column("task_run")[task])
        if not places:
            return ()
        first, stop = column("class_method_first")[places[0] : places[0] + 2]
        return (self.rows.node(ITEM, first + column("class_item")[first:stop].tolist().index(2 * task + 1)),)

    def named(self, kind: str, value: str) -> Sequence[int]:
        """Returns the nodes of a REF, also of a class."""
        found = super().named(kind, value)
        if found or kind not in ("class", "name"):
            return found
        numbers = [each for each in range(len(self.decisions.column("class_run"))) if self._class_name(each) == value]
        return self.nodes_at(CLASS, numbers)

    def key(self, node: int) -> Hashable | None:
        """Returns the key: of a class its name, else as in all views."""
        level, number = self.place(node)
        return ("class", self._class_name(number)) if level == CLASS else super().key(node)

    def links(self, node: int) -> list[Link]:
        """Returns the links; none for a class."""
        return [] if self.place(node)[0] == CLASS else list(super().links(node))


NATIVE, INSTALLED, QUEUED = "native wrapper", "installed, no task", "queued only"
"""States of methods that no task compiled."""
SHOWN = 16
"""Maximum compilations that a side pane lists."""
MOST_LEVELS = 12
"""Maximum tiers of a method that are listed."""
