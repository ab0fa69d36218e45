"""The view "Monitors": deadlocks, threads waiting when the data end, and waits by monitor or by class."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from parsers.formats.tptp.schema.columns import CLASS_ENTITY, FOR_LOCK
from parsers.formats.tptp.threads.monitor_detail import NOT_CLAIMED, TraceMonitorDetail
from parsers.formats.tptp.threads.state_view import NEGATIVE, START, StateView
from parsers.formats.tptp.views.links import first_leading
from parsers.model.late import numpy as np
from parsers.model.late.preparation import LazyValue
from parsers.model.names.java_name import class_spans
from parsers.model.none import NONE
from parsers.model.row import Badge, Column, Link, Section, SectionRow, Span
from parsers.model.trees.grouped_preorder import GroupedPreorder
from parsers.model.view import References, Switch
from parsers.views.lazy_view import LazyView
from parsers.views.list_view import ListRow

if TYPE_CHECKING:
    from parsers.formats.tptp.report import TraceReport
    from parsers.formats.tptp.threads.monitor_groups import MonitorGroup
    from parsers.model.arrays import AnyArray

BLOCKED = Column("blocked_ns", "Blocked", "ns", (("blocked_ns", ""),), 17, 9, bar=6)
CONTENDED = Column("contended", "Times", badges=(("contended", ""),), width=7, priority=7)
LONGEST = Column("longest_ns", "Longest", "ns", badges=(("longest_ns", ""),), width=12, priority=6)
STILL = Column("still_blocked", "Still", badges=(("still_blocked", ""),), width=7, priority=5)
WAITED = Column("waited_ns", "Waited", "ns", badges=(("waited_ns", ""),), width=11, priority=8)
WAITS = Column("waits", "Waits", badges=(("waits", ""),), width=9, priority=4)
THREADS = Column("threads", "Threads", badges=(("threads", ""),), width=8, priority=3)
MONITORS = Column("monitors", "Monitors", badges=(("monitors", ""),), width=9, priority=2)

BY = Switch("by", "b", "group by", ("monitor", "class"))
"""The switch that groups monitors by class."""
MANY = 4_000
"""Number of monitors that take too long to group within a key press."""


class TraceMonitorsView(LazyView, StateView):
    """Deadlocks first, as they matter most; monitors by how long threads waited for their locks."""

    name = "Monitors"
    description = "Monitors with owners and waiting threads"
    work = "grouping what was waited for"
    group_kinds = ("session", "deadlock", "monitor", "class", "group")
    orders: tuple[str, ...] = (
        "blocked_ns",
        "waited_ns",
        "contended",
        "longest_ns",
        "still_blocked",
        "waits",
        "threads",
        "start_ns",
        "name",
    )

    def __init__(self, report: TraceReport) -> None:
        super().__init__(report)
        self._found: dict[str, LazyValue[list[MonitorGroup]]] = {}
        """Groups by grouping."""

    @property
    def switches(self) -> tuple[Switch, ...]:
        """The switch between monitor and class."""
        return (BY,)

    @property
    def columns(self) -> tuple[Column, ...]:
        """Columns: numbers of locks, then of waits for objects."""
        more = (MONITORS,) if self.choice(BY.name) == "class" else ()
        negative = (NEGATIVE,) if self.is_ready and self.facts.negative_of_monitor else ()
        return (BLOCKED, CONTENDED, LONGEST, STILL, WAITED, WAITS, *negative, THREADS, *more, START)

    # -- rows ---------------------------------------------------------------------------------------------------------

    @property
    def groups(self) -> list[MonitorGroup]:
        """Groups in the order of their rows."""
        return self.found.value

    @property
    def found(self) -> LazyValue[list[MonitorGroup]]:
        """Groups of the chosen grouping."""
        choice = self.choice(BY.name)
        found = self._found.get(choice)
        if found is None:
            found = self._found[choice] = LazyValue(lambda: self._group(choice == "class"))
        return found

    @property
    def is_quick(self) -> bool:
        """True if there are few monitors."""
        return self.recording.rows("monitor") < MANY

    def _group(self, by_class: bool) -> list[MonitorGroup]:
        from parsers.formats.tptp.threads.monitor_groups import MonitorGroup, TraceMonitorGroups

        sessions, found = self.recording.sessions, []
        for session in range(sessions):
            if sessions > 1:
                label = self.facts.names.session_label(session)
                found.append(MonitorGroup("session", label, session, 0))
            made = TraceMonitorGroups(self.recording, self.facts, session, int(sessions > 1))
            found += made.groups(by_class)
        return found

    def make_rows(self) -> GroupedPreorder:
        """Builds groups with their states."""
        return GroupedPreorder([group.depth for group in self.groups], [len(group.states) for group in self.groups])

    def group(self, group: int) -> ListRow:
        """Returns the row of a session, a deadlock, a monitor, or a class of monitors."""
        each = self.groups[group]
        if each.kind == "session":
            return self.session_entry(each.session)
        before = f"run:{each.session + 1}/" if each.session else ""
        ref = f"class:{each.label}" if each.kind == "class" else f"monitor:{each.monitor}" if each.monitor else ""
        return ListRow(
            each.kind,
            each.label,
            badges=each.badges,
            ref=f"{before}{ref}" if ref else "",
            offset=each.offset,
            spans=tuple(class_spans(each.label.partition(" #")[0])) if each.kind in ("monitor", "class") else (),
            bars={} if each.bar is None else {"blocked_ns": each.bar},
            key=self._key(group),
        )

    def _key(self, group: int) -> Hashable | None:
        """Returns the key of an object or class, which other views have, too."""
        each = self.groups[group]
        if not each.monitor:
            return ("class", each.label) if each.kind == "class" else None
        entity = self._entity(group)
        return ("object", entity) if entity < CLASS_ENTITY else ("monitor", each.session, each.monitor)

    def _entity(self, group: int) -> int:
        """Returns the entity of a monitor."""
        return int(self.recording.column("state_monitor")[int(self.groups[group].states[0])])

    def leaf(self, group: int, leaf: int) -> ListRow:
        """Returns the row of a waiting thread, with its time in the column of the kind of wait."""
        state = int(self.groups[group].states[leaf])
        column, entry = self.recording.column, self.state_entry(state)
        thread = self.facts.names.thread_label(int(column("state_thread")[state]))
        time = "blocked_ns" if column("state_kind")[state] == FOR_LOCK else "waited_ns"
        badges: dict[str, Badge] = {"start_ns": entry.badges["start_ns"], time: entry.badges["time_ns"]}
        begin = len(thread) + 2
        spans = tuple(Span(span.start + begin, span.end + begin, span.role) for span in entry.spans)
        return replace(entry, label=f"{thread}: {entry.label}", badges=badges, spans=spans)

    def remark_of(self, group: int, leaf: int) -> str:
        """Returns a remark for a state that had not ended; for a monitor, the number of threads still waiting."""
        each = self.groups[group]
        if leaf >= 0:
            return self.facts.ending_word(int(each.states[leaf]))
        still = each.badges.get("still_blocked")
        return f"{still:,} still waiting" if each.kind in ("monitor", "class") and still else ""

    # -- REFs and keys ------------------------------------------------------------------------------------------------

    @cached_property
    def _monitors(self) -> dict[tuple[int, str], int]:
        """Groups by session and id of the monitor."""
        return {(each.session, each.monitor): number for number, each in enumerate(self.groups) if each.monitor}

    def nodes_of(self, ref: str) -> Sequence[int]:
        """Returns nodes of monitors by id, of classes by name, of states and sessions."""
        named = self.facts.names.find(ref)
        if named is not None:
            nodes = self.nodes_of_state(named[1]) if named[0] == "state" else [self.find_key(named)]
            return [node for node in nodes if node is not None]
        run, _, rest = ref.rpartition("/") if ref.startswith("run:") else ("", "", ref)
        kind, _, value = rest.partition(":")
        number = run.removeprefix("run:") or "1"
        if kind in ("monitor", "class") and number.isascii() and number.isdigit():
            place = int(number[:9]) - 1, value
            found = self._monitors.get(place) if kind == "monitor" else self._classes.get(place)
            return () if found is None else (self.rows.node(found),)
        kinds = {"session": ("session",), "run": ("session",), "name": ("monitor", "class")}.get(kind, ())
        return [
            self.rows.node(place)
            for place, each in enumerate(self.groups)
            if each.kind in kinds and value == (str(each.session + 1) if each.kind == "session" else each.label)
        ]

    def chosen_for(self, ref: str) -> Mapping[str, str]:
        """Returns the choice with which classes have rows; monitors always have."""
        kind = ref.rpartition("/")[2].partition(":")[0]
        return {BY.name: "class"} if kind == "class" and self.is_ready else {}

    @cached_property
    def _entities(self) -> dict[int, int]:
        """Groups of monitors by entity."""
        return {self._entity(number): number for number, each in enumerate(self.groups) if each.monitor}

    @cached_property
    def _classes(self) -> dict[tuple[int, str], int]:
        """Group by session and class name, else that of the class's first monitor."""
        found: dict[tuple[int, str], int] = {}
        for number, each in enumerate(self.groups):
            if each.kind == "class":
                found[each.session, each.label] = number
            elif each.monitor:
                found.setdefault((each.session, self.facts.monitor_class(int(each.states[0]))), number)
        return found

    def nodes_of_state(self, state: int) -> list[int]:
        """Returns the rows of a state: below its monitor, and among those that last until the data end."""
        column = self.recording.column
        session = self.recording.session_of("state", state)
        found = []
        if column("state_monitor")[state] != NONE:
            group = self._monitors.get((session, self.facts.monitor_id(state)))
            found = [] if group is None else [self._place_in(group, state)]
        for number, each in enumerate(self.groups):
            if each.session == session and not each.monitor and len(each.states):
                found += [self.rows.node(number, leaf) for leaf, one in enumerate(each.states) if one == state]
        return [node for node in found if node is not None]

    def _place_in(self, group: int, state: int) -> int | None:
        states = self.groups[group].states
        place = bisect_left(states, state)
        return self.rows.node(group, place) if place < len(states) and states[place] == state else None

    def find_key(self, key: Hashable) -> int | None:
        """Returns the row of a monitor, a state or a session."""
        if not self.is_ready:
            return None
        match key:
            case ("monitor", int(session), str(id)):
                return self.node_of_group(self._monitors.get((session, id)))
            case ("object", int(row)):
                return self.node_of_group(self._entities.get(row))
            case ("class", int(row)):
                session = self.recording.session_of("class", row)
                return self.node_of_group(self._classes.get((session, self.facts.names.class_label(row))))
            case ("class", str(name)):
                named = (group for (_, label), group in self._classes.items() if label == name)
                return next((self.rows.node(group) for group in named), None)
            case ("state", int(state)) if state < self.recording.rows("state"):
                return next(iter(self.nodes_of_state(state)), None)
            case ("session", int(number)):
                return next(iter(self.nodes_of(f"session:{number}")), None)
        return None

    # -- side pane ----------------------------------------------------------------------------------------------------

    def links_of(self, group: int, leaf: int) -> Sequence[Link]:
        """Returns links from a state to all that it refers to; from a class to its objects."""
        each = self.groups[group]
        if leaf >= 0:
            return self.at(group, leaf).links
        if each.kind == "class" and self.has_view("Classes"):
            before = f"run:{each.session + 1}/" if each.session else ""
            return (Link("the class", f"{before}class:{each.label}", "Classes"),)
        ref = self._object_ref(group) if each.kind == "monitor" else None
        view = None if ref is None else first_leading(self.report, ref, ("Objects", "Classes"))
        return () if ref is None or view is None else (Link("the object", ref, view),)

    def _object_ref(self, group: int) -> str | None:
        """Returns the REF of a monitor if it is an object that was defined."""
        entity = self._entity(group)
        return self.facts.names.ref("object", entity) if entity < CLASS_ENTITY else None

    def references(self, node: int) -> References:
        """Returns, for a state, all waits for the same monitor."""
        group, leaf = self.rows.place(node)
        each = self.groups[group]
        number = self._monitors.get((each.session, each.monitor)) if each.monitor else None
        if number is None and leaf >= 0:
            number = self._monitors.get((each.session, self.facts.monitor_id(int(each.states[leaf]))))
        if number is None:
            return super().references(node)
        first, label = self.rows.node(number), self.groups[number].label
        nodes = range(first + 1, first + 1 + len(self.groups[number].states))
        return References(f"waited for {label}", self.name, nodes, True)

    def keys_of_leaves(self, order: str, group: int, leaves: range) -> AnyArray | None:
        """Returns sort keys of states."""
        if order == "name" or not self.groups[group].monitor:
            return None
        if order not in ("start_ns", "blocked_ns", "waited_ns"):
            return np.full(len(leaves), -1)
        states = np.asarray(self.groups[group].states[leaves.start : leaves.stop])
        starts, ends = self.facts.reaches(states)
        if order == "start_ns":
            return starts
        is_lock = self.recording.numbers("state_kind", states) == FOR_LOCK
        return np.where(is_lock == (order == "blocked_ns"), ends - starts, -1)

    def sections_of(self, group: int, leaf: int) -> Sequence[Section]:
        """Returns the facts of a state; the chain of a deadlock; owners and waiting threads of a monitor."""
        each = self.groups[group]
        if leaf >= 0:
            return self.state_sections(int(each.states[leaf]))
        if each.kind == "session":
            return self.session_sections(each.session)
        detail = TraceMonitorDetail(self)
        if each.ring is not None:
            return [detail.describe_deadlock(each), *detail.waiting_threads(each)]
        if each.kind == "group":
            return [Section("When the data end", (SectionRow("", NOT_CLAIMED),))]
        if each.kind == "monitor":
            return [detail.numbers_of(each), *detail.waiting_threads(each), *detail.longest(each)]
        return [detail.numbers_of(each)]
