"""The view "Deoptimisations": why compiled code was deoptimised or invalidated, where, and if it was recompiled."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Hashable, Mapping, Sequence

from parsers.formats.hotspot.aggregates.aggregate_view import RUN, TASKS, AggregateView, Levels
from parsers.formats.hotspot.aggregates.deoptimisation_table import (
    DEPENDENCY,
    ENDED,
    FIRED,
    NEVER,
    NOT_COMPILABLE,
    ON_STACK,
    REPLACED,
    UNLOADED,
)
from parsers.formats.hotspot.aggregates.kinds import EMITTED, FIRED_COUNT, RECOMPILED, STORM_COLUMN, WHEN
from parsers.formats.hotspot.log.columns import BY_REPLACING, IS_ZOMBIE, EventKind
from parsers.formats.hotspot.log.read.tags import read_attributes
from parsers.formats.hotspot.names import class_name, value
from parsers.model.late import numpy as np
from parsers.model.none import NONE
from parsers.model.row import Badge, Column, Link, Row, Section, SectionRow, Span, counted
from parsers.model.view import References
from parsers.views.list_view import ListRow

GROUP, METHOD, PLACE, EVENT = range(1, 5)
"""Levels below the runs."""

MIN_FIRINGS = 10
"""Minimum traps of one reason in one method that are flagged as firing repeatedly."""
MIN_FIRINGS_RECOMPILED = 4
"""Minimum for a trap whose methods were also recompiled at the same level at least so often since."""

SHOWN = 8
"""Maximum tasks that a side pane lists."""
NO_TASK = "in no task: an implicit check, or a missing task"
"""Shown for a trap that fired and is in no task."""

TITLES = {
    FIRED: "",
    NEVER: "",
    ENDED: "not entrant: ",
    REPLACED: "not entrant: ",
    ON_STACK: "deoptimized: ",
    DEPENDENCY: "dependency failed: ",
    UNLOADED: "unloaded",
    NOT_COMPILABLE: "not compilable: ",
}
LOOK_OF_TYPE = {ENDED: "make_not_entrant", REPLACED: "make_not_entrant", ON_STACK: "deoptimized"}


class DeoptimisationView(AggregateView):
    """Reasons of traps with their actions, then those of other events; methods; places; each event.

    `fired` is the number of events, `emitted` the number of places in installed code with such a trap, `recompiled` how
    often the methods whose code it ended were compiled at the same level since. Code that better code has replaced is
    one row at the end, which a reference list expands.
    """

    name = "Deoptimisations"
    description = "Traps and deoptimised methods, by reason"
    level_kinds: Mapping[str, int] = {"reason": GROUP, "method": METHOD, "place": PLACE}
    columns: tuple[Column, ...] = (STORM_COLUMN, FIRED_COUNT, RECOMPILED, EMITTED, WHEN)
    orders: tuple[str, ...] = ("fired", "emitted", "recompiled", "name")

    def levels(self) -> Levels:
        """Returns the four levels; only traps have places."""
        firsts = [
            np.asarray(self.decisions.column(f"deopt_{name}first")).astype(np.int64)
            for name in ("", "method_", "place_")
        ]
        types = np.asarray(self.decisions.column("deopt_type"))
        methods = np.repeat(types, firsts[0][1:] - firsts[0][:-1])
        places = np.repeat(methods, firsts[1][1:] - firsts[1][:-1])
        is_trap = (places == FIRED) | (places == NEVER)
        nameless = np.asarray(self.decisions.column("deopt_method")) == NONE
        hidden = {METHOD: np.flatnonzero(nameless), PLACE: np.flatnonzero(~is_trap)}
        return Levels(np.asarray(self.decisions.column("deopt_run")), firsts, hidden)

    def entry(self, level: int, number: int) -> ListRow:
        """Returns the row of a reason, a method, a place or an event."""
        return (self._group, self._method, self._place, self._event)[level - GROUP](number)

    # -- levels -------------------------------------------------------------------------------------------------------

    def _group(self, number: int) -> ListRow:
        column, word = self.decisions.column, self.decisions.word
        type = column("deopt_type")[number]
        reason, action = word(column("deopt_reason")[number]), word(column("deopt_action")[number])
        front = TITLES.get(type, "")
        label = f"{front}{reason}" + (f" → {action}" if type in (FIRED, NEVER) and action else "")
        fired, emitted = column("deopt_fired")[number], column("deopt_emitted")[number]
        first, stop = column("deopt_first")[number : number + 2]
        badges: dict[str, Badge] = {"fired": fired}
        if type in (FIRED, NEVER):
            badges |= {"emitted": emitted, "reason": reason, "action": action}
        else:
            badges["reason"] = reason
        storms = sum(map(self._is_storm, range(first, stop))) if type == FIRED else 0
        if storms:
            badges["storm"] = storms
        return ListRow(
            kind="reason",
            label=label,
            badges=badges,
            flags=("suppressed",) if type == REPLACED else (),
            spans=(Span(len(front), len(front) + len(reason), "name"),),
            look=LOOK_OF_TYPE.get(type, ""),
        )

    def _is_storm(self, method: int) -> bool:
        column = self.decisions.column
        fired, again = column("deopt_method_fired")[method], column("deopt_method_again")[method]
        return fired >= MIN_FIRINGS or min(fired, again) >= MIN_FIRINGS_RECOMPILED

    def _type_of_method(self, method: int) -> int:
        group = bisect_right(self.decisions.column("deopt_first"), method) - 1
        return self.decisions.column("deopt_type")[group]

    def _counts(self, front: str, number: int) -> dict[str, Badge]:
        column = self.decisions.column
        fired, emitted = column(f"{front}_fired")[number], column(f"{front}_emitted")[number]
        badges: dict[str, Badge] = {"fired": fired}
        if emitted:
            badges["emitted"] = emitted
        if fired:
            badges["recompiled"] = column(f"{front}_again")[number]
        return badges

    def _method(self, number: int) -> ListRow:
        method = self.decisions.method(self.decisions.column("deopt_method")[number])
        badges = self._counts("deopt_method", number)
        if self._type_of_method(number) == FIRED and self._is_storm(number):
            badges["storm"] = "storm"
        return ListRow(
            kind="method",
            label=method.label,
            badges=badges,
            spans=method.spans,
        )

    @staticmethod
    def _facts(badges: Mapping[str, Badge]) -> tuple[SectionRow, ...]:
        titles = {"fired": "times", "emitted": "compiled in", "recompiled": "compiled again", "storm": "storm"}
        notes = {
            "emitted": " times in installed code",
            "recompiled": " times since, at the same level",
        }
        return tuple(
            SectionRow(title, f"{badges[name]:,}{notes.get(name, '')}" if name != "storm" else "fired repeatedly")
            for name, title in titles.items()
            if name in badges
        )

    def _place(self, number: int) -> ListRow:
        column = self.decisions.column
        bci = column("deopt_bci")[number]
        method = self._of_place(number)
        label = self.decisions.method(method).short if method is not None else "?"
        label += "" if bci == NONE else f":{bci}"
        badges = self._counts("deopt_place", number)
        if bci != NONE:
            badges["bci"] = bci
        return ListRow(kind="place", label=label, badges=badges)

    # -- the side pane ------------------------------------------------------------------------------------------------

    def sections_of(self, level: int, number: int) -> Sequence[Section]:
        """Returns the counts as text; of an event its text, too."""
        if level == GROUP:
            return [Section("Reason", tuple(self._about_group(number)))]
        badges = self.entry(level, number).badges
        if level == METHOD:
            return [Section("Method", self._facts(badges))]
        return self._about_place(number, badges) if level == PLACE else self._about_event(number, badges)

    def _about_group(self, number: int) -> list[SectionRow]:
        badges = self._group(number).badges
        first, stop = self.decisions.column("deopt_first")[number : number + 2]
        rows = [SectionRow("times", f"{badges['fired']:,}")]
        if self.decisions.column("deopt_type")[number] == REPLACED:
            return [*rows, SectionRow("", "better code took over: r lists the tasks")]
        if badges.get("emitted"):
            rows.append(SectionRow("compiled in", f"{counted(badges['emitted'], 'time')} in installed code"))
        rows.append(SectionRow("methods", f"{stop - first:,}"))
        if "storm" in badges:
            rows.append(SectionRow("storms", f"in {badges['storm']:,} of them"))
        return rows

    def _about_place(self, number: int, badges: Mapping[str, Badge]) -> list[Section]:
        tasks = self._tasks_of_place(number)
        facts = self._facts(badges)
        if badges["fired"] and self.decisions.column("deopt_trap")[number] == NONE:
            facts = (*facts, SectionRow("compiled in", NO_TASK))
        sections = [Section("Place", facts)]
        if tasks:
            listed = tuple(self._task_row(task) for task in tasks[:SHOWN])
            sections.append(Section(f"Compiled in by ({len(tasks):,})", listed, max(0, len(tasks) - SHOWN)))
        return sections

    def _about_event(self, number: int, badges: Mapping[str, Badge]) -> list[Section]:
        facts = tuple(SectionRow(name.replace("_", " "), str(badge)) for name, badge in badges.items())
        return [Section("Event", facts), self.text_of_event(self.decisions.column("deopt_event")[number])]

    def links_of(self, level: int, number: int) -> Sequence[Link]:
        """Returns the links; of a place to the first compilation that contains it."""
        if level == PLACE:
            tasks = self._tasks_of_place(number)
            return (Link("the first compilation with it", self.tasks.ref_of_task(tasks[0]), TASKS),) if tasks else ()
        return super().links_of(level, number)

    def _task_row(self, task: int) -> SectionRow:
        entry = self.task_entry(task)
        return SectionRow(str(entry.badges.get("compile_id", "")), entry.label, entry.ref, TASKS)

    def _of_place(self, place: int) -> int | None:
        number = bisect_right(self.decisions.column("deopt_method_first"), place) - 1
        method = self.decisions.column("deopt_method")[number]
        return None if method == NONE else method

    def _tasks_of_place(self, place: int) -> Sequence[int]:
        column = self.decisions.column
        trap = column("deopt_trap")[place]
        if trap == NONE:
            return ()
        first = column("decisions_trap_first")
        return column("decisions_trap_task")[first[trap] : first[trap + 1]].tolist()

    def _event(self, number: int) -> ListRow:
        event = self.decisions.column("deopt_event")[number]
        about = self.tasks.nodes.about
        task = self.task_of(EVENT, number)
        method = self.tasks_label(task) if task is not None else ""
        label = f"{about.label(event)} in {method}" if method else about.label(event)
        if self.log.column("event_kind")[event] == EventKind.DEPENDENCY_FAILED:
            label = self._broken(event) or label
        return self.event_entry(event, label, about.badges(event))

    def _broken(self, event: int) -> str:
        """Returns the assumption about a class, and the class that broke it."""
        text = self.log.event_bytes(event)
        attributes = read_attributes(text, text.find(b" "), is_unescaped=True)[0]
        names = [class_name(value(attributes.get(name, b""))) for name in (b"ctxk", b"witness")]
        return " ← ".join(name for name in names if name)

    def tasks_label(self, task: int) -> str:
        """Returns the label of a task's method."""
        return self.decisions.method(self.log.column("task_method")[task]).label

    # -- relations between rows ---------------------------------------------------------------------------------------

    def mark(self, level: int, number: int) -> Hashable:
        """Returns type, reason and action; the method's text; the place in it; the event's number."""
        column, decisions = self.decisions.column, self.decisions
        if level == GROUP:
            reason, action = (decisions.word(column(f"deopt_{name}")[number]) for name in ("reason", "action"))
            return column("deopt_type")[number], reason, action
        if level == METHOD:
            return decisions.text(column("deopt_method")[number])
        return column("deopt_bci" if level == PLACE else "deopt_event")[number]

    def method_of(self, level: int, number: int) -> int | None:
        """Returns the method of a place; of an event the method whose code it was."""
        if level == METHOD:
            method = self.decisions.column("deopt_method")[number]
            return None if method == NONE else method
        if level == PLACE:
            return self._of_place(number)
        if level == EVENT:
            task = self.task_of(level, number)
            return None if task is None else self.log.column("task_method")[task]
        return None

    def task_of(self, level: int, number: int) -> int | None:
        """Returns the task of an event: the task whose code it was."""
        if level != EVENT:
            return None
        task = self.log.column("event_task")[self.decisions.column("deopt_event")[number]]
        return None if task == NONE else task

    def nodes_of_method(self, method: int) -> Sequence[int]:
        """Returns the rows of a method, under all reasons."""
        return self.nodes_at(METHOD, self.decisions.rows_of("deopt_method", method))

    def key(self, node: int) -> Hashable | None:
        """Returns the key: the method, also of events and places, as their tasks are in another view."""
        if self.place(node)[0] == RUN:
            return super().key(node)
        method = self.method_of(*self.place(node))
        return None if method is None else ("method", self.decisions.method(method).label)

    def references(self, node: int) -> References:
        """Returns the tasks whose code it was; of replaced code, all replaced tasks."""
        level, number = self.place(node)
        if level != GROUP or self.decisions.column("deopt_type")[number] != REPLACED:
            found = super().references(node)
            if found.nodes or level != PLACE:
                return found
            return self.tasks_as_references("tasks that compiled it in", self._tasks_of_place(number))
        run = self.decisions.column("deopt_run")[number]
        return self.tasks_as_references("tasks whose code was replaced", self._replaced(run))

    def _replaced(self, run: int) -> list[int]:
        """Returns the tasks of a run whose code was replaced by better code."""
        kinds, whys, flags = (np.asarray(self.log.column(f"event_{name}")) for name in ("kind", "action", "flags"))
        events = (kinds == EventKind.MAKE_NOT_ENTRANT) & (whys == BY_REPLACING) & (flags & IS_ZOMBIE == 0)
        events &= np.asarray(self.log.column("event_run")) == run
        tasks = np.asarray(self.log.column("event_task"))[events]
        found: list[int] = tasks[tasks != NONE].tolist()
        return found

    def remark(self, row: Row) -> str:
        """Returns a hint at the key that lists the tasks of replaced code."""
        return "r lists the tasks" if "suppressed" in row.flags else ""
