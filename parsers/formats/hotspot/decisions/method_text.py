"""Composes texts of methods from a task's definitions, as the rest of the log writes them: `class name signature`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from parsers.formats.hotspot.decisions.decision_tables import LONGEST_METHOD, MOST_IDS
from parsers.formats.hotspot.decisions.tag import digits
from parsers.kernels.decorators import apart, int64, part, uint64
from parsers.kernels.vector import load64
from parsers.model.names.java_method import PRIMITIVES

if TYPE_CHECKING:
    from parsers.model.arrays import RecordArray, U8Array

NOTHING, IS_TYPE, IS_KLASS, IS_METHOD = range(4)
DEFINITION = np.dtype(
    [
        ("kind", "i8"),
        ("name_at", "i8"),  # where its name is; -1: nowhere
        ("name_length", "i8"),
        ("holder", "i8"),  # of a method: the id of its class
        ("result", "i8"),  # of a method: the id of its result's type; -1: none
        ("arguments_at", "i8"),  # of a method; -1: nowhere
        ("arguments_length", "i8"),
        ("code", "i8"),  # of a method: bytes of its bytecode; -1: unknown
        ("number", "i8"),  # of a method: among all methods; -1: not looked up yet
        ("task", "i8"),  # serial number; with that of another task all other values are invalid
    ],
    align=True,
)
"""The definition of an id in a task."""

PRIMITIVE_WORDS = np.array([int.from_bytes(name.encode(), "little") for name in PRIMITIVES.values()], np.uint64)
PRIMITIVE_LETTERS = np.array([ord(letter) for letter in PRIMITIVES], np.uint8)
"""Descriptors of the primitive types whose names are `PRIMITIVE_WORDS`."""
ONE = uint64(1)


@part
def put(text: U8Array, at: int, byte: int) -> int:
    """Appends a byte, if the buffer has space."""
    if at < LONGEST_METHOD:
        text[at] = byte
        return at + 1
    return at


@apart
def put_all(text: U8Array, at: int, data: U8Array, start: int, length: int) -> int:
    """Appends bytes as they are."""
    for place in range(start, start + length):
        at = put(text, at, data[place])
    return at


@apart
def primitive(data: U8Array, start: int, length: int) -> int:
    """Returns the letter of a primitive type, 0 if a name is none."""
    if length > 7 or length < 3:
        return 0
    word = load64(data, start) & ((ONE << uint64(8 * length)) - ONE)
    for number in range(len(PRIMITIVE_WORDS)):
        if word == PRIMITIVE_WORDS[number]:
            letter: int = int64(PRIMITIVE_LETTERS[number])
            return letter
    return 0


@apart
def put_escaped(text: U8Array, at: int, data: U8Array, start: int, stop: int) -> tuple[int, int]:
    """Appends a character beyond ASCII as an escape; returns the next positions in text and data."""
    lead = int64(data[start])
    length = 2 if 0xC0 <= lead < 0xE0 else 3 if 0xE0 <= lead < 0xF0 else 1
    is_whole = length > 1 and start + length <= stop
    value = lead & (0x1F if length == 2 else 0x0F)
    if is_whole:
        for place in range(start + 1, start + length):
            is_whole = is_whole and data[place] & 0xC0 == 0x80
            value = value << 6 | int64(data[place]) & 0x3F
    if not is_whole:
        return put(text, at, lead), start + 1
    at = put(text, put(text, at, 92), 117)
    for shift in (12, 8, 4, 0):
        digit = value >> shift & 15
        at = put(text, at, digit + 48 if digit < 10 else digit + 87)
    return at, start + length


@apart
def put_class(text: U8Array, at: int, data: U8Array, start: int, length: int) -> int:
    """Appends a class as signatures spell it. Twin: `descriptor_of_class`."""
    is_array = length > 0 and data[start] == 91
    if not is_array:
        at = put(text, at, 76)
    stop = start + length
    while start < stop:
        byte = data[start]
        if byte >= 0x80:
            at, start = put_escaped(text, at, data, start, stop)
        else:
            at = put(text, at, 47 if byte == 46 else byte)
            start += 1
    return at if is_array else put(text, at, 59)


@part
def kind_of(ids: RecordArray, id: int, task: int) -> int:
    """Returns the kind of an id in this task."""
    return ids[id].kind if 0 <= id < MOST_IDS and ids[id].task == task else NOTHING


@apart
def put_type(text: U8Array, at: int, data: U8Array, ids: RecordArray, id: int, task: int) -> int:
    """Appends the descriptor of an id."""
    kind = kind_of(ids, id, task)
    if kind != IS_TYPE and kind != IS_KLASS:
        return put(text, at, 63)
    start, length = ids[id].name_at, ids[id].name_length
    if start < 0:
        start, length = 0, 0
    if kind == IS_KLASS:
        return put_class(text, at, data, start, length)
    letter = primitive(data, start, length)
    return put(text, at, letter) if letter else put_all(text, at, data, start, length)


@apart
def put_name(text: U8Array, at: int, data: U8Array, ids: RecordArray, id: int, task: int) -> int:
    """Appends the name of an id as it is, `?` if it has none."""
    if kind_of(ids, id, task) == NOTHING or ids[id].name_at < 0:
        return put(text, at, 63)
    return put_all(text, at, data, ids[id].name_at, ids[id].name_length)


@apart
def compose(text: U8Array, data: U8Array, ids: RecordArray, id: int, task: int) -> tuple[int, int]:
    """Writes the text of the method of an id; returns its length and that of its class.

    text  uint8[LONGEST_METHOD + 128]
    ids   DEFINITION[MOST_IDS]
    """
    holder = put_name(text, 0, data, ids, ids[id].holder, task)
    at = put_name(text, put(text, holder, 32), data, ids, id, task)
    at = put(text, put(text, at, 32), 40)
    start, stop = ids[id].arguments_at, ids[id].arguments_at + ids[id].arguments_length
    while 0 <= start < stop:
        argument, end = digits(data, start, stop)
        if end > start:
            at = put_type(text, at, data, ids, argument, task)
            start = end
        else:
            start += 1
    at = put(text, at, 41)
    if ids[id].result >= 0:
        return put_type(text, at, data, ids, ids[id].result, task), holder
    return put(text, at, 86), holder
