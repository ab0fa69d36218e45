"""Constructs of a recording in file order, by a kernel: elements, end tags, comments, and bytes that are no construct.

The kernel stops at each construct that plain code has to read: one that begins a session or has facts of it, or whose
texts are not in UTF-8. Twins: `construct_reader`, `sessions`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from parsers.formats.tptp.read.element_chunk import MOST_FINDINGS, MOST_WORDS, SURPRISE
from parsers.formats.tptp.read.kernels.element import BAD, LESS, SLASH, is_first_in_name, may_begin
from parsers.formats.tptp.read.kernels.markup import EXCLAMATION, QUESTION, take_end_tag, take_other
from parsers.formats.tptp.read.kernels.session import close_gap, pass_by
from parsers.formats.tptp.read.kernels.start_tag import (
    TO_DECODING,
    TO_MORE_NAMES,
    TO_MORE_OTHERS,
    TO_PLAIN,
    take_element,
)
from parsers.formats.tptp.read.scanner import MOST
from parsers.formats.tptp.schema.vocabulary import NOTHING
from parsers.kernels.decorators import int64, kernel, part
from parsers.kernels.vector import find

if TYPE_CHECKING:
    from parsers.formats.tptp.read.element_chunk import ElementChunk
    from parsers.formats.tptp.read.kernels.ordered_arrays import OrderedArrays
    from parsers.formats.tptp.schema.element_names import ElementNameArrays
    from parsers.model.arrays import U8Array

DONE, FULL, PLAIN, MORE_NAMES, MORE_OTHERS, DECODING = 0, 1, TO_PLAIN, TO_MORE_NAMES, TO_MORE_OTHERS, TO_DECODING
"""Why the kernel returns: all rows are read; the batch is full; plain code reads the construct; a table of names is
full; plain code decodes bytes.
"""
MARGIN = 16
"""Findings and words that one construct may add."""


@part
def next_start(data: U8Array, at: int, stop: int) -> int:
    """Position where the next construct may begin before `stop`; `stop` if none does. Twin: `scanner.next_start`."""
    at = find(data, at, stop, LESS)
    while at >= 0 and not may_begin(data, at):
        at = find(data, at + 1, stop, LESS)
    return at if at >= 0 else stop


@kernel
def take_rows(
    ordered: OrderedArrays, chunk: ElementChunk, names: ElementNameArrays, length: int, rows: int, reached: int,
    stop: int, base: int, has_long_names: bool,
) -> int:  # fmt: skip
    """Takes the rows of a chunk from state.row on, where reading is at state.at; why it returns.

    length  bytes of the chunk
    rows    rows that `read_elements` made, and where it ended: `reached`
    stop    what begins there belongs to the next chunk
    base    offset of the chunk
    """
    data, code, start, end = chunk.data, chunk.code, chunk.start, chunk.end
    state = ordered.state[0]
    row, at = state.row, state.at
    result = int64(DONE)
    while row < rows:
        begin = int64(start[row])
        if begin < at:
            # Inside of something that was taken.
            code[row] = NOTHING
            row += 1
            continue
        if state.findings > MOST_FINDINGS - MARGIN or state.words > MOST_WORDS - MARGIN:
            result = FULL
            break
        if at < begin:
            pass_by(ordered, data, at, begin, base)
            at = begin
        if code[row] != SURPRISE:
            if state.gap >= 0:
                close_gap(ordered)
            # Only white space is between the rows up to the next SURPRISE.
            surprise = find(code, row, rows, SURPRISE)
            row = rows if surprise < 0 else surprise
            at = int64(end[row - 1])
            state.has_any = 1
            state.good = base + at
            state.is_closed = state.is_content = 0
            continue
        behind = int64(BAD)
        limit = min(length, at + MOST)
        byte = int64(data[at + 1])
        if data[at] == LESS:
            if byte == SLASH:
                behind = take_end_tag(ordered, data, at, limit, base)
            elif byte in (EXCLAMATION, QUESTION):
                behind = take_other(ordered, data, at, limit, base)
            elif is_first_in_name(byte):
                behind = take_element(ordered, chunk, names, at, limit, base, row, has_long_names)
            if behind < BAD:
                result = behind
                break
        if code[row] == SURPRISE:
            code[row] = NOTHING
        if behind >= 0:
            end[row] = behind
            at = behind
        else:
            until = next_start(data, at + 1 if data[at] == LESS else at, stop)
            pass_by(ordered, data, at, until, base)
            at = until
        row += 1
    if result == DONE:
        last = max(at, min(reached, stop))
        if last > at:
            pass_by(ordered, data, at, last, base)
            at = last
    state.row, state.at = row, at
    return result
