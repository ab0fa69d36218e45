"""The view "Monitors": deadlocks in thread dumps, and tables of the events of threads that waited."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from parsers.formats.jfr.tables.declarations import VIEWS
from parsers.formats.jfr.tables.table import EventTable
from parsers.formats.jfr.tables.tables_view import TablesView
from parsers.formats.jfr.thread_states.dumps import THREAD_DUMP, Deadlock, RecordedDumps, has_deadlocks
from parsers.formats.jfr.thread_states.dumps_view import deadlock_section
from parsers.formats.jfr.thread_states.threads import threads_of
from parsers.model.late.preparation import Preparation
from parsers.model.row import Badge, Column, Link, Section, SectionRow, SortKey, counted
from parsers.model.trees.grouped_preorder import GroupedPreorder
from parsers.model.view import StrangeReference
from parsers.views.grouped_view import GroupedView
from parsers.views.list_view import ListRow

if TYPE_CHECKING:
    from parsers.formats.jfr.report import JfrReport
    from parsers.profile.threads.thread_dump import ThreadDump
    from parsers.profile.threads.wait_graph import Ring

DEADLOCKS = EventTable("deadlocks", (THREAD_DUMP,), note="Deadlocks are those of the thread dumps in the recording")
COLUMNS = (
    Column("dumps", "dumps", width=8, priority=3),
    Column("start", "start", "s", width=12, priority=4),
    Column("threads", "threads", width=9, priority=5),
)


class MonitorsView(TablesView):
    """Tables of waits; the first choice is the deadlocks, if there are any."""

    def __init__(self, report: JfrReport) -> None:
        super().__init__(report, "Monitors", VIEWS["Monitors"].description, VIEWS["Monitors"].tables)
        self._dumps = RecordedDumps(report.data)

    @property
    def _there(self) -> Sequence[EventTable]:
        """The tables with events, after the deadlocks."""
        if not self.is_ready or not has_deadlocks(self._data):
            return super()._there
        return [DEADLOCKS, *(table for table in super()._there if self._data.type_numbers.keys() & {*table.types})]

    @property
    def _is_of_dumps(self) -> bool:
        return self.table is DEADLOCKS

    @cached_property
    def _deadlocks(self) -> list[tuple[Deadlock, ThreadDump, Ring]]:
        """The deadlocks in the time range, with the dump in which each is seen first."""
        return [(deadlock, *self._dumps.ring(deadlock)) for deadlock in self._dumps.deadlocks(self.time_span)]

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns of deadlocks, or of the chosen table."""
        return COLUMNS if self._is_of_dumps else super().columns

    @property
    def orders(self) -> tuple[str, ...]:
        """All columns, and labels."""
        return (*(column.name for column in COLUMNS), "name") if self._is_of_dumps else super().orders

    @property
    def sorted_by(self) -> str:
        """The column by which groups are sorted; deadlocks are in the order in which they are seen."""
        return "" if self._is_of_dumps else super().sorted_by

    @property
    def is_prepared(self) -> bool:
        """False if many events have to be read first."""
        return not self.is_ready or self._is_of_dumps or super().is_prepared

    def preparation(self) -> Preparation | None:
        """Work that computes the table."""
        return None if self.is_prepared else super().preparation()

    # -- rows ---------------------------------------------------------------------------------------------------------

    def make_rows(self) -> Any:
        """Returns deadlocks with their threads, or the rows of the table."""
        if not self._is_of_dumps:
            return super().make_rows()
        threads = [len(ring.threads) + len(ring.victims) for _, _, ring in self._deadlocks]
        return GroupedPreorder([0] * len(threads), threads)

    def group(self, group: int) -> ListRow:
        """Returns the row of a deadlock, or of a group of the table."""
        if not self._is_of_dumps:
            return super().group(group)
        deadlock, _, ring = self._deadlocks[group]
        badges: dict[str, Badge] = {"dumps": len(deadlock.rows), "threads": len(ring.threads)}
        badges["start"] = self._events.badges(deadlock.rows[0])["start"]
        return ListRow(
            "deadlock", f"deadlock of {', '.join(deadlock.names)}", badges=badges, key=self.key_of(group, -1)
        )

    def leaf(self, group: int, leaf: int) -> ListRow:
        """Returns the row of a thread in a deadlock or behind it, or of an event."""
        if not self._is_of_dumps:
            return super().leaf(group, leaf)
        _, dump, _ = self._deadlocks[group]
        thread, is_victim = self._thread(group, leaf)
        text = f"{dump.thread_text(thread)} waits for {dump.graph.wait_text(dump, thread)}"
        return ListRow("victim" if is_victim else "thread", text, key=self.key_of(group, leaf))

    def _thread(self, group: int, leaf: int) -> tuple[int, bool]:
        """Returns a thread of a dump; True if it only waits behind the deadlock."""
        ring = self._deadlocks[group][2]
        return (*ring.threads, *ring.victims)[leaf], leaf >= len(ring.threads)

    def _known_thread(self, group: int, leaf: int) -> int | None:
        """Returns the thread of the recording; None if none has its id."""
        id = self._deadlocks[group][1].threads[self._thread(group, leaf)[0]].id
        return None if id is None else threads_of(self._data).of_ref.get(f"thread:{id}")

    def remark_of(self, group: int, leaf: int) -> str:
        """Returns the remark of a row of a table."""
        return "" if self._is_of_dumps else super().remark_of(group, leaf)

    def key_of(self, group: int, leaf: int) -> Hashable | None:
        """Returns the key of a deadlock or thread, or of a row of a table."""
        if not self._is_of_dumps:
            return super().key_of(group, leaf)
        if leaf < 0:
            return "deadlock", self._deadlocks[group][0].names
        known = self._known_thread(group, leaf)
        return None if known is None else ("thread", known)

    def find_key(self, key: Hashable) -> int | None:
        """Returns the row of a deadlock, or of a group."""
        if not self._is_of_dumps:
            return super().find_key(key)
        return next((node for node in range(self.rows.rows) if key is not None and self.key(node) == key), None)

    def nodes_of(self, ref: str) -> Sequence[int]:
        """Returns the rows of a thread in deadlocks, or the rows of a table."""
        if not self._is_of_dumps:
            return super().nodes_of(ref)
        thread = threads_of(self._data).of_ref.get(ref)
        if thread is None:
            raise StrangeReference(f"{ref}: nothing of that name in {self.name}")
        return [node for node in range(self.rows.rows) if self.key(node) == ("thread", thread)]

    def sort_keys(self, order: str, nodes: Sequence[int]) -> Sequence[SortKey]:
        """Returns numbers by which rows are sorted."""
        return GroupedView.sort_keys(self, order, nodes) if self._is_of_dumps else super().sort_keys(order, nodes)

    # -- side pane ----------------------------------------------------------------------------------------------------

    def sections_of(self, group: int, leaf: int) -> Sequence[Section]:
        """Returns the chain of a deadlock, and the stacks of its threads."""
        if not self._is_of_dumps:
            return super().sections_of(group, leaf)
        deadlock, dump, ring = self._deadlocks[group]
        if leaf < 0:
            seen = SectionRow("seen", f"in {counted(len(deadlock.rows), 'dump')}")
            return [deadlock_section(dump, ring), Section("Dumps", (seen,))]
        thread = dump.threads[self._thread(group, leaf)[0]]
        lines = tuple(SectionRow("", line) for line in thread.lines)
        return [Section(thread.name, lines), deadlock_section(dump, ring)]

    def links_of(self, group: int, leaf: int) -> Sequence[Link]:
        """Returns links from a deadlock to the dump, from a thread to its row in other views."""
        if not self._is_of_dumps:
            return super().links_of(group, leaf)
        dump = Link("the thread dump", self._events.ref(self._deadlocks[group][0].rows[0]), "Thread dumps")
        known = None if leaf < 0 else self._known_thread(group, leaf)
        return (dump,) if known is None else (dump, Link("the thread", threads_of(self._data).refs[known], "Threads"))
