"""Builds the index of a CSV call tree: a small set by plain code, in less time than kernels take to load, others by
kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from parsers.formats.graalvm.calls.index.arrays import call_arrays
from parsers.formats.graalvm.csv.indexed import NO_BCI, STRANGE
from parsers.formats.graalvm.csv.set import layout_of, table_of
from parsers.formats.graalvm.csv.tree import MOST_PLAIN, CsvTree, TooManyRowsError, tree_of
from parsers.formats.graalvm.kernels import CSV
from parsers.formats.graalvm.text.columns import COLUMNS
from parsers.formats.graalvm.text.read.plain_index import PlainIndex
from parsers.index.build import FileBuild
from parsers.index.memory import reuse_freed_memory
from parsers.kernels.library import has_kernels

if TYPE_CHECKING:
    from parsers.formats.graalvm.text.read.plain_tree import PlainTree
    from parsers.index.store import Header
    from parsers.model.arrays import AnyArray


class CsvBuild(FileBuild):
    """The build of one set's index."""

    groups = (CSV,)
    small = 512 << 10
    """A third of a second."""

    def run(self) -> Header:
        """Builds the index. Raises `ChangedReport`, and `OSError` if the disk is full."""
        try:
            return super().run()
        except TooManyRowsError:
            self.report_progress(self.progress(0, 0))
            return self.with_kernels()

    def with_plain(self) -> Header:
        """Builds by plain code. Raises `TooManyRowsError` for a set that kernels are to read."""
        tree = tree_of(self.source.sources, MOST_PLAIN if has_kernels(*self.groups) else None)
        writer, summary = self.writer(), tree.summary
        PlainIndex(writer, tree, PLAIN_COLUMNS).finish(csv_arrays)
        self.check_unchanged()
        return self.finish(writer, tree.rows, summary.totals, summary.facts, summary.problems, summary.problem_count)

    def with_kernels(self) -> Header:
        """Builds by kernels."""
        from parsers.formats.graalvm.csv.read.kernel_build import build

        reuse_freed_memory()
        tables = [table_of(source) for source in self.source.sources]
        files = dict(zip(tables, self.source.sources, strict=True))
        is_whole = all(table in files for table in layout_of(tables))

        def report(done: int, says: str) -> None:
            # The last bytes are reported when there are rows to show, or with the work that precedes them.
            self.report_progress(self.progress(self.size if says else min(done, self.size - 1), 0, says))

        writer = self.writer()
        result = build(writer, files, is_whole, report)
        self.check_unchanged()
        return self.finish(writer, *result)


PLAIN_COLUMNS = {name: type for name, type in COLUMNS.items() if "offset" not in name and not name.startswith("far_")}
"""Columns of rows that are no lines of a file."""


def csv_arrays(tree: PlainTree) -> dict[str, AnyArray]:
    """Returns the arrays that only a call tree of tables has."""
    assert isinstance(tree, CsvTree)
    return call_arrays(tree) | bci_arrays(tree)


def bci_arrays(tree: CsvTree) -> dict[str, AnyArray]:
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
