"""Builds the index of a recording."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from parsers.formats.tptp.calls.build import save_calls
from parsers.formats.tptp.heap.build import save_heap
from parsers.formats.tptp.join.plain.tables import PlainJoin
from parsers.formats.tptp.join.published import Published
from parsers.formats.tptp.join.saving import save_array
from parsers.formats.tptp.kernels import KERNELS
from parsers.formats.tptp.objects.class_sums import save_classes
from parsers.formats.tptp.read.blocks import BLOCK, PlainReader
from parsers.formats.tptp.read.parts import parts_of
from parsers.formats.tptp.schema.columns import COLUMNS, PASSING
from parsers.formats.tptp.schema.vocabulary import vocabulary
from parsers.formats.tptp.store.recording import TraceRecording
from parsers.formats.tptp.summary.totals import file_totals, runs_of, sessions_of
from parsers.index.build import FileBuild
from parsers.index.scratch import TableMemory
from parsers.index.store import BUILDING
from parsers.index.texts import arrays_from, save_texts
from parsers.io.background_task import BackgroundTask
from parsers.io.plain import PlainFile

if TYPE_CHECKING:
    from parsers.formats.tptp.schema.batch import EventBatch
    from parsers.index.store import Header
    from parsers.index.writer import Writer

PUBLISHED_FOLDER = f"{BUILDING}-known"
"""Folder of the tables published while a recording is read."""
INTERVAL = 0.1
"""Minimum seconds between two progress reports."""
MEMORY = 96 << 20
"""Bytes of tables kept in memory while calls and heap dumps are computed; further ones are in files."""
REST = 10
"""Minimum pause between two progress reports, as a multiple of the time that writing one took."""


class TraceBuild(FileBuild):
    """Builder of the index of one recording."""

    groups = (KERNELS,)
    small = 2 << 20
    """It takes half a second."""
    _next_publication = 0.0
    """Seconds after the start."""

    def with_plain(self) -> Header:
        """Builds by plain code."""
        source, names = self.source.sources[0], vocabulary()
        join = PlainJoin(names)
        tables = join.tables
        known = None
        if self.is_large:
            words = partial(arrays_from, tables.words.texts)
            known = Published(self.writer(PUBLISHED_FOLDER), lambda name: np.asarray(tables.columns[name]), words)
        for batch in PlainReader(PlainFile(self.descriptors[0]).pread, parts_of(source), names, BLOCK).batches():
            join.take(batch)
            self._report(batch.done, join.elements, known)
        join.end()
        recording = TraceRecording(source)
        recording.take_plain(tables, join.facts())
        writer = self.writer()
        for name, type in COLUMNS.items():
            if name in PASSING:
                continue
            save_array(writer, name, np.asarray(recording.column(name)).astype(np.dtype(type), copy=False))
        save_texts(writer, "word", recording.words)
        return self._finish(writer, recording)

    def with_kernels(self) -> Header:
        """Builds by kernels."""
        from parsers.formats.tptp.join.kernel_join import KernelJoin
        from parsers.formats.tptp.read.kernel_reader import KernelReader

        source, names = self.source.sources[0], vocabulary()
        writer = self.writer()
        join = KernelJoin(writer, names)
        known = Published(self.writer(PUBLISHED_FOLDER), join.tables.column, join.tables.words.arrays)

        def take(batch: EventBatch) -> None:
            join.take(batch)
            self._report(batch.done, join.elements, known)

        KernelReader(PlainFile(self.descriptors[0]), parts_of(source), names).read(take)
        join.end()
        recording = TraceRecording(source)
        recording.take_arrays(join.columns(), join.tables.words.texts, join.facts())
        saving = BackgroundTask(join.save)
        return self._finish(writer, recording, saving.result)

    def _finish(self, writer: Writer, recording: TraceRecording, saved: Callable[[], object] | None = None) -> Header:
        """Adds counts and the tables of views, which completes the index. saved: waits until the tables are written"""
        self.check_unchanged()
        table_memory = TableMemory(lambda name, type, length: writer.scratch_array(f"room_{name}", type, length))
        table_memory.most = MEMORY
        if recording.rows("call"):
            save_calls(writer, recording, table_memory.make)
        heap = BackgroundTask(lambda: save_heap(writer, recording, table_memory.make))
        sessions = sessions_of(recording, save_classes(writer, recording), heap.result)
        heap.result()
        facts = {**recording.facts, "runs": runs_of(recording, sessions)}
        rows = int(sum(session["elements_total"] for session in sessions))
        problems = sum(recording.facts["finding_counts"])
        if saved is not None:
            saved()
        return self.finish(writer, rows, file_totals(recording, sessions), facts, (), problems)

    def _report(self, done: int, rows: int, known: Published | None) -> None:
        """Reports progress, and from time to time the arrays that readers may map."""
        now = self.seconds
        if known is None or not rows or now < self._next_publication:
            self.report_progress(self.progress(done, rows))
            return
        self.publish(done, rows, known.writer, known.publish(), known.types)
        self._next_publication = now + max(INTERVAL, REST * (self.seconds - now))
