"""Builds the index of a CSV call tree."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from parsers.graalvm.call_arrays import call_arrays
from parsers.graalvm.call_row import UNCALLED
from parsers.graalvm.csv_indexed import NO_BCI, STRANGE
from parsers.graalvm.csv_tree import CsvTree, tree_of
from parsers.graalvm.plain_index import COLUMNS, PlainIndex
from parsers.index.builders import ChangedReport
from parsers.index.writer import Writer

if TYPE_CHECKING:
    from parsers.index.builders import Tell
    from parsers.index.store import Header
    from parsers.input.group import SourceGroup


class CsvBuild:
    """One set on its way to an index."""

    def __init__(self, source: SourceGroup, folder: str, format: str, tell: Tell, kernels: str) -> None:
        """As `parsers.index.builders.MakeBuild`."""
        self._source = source
        self._tell = tell
        self._started = time.perf_counter()
        self._writer = Writer(folder, format, source.identity)

    def run(self) -> Header:
        """Builds it. Raises `ChangedReport`, and `OSError` where the disk is full."""
        before = [self._state(path) for path, _ in self._source.plain_files]
        tree = tree_of(self._source.sources)
        if [self._state(path) for path, _ in self._source.plain_files] != before:
            raise ChangedReport
        write_tree(self._writer, tree)
        summary, size = tree.summary, self._source.size
        seconds = time.perf_counter() - self._started
        return self._writer.finish(
            size, tree.rows, summary.totals, summary.facts, summary.problems, summary.problem_count, seconds
        )

    @staticmethod
    def _state(path: str) -> tuple[int, int]:
        status = os.stat(path)
        return status.st_size, status.st_mtime_ns

    def abandon(self) -> None:
        """Removes all that was written."""
        self._writer.abandon()


class CsvIndex(PlainIndex):
    """The arrays of a tree that plain code has made."""

    uncalled = UNCALLED
    columns: ClassVar[Mapping[str, str]] = {
        name: type for name, type in COLUMNS.items() if "offset" not in name and not name.startswith("far_")
    }

    def __init__(self, writer: Writer, tree: CsvTree) -> None:
        self._begin(writer, tree)

    def write(self) -> None:
        """Writes all that text trees have."""
        self._write([])
        self._save()


def write_tree(writer: Writer, tree: CsvTree) -> None:
    """Writes all arrays of a tree."""
    index = CsvIndex(writer, tree)
    index.write()
    for name, values in (call_arrays(tree, index.sites) | bci_arrays(tree)).items():
        writer.save(name, values)


def bci_arrays(tree: CsvTree) -> dict[str, Any]:
    """Where calls stand, as `csv_indexed` has it."""
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
