"""The view "Thread dumps": dumps with their threads, and the text of each thread."""

from __future__ import annotations

from array import array
from collections.abc import Hashable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from parsers.formats.jfr.thread_states.dumps import THREAD_DUMP, RecordedDumps
from parsers.formats.jfr.thread_states.threads import threads_of
from parsers.formats.jfr.time_range import RangedView
from parsers.model.row import Badge, Column, Link, Section, SectionRow, counted
from parsers.model.trees.grouped_preorder import GroupedPreorder
from parsers.model.view import StrangeReference
from parsers.views.grouped_view import GroupedView
from parsers.views.list_view import ListRow

if TYPE_CHECKING:
    from parsers.formats.jfr.report import JfrReport
    from parsers.profile.threads.thread_dump import DumpedThread, ThreadDump
    from parsers.profile.threads.wait_graph import Ring

COLUMNS = (
    Column("id", "Java id", width=9, priority=2),
    Column("state", "state", "text", width=14, priority=4),
    Column("blocked", "blocked", width=9, priority=3),
    Column("waiting", "waiting", width=9, priority=3),
    Column("deadlocked", "deadlocked", width=11, priority=4),
    Column("start", "start", "s", width=12, priority=5),
    Column("threads", "threads", width=9, priority=6),
)
ITSELF = -1
"""The thread of a group that is a dump."""
MOST_LINES = 200
"""Lines of a thread in the side pane."""


class DumpGroups(NamedTuple):
    """The groups of rows: dumps, each followed by its threads."""

    dump: array[int]
    """By group: the row of the event."""
    thread: array[int]
    """By group: the number of the thread in the dump; ITSELF."""
    lines: array[int]
    """By group: the number of lines."""


class DumpsView(RangedView, GroupedView):
    """Dumps in the order of their times; below each its threads, below those the lines of their stacks."""

    name = "Thread dumps"
    description = "Thread dumps in the recording, with the threads of each"
    columns = COLUMNS
    orders = ("start", "threads", "blocked", "waiting", "state", "name")
    group_kinds = ("dump", "thread")

    def __init__(self, report: JfrReport) -> None:
        super().__init__(report)
        self._threads, self._dumps = threads_of(report.data), RecordedDumps(report.data)

    @cached_property
    def _groups(self) -> DumpGroups:
        found = DumpGroups(array("q"), array("q"), array("q"))
        for row in self._dumps.rows(self.time_span).tolist():
            found.dump.append(row)
            found.thread.append(ITSELF)
            found.lines.append(0)
            for number, thread in enumerate(self._dumps.of_row(row).threads):
                found.dump.append(row)
                found.thread.append(number)
                found.lines.append(len(thread.lines))
        return found

    def make_rows(self) -> GroupedPreorder:
        """Returns dumps and threads as groups, lines as leaves."""
        return GroupedPreorder([int(thread != ITSELF) for thread in self._groups.thread], self._groups.lines)

    def _place(self, group: int) -> tuple[int, ThreadDump, int]:
        """Returns the event of a group, the dump, and the number of the thread in it."""
        row = self._groups.dump[group]
        return row, self._dumps.of_row(row), self._groups.thread[group]

    # -- rows ---------------------------------------------------------------------------------------------------------

    def group(self, group: int) -> ListRow:
        """Returns the row of a dump or thread."""
        row, dump, number = self._place(group)
        if number == ITSELF:
            states = [thread.state for thread in dump.threads]
            badges: dict[str, Badge] = {
                "threads": len(states),
                **self._events.badges(row),
                "blocked": states.count("BLOCKED"),
                "waiting": states.count("WAITING") + states.count("TIMED_WAITING"),
            }
            if dump.graph.deadlocked:
                badges["deadlocked"] = len(dump.graph.deadlocked)
            place = int(self._dumps.rows().searchsorted(row)) + 1
            ref = self._events.ref(row)
            return ListRow("dump", f"thread dump {place}", badges=badges, ref=ref, key=self._events.key(row))
        thread = dump.threads[number]
        badges = {"state": thread.state}
        if thread.id is not None:
            badges["id"] = thread.id
        return ListRow("thread", thread.name, badges=badges, key=self._key(thread))

    def _key(self, thread: DumpedThread) -> Hashable | None:
        """Returns the key of a thread that other views have, too."""
        known = None if thread.id is None else self._threads.of_ref.get(f"thread:{thread.id}")
        return None if known is None else ("thread", known)

    def leaf(self, group: int, leaf: int) -> ListRow:
        """Returns a line of a thread."""
        _, dump, number = self._place(group)
        line = dump.threads[number].lines[leaf]
        return ListRow("frame" if line.startswith("at ") else "line", line)

    def remark_of(self, group: int, leaf: int) -> str:
        """Returns the lock that a blocked thread waits for, and its owner."""
        _, dump, number = self._place(group)
        if leaf >= 0 or number not in dump.graph.waits:
            return ""
        before = "deadlocked: " if number in dump.graph.deadlocked else ""
        return f"{before}waits for {dump.graph.wait_text(dump, number)}"

    # -- REFs and keys ------------------------------------------------------------------------------------------------

    def nodes_of(self, ref: str) -> Sequence[int]:
        """Returns the node of a dump, `event:jdk.ThreadDump#N`; the nodes of a thread in all dumps."""
        if ref.startswith(f"event:{THREAD_DUMP}#"):
            return self._nodes_of_dump(self._events.row_of_ref(ref))
        if ref.startswith("thread:"):
            thread = self._threads.of_ref.get(ref)
            return () if thread is None else self._nodes_of_thread(self._threads.java_ids[thread])
        raise StrangeReference(f"{ref}: nothing of that name in {self.name}")

    def _nodes_of_dump(self, row: int) -> list[int]:
        return [self.rows.node(group) for group, dump in enumerate(self._groups.dump) if dump == row][:1]

    def _nodes_of_thread(self, id: int) -> list[int]:
        found = []
        for group in range(len(self._groups.dump)):
            _, dump, number = self._place(group)
            if number != ITSELF and dump.threads[number].id == id:
                found.append(self.rows.node(group))
        return found

    def find_key(self, key: Hashable) -> int | None:
        """Returns the row of a dump, or the first row of a thread."""
        match key:
            case ("thread", int(thread)) if thread < len(self._threads):
                return next(iter(self._nodes_of_thread(self._threads.java_ids[thread])), None)
        row = self._events.row_of_key(key)
        return None if row is None else next(iter(self._nodes_of_dump(row)), None)

    # -- side pane ----------------------------------------------------------------------------------------------------

    def sections_of(self, group: int, leaf: int) -> Sequence[Section]:
        """Returns the text of a thread; the numbers and deadlocks of a dump."""
        _, dump, number = self._place(group)
        if number == ITSELF:
            row = self.group(group)
            rows = [SectionRow(name, f"{value}") for name, value in row.badges.items()]
            deadlocks = [deadlock_section(dump, ring) for ring in dump.graph.rings]
            return [Section("Thread dump", tuple(rows)), *deadlocks]
        thread = dump.threads[number]
        rows = [SectionRow("", thread.facts)]
        rows += [SectionRow("state", f"{thread.state} {thread.remark}".strip())] if thread.state else []
        if number in dump.graph.waits:
            rows.append(SectionRow("waits for", dump.graph.wait_text(dump, number)))
        found = [Section("Thread", (SectionRow("name", thread.name), *rows))]
        lines = tuple(SectionRow("", line) for line in thread.lines[:MOST_LINES])
        found += [Section("Stack", lines, max(0, len(thread.lines) - MOST_LINES))] if lines else []
        ring = dump.graph.ring_of.get(number)
        return found if ring is None else [*found, deadlock_section(dump, ring)]

    def links_of(self, group: int, leaf: int) -> Sequence[Link]:
        """Returns links from a dump to its event, from a thread to its row in other views."""
        row, dump, number = self._place(group)
        if number == ITSELF:
            return (Link("the event", self._events.ref(row), "Events"),)
        key = self._key(dump.threads[number])
        if not isinstance(key, tuple):
            return ()
        ref = self._threads.refs[key[1]]
        return Link("the thread", ref, "Threads"), Link("its states over time", ref, "Time line")


def deadlock_section(dump: ThreadDump, ring: Ring) -> Section:
    """Returns the chain of a deadlock, and the threads that wait behind it."""
    rows = [
        SectionRow(dump.thread_text(thread), f"waits for {dump.graph.wait_text(dump, thread)}")
        for thread in ring.threads
    ]
    rows += [SectionRow(dump.thread_text(thread), "waits behind it") for thread in ring.victims]
    return Section(f"Deadlock of {counted(len(ring.threads), 'thread')}", tuple(rows))
