"""Sessions and the bytes between constructs, by kernels. Twin: `sessions`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parsers.formats.tptp.read.kernels.element import LESS, behind_white
from parsers.formats.tptp.schema.counters import FindingKind
from parsers.formats.tptp.schema.vocabulary import CODES
from parsers.kernels.decorators import apart, int64, part
from parsers.kernels.vector import find

if TYPE_CHECKING:
    from parsers.formats.tptp.read.kernels.ordered_arrays import OrderedArrays
    from parsers.model.arrays import U8Array

TRACE, NODE, START = CODES["TRACE"], CODES["node"], CODES["traceStart"]
BOM = (0xEF, 0xBB, 0xBF)


@part
def note(ordered: OrderedArrays, kind: int, offset: int, value: int) -> None:
    """Adds a finding."""
    place = ordered.state[0].findings
    ordered.found.kinds[place] = kind
    ordered.found.offsets[place] = offset
    ordered.found.values[place] = value
    ordered.state[0].findings = place + 1


@part
def is_white(byte: int) -> bool:
    """True for white space."""
    return byte == 32 or byte == 9 or byte == 10 or byte == 13


@apart
def close_gap(ordered: OrderedArrays) -> None:
    """Ends bytes that belong to no construct. Twin: `Sessions._close_gap`."""
    state = ordered.state[0]
    if state.gap < 0:
        return
    length = state.gap_end - state.gap
    if length:
        note(ordered, FindingKind.TORN_ELEMENT if state.gap_is_torn else FindingKind.JUNK, state.gap, length)
    else:
        note(ordered, FindingKind.ZEROS, state.gap, state.zeros)
    state.gap = state.gap_end = -1
    state.gap_is_torn = state.zeros = 0


@apart
def add_gap(ordered: OrderedArrays, data: U8Array, at: int, until: int, base: int) -> None:
    """Adds bytes that belong to no construct. Twin: `Sessions.gap`."""
    state = ordered.state[0]
    if at >= until or (state.is_content and data[at] != LESS):
        return
    is_begin = base + at == state.part_start and until >= at + 3
    if is_begin and data[at] == BOM[0] and data[at + 1] == BOM[1] and data[at + 2] == BOM[2]:
        at += 3
    last = until
    zeros = 0
    while last > at and (is_white(data[last - 1]) or data[last - 1] == 0):
        last -= 1
        if data[last] == 0:
            zeros += 1
    if last == at:
        state.zeros += zeros
        if state.zeros and state.gap < 0:
            while data[at] != 0:
                at += 1
            state.gap = state.gap_end = base + at
        return
    if state.gap < 0 or state.gap_end == state.gap:
        first = at
        if state.gap < 0:
            first = behind_white(data, at)
            state.gap = base + first
        state.gap_is_torn = data[first] == LESS
    state.is_content = 0
    state.gap_end = base + last
    state.zeros = zeros


@apart
def pass_by(ordered: OrderedArrays, data: U8Array, at: int, until: int, base: int) -> None:
    """Skips bytes between constructs."""
    if behind_white(data, at) >= until:
        return
    start = find(data, at, until, LESS)
    if start > at:
        add_gap(ordered, data, at, start, base)
        at = start
    add_gap(ordered, data, at, until, base)


@apart
def restart(ordered: OrderedArrays, start: int) -> None:
    """Begins a session of which no mark is needed. Twin: `Sessions._restart`. start: offset"""
    state = ordered.state[0]
    rest = int64(0)
    if state.gap >= 0:
        rest = max(int64(0), state.gap_end - state.gap)
    is_cut = False
    if rest:
        is_cut = state.gap_is_torn != 0 and state.is_closed == 0
        kind = FindingKind.TORN_ELEMENT if state.gap_is_torn else FindingKind.JUNK
        note(ordered, FindingKind.CUT_ELEMENT if is_cut else kind, state.gap, rest)
    if state.zeros:
        note(ordered, FindingKind.ZEROS, state.gap_end if rest else state.gap, state.zeros)
    if not is_cut and state.is_closed == 0:
        note(ordered, FindingKind.NO_END_MARK, state.good, 0)
    state.begun += 1
    state.good = start
    state.has_prologue = state.has_root = state.has_node = state.has_any = 0
    state.is_closed = state.is_content = 0
    state.gap = state.gap_end = -1
    state.gap_is_torn = state.zeros = 0
    note(ordered, FindingKind.SECOND_SESSION, start, 0)


@part
def note_element(ordered: OrderedArrays, code: int, start: int, end: int, is_open: bool) -> None:
    """Notes an element. Twin: `Sessions.element`."""
    state = ordered.state[0]
    close_gap(ordered)
    if code == TRACE:
        state.has_root = 1
    else:
        state.has_any = 1
        if code == NODE:
            state.has_node = 1
        elif code == START:
            state.recordings += 1
    state.good = end
    state.is_closed = 0
    state.is_content = 1 if is_open and code != TRACE else 0
