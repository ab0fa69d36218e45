"""The build of an index: chooses plain code or kernels, reports progress, notices changed files, and completes it."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from parsers.index.store import BUILDING, Header
from parsers.index.writer import Writer
from parsers.kernels.groups import KernelGroup
from parsers.kernels.library import engine_of, has_kernels

if TYPE_CHECKING:
    from parsers.io.group import SourceGroup
    from parsers.model.report import Problem

SMALL = 1 << 20
"""Files up to this size are read by plain code, in about the time that loading kernels takes."""
COMPILER_LOADS = 6
"""Larger files by this factor are read by plain code where numba loads the kernels: that takes a third of a second."""
ReportProgress = Callable[[Mapping[str, object]], None]


class ChangedReport(Exception):
    """The file has changed since it was opened."""


SLOWLY = "slowly: no compiled kernels are installed"
"""Message for a large report that plain code reads."""


class FileBuild:
    """The build of the index of one report; formats derive from it.

    One engine builds it: a small file is read by plain code, in less time than kernels take to load; a large one by
    kernels, unless there are none.
    """

    groups: ClassVar[tuple[KernelGroup, ...]]
    """The required kernels."""
    small: ClassVar[int] = SMALL
    """Largest size in bytes that plain code reads although there are kernels."""

    def __init__(self, source: SourceGroup, folder: str, format: str, report_progress: ReportProgress) -> None:
        """
        folder           the index folder, which exists and is locked by the caller
        report_progress  receives state, bytes done and total, rows, seconds, and the arrays that readers may map
        """
        self.source = source
        self.size = source.size
        self.folder = folder
        self.format = format
        self.report_progress = report_progress
        self.started = time.perf_counter()
        self.descriptors: list[int] = []
        """Open files of the source, in its order."""
        self._before: list[os.stat_result] = []
        self._writers: list[Writer] = []

    def run(self) -> Header:
        """Builds the index. Raises `ChangedReport`, and `OSError` if the disk is full."""
        try:
            for path, _ in self.source.plain_files:
                self.descriptors.append(os.open(path, os.O_RDONLY | os.O_CLOEXEC))
                self._before.append(os.fstat(self.descriptors[-1]))
            return self.with_kernels() if self.uses_kernels else self.with_plain()
        finally:
            for descriptor in self.descriptors:
                os.close(descriptor)

    def with_plain(self) -> Header:
        """Builds by plain code."""
        raise NotImplementedError

    def with_kernels(self) -> Header:
        """Builds by kernels."""
        raise NotImplementedError

    def abandon(self) -> None:
        """Removes everything that was written."""
        for writer in self._writers:
            writer.abandon()

    @property
    def is_large(self) -> bool:
        """True if the report is larger than what plain code reads although there are kernels."""
        if self.size <= self.small:
            return False
        is_compiled = all(engine_of(group) != "jit" for group in self.groups)
        return is_compiled or self.size > COMPILER_LOADS * self.small

    @property
    def uses_kernels(self) -> bool:
        """True if kernels read the report."""
        return self.is_large and has_kernels(*self.groups)

    @property
    def seconds(self) -> float:
        """Time since the build started to read."""
        return time.perf_counter() - self.started

    def writer(self, name: str = BUILDING, continues: bool = False) -> Writer:
        """Creates a folder of arrays: of the index, or of what readers may map until it is complete."""
        writer = Writer(self.folder, self.format, self.source.identity, name, continues)
        self._writers.append(writer)
        return writer

    def reader(self, file: int = 0) -> Callable[[int, int], bytes]:
        """Returns a function that reads `count` bytes of a file at `offset`. It raises `ChangedReport` at its end."""
        descriptor = self.descriptors[file]

        def read(count: int, offset: int) -> bytes:
            data = os.pread(descriptor, count, offset)
            if len(data) < count:
                raise ChangedReport
            return data

        return read

    def check_unchanged(self) -> None:
        """Raises `ChangedReport` if the files may have changed while they were read. Appending is no change."""
        for descriptor, before in zip(self.descriptors, self._before, strict=True):
            after = os.fstat(descriptor)
            if after.st_size <= before.st_size and after.st_mtime_ns != before.st_mtime_ns:
                raise ChangedReport

    def publish(
        self, done: int, rows: int, writer: Writer, lengths: Mapping[str, int], types: Mapping[str, str], says: str = ""
    ) -> None:
        """Reports progress and the arrays that readers may map."""
        names = lengths.keys() & types.keys()
        known, dtypes = ({name: each[name] for name in names} for each in (lengths, types))
        arrays = {"folder": writer.path, "lengths": known, "types": dtypes}
        self.report_progress(self.progress(done, rows, says) | arrays)

    def progress(self, done: int, rows: int, says: str = "") -> dict[str, object]:
        """Returns a progress message without arrays."""
        seconds = round(self.seconds, 4)
        if not says and self.is_large and not self.uses_kernels:
            says = SLOWLY
        return {"state": "indexing", "done": done, "total": self.size, "rows": rows, "seconds": seconds, "says": says}

    def finish(
        self, writer: Writer, rows: int, totals: Mapping[str, object], facts: Mapping[str, object],
        problems: Sequence[Problem] = (), problem_count: int = 0,
    ) -> Header:  # fmt: skip
        """Completes the index, and removes other folders of the build."""
        header = writer.finish(self.size, rows, totals, facts, tuple(problems), problem_count, self.seconds)
        for other in self._writers:
            if other is not writer:
                other.abandon()
        return header


def read_piece(descriptor: int, data: Any, count: int, offset: int, slack: int) -> None:
    """Fills a uint8 array with bytes of a file, and `slack` bytes after them with zeros.

    Raises `ChangedReport` if the file ends before.
    """
    view = memoryview(data)[:count]
    while len(view):
        done = os.preadv(descriptor, [view], offset)
        if not done:
            raise ChangedReport
        view = view[done:]
        offset += done
    data[count : count + slack] = 0
