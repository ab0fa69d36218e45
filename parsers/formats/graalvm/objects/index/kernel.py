"""Compiled classifier of a row of an object tree. Plain twin: `row.parse_object_row`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from parsers.formats.graalvm.calls.index.kernel import bci_before, number_before, word_of
from parsers.formats.graalvm.objects.index.row import (
    ELEMENT,
    ELEMENT_VALUE,
    FIELD_NULL,
    FIELD_SUPPRESSED,
    FIELD_VALUE,
    FORMS,
    NULL,
    NULL_BODY,
    NULL_END,
    OBJECT_ENDS,
    OBJECT_FIELDS,
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
from parsers.formats.graalvm.text.read.chunk import CONTINUES, DECLARES, HAS_VERTEX, NAMED, PROBLEM
from parsers.kernels.decorators import part, uint64
from parsers.kernels.vector import equal64, find, load64, lowest_bit

if TYPE_CHECKING:
    from parsers.model.arrays import U8Array

HAS_LOADER, HAS_POSITION = 1, 2
"""Bits of a root's tag: its source has a loader; it is a position."""

LF, CR, BLANK, COLON, LEFT, EQUALS, OPENING, CLOSING = (ord(sign) for sign in "\n\r :(=[]")
ZERO, NINE = ord("0"), ord("9")


ROOT_WORD, ROOT_MASK, ROOT_LENGTH = *word_of(ROOT), len(ROOT)
POSITION_WORD = word_of(ROOT + POSITION)[0]
TEXT_WORD, TEXT_LAST, TEXT_LENGTH = word_of(TEXT)[0], TEXT[8], len(TEXT)
NULL_WORD, NULL_MASK, NULL_LENGTH = *word_of(NULL_BODY), len(NULL_BODY)
VALUE_WORD, VALUE_MASK, VALUE_LENGTH = *word_of(VALUE_END), len(VALUE_END)
NULL_END_WORD, NULL_END_TAIL, NULL_END_LENGTH = word_of(NULL_END)[0], word_of(NULL_END[-8:])[0], len(NULL_END)

ENDS = (*OBJECT_ENDS, SUPPRESSED_END)
"""Possible endings of a row with a text, by tag of an object; the last one is for rows that are not expanded."""
SUPPRESSED, NO_END = 4, -1
END_LENGTHS = np.array([len(end) for end in ENDS], np.int64)
END_WORDS = np.array([[word_of(end[8 * place :])[0] for place in range(4)] for end in ENDS], np.uint64)
END_TAILS = np.array([word_of(end[-8:])[0] for end in ENDS], np.uint64)

FLAGS = np.zeros(len(FORMS), np.int64)
"""By form: the flags of a row with a name."""
for _form, (_kind, _tag) in enumerate(FORMS):
    FLAGS[_form] = {
        "object": DECLARES | HAS_VERTEX | NAMED | (PROBLEM if _tag == "unknown" else 0),
        "reference": HAS_VERTEX | NAMED,
        "value": HAS_VERTEX | NAMED,
    }.get(_kind, 0)


@part
def classify_object(data: U8Array, start: int, stop: int, is_cut: bool) -> tuple[int, int, int, int, int, int, int]:
    """Classifies the body data[start:stop], as `classify_call` does for call trees."""
    begins_as_root = stop - start > ROOT_LENGTH and load64(data, start) & ROOT_MASK == ROOT_WORD
    is_position = stop - start >= 8 and load64(data, start) == POSITION_WORD
    line, source = start, start + ROOT_LENGTH
    first_text, first_end = -1, stop
    text = number = -1
    is_ref = 0
    end = start
    while True:
        # Only a position has several lines; the first one with an ending determines the kind of root.
        line_end = stop
        following = stop
        if is_position:
            line_end = find(data, line, stop, LF)
            following = line_end + 1
            if line_end < 0:
                line_end = following = stop
            elif line_end > line and data[line_end - 1] == CR:
                line_end -= 1
        text = text_before(data, line, line_end)
        if text >= 0:
            number, is_ref, end = number_before(data, line, text)
        if line == start:
            first_text, first_end = text, line_end
        if begins_as_root:
            kind = UNKNOWN
            if text < 0:
                end = line_end - VALUE_LENGTH
                if end > source and load64(data, end) & VALUE_MASK == VALUE_WORD:
                    kind = ROOT_VALUE if line == start else ROOT_OPEN
            elif number >= 0:
                if is_ref and end > source:
                    kind = ROOT_REFERENCE
            elif text > source and ending(data, text + TEXT_LENGTH, line_end) == SUPPRESSED:
                end = text
                kind = ROOT_SUPPRESSED
            if kind != UNKNOWN:
                tag = HAS_POSITION if is_position else has_loader(data, source, end)
                if kind == ROOT_REFERENCE:
                    return kind, HAS_VERTEX, tag, number, start, start, 0
                return kind, 0, tag, -1, start, start, 0
        if following == stop:
            break
        line = source = following
    if is_position:
        flags, number = _unknown(data, start, first_end, first_text, is_cut and first_end == stop)
        return UNKNOWN, flags | CONTINUES, 0, number, start, start, 0
    if text < 0:
        kind, name, end = _without_text(data, start, stop)
    else:
        kind, name, end = _with_text(data, start, text, stop, number, is_ref, end)
    if kind == UNKNOWN:
        flags, number = _unknown(data, start, stop, text, is_cut)
        return UNKNOWN, flags, 0, number, start, start, 0
    if name == end:
        return kind, 0, 0, -1, start, start, 0
    return kind, FLAGS[kind], 0, number if text >= 0 else -1, name, end, 0


@part
def text_before(data: U8Array, start: int, stop: int) -> int:
    """Returns the start of the first ` toString=`, -1 if there is none."""
    at = start
    while at < stop:
        signs = equal64(data, at, EQUALS)
        while signs:
            place: int = at + lowest_bit(signs) - TEXT_LENGTH + 1
            if place + TEXT_LENGTH > stop:
                return -1
            if place >= start and load64(data, place) == TEXT_WORD and data[place + 8] == TEXT_LAST:
                return place
            signs &= signs - uint64(1)
        at += 64
    return -1


@part
def ending(data: U8Array, start: int, stop: int) -> int:
    """Returns the index in `ENDS` of the ending of data[start:stop]; `NO_END` if none."""
    tail = load64(data, stop - 8)
    for which in range(len(END_TAILS)):
        if tail != END_TAILS[which] or stop - start < END_LENGTHS[which]:
            continue
        place = 0
        left = END_LENGTHS[which] - 8
        at = stop - END_LENGTHS[which]
        while left > 0 and load64(data, at + 8 * place) == END_WORDS[which, place]:
            place += 1
            left -= 8
        if left <= 0:
            return which
    return NO_END


@part
def has_loader(data: U8Array, start: int, end: int) -> int:
    """Returns the tag of a root whose source is data[start:end] and no position. Twin: `plain.loader_length`."""
    colon = find(data, start, end, COLON)
    if colon <= start:
        return 0
    left = find(data, start, end, LEFT)
    if left >= 0:
        return HAS_LOADER if colon < left else 0
    return HAS_LOADER if find(data, colon + 1, end, COLON) >= 0 else 0


@part
def after_index(data: U8Array, start: int, end: int) -> int:
    """Offset after `[i] `, or after `[i]` at the end of a head; `start` if it has no index."""
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
def _without_text(data: U8Array, start: int, stop: int) -> tuple[int, int, int]:
    """Returns the form of a row without ` toString=` that is no root, and an empty name."""
    if stop - start == NULL_LENGTH and load64(data, start) & NULL_MASK == NULL_WORD:
        return NULL, start, start
    kind, end = UNKNOWN, stop - VALUE_LENGTH
    if end >= start and load64(data, end) & VALUE_MASK == VALUE_WORD:
        kind = FIELD_VALUE
    else:
        end = stop - NULL_END_LENGTH
        if end >= start and load64(data, stop - 8) == NULL_END_TAIL and load64(data, end) == NULL_END_WORD:
            kind = FIELD_NULL
    if kind != UNKNOWN and find(data, start, end, COLON) < 0:
        kind = UNKNOWN
    return kind, start, start


@part
def _with_text(
    data: U8Array, start: int, head: int, stop: int, number: int, is_ref: int, end: int
) -> tuple[int, int, int]:
    """Returns the form of a row that is no root, and its name.

    head: start of its ` toString=`; number, is_ref, end: the id right before it, and the end of the text before that
    """
    if number >= 0:
        if end == start:
            return UNKNOWN, start, start
        name = after_index(data, start, end)
        if name == end:
            name = start
        element = ELEMENT if name > start else 0
        if is_ref:
            return REFERENCE + element, name, end
        tag = ending(data, head + TEXT_LENGTH, stop)
        form = OBJECT_UNKNOWN if tag in (NO_END, SUPPRESSED) else OBJECT_FIELDS + tag
        return form + element, name, end
    if head == start or ending(data, head + TEXT_LENGTH, stop) != SUPPRESSED:
        return UNKNOWN, start, start
    name = after_index(data, start, head)
    if name > start:
        return ELEMENT_VALUE, name, head
    if find(data, start, head, COLON) >= 0:
        return FIELD_SUPPRESSED, start, start
    return VALUE, start, head


@part
def _unknown(data: U8Array, start: int, end: int, text: int, is_cut: bool) -> tuple[int, int]:
    """Flags and id of a row that fits no form. An id at the end of its first line is used, unless it is in a text."""
    if text >= 0:
        return PROBLEM, -1
    if end > start and data[end - 1] == BLANK:
        end -= 1
        is_cut = False
    before, _ = bci_before(data, start, end)
    if before >= 0:
        end = before
        is_cut = False
    if is_cut:
        return PROBLEM, -1
    number, is_ref, _ = number_before(data, start, end)
    if number < 0:
        return PROBLEM, -1
    return PROBLEM | (HAS_VERTEX if is_ref else HAS_VERTEX | DECLARES), number
