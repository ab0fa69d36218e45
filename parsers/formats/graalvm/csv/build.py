"""Builds the index of a CSV call tree: a small set by plain code, in less time than kernels take to load, others by
kernels."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from parsers.formats.graalvm.calls.index.arrays import call_arrays
from parsers.formats.graalvm.calls.index.row import UNCALLED
from parsers.formats.graalvm.csv.indexed import NO_BCI, STRANGE
from parsers.formats.graalvm.csv.set import layout_of, table_of
from parsers.formats.graalvm.csv.tree import MOST_PLAIN, CsvTree, TooManyRowsError, tree_of
from parsers.formats.graalvm.kernels import CSV
from parsers.formats.graalvm.text.read.plain_index import COLUMNS, PlainIndex
from parsers.index.builders import ChangedReport
from parsers.index.memory import keep_much
from parsers.index.writer import Writer
from parsers.kernels.groups import Kernels

if TYPE_CHECKING:
    from parsers.index.builders import Tell
    from parsers.index.store import Header
    from parsers.io.group import SourceGroup

SMALL = 512 << 10
"""Largest set, in bytes, that plain code reads: a third of a second."""
LARGER = 6 << 20
"""The same if no kernel is compiled yet, as compiling takes as long."""


class CsvBuild:
    """The build of one set's index."""

    def __init__(self, source: SourceGroup, folder: str, format: str, tell: Tell, kernels: str) -> None:
        """As `parsers.index.builders.MakeBuild`."""
        self._source = source
        self._folder = folder
        self._tell = tell
        self._kernels = Kernels(kernels, CSV)
        self._started = time.perf_counter()
        self._writer = Writer(folder, format, source.identity)

    def run(self) -> Header:
        """Builds the index. Raises `ChangedReport`, and `OSError` where the disk is full."""
        paths = [path for path, _ in self._source.plain_files]
        before = list(map(_state, paths))
        if SMALL < self._source.size <= LARGER:
            self._kernels.compile_beside()
        is_small = self._source.size <= (SMALL if self._kernels.are_there else LARGER)
        finish = self._with_plain if is_small else self._with_kernels
        rows, totals, facts, problems, count = finish()
        # Appending leaves the bytes read unchanged; any other change may have happened during the read.
        for (size, time_before), (size_now, time_now) in zip(before, map(_state, paths), strict=True):
            if size_now <= size and time_now != time_before:
                raise ChangedReport
        seconds = time.perf_counter() - self._started
        return self._writer.finish(self._source.size, rows, totals, facts, problems, count, seconds)

    def _with_plain(self) -> tuple[Any, ...]:
        try:
            tree = tree_of(self._source.sources, MOST_PLAIN)
        except TooManyRowsError:
            return self._with_kernels()
        write_tree(self._writer, tree)
        summary = tree.summary
        return tree.rows, summary.totals, summary.facts, summary.problems, summary.problem_count

    def _with_kernels(self) -> tuple[Any, ...]:
        from parsers.formats.graalvm.csv.read.kernel_build import build
        from parsers.formats.graalvm.csv.warm import warm

        if not self._kernels.are_there:
            self._tell(self._news(0))
            self._kernels.compile_beside()
            self._kernels.wait()
        keep_much()
        warm(self._folder)
        # The reported time is that of reading; loading kernels is part of the start.
        self._started = time.perf_counter()
        tables = [table_of(source) for source in self._source.sources]
        files = dict(zip(tables, self._source.sources, strict=True))
        is_whole = all(table in files for table in layout_of(tables))
        return build(self._writer, files, is_whole, lambda done, says: self._tell(self._news(done, says)))

    def _news(self, done: int, says: str = "") -> Mapping[str, Any]:
        # The last bytes are reported when there are rows to show, or with the work that precedes them.
        seconds = round(time.perf_counter() - self._started, 4)
        total = self._source.size
        done = total if says else min(done, total - 1)
        return {"state": "indexing", "done": done, "total": total, "rows": 0, "seconds": seconds, "says": says}

    def abandon(self) -> None:
        """Removes all written files."""
        self._writer.abandon()


def _state(path: str) -> tuple[int, int]:
    status = os.stat(path)
    return status.st_size, status.st_mtime_ns


class CsvIndex(PlainIndex):
    """The arrays of a tree built by plain code."""

    uncalled = UNCALLED
    columns: ClassVar[Mapping[str, str]] = {
        name: type for name, type in COLUMNS.items() if "offset" not in name and not name.startswith("far_")
    }

    def __init__(self, writer: Writer, tree: CsvTree) -> None:
        self._begin(writer, tree)

    def write(self) -> None:
        """Writes all arrays of text trees."""
        self._write([])
        self._save()


def write_tree(writer: Writer, tree: CsvTree) -> None:
    """Writes all arrays of a tree."""
    index = CsvIndex(writer, tree)
    index.write()
    for name, values in (call_arrays(tree, index.sites) | bci_arrays(tree)).items():
        writer.save(name, values)


def bci_arrays(tree: CsvTree) -> dict[str, Any]:
    """Bytecode indexes of calls, as in `csv.indexed`."""
    numbers = np.full(tree.rows, NO_BCI, np.uint16)
    strange: list[tuple[int, bytes]] = []
    for row, bci in enumerate(tree.bcis):
        if bci is None:
            continue
        is_small = bci.isdigit() and len(bci) <= 5 and int(bci) < STRANGE and (bci == b"0" or bci[0] != 0x30)
        numbers[row] = int(bci) if is_small else STRANGE
        if not is_small:
            strange.append((row, bci))
    return {
        "bci": numbers,
        "bci_row": np.array([row for row, _ in strange], np.uint32),
        "bci_start": np.cumsum([0, *(len(bci) for _, bci in strange)]).astype(np.uint32),
        "bci_bytes": np.frombuffer(b"".join(bci for _, bci in strange), np.uint8),
    }
