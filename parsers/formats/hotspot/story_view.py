"""The view "Story": the history of each method's code, in order of time."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from parsers.formats.hotspot.aggregates.aggregate_view import AggregateView, Levels
from parsers.formats.hotspot.aggregates.kinds import TASK_COUNT, WHEN
from parsers.formats.hotspot.log.columns import IS_DAMAGED, IS_NATIVE, NO_LEVEL, EventKind
from parsers.formats.hotspot.names import method_of, value
from parsers.formats.hotspot.tasks.rows.kinds import PLACE
from parsers.formats.hotspot.tasks.rows.row import event_row_flags
from parsers.model.late import numpy as np
from parsers.model.none import NONE
from parsers.model.row import Badge, Column, Section, SectionRow, counted
from parsers.views.list_view import ListRow

if TYPE_CHECKING:
    from parsers.model.arrays import I64Array

METHOD, ITEM = range(1, 3)
"""Levels below the runs."""

EQUAL = tuple(f"event_{name}" for name in ("kind", "id", "method", "bci", "reason", "action", "level", "flags"))
"""Columns by which events are equal; their moments and values, such as a running count, may differ."""


class StoryView(AggregateView):
    """Methods, most often compiled first. Children: queued, compiled, installed, deoptimised, made not entrant."""

    name = "Story"
    sorted_by = "tasks"
    description = "History of methods: compilations, traps"
    level_kinds: Mapping[str, int] = {"method": METHOD}
    columns: tuple[Column, ...] = (TASK_COUNT, PLACE, WHEN)
    orders: tuple[str, ...] = ("tasks", "name")

    def levels(self) -> Levels:
        """Returns the levels: methods, and their events and compilations; equal events in a row are one entry."""
        column = self.decisions.column
        repeated = np.setdiff1d(np.arange(len(column("story_item"))), self._shown, assume_unique=True)
        return Levels(column("story_run"), [column("story_first")], {ITEM: repeated})

    @cached_property
    def _shown(self) -> I64Array:
        """Returns the items, ascending, that do not equal the event before them in the same story."""
        column = self.decisions.column
        items, first = np.asarray(column("story_item")), np.asarray(column("story_first"))
        is_event, is_shown = items & 1 == 0, np.ones(len(items), bool)
        if len(items) and len(column("event_kind")):
            event = np.where(is_event, items >> 1, 0)
            equal = is_event[1:] & is_event[:-1]
            for name in EQUAL:
                values = np.asarray(column(name))[event]
                equal &= values[1:] == values[:-1]
            is_shown[1:] = ~equal
            is_shown[first[first < len(items)]] = True
        return np.flatnonzero(is_shown)

    def entry(self, level: int, number: int) -> ListRow:
        """Returns the row of a method, an event or a compilation."""
        if level == METHOD:
            return self._method(number)
        return self._item(number)

    def _item(self, number: int) -> ListRow:
        """Returns the row of a compilation, or of an event and those equal to it after it."""
        items = self.decisions.column("story_item")
        if items[number] & 1:
            return self._task(items[number] >> 1)
        entry, shown = self._event(items[number] >> 1), self._shown
        following = shown[shown.searchsorted(number, "right") :][:1].tolist()
        times = (following[0] if following else len(items)) - number
        if times == 1:
            return entry
        return replace(entry, label=f"{entry.label}, {counted(times, 'time')}", badges={**entry.badges, "times": times})

    def _method(self, number: int) -> ListRow:
        number_of_method = self.decisions.column("story_method")[number]
        method, run = self.decisions.method(number_of_method), self.decisions.column("story_run")[number]
        tasks = self.decisions.compilations(number_of_method, run)
        first, stop = self.decisions.column("story_first")[number : number + 2]
        items = self.decisions.column("story_item")[first:stop].tolist() if self._damaged else ()
        begun = self.log.column("task_begun")[tasks[0]] if len(tasks) else NONE
        badges: dict[str, Badge] = {"tasks": len(tasks), "events": stop - first - len(tasks)}
        if begun != NONE:
            badges["stamp_s"] = begun / 1000
        return ListRow(
            kind="method",
            label=method.label,
            badges=badges,
            flags=("damaged",) if self._damaged and self._damaged.intersection(items) else (),
            ref=self.ref_in_run(f"method:{method.label}", run),
            spans=method.spans,
        )

    @cached_property
    def _damaged(self) -> frozenset[int]:
        """The damaged items of stories."""
        column = self.decisions.column
        events, tasks = (
            np.flatnonzero(np.asarray(column(f"{kind}_flags")) & IS_DAMAGED).tolist() for kind in ("event", "task")
        )
        return frozenset([2 * event for event in events] + [2 * task + 1 for task in tasks])

    def sections_of(self, level: int, number: int) -> Sequence[Section]:
        """Returns the sections of a row: of a method the beginning of its story, of an event its text."""
        items = self.decisions.column("story_item")
        if level == ITEM:
            return [self.text_of_event(items[number] >> 1)]
        first, stop = self.decisions.column("story_first")[number : number + 2]
        compiled = sum(item & 1 for item in items[first:stop])
        rows = (
            SectionRow("compiled", counted(compiled, "time")),
            SectionRow("events", f"{stop - first - compiled:,}"),
        )
        begin, end = self._shown.searchsorted((first, stop)).tolist()
        story_rows = tuple(map(self._story_row, self._shown[begin : min(end, begin + SHOWN)].tolist()))
        return [Section("Method", rows), Section("Story", story_rows, max(0, end - begin - SHOWN))]

    def _story_row(self, number: int) -> SectionRow:
        entry, item = self._item(number), self.decisions.column("story_item")[number]
        when = entry.badges.get("stamp_s")
        return SectionRow(f"{when:.3f}" if isinstance(when, float) else "", entry.label, self._ref(item))

    def _ref(self, item: int) -> str | None:
        task = item >> 1 if item & 1 else self.log.column("event_task")[item >> 1]
        return None if task == NONE else self.tasks.ref_of_task(task)

    def _task(self, task: int) -> ListRow:
        entry = self.task_entry(task)
        badges: dict[str, Badge] = dict(entry.badges)
        badges["stamp_s"] = badges.get("start_s")
        level, taken = badges.get("level"), badges.get("compile_ms")
        recompiled = " again" if self._is_recompilation(task) else ""
        label = f"compiled{recompiled}" if badges["outcome"] == "ok" else f"compilation {badges['outcome']}"
        if "reason" in badges:
            label += f": {badges['reason']}"
        if level is not None:
            label += f", tier {level}"
        if "osr_bci" in badges:
            label += f", loop at {badges['osr_bci']}"
        if taken is not None:
            label += f", {taken} ms"
        inlined = self.decisions.column("decisions_inlined")[task]
        failed = self.decisions.column("decisions_failed")[task]
        if inlined or failed:
            label += f", {counted(inlined, 'call')} inlined, {failed:,} not"
        known = {name: badge for name, badge in badges.items() if badge is not None}
        return replace(entry, label=label, badges=known, ref="", spans=())

    def _is_recompilation(self, task: int) -> bool:
        """True if the method was compiled at this level before, for the same loop if the task is an OSR compilation."""
        columns = [self.log.column(f"task_{name}") for name in ("level", "bci", "run")]
        for other in self.decisions.compilations(self.log.column("task_method")[task]):
            if other == task:
                return False
            if all(column[other] == column[task] for column in columns):
                return True
        return False

    def _event(self, event: int) -> ListRow:
        about, column = self.tasks.nodes.about, self.decisions.column
        kind = column("event_kind")[event]
        badges = about.badges(event)
        level = column("event_level")[event]
        if level != NO_LEVEL:
            badges["level"] = level
        if "size" in badges:
            badges["nmsize"] = badges.pop("size")
        return self.event_entry(event, self._words(event, kind), badges)

    def _words(self, event: int, kind: int) -> str:
        about, column = self.tasks.nodes.about, self.decisions.column
        reason = about.reason(event)
        if kind == EventKind.TASK_QUEUED:
            level, task = column("event_level")[event], column("event_task")[event]
            if level == NO_LEVEL and task != NONE and not event_row_flags(self.log, event):
                # The level is omitted for the highest tier; the rule for tasks knows which one that is.
                level = column("task_level")[task]
            label = "queued" if level == NO_LEVEL else f"queued for tier {level}"
            return f"{label}: {reason}" if reason else label
        if kind == EventKind.NMETHOD:
            size = column("event_value")[event]
            what = "native wrapper" if column("event_flags")[event] & IS_NATIVE else "installed"
            return what if size == NONE else f"{what}, {counted(size, 'byte')}"
        if kind == EventKind.MAKE_NOT_ENTRANT:
            return f"not entrant: {reason}"
        if kind == EventKind.UNCOMMON_TRAP:
            method, bci = column("event_method")[event], column("event_bci")[event]
            place = method_of(value(self.log.method(method))).short if method != NONE else "?"
            action = about.action(event)
            at = f" at {place}" + ("" if bci == NONE else f":{bci}")
            return f"trap fired: {reason}{at}" + (f" → {action}" if action else "")
        return about.label(event)

    # -- relations between rows ---------------------------------------------------------------------------------------

    def mark(self, level: int, number: int) -> Hashable:
        """Returns the number of a method, event or task, which never changes."""
        return self.decisions.column("story_method" if level == METHOD else "story_item")[number]

    def method_of(self, level: int, number: int) -> int | None:
        """Returns the number of a method row; None for other levels."""
        return self.decisions.column("story_method")[number] if level == METHOD else None

    def task_of(self, level: int, number: int) -> int | None:
        """Returns the task of an item; for an event the task whose code it is about."""
        if level != ITEM:
            return None
        item = self.decisions.column("story_item")[number]
        task = item >> 1 if item & 1 else self.log.column("event_task")[item >> 1]
        return None if task == NONE else task

    def nodes_of_method(self, method: int) -> Sequence[int]:
        """Returns the method's row in each run that has it."""
        return self.nodes_at(METHOD, self.decisions.rows_of("story_method", method))

    def nodes_of_task(self, task: int) -> Sequence[int | None]:
        """Returns the row of the compilation."""
        column = self.decisions.column
        run, places = column("task_run")[task], self.decisions.rows_of("story_method", column("task_method")[task])
        place = next((place for place in places if column("story_run")[place] == run), None)
        if place is None:
            return ()
        first, stop = self.decisions.column("story_first")[place : place + 2]
        items = self.decisions.column("story_item")[first:stop].tolist()
        return (self.rows.node(ITEM, first + items.index(2 * task + 1)),)


SHOWN = 12
"""Maximum items of a story in the side pane."""
