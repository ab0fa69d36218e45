"""The view "Monitors": dumps with their deadlocks, contention by monitor and trace, waits by monitor and thread."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from parsers.formats.hprof.data.columns import IS_CUT, MONITOR_TIME
from parsers.formats.hprof.data.names import method_label, method_spans
from parsers.formats.hprof.monitors.detail import MONITORS_VIEW, HprofMonitorDetail
from parsers.formats.hprof.monitors.dumps import MonitorDump
from parsers.formats.hprof.monitors.groups import HprofMonitorGroups, MonitorGroupList, MonitorRowGroup
from parsers.formats.hprof.monitors.kinds import MS, SHARE, THREAD, THREADS, TIMES, TRACE
from parsers.formats.hprof.monitors.waits import NO_END
from parsers.heapdump.graph.columns import IS_MISSING
from parsers.model.names.java_name import class_spans
from parsers.model.names.ref_number import ref_number
from parsers.model.none import NONE
from parsers.model.row import Badge, Column, Link, Section, counted
from parsers.model.trees.grouped_preorder import GroupedPreorder
from parsers.model.view import References
from parsers.views.grouped_view import GroupedView
from parsers.views.list_view import ListRow

if TYPE_CHECKING:
    from parsers.formats.hprof.report import HprofReport
    from parsers.model.arrays import I64Array


class HprofMonitorsView(GroupedView):
    """Dumps first, as a deadlock matters most; then contention, then waits."""

    name = MONITORS_VIEW
    description = "Monitors with owners and waiting threads"
    group_kinds = ("dump", "deadlock", "monitor", "group")
    orders: tuple[str, ...] = ("ms", "times", "share", "threads", "name")

    def __init__(self, report: HprofReport) -> None:
        self._report = report
        self._recording = report.recording

    @property
    def columns(self) -> tuple[Column, ...]:
        """Numbers of contention and of waits; dumps have none."""
        has_numbers = MONITOR_TIME in self._report.sections_there or self._recording.rows("wait")
        return (MS, TIMES, SHARE, THREADS, THREAD, TRACE) if has_numbers else ()

    @property
    def is_ready(self) -> bool:
        """True if all is read: traces and names of threads may be anywhere."""
        return self._recording.is_complete

    @cached_property
    def _made(self) -> HprofMonitorGroups:
        return HprofMonitorGroups(self._recording)

    @property
    def groups(self) -> MonitorGroupList:
        """All groups, in the order of their rows."""
        return self._made.all

    def make_rows(self) -> GroupedPreorder:
        """Returns the groups with their leaves."""
        return GroupedPreorder(self.groups.depths, self.groups.leaves)

    # -- rows ---------------------------------------------------------------------------------------------------------

    def group(self, group: int) -> ListRow:
        """Returns the row of a dump, a deadlock, a monitor, a state, a class, or a thread that waited."""
        each = self.groups[group]
        spans = tuple(class_spans(each.label)) if each.kind == "monitor" else ()
        flags: tuple[str, ...] = ()
        if each.block >= 0 and each.dump is not None and each.dump.blocks[each.block].flags & IS_CUT:
            flags = ("truncated",)
        return ListRow(
            each.kind,
            each.label,
            badges=each.badges,
            flags=flags,
            offset=each.offset,
            spans=spans,
            bars={} if each.bar is None else {"ms": each.bar},
            key=None if each.thread is None else ("thread", each.thread),
        )

    def leaf(self, group: int, leaf: int) -> ListRow:
        """Returns the row of a thread with its activity, a trace with contention, or a wait."""
        each = self.groups[group]
        thread = self._made.thread_at(each, leaf)
        if thread is not None:
            return self._thread(each, thread, leaf)
        number = int(each.leaves[leaf])
        return self._wait(number) if each.leaf_kind == "wait" else self._contention(each, number)

    def _thread(self, group: MonitorRowGroup, thread: int, leaf: int) -> ListRow:
        label = self._made.thread_text(thread)
        activity = self._activity(group, thread, leaf)
        badges: dict[str, Badge] = {"thread": str(thread)}
        trace = self._made.trace_of(group.dump, thread)
        if trace is not None:
            badges["trace"] = str(self._recording.column("trace_serial")[trace])
        row = self._made.dumped(group.dump, thread)
        return ListRow(
            "thread",
            f"{label}{': ' if activity else ''}{activity}",
            badges=badges,
            offset=None if row is None else self._recording.column("dumped_offset")[row],
            key=("thread", thread),
            links=(Link("thread", f"thread:{thread}", "Threads"),) if thread in self._made.names else (),
        )

    def _activity(self, group: MonitorRowGroup, thread: int, leaf: int) -> str:
        """Returns the text after a thread's name in a row."""
        dump = group.dump
        assert dump is not None
        if group.kind == "monitor":
            block = dump.blocks[group.block]
            place = leaf - (block.owner is not None)
            lost = sum(of == group.block for of in dump.lost.values())
            if place < 0:
                return f"owns it, entered {counted(block.entries, 'time')}"
            if place < len(block.entering):
                return "waits to enter"
            return (
                "waits to enter; the agent lost it from the list"
                if place < len(block.entering) + lost
                else ("waits to be notified")
            )
        if thread in dump.graph.waits:
            return f"waits for {dump.graph.wait_text(dump, thread)}"
        trace = self._made.trace_of(dump, thread)
        return "" if trace is None or not len(self._recording.stack(trace)) else f"at {self._method(trace)}"

    def _method(self, trace: int) -> str:
        frames = self._recording.stack(trace)
        if not len(frames):
            return "no frames"
        return method_label(self._recording.method(self._recording.column("frame_method")[frames[0]]))

    def _contention(self, group: MonitorRowGroup, row: int) -> ListRow:
        column = self._recording.column
        trace, share = column("rank_trace")[row], column("rank_self")[row]
        section = group.section
        serial = column("trace_serial")[trace]
        is_missing = column("trace_flags")[trace] & IS_MISSING
        label = "trace not in the file" if is_missing else self._method(trace)
        return ListRow(
            "contention",
            label,
            badges={
                "share": share / 100,
                "times": column("rank_count")[row],
                "ms": column("section_total")[section] * self._made.unit(section) * share // 10_000,
                "trace": str(serial),
            },
            offset=column("rank_offset")[row],
            flags=("dangling",) if is_missing else (),
            spans=method_spans(label) if len(self._recording.stack(trace)) else (),
            bars={"ms": min(max(share, 0) / 10_000, 1)},
            key=("trace", trace),
            links=(Link("trace", self._recording.trace_ref(trace), "Traces"),),
        )

    def _wait(self, number: int) -> ListRow:
        waits = self._made.waits
        row, millis, timeout = int(waits.row[number]), int(waits.millis[number]), int(waits.timeout[number])
        limit = (
            "for ever" if timeout == 0 else f"for at most {timeout:,} ms" if timeout > 0 else "start not in the file"
        )
        label = f"asked {limit}" if timeout >= 0 else limit
        start = int(waits.start[number])
        badges: dict[str, Badge] = {"times": 1}
        if millis != NO_END:
            badges["ms"] = millis
        return ListRow(
            "wait",
            label if millis != NO_END else f"{label}; no end in the file",
            badges=badges,
            offset=self._recording.column("wait_offset")[row if start == NONE else start],
            flags=("truncated",) if self._recording.column("wait_flags")[row] & IS_CUT else (),
        )

    def remark_of(self, group: int, leaf: int) -> str:
        """Returns the owners of monitors, and the contents of a dump."""
        return self.groups[group].remark if leaf < 0 else ""

    # -- REFs and keys ------------------------------------------------------------------------------------------------

    @cached_property
    def _threads(self) -> dict[int, int]:
        """By thread: its most informative row, in this order: in a deadlock, by state, at a monitor, of its waits."""
        found: dict[int, int] = {}
        ranks = {"deadlock": 0, "monitor": 2, "thread": 3}
        numbered = sorted(enumerate(self.groups), key=lambda each: ranks.get(each[1].kind, 1))
        for number, group in numbered:
            if group.thread is not None:
                found.setdefault(group.thread, self.rows.node(number))
            elif group.leaf_kind in ("thread", "dumped"):
                column = self._recording.column("dumped_thread")
                for leaf, each in enumerate(group.leaves):
                    thread = column[each] if group.leaf_kind == "dumped" else each
                    found.setdefault(thread, self.rows.node(number, leaf))
        return found

    @cached_property
    def _traces(self) -> dict[int, list[int]]:
        """By row of traces: the rows that name it."""
        found: dict[int, list[int]] = {}
        column = self._recording.column
        for number, group in enumerate(self.groups):
            if group.leaf_kind in ("contention", "dumped"):
                traces = column("rank_trace" if group.leaf_kind == "contention" else "dumped_trace")
                for leaf, each in enumerate(group.leaves):
                    found.setdefault(traces[each], []).append(self.rows.node(number, leaf))
        return found

    def nodes_of_trace(self, trace: int) -> Sequence[int]:
        """Returns rows that name a trace."""
        return self._traces.get(trace, ()) if self.is_ready else ()

    def nodes_of(self, ref: str) -> Sequence[int]:
        """Returns rows of threads, traces, classes of monitors. Raises `UnknownReference`."""
        kind, _, value = ref.partition(":")
        if kind == "thread" and (number := ref_number(value)) is not None:
            node = self._threads.get(number)
            return () if node is None else (node,)
        if kind in ("trace", "run"):
            trace = self._recording.trace_named(ref)
            return () if trace is None else self.nodes_of_trace(trace)
        if kind in ("class", "name"):
            kinds = ("monitor",) if kind == "class" else ("monitor", "thread", "dump", "group", "deadlock")
            return [
                self.rows.node(number)
                for number, group in enumerate(self.groups)
                if group.label == value and group.kind in kinds
            ]
        return ()

    def find_key(self, key: Hashable) -> int | None:
        """Returns the row of a thread or of a trace."""
        if not self.is_ready:
            return None
        match key:
            case ("thread", int(thread)):
                return self._threads.get(thread)
            case ("trace", int(trace)):
                nodes = self.nodes_of_trace(trace)
                return nodes[0] if nodes else None
        return None

    # -- the side pane ------------------------------------------------------------------------------------------------

    @cached_property
    def _detail(self) -> HprofMonitorDetail:
        return HprofMonitorDetail(self._made, self._block_ref)

    def sections_of(self, group: int, leaf: int) -> Sequence[Section]:
        """Returns stacks of threads, chains of deadlocks, the meaning of sums."""
        return self._detail.sections(self.groups[group], leaf)

    def _block_ref(self, dump: MonitorDump, block: int) -> str:
        return f"node:{self.rows.node(self.groups.of_block(dump.number, block))}"

    def links_of(self, group: int, leaf: int) -> Sequence[Link]:
        """Returns links: from a thread to its row in "Threads" and its trace; from contention to its trace."""
        each = self.groups[group]
        links = [*self.at(group, leaf).links]
        thread = self._made.thread_at(each, leaf) if leaf >= 0 else None
        if thread is not None:
            trace = self._made.trace_of(each.dump, thread)
            if trace is not None and not self._recording.column("trace_flags")[trace] & IS_MISSING:
                links.append(Link("stack", self._recording.trace_ref(trace), "Traces"))
        elif each.thread is not None:
            links.append(Link("thread", f"thread:{each.thread}", "Threads"))
        return links

    def references(self, node: int) -> References:
        """Returns all rows of this view about the thread of a row."""
        key = self.key(node)
        match key:
            case ("thread", int(thread)):
                nodes = [each for each in range(self.rows.rows) if self._is_about(each, thread)]
                return References(f"rows about {self._made.thread_text(thread)}", self.name, nodes, True)
        return super().references(node)

    def _is_about(self, node: int, thread: int) -> bool:
        group, leaf = self.rows.place(node)
        each = self.groups[group]
        return (each.thread if leaf < 0 else self._made.thread_at(each, leaf)) == thread

    def keys_of_leaves(self, order: str, group: int, leaves: range) -> I64Array | None:
        """Returns sort keys of waits."""
        each = self.groups[group]
        if each.leaf_kind != "wait" or order != "ms":
            return None
        first = int(each.leaves[0]) + leaves.start
        return self._made.waits.millis[first : first + len(leaves)]
