"""Builds the index of a profile: small ones by plain code, large ones by kernels."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from parsers.formats.hprof.columns import COLUMNS, LINES, PUBLISHED, TEXT_TABLES
from parsers.formats.hprof.kernels import TEXT
from parsers.formats.hprof.recording import Recording
from parsers.formats.hprof.summary import facts_of
from parsers.formats.hprof.tables import Tables
from parsers.formats.hprof.text.plain_published import PlainPublished
from parsers.formats.hprof.text.plain_text import BLOCK, PlainText
from parsers.formats.hprof.totals import LISTED_SECTIONS, runs_of, sections_of, totals_of
from parsers.heapdump.graph.columns import PACKED, REFERRERS
from parsers.heapdump.kernels import KERNELS
from parsers.heapdump.tables.array_header import layout_facts
from parsers.heapdump.tables.heap_tables import save_tables
from parsers.index.bitpacked.writing import save_packed
from parsers.index.builders import AGAIN, SMALL, ChangedReport
from parsers.index.store import BUILDING, Header
from parsers.index.text_save import save_texts
from parsers.index.writer import Writer
from parsers.io.background_task import BackgroundTask
from parsers.kernels.groups import KernelGroup, Kernels

if TYPE_CHECKING:
    from parsers.formats.hprof.text.kernel_tables import KernelTables
    from parsers.index.builders import Tell
    from parsers.io.group import SourceGroup


KNOWN = f"{BUILDING}-known"
"""Folder that plain code publishes to."""


class ProfileBuild:
    """Builder of the index of one profile."""

    groups: tuple[KernelGroup, ...] = (TEXT, KERNELS)
    """The required kernels."""

    def __init__(self, source: SourceGroup, folder: str, format: str, tell: Tell, kernels: str) -> None:
        """
        folder   the index folder, which exists and is locked by the caller
        tell     receives progress: state, bytes done and total, rows, seconds, and where readers may look
        kernels  parent folder of those of compiled kernels
        """
        self._source = source.sources[0]
        self._folder = folder
        self._format = format
        self._tell = tell
        self._kernels = Kernels(kernels, *self.groups)
        self._started = time.perf_counter()
        self._descriptor = -1
        self._before: os.stat_result
        self._told = 0
        """Number of rows in the last report."""
        self._telling = threading.Lock()
        self._writers: list[Writer] = []

    def run(self) -> Header:
        """Builds the index. Raises `ChangedReport`, and `OSError` if the disk is full."""
        self._descriptor = os.open(self._source.plain_path, os.O_RDONLY | os.O_CLOEXEC)
        self._before = os.fstat(self._descriptor)
        size = self._source.size
        try:
            if size > SMALL and self._kernels.are_there:
                return self._with_kernels(BUILDING)
            if size > SMALL:
                self._kernels.compile_beside()
            header = self._with_plain()
            return header if header is not None else self._with_kernels(AGAIN)
        finally:
            os.close(self._descriptor)

    def abandon(self) -> None:
        """Removes all files written."""
        for writer in self._writers:
            writer.abandon()

    def _with_plain(self) -> Header | None:
        """Builds by plain code. Returns None if the kernels were ready first."""
        size = self._source.size
        writer = Writer(self._folder, self._format, self._source.identity)
        self._writers.append(writer)
        text = PlainText(Tables())
        published = PlainPublished(self._known_writer(), text.tables) if size > SMALL else None
        at = 0
        while at < size:
            at = text.feed(self._read, at, min(at + BLOCK, size), size)
            rows = text.tables.length("trace") + text.tables.length("object")
            if published is not None:
                self._publish(at, rows, published.path, published.publish())
            if self._kernels.have_come:
                return None
        text.count_lines(self._read, size)
        text.end(size)
        recording = Recording(self._source, path=self._source.path)
        recording.take_plain(text.tables, facts_of(text), text.lines)
        self._save_plain(writer, recording)
        return self._finish(writer, recording)

    def _known_writer(self) -> Writer:
        writer = Writer(self._folder, self._format, self._source.identity, KNOWN)
        self._writers.insert(0, writer)
        return writer

    @staticmethod
    def _save_plain(writer: Writer, recording: Recording) -> None:
        """Writes all tables of plain code."""
        for name, type in {**COLUMNS, **LINES}.items():
            if name in PACKED:
                save_packed(writer, name, PACKED[name], np.asarray(recording.packed(name)))
            else:
                writer.save(name, np.asarray(recording.column(name)).astype(np.dtype(type), copy=False))
        for table in TEXT_TABLES:
            save_texts(writer, table, recording.texts(table))

    def _with_kernels(self, name: str) -> Header:
        """Builds by kernels, in a folder of that name."""
        from parsers.formats.hprof.text.build import ChangedFile, KernelText
        from parsers.formats.hprof.text.warm import warm_profile_text

        warm_profile_text(self._folder)
        if name == BUILDING:
            # Progress reports the time that reading takes; loading the reader is part of the start.
            self._started = time.perf_counter()
        writer = Writer(self._folder, self._format, self._source.identity, name)
        self._writers.append(writer)
        reading = KernelText(writer, self._descriptor, self._source.size)
        try:
            reading.read(lambda done, rows, lengths: self._publish(done, rows, writer.path, lengths))
        except ChangedFile as error:
            raise ChangedReport from error
        tables = reading.tables
        writer.save("lines", np.frombuffer(reading.text.lines, np.uint32))
        recording = Recording(self._source, path=self._source.path)
        columns = {name: memoryview(tables.column(name)) for name in COLUMNS if name not in {*REFERRERS, *PACKED}}
        packed = {name: tables.column(name) for name in COLUMNS if name in PACKED and name not in REFERRERS}
        words = {table: tables.texts_of(table) for table in TEXT_TABLES}
        recording.take_arrays(columns, packed, words, facts_of(reading.text))
        return self._finish(writer, recording, tables)

    def _finish(self, writer: Writer, recording: Recording, tables: KernelTables | None = None) -> Header:
        """Adds counts and the tables of heap views, which completes the index.

        tables  those of kernels, which are not yet written
        """
        after = os.fstat(self._descriptor)
        if after.st_size <= self._before.st_size and after.st_mtime_ns != self._before.st_mtime_ns:
            raise ChangedReport
        listed, runs = sections_of(recording, LISTED_SECTIONS), runs_of(recording, LISTED_SECTIONS)
        facts = {**recording.facts, "sections": listed, "section_count": recording.rows("section"), "runs": runs}
        if recording.rows("object"):
            facts["layout"] = layout_facts(recording)
            recording.facts = facts
        rows = recording.rows("trace") + recording.rows("object")
        problems = sum(recording.facts["finding_counts"])
        totals = totals_of(recording)
        if tables is None:
            save_tables(writer, recording)
        else:
            saving = BackgroundTask(tables.save)
            save_tables(writer, recording, lambda: (tables.column("referrer_first"), tables.column("referrer")))
            saving.result()
        seconds = time.perf_counter() - self._started
        header = writer.finish(self._source.size, rows, totals, facts, (), problems, seconds)
        for other in self._writers[:-1]:
            other.abandon()
        return header

    def _read(self, count: int, offset: int) -> bytes:
        data = os.pread(self._descriptor, count, offset)
        if len(data) < count:
            raise ChangedReport
        return data

    def _publish(self, done: int, rows: int, folder: str, lengths: Mapping[str, int]) -> None:
        """Reports how far reading is and where readers may look; skips reports with fewer rows than the last."""
        with self._telling:
            if rows < self._told:
                return
            self._told = rows
            self._tell(
                {
                    "state": "indexing",
                    "done": done,
                    "total": self._source.size,
                    "rows": rows,
                    "seconds": round(time.perf_counter() - self._started, 4),
                    "folder": folder,
                    "lengths": lengths,
                    "types": {name: PUBLISHED[name] for name in lengths},
                }
            )
