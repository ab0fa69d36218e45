"""Builds the index of a log."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from parsers.formats.hotspot.decisions.build import DecisionCounts, count_decisions
from parsers.formats.hotspot.decisions.tasks import texts_of
from parsers.formats.hotspot.kernels import KERNELS
from parsers.formats.hotspot.log.columns import COLUMNS, IN_FRAGMENT, TEXTS
from parsers.formats.hotspot.log.join import join
from parsers.formats.hotspot.log.read.plain_log import BLOCK, PlainLog
from parsers.formats.hotspot.log.read.strict_xml import MOST, strictly
from parsers.formats.hotspot.log.stray import find_strays
from parsers.formats.hotspot.log.virtual_machine import release_of
from parsers.formats.hotspot.totals import Totals
from parsers.index.build import ChangedReport, FileBuild
from parsers.index.texts import append_texts, arrays_from
from parsers.model.none import NONE

if TYPE_CHECKING:
    from parsers.formats.hotspot.log.part import LogFile
    from parsers.index.store import Header
    from parsers.index.writer import Writer
    from parsers.model.arrays import AnyArray, U32Array

PUBLISHED = {**COLUMNS, **TEXTS}
"""Arrays that readers may map while the index grows."""
JOINED = {"parts": "u1", "lines": "u4"}
"""Arrays that exist when pass 1 is done: `LogFile.fields` as JSON, line ends before each block."""


class LogBuild(FileBuild):
    """The build of the index of one run: pass 1 makes columns of tasks and events, pass 2 reads the tasks' contents."""

    groups = (KERNELS,)

    def with_plain(self) -> Header:
        """Builds by plain code."""
        writer = self.writer()
        log, written = PlainLog(), PlainWriter(writer)
        for number, (source, base) in enumerate(self.source.parts):
            log.begin(source.size)
            for start in range(0, source.size, BLOCK):
                stop = min(start + BLOCK, source.size)
                log.feed(self.reader(number), start, stop, source.size)
                lengths = written.publish(log)
                self.publish(base + stop, rows_of(lengths), writer, lengths, PUBLISHED)
            log.end()
        join(lambda name: np.frombuffer(log.columns[name], COLUMNS[name]), log.words.texts)
        lengths = written.publish(log, is_joined=True)
        return self._finish(writer, lengths, log.parts, np.frombuffer(log.lines, np.uint32))

    def with_kernels(self) -> Header:
        """Builds by kernels."""
        from parsers.formats.hotspot.log.read.kernel_log import KernelLog

        writer = self.writer()
        log = KernelLog(writer, self.descriptors, [source.size for source in self.source.sources])
        log.read(lambda done, lengths: self.publish(done, rows_of(lengths), writer, lengths, PUBLISHED))
        join(log.column, log.words())
        lengths, parts, lines = log.lengths(), log.parts, log.line_counts()
        del log  # Frees the memory of its tables for those of pass 2.
        return self._finish(writer, lengths, parts, lines)

    def _finish(self, writer: Writer, lengths: dict[str, int], parts: list[LogFile], lines: U32Array) -> Header:
        """Publishes pass 1, then runs pass 2."""
        strays = self._find_strays(writer, lengths, parts)
        fields = json.dumps([part.fields() for part in parts]).encode()
        writer.save("parts", np.frombuffer(fields, np.uint8))
        writer.save("lines", lines)
        lengths |= {"parts": len(fields), "lines": len(lines)}
        known, types = dict(lengths), PUBLISHED | JOINED
        tenths = 0  # Of the tasks whose contents are read.
        rows, reporting = rows_of(lengths), threading.Lock()  # One thread reads tasks, another merges tables.

        def publish() -> None:
            share = f", {10 * tenths} %" if tenths else ""
            self.publish(self.size, rows, writer, known, types, f"reading the contents of tasks{share}")

        def report_tasks(tasks: int) -> None:
            nonlocal tenths
            share = tasks * 10 // max(lengths["task_id"], 1)
            with reporting:
                if share > tenths:
                    tenths = share
                    publish()

        def report_tables(new: Mapping[str, int], types_of_new: Mapping[str, str]) -> None:
            nonlocal known, types
            with reporting:
                known, types = lengths | dict(new), PUBLISHED | JOINED | dict(types_of_new)
                publish()

        publish()
        decision_counts = count_decisions(
            writer, lengths, parts, self._read_into, self.uses_kernels, report_tasks, report_tables
        )
        self.check_unchanged()
        totals, facts = self._totals(writer, lengths, parts, decision_counts, strays)
        return self.finish(writer, rows, totals, facts)

    def _totals(
        self,
        writer: Writer,
        lengths: dict[str, int],
        parts: list[LogFile],
        decision_counts: Mapping[tuple[int, int], DecisionCounts],
        strays: Mapping[int, DecisionCounts],
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Returns the counts of the run, and those of each file and of each JVM as facts.

        decision_counts  counts of tasks, by file and JVM; strays: counts of elements outside of tasks, by file
        """
        starts, blob = (writer.column(name, lengths[name]) for name in ("word_starts", "word_bytes"))
        words = texts_of(starts, blob, 0, len(starts) - 1)
        columns = {name: writer.column(name, lengths[name]) for name in COLUMNS}
        totals = Totals(columns.__getitem__, words)
        by_file = [
            DecisionCounts.sum(
                [
                    *(counts for (number, _), counts in decision_counts.items() if number == file),
                    *([strays[file]] if file in strays else []),
                ]
            )
            for file in range(len(parts))
        ]
        releases = [release_of(source.head) for source in self.source.sources]
        files: list[dict[str, Any]] = []
        for part, following, task_counts, release in zip(parts, [*parts[1:], None], by_file, releases, strict=True):
            of_file = totals.of_files([part], following, task_counts, release)
            middle = middle_task(columns, part)
            has_kernels = part.size > MOST and self.uses_kernels
            files.append(of_file | strictly(self.reader(len(files)), part.size, has_kernels, middle))
        release = next((release for release in releases if release is not None), None)
        of_run = totals.of_files(parts, None, DecisionCounts.sum(by_file), release) if len(parts) > 1 else files[0]
        processes = [process for part in parts for _, process, _ in part.headers]
        by_run = {
            run: DecisionCounts.sum(counts for (_, other), counts in decision_counts.items() if other == run)
            for run in {run for _, run in decision_counts}
        }
        return of_run, {"files": files, "runs": totals.runs(processes, by_run)}

    def _find_strays(self, writer: Writer, lengths: dict[str, int], parts: list[LogFile]) -> dict[int, DecisionCounts]:
        """Counts elements outside of tasks that should be in one, by file; records their ranges in the parts."""
        names = ("task_start", "task_end", "task_flags", "thread_process")
        columns = {name: writer.column(name, lengths[name]) for name in names}
        processes = len(set(columns["thread_process"].tolist()) - {NONE})
        found = {}
        for file, (part, following) in enumerate(zip(parts, [*parts[1:], None], strict=True)):
            task_counts = find_strays(columns, part, following, processes, self.reader(file), self.uses_kernels)
            if task_counts is not None:
                found[file] = task_counts
        return found

    def _read_into(self, buffer: memoryview, place: int) -> None:
        """Fills a buffer from a run offset on."""
        while len(buffer):
            number, offset = self.source.place(place)
            done = os.preadv(self.descriptors[number], [buffer], offset)
            if not done:
                raise ChangedReport
            buffer = buffer[done:]
            place += done


def rows_of(lengths: Mapping[str, int]) -> int:
    """Returns the number of tasks and events."""
    return lengths["task_id"] + lengths["event_id"]


def middle_task(columns: Mapping[str, AnyArray], part: LogFile) -> int:
    """Returns the offset of a task in the middle of a file, outside of fragments; 0 if there is none."""
    place = int(np.searchsorted(columns["task_start"], part.base + part.size // 2))
    for task in range(place, min(place + 100, len(columns["task_start"]))):
        start = int(columns["task_start"][task]) - part.base
        if start >= part.size:
            break
        if not columns["task_flags"][task] & IN_FRAGMENT:
            return start
    return 0


class PlainWriter:
    """Writes the columns of a `PlainLog` as they grow, except for rows that may still change."""

    def __init__(self, writer: Writer) -> None:
        self._arrays = {name: writer.grow(name, type) for name, type in PUBLISHED.items()}

    def publish(self, log: PlainLog, is_joined: bool = False) -> dict[str, int]:
        """Writes what is new, or all columns once they are joined; returns the lengths of all arrays."""
        open_rows = dict(zip(("task", "event"), log.open_rows, strict=True))
        for name, column in log.columns.items():
            stop = open_rows.get(name.partition("_")[0], -1)
            # Numbers of events by writer may have changed.
            first = 0 if is_joined or name == "writer_events" else self._arrays[name].length
            new = np.frombuffer(column, column.typecode)[first : stop if stop >= 0 else None]
            self._arrays[name].end_with(first, new)
        for table, texts in (("method", log.methods.texts), ("word", log.words.texts)):
            append_texts(self._arrays, table, partial(arrays_from, texts))
        return {name: growing.length for name, growing in self._arrays.items()}
