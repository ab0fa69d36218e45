"""The view "Threads": the compiler threads with their work, and the other threads that wrote events."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING

from parsers.formats.hotspot.log.columns import EVENT_KINDS, IS_DAMAGED, IS_OK, EventKind
from parsers.formats.hotspot.tasks.rows.row import in_flight_rows
from parsers.model.late import numpy as np
from parsers.model.none import NONE
from parsers.model.row import Badge, Column, Section, SectionRow
from parsers.model.view import Shape
from parsers.views.list_view import LazyRows, ListRow, ListView

if TYPE_CHECKING:
    from parsers.formats.hotspot.report import HotSpotReport

TASKS = Column("tasks", "Tasks", badges=(("tasks", ""),), width=9, priority=3, adds_up=True)
COMPILE_TIME = Column("compile_ms", "Compile", "ms", badges=(("compile_ms", ""),), width=9, priority=2, adds_up=True)
CODE = Column("nmsize", "Code", "bytes", badges=(("nmsize", ""),), width=9, priority=1, adds_up=True)
EVENTS = Column("events", "Events", badges=(("events", ""),), width=9, priority=1, adds_up=True)


class CompilerThreadsView(ListView):
    """A row for each start of a compiler thread, then one for each other thread that wrote events."""

    name = "Threads"
    description = "Compiler threads with their tasks and time"
    shape: Shape = "table"
    columns: tuple[Column, ...] = (TASKS, COMPILE_TIME, CODE, EVENTS)
    orders: tuple[str, ...] = ("tasks", "compile_ms", "nmsize", "events", "name")

    def __init__(self, report: HotSpotReport) -> None:
        super().__init__()
        self._report = report
        self._good: Sequence[int] = ()
        """By compiler thread: number of its tasks with code."""

    @property
    def state(self) -> Hashable:
        """A value that changes with the rows: numbers of tasks and events."""
        log = self._report.log
        return log.tasks, log.events, log.threads

    @property
    def is_complete(self) -> bool:
        """True if all are known."""
        return self._report.log.is_complete

    def make(self) -> Sequence[ListRow]:
        """Returns the rows of all threads."""
        compilers, others, row = list(self._compilers()), *self._others()
        return LazyRows([*compilers, *others], [0] * (len(compilers) + len(others)), row)

    def _compilers(self) -> Iterator[ListRow]:
        log = self._report.log
        tasks, good, times, code = self._sums()
        self._good = good
        events = self._events()
        seen = set[int]()
        columns = (log.column(f"thread_{name}") for name in ("id", "name", "stamp", "process", "flags", "offset"))
        for thread, (id, word, stamp, process, flags, offset) in enumerate(zip(*columns, strict=True)):
            name = log.word(word).decode("utf-8", "replace")
            badges: dict[str, Badge] = {
                "tasks": tasks[thread],
                **log.in_flight_where("task_thread", thread),
                "compile_ms": times[thread],
                "nmsize": code[thread],
                "events": events.get(id, 0),
                "thread": id,
                "start_s": stamp / 1000 if stamp != NONE else None,
                "process": process if process != NONE else None,
            }
            # Several compiler threads may have the same number, one after the other.
            ref = f"thread:{id}" if id not in seen else ""
            seen.add(id)
            yield ListRow(
                "thread",
                name or f"thread {id}",
                badges=badges,
                ref=ref,
                flags=("damaged",) if flags & IS_DAMAGED else (),
                offset=offset,
                key=("thread", id, thread),
            )

    def _sums(self) -> tuple[list[int], ...]:
        """Returns by compiler thread its tasks, those with code, their time in milliseconds, bytes of their code."""
        log = self._report.log
        columns = (np.asarray(log.column(f"task_{name}")) for name in ("thread", "begun", "done", "code", "flags"))
        threads, begun, done, sizes, flags = (column.astype(np.int64) for column in columns)
        is_timed = (done != NONE) & (begun != NONE) & (done >= begun)
        is_known, sums = threads < log.threads, np.zeros((4, log.threads), np.int64)
        for sum, values in zip(
            sums, (1, flags & IS_OK != 0, np.where(is_timed, done - begun, 0), np.where(sizes != NONE, sizes, 0)),
            strict=True,
        ):  # fmt: skip
            np.add.at(sum, threads[is_known], values if isinstance(values, int) else values[is_known])
        return tuple(sums.tolist())

    def sections(self, node: int) -> Sequence[Section]:
        """Returns the facts of a thread."""
        entry = self.entries[node]
        if entry.kind != "thread":
            return entry.sections
        badges = entry.badges
        start, process, tasks = badges["start_s"], badges["process"], badges["tasks"]
        facts = (
            SectionRow("thread", str(badges["thread"])),
            SectionRow("process", str(process) if process is not None else "unknown"),
            SectionRow("started", f"{start:.3f} s" if start is not None else "unknown"),
            SectionRow("tasks", f"{tasks:,}, {self._good[node]:,} of them with code"),
            *in_flight_rows(badges),
        )
        return (Section("Compiler thread", facts),)

    def _events(self) -> dict[int, int]:
        log = self._report.log
        return dict(zip(log.column("writer_id"), log.column("writer_events"), strict=True))

    def _others(self) -> tuple[list[int], Callable[[int, int], ListRow]]:
        """Returns threads that wrote events and start no compiler thread, and a function that makes their rows.

        These are all, until the compiler logs are read.
        """
        log = self._report.log
        compilers, files = set(log.column("thread_id")), dict[int, str]()
        kinds, threads, reasons = (log.column(f"event_{name}") for name in ("kind", "thread", "reason"))
        wanted = int(EventKind.THREAD_LOGFILE)
        for event in [event for event, kind in enumerate(kinds) if kind == wanted]:
            if threads[event] != NONE:
                files.setdefault(threads[event], log.word(reasons[event]).decode("utf-8", "replace"))
        counts_of = cache(lambda: Counter(zip(threads, kinds, strict=True)))

        def row(writer: int, depth: int) -> ListRow:
            id = log.column("writer_id")[writer]
            counts = counts_of()
            found = sorted((name, counts[writer, kind]) for kind, name in enumerate(EVENT_KINDS))
            rows = [SectionRow(name, f"{count:,}") for name, count in found if count]
            file = files.get(writer)
            if file is not None:
                rows.insert(0, SectionRow("log file", file))
            return ListRow(
                "writer",
                f"thread {id}" + (f": compiler, {file}" if file is not None else ""),
                depth,
                badges={"events": log.column("writer_events")[writer], "thread": id},
                ref=f"thread:{id}",
                sections=(Section("Events", tuple(rows)),),
                key=("thread", id, -1),
            )

        return [writer for writer, id in enumerate(log.column("writer_id")) if id not in compilers], row
