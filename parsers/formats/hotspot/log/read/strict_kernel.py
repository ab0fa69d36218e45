"""Kernel that checks bytes as strict XML: it doubts all that undamaged logs of HotSpot don't contain.

Bytes that it accepts are well-formed; a real parser has to decide about the others. Twin: expat.

Source: Extensible Markup Language (XML) 1.0, fifth edition, productions 2, 10, 14, 15, 20, 40 to 44, 66 and 68.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from parsers.kernels.decorators import apart, int64, kernel, part, uint64
from parsers.kernels.vector import load64

if TYPE_CHECKING:
    from parsers.model.arrays import I64Array, U8Array, U64Array

DEPTH, HAS_ROOT, IN_CDATA, DOUBT = range(4)
"""State between two calls: number of open elements, 1 if there was a root, 1 inside a CDATA section; offset of the
doubt, -1 if there is none.
"""
FACTS = 4
MOST_DEPTH = 256
MOST_ATTRIBUTES = 64
NAME = 8
LENGTH, FIRST_WORD = range(2)
"""A name as numbers: its length, and its bytes by eights; a longer one is doubtful."""
MOST_NAME = 8 * (NAME - 1)

INCOMPLETE, WRONG = 0, -1
"""Returned instead of an end position: the end isn't there, or the syntax is not known here."""

AND, LESS, MORE, SLASH, EQUAL, BANG = (ord(character) for character in "&<>/=!")
SINGLE, DOUBLE, BRACKET, DASH = (ord(character) for character in "'\"]-")
TAB, LF, CR, BLANK = 9, 10, 13, 32


def _special(extra: str) -> U8Array:
    found = np.array([byte < 32 or byte >= 128 for byte in range(256)], np.uint8)
    found[[TAB, LF, CR]] = 0
    found[[ord(character) for character in extra]] = 1
    return found


IN_TEXT = _special("&<]")
IN_VALUE = _special("&<'\"")
"""By byte: 1 if it is special in text, or in a value."""
NAME_BYTES = np.array([(chr(byte).isalnum() and byte < 128) or chr(byte) in "_.-:" for byte in range(256)], np.uint8)


def _word(text: str) -> np.uint64:
    return np.uint64(int.from_bytes(text.encode(), "little"))


LT, GT, AMP, QUOT, APOS = (_word(name) for name in ("&lt;", "&gt;", "&amp;", "&quot;", "&apos;"))
CDATA = _word("![CDATA[")
ONE = uint64(1)


@part
def is_blank(byte: int) -> bool:
    """True for white space of XML."""
    return byte in (BLANK, LF, TAB, CR)


@part
def first_bytes(data: U8Array, at: int, count: int) -> int:
    """Returns up to 8 bytes as a number."""
    word = load64(data, at)
    return word if count >= 8 else word & ((ONE << uint64(8 * count)) - ONE)


@apart
def behind_character(data: U8Array, at: int, stop: int) -> int:
    """Returns the end of a character beyond ASCII."""
    lead, low, high = int64(data[at]), 0x80, 0xBF
    if 0xC2 <= lead <= 0xDF:
        length = 2
    elif 0xE0 <= lead <= 0xEF:
        length = 3
        low = 0xA0 if lead == 0xE0 else 0x80
        high = 0x9F if lead == 0xED else 0xBF
    elif 0xF0 <= lead <= 0xF4:
        length = 4
        low = 0x90 if lead == 0xF0 else 0x80
        high = 0x8F if lead == 0xF4 else 0xBF
    else:
        return WRONG
    if at + length > stop:
        return INCOMPLETE
    if not low <= data[at + 1] <= high:
        return WRONG
    for place in range(at + 2, at + length):
        if data[place] & 0xC0 != 0x80:
            return WRONG
    # U+FFFE and U+FFFF are no characters.
    if lead == 0xEF and data[at + 1] == 0xBF and data[at + 2] >= 0xBE:
        return WRONG
    return at + length


@apart
def behind_entity(data: U8Array, at: int, stop: int) -> int:
    """Returns the end of an entity that needs no declaration."""
    if at + 6 > stop:
        return INCOMPLETE
    if first_bytes(data, at, 4) in (LT, GT):
        return at + 4
    if first_bytes(data, at, 5) == AMP:
        return at + 5
    return at + 6 if first_bytes(data, at, 6) in (QUOT, APOS) else WRONG


@part
def name_end(data: U8Array, at: int, stop: int) -> int:
    """Returns the end of a name; `at` if none begins there."""
    first = data[at]
    if not (65 <= first <= 90 or 97 <= first <= 122 or first == 95):
        return at
    while at < stop and NAME_BYTES[data[at]]:
        at += 1
    return at


@apart
def put_name(names: U64Array, row: int, data: U8Array, at: int, length: int) -> None:
    """Stores a name of MOST_NAME bytes at most as numbers."""
    names[row, LENGTH] = uint64(length)
    word = FIRST_WORD
    while length > 0:
        names[row, word] = first_bytes(data, at, length)
        word, at, length = word + 1, at + 8, length - 8


@part
def is_same(first: U64Array, row: int, second: U64Array, other: int) -> bool:
    """True if two names are the same."""
    if first[row, FIRST_WORD] != second[other, FIRST_WORD] or first[row, LENGTH] != second[other, LENGTH]:
        return False
    word, last = FIRST_WORD + 1, (int64(first[row, LENGTH]) + 7) // 8
    while word <= last and first[row, word] == second[other, word]:
        word += 1
    return bool(word > last)


@apart
def behind_value(data: U8Array, at: int, stop: int) -> int:
    """Returns the end of a value, from its quote on."""
    quote = data[at]
    if quote not in (SINGLE, DOUBLE):
        return WRONG
    at += 1
    while at < stop:
        byte = data[at]
        if not IN_VALUE[byte]:
            at += 1
        elif byte == quote:
            return at + 1
        elif byte in (SINGLE, DOUBLE):
            at += 1
        else:
            end = behind_entity(data, at, stop) if byte == AND else WRONG
            if byte >= 0x80:
                end = behind_character(data, at, stop)
            if end <= 0:
                return end
            at = end
    return INCOMPLETE


@apart
def behind_start(data: U8Array, at: int, stop: int, facts: I64Array, stack: U64Array, names: U64Array) -> int:
    """Returns the end of a start tag, which opens an element, or of an empty one; `at`: of its name."""
    end = name_end(data, at, stop)
    depth = facts[DEPTH]
    if end == at or end - at > MOST_NAME or depth >= MOST_DEPTH or (not depth and facts[HAS_ROOT]):
        return INCOMPLETE if end >= stop else WRONG
    put_name(stack, depth, data, at, end - at)
    attributes = 0
    while True:
        before = end
        while end < stop and is_blank(data[end]):
            end += 1
        if end + 1 >= stop:
            return INCOMPLETE
        if data[end] == MORE:
            facts[DEPTH] = depth + 1
            facts[HAS_ROOT] = 1
            return end + 1
        if data[end] == SLASH and data[end + 1] == MORE:
            facts[HAS_ROOT] = 1
            return end + 2
        name = end
        end = name_end(data, name, stop)
        if end + 1 >= stop:
            return INCOMPLETE
        is_known = end > name > before and end - name <= MOST_NAME and attributes < MOST_ATTRIBUTES
        if not is_known or data[end] != EQUAL:
            return WRONG
        put_name(names, attributes, data, name, end - name)
        for other in range(attributes):
            if is_same(names, other, names, attributes):
                return WRONG
        attributes += 1
        end = behind_value(data, end + 1, stop)
        if end <= 0:
            return end


@apart
def behind_end(data: U8Array, at: int, stop: int, facts: I64Array, stack: U64Array, names: U64Array) -> int:
    """Returns the end of an end tag, which closes the innermost element; `at`: of its name."""
    end = name_end(data, at, stop)
    depth = facts[DEPTH]
    length = end - at
    while end < stop and is_blank(data[end]):
        end += 1
    if end >= stop:
        return INCOMPLETE
    if data[end] != MORE or not depth or not 0 < length <= MOST_NAME:
        return WRONG
    put_name(names, 0, data, at, length)
    if not is_same(stack, depth - 1, names, 0):
        return WRONG
    facts[DEPTH] = depth - 1
    return end + 1


@apart
def behind_comment(data: U8Array, at: int, stop: int) -> int:
    """Returns the end of a comment; `at`: behind its `<!`."""
    if data[at] != DASH or data[at + 1] != DASH:
        return WRONG
    at += 2
    while at + 2 < stop:
        byte = data[at]
        if byte == DASH and data[at + 1] == DASH:
            return at + 3 if data[at + 2] == MORE else WRONG
        if byte >= 0x80:
            at = behind_character(data, at, stop)
            if at <= 0:
                return at
        elif byte >= 32 or is_blank(byte):
            at += 1
        else:
            return WRONG
    return INCOMPLETE


@apart
def behind_markup(data: U8Array, at: int, stop: int, facts: I64Array, stack: U64Array, names: U64Array) -> int:
    """Returns the end of a tag, a comment or the beginning of a CDATA section."""
    if at + 2 > stop:
        return INCOMPLETE
    if data[at + 1] == SLASH:
        return behind_end(data, at + 2, stop, facts, stack, names)
    if data[at + 1] != BANG:
        return behind_start(data, at + 1, stop, facts, stack, names)
    if at + 12 > stop:
        return INCOMPLETE
    if first_bytes(data, at + 1, 8) == CDATA:
        if not facts[DEPTH]:
            return WRONG
        facts[IN_CDATA] = 1
        return at + 9
    return behind_comment(data, at + 2, stop)


@apart
def behind_special(data: U8Array, at: int, stop: int, facts: I64Array, stack: U64Array, names: U64Array) -> int:
    """Returns the end of special bytes: markup, an entity, a character beyond ASCII, a bracket."""
    byte = data[at]
    if byte == BRACKET:
        if at + 3 > stop:
            return INCOMPLETE
        if data[at + 1] == BRACKET and data[at + 2] == MORE:
            if not facts[IN_CDATA]:
                return WRONG
            facts[IN_CDATA] = 0
            return at + 3
        return at + 1
    if byte >= 0x80:
        return behind_character(data, at, stop)
    if byte in (AND, LESS) and facts[IN_CDATA]:
        return at + 1
    if byte == AND:
        return behind_entity(data, at, stop)
    return behind_markup(data, at, stop, facts, stack, names) if byte == LESS else WRONG


@kernel
def check_syntax(data: U8Array, start: int, stop: int, facts: I64Array, stack: U64Array, names: U64Array) -> int:
    """Checks data[start:stop] up to the first doubt; returns the position where the next call has to begin.

    data   uint8; 64 bytes after `stop` are readable
    facts  int64[FACTS]; stack, names   uint64[MOST_DEPTH, NAME], uint64[MOST_ATTRIBUTES, NAME]
    """
    at = start
    while at < stop:
        byte = data[at]
        if not IN_TEXT[byte] and (facts[DEPTH] or is_blank(byte)):
            at += 1
            while at < stop and facts[DEPTH] and not IN_TEXT[data[at]]:
                at += 1
            continue
        end = behind_special(data, at, stop, facts, stack, names) if facts[DEPTH] or byte == LESS else WRONG
        if end == INCOMPLETE:
            return at
        if end < 0:
            facts[DOUBT] = at
            return at
        at = end
    return at
