"""Tables of the sections of an HPROF profile: allocation sites, threads, monitors with their contention and waits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from parsers.formats.hprof.data.columns import MONITOR_TIME, NOWHERE, SECTION_KINDS, SITES_KIND, WAIT_KINDS
from parsers.formats.hprof.data.names import decode
from parsers.heapdump.graph.columns import HAS_END, IS_MISSING
from parsers.model.distinct import distinct
from parsers.model.names.java_method import class_name
from parsers.model.none import NONE
from parsers.model.tables.column_values import Known, Named, TableColumn, Values, numbered, text_arrays, unless, whole
from parsers.model.tables.table import SqlView, Table, TableType
from parsers.views.report_tables import listed

if TYPE_CHECKING:
    from parsers.formats.hprof.report import HprofReport
    from parsers.model.arrays import I64Array

SECTION = TableType(
    "section",
    "Sections of the file: one of each kind for each dump.",
    (
        TableColumn("section_id", "BIGINT", "number of the section"),
        TableColumn("kind", "VARCHAR", "CPU SAMPLES, CPU TIME, SITES, HEAP DUMP, MONITOR TIME, MONITOR DUMP"),
        TableColumn("dump", "INTEGER", "its dump, from 1"),
        TableColumn("date", "VARCHAR", "date as printed", is_nullable=True),
        TableColumn("rows", "BIGINT", "rows; of a heap dump objects and classes"),
        TableColumn("total", "BIGINT", "total as printed, else 0"),
        TableColumn("is_ended", "BOOLEAN", "true if its end is in the file"),
        TableColumn("position", "BIGINT", "offset in the file", "bytes"),
    ),
)
SITE = TableType(
    "allocation_site",
    "Allocation sites of all dumps, as printed.",
    (
        TableColumn("allocation_site_id", "BIGINT", "number of the row"),
        TableColumn("dump", "INTEGER", "its dump, from 1"),
        TableColumn("class", "VARCHAR", "class of the objects", is_interned=True),
        TableColumn("stack_id", "BIGINT", "stack of the allocation", is_nullable=True, key="stack"),
        TableColumn("live_bytes", "BIGINT", "size of those alive", "bytes"),
        TableColumn("live_objects", "BIGINT", "objects alive"),
        TableColumn("allocated_bytes", "BIGINT", "size of all", "bytes"),
        TableColumn("allocated_objects", "BIGINT", "all objects"),
        TableColumn("share", "DOUBLE", "share as printed", "percent"),
        TableColumn("rank", "BIGINT", "rank as printed"),
        TableColumn("position", "BIGINT", "offset in the file", "bytes"),
        TableColumn("ref", "VARCHAR", "REF of the stack", is_nullable=True),
    ),
)
THREAD = TableType(
    "thread",
    "Threads of a profile, and of a heap dump.",
    (
        TableColumn("thread_id", "BIGINT", "number of the row"),
        TableColumn("number", "BIGINT", "number in the file"),
        TableColumn("name", "VARCHAR", "name", is_nullable=True),
        TableColumn("thread_group", "VARCHAR", "its group", is_nullable=True),
        TableColumn("start", "BIGINT", "offset of its start in the file", "bytes", is_nullable=True),
        TableColumn("finish", "BIGINT", "offset of its end in the file", "bytes", is_nullable=True),
        TableColumn("traces", "BIGINT", "stacks, if they name their threads", is_nullable=True),
        TableColumn("object_id", "BIGINT", "its object in a heap dump", is_nullable=True, key="object"),
        TableColumn("frames", "BIGINT", "frames in a heap dump", is_nullable=True),
        TableColumn("locals", "BIGINT", "objects that they refer to", is_nullable=True),
        TableColumn("ref", "VARCHAR", "REF of the thread"),
    ),
)
MONITOR = TableType(
    "monitor",
    "Monitors in monitor dumps, each once a dump.",
    (
        TableColumn("monitor_id", "BIGINT", "number of the row"),
        TableColumn("dump", "INTEGER", "its dump, from 1"),
        TableColumn("class", "VARCHAR", "class of its object"),
        TableColumn("owner", "BIGINT", "number of the thread that owns it", is_nullable=True),
        TableColumn("entries", "BIGINT", "times that its owner has entered it"),
        TableColumn("entering", "BIGINT", "threads that wait to enter, with those that the agent lost"),
        TableColumn("notified", "BIGINT", "threads that wait to be notified"),
        TableColumn("position", "BIGINT", "offset in the file", "bytes"),
        TableColumn("ref", "VARCHAR", "REF of the class in the view Monitors"),
    ),
)
CONTENTION = TableType(
    "contention",
    "Waits for locks by class of the monitor and stack, of all dumps.",
    (
        TableColumn("contention_id", "BIGINT", "number of the row"),
        TableColumn("dump", "INTEGER", "its dump, from 1"),
        TableColumn("class", "VARCHAR", "class of the monitor"),
        TableColumn("stack_id", "BIGINT", "stack", is_nullable=True, key="stack"),
        TableColumn("times", "BIGINT", "waits"),
        TableColumn("share", "DOUBLE", "share of the time of its dump", "percent"),
        TableColumn("blocked", "DOUBLE", "time, computed from the share", "ms"),
        TableColumn("position", "BIGINT", "offset in the file", "bytes"),
        TableColumn("ref", "VARCHAR", "REF of the stack", is_nullable=True),
    ),
)
WAIT = TableType(
    "wait",
    "Waits for objects as a profile prints them: a line when a wait begins, and one when it ends.",
    (
        TableColumn("wait_id", "BIGINT", "number of the row"),
        TableColumn("kind", "VARCHAR", "wait, waited, sleep or exit", is_interned=True),
        TableColumn("class", "VARCHAR", "class of the monitor", is_nullable=True, is_interned=True),
        TableColumn("thread", "BIGINT", "number of the thread", is_nullable=True),
        TableColumn("took", "BIGINT", "timeout of `wait`, else duration", "ms"),
        TableColumn("position", "BIGINT", "offset in the file", "bytes"),
        TableColumn("ref", "VARCHAR", "REF of the thread, if the file names it", is_nullable=True),
    ),
)
SECTION_TYPES = (SECTION, SITE, THREAD, MONITOR, CONTENTION, WAIT)
SECTION_VIEWS = (
    SqlView(
        "contention_by_class",
        "waits for locks by class of the monitor, as the view Monitors",
        "SELECT dump, class, sum(times) AS times, sum(share) AS share FROM contention"
        " GROUP BY ALL ORDER BY dump, share DESC, class",
    ),
    SqlView(
        "largest_sites",
        "allocation sites by live bytes, as the view Allocation sites",
        "SELECT class, stack_id, sum(live_bytes) AS live_bytes, sum(live_objects) AS live_objects,"
        " sum(allocated_bytes) AS allocated_bytes, any_value(ref) AS ref FROM allocation_site"
        " GROUP BY ALL ORDER BY live_bytes DESC, class, stack_id",
    ),
)
SECTION_QUESTIONS = (
    (
        "Which classes were allocated most?",
        "SELECT class, sum(allocated_bytes) AS bytes, sum(allocated_objects) AS objects FROM allocation_site"
        " GROUP BY class ORDER BY bytes DESC, class LIMIT 10",
    ),
)


class SectionTables:
    """The tables of the sections that a complete recording has."""

    def __init__(self, report: HprofReport, heap_threads: Callable[[], Sequence[tuple[object, ...]]] | None) -> None:
        """heap_threads: returns number, name, object, frames and locals of the threads of a heap dump"""
        self._recording = report.recording
        self._heap_threads = heap_threads

    def tables(self) -> Iterator[Table]:
        """Yields the tables."""
        rows = self._recording.rows
        if rows("section"):
            yield listed(SECTION, self._sections)
        if rows("site"):
            yield self._sites()
        if rows("thread") or self._heap_threads is not None:
            yield listed(THREAD, self._threads)
        if rows("monitor"):
            yield listed(MONITOR, self._monitors)
        if self._recording.sections(MONITOR_TIME):
            yield listed(CONTENTION, self._contention)
        if rows("wait"):
            yield self._waits()

    def _column(self, name: str) -> I64Array:
        return np.asarray(self._recording.column(name)).astype(np.int64)

    def _words(self, column: str, label: Callable[[bytes], str]) -> Named:
        """Returns the texts of words; NULL for NONE."""
        numbers = self._column(column)
        unique = distinct(numbers[numbers != NONE])
        texts = text_arrays(label(self._recording.word(word)) for word in unique.tolist())
        return Named(np.where(numbers == NONE, -1, np.searchsorted(unique, numbers)), texts)

    def _text(self, word: int) -> str | None:
        return None if word == NONE else decode(self._recording.word(word))

    @cached_property
    def _known_threads(self) -> I64Array:
        found: I64Array = distinct(self._column("thread_id"))
        return found

    def _trace_ref(self, trace: int) -> str | None:
        if trace == NONE or self._recording.column("trace_flags")[trace] & IS_MISSING:
            return None
        return self._recording.trace_ref(trace)

    # -- tables -------------------------------------------------------------------------------------------------------

    def _sections(self) -> list[tuple[object, ...]]:
        names = ("kind", "snapshot", "date", "rows", "total", "flags", "offset")
        found = zip(*(self._recording.column(f"section_{name}") for name in names), strict=True)
        return [
            (SECTION_KINDS[kind], dump + 1, self._text(date), rows, total, bool(flags & HAS_END), offset)
            for kind, dump, date, rows, total, flags, offset in found
        ]

    def _dumps(self, kind: int, rows: int) -> I64Array:
        """By row of the sections of a kind its dump, from 1."""
        found = np.zeros(rows, np.int64)
        for section in self._recording.sections(kind):
            part = self._recording.section_range(section)
            found[part.start : part.stop] = self._recording.column("section_snapshot")[section] + 1
        return found

    def _sites(self) -> Table:
        rows = self._recording.rows("site")
        columns = {
            "dump": whole(lambda: self._dumps(SITES_KIND, rows)),
            "class": whole(lambda: self._words("site_class", lambda word: class_name(decode(word)))),
            "stack_id": whole(lambda: unless(self._column("site_trace"), NONE)),
            "share": whole(lambda: self._column("site_self") / 100),
            "rank": whole(lambda: self._column("site_number")),
            "position": whole(lambda: self._column("site_offset")),
            "ref": lambda start, stop: text_arrays(
                map(self._trace_ref, self._recording.column("site_trace")[start:stop])
            ),
        }
        return Table(SITE, lambda: rows, columns, other=lambda each: whole(lambda: self._column(f"site_{each.name}")))

    def _threads(self) -> list[tuple[object, ...]]:
        owners = self._column("trace_thread")
        owners = owners[owners != NONE]
        traces = dict(zip(*(each.tolist() for each in np.unique(owners, return_counts=True)), strict=True))
        names = ("id", "name", "group", "start", "end")
        columns = (self._recording.column(f"thread_{name}") for name in names)
        of_heap = {row[0]: row for row in (self._heap_threads() if self._heap_threads is not None else ())}
        found: list[tuple[object, ...]] = []
        for id, name, group, start, end in zip(*columns, strict=True):
            offsets = (None if offset == NOWHERE else offset for offset in (start, end))
            count = traces.get(id, 0) if traces else None
            _, _, *numbers = of_heap.pop(id, (id, "", None, None, None))
            found.append((id, self._text(name), self._text(group), *offsets, count, *numbers, f"thread:{id}"))
        for number, text, *numbers in of_heap.values():
            found.append((number, text, None, None, None, None, *numbers, f"thread:{number}"))
        return found

    def _monitors(self) -> list[tuple[object, ...]]:
        from parsers.formats.hprof.monitors.groups import HprofMonitorGroups

        found: list[tuple[object, ...]] = []
        for dump in HprofMonitorGroups(self._recording).dumps:
            lost = Counter(dump.lost.values())
            for number, (block, offset) in enumerate(zip(dump.blocks, dump.offsets, strict=True)):
                name = dump.monitor_text(number)
                waiting = len(block.entering) + lost[number], len(block.notified)
                found.append((dump.snapshot + 1, name, block.owner, block.entries, *waiting, offset, f"class:{name}"))
        return found

    def _contention(self) -> list[tuple[object, ...]]:
        from parsers.formats.hprof.monitors.groups import HprofMonitorGroups

        recording, groups = self._recording, HprofMonitorGroups(self._recording)
        column = recording.column
        found: list[tuple[object, ...]] = []
        for section in recording.sections(MONITOR_TIME):
            dump, total = column("section_snapshot")[section] + 1, column("section_total")[section]
            scale = total * groups.unit(section) / 10_000
            for row in recording.section_range(section):
                name, trace, share = (column(f"rank_{each}")[row] for each in ("name", "trace", "self"))
                stack = None if trace == NONE else trace
                numbers = column("rank_count")[row], share / 100, scale * share, column("rank_offset")[row]
                label = class_name(decode(recording.word(name)))
                found.append((dump, label, stack, *numbers, self._trace_ref(trace)))
        return found

    def _waits(self) -> Table:
        from parsers.formats.hprof.monitors.kinds import monitor_label

        def refs() -> Values:
            ids = self._column("wait_thread")
            return numbered("thread:", Known(ids, np.isin(ids, self._known_threads)))

        columns = {
            "kind": whole(lambda: Named(self._column("wait_kind"), text_arrays(kind.lower() for kind in WAIT_KINDS))),
            "class": whole(lambda: self._words("wait_monitor", monitor_label)),
            "thread": whole(lambda: unless(self._column("wait_thread"), NONE)),
            "took": whole(lambda: self._column("wait_millis")),
            "position": whole(lambda: self._column("wait_offset")),
            "ref": whole(refs),
        }
        return Table(WAIT, lambda: self._recording.rows("wait"), columns)
