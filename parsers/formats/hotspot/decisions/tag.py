"""Tags inside tasks for kernels: their ends, and the positions of the values of their attributes.

Twin: `tables_plain.TAG`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from parsers.kernels.decorators import apart, int64, part, uint64
from parsers.kernels.vector import load64

if TYPE_CHECKING:
    from parsers.model.arrays import I64Array, U8Array

TORN, OPENS, EMPTY = range(3)
"""End of a tag: without `>`, with it, with `/>`."""

ATTRIBUTES = (
    "id",
    "bci",
    "name",
    "type",
    "bytes",
    "count",
    "phase",
    "stamp",
    "holder",
    "return",
    "method",
    "reason",
    "action",
    "thread",
    "arguments",
    "free_code_cache",
)
"""Attributes whose positions are returned."""

(ID, BCI, NAME, TYPE, BYTES, COUNT, PHASE, STAMP, HOLDER, RETURN, METHOD, REASON, ACTION, THREAD, ARGUMENTS, FREE) = (
    range(len(ATTRIBUTES))
)


def _word(text: str) -> Any:
    return uint64(int.from_bytes(text.encode()[:8], "little"))


W_ID, W_BCI, W_NAME, W_TYPE, W_BYTES, W_COUNT, W_PHASE, W_STAMP = (_word(name) for name in ATTRIBUTES[:8])
W_HOLDER, W_RETURN, W_METHOD, W_REASON, W_ACTION, W_THREAD = (_word(name) for name in ATTRIBUTES[8:14])
W_ARGUMENT, W_S = _word("argument"), _word("s")
W_FREE_COD, W_E_CACHE = _word("free_cod"), _word("e_cache=")
"""The second part of the longest name with the `=` after it makes eight bytes."""

QUOTE, LESS, MORE, SLASH, EQUAL, BLANK, TAB, LF, CR = (ord(character) for character in "'<>/= \t\n\r")
ONE = uint64(1)
NAME_BYTES = np.array([(chr(byte).isalnum() and byte < 128) or byte == 95 for byte in range(256)], np.uint8)
"""By byte: 1 if it is allowed in a name."""


@part
def is_blank(byte: int) -> bool:
    """True if a byte separates attributes."""
    return byte in (BLANK, LF, TAB, CR)


@part
def is_name(byte: int) -> bool:
    """True if a byte is allowed in a name."""
    return bool(NAME_BYTES[byte])


@part
def name_end(data: U8Array, at: int, stop: int) -> int:
    """Returns the end of a name."""
    while at < stop and is_name(data[at]):
        at += 1
    return at


@part
def attribute_of(data: U8Array, start: int, length: int) -> int:
    """Returns the index of a name in ATTRIBUTES; -1 for any other."""
    word = load64(data, start)
    if length <= 8:
        if length < 8:
            word &= (ONE << uint64(8 * length)) - ONE
        if length == 4:
            return NAME if word == W_NAME else TYPE if word == W_TYPE else -1
        if length == 6:
            if word == W_METHOD:
                return METHOD
            if word == W_REASON:
                return REASON
            if word == W_HOLDER:
                return HOLDER
            if word == W_RETURN:
                return RETURN
            if word == W_ACTION:
                return ACTION
            return THREAD if word == W_THREAD else -1
        if length == 5:
            if word == W_STAMP:
                return STAMP
            if word == W_BYTES:
                return BYTES
            if word == W_COUNT:
                return COUNT
            return PHASE if word == W_PHASE else -1
        if length == 3:
            return BCI if word == W_BCI else -1
        return ID if length == 2 and word == W_ID else -1
    if length == 9 and word == W_ARGUMENT and data[start + 8] == 115:
        return ARGUMENTS
    if length == 15 and word == W_FREE_COD and load64(data, start + 8) == W_E_CACHE:
        return FREE
    return -1


@apart
def begins_tag(data: U8Array, at: int, stop: int) -> bool:
    """True if a `<` in a value begins another tag: at the start of a line, with an attribute, or an end tag."""
    name = at + 1
    if name >= stop:
        return False
    byte = int64(data[name])
    if data[at - 1] == LF and (97 <= byte <= 122 or 65 <= byte <= 90 or byte in (95, SLASH, 33)):
        return True
    is_end = byte == SLASH
    name += is_end
    if name >= stop or not (97 <= data[name] <= 122 or 65 <= data[name] <= 90):
        return False
    end = name_end(data, name, stop)
    if is_end:
        return bool(end < stop and data[end] == MORE)
    key = end
    while key < stop and is_blank(data[key]):
        key += 1
    close = name_end(data, key, stop)
    return bool(key > end and close > key and close + 1 < stop and data[close] == EQUAL and data[close + 1] == QUOTE)


@apart
def read_tag(data: U8Array, at: int, stop: int, wants: bool, places: I64Array) -> tuple[int, int, int]:
    """Reads a tag from behind its name.

    wants   True if positions are wanted
    places  int64[2, ATTRIBUTES]: filled with start and length of the values of the attributes that are present
    returns the next position, a bit for each attribute that is present, and the kind of end
    """
    has = 0
    while True:
        start = at
        while start < stop and is_blank(data[start]):
            start += 1
        name = start
        end = name_end(data, name, stop)
        if name == at or end == name or end + 1 >= stop or data[end] != EQUAL or data[end + 1] != QUOTE:
            break
        value = end + 2
        close = value
        while close < stop and data[close] != QUOTE and not (data[close] == LESS and begins_tag(data, close, stop)):
            close += 1
        if close >= stop or data[close] != QUOTE:
            break
        if wants:
            which = attribute_of(data, name, end - name)
            if which >= 0:
                places[0, which] = value
                places[1, which] = close - value
                has |= 1 << which
        at = close + 1
    while at < stop and is_blank(data[at]):
        at += 1
    if at < stop and data[at] == MORE:
        return at + 1, has, OPENS
    if at + 1 < stop and data[at] == SLASH and data[at + 1] == MORE:
        return at + 2, has, EMPTY
    return at, has, TORN


@apart
def digits(data: U8Array, at: int, stop: int) -> tuple[int, int]:
    """Returns the number at a position, and the end of its digits. NONE - 1 at most. Twin: `number`."""
    start, value = at, 0
    while at < stop and 48 <= data[at] <= 57:
        if at - start < 19:
            value = value * 10 + int64(data[at]) - 48
        at += 1
    if at - start >= 20 or value > 0xFFFFFFFE:
        value = 0xFFFFFFFE
    return value, at


@apart
def milliseconds(data: U8Array, at: int, length: int) -> int:
    """Converts a stamp to milliseconds; 0 if it is none. Twin: `tables_plain.milliseconds`."""
    stop = at + length
    value, end = digits(data, at, stop)
    if end == at or end - at > 6:
        return 0
    value *= 1000
    if end < stop and (data[end] == 46 or data[end] == 44):
        scale = 100
        end += 1
        while end < stop and scale and 48 <= data[end] <= 57:
            value += (int64(data[end]) - 48) * scale
            scale //= 10
            end += 1
    return value
