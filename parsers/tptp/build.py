"""Builds the index of a recording: by plain code a small one, by kernels a large one."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from parsers.index.builders import ChangedReport
from parsers.index.packing import save_packed
from parsers.index.text_save import save_texts
from parsers.index.writer import Writer
from parsers.tptp.blocks import BLOCK, PlainReader
from parsers.tptp.calls_build import save_calls
from parsers.tptp.class_sums import save_classes
from parsers.tptp.columns import COLUMNS, PACKED
from parsers.tptp.heap_build import save_heap
from parsers.tptp.parts import parts_of
from parsers.tptp.plain_tables import PlainJoin
from parsers.tptp.recording import Recording
from parsers.tptp.totals import file_totals, runs_of, sessions_of
from parsers.tptp.vocabulary import vocabulary

if TYPE_CHECKING:
    from parsers.index.builders import Tell
    from parsers.index.store import Header
    from parsers.input.group import SourceGroup


class TraceBuild:
    """One recording on its way to an index."""

    def __init__(self, source: SourceGroup, folder: str, format: str, tell: Tell, kernels: str) -> None:
        """
        folder   the index folder, which exists and is locked by the caller
        tell     gets the news: state, bytes done and in all, rows, seconds, and where readers may look
        kernels  folder around those of compiled kernels
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

    def run(self) -> Header:
        """Builds it. Raises `ChangedReport`, and `OSError` where the disk is full."""
        self._descriptor = os.open(self._source.plain_path, os.O_RDONLY | os.O_CLOEXEC)
        self._before = os.fstat(self._descriptor)
        try:
            return self._with_plain()
        finally:
            os.close(self._descriptor)

    def abandon(self) -> None:
        """Removes all that was written."""
        for writer in self._writers:
            writer.abandon()

    def _with_plain(self) -> Header:
        """By plain code."""
        writer = Writer(self._folder, self._format, self._source.identity)
        self._writers.append(writer)
        join = PlainJoin(self._names)
        for batch in PlainReader(self._read, parts_of(self._source), self._names, BLOCK).batches():
            join.take(batch)
            self._say(batch.done, join.tables.length("counted"))
        join.end()
        recording = Recording(self._source)
        recording.take_plain(join.tables, join.facts())
        for name, type in COLUMNS.items():
            column = np.asarray(recording.column(name))
            if name in PACKED:
                save_packed(writer, name, PACKED[name], column)
            else:
                writer.save(name, column.astype(np.dtype(type), copy=False))
        save_texts(writer, "word", recording.words)
        return self._finish(writer, recording)

    def _finish(self, writer: Writer, recording: Recording) -> Header:
        """Adds what is counted, and what views need; then it is an index."""
        after = os.fstat(self._descriptor)
        if after.st_size <= self._before.st_size and after.st_mtime_ns != self._before.st_mtime_ns:
            raise ChangedReport
        dumps = save_views(writer, recording)
        sessions = sessions_of(recording, dumps)
        facts = {**recording.facts, "runs": runs_of(recording, sessions)}
        rows = int(sum(session["elements_total"] for session in sessions))
        problems = sum(recording.facts["finding_counts"])
        seconds = time.perf_counter() - self._started
        header = writer.finish(
            self._source.size, rows, file_totals(sessions), facts, (), problems, seconds
        )  # fmt: skip
        for other in self._writers[:-1]:
            other.abandon()
        return header

    def _read(self, count: int, offset: int) -> bytes:
        return os.pread(self._descriptor, count, offset)

    def _say(self, done: int, rows: int, more: Mapping[str, Any] | None = None) -> None:
        """Tells how far reading is."""
        self._tell(
            {
                "state": "indexing",
                "done": done,
                "total": self._source.size,
                "rows": rows,
                "seconds": round(time.perf_counter() - self._started, 4),
                **(more or {}),
            }
        )


def save_views(writer: Writer, recording: Recording) -> list[dict[str, Any]]:
    """Writes the arrays that views keep of their own; what is counted of heap dumps."""
    if recording.rows("call"):
        save_calls(writer, recording)
    save_classes(writer, recording)
    return save_heap(writer, recording)
