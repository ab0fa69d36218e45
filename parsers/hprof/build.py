"""Builds the index of a profile: by plain code a small one, by kernels a large one."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from parsers.hprof.columns import COLUMNS, LINES, TEXT_TABLES, TEXTS
from parsers.hprof.plain_text import BLOCK, PlainText
from parsers.hprof.recording import Recording
from parsers.hprof.summary import facts_of
from parsers.hprof.tables import Tables
from parsers.hprof.totals import runs_of, sections_of, totals_of
from parsers.index.build import ChangedReport
from parsers.index.store import Header
from parsers.index.writer import Writer

if TYPE_CHECKING:
    from parsers.index.builders import Tell
    from parsers.input.group import SourceGroup

PUBLISHED = {**COLUMNS, **TEXTS}
TOLD = 0.1
"""Seconds between news."""


class ProfileBuild:
    """One profile on its way to an index."""

    def __init__(self, source: SourceGroup, folder: str, format: str, tell: Tell, kernels: str) -> None:
        """
        folder   the index folder, which exists and is locked by the caller
        tell     gets the news: state, bytes done and in all, rows, seconds, and where readers may look
        kernels  folder of compiled kernels
        """
        self._source = source.sources[0]
        self._folder = folder
        self._format = format
        self._tell = tell
        self._kernels = kernels
        self._started = time.perf_counter()
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
        size = self._source.size
        writer = Writer(self._folder, self._format, self._source.identity)
        self._writers.append(writer)
        text = PlainText(Tables())
        at = 0
        while at < size:
            at = text.feed(self._read, at, min(at + BLOCK, size), size)
            self._publish(at, text.tables.length("trace") + text.tables.length("object"))
        text.count_lines(self._read, size)
        text.end(size)
        recording = Recording(self._source)
        recording.take_plain(text.tables, facts_of(text), text.lines)
        for name, type in {**COLUMNS, **LINES}.items():
            writer.save(name, np.asarray(recording.column(name)).astype(np.dtype(type), copy=False))
        for table in TEXT_TABLES:
            texts = recording.texts(table)
            starts = np.zeros(len(texts) + 1, np.uint64)
            np.cumsum([len(each) for each in texts], dtype=np.uint64, out=starts[1:])
            writer.save(f"{table}_starts", starts)
            writer.save(f"{table}_bytes", np.frombuffer(b"".join(texts), np.uint8))
        return self._finish(writer, recording)

    def _finish(self, writer: Writer, recording: Recording) -> Header:
        after = os.fstat(self._descriptor)
        if after.st_size <= self._before.st_size and after.st_mtime_ns != self._before.st_mtime_ns:
            raise ChangedReport
        sections = sections_of(recording)
        facts = {**recording.facts, "sections": sections, "runs": runs_of(sections)}
        rows = recording.rows("trace") + recording.rows("object")
        seconds = time.perf_counter() - self._started
        problems = sum(recording.facts["finding_counts"])
        return writer.finish(self._source.size, rows, totals_of(recording), facts, (), problems, seconds)

    def _read(self, count: int, offset: int) -> bytes:
        data = os.pread(self._descriptor, count, offset)
        if len(data) < count:
            raise ChangedReport
        return data

    def _publish(self, done: int, rows: int, more: Mapping[str, Any] | None = None) -> None:
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
