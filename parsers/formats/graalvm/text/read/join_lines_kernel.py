"""Joins lines and problems of chunks into those of one document. See `kernel` for the steps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from parsers.formats.graalvm.calls.index.row import INTERFACE, VIRTUAL
from parsers.formats.graalvm.text.summary import KEPT_PROBLEMS
from parsers.kernels.decorators import int64, kernel, part

if TYPE_CHECKING:
    from parsers.formats.graalvm.text.read.chunk import TextChunk, TextState
    from parsers.model.arrays import U8Array

CR = 13


@part
def join_line_counts(facts: Any, sums: Any, data: U8Array, place: int, stop: int, is_end: bool) -> None:
    """Sums the counts of lines, and ends a line that is longer than a chunk."""
    if sums.open_line >= 0 and (facts.first_lf >= 0 or is_end):
        end = facts.first_lf if facts.first_lf >= 0 else stop
        length = place + end - sums.open_line
        if end > 0 and data[end - 1] == CR:
            length -= 1
            sums.crlf += facts.first_lf >= 0
        sums.longest_line = max(sums.longest_line, length)
        sums.open_line = -1
    if facts.open_line >= 0:
        sums.open_line = place + facts.open_line
    if facts.last_line >= 0:
        sums.last_line = place + facts.last_line

    sums.blank += facts.blank
    sums.continued += facts.continued
    sums.stray += facts.stray
    sums.crlf += facts.crlf
    sums.controls += facts.controls
    sums.nuls += facts.nuls
    sums.longest_line = max(sums.longest_line, facts.longest_line)


@kernel
def join_lines(chunk: TextChunk, whole: TextState, place: int, stop: int, is_end: bool) -> None:
    """Joins the lines and problems of a chunk to all chunks before it. Called before `join_chunk`.

    Arguments as there. Numbers the lines that are no rows, assigns lines at the chunk's start to their rows, and
    relates its first row to the row before.
    """
    facts, sums = chunk.facts[0], whole.facts[0]
    base = sums.rows
    join_line_counts(facts, sums, chunk.data, place, stop, is_end)
    lead = facts.lead
    first_stray = 0
    if lead and sums.ends_open:
        sums.continued += lead
        whole.continued_lines[sums.continued_rows - 1] += lead
        first_stray = lead
    elif lead:
        sums.stray += lead
    for stray in range(first_stray, lead + facts.stray):
        if sums.strays_kept == KEPT_PROBLEMS:
            break
        at = stray if stray < lead else stray - lead + KEPT_PROBLEMS
        if (at if stray < lead else at - KEPT_PROBLEMS) >= KEPT_PROBLEMS:
            break
        whole.stray_line[sums.strays_kept] = sums.lines + chunk.stray_line[at] + 1
        whole.stray_offset[sums.strays_kept] = place + chunk.stray_offset[at]
        sums.strays_kept += 1
    if not facts.lead_only:
        sums.ends_open = facts.ends_open
    for row in range(facts.continued_rows):
        whole.continued_row[sums.continued_rows] = base + chunk.continued_row[row]
        whole.continued_lines[sums.continued_rows] = chunk.continued_lines[row]
        sums.continued_rows += 1

    carried = sums.tail_lines
    if facts.rows:
        if carried and not (facts.gaps and chunk.gap_row[0] == 0):
            sums.extra_lines += carried
            whole.gap_row[sums.gaps] = base
            whole.gap_lines[sums.gaps] = sums.extra_lines
            sums.gaps += 1
            carried = 0
        for gap in range(facts.gaps):
            sums.extra_lines += carried + chunk.gap_lines[gap]
            carried = 0
            whole.gap_row[sums.gaps] = base + chunk.gap_row[gap]
            whole.gap_lines[sums.gaps] = sums.extra_lines
            sums.gaps += 1
        carried = 0
    sums.tail_lines = carried + facts.tail_lines
    sums.lines += facts.lines
    if facts.rows:
        first = int64(chunk.depth[0])
        before = sums.last_depth if base else -1
        if first > before + 1:
            sums.jumps += 1
            if sums.jumps_kept < KEPT_PROBLEMS:
                whole.jump_row[sums.jumps_kept] = base
                sums.jumps_kept += 1
        elif base and first <= before and (sums.last_kind == VIRTUAL or sums.last_kind == INTERFACE):
            sums.childless += 1
    for row in range(min(facts.jumps, KEPT_PROBLEMS - sums.jumps_kept)):
        whole.jump_row[sums.jumps_kept] = base + chunk.jump_row[row]
        sums.jumps_kept += 1
    for row in range(min(facts.unknown, KEPT_PROBLEMS - sums.unknown_kept)):
        whole.unknown_row[sums.unknown_kept] = base + chunk.unknown_row[row]
        sums.unknown_kept += 1
    sums.jumps += facts.jumps
    sums.unknown += facts.unknown
    sums.childless += facts.childless
