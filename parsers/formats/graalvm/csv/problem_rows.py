"""Row of the tree for a problem in a table, as rows of the tree are no lines of a file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from parsers.formats.graalvm.csv.read.table import number_of
from parsers.formats.graalvm.csv.set import table_of

if TYPE_CHECKING:
    from parsers.formats.graalvm.calls.report import CallReport
    from parsers.io.source import Source
    from parsers.model.report import Problem

BLOCK = 1 << 12
"""Bytes before a problem that are searched for a line with a known method."""

MOST_CALLS = 1000
"""Most rows of a method that are searched for the call of a line."""

METHODS_IN = {
    "methods": (0,),
    "entry_points": (0,),
    "direct_edges": (0, 1),
    "virtual_edges": (0,),
    "override_by_edges": (1,),
    "invokes": (1, 3),
    "targets": (1,),
}
"""By table: the columns with ids of methods, the caller before the callee."""


def row_of_problem(report: CallReport, tables: Sequence[Source], problem: Problem) -> int | None:
    """Row for the line of a problem, else for the nearest line before it that names a method of the tree."""
    source = next((source for source in tables if source.path == problem.file), None)
    if source is None or problem.offset is None or not report.is_complete:
        return None
    columns = METHODS_IN.get(table_of(source), ())
    for line in _lines_back(source, problem.offset):
        fields = line.split(b",", 4)
        ids = [number_of(fields[column]) for column in columns if column < len(fields)]
        row = _row_of(report, ids)
        if row is not None:
            return row
    return None


def _lines_back(source: Source, offset: int) -> Iterator[bytes]:
    """Returns the line at an offset, then those before it, nearest first."""
    start = max(0, offset - BLOCK)
    before = source.pread(offset - start, start).split(b"\n")
    yield (before.pop() + source.pread(BLOCK, offset)).partition(b"\n")[0].removesuffix(b"\r")
    for line in reversed(before[1:] if start else before):
        yield line.removesuffix(b"\r")


def _row_of(report: CallReport, ids: list[int]) -> int | None:
    """Returns the row of a call, else of the callee, else of the caller; None if the tree has none of them."""
    tree = report.tree
    vertices = [tree.vertex_of_id(id) if id >= 0 else None for id in ids]
    known = [vertex for vertex in vertices if vertex is not None]
    if not known:
        return None
    if len(vertices) == len(known) == 2:
        caller = report.row_of_vertex(known[0])
        rows = (int(row) for row in tree.vertex_rows(known[1])[:MOST_CALLS])
        call = next((row for row in rows if tree.parent(row) == caller), None)
        if call is not None:
            return call
    return report.row_of_vertex(known[-1])
