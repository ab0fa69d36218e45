"""Names of elements and attributes as lookup tables of the kernel."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from parsers.formats.tptp.schema.vocabulary import (
    ELEMENTS,
    IGNORED,
    ROOT_TYPES,
    SESSION_ELEMENTS,
    SLOTS,
    TEXT,
    WORD,
    Attribute,
    Vocabulary,
)

if TYPE_CHECKING:
    from parsers.model.arrays import U8Array, U64Array

NAME_SLOTS = 1024
"""Slots of a table; a power of two."""
SHIFT = 64 - 10
KEY = 4
"""Numbers of a slot: the name's bytes (three numbers), then its length + 256 * its number; 0 if the slot is free."""
LONGEST = 24
"""Longest name in bytes that is in tables."""
KIND_SHIFT, KIND_MASK = 4, 7
SECOND_BIT = 128
SLOT_MASK = 15
"""Encoding of an attribute: its slot + 16 * (kind + 1), and a flag if it is only used when no other has the slot."""
MOST_ATTRIBUTES = 250
FACTORS = (0x9E3779B97F4A7C15, 0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53)
MASK = (1 << 64) - 1


class ElementNameArrays(NamedTuple):
    """The tables as kernels take them."""

    elements: U64Array
    """uint64[NAME_SLOTS * KEY], as the following: table of names of elements, indexes into `Vocabulary.names`"""
    attributes: U64Array
    """Of attributes: their numbers."""
    words: U64Array
    """Of types of roots: their indexes."""
    all_codes: U8Array
    """uint8[256]: by index of a name its code"""
    codes: U8Array
    """The same, 0 if `read_elements` doesn't read the element."""
    all_reads: U8Array
    """By code * 256 + attribute how it is read, 0: not by kernels."""
    reads: U8Array
    """The same, 0 also for words."""


class NameTables:
    """All tables of a vocabulary."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        reads = np.zeros((2, (len(ELEMENTS) + 1) * 256), np.uint8)
        elements, words = table_of(vocabulary.names), table_of(ROOT_TYPES)
        self.arrays = ElementNameArrays(elements, table_of(()), words, *np.zeros((2, 256), np.uint8), *reads)
        own = [name for pair in vocabulary.own for name in pair]
        self.has_long_names = not all(fits(name) for name in (*vocabulary.names, *own))
        """True if names are not in the tables, so that what is not found there may be known."""
        for place, name in enumerate(vocabulary.names):
            code = vocabulary.codes[name]
            self.arrays.all_codes[place] = code
            self.arrays.codes[place] = 0 if vocabulary.names[code - 1] in SESSION_ELEMENTS else code
        self._attributes: dict[str, int] = {}
        for is_second, codes in enumerate((vocabulary.spelled, vocabulary.second)):
            for code, known in codes.items():
                for name, attribute in known.items():
                    self._add(code, name, attribute, bool(is_second))

    def pass_by(self, code: int, attribute: str) -> None:
        """From now on an attribute that isn't known is skipped in an element with that code."""
        self._add(code, attribute, Attribute(IGNORED), is_second=False)

    def _add(self, code: int, name: str, attribute: Attribute, is_second: bool) -> None:
        if attribute.kind == TEXT or not fits(name):
            return
        number = self._attributes.get(name)
        if number is None:
            if len(self._attributes) == MOST_ATTRIBUTES:
                return
            number = self._attributes[name] = len(self._attributes)
            put(self.arrays.attributes, name, number)
        kind = attribute.kind + 1 << KIND_SHIFT
        read = kind | min(attribute.slot, SLOTS) | (SECOND_BIT if is_second else 0)
        self.arrays.all_reads[code * 256 + number] = read
        if attribute.kind != WORD:
            self.arrays.reads[code * 256 + number] = read


def table_of(names: Iterable[str]) -> U64Array:
    """Returns a table of names and their indexes: uint64[NAME_SLOTS * KEY]."""
    table = np.zeros(NAME_SLOTS * KEY, np.uint64)
    for number, name in enumerate(names):
        if fits(name):
            put(table, name, number)
    return table


def fits(name: str) -> bool:
    """True if a name fits into a table."""
    return name.isascii() and 0 < len(name) <= LONGEST


def put(table: U64Array, name: str, number: int) -> None:
    """Adds a name to a table while a kernel may be reading it."""
    data = name.encode().ljust(LONGEST, b"\0")
    first, second, third = (int.from_bytes(data[at : at + 8], "little") for at in (0, 8, 16))
    slot = slot_of(first, second, third, len(name))
    while table[slot * KEY + 3]:
        slot = (slot + 1) % NAME_SLOTS
    row = slot * KEY
    table[row], table[row + 1], table[row + 2] = first, second, third
    table[row + 3] = number << 8 | len(name)


def slot_of(first: int, second: int, third: int, length: int) -> int:
    """Returns the first slot to probe for a name, by its bytes as three numbers."""
    value = ((first ^ length) * FACTORS[0] ^ second * FACTORS[1] ^ third * FACTORS[2]) & MASK
    return ((value ^ value >> 29) * FACTORS[1] & MASK) >> SHIFT
