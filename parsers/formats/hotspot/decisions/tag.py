"""Tags inside tasks for kernels: their ends, and the positions of the values of their attributes.

Twin: `tables_plain.TAG`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from parsers.formats.hotspot.decisions.decision_tables import Attribute
from parsers.formats.hotspot.log.read.name_table import attribute_table
from parsers.formats.hotspot.log.read.tag_kernel import attribute_at, begins_any, is_blank
from parsers.kernels.decorators import apart, int64, part

if TYPE_CHECKING:
    from parsers.model.arrays import RecordArray, U8Array

TORN, OPENS, EMPTY = range(3)
"""End of a tag: without `>`, with it, with `/>`."""

SPAN = np.dtype([("start", "i8"), ("length", "i8")], align=True)
"""The value of an attribute: its start in the buffer, and its bytes."""

QUOTE, LESS, MORE, SLASH, EQUAL, LF = (ord(character) for character in "'<>/=\n")
TABLE = attribute_table({each.name.lower(): each + 1 for each in Attribute})
NAME_BYTES = np.array([(chr(byte).isalnum() and byte < 128) or byte == 95 for byte in range(256)], np.uint8)
"""By byte: 1 if it is allowed in a name."""


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


@apart
def read_tag(data: U8Array, at: int, stop: int, wants: bool, places: RecordArray) -> tuple[int, int, int]:
    """Reads a tag from behind its name.

    wants   True if positions are wanted
    places  SPAN[Attribute]: filled for the attributes that are present
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
        while close < stop and data[close] != QUOTE and not (data[close] == LESS and begins_any(data, close, stop)):
            close += 1
        if close >= stop or data[close] != QUOTE:
            break
        if wants:
            which = attribute_at(data, name, end - name, TABLE) - 1
            if which >= 0:
                places[which].start = value
                places[which].length = close - value
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
