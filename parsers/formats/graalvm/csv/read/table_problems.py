"""Problems of the rows of a CSV set's tables, with their lines."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from parsers.formats.graalvm.csv.read.kernel import CR, LF
from parsers.formats.graalvm.csv.read.table_rows import METHOD_TABLES, TableFile
from parsers.formats.graalvm.csv.summary import CsvProblem, CsvProblemKind
from parsers.formats.graalvm.text.read.chunk import LONG_TAIL, TAIL
from parsers.formats.graalvm.text.summary import KEPT_PROBLEMS

if TYPE_CHECKING:
    from parsers.formats.graalvm.csv.read.tables import CsvKernelTables
    from parsers.model.arrays import I64Array


def found_rows(tables: CsvKernelTables) -> tuple[list[CsvProblem], int]:
    """Returns the problems of rows: the first of each kind, and their total number."""
    problems: list[CsvProblem] = []
    count = 0
    for table, file in tables.files.items():
        line = 0
        for piece in tables.pieces_of(table):
            count += len(piece.bad_line)
            bad = zip(piece.bad_line[:KEPT_PROBLEMS], piece.bad_offset[:KEPT_PROBLEMS], strict=True)
            problems += [
                CsvProblem(table, line + int(at) + 1, CsvProblemKind.UNKNOWN_ROW, int(offset)) for at, offset in bad
            ]
            line += int(piece.facts["lines"])
        found, more = _found_ids(tables, table)
        problems += found
        count += more
        cut = _cut(file, line)
        if cut is not None:
            problems.append(cut)
            count += 1
    return problems, count


def _found_ids(tables: CsvKernelTables, table: str) -> tuple[list[CsvProblem], int]:
    """Returns the problems for duplicate and missing ids of a table."""
    if table in METHOD_TABLES:
        buffers = tables.methods[table]
        rows = buffers.ids.duplicate[: min(buffers.duplicates, KEPT_PROBLEMS)]
        pairs = [(int(row), int(id)) for row, id in zip(rows, buffers.of("id")[rows], strict=True)]
        return placed(tables, table, CsvProblemKind.DUPLICATE_ID, pairs), buffers.duplicates
    pairs, count = [], 0
    for piece in tables.pieces_of(table):
        for _, rows, ids in piece.unknown:
            count += len(rows)
            places = rows[:KEPT_PROBLEMS] - tables.first_row[table]
            pairs += zip(places.tolist(), ids[:KEPT_PROBLEMS].tolist(), strict=True)
    return placed(tables, table, CsvProblemKind.DANGLING_REFERENCE, sorted(pairs)[:KEPT_PROBLEMS]), count


def _cut(file: TableFile, lines: int) -> CsvProblem | None:
    """Returns the problem of a file without a last line end, or None."""
    if not file.size or os.pread(file.descriptor, 1, file.size - 1) == b"\n":
        return None
    start = file.size
    while start > 0:
        begin = max(0, start - TAIL)
        at = os.pread(file.descriptor, start - begin, begin).rfind(b"\n")
        if at >= 0:
            return CsvProblem(file.table, lines, CsvProblemKind.CUT, begin + at + 1)
        start = begin
    return CsvProblem(file.table, lines, CsvProblemKind.CUT, 0)


def placed(
    tables: CsvKernelTables, table: str, kind: CsvProblemKind, rows: Sequence[tuple[int, int]]
) -> list[CsvProblem]:
    """Returns the problems of some rows of a table, each with an id, with their lines."""
    problems = []
    pieces = tables.pieces_of(table)
    ends = np.cumsum([int(piece.facts["good"]) for piece in pieces])
    lines = np.cumsum([0, *(int(piece.facts["lines"]) for piece in pieces)])
    number, places = -1, np.zeros((0, 2), np.int64)
    for row, id in rows:
        chunk = int(np.searchsorted(ends, row, "right"))
        if chunk != number:
            number, places = chunk, _places(tables, table, chunk)
        line, offset = places[row - (int(ends[chunk - 1]) if chunk else 0)].tolist()
        problems.append(CsvProblem(table, int(lines[chunk]) + line, kind, offset, id))
    return problems


def _places(tables: CsvKernelTables, table: str, number: int) -> I64Array:
    """int64[rows, 2]: line (from 1, in the chunk) and offset of the good rows of a chunk, read once more."""
    file, begin = tables.files[table], number * tables.chunk
    place = max(begin - 1, 0)
    data = np.frombuffer(os.pread(file.descriptor, tables.chunk + 1 + LONG_TAIL, place), np.uint8)
    ends = np.append(np.flatnonzero(data == LF), len(data))
    starts = np.append(0, ends[:-1] + 1)
    if begin:
        starts, ends = starts[1:], ends[1:]
    count = int(np.searchsorted(starts, min(begin + tables.chunk, file.size) - place))
    starts, ends = starts[:count], ends[:count]
    is_good = (ends > starts + 1) | (ends > starts) & (data[starts] != CR)
    is_good[tables.pieces[table, number].bad_line] = False
    is_good[: not begin] = False  # The header.
    good = np.flatnonzero(is_good)
    return np.stack((good + 1, place + starts[good]), axis=1)
