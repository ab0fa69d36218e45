"""The view "Threads": how long each lived, which traces, samples and waits were its own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING

from parsers.hprof.columns import CPU_SAMPLES, IS_CUT, NONE, NOWHERE, WAITED
from parsers.hprof.names import decode
from parsers.listed_view import Entry, ListedView
from parsers.report import Badge, Column, Section, SectionRow, Shape

if TYPE_CHECKING:
    from parsers.hprof.report import HprofReport

SAMPLES = Column("samples", "Samples", badges=(("samples", ""),), width=9, priority=4, adds_up=True)
TRACES = Column("traces", "Traces", badges=(("traces", ""),), width=8, priority=3, adds_up=True)
WAITS = Column("waits", "Waits", badges=(("waits", ""),), width=8, priority=2, adds_up=True)
WAITED_MS = Column("waited_ms", "Waited", "ms", badges=(("waited_ms", ""),), width=10, priority=1, adds_up=True)
ID = Column("thread", "Id", badges=(("thread", ""),), width=7)


class ThreadsView(ListedView):
    """A row for each start of a thread, and for each that ended without one: those are the agent's own."""

    name = "Threads"
    shape: Shape = "table"
    columns: tuple[Column, ...] = (SAMPLES, TRACES, WAITS, WAITED_MS, ID)
    orders: tuple[str, ...] = ("samples", "traces", "waits", "waited_ms", "thread", "name")

    def __init__(self, report: HprofReport) -> None:
        super().__init__()
        self._report = report

    @property
    def state(self) -> Hashable:
        """More threads or traces are more rows and numbers."""
        recording = self._report.recording
        return recording.rows("thread"), recording.rows("trace"), recording.rows("wait")

    @property
    def is_complete(self) -> bool:
        """Whether all are known."""
        return self._report.is_complete

    def make(self) -> Sequence[Entry]:
        """All threads."""
        recording = self._report.recording
        column = recording.column
        traces, samples, waits, times = self._counts()
        has_threads = any(thread != NONE for thread in column("trace_thread"))
        last = {id: row for row, id in enumerate(column("thread_id"))}
        entries = []
        for row, id in enumerate(column("thread_id")):
            start, end = column("thread_start")[row], column("thread_end")[row]
            name = decode(recording.word(column("thread_name")[row]))
            badges: dict[str, Badge] = {"thread": id}
            is_last = last[id] == row
            if has_threads and is_last:
                badges |= {"samples": samples[id], "traces": traces[id]}
            if waits and is_last:
                badges |= {"waits": waits[id], "waited_ms": times[id]}
            offset = start if start != NOWHERE else end
            entries.append(
                Entry(
                    "thread",
                    name
                    or (
                        f"thread {id}"
                        if start != NOWHERE
                        else f"thread {id}: the agent's own, its start was not printed"
                    ),
                    badges=badges,
                    ref=f"thread:{id}" if is_last else "",
                    offset=offset,
                    flags=("truncated",) if column("thread_flags")[row] & IS_CUT else (),
                    sections=(self._facts(row, start, end), *self._note(has_threads)),
                    key=("thread", id),
                )
            )
        return entries

    def _counts(self) -> tuple[Counter[int], Counter[int], Counter[int], Counter[int]]:
        """By thread: traces, samples, waits, milliseconds waited."""
        recording = self._report.recording
        column = recording.column
        owners = column("trace_thread")
        samples: Counter[int] = Counter()
        if self.is_complete:
            for section in recording.sections(CPU_SAMPLES):
                for row in recording.section_range(section):
                    samples[owners[column("rank_trace")[row]]] += column("rank_count")[row]
        waits: Counter[int] = Counter()
        times: Counter[int] = Counter()
        for kind, thread, millis in zip(column("wait_kind"), column("wait_thread"), column("wait_millis"), strict=True):
            if kind == WAITED:
                waits[thread] += 1
                times[thread] += millis
        return Counter(owners), samples, waits, times

    def _facts(self, row: int, start: int, end: int) -> Section:
        recording = self._report.recording
        column = recording.column
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
        """The only clock of a profile is the order of its records."""
        report = self._report
        share = 100 * offset / max(report.size, 1)
        line = report.recording.line(offset) if report.is_complete else None
        return f"{share:.1f} % into the file" if line is None else f"line {line:,}, {share:.1f} % into the file"

    def _note(self, has_threads: bool) -> tuple[Section, ...]:
        if has_threads:
            return ()
        text = "the traces of this profile don't name their threads (thread=y does), so nothing can be told by thread"
        return (Section("Samples", (SectionRow("", text),)),)
