"""A row of an object tree classified by compiled code. Plain twin: `object_row.parse_object_row`."""

from __future__ import annotations

from typing import Any

import numpy as np

from parsers.graalvm.call_kernel import bci_before, number_before
from parsers.graalvm.chunk import CONTINUES, DECLARES, NAMED, PROBLEM, THING
from parsers.graalvm.object_row import (
    ELEMENT,
    ELEMENT_VALUE,
    FIELD_NULL,
    FIELD_SUPPRESSED,
    FIELD_VALUE,
    NULL,
    NULL_BODY,
    NULL_END,
    OBJECT_ELEMENTS,
    OBJECT_ENDS,
    OBJECT_FIELDS,
    OBJECT_NO_ELEMENTS,
    OBJECT_NO_FIELDS,
    OBJECT_UNKNOWN,
    POSITION,
    REFERENCE,
    ROOT,
    ROOT_OPEN,
    ROOT_REFERENCE,
    ROOT_SUPPRESSED,
    ROOT_VALUE,
    SUPPRESSED_END,
    TEXT,
    UNKNOWN,
    VALUE,
    VALUE_END,
)
from parsers.index.jit import part
from parsers.index.vector import equal64, find, load64, lowest_bit

HAS_LOADER, HAS_POSITION = 1, 2
"""Bits of a root's tag: its source has a loader; it is a position."""

LF, CR, BLANK, COLON, LEFT, EQUALS, OPENING, CLOSING = (ord(sign) for sign in "\n\r :(=[]")
ZERO, NINE = ord("0"), ord("9")


def _head(text: bytes) -> tuple[Any, Any]:
    """The first eight bytes of a text as a number, and a mask of those that count."""
    return np.uint64(int.from_bytes(text[:8], "little")), np.uint64((1 << 8 * len(text[:8])) - 1)


def _tail(text: bytes) -> Any:
    """The last eight bytes of a text as a number."""
    return np.uint64(int.from_bytes(text[-8:], "little"))


ROOT_HEAD, ROOT_MASK = _head(ROOT)
POSITION_HEAD, _ = _head(ROOT + POSITION)
TEXT_HEAD, _ = _head(TEXT)
TEXT_LAST = TEXT[8]
TEXT_LENGTH = len(TEXT)
NULL_HEAD, NULL_MASK = _head(NULL_BODY)
NULL_LENGTH = len(NULL_BODY)
ROOT_LENGTH = len(ROOT)

VALUE_WORD, VALUE_MASK = _head(VALUE_END)
VALUE_LENGTH = len(VALUE_END)
NULL_END_HEAD, _ = _head(NULL_END)
NULL_END_TAIL, NULL_END_LENGTH = _tail(NULL_END), len(NULL_END)
SUPPRESSED = np.frombuffer(SUPPRESSED_END, np.uint8)
SUPPRESSED_TAIL, SUPPRESSED_LENGTH = _tail(SUPPRESSED_END), len(SUPPRESSED_END)

FIELDS, NO_FIELDS, ELEMENTS, NO_ELEMENTS = (np.frombuffer(end, np.uint8) for end in OBJECT_ENDS)
FIELDS_TAIL, NO_FIELDS_TAIL, ELEMENTS_TAIL, NO_ELEMENTS_TAIL = (_tail(end) for end in OBJECT_ENDS)

Row = tuple[int, int, int, int, int, int, int]


@part
def classify_object(data: Any, start: int, stop: int, is_cut: bool) -> Row:
    """What the body data[start:stop] says, as `classify_call` does for call trees."""
    if stop - start >= 8 and load64(data, start) == POSITION_HEAD:
        return _position(data, start, stop, is_cut)
    text = text_before(data, start, stop)
    row = _with_text(data, start, text, stop) if text >= 0 else _without_text(data, start, stop)
    return row if row[0] != UNKNOWN else _unknown(data, start, stop, text, is_cut)


@part
def text_before(data: Any, start: int, stop: int) -> int:
    """Where the first ` toString=` begins, -1 if there is none."""
    at = start
    while at < stop:
        signs = equal64(data, at, EQUALS)
        while signs:
            place = at + lowest_bit(signs) - TEXT_LENGTH + 1
            if place + TEXT_LENGTH > stop:
                return -1
            if place >= start and load64(data, place) == TEXT_HEAD and data[place + 8] == TEXT_LAST:
                return place
            signs &= signs - np.uint64(1)
        at += 64
    return -1


@part
def ends_in(data: Any, start: int, stop: int, text: Any, tail: Any) -> bool:
    """Whether data[start:stop] ends in a text, given with its last eight bytes as a number."""
    length = len(text)
    if stop - start < length or load64(data, stop - 8) != tail:
        return False
    place = 0
    while place < length - 8 and load64(data, stop - length + place) == load64(text, place):
        place += 8
    return place >= length - 8


@part
def is_root(data: Any, start: int, end: int) -> bool:
    """Whether a head is a root with a source."""
    return end - start > ROOT_LENGTH and load64(data, start) & ROOT_MASK == ROOT_HEAD


@part
def root_tag(data: Any, start: int, end: int) -> int:
    """The tag of a root whose source is data[start:end] and no position. Twin: `object_plain.loader_length`."""
    colon = find(data, start, end, COLON)
    if colon <= start:
        return 0
    left = find(data, start, end, LEFT)
    if left >= 0:
        return HAS_LOADER if colon < left else 0
    return HAS_LOADER if find(data, colon + 1, end, COLON) >= 0 else 0


@part
def after_index(data: Any, start: int, end: int) -> int:
    """Where a head goes on behind `[i] ` or ends behind `[i]`; `start` if it has no index."""
    if start == end or data[start] != OPENING:
        return start
    at = start + 1
    while at < end and ZERO <= data[at] <= NINE:
        at += 1
    if at == start + 1 or at == end or data[at] != CLOSING:
        return start
    at += 1
    if at == end:
        return at
    return at + 1 if data[at] == BLANK else start


@part
def _without_text(data: Any, start: int, stop: int) -> Row:
    """A row without ` toString=`; `UNKNOWN` if it fits no form."""
    if stop - start == NULL_LENGTH and load64(data, start) & NULL_MASK == NULL_HEAD:
        return NULL, 0, 0, -1, start, start, 0
    end = stop - VALUE_LENGTH
    if end >= start and load64(data, end) & VALUE_MASK == VALUE_WORD:
        if is_root(data, start, end):
            return ROOT_VALUE, 0, root_tag(data, start + ROOT_LENGTH, end), -1, start, start, 0
        if find(data, start, end, COLON) >= 0:
            return FIELD_VALUE, 0, 0, -1, start, start, 0
    end = stop - NULL_END_LENGTH
    if (
        end >= start
        and load64(data, stop - 8) == NULL_END_TAIL
        and load64(data, end) == NULL_END_HEAD
        and find(data, start, end, COLON) >= 0
    ):
        return FIELD_NULL, 0, 0, -1, start, start, 0
    return UNKNOWN, PROBLEM, 0, -1, start, start, 0


@part
def _with_text(data: Any, start: int, head: int, stop: int) -> Row:
    """A row whose ` toString=` begins at `head`; `UNKNOWN` if it fits no form."""
    text = head + TEXT_LENGTH
    number, is_ref, end = number_before(data, start, head)
    if number < 0:
        if head > start and ends_in(data, text, stop, SUPPRESSED, SUPPRESSED_TAIL):
            return _suppressed(data, start, head)
    elif is_ref and is_root(data, start, end):
        return ROOT_REFERENCE, THING, root_tag(data, start + ROOT_LENGTH, end), number, start, start, 0
    elif end > start:
        name = after_index(data, start, end)
        if name == end:
            name = start
        element = ELEMENT if name > start else 0
        if is_ref:
            return REFERENCE + element, THING | NAMED, 0, number, name, end, 0
        flags = DECLARES | THING | NAMED
        if ends_in(data, text, stop, FIELDS, FIELDS_TAIL):
            return OBJECT_FIELDS + element, flags, 0, number, name, end, 0
        if ends_in(data, text, stop, NO_FIELDS, NO_FIELDS_TAIL):
            return OBJECT_NO_FIELDS + element, flags, 0, number, name, end, 0
        if ends_in(data, text, stop, ELEMENTS, ELEMENTS_TAIL):
            return OBJECT_ELEMENTS + element, flags, 0, number, name, end, 0
        if ends_in(data, text, stop, NO_ELEMENTS, NO_ELEMENTS_TAIL):
            return OBJECT_NO_ELEMENTS + element, flags, 0, number, name, end, 0
        return OBJECT_UNKNOWN + element, flags | PROBLEM, 0, number, name, end, 0
    return UNKNOWN, PROBLEM, 0, -1, start, start, 0


@part
def _suppressed(data: Any, start: int, head: int) -> Row:
    """A row that the printer did not expand; its head ends at `head`."""
    if is_root(data, start, head):
        return ROOT_SUPPRESSED, 0, root_tag(data, start + ROOT_LENGTH, head), -1, start, start, 0
    name = after_index(data, start, head)
    if name > start:
        return ELEMENT_VALUE, THING | NAMED if name < head else 0, 0, -1, name, head, 0
    if find(data, start, head, COLON) >= 0:
        return FIELD_SUPPRESSED, 0, 0, -1, start, start, 0
    return VALUE, THING | NAMED, 0, -1, start, head, 0


@part
def _position(data: Any, start: int, stop: int, is_cut: bool) -> Row:
    """A root whose source is a position in code: the first of its lines that has an ending decides."""
    line = start + ROOT_LENGTH
    is_first = True
    while line <= stop:
        end = find(data, line, stop, LF)
        next_line = end + 1 if end >= 0 else stop + 1
        end = (end - 1 if end > line and data[end - 1] == CR else end) if end >= 0 else stop
        text = text_before(data, line, end)
        if text < 0:
            source = end - VALUE_LENGTH
            if source > line and load64(data, source) & VALUE_MASK == VALUE_WORD:
                return ROOT_VALUE if is_first else ROOT_OPEN, 0, HAS_POSITION, -1, start, start, 0
        else:
            number, is_ref, source = number_before(data, line, text)
            if number >= 0:
                if is_ref and source > line:
                    return ROOT_REFERENCE, THING, HAS_POSITION, number, start, start, 0
            elif text > line and ends_in(data, text + TEXT_LENGTH, end, SUPPRESSED, SUPPRESSED_TAIL):
                return ROOT_SUPPRESSED, 0, HAS_POSITION, -1, start, start, 0
        line = next_line
        is_first = False
    end = find(data, start, stop, LF)
    first = end if end >= 0 else stop
    kind, flags, tag, id, name, name_end, loader = _unknown(data, start, stop, text_before(data, start, first), is_cut)
    return kind, flags | CONTINUES, tag, id, name, name_end, loader


@part
def _unknown(data: Any, start: int, stop: int, text: int, is_cut: bool) -> Row:
    """A row that fits no form. An id at the end of its first line counts, unless it stands in a text."""
    end = find(data, start, stop, LF)
    if end >= 0:
        is_cut = False
        end = end - 1 if end > start and data[end - 1] == CR else end
    else:
        end = stop
    if 0 <= text < end:
        return UNKNOWN, PROBLEM, 0, -1, start, start, 0
    if end > start and data[end - 1] == BLANK:
        end -= 1
        is_cut = False
    before, _ = bci_before(data, start, end)
    if before >= 0:
        end = before
        is_cut = False
    if is_cut:
        return UNKNOWN, PROBLEM, 0, -1, start, start, 0
    number, is_ref, end = number_before(data, start, end)
    if number < 0:
        return UNKNOWN, PROBLEM, 0, -1, start, start, 0
    return UNKNOWN, PROBLEM | (THING if is_ref else THING | DECLARES), 0, number, start, start, 0
