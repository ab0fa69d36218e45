"""The view "Threads": the lifetime of each, its traces, samples and waits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from parsers.formats.hprof.data.columns import CPU_SAMPLES, CPU_TIME, IS_CUT, NOWHERE, SITES_KIND, WAITED
from parsers.formats.hprof.data.names import decode, method_label
from parsers.formats.hprof.profiles.trace_uses import MILLIS, TraceUses
from parsers.model.late import numpy as np
from parsers.model.none import NONE
from parsers.model.row import Badge, Column, Link, Section, SectionRow
from parsers.model.view import Shape
from parsers.profile.method_name import short_method
from parsers.views.list_view import LazyRows, ListRow, ListView

if TYPE_CHECKING:
    from parsers.formats.hprof.report import HprofReport

SAMPLES = Column("samples", "Samples", width=9, priority=6, adds_up=True)
TIME = Column("time_ms", "Time", "ms", width=11, priority=6, adds_up=True)
LIVE = Column("live", "Live", "bytes", width=11, priority=5, adds_up=True)
TRACES = Column("traces", "Traces", width=8, priority=3, adds_up=True)
WAITS = Column("waits", "Waits", width=8, priority=2, adds_up=True)
WAITED_MS = Column("waited_ms", "Waited", "ms", width=10, priority=1, adds_up=True)
STARTED = Column("started", "From", "percent", width=8, priority=4)
ENDED = Column("ended", "To", "percent", width=8, priority=4)
ID = Column("thread", "Id", width=8)

TOPS = 8
"""Maximum methods that the side pane names."""

UNITS = {"samples": "samples", "time_ms": "ms", "live": "bytes"}
"""Units by name of a number."""

PROFILES = {"samples": "CPU samples", "time_ms": "CPU time", "live": "Allocation sites"}
"""Views with the traces of a thread, by name of a number."""

TITLES = {"samples": "samples", "time_ms": "time", "live": "live bytes"}


class HprofThreadsView(ListView):
    """A row for each start of a thread, and for each thread that ended without one: those are the agent's own."""

    name = "Threads"
    description = "Threads: start, end, numbers"
    shape: Shape = "table"
    orders: tuple[str, ...] = (
        "samples",
        "time_ms",
        "live",
        "traces",
        "waits",
        "waited_ms",
        "started",
        "ended",
        "thread",
        "name",
    )

    def __init__(self, report: HprofReport) -> None:
        super().__init__()
        self._report = report
        self._has_threads = False
        """True if traces name their threads."""

    @property
    def columns(self) -> tuple[Column, ...]:
        """Numbers of the tables in the file; start and end of a thread, as offsets: records have no other clock."""
        there, has_waits = self._report.sections_there, bool(self._report.recording.rows("wait"))
        wanted = ((SAMPLES, CPU_SAMPLES), (TIME, CPU_TIME), (LIVE, SITES_KIND))
        numbers = [column for column, kind in wanted if kind in there]
        return (*numbers, TRACES, *((WAITS, WAITED_MS) if has_waits else ()), STARTED, ENDED, ID)

    @property
    def state(self) -> Hashable:
        """A value that changes with the rows: numbers of threads and traces."""
        recording = self._report.recording
        return recording.rows("thread"), recording.rows("trace"), recording.rows("wait")

    @property
    def is_complete(self) -> bool:
        """True if all are known."""
        return self._report.is_complete

    def make(self) -> Sequence[ListRow]:
        """Returns the rows of all threads."""
        recording = self._report.recording
        column = recording.column
        traces, waits, times = self._counts()
        weights = self._weights()
        size = max(self._report.size, 1)
        has_threads = self._has_threads = any(thread != NONE for thread in column("trace_thread"))
        last = {id: row for row, id in enumerate(column("thread_id"))}
        columns = [column(f"thread_{name}") for name in ("id", "start", "end", "name", "flags")]

        def entry(row: int, depth: int) -> ListRow:
            id, start, end, word, flags = (each[row] for each in columns)
            name = decode(recording.word(word))
            badges: dict[str, Badge] = {"thread": id}
            is_last = last[id] == row
            if has_threads and is_last:
                badges |= {"traces": traces[id], **{name: sums.get(id, 0) for name, sums in weights.items()}}
            badges |= {
                name: round(100 * at / size, 1) for name, at in (("started", start), ("ended", end)) if at != NOWHERE
            }
            if waits and is_last:
                badges |= {"waits": waits[id], "waited_ms": times[id]}
            offset = start if start != NOWHERE else end
            unnamed = f"thread {id}" if start != NOWHERE else f"thread {id}: the agent's own, its start was not printed"
            return ListRow(
                "thread",
                name or unnamed,
                depth,
                badges=badges,
                ref=f"thread:{id}" if is_last else "",
                offset=offset,
                flags=("truncated",) if flags & IS_CUT else (),
                key=("thread", id),
                links=self._profile_links(id, weights) if is_last else (),
            )

        rows = len(columns[0])
        return LazyRows(range(rows), [0] * rows, entry)

    def _profile_links(self, id: int, weights: Mapping[str, Mapping[int, int | float]]) -> tuple[Link, ...]:
        """Returns links to the profiles of a thread that have rows."""
        return tuple(
            Link(f"its {view}", f"profile:{id}", view)
            for name, view in PROFILES.items()
            if weights.get(name, {}).get(id)
        )

    @cached_property
    def _uses(self) -> TraceUses:
        """Weights of traces, of a complete profile."""
        return TraceUses(self._report.recording)

    def _weights(self) -> dict[str, dict[int, int | float]]:
        """Returns by name of a badge, by thread, the sums over its traces."""
        if not self.is_complete:
            return {}
        owners, place = np.unique(np.asarray(self._report.recording.column("trace_thread")), return_inverse=True)
        found: dict[str, dict[int, int | float]] = {}
        for name, kind, weights in self._tables():
            if kind not in self._report.sections_there:
                continue
            sums = np.zeros(len(owners), np.int64)
            np.add.at(sums, place, np.asarray(weights()))
            values = [round(each / MILLIS, 2) for each in sums.tolist()] if name == "time_ms" else sums.tolist()
            found[name] = dict(zip(owners.tolist(), values, strict=True))
        return found

    def _tables(self) -> tuple[tuple[str, int, Callable[[], memoryview]], ...]:
        """Returns badges, their kinds of sections, and their numbers by trace."""
        uses = self._uses
        return (
            ("samples", CPU_SAMPLES, lambda: uses.samples),
            ("time_ms", CPU_TIME, lambda: uses.time),
            ("live", SITES_KIND, lambda: uses.live),
        )

    def sections(self, node: int) -> Sequence[Section]:
        """Returns sections: the thread, and its most frequent methods."""
        return [self._facts(node), *self._note(), *self._tops(self.entries[node])]

    def _tops(self, entry: ListRow) -> list[Section]:
        """Returns the top methods of the thread's traces, by weight."""
        if not self.is_complete or "traces" not in entry.badges:
            return []
        column, stack = self._report.recording.column, self._report.recording.stack
        mine = [trace for trace, owner in enumerate(column("trace_thread")) if owner == entry.badges["thread"]]
        found = []
        for name, kind, weights in self._tables():
            if kind not in self._report.sections_there or not mine:
                continue
            sums: Counter[int] = Counter()
            heaviest: dict[int, int] = {}
            by_trace = weights()
            for trace in mine:
                frames = stack(trace)
                if by_trace[trace] and len(frames):
                    method = column("frame_method")[frames[0]]
                    sums[method] += by_trace[trace]
                    if method not in heaviest or by_trace[trace] > by_trace[heaviest[method]]:
                        heaviest[method] = trace
            rows = [self._top(method, weight, name, heaviest[method]) for method, weight in sums.most_common(TOPS)]
            found.append(Section(f"On top in this thread, by {TITLES[name]}", tuple(rows), max(len(sums) - TOPS, 0)))
        return [section for section in found if section.rows]

    def _top(self, method: int, weight: int, name: str, trace: int) -> SectionRow:
        """Returns a method and its weight, as a link to the heaviest of its traces in this thread."""
        label = method_label(self._report.recording.method(method))
        number = f"{weight / MILLIS:,.1f}" if name == "time_ms" else f"{weight:,}"
        ref = self._report.recording.trace_ref(trace)
        return SectionRow(short_method(label), f"{number} {UNITS[name]}", ref, "Traces")

    def _counts(self) -> tuple[Counter[int], Counter[int], Counter[int]]:
        """Returns by thread: traces, waits, milliseconds waited."""
        recording = self._report.recording
        column = recording.column
        waits: Counter[int] = Counter()
        times: Counter[int] = Counter()
        for kind, thread, millis in zip(column("wait_kind"), column("wait_thread"), column("wait_millis"), strict=True):
            if kind == WAITED:
                waits[thread] += 1
                times[thread] += millis
        return Counter(column("trace_thread")), waits, times

    def _facts(self, row: int) -> Section:
        recording = self._report.recording
        column = recording.column
        start, end = column("thread_start")[row], column("thread_end")[row]
        group = column("thread_group")[row]
        object = column("thread_object")[row]
        facts = [
            SectionRow("id", str(column("thread_id")[row])),
            SectionRow("group", decode(recording.word(group)) if group != NONE else "unknown"),
            SectionRow("object", f"0x{object:x}" if object != NOWHERE else "unknown"),
            SectionRow("started", self._where(start) if start != NOWHERE else "not printed"),
            SectionRow("ended", self._where(end) if end != NOWHERE else "no: it ran to the end"),
        ]
        return Section("Thread", tuple(facts))

    def _where(self, offset: int) -> str:
        """Returns an offset as a percentage of the file: the order of records is the only clock of a profile."""
        report = self._report
        share = 100 * offset / max(report.size, 1)
        line = report.recording.line(offset) if report.is_complete else None
        return f"{share:.1f} % into the file" if line is None else f"line {line:,}, {share:.1f} % into the file"

    def _note(self) -> tuple[Section, ...]:
        if self._has_threads:
            return ()
        text = "the traces of this profile don't name their threads (thread=y does), so no samples are known by thread"
        return (Section("Samples", (SectionRow("", text),)),)
