"""Sessions and the bytes between constructs, by kernels. Twin: `sessions`."""

from __future__ import annotations

from typing import Any

from parsers.formats.tptp.read.kernels.element import LESS, behind_white
from parsers.formats.tptp.read.session_state import (
    BEGUN,
    FINDINGS,
    GAP,
    GAP_END,
    GAP_IS_TORN,
    GOOD,
    HAS_ANY,
    HAS_NODE,
    HAS_PROLOGUE,
    HAS_ROOT,
    IS_CLOSED,
    IS_CONTENT,
    PART_START,
    RECORDINGS,
    ZEROS,
)
from parsers.formats.tptp.schema.columns import CUT_ELEMENT, JUNK, NO_END, SECOND_SESSION, TORN_ELEMENT
from parsers.formats.tptp.schema.columns import ZEROS as ZEROS_FOUND
from parsers.formats.tptp.schema.vocabulary import CODES
from parsers.kernels.decorators import apart, int64, part
from parsers.kernels.vector import find

TRACE, NODE, START = CODES["TRACE"], CODES["node"], CODES["traceStart"]
BOM = (0xEF, 0xBB, 0xBF)


@part
def note(ordered: Any, kind: int, offset: int, value: int) -> None:
    """Adds a finding."""
    place = ordered.state[FINDINGS]
    ordered.found.kinds[place] = kind
    ordered.found.offsets[place] = offset
    ordered.found.values[place] = value
    ordered.state[FINDINGS] = place + 1


@part
def is_white(byte: int) -> bool:
    """True for white space."""
    return byte == 32 or byte == 9 or byte == 10 or byte == 13


@apart
def close_gap(ordered: Any) -> None:
    """Ends bytes that belong to no construct. Twin: `Sessions._close_gap`."""
    state = ordered.state
    if state[GAP] < 0:
        return
    length = state[GAP_END] - state[GAP]
    if length:
        note(ordered, TORN_ELEMENT if state[GAP_IS_TORN] else JUNK, state[GAP], length)
    else:
        note(ordered, ZEROS_FOUND, state[GAP], state[ZEROS])
    state[GAP] = state[GAP_END] = -1
    state[GAP_IS_TORN] = state[ZEROS] = 0


@apart
def add_gap(ordered: Any, data: Any, at: int, until: int, base: int) -> None:
    """Adds bytes that belong to no construct. Twin: `Sessions.gap`."""
    state = ordered.state
    if at >= until or (state[IS_CONTENT] and data[at] != LESS):
        return
    is_begin = base + at == state[PART_START] and until >= at + 3
    if is_begin and data[at] == BOM[0] and data[at + 1] == BOM[1] and data[at + 2] == BOM[2]:
        at += 3
    last = until
    zeros = 0
    while last > at and (is_white(data[last - 1]) or data[last - 1] == 0):
        last -= 1
        if data[last] == 0:
            zeros += 1
    if last == at:
        state[ZEROS] += zeros
        if state[ZEROS] and state[GAP] < 0:
            while data[at] != 0:
                at += 1
            state[GAP] = state[GAP_END] = base + at
        return
    if state[GAP] < 0 or state[GAP_END] == state[GAP]:
        first = at
        if state[GAP] < 0:
            first = behind_white(data, at)
            state[GAP] = base + first
        state[GAP_IS_TORN] = data[first] == LESS
    state[IS_CONTENT] = 0
    state[GAP_END] = base + last
    state[ZEROS] = zeros


@apart
def pass_by(ordered: Any, data: Any, at: int, until: int, base: int) -> None:
    """Skips bytes between constructs."""
    if behind_white(data, at) >= until:
        return
    start = find(data, at, until, LESS)
    if start > at:
        add_gap(ordered, data, at, start, base)
        at = start
    add_gap(ordered, data, at, until, base)


@apart
def restart(ordered: Any, start: int) -> None:
    """Begins a session of which no mark is needed. Twin: `Sessions._restart`. start: offset"""
    state = ordered.state
    rest = int64(0)
    if state[GAP] >= 0:
        rest = max(int64(0), state[GAP_END] - state[GAP])
    is_cut = False
    if rest:
        is_cut = state[GAP_IS_TORN] != 0 and state[IS_CLOSED] == 0
        note(ordered, CUT_ELEMENT if is_cut else TORN_ELEMENT if state[GAP_IS_TORN] else JUNK, state[GAP], rest)
    if state[ZEROS]:
        note(ordered, ZEROS_FOUND, state[GAP_END] if rest else state[GAP], state[ZEROS])
    if not is_cut and state[IS_CLOSED] == 0:
        note(ordered, NO_END, state[GOOD], 0)
    state[BEGUN] += 1
    state[GOOD] = start
    state[HAS_PROLOGUE] = state[HAS_ROOT] = state[HAS_NODE] = state[HAS_ANY] = 0
    state[IS_CLOSED] = state[IS_CONTENT] = 0
    state[GAP] = state[GAP_END] = -1
    state[GAP_IS_TORN] = state[ZEROS] = 0
    note(ordered, SECOND_SESSION, start, 0)


@part
def note_element(ordered: Any, code: int, start: int, end: int, is_open: Any) -> None:
    """Notes an element. Twin: `Sessions.element`."""
    state = ordered.state
    close_gap(ordered)
    if code == TRACE:
        state[HAS_ROOT] = 1
    else:
        state[HAS_ANY] = 1
        if code == NODE:
            state[HAS_NODE] = 1
        elif code == START:
            state[RECORDINGS] += 1
    state[GOOD] = end
    state[IS_CLOSED] = 0
    state[IS_CONTENT] = 1 if is_open and code != TRACE else 0
