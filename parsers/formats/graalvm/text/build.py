"""Builds the index of one report: with compiled kernels where available, else with plain code.

A small file is read by plain code alone, in less time than kernels take to load. For a large one kernels are loaded. If
they must be compiled first, a child compiles them while plain code reads. When they are ready, they read the file again
from its start into new arrays: at a gigabyte a second that costs less than continuing the plain ones.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from typing import Any

from parsers.formats.graalvm.kernels import TEXT
from parsers.formats.graalvm.text_format import FORMATS, TextFormat
from parsers.index.builders import AGAIN, SMALL, ChangedReport, Tell
from parsers.index.store import BUILDING, Header
from parsers.index.writer import Writer
from parsers.io.charset import boxes_of, detect
from parsers.io.group import SourceGroup
from parsers.io.source import HEAD, Source
from parsers.kernels.groups import Kernels

BLOCK = 1 << 20
"""Bytes that plain code reads at a time."""


class Build:
    """The build of one report's index."""

    def __init__(self, source: Source, folder: str, format: TextFormat, tell: Tell, kernels: str) -> None:
        """
        folder   the index folder, which exists and is locked by the caller
        tell     receives progress: state, bytes done and in all, rows, seconds, and the arrays that readers may use
        kernels  parent folder of the folders of compiled kernels
        """
        self._source = source
        self._folder = folder
        self._format = format
        self._tell = tell
        self._kernels = Kernels(kernels, TEXT)
        self._started = time.perf_counter()
        self._told = 0
        self._descriptor = -1
        self._before: os.stat_result
        self._writers: list[Writer] = []
        """Writers in use; the last one becomes the index."""

    def run(self) -> Header:
        """Builds the index. Raises `ChangedReport`, and `OSError` where the disk is full."""
        size = self._source.size
        self._boxes = boxes_of(detect(self._source.head[:HEAD]))
        descriptor = os.open(self._source.plain_path, os.O_RDONLY | os.O_CLOEXEC)
        self._descriptor, self._before = descriptor, os.fstat(descriptor)
        try:
            if size > SMALL and self._kernels.are_there:
                return self._with_kernels(descriptor, size, BUILDING)
            if size > SMALL:
                self._kernels.compile_beside()
            header = self._with_plain(descriptor, size)
            return header if header is not None else self._with_kernels(descriptor, size, AGAIN)
        finally:
            os.close(descriptor)

    def _with_plain(self, descriptor: int, size: int) -> Header | None:
        """Builds with plain code; None if the kernels were ready first."""
        from parsers.formats.graalvm.text.read.plain_index import COLUMNS, PlainIndex

        format = self._format
        writer = Writer(self._folder, format.name, self._source.identity)
        self._writers.append(writer)
        counts = format.load(format.counts)()
        index = PlainIndex(writer, format.load(format.parse_row), format.unknown, counts, self._boxes)
        done = 0
        while done < size:
            data = os.pread(descriptor, min(BLOCK, size - done), done)
            if not data:
                raise ChangedReport
            index.feed(data)
            done += len(data)
            self._publish(writer, done, index.tree.rows, index.lengths, COLUMNS)
            if self._kernels.have_come:
                return None
        index.finish()
        for name, values in format.load(format.arrays)(index.tree, index.sites).items():
            writer.save(name, values)
        summary = index.tree.summary
        return self._finish(index.tree.rows, summary.totals, summary.facts, summary.problems, summary.problem_count)

    def _with_kernels(self, descriptor: int, size: int, name: str) -> Header:
        """Builds with kernels, in a folder of that name."""
        from parsers.formats.graalvm.text.read.build import PUBLISHED, ChangedFile, TextBuild
        from parsers.formats.graalvm.text.read.warm import warm_tree
        from parsers.formats.graalvm.text.summary import kept

        warm_tree(self._format, self._folder)
        if name == BUILDING:
            # The reported time is that of reading; loading kernels is part of the start.
            self._started = time.perf_counter()
        writer = Writer(self._folder, self._format.name, self._source.identity, name)
        self._writers.append(writer)
        build = TextBuild(writer, descriptor, size, self._boxes, self._format.number)

        def told(done: int, rows: int, lengths: dict[str, int]) -> None:
            if rows >= self._told:
                self._publish(writer, done, rows, lengths, PUBLISHED)

        try:
            build.read(told)
        except ChangedFile as error:
            raise ChangedReport from error
        end = self._format.load(self._format.end)(build)
        end.run()
        totals = end.totals()
        facts = end.facts(totals)
        findings, count = end.findings(self._ends_well(descriptor, size))
        return self._finish(build.rows, totals, facts, kept(findings), count)

    @staticmethod
    def _ends_well(descriptor: int, size: int) -> bool:
        """Returns True if the last line is empty and has its line end."""
        tail = os.pread(descriptor, 4, max(0, size - 4))
        return tail.replace(b"\r\n", b"\n").endswith(b"\n\n") or tail in (b"\n", b"\r\n")

    def abandon(self) -> None:
        """Removes all written files."""
        for writer in self._writers:
            writer.abandon()

    def _finish(self, rows: int, totals: Any, facts: Any, problems: Any, problem_count: int) -> Header:
        after = os.fstat(self._descriptor)
        # Appending leaves the bytes read unchanged; any other change may have happened during the read.
        if after.st_size <= self._before.st_size and after.st_mtime_ns != self._before.st_mtime_ns:
            raise ChangedReport
        *others, writer = self._writers
        seconds = time.perf_counter() - self._started
        header = writer.finish(self._source.size, rows, totals, facts, problems, problem_count, seconds)
        for other in others:
            other.abandon()
        return header

    def _publish(self, writer: Writer, done: int, rows: int, lengths: dict[str, int], types: Mapping[str, str]) -> None:
        self._told = rows
        self._tell(
            {
                "state": "indexing",
                "done": done,
                "total": self._source.size,
                "rows": rows,
                "seconds": round(time.perf_counter() - self._started, 4),
                "folder": writer.path,
                "lengths": {name: lengths[name] for name in types},
                "types": types,
            }
        )


def text_build(source: SourceGroup, folder: str, format: str, tell: Tell, kernels: str) -> Build:
    """Returns the build of a text tree, which is one file."""
    return Build(source.sources[0], folder, FORMATS[format], tell, kernels)
