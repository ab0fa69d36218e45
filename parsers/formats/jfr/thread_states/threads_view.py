"""The view "Threads": threads by group, with their events and the times of their states; unnamed virtual threads are
one row."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from parsers.formats.jfr.data.time_ranges import RANGE
from parsers.formats.jfr.thread_states.kinds import FILE, FOR_LOCK, FOR_OBJECT, PARKED, PINNED, SLEEPING, SOCKET, WAITS
from parsers.formats.jfr.thread_states.lanes import unnamed_label
from parsers.formats.jfr.thread_states.threads import threads_of
from parsers.formats.jfr.time_range import RangedView
from parsers.formats.jfr.totals import SAMPLES
from parsers.model.none import NONE
from parsers.model.row import Badge, Column, Link, Section, SectionRow, capitalized
from parsers.model.time_text import nanos_text
from parsers.profile.merge import sums_of
from parsers.views.list_view import LazyRows, ListRow, ListView

if TYPE_CHECKING:
    from parsers.formats.jfr.report import JfrReport
    from parsers.model.arrays import I64Array

TIMES = {
    "lock_ns": ("Lock", "waiting for locks", (FOR_LOCK,)),
    "object_ns": ("Object", "waiting for objects", (FOR_OBJECT,)),
    "parked_ns": ("Parked", "parked", (PARKED,)),
    "slept_ns": ("Sleeping", "sleeping", (SLEEPING,)),
    "io_ns": ("I/O", "files and sockets", (FILE, SOCKET)),
    "pinned_ns": ("Pinned", "pinned", (PINNED,)),
}
"""Sums of durations: column, words, states."""
WAITED = "waited_ns"
"""The sum of these times without that of pinned threads, which wait for something else meanwhile."""
ALLOCATED = "jdk.ThreadAllocationStatistics"
COLUMNS = (
    Column("java_id", "Java id", width=9, priority=1),
    Column("os_id", "OS id", width=9, priority=1),
    *(
        Column(name, title, "ns", width=11, priority=2 if name == "pinned_ns" else 3, adds_up=True)
        for name, (title, _, _) in TIMES.items()
    ),
    Column(WAITED, "waited", "ns", width=11, priority=4, adds_up=True),
    Column("allocated", "allocated", "bytes", width=13, priority=2, adds_up=True),
    Column("samples", "samples", width=9, priority=5, adds_up=True),
    Column("events", "events", width=11, priority=6, adds_up=True),
)
SUMS = ("events", "samples", "allocated", WAITED, *TIMES)


class ThreadsView(RangedView, ListView):
    """Groups of threads, with their threads."""

    name = "Threads"
    description = "Threads by group, with their events, samples and waits"
    columns = COLUMNS
    orders = ("events", "samples", WAITED, *TIMES, "allocated", "name")

    def __init__(self, report: JfrReport) -> None:
        super().__init__(report)
        self._threads = threads_of(report.data)

    @property
    def is_complete(self) -> bool:
        """True if the index is finished."""
        return self._data.is_complete

    @property
    def state(self) -> Hashable:
        """The time range."""
        return self.choice(RANGE.name)

    def _counts(self) -> dict[str, I64Array]:
        """Returns the sums of each thread by column."""
        data, count = self._data, len(self._threads)

        def sums(rows: I64Array, weights: I64Array | None = None) -> I64Array:
            threads, found = data.events("thread", rows), np.zeros(count, np.int64)
            is_known = threads != NONE
            np.add.at(found, threads[is_known], 1 if weights is None else weights[is_known])
            return found

        found = {name: np.zeros(count, np.int64) for name in SUMS}
        found["events"] = data.counted("thread", self.time_span, count)
        for type in SAMPLES:
            found["samples"] += sums(self.rows_of(type))
        for type, state in WAITS.items():
            rows = self.rows_of(type)
            name = next(name for name, (_, _, states) in TIMES.items() if state in states)
            times = sums(rows, data.durations(rows))
            found[name] += times
            found[WAITED] += times if state != PINNED else 0
        if len(data.rows_of(ALLOCATED)):
            threads, allocated = data.columns(ALLOCATED, [("thread",), ("allocated",)])
            of_threads = self._threads.of_field(threads)
            is_known = of_threads != NONE
            np.maximum.at(found["allocated"], of_threads[is_known], allocated.numbers[is_known])
        return found

    def make(self) -> Sequence[ListRow]:
        """Returns the threads by group, those with the most events first."""
        if not self._data.is_complete:
            return ()
        threads, counts = self._threads, self._counts()
        events = counts["events"]
        listed = np.arange(len(threads)) if self.time_span is None else events.nonzero()[0]
        groups: dict[str, int] = {}
        of = np.array([groups.setdefault(threads.groups[each], len(groups)) for each in listed.tolist()], np.int64)
        is_unnamed = np.zeros(len(threads), np.bool_)
        is_unnamed[threads.unnamed] = True

        def sums(members: I64Array, groups_of: I64Array) -> list[dict[str, Badge]]:
            found = sums_of([column[members] for column in counts.values()], groups_of, len(groups))
            each = (zip(counts, numbers, strict=True) for numbers in found.T.tolist())
            return [{name: number for name, number in row if number or name in ("events", "samples")} for row in each]

        def row(thread: int, depth: int) -> ListRow:
            found: dict[str, Badge] = {name: int(column[thread]) for name, column in counts.items()}
            found |= {"os_id": threads.os_ids[thread], "java_id": threads.java_ids[thread]}
            known = {name: number for name, number in found.items() if number or name == "events"}
            return ListRow("thread", threads.label(thread), depth, known, threads.refs[thread], key=("thread", thread))

        rows, depths = list[ListRow | int](), list[int]()
        badges, unnamed_badges = sums(listed, of), sums(*(each[is_unnamed[listed]] for each in (listed, of)))
        members_of = np.split(listed[np.argsort(of, kind="stable")], np.cumsum(np.bincount(of))[:-1])
        named = zip(groups, badges, unnamed_badges, members_of, strict=True) if groups else ()
        for group, own, of_unnamed, members in sorted(named, key=lambda each: -each[1]["events"]):
            unnamed = members[is_unnamed[members]]
            rows.append(ListRow("group", group or "(no group)", badges=own))
            depths.append(0)
            if len(unnamed) > 1:
                rows += [ListRow("group", unnamed_label(len(unnamed)), 1, of_unnamed), *unnamed.tolist()]
                depths += [1, *[2] * len(unnamed)]
                members = members[~is_unnamed[members]]
            rows += members[np.argsort(-events[members], kind="stable")].tolist()
            depths += [1] * len(members)
        return LazyRows(rows, depths, row)

    def sections(self, node: int) -> Sequence[Section]:
        """Returns ids and sums of a thread or group."""
        entry = self.entries[node]
        rows = [SectionRow("name", entry.label)]
        if isinstance(entry.key, tuple):
            thread = entry.key[1]
            rows.append(SectionRow("kind", "virtual thread" if self._threads.is_virtual(thread) else "thread"))
            rows.append(SectionRow("group", self._threads.groups[thread] or "(no group)"))
        for name, value in entry.badges.items():
            words = TIMES[name][1] if name in TIMES else name.removesuffix("_ns").replace("_", " ")
            is_time = name.endswith("_ns") and isinstance(value, int)
            rows.append(SectionRow(words, nanos_text(value) if is_time else f"{value}"))  # type: ignore[arg-type]
        return [Section(capitalized(entry.kind), tuple(rows))]

    def links(self, node: int) -> Sequence[Link]:
        """Returns links of a thread to the other views."""
        ref = self.entries[node].ref
        views = {"Time line": "its states over time", "Call tree": "its samples"}
        return [Link(title, ref, view) for view, title in views.items()] if ref else []
