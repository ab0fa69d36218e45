"""Problems of the rows of a CSV set's tables, with their lines."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from parsers.formats.graalvm.csv.read import table as csv_table
from parsers.formats.graalvm.csv.read.chunk import LONG_TAIL, TAIL
from parsers.formats.graalvm.csv.read.kernel import EDGE, GOOD, LINES, NUMBER, PAIR
from parsers.formats.graalvm.csv.read.table_rows import FORMS, METHOD_TABLES, TableFile
from parsers.formats.graalvm.csv.summary import CsvFinding, CsvProblem
from parsers.formats.graalvm.text.read.line import LONGEST
from parsers.formats.graalvm.text.summary import KEPT_PROBLEMS

if TYPE_CHECKING:
    from parsers.formats.graalvm.csv.read.tables import CsvKernelTables


def found_rows(tables: CsvKernelTables) -> tuple[list[CsvFinding], int]:
    """Returns the problems of rows: the first of each kind, and their total number."""
    findings: list[CsvFinding] = []
    count = 0
    for table, file in tables.files.items():
        line = 0
        for piece in tables.pieces_of(table):
            count += len(piece.bad_line)
            bad = zip(piece.bad_line[:KEPT_PROBLEMS], piece.bad_offset[:KEPT_PROBLEMS], strict=True)
            findings += [
                CsvFinding(table, line + int(at) + 1, CsvProblem.UNKNOWN_ROW, int(offset)) for at, offset in bad
            ]
            line += int(piece.facts[LINES])
        found, more = _found_ids(tables, table)
        findings += found
        count += more
        cut = _cut(file, line)
        if cut is not None:
            findings.append(cut)
            count += 1
    return findings, count


def _found_ids(tables: CsvKernelTables, table: str) -> tuple[list[CsvFinding], int]:
    """Returns the problems for duplicate and missing ids of a table."""
    if table in METHOD_TABLES:
        buffers = tables.methods[table]
        rows = buffers.ids.duplicate[: min(buffers.duplicates, KEPT_PROBLEMS)]
        pairs = [(int(row), int(id)) for row, id in zip(rows, buffers.of("id")[rows], strict=True)]
        return placed(tables, table, CsvProblem.DUPLICATE_ID, pairs), buffers.duplicates
    pairs, count = [], 0
    for piece in tables.pieces_of(table):
        for _, rows, ids in piece.unknown:
            count += len(rows)
            places = rows[:KEPT_PROBLEMS] - tables.first_row(table)
            pairs += zip(places.tolist(), ids[:KEPT_PROBLEMS].tolist(), strict=True)
    return placed(tables, table, CsvProblem.DANGLING_REFERENCE, sorted(pairs)[:KEPT_PROBLEMS]), count


def _cut(file: TableFile, lines: int) -> CsvFinding | None:
    """Returns the problem of a file without a last line end, or None."""
    if not file.size or os.pread(file.descriptor, 1, file.size - 1) == b"\n":
        return None
    start = file.size
    while start > 0:
        begin = max(0, start - TAIL)
        at = os.pread(file.descriptor, start - begin, begin).rfind(b"\n")
        if at >= 0:
            return CsvFinding(file.table, lines, CsvProblem.CUT, begin + at + 1)
        start = begin
    return CsvFinding(file.table, lines, CsvProblem.CUT, 0)


def placed(tables: CsvKernelTables, table: str, kind: CsvProblem, rows: Sequence[tuple[int, int]]) -> list[CsvFinding]:
    """Returns the problems of some rows of a table, each with an id, with their lines."""
    findings = []
    pieces = tables.pieces_of(table)
    ends = np.cumsum([int(piece.facts[GOOD]) for piece in pieces])
    lines = np.cumsum([0, *(int(piece.facts[LINES]) for piece in pieces)])
    number, places = -1, list[tuple[int, int]]()
    for row, id in rows:
        chunk = int(np.searchsorted(ends, row, "right"))
        if chunk != number:
            number, places = chunk, _places(tables, table, chunk)
        line, offset = places[row - (int(ends[chunk - 1]) if chunk else 0)]
        findings.append(CsvFinding(table, int(lines[chunk]) + line, kind, offset, id))
    return findings


def _places(tables: CsvKernelTables, table: str, number: int) -> list[tuple[int, int]]:
    """Line (from 1, in the chunk) and offset of the good rows of a chunk, read once more."""
    file, begin = tables.files[table], number * tables.chunk
    place = max(begin - 1, 0)
    data = os.pread(file.descriptor, tables.chunk + 1 + LONG_TAIL, place)
    start = data.find(b"\n") + 1 if begin else 0
    found, line = [], 0
    while place + start < min(begin + tables.chunk, file.size):
        end = data.find(b"\n", start)
        text = data[start : end if end >= 0 else len(data)].removesuffix(b"\r")
        line += 1
        if text and (begin or line > 1) and _is_good(tables, table, text):
            found.append((line, place + start))
        if end < 0:
            break
        start = end + 1
    return found


def _is_good(tables: CsvKernelTables, table: str, text: bytes) -> bool:
    if len(text) > LONGEST:
        return False
    if table in METHOD_TABLES:
        return csv_table.method_of(text, tables.more) is not None
    form = FORMS[table][0]
    if form == NUMBER:
        return csv_table.number_of(text) >= 0
    if form == PAIR:
        return csv_table.numbers_of(text, 2) is not None
    return (csv_table.edge_of(text) if form == EDGE else csv_table.invoke_of(text)) is not None
