"""Counts, facts and problems that all text trees have, in plain Python over a finished scan."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from parsers.formats.graalvm.text.read.line import DEEPEST
from parsers.formats.graalvm.text.read.plain_scan import PlainTextScan
from parsers.formats.graalvm.text.read.plain_tree import PlainTree
from parsers.formats.graalvm.text.summary import (
    CUT,
    DANGLING_REFERENCE,
    DEPTH_JUMP,
    DUPLICATE_ID,
    KEPT_PROBLEMS,
    STRAY_LINE,
    TOO_DEEP,
    UNKNOWN_ROW,
    ProblemNumbers,
)
from parsers.io.charset import decode
from parsers.model.none import NONE

LINE_ENDS = ("lf", "crlf")


def totals_of_scan(tree: PlainTree) -> dict[str, int]:
    """Returns the counts that all text trees have."""
    scan = tree.scan
    declared = [id for id, row in zip(scan.vertex_ids, scan.declarations, strict=True) if id >= 0 and row != NONE]
    references = [
        (row, scan.declarations[vertex])
        for row, vertex in enumerate(scan.vertices)
        if vertex != NONE and scan.vertex_ids[vertex] >= 0 and not scan.declares[row]
    ]
    max_id = max(declared, default=-1)
    return {
        "bytes": scan.size,
        "lines": scan.line_count,
        "blank_lines": scan.blank_lines,
        "max_line_bytes": scan.longest_line,
        "rows": tree.rows,
        "unknown_rows": scan.kinds.count(scan.unknown),
        "continuation_lines": scan.continuation_lines,
        "stray_lines": len(scan.strays),
        "ids": len(declared),
        "max_id": max_id,
        "id_gaps": max_id + 1 - len(declared),
        "duplicate_ids": len(scan.duplicates),
        "id_refs": len(references),
        "forward_refs": sum(row < declaration != NONE for row, declaration in references),
        "dangling_refs": sum(declaration == NONE for _, declaration in references),
        "max_depth": max(scan.depths, default=-1),
        "max_children": scan.max_children,
    }


def facts_of_scan(scan: PlainTextScan) -> dict[str, Any]:
    """Returns the facts that all text trees have."""
    return {
        "encoding": scan.boxes.encoding,
        "line_end": LINE_ENDS[scan.crlf_lines * 2 > scan.line_count],
        "depth_rows": depth_rows(scan.depths),
    }


def problems_of_scan(tree: PlainTree, unknown: Collection[int]) -> tuple[list[ProblemNumbers], int]:
    """Returns the first problems of each kind, and the total number of problems. unknown: kinds of unknown rows"""
    scan = tree.scan

    def of_row(kind: int, row: int) -> ProblemNumbers:
        vertex = scan.vertices[row]
        return ProblemNumbers(
            scan.lines[row], kind, scan.offsets[row], -1 if vertex == NONE else scan.vertex_ids[vertex]
        )

    dangling = [
        row
        for row, vertex in enumerate(scan.vertices)
        if vertex != NONE
        and scan.vertex_ids[vertex] >= 0
        and scan.declarations[vertex] == NONE
        and not scan.declares[row]
    ]
    rows: dict[int, Sequence[int]] = {
        UNKNOWN_ROW: [row for row, kind in enumerate(scan.kinds) if kind in unknown],
        DEPTH_JUMP: scan.jumps,
        DUPLICATE_ID: scan.duplicates,
        DANGLING_REFERENCE: dangling,
        TOO_DEEP: [scan.depths.index(DEEPEST)] if DEEPEST in scan.depths else [],
    }
    problems = [of_row(kind, row) for kind in rows for row in rows[kind][:KEPT_PROBLEMS]]
    strays = zip(scan.stray_lines[:KEPT_PROBLEMS], scan.strays, strict=False)
    problems += [ProblemNumbers(line, STRAY_LINE, offset) for line, offset in strays]
    count = sum(map(len, rows.values())) + len(scan.strays)
    if scan.last_line is not None and not scan.last_line[2]:
        problems.append(ProblemNumbers(scan.last_line[0], CUT, scan.last_line[1]))
        count += 1
    return problems, count


def ordered(totals: Mapping[str, int], names: Sequence[str]) -> dict[str, int]:
    """Returns the counts in the order of `names`."""
    return {name: int(totals[name]) for name in names}


def depth_rows(depths: array[int]) -> list[int]:
    """Returns the number of rows at depth 0, 1, 2 …"""
    rows = Counter(depths)
    return [rows[depth] for depth in range(max(rows, default=-1) + 1)]


def count_texts(names: Sequence[bytes], encoding: str) -> int:
    """Returns the number of different decoded names: all bytes that are invalid in the charset decode alike.

    ASCII names can't become equal, so only the others are decoded.
    """
    strange = [name for name in names if not name.isascii()]
    return len(names) - len(strange) + len({decode(name, encoding) for name in strange})
