"""Sessions, their threads, and what each of these waited for: rows that several views show.

Groups are sessions (where there are several) and threads; leaves are states, in file order. A recording may have
millions of states; what is kept of them are the columns of the recording.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Hashable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from parsers.leaf_rows import ITSELF, LeafRows
from parsers.leaf_view import LeafView
from parsers.listed_view import Entry
from parsers.report import Badge, Column, Link, References, Section, SectionRow
from parsers.timeline_view import moment_text as since_text
from parsers.tptp.columns import FOR_LOCK, NEVER, NONE, STATE_KINDS
from parsers.tptp.state_facts import StateFacts
from parsers.tptp.words import moment_text, time_text
from parsers.views import view_names

if TYPE_CHECKING:
    from parsers.report import View
    from parsers.tptp.recording import Recording

START = Column("start_ns", "From", "ns", badges=(("start_ns", ""),), width=12, priority=5)
TIME = Column("time_ns", "Time", "ns", badges=(("time_ns", ""),), width=12, priority=9)
RUNNING = Column("running_ns", "Running", "ns", badges=(("running_ns", ""),), width=12, priority=8)
BLOCKED = Column("blocked_ns", "Lock", "ns", badges=(("blocked_ns", ""),), width=12, priority=8)
WAITED = Column("waited_ns", "Object", "ns", badges=(("waited_ns", ""),), width=12, priority=7)
SLEPT = Column("slept_ns", "Sleeping", "ns", badges=(("slept_ns", ""),), width=12, priority=6)
BLOCKS = Column("blocks", "Locks", badges=(("blocks", ""),), width=7, priority=4)
WAITS = Column("waits", "Waits", badges=(("waits", ""),), width=7, priority=3)
SLEEPS = Column("sleeps", "Sleeps", badges=(("sleeps", ""),), width=7, priority=2)
GROUP = Column("group", "Group", "text", badges=(("group", ""),), width=14, priority=1)
ID = Column("id", "Id", "text", badges=(("id", "#"),), width=7)
SUMS = ("blocked", "waited", "slept")
"""Durations of completed states by kind, `thread_` before their names."""
COUNTS = ("blocks", "waits", "sleeps")

FRAMES = 40
"""Calls of a stack that the side pane names."""
MONITORS = 6
"""Monitors of a thread that it names."""


class HasRecording(Protocol):
    """What views need of a report."""

    @property
    def recording(self) -> Recording:
        """What was read."""
        ...

    @property
    def views(self) -> Sequence[View]:
        """Those that links can lead to."""
        ...


class Group(NamedTuple):
    """A row that others may stand below."""

    kind: str
    row: int
    """Of the thread, or the session."""
    session: int


class StateRowsView(LeafView):
    """A `View` over threads and states. Derived ones say what stands before the threads of a session, if anything."""

    def __init__(self, report: HasRecording) -> None:
        super().__init__()
        self.report = report
        self.recording = report.recording

    @cached_property
    def facts(self) -> StateFacts:
        """What follows from the columns."""
        return StateFacts(self.recording)

    @property
    def is_ready(self) -> bool:
        """Threads may begin and end anywhere."""
        return bool(self.recording.is_complete)

    def leading(self, session: int) -> Sequence[tuple[Group, int]]:
        """Groups before the threads of a session, each with the number of its leaves."""
        return ()

    # -- rows ---------------------------------------------------------------------------------------------------------

    @cached_property
    def _counted(self) -> list[tuple[Group, int]]:
        found: list[tuple[Group, int]] = []
        first = self.recording.column("thread_first_state")
        for session in range(self.recording.sessions):
            if self.recording.sessions > 1:
                found.append((Group("session", session, session), 0))
            found += self.leading(session)
            for row in self.recording.session_rows(session, "thread"):
                found.append((Group("thread", row, session), int(first[row + 1]) - int(first[row])))
        return found

    @cached_property
    def groups(self) -> list[Group]:
        """In the order of their rows."""
        return [group for group, _ in self._counted]

    @cached_property
    def group_of(self) -> dict[tuple[str, int], int]:
        """Groups by kind and row."""
        return {(group.kind, group.row): number for number, group in enumerate(self.groups)}

    def make_rows(self) -> LeafRows:
        """Sessions stand above all others, where there are several."""
        below = self.recording.sessions > 1
        depths = [int(below and group.kind != "session") for group in self.groups]
        return LeafRows(depths, [leaves for _, leaves in self._counted])

    def state(self, group: int, leaf: int) -> int:
        """The row of STATES that a leaf of a thread is."""
        recording = self.recording
        return int(
            recording.column("state_of_thread")[recording.column("thread_first_state")[self.groups[group].row] + leaf]
        )

    def node_of_thread(self, thread: int) -> int | None:
        """The row of a thread."""
        group = self.group_of.get(("thread", thread))
        return None if group is None else self.rows.node(group)

    def node_of_state(self, state: int) -> int | None:
        """The row of a state."""
        column = self.recording.column
        thread = int(column("state_thread")[state])
        first = column("thread_first_state")
        place = bisect_left(column("state_of_thread"), state, int(first[thread]), int(first[thread + 1]))
        group = self.group_of.get(("thread", thread))
        return None if group is None else self.rows.node(group, place - int(first[thread]))

    # -- what rows show -----------------------------------------------------------------------------------------------

    def group(self, group: int) -> Entry:
        """A session, or a thread."""
        each = self.groups[group]
        if each.kind == "session":
            label = self.facts.names.session_label(each.row)
            return Entry("session", label, ref=f"session:{each.row + 1}", key=("session", each.row + 1))
        return self.thread(each.row)

    def thread(self, row: int) -> Entry:
        """A thread with its times."""
        column, names = self.recording.column, self.facts.names
        badges: dict[str, Badge] = {"id": names.id_text(int(column("thread_id")[row]))}
        start, life = int(column("thread_start")[row]), self.facts.life(row)
        if start != NEVER:
            badges["start_ns"] = start - self.facts.first(self.facts.session_of_thread(row))
        if life is not None:
            badges["time_ns"] = life
        if self.recording.rows("state"):
            if life is not None:
                badges["running_ns"] = max(0, life - int(self.facts.waited[row]))
            badges |= {f"{name}_ns": int(column(f"thread_{name}")[row]) for name in SUMS}
            badges |= {name: int(column(f"thread_{name}")[row]) for name in COUNTS}
        badges["group"] = names.word(int(column("thread_group")[row]))
        offset = int(column("thread_offset")[row])
        return Entry(
            "thread",
            names.thread_label(row),
            badges=badges,
            ref=names.ref("thread", row),
            offset=offset if offset >= 0 and offset < 1 << 63 else None,
            key=("thread", row),
        )

    def leaf(self, group: int, leaf: int) -> Entry:
        """A state."""
        return self.state_entry(self.state(group, leaf))

    def state_entry(self, state: int) -> Entry:
        """A state: what was waited for, how long."""
        column = self.recording.column
        start, end, _ = self.facts.reach(state)
        first = self.facts.first(self.facts.session_of_thread(int(column("state_thread")[state])))
        return Entry(
            STATE_KINDS[column("state_kind")[state]],
            self.facts.label(state),
            badges={"start_ns": start - first, "time_ns": end - start},
            ref=f"state:{int(column('state_offset')[state])}",
            offset=int(column("state_offset")[state]),
            key=("state", state),
            links=tuple(self.state_links(state)),
        )

    def remark_of(self, group: int, leaf: int) -> str:
        """Of a state that it had not ended; of a thread what it is in when the data end."""
        if leaf >= 0:
            return self.facts.ending(self.state(group, leaf)) if self.groups[group].kind == "thread" else ""
        each = self.groups[group]
        return self.facts.at_end(each.row) if each.kind == "thread" else ""

    # -- REFs and keys ------------------------------------------------------------------------------------------------

    def nodes_of(self, ref: str) -> Sequence[int]:
        """Threads, states, sessions."""
        kind, _, value = ref.partition(":")
        if kind in ("session", "run") and value.isascii() and value.isdigit() and len(value) < 9:
            group = self.group_of.get(("session", int(value) - 1))
            return () if group is None else (self.rows.node(group),)
        if kind == "name":
            labels = ((self.rows.node(number), group) for number, group in enumerate(self.groups))
            return [node for node, group in labels if group.kind == "thread" and self.row(node).label == value]
        found = self.facts.names.find(ref)
        node: int | None = None
        if found is not None and found[0] == "thread":
            node = self.node_of_thread(found[1])
        elif found is not None and found[0] == "state":
            node = self.node_of_state(found[1])
        return () if node is None else (node,)

    def find_key(self, key: Hashable) -> int | None:
        """The row of a thread, a state or a session."""
        if not self.is_ready:
            return None
        match key:
            case ("thread", int(row)):
                return self.node_of_thread(row)
            case ("state", int(row)) if row < self.recording.rows("state"):
                return self.node_of_state(row)
            case ("session", int(number)):
                group = self.group_of.get(("session", number - 1))
                return None if group is None else self.rows.node(group)
        return None

    def has_view(self, name: str) -> bool:
        """Whether the report has a view of a name."""
        return name in view_names(self.report.views)

    # -- ways ---------------------------------------------------------------------------------------------------------

    def state_links(self, state: int) -> list[Link]:
        """From a state to where it is on the time line, to its thread, its monitor, the owner, the class, the call."""
        column, names = self.recording.column, self.facts.names
        thread, owner = int(column("state_thread")[state]), int(column("state_owner")[state])
        ref = f"state:{int(column('state_offset')[state])}"
        links = [Link("the time line", ref, "Time line"), Link("its thread", names.ref("thread", thread), "Threads")]
        if self.name == "Time line":
            links[0] = Link("the state", ref, "Threads")
        if column("state_monitor")[state] != NONE:
            links.append(Link("the monitor", f"monitor:{self.facts.monitor_id(state)}", "Monitors"))
        if owner != NONE:
            links.append(Link("its owner then", names.ref("thread", owner), "Threads"))
        of_class = int(column("state_class")[state])
        if of_class != NONE and self.has_view("Classes"):
            links.append(Link("the class", f"class:{names.class_label(of_class)}", "Classes"))
        stack = self.facts.stacks.at(thread, int(column("state_start")[state])) if self.has_view("Call tree") else []
        if stack:
            links.append(Link("the call it waited in", names.ref("call", stack[0]), "Call tree"))
        return links

    def links_of(self, group: int, leaf: int) -> Sequence[Link]:
        """All ways from a row."""
        each = self.groups[group]
        if leaf >= 0 or each.kind != "thread":
            return self.at(group, leaf).links
        ref = self.facts.names.ref("thread", each.row)
        others = [name for name in ("Threads", "Time line", "Call tree") if name != self.name and self.has_view(name)]
        return [Link(f"in {name}", ref, name) for name in others]

    def references(self, node: int) -> References:
        """Of a thread the states in which others waited for it; of a state those that waited for the same monitor."""
        import numpy as np

        from parsers.index.packed import numbers

        group, leaf = self.rows.place(node)
        each = self.groups[group]
        if each.kind != "thread":
            return super().references(node)
        column = self.recording.column
        if leaf < 0:
            title, states = (
                f"waited for {self.row(node).label}",
                np.flatnonzero(numbers(column("state_owner")) == each.row),
            )
        else:
            monitor = int(column("state_monitor")[self.state(group, leaf)])
            title = f"waited for {self.facts.monitor(self.state(group, leaf)) or 'nothing'}"
            states = np.flatnonzero((numbers(column("state_monitor")) == monitor) & (monitor != NONE))
        nodes = [self.node_of_state(int(state)) for state in states]
        return References(title, self.name, [node for node in nodes if node is not None], True)

    def keys_of_leaves(self, order: str, group: int, leaves: range) -> Any:
        """Sort keys of states."""
        from parsers.index.packed import numbers

        if self.groups[group].kind != "thread" or order not in ("start_ns", "time_ns"):
            return None
        column = self.recording.column
        first = int(column("thread_first_state")[self.groups[group].row])
        rows = numbers(column("state_of_thread"), slice(first + leaves.start, first + leaves.stop))
        starts, ends = self.facts.reaches(rows)
        return starts if order == "start_ns" else ends - starts

    # -- beside a row -------------------------------------------------------------------------------------------------

    def sections_of(self, group: int, leaf: int) -> Sequence[Section]:
        """The thread, or the state and what its owner did then."""
        each = self.groups[group]
        if each.kind == "session":
            return self._session_sections(each.row)
        return self.state_sections(self.state(group, leaf)) if leaf >= 0 else self.thread_sections(each.row)

    def _session_sections(self, session: int) -> list[Section]:
        recording = self.recording
        first = self.facts.first(session)
        facts = [
            SectionRow("from", moment_text(first)),
            SectionRow("lasted", time_text(self.facts.last(session) - first)),
            SectionRow("threads", f"{len(recording.session_rows(session, 'thread')):,}"),
            SectionRow("states", f"{len(recording.session_rows(session, 'state')):,}"),
        ]
        return [Section(self.facts.names.session_label(session).capitalize(), tuple(facts))]

    def thread_sections(self, row: int) -> list[Section]:
        """When it lived, what it was in, what it waited for most."""
        column, names, facts = self.recording.column, self.facts.names, self.facts
        first = facts.first(facts.session_of_thread(row))
        start, end = int(column("thread_start")[row]), int(column("thread_end")[row])
        told = [
            SectionRow("id", names.id_text(int(column("thread_id")[row]))),
            SectionRow("group", names.word(int(column("thread_group")[row])) or "not told"),
            SectionRow("parent group", names.word(int(column("thread_parent")[row])) or "not told"),
            SectionRow("started", "not in the recording" if start == NEVER else f"at {since_text(start - first)}"),
            SectionRow(
                "ended", "no: it was there when the data end" if end == NEVER else f"at {since_text(end - first)}"
            ),
        ]
        for name, word in (("calls", "calls"), ("allocations", "objects allocated")):
            count = int(column(f"thread_{name}")[row])
            if count:
                told.append(SectionRow(word, f"{count:,}"))
        found = [Section("Thread", tuple(told)), *self._times(row), *self._monitors(row), *self._end(row)]
        return found

    def _times(self, row: int) -> list[Section]:
        column, life = self.recording.column, self.facts.life(row)
        if not life or not self.recording.rows("state"):
            return []
        running = max(0, life - int(self.facts.waited[row]))
        rows = [SectionRow("running", f"{time_text(running)}, {100 * running / life:.1f} %")]
        for kind, name, count in zip(STATE_KINDS, SUMS, COUNTS, strict=True):
            nanos, times = int(column(f"thread_{name}")[row]), int(column(f"thread_{count}")[row])
            if times:
                rows.append(SectionRow(kind, f"{time_text(nanos)}, {100 * nanos / life:.1f} %, {times:,} times"))
        longest = int(column("thread_longest_block")[row])
        if longest:
            rows.append(SectionRow("longest wait for a lock", time_text(longest)))
        return [Section(f"In {time_text(life)}", tuple(rows))]

    def _monitors(self, row: int) -> list[Section]:
        """What it waited for longest."""
        found = self.facts.monitors_of(row)
        rows = [
            SectionRow(text, f"{time_text(nanos)}, {times:,} times", f"monitor:{id}", "Monitors")
            for text, id, nanos, times in found[:MONITORS]
        ]
        return [Section("Waited longest for", tuple(rows), max(0, len(found) - MONITORS))] if rows else []

    def _end(self, row: int) -> list[Section]:
        waiting = self.facts.still_waiting(self.facts.session_of_thread(row))
        states = [state for state in waiting.open_states if self.recording.column("state_thread")[state] == row]
        rows = [
            SectionRow(
                STATE_KINDS[self.recording.column("state_kind")[state]],
                self.facts.ending(state),
                f"state:{int(self.recording.column('state_offset')[state])}",
                self.name,
            )
            for state in states
        ]
        for ring in waiting.rings:
            if row in ring.threads or row in ring.victims:
                rows += [
                    SectionRow(f"{place + 1}.", text, ref, self.name)
                    for place, (text, ref) in enumerate(self.facts.spelled(ring))
                ]
        return [Section("When the data end", tuple(rows))] if rows else []

    def state_sections(self, state: int) -> list[Section]:
        """What it was, who had the lock and what that did then, the stack."""
        column, facts = self.recording.column, self.facts
        thread, owner = int(column("state_thread")[state]), int(column("state_owner")[state])
        session = facts.session_of_thread(thread)
        start, end, is_open = facts.reach(state)
        told = [
            SectionRow("thread", facts.names.thread_label(thread), facts.names.ref("thread", thread), self.name),
            SectionRow("from", since_text(start - facts.first(session), 6)),
            SectionRow("to", facts.ending(state) if is_open else since_text(end - facts.first(session), 6)),
            SectionRow("lasted", time_text(end - start)),
        ]
        if column("state_monitor")[state] != NONE:
            told.append(SectionRow("monitor", facts.monitor(state), f"monitor:{facts.monitor_id(state)}", "Monitors"))
        if column("state_kind")[state] == FOR_LOCK:
            told.append(self._owner_row(owner, start))
        timeout, waited = int(column("state_timeout")[state]), int(column("state_waited")[state])
        if timeout != NEVER:
            told.append(SectionRow("asked for", "no limit" if timeout == 0 else f"{timeout:,} ms"))
        if waited != NEVER:
            told.append(SectionRow("waited, as it told", f"{waited:,} ms"))
        found = [Section(STATE_KINDS[column("state_kind")[state]].capitalize(), tuple(told))]
        return [*found, *self.stack(thread, start, "It waited in")]

    def _owner_row(self, owner: int, moment: int) -> SectionRow:
        if owner == NONE:
            return SectionRow("owner", "not told")
        names = self.facts.names
        does = self.facts.at(owner, moment)
        then = "running then" if does is None else f"then {self.facts.label(does)}"
        return SectionRow("owner", f"{names.thread_label(owner)}, {then}", names.ref("thread", owner), self.name)

    def stack(self, thread: int, moment: int, title: str) -> list[Section]:
        """The calls of a thread at a moment, the innermost first."""
        calls = self.facts.stacks.at(thread, moment)
        methods, names = self.recording.column("call_method"), self.facts.names
        rows = []
        for call in calls[:FRAMES]:
            label = names.method_label(int(methods[call])) if methods[call] != NONE else "method not told"
            rows.append(SectionRow(label, ref=f"method:{label}", view="Methods" if self.has_view("Methods") else None))
        return [Section(title, tuple(rows), max(0, len(calls) - FRAMES))] if rows else []


__all__ = ["ITSELF", "Group", "StateRowsView"]
