"""Shared parts of thread views: rows of threads and states, links from them, the side pane."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from parsers.formats.tptp.calls.call_stacks import calls_at
from parsers.formats.tptp.schema.columns import FOR_LOCK, NEVER, STATE_KINDS
from parsers.formats.tptp.threads.state_facts import MOST_DESCRIBED, SUMS, StateFacts
from parsers.formats.tptp.views.links import element_link
from parsers.formats.tptp.views.recorded_view import RecordedView
from parsers.model.names.java_name import class_spans
from parsers.model.none import NONE
from parsers.model.row import Badge, Column, Link, Section, SectionRow, capitalized, counted
from parsers.model.time_text import nanos_text, time_text
from parsers.views.grouped_view import GroupedView
from parsers.views.list_view import ListRow
from parsers.views.timelines.timeline_view import moment_text

if TYPE_CHECKING:
    from parsers.formats.tptp.report import TraceReport
    from parsers.profile.threads.wait_graph import WaitGraph

START = Column("start_ns", "From", "ns", badges=(("start_ns", ""),), width=12, priority=5)
TIME = Column("time_ns", "Time", "ns", badges=(("time_ns", ""),), width=11, priority=9)
RUNNING = Column("running_ns", "Running", "ns", badges=(("running_ns", ""),), width=11, priority=8)
BLOCKED = Column("blocked_ns", "Lock", "ns", badges=(("blocked_ns", ""),), width=11, priority=8)
WAITED = Column("waited_ns", "Object", "ns", badges=(("waited_ns", ""),), width=11, priority=7)
SLEPT = Column("slept_ns", "Sleeping", "ns", badges=(("slept_ns", ""),), width=11, priority=6)
BLOCKS = Column("blocks", "Locks", badges=(("blocks", ""),), width=7, priority=4)
WAITS = Column("waits", "Waits", badges=(("waits", ""),), width=7, priority=3)
SLEEPS = Column("sleeps", "Sleeps", badges=(("sleeps", ""),), width=7, priority=2)
GROUP = Column("group", "Group", "text", badges=(("group", ""),), width=14, priority=1)
MONITOR = Column("monitor", "Monitor", "text", badges=(("monitor", "#"),), width=9, heading="#Monitor")
OWNER = Column("owner", "Owner", "text", badges=(("owner", "#"),), width=9, heading="#Owner")
ENDS = Column("ends", "Ends", "text", badges=(("ends", ""),), width=11)
CLASS = Column("class", "Class", "text", badges=(("class", ""),), width=20)
ID = Column("id", "Id", "text", badges=(("id", "#"),), width=7, heading="#Id")
NEGATIVE = Column("negative_ns", "Negative", "ns", badges=(("negative_ns", ""),), width=11, priority=6)
"""Part of the times of waits that belongs to waits ending before they begin."""
COUNTS = ("blocks", "waits", "sleeps")

FRAMES = 40
"""Most calls of a stack in the side pane."""
CLASSES = 6
"""Most classes in the side pane that a thread allocated objects of."""
MONITORS = 6
"""Most monitors of a thread in the side pane."""


class StateView(RecordedView, GroupedView):
    """A `View` of a recording with threads and states as rows. Subclasses define which, and in what order."""

    threads_view = "Threads"
    """View that links of the side pane lead to for threads."""

    def __init__(self, report: TraceReport) -> None:
        super().__init__(report)
        self.facts = StateFacts(self.recording)

    def has_view(self, name: str) -> bool:
        """True if the report has a view with a name."""
        return self.report.views.has(name)

    def node_of_group(self, group: int | None) -> int | None:
        """Returns the node of a group; None for none."""
        return None if group is None else self.rows.node(group)

    # -- rows ---------------------------------------------------------------------------------------------------------

    def session_entry(self, session: int) -> ListRow:
        """Returns the row of a session."""
        label = self.facts.names.session_label(session)
        return ListRow("session", label, ref=f"session:{session + 1}", key=("session", session + 1))

    def thread_entry(self, row: int) -> ListRow:
        """Returns the row of a thread with its times."""
        column, names = self.recording.column, self.facts.names
        badges: dict[str, Badge] = {"id": names.id_text(int(column("thread_id")[row]))}
        start, life = int(column("thread_start")[row]), self.facts.life(row)
        if start != NEVER:
            badges["start_ns"] = start - self.facts.first(self.facts.session_of_thread(row))
        if life is not None:
            badges["time_ns"] = life
        if self.recording.rows("state"):
            if life is not None:
                badges["running_ns"] = life - int(self.facts.waited[row])
            badges |= {f"{name}_ns": int(column(f"thread_{name}")[row]) for name in SUMS}
            badges |= {name: int(column(f"thread_{name}")[row]) for name in COUNTS}
            if row in self.facts.negative_of_thread:
                badges["negative_ns"] = self.facts.negative_of_thread[row][1]
        badges["group"] = names.word(int(column("thread_group")[row]))
        offset = int(column("thread_offset")[row])
        return ListRow(
            "thread",
            names.thread_label(row),
            badges=badges,
            ref=names.ref("thread", row),
            offset=offset if offset >= 0 and offset < 1 << 63 else None,
            key=("thread", row),
        )

    def state_entry(self, state: int) -> ListRow:
        """Returns the row of a state: its monitor and duration."""
        column = self.recording.column
        start, end, is_open = self.facts.reach(state)
        first = self.facts.first(self.facts.session_of_thread(int(column("state_thread")[state])))
        names, owner = self.facts.names, int(column("state_owner")[state])
        thread = int(column("state_thread")[state])
        badges: dict[str, Badge] = {"start_ns": start - first, "time_ns": end - start}
        badges["id"] = names.id_text(int(column("thread_id")[thread]))
        if column("state_monitor")[state] != NONE:
            badges |= {"monitor": self.facts.monitor_id(state), "class": self.facts.monitor_class(state)}
        if owner != NONE:
            badges["owner"] = names.id_text(int(column("thread_id")[owner]))
        if is_open:
            badges["ends"] = self.facts.open_word(state)
        label, holder = self.facts.label(state), str(badges.get("class", ""))
        start = label.find(holder)
        return ListRow(
            STATE_KINDS[column("state_kind")[state]],
            label,
            badges=badges,
            spans=tuple(class_spans(holder, start)) if start >= 0 else (),
            ref=self.facts.state_ref(state),
            offset=int(column("state_offset")[state]),
            key=("state", state),
            links=tuple(self.state_links(state)),
        )

    # -- links --------------------------------------------------------------------------------------------------------

    def state_links(self, state: int) -> list[Link]:
        """Returns links from a state to the time line, its thread, its monitor, the owner, the class, the call."""
        column, names = self.recording.column, self.facts.names
        thread, owner = int(column("state_thread")[state]), int(column("state_owner")[state])
        ref = self.facts.state_ref(state)
        links = [Link("the time line", ref, "Time line"), Link("its thread", names.ref("thread", thread), "Threads")]
        if self.name == "Time line":
            links[0] = Link("the state", ref, "Threads")
        if column("state_monitor")[state] != NONE:
            links.append(Link("the monitor", self.facts.monitor_ref(state), "Monitors"))
        if owner != NONE:
            links.append(Link("its owner then", names.ref("thread", owner), "Threads"))
        of_class = int(column("state_class")[state])
        if of_class != NONE and self.has_view("Classes"):
            links.append(Link("the class", names.ref("class", of_class), "Classes"))
        stack = calls_at(self.recording, thread, int(column("state_start")[state])) if self.has_view("Flow") else []
        if stack:
            links.append(Link("the call it waited in", names.ref("call", stack[0]), "Flow"))
        return [*links, *element_link(int(column("state_offset")[state]))]

    # -- side pane ----------------------------------------------------------------------------------------------------

    def session_sections(self, session: int) -> list[Section]:
        recording = self.recording
        first = self.facts.first(session)
        facts = [
            SectionRow("from", time_text(first)),
            SectionRow("lasted", nanos_text(self.facts.last(session) - first)),
            SectionRow("threads", f"{len(recording.session_rows(session, 'thread')):,}"),
            SectionRow("states", f"{len(recording.session_rows(session, 'state')):,}"),
        ]
        return [Section(self.facts.names.session_label(session), tuple(facts))]

    def thread_sections(self, row: int) -> list[Section]:
        """Returns the life of a thread, its states, and its longest waits."""
        column, names, facts = self.recording.column, self.facts.names, self.facts
        first = facts.first(facts.session_of_thread(row))
        start, end = int(column("thread_start")[row]), int(column("thread_end")[row])
        rows = [
            SectionRow("id", names.id_text(int(column("thread_id")[row]))),
            SectionRow("group", names.word(int(column("thread_group")[row])) or "not recorded"),
            SectionRow("parent group", names.word(int(column("thread_parent")[row])) or "not recorded"),
            SectionRow("started", "not in the recording" if start == NEVER else f"at {moment_text(start - first)}"),
            SectionRow(
                "ended", "no: it was there when the data end" if end == NEVER else f"at {moment_text(end - first)}"
            ),
        ]
        for name, word in (("calls", "calls"), ("allocations", "objects allocated")):
            count = int(column(f"thread_{name}")[row])
            if count:
                rows.append(SectionRow(word, f"{count:,}"))
        found = [Section("Thread", tuple(rows)), *self._times(row), *self._waited_for(row), *self._end(row)]
        return [*found, *self._allocated(row)]

    def _times(self, row: int) -> list[Section]:
        column, life = self.recording.column, self.facts.life(row)
        if not life or life < 0 or not self.recording.rows("state"):
            return []
        running = life - int(self.facts.waited[row])
        rows = [SectionRow("running", f"{nanos_text(running)}, {100 * running / life:.1f} %")]
        for kind, name, count in zip(STATE_KINDS, SUMS, COUNTS, strict=True):
            nanos, times = int(column(f"thread_{name}")[row]), int(column(f"thread_{count}")[row])
            if times:
                rows.append(SectionRow(kind, f"{nanos_text(nanos)}, {100 * nanos / life:.1f} %, {times:,} ×"))
        longest = int(column("thread_longest_block")[row])
        if longest:
            rows.append(SectionRow("longest wait for a lock", nanos_text(longest)))
        negative = negative_text(self.facts.negative_of_thread.get(row))
        if negative:
            rows.append(SectionRow("clock", f"{negative}: summed as recorded"))
        return [Section(f"In {nanos_text(life)}", tuple(rows))]

    def _allocated(self, row: int) -> list[Section]:
        """Returns the classes that it allocated most of."""
        if not int(self.recording.column("thread_allocations")[row]) or not self.has_view("Classes"):
            return []
        names, found = self.facts.names, self.facts.allocated(row)
        rows = [
            SectionRow(
                names.class_label(each.row),
                f"{counted(each.objects, 'object')}, {counted(each.bytes, 'byte')}",
                names.ref("class", each.row),
                "Classes",
            )
            for each in found[:CLASSES]
        ]
        return [Section("Allocated most of", tuple(rows), max(0, len(found) - CLASSES))] if rows else []

    def _waited_for(self, row: int) -> list[Section]:
        """Returns the monitors that it waited for longest."""
        found = self.facts.monitors_of(row)
        rows = [
            SectionRow(text, f"{nanos_text(nanos)}, {times:,} ×", ref, "Monitors")
            for text, ref, nanos, times in found[:MONITORS]
        ]
        return [Section("Waited longest for", tuple(rows), max(0, len(found) - MONITORS))] if rows else []

    def _end(self, row: int) -> list[Section]:
        waiting = self.facts.still_waiting(self.facts.session_of_thread(row))
        states = [state for state in waiting.open_states if self.recording.column("state_thread")[state] == row]
        rows = [
            SectionRow(
                STATE_KINDS[self.recording.column("state_kind")[state]],
                self.facts.ending(state),
                self.facts.state_ref(state),
                self.name,
            )
            for state in states
        ]
        ring = waiting.graph.ring_of.get(row)
        if ring is not None:
            rows += self.deadlock_rows(waiting.graph, ring.threads[:MOST_DESCRIBED])
            if len(ring.threads) > MOST_DESCRIBED:
                rows.append(SectionRow("", f"… and so on, of {len(ring.threads):,} threads"))
        return [Section("When the data end", tuple(rows))] if rows else []

    def deadlock_rows(self, graph: WaitGraph, threads: Sequence[int], label: str = "") -> list[SectionRow]:
        """Returns waiting threads, numbered unless there is a label."""
        name_of, ref_of, own = self.facts.thread_text, self.facts.state_ref, self.name
        texts = (f"{name_of(thread)} waits for {graph.wait_text(self.facts, thread)}" for thread in threads)
        refs = (ref_of(graph.waits[thread][1]) for thread in threads)
        rows = enumerate(zip(texts, refs, strict=True), 1)
        return [SectionRow(label or f"{number}.", text, ref, own) for number, (text, ref) in rows]

    def state_sections(self, state: int) -> list[Section]:
        """Returns the facts of a state: kind, owner of the lock and the owner's state then, the stack."""
        column, facts = self.recording.column, self.facts
        thread, owner = int(column("state_thread")[state]), int(column("state_owner")[state])
        session = facts.session_of_thread(thread)
        start, end, is_open = facts.reach(state)
        rows = [
            SectionRow(
                "thread", facts.names.thread_label(thread), facts.names.ref("thread", thread), self.threads_view
            ),
            SectionRow("from", moment_text(start - facts.first(session), 6)),
            SectionRow("to", facts.ending(state) if is_open else moment_text(end - facts.first(session), 6)),
            SectionRow("lasted", nanos_text(end - start)),
        ]
        if column("state_monitor")[state] != NONE:
            rows.append(SectionRow("monitor", facts.monitor_text(state), facts.monitor_ref(state), "Monitors"))
        if column("state_kind")[state] == FOR_LOCK:
            rows.append(self._owner_row(owner, start))
        timeout, waited = int(column("state_timeout")[state]), int(column("state_waited")[state])
        if timeout != NEVER:
            rows.append(SectionRow("timeout", "no limit" if timeout == 0 else f"{timeout:,} ms"))
        if waited != NEVER:
            rows.append(SectionRow("waited, as reported", f"{waited:,} ms"))
        found = [Section(capitalized(STATE_KINDS[column("state_kind")[state]]), tuple(rows))]
        return [*found, *self.stack(thread, start, "It waited in")]

    def _owner_row(self, owner: int, moment: int) -> SectionRow:
        if owner == NONE:
            return SectionRow("owner", "not recorded")
        names = self.facts.names
        does = self.facts.at(owner, moment)
        then = "running then" if does is None else f"then {self.facts.label(does)}"
        return SectionRow(
            "owner", f"{names.thread_label(owner)}, {then}", names.ref("thread", owner), self.threads_view
        )

    def stack(self, thread: int, moment: int, title: str) -> list[Section]:
        """Returns the calls of a thread at a moment, the innermost first."""
        calls = calls_at(self.recording, thread, moment)
        methods, names = self.recording.column("call_method"), self.facts.names
        rows = []
        for call in calls[:FRAMES]:
            label = names.method_label(int(methods[call])) if methods[call] != NONE else "method not recorded"
            rows.append(SectionRow(label, ref=names.ref("call", call), view="Flow"))
        return [Section(title, tuple(rows), max(0, len(calls) - FRAMES))] if rows else []


def negative_text(found: tuple[int, int] | None) -> str:
    """Returns the number of states that end before they begin, and the sum of their durations; empty for none."""
    if found is None:
        return ""
    count, took = found
    end = "that ends before it begins" if count == 1 else "that end before they begin"
    return f"{nanos_text(took)} in {counted(count, 'wait')} {end}"
