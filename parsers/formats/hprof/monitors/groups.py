"""The rows of the view of monitors: dumps, then contention, then waits."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from functools import cached_property, lru_cache
from itertools import chain
from typing import TYPE_CHECKING

from parsers.formats.hprof.data.columns import MONITOR_TIME
from parsers.formats.hprof.data.names import decode
from parsers.formats.hprof.monitors.dumps import STATES, MonitorBlock, MonitorDump, MonitorDumps, by_state
from parsers.formats.hprof.monitors.kinds import monitor_label
from parsers.formats.hprof.monitors.outline import MONITOR, MonitorOutline
from parsers.formats.hprof.monitors.waits import NO_END, MonitorWaits, pair_waits
from parsers.model.late.lazy_sequence import LazySequence
from parsers.model.lookup import places_by
from parsers.model.names.java_method import class_name
from parsers.model.none import NONE
from parsers.model.row import Badge, counted
from parsers.model.value import value_class

if TYPE_CHECKING:
    from parsers.formats.hprof.data.recording import ProfileRecording
    from parsers.profile.threads.wait_graph import Ring

MILLION = 1_000_000
"""MONITOR TIME of JDK 5 to 8 divides milliseconds by this and calls the result milliseconds."""
MOST_NAMES = 8
"""Maximum threads of a deadlock that its row names."""
FIRST_SERIAL = 300_000
"""Number of the first trace of JDK 5 to 8; the agent of JDK 1.2 to 1.4 begins at small ones, and its total is right."""


@value_class
class MonitorRowGroup:
    """A row with its leaves: threads, rows of DUMPED, of RANKS, or of waits."""

    kind: str
    depth: int
    label: str
    badges: Mapping[str, Badge] = field(default_factory=dict)
    leaf_kind: str = ""
    """"thread" (an id), "dumped", "contention" or "wait"."""
    leaves: Sequence[int] = ()
    dump: MonitorDump | None = None
    block: int = -1
    ring: Ring | None = None
    remark: str = ""
    offset: int | None = None
    thread: int | None = None
    section: int = -1
    bar: float | None = None
    is_waits: bool = False
    """True if it is about waits."""


class MonitorGroupList(LazySequence[MonitorRowGroup]):
    """All groups: deadlocks, dumps, and others behind them. Those of a dump are made when they are asked for."""

    def __init__(
        self,
        deadlocks: Sequence[MonitorRowGroup],
        outline: MonitorOutline,
        behind: Sequence[MonitorRowGroup],
        make: Callable[[int], Iterable[MonitorRowGroup]],
    ) -> None:
        """make: returns the groups of a dump by its number"""
        self._deadlocks, self._outline, self._behind, self._make = deadlocks, outline, behind, make
        self._made: tuple[int, Sequence[MonitorRowGroup]] = -1, ()
        self.depths = [*(group.depth for group in deadlocks), *outline.depths, *(group.depth for group in behind)]
        listed = ([len(group.leaves) for group in groups] for groups in (deadlocks, behind))
        self.leaves = [*next(listed), *outline.leaves, *next(listed)]
        """Number of leaves of each group."""

    def __len__(self) -> int:
        return len(self.depths)

    def item(self, index: int) -> MonitorRowGroup:
        """Returns one group."""
        if index < len(self._deadlocks):
            return self._deadlocks[index]
        place = index - len(self._deadlocks)
        if place >= len(self._outline.depths):
            return self._behind[place - len(self._outline.depths)]
        starts = self._outline.starts
        dump = bisect_right(starts, place) - 1
        if self._made[0] != dump:
            self._made = dump, [*self._make(dump)]
        return self._made[1][place - starts[dump]]

    def of_block(self, dump: int, block: int) -> int:
        """Returns the number of the group of a dump's monitor."""
        # A dump has one group of each kind before its monitors.
        return len(self._deadlocks) + self._outline.starts[dump] + MONITOR + block


class HprofMonitorGroups:
    """The groups of a complete recording."""

    def __init__(self, recording: ProfileRecording) -> None:
        self.recording = recording
        self._rows_of = lru_cache(None)(self._rows_in)

    @cached_property
    def all(self) -> MonitorGroupList:
        """All groups, in the order of their rows."""
        contention = (self._contention_groups(section) for section in self.recording.sections(MONITOR_TIME))
        behind = [*chain.from_iterable(contention), *self._wait_groups()]
        outline = MonitorOutline(self.recording, self.dumps)
        return MonitorGroupList([*self._deadlock_groups()], outline, behind, self._dump_groups)

    @cached_property
    def dumps(self) -> MonitorDumps:
        """The monitor dumps."""
        return MonitorDumps(self.recording, self.thread_text)

    @cached_property
    def names(self) -> dict[int, int]:
        """Words of the names of threads by their ids."""
        column = self.recording.column
        return dict(zip(column("thread_id"), column("thread_name"), strict=True))

    def thread_text(self, id: int) -> str:
        """Returns a thread's name; its id if it has none."""
        name = decode(self.recording.word(self.names.get(id, NONE)))
        return name or f"thread {id}"

    def _deadlock_groups(self) -> Iterator[MonitorRowGroup]:
        """Yields each deadlock once, from the last dump that contains it."""
        last: dict[tuple[int, ...], tuple[MonitorDump, Ring]] = {}
        seen: dict[tuple[int, ...], list[str]] = {}
        for dump in map(self.dumps.__getitem__, self.dumps.with_waits):
            for ring in dump.graph.rings:
                last[ring.threads] = dump, ring
                seen.setdefault(ring.threads, []).append(str(dump.number + 1))
        for threads, (dump, ring) in last.items():
            names = [self.thread_text(thread) for thread in threads]
            ring_text = " → ".join([*names, names[0]]) if len(names) <= MOST_NAMES else " → ".join([*names[:8], "…"])
            remark = f"in dump {' and '.join(seen[threads][-2:])}" if len(self.dumps) > 1 else ""
            badges = {"threads": len(names) + len(ring.victims)}
            yield MonitorRowGroup(
                "deadlock", 0, f"deadlock: {ring_text}", badges, "thread", threads, dump, ring=ring, remark=remark
            )
            if ring.victims:
                label = f"victims: {counted(len(ring.victims), 'thread')} behind it"
                yield MonitorRowGroup("group", 1, label, {"threads": len(ring.victims)}, "thread", ring.victims, dump)

    def _dump_groups(self, number: int) -> Iterator[MonitorRowGroup]:
        dump = self.dumps[number]
        deadlocks = dump.graph.rings
        threads = len(dump.threads)
        count = f" of {len(self.dumps)}" if len(self.dumps) > 1 else ""
        remark = f"{counted(len(dump.blocks), 'monitor')}, {counted(threads, 'thread')}"
        if deadlocks:
            remark = f"{counted(len(deadlocks), 'deadlock')}, {remark}"
        label = f"monitor dump {dump.number + 1}{count}"
        waiting = {"threads": len(dump.graph.waits)} if dump.graph.waits else {}
        yield MonitorRowGroup("dump", 0, label, waiting, dump=dump, remark=remark, offset=dump.offset)
        if dump.blocks:
            yield MonitorRowGroup("group", 1, "monitors", dump=dump)
            for number, block in enumerate(dump.blocks):
                yield self._monitor_group(dump, number, block)
        if threads:
            yield MonitorRowGroup("group", 1, "threads", dump=dump)
            for state, rows in by_state(self.recording, dump):
                label = STATES.get(state, state)
                yield MonitorRowGroup("group", 2, label, {"threads": len(rows)}, "dumped", rows, dump)

    def _monitor_group(self, dump: MonitorDump, number: int, block: MonitorBlock) -> MonitorRowGroup:
        lost = [thread for thread, of in dump.lost.items() if of == number]
        owner = [] if block.owner is None else [block.owner]
        threads = array("Q", [*owner, *block.entering, *lost, *block.notified])
        waiting = len(block.entering) + len(lost)
        remark = f"owned by {self.thread_text(block.owner)}" if block.owner is not None else "no owner"
        return MonitorRowGroup(
            "monitor",
            2,
            dump.monitor_text(number),
            {"threads": waiting} if waiting else {},
            "thread",
            threads,
            dump,
            number,
            remark=remark,
            offset=dump.offsets[number],
        )

    def _contention_groups(self, section: int) -> Iterator[MonitorRowGroup]:
        column = self.recording.column
        rows = self.recording.section_range(section)
        unit = self.unit(section)
        total = column("section_total")[section]
        found: dict[int, array[int]] = {}
        for row in rows:
            found.setdefault(column("rank_name")[row], array("Q")).append(row)
        classes = []
        for name, of in found.items():
            share = sum(column("rank_self")[row] for row in of)
            badges: dict[str, Badge] = {
                "share": share / 100,
                "times": sum(column("rank_count")[row] for row in of),
                "ms": total * unit * share // 10_000,
            }
            label = class_name(decode(self.recording.word(name)))
            classes.append(
                MonitorRowGroup(
                    "monitor", 1, label, badges, "contention", of, section=section, bar=min(max(share, 0) / 10_000, 1)
                )
            )
        date = decode(self.recording.word(column("section_date")[section]))
        label = f"contention{f', {date}' if date else ''}"
        badges = {"ms": total * unit, "times": sum(column("rank_count")[row] for row in rows)}
        remark = "" if unit == 1 else "ms are estimated: the file rounds to millions"
        yield MonitorRowGroup(
            "group", 0, label, badges, section=section, remark=remark, offset=column("section_offset")[section]
        )
        yield from sorted(classes, key=lambda group: -(group.bar or 0))

    def unit(self, section: int) -> int:
        """Returns the factor that converts the total of a section to milliseconds."""
        column = self.recording.column
        serials = column("trace_serial")
        rows = self.recording.section_range(section)
        is_old = any(serials[column("rank_trace")[row]] < FIRST_SERIAL for row in rows[:1])
        return 1 if is_old or not len(rows) else MILLION

    @cached_property
    def waits(self) -> MonitorWaits:
        """All waits."""
        return pair_waits(self.recording)

    def _wait_groups(self) -> Iterator[MonitorRowGroup]:
        waits = self.waits
        if not len(waits):
            return
        of_monitors = places_by(waits.monitor.tolist())
        sums, firsts, threads = waits.sums.tolist(), waits.first.tolist(), waits.thread.tolist()
        ms = {monitor: sum(sums[group] for group in groups) for monitor, groups in of_monitors.items()}
        longest = max(max(ms.values()), 1)
        open_waits = int((waits.millis == NO_END).sum())
        remark = f"{counted(open_waits, 'wait')} without an end in the file" if open_waits else ""
        yield MonitorRowGroup("group", 0, "waits", {"ms": sum(sums), "times": len(waits)}, remark=remark, is_waits=True)
        for monitor, groups in sorted(of_monitors.items(), key=lambda each: -ms[each[0]]):
            times = sum(firsts[group + 1] - firsts[group] for group in groups)
            label = monitor_label(self.recording.word(monitor)) if monitor != NONE else "(sleeping)"
            badges: dict[str, Badge] = {"ms": ms[monitor], "times": times}
            yield MonitorRowGroup("monitor", 1, label, badges, bar=ms[monitor] / longest, is_waits=True)
            for group in sorted(groups, key=lambda group: -sums[group]):
                rows = range(firsts[group], firsts[group + 1])
                thread = threads[group]
                yield MonitorRowGroup(
                    "thread",
                    2,
                    self.thread_text(thread) if thread != NONE else "(thread cut off)",
                    {"ms": sums[group], "times": len(rows), "thread": str(thread) if thread != NONE else None},
                    "wait",
                    rows,
                    thread=thread if thread != NONE else None,
                    is_waits=True,
                    bar=sums[group] / longest,
                )

    # -- threads of a dump --------------------------------------------------------------------------------------------

    def _rows_in(self, dump: int) -> dict[int, int]:
        """Returns the rows of DUMPED of a dump, by its number, by their threads."""
        column = self.recording.column("dumped_thread")
        return {column[row]: row for row in self.dumps[dump].threads}

    def dumped(self, dump: MonitorDump | None, thread: int) -> int | None:
        """Returns the row of DUMPED of a thread."""
        return None if dump is None else self._rows_of(dump.number).get(thread)

    def trace_of(self, dump: MonitorDump | None, thread: int) -> int | None:
        """Returns the stack of a thread in a dump."""
        row = self.dumped(dump, thread)
        return None if row is None else self.recording.column("dumped_trace")[row]

    def thread_at(self, group: MonitorRowGroup, leaf: int) -> int | None:
        """Returns the thread of a leaf; None if the leaf is no thread."""
        if group.leaf_kind == "dumped":
            return self.recording.column("dumped_thread")[group.leaves[leaf]]
        return int(group.leaves[leaf]) if group.leaf_kind == "thread" else None
