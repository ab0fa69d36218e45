"""End tags, comments, instructions, character data and document types, by kernels. Twin: `scanner`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from parsers.formats.tptp.read.kernels.element import (
    APOSTROPHE,
    BAD,
    GREATER,
    LESS,
    QUOTE,
    behind_white,
    is_first_in_name,
    is_in_name,
)
from parsers.formats.tptp.read.kernels.session import close_gap, is_white, note, restart
from parsers.formats.tptp.read.kernels.start_tag import TO_PLAIN
from parsers.formats.tptp.read.scanner import MOST_UNMATCHED
from parsers.formats.tptp.read.session_state import MOST_SESSIONS
from parsers.formats.tptp.schema.counters import FindingKind
from parsers.kernels.decorators import apart, int64, part, uint64
from parsers.kernels.vector import find, load64

if TYPE_CHECKING:
    from parsers.formats.tptp.read.kernels.ordered_arrays import OrderedArrays
    from parsers.model.arrays import U8Array

QUESTION, EXCLAMATION, MINUS, OPENING, CLOSING = 63, 33, 45, 91, 93
COMMENT, DATA, INSTRUCTION = range(3)
BEGINS_DATA, BEGINS_TYPE, BEGINS_COMMENT = (
    uint64(int.from_bytes(word, "little")) for word in (b"![CDATA[", b"!DOCTYPE", b"<!--")
)
LOW_4 = uint64(0xFFFFFFFF)


@apart
def take_end_tag(ordered: OrderedArrays, data: U8Array, at: int, limit: int, base: int) -> int:
    """Reads the end tag that begins at a position; its end, or BAD."""
    state = ordered.state[0]
    end = at + 2
    if not is_first_in_name(int64(data[end])):
        return BAD
    while is_in_name(int64(data[end])):
        end += 1
    is_root = end == at + 7 and data[at + 2] == 84 and data[at + 3] == 82 and data[at + 4] == 65
    is_root = is_root and data[at + 5] == 67 and data[at + 6] == 69
    end = behind_white(data, end)
    if data[end] != GREATER or end >= limit:
        return BAD
    close_gap(ordered)
    state.good = base + end + 1
    state.is_content = 0
    if is_root:
        state.is_closed = 1
    return end + 1


@apart
def end_of(state: Any, data: U8Array, kind: int, at: int, inside: int, limit: int, base: int) -> int:
    """End of the comment, character data or instruction that begins at a position; BAD: none. Twin: `Constructs`.

    inside  position behind its beginning
    """
    at = max(inside, state.no_end[kind] - base)
    byte = MINUS if kind == COMMENT else CLOSING if kind == DATA else QUESTION
    while True:
        at = find(data, at, limit, byte)
        if at < 0:
            break
        if kind == INSTRUCTION:
            if at + 1 < limit and data[at + 1] == GREATER:
                return at + 2
        elif at + 2 < limit and data[at + 1] == byte and data[at + 2] == GREATER:
            return at + 3
        at += 1
    state.no_end[kind] = base + limit - 2
    return BAD


@part
def behind_quoted(data: U8Array, at: int, limit: int) -> int:
    """Position behind the quoted text that begins here; BAD if it doesn't end, or has a zero byte."""
    quote = data[at]
    at += 1
    while at < limit and data[at] != quote:
        if data[at] == 0:
            return BAD
        at += 1
    return at + 1 if at < limit else BAD


@part
def behind_comment(data: U8Array, at: int, limit: int) -> int:
    """Position behind the comment that begins here; BAD if it doesn't end."""
    at = find(data, at + 6, limit, GREATER)
    while at >= 0:
        if data[at - 1] == MINUS and data[at - 2] == MINUS:
            return at + 1
        at = find(data, at + 1, limit, GREATER)
    return BAD


@apart
def end_of_type(data: U8Array, at: int, limit: int) -> int:
    """End of the document type that begins at a position; BAD: none."""
    at += 9
    is_inside = False
    while at < limit:
        byte = data[at]
        if byte in (QUOTE, APOSTROPHE):
            at = behind_quoted(data, at, limit)
        elif byte == 0:
            return BAD
        elif is_inside:
            if byte == CLOSING:
                at = behind_white(data, at + 1)
                return at + 1 if at < limit and data[at] == GREATER else BAD
            is_comment = byte == LESS and load64(data, at) & LOW_4 == BEGINS_COMMENT
            at = behind_comment(data, at, limit) if is_comment else at + 1
        elif byte == OPENING:
            is_inside = True
            at += 1
        elif byte == GREATER:
            return at + 1
        elif byte == LESS:
            return BAD
        else:
            at += 1
        if at < 0:
            return BAD
    return BAD


@part
def take_prologue(ordered: OrderedArrays, start: int) -> int:
    """Notes an XML declaration; TO_PLAIN where the encoding that it names counts. Twin: `Sessions.prologue`."""
    state = ordered.state[0]
    is_second = state.has_prologue or state.has_root or state.has_any
    if state.begun < MOST_SESSIONS or (state.begun == MOST_SESSIONS and not is_second):
        return TO_PLAIN
    if is_second:
        restart(ordered, start)
    state.has_prologue = 1
    return 0


@apart
def take_other(ordered: OrderedArrays, data: U8Array, at: int, limit: int, base: int) -> int:
    """Reads a comment, an instruction, character data or a document type; its end, BAD or TO_PLAIN."""
    state = ordered.state[0]
    if data[at + 1] == QUESTION:
        end = end_of(state, data, INSTRUCTION, at, at + 2, limit, base)
        is_prologue = data[at + 2] == 120 and data[at + 3] == 109 and data[at + 4] == 108 and is_white(data[at + 5])
        if end >= 0 and is_prologue and take_prologue(ordered, base + at) == TO_PLAIN:
            return TO_PLAIN
    elif data[at + 2] == MINUS and data[at + 3] == MINUS:
        end = end_of(state, data, COMMENT, at, at + 4, limit, base)
    elif load64(data, at + 1) == BEGINS_DATA:
        end = end_of(state, data, DATA, at, at + 9, limit, base)
    else:
        if state.unmatched == MOST_UNMATCHED:
            return BAD
        end = end_of_type(data, at, limit) if load64(data, at + 1) == BEGINS_TYPE else BAD
        if end >= 0:
            note(ordered, FindingKind.DOCUMENT_TYPE, base + at, end - at)
        else:
            state.unmatched += 1
    if end >= 0:
        close_gap(ordered)
    return end
