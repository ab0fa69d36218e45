"""Builds the index of a recording: small ones by plain code, large ones by kernels."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from parsers.formats.tptp.calls.build import save_calls
from parsers.formats.tptp.heap.build import save_heap
from parsers.formats.tptp.join.plain.tables import PlainJoin
from parsers.formats.tptp.join.published import Published
from parsers.formats.tptp.kernels import KERNELS
from parsers.formats.tptp.objects.class_sums import save_classes
from parsers.formats.tptp.read.blocks import BLOCK, PlainReader
from parsers.formats.tptp.read.parts import parts_of
from parsers.formats.tptp.schema.columns import COLUMNS, PACKED, PASSING
from parsers.formats.tptp.schema.vocabulary import vocabulary
from parsers.formats.tptp.store.recording import Recording
from parsers.formats.tptp.totals import file_totals, runs_of, sessions_of
from parsers.index.bitpacked.writing import save_packed
from parsers.index.builders import AGAIN, ChangedReport
from parsers.index.scratch import Rooms
from parsers.index.store import BUILDING
from parsers.index.text_save import save_texts
from parsers.index.writer import Writer
from parsers.io.background_task import BackgroundTask
from parsers.io.plain import PlainFile
from parsers.kernels.groups import Kernels

if TYPE_CHECKING:
    from parsers.formats.tptp.schema.batch import EventBatch
    from parsers.index.builders import Tell
    from parsers.index.store import Header
    from parsers.io.group import SourceGroup

SMALL = 2 << 20
"""Largest recording in bytes that plain code reads; it takes half a second."""
KNOWN = f"{BUILDING}-known"
"""Folder of the tables published while a recording is read."""
NEWS = 0.1
"""Minimum seconds between two progress reports."""
MEMORY = 96 << 20
"""Bytes of tables kept in memory while calls and heap dumps are computed; further ones are in files."""
REST = 10
"""Minimum pause between two progress reports, as a multiple of the time that writing one took."""


class TraceBuild:
    """Builder of the index of one recording."""

    def __init__(self, source: SourceGroup, folder: str, format: str, tell: Tell, kernels: str) -> None:
        """folder   the index folder, which exists and is locked by the caller
        tell     receives progress: state, bytes done and total, rows, seconds, and where readers may look
        kernels  parent folder of those of compiled kernels
        """
        self._source = source.sources[0]
        self._folder = folder
        self._format = format
        self._tell = tell
        self._started = time.perf_counter()
        self._names = vocabulary()
        self._descriptor = -1
        self._before: os.stat_result
        self._writers: list[Writer] = []
        self._kernels = Kernels(kernels, KERNELS)
        self._next_news = 0.0

    def run(self) -> Header:
        """Builds the index. Raises `ChangedReport`, and `OSError` if the disk is full."""
        self._descriptor = os.open(self._source.plain_path, os.O_RDONLY | os.O_CLOEXEC)
        self._before = os.fstat(self._descriptor)
        is_large = self._source.size > SMALL
        try:
            if is_large and self._kernels.are_there:
                return self._with_kernels(BUILDING)
            if is_large:
                self._kernels.compile_beside()
            header = self._with_plain(is_large)
            return header if header is not None else self._with_kernels(AGAIN)
        finally:
            os.close(self._descriptor)

    def abandon(self) -> None:
        """Removes all files written."""
        for writer in self._writers:
            writer.abandon()

    def _writer(self, name: str) -> Writer:
        writer = Writer(self._folder, self._format, self._source.identity, name)
        self._writers.append(writer)
        return writer

    def _with_plain(self, is_large: bool) -> Header | None:
        """Builds by plain code. Returns None if the kernels for a large recording were ready first."""
        join = PlainJoin(self._names)
        tables = join.tables
        news = self._news(lambda name: np.asarray(tables.columns[name]), tables.words.texts) if is_large else None
        for batch in PlainReader(self._read, parts_of(self._source), self._names, BLOCK).batches():
            join.take(batch)
            self._say(batch.done, join.elements, news)
            if self._kernels.have_come:
                return None
        join.end()
        recording = Recording(self._source)
        recording.take_plain(tables, join.facts())
        writer = self._writer(BUILDING)
        for name, type in COLUMNS.items():
            if name in PASSING:
                continue
            column = np.asarray(recording.column(name))
            if name in PACKED:
                save_packed(writer, name, PACKED[name], column)
            else:
                writer.save(name, column.astype(np.dtype(type), copy=False))
        save_texts(writer, "word", recording.words)
        return self._finish(writer, recording)

    def _with_kernels(self, name: str) -> Header:
        """Builds by kernels, in a folder of that name."""
        from parsers.formats.tptp.join.kernel_join import KernelJoin
        from parsers.formats.tptp.read.kernel_reader import ChangedRecording, KernelReader
        from parsers.formats.tptp.read.warm import warm_trace

        warm_trace(self._folder)
        if name == BUILDING:
            # Progress reports the time that reading takes; loading the reader is part of the start.
            self._started = time.perf_counter()
        writer = self._writer(name)
        join = KernelJoin(writer, self._names)
        news = self._news(join.tables.column, join.tables.words.texts)

        def take(batch: EventBatch) -> None:
            join.take(batch)
            self._say(batch.done, join.elements, news)

        try:
            KernelReader(PlainFile(self._descriptor), parts_of(self._source), self._names).read(take)
        except ChangedRecording as error:
            raise ChangedReport from error
        join.end()
        recording = Recording(self._source)
        recording.take_arrays(join.columns(), join.tables.words.texts, join.facts())
        saving = BackgroundTask(join.save)
        header = self._finish(writer, recording, saving.result)
        return header

    def _news(self, column: Callable[[str], Any], words: Sequence[bytes]) -> Published:
        """Returns the tables that readers may use during the build, in a folder of their own."""
        return Published(self._writer(KNOWN if not self._writers else f"{KNOWN}-again"), column, words)

    def _finish(self, writer: Writer, recording: Recording, saved: Callable[[], object] | None = None) -> Header:
        """Adds counts and the tables of views, which completes the index. saved: waits until the tables are written"""
        after = os.fstat(self._descriptor)
        if after.st_size <= self._before.st_size and after.st_mtime_ns != self._before.st_mtime_ns:
            raise ChangedReport
        rooms = Rooms(lambda name, type, length: writer.room(f"room_{name}", type, length))
        rooms.most = MEMORY
        if recording.rows("call"):
            save_calls(writer, recording, rooms.make)
        heap = BackgroundTask(lambda: save_heap(writer, recording, rooms.make))
        save_classes(writer, recording)
        sessions = sessions_of(recording, heap.result)
        heap.result()
        facts = {**recording.facts, "runs": runs_of(recording, sessions)}
        rows = int(sum(session["elements_total"] for session in sessions))
        problems = sum(recording.facts["finding_counts"])
        if saved is not None:
            saved()
        seconds = time.perf_counter() - self._started
        header = writer.finish(self._source.size, rows, file_totals(recording, sessions), facts, (), problems, seconds)
        for other in self._writers:
            if other is not writer:
                other.abandon()
        return header

    def _read(self, count: int, offset: int) -> bytes:
        return os.pread(self._descriptor, count, offset)

    def _say(self, done: int, rows: int, news: Published | None) -> None:
        """Reports how far reading is, and from time to time where readers may look."""
        now = time.perf_counter() - self._started
        told = {"state": "indexing", "done": done, "total": self._source.size, "rows": rows, "seconds": round(now, 4)}
        if news is not None and rows and now >= self._next_news:
            lengths = news.publish()
            self._next_news = now + max(NEWS, REST * (time.perf_counter() - self._started - now))
            told |= {"folder": news.path, "lengths": lengths, "types": news.types}
        self._tell(told)
