"""Joins lines and problems of chunks into those of one document. See `kernel` for the steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parsers.formats.graalvm.calls.index.row import INTERFACE, VIRTUAL
from parsers.formats.graalvm.text.read.chunk import (
    BLANK,
    CHILDLESS,
    CONTINUED,
    CONTINUED_ROWS,
    CONTROLS,
    CRLF,
    ENDS_OPEN,
    EXTRA_LINES,
    FIRST_LF,
    GAPS,
    JUMPS,
    JUMPS_KEPT,
    LAST_DEPTH,
    LAST_KIND,
    LAST_LINE,
    LEAD,
    LEAD_ONLY,
    LINES,
    LONGEST_LINE,
    NULS,
    OPEN_LINE,
    ROWS,
    STRAY,
    STRAYS_KEPT,
    TAIL_LINES,
    UNKNOWN,
    UNKNOWN_KEPT,
)
from parsers.formats.graalvm.text.summary import KEPT_PROBLEMS
from parsers.kernels.decorators import int64, kernel, part

if TYPE_CHECKING:
    from parsers.formats.graalvm.text.read.chunk import TextChunk, TextState
    from parsers.model.arrays import I64Array, U8Array

CR = 13


@part
def join_line_counts(facts: I64Array, sums: I64Array, data: U8Array, place: int, stop: int, is_end: bool) -> None:
    """Sums the counts of lines, and ends a line that is longer than a chunk."""
    if sums[OPEN_LINE] >= 0 and (facts[FIRST_LF] >= 0 or is_end):
        end = facts[FIRST_LF] if facts[FIRST_LF] >= 0 else stop
        length = place + end - sums[OPEN_LINE]
        if end > 0 and data[end - 1] == CR:
            length -= 1
            sums[CRLF] += facts[FIRST_LF] >= 0
        sums[LONGEST_LINE] = max(sums[LONGEST_LINE], length)
        sums[OPEN_LINE] = -1
    if facts[OPEN_LINE] >= 0:
        sums[OPEN_LINE] = place + facts[OPEN_LINE]
    if facts[LAST_LINE] >= 0:
        sums[LAST_LINE] = place + facts[LAST_LINE]

    sums[BLANK] += facts[BLANK]
    sums[CONTINUED] += facts[CONTINUED]
    sums[STRAY] += facts[STRAY]
    sums[CRLF] += facts[CRLF]
    sums[CONTROLS] += facts[CONTROLS]
    sums[NULS] += facts[NULS]
    sums[LONGEST_LINE] = max(sums[LONGEST_LINE], facts[LONGEST_LINE])


@kernel
def join_lines(chunk: TextChunk, whole: TextState, place: int, stop: int, is_end: bool) -> None:
    """Joins the lines and problems of a chunk to all chunks before it. Called before `join_chunk`.

    Arguments as there. Numbers the lines that are no rows, assigns lines at the chunk's start to their rows, and
    relates its first row to the row before.
    """
    facts, sums = chunk.facts, whole.facts
    base = sums[ROWS]
    join_line_counts(facts, sums, chunk.data, place, stop, is_end)
    lead = facts[LEAD]
    first_stray = 0
    if lead and sums[ENDS_OPEN]:
        sums[CONTINUED] += lead
        whole.continued_lines[sums[CONTINUED_ROWS] - 1] += lead
        first_stray = lead
    elif lead:
        sums[STRAY] += lead
    for stray in range(first_stray, lead + facts[STRAY]):
        if sums[STRAYS_KEPT] == KEPT_PROBLEMS:
            break
        at = stray if stray < lead else stray - lead + KEPT_PROBLEMS
        if (at if stray < lead else at - KEPT_PROBLEMS) >= KEPT_PROBLEMS:
            break
        whole.stray_line[sums[STRAYS_KEPT]] = sums[LINES] + chunk.stray_line[at] + 1
        whole.stray_offset[sums[STRAYS_KEPT]] = place + chunk.stray_offset[at]
        sums[STRAYS_KEPT] += 1
    if not facts[LEAD_ONLY]:
        sums[ENDS_OPEN] = facts[ENDS_OPEN]
    for row in range(facts[CONTINUED_ROWS]):
        whole.continued_row[sums[CONTINUED_ROWS]] = base + chunk.continued_row[row]
        whole.continued_lines[sums[CONTINUED_ROWS]] = chunk.continued_lines[row]
        sums[CONTINUED_ROWS] += 1

    carried = sums[TAIL_LINES]
    if facts[ROWS]:
        if carried and not (facts[GAPS] and chunk.gap_row[0] == 0):
            sums[EXTRA_LINES] += carried
            whole.gap_row[sums[GAPS]] = base
            whole.gap_lines[sums[GAPS]] = sums[EXTRA_LINES]
            sums[GAPS] += 1
            carried = 0
        for gap in range(facts[GAPS]):
            sums[EXTRA_LINES] += carried + chunk.gap_lines[gap]
            carried = 0
            whole.gap_row[sums[GAPS]] = base + chunk.gap_row[gap]
            whole.gap_lines[sums[GAPS]] = sums[EXTRA_LINES]
            sums[GAPS] += 1
        carried = 0
    sums[TAIL_LINES] = carried + facts[TAIL_LINES]
    sums[LINES] += facts[LINES]
    if facts[ROWS]:
        first = int64(chunk.depth[0])
        before = sums[LAST_DEPTH] if base else -1
        if first > before + 1:
            sums[JUMPS] += 1
            if sums[JUMPS_KEPT] < KEPT_PROBLEMS:
                whole.jump_row[sums[JUMPS_KEPT]] = base
                sums[JUMPS_KEPT] += 1
        elif base and first <= before and (sums[LAST_KIND] == VIRTUAL or sums[LAST_KIND] == INTERFACE):
            sums[CHILDLESS] += 1
    for row in range(min(facts[JUMPS], KEPT_PROBLEMS - sums[JUMPS_KEPT])):
        whole.jump_row[sums[JUMPS_KEPT]] = base + chunk.jump_row[row]
        sums[JUMPS_KEPT] += 1
    for row in range(min(facts[UNKNOWN], KEPT_PROBLEMS - sums[UNKNOWN_KEPT])):
        whole.unknown_row[sums[UNKNOWN_KEPT]] = base + chunk.unknown_row[row]
        sums[UNKNOWN_KEPT] += 1
    sums[JUMPS] += facts[JUMPS]
    sums[UNKNOWN] += facts[UNKNOWN]
    sums[CHILDLESS] += facts[CHILDLESS]
