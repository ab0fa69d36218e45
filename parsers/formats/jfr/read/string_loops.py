"""Loops over strings of events: plain functions, which `compiled` makes kernels. See `loops`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parsers.formats.jfr.read.loops import MIX, number_at, slot_of
from parsers.kernels.compiled import signed

if TYPE_CHECKING:
    from parsers.model.arrays import I64Array, U8Array, U32Array

POOLED, UNITS, LAST_ENCODING = 2, 4, 5
"""Encodings: a key in the pool of strings, compressed UTF-16 units, and the last one there is."""
NO_STRING, EMPTY = 0, 1
"""Keys of strings without characters."""


def number_strings(
    data: U8Array, stop: int, base: int, places: I64Array, chunks: I64Array, slots: U32Array, keys: I64Array,
    count: int, firsts: I64Array, numbers: I64Array,
) -> int:  # fmt: skip
    """Numbers strings by their keys; returns the number of different keys so far. There is space for all.

    base     offset of the data in the file
    places   of the strings; chunks: those of their events
    slots    uint32[2^k]: hash table of the keys, number + 1; 0: free; keys: by number, `count` of them so far
    firsts   by number: the row of a string that is new here; numbers: by row, filled
    """
    for row in range(len(places)):
        key = string_key(data, int(places[row]), stop, int(chunks[row]), base)
        slot = slot_of(key, keys, slots)
        if int(slots[slot]) == 0:
            keys[count] = key
            firsts[count] = row
            count += 1
            slots[slot] = count
        numbers[row] = int(slots[slot]) - 1
    return count


def string_key(data: U8Array, at: int, stop: int, chunk: int, base: int) -> int:
    """Returns a number of 64 bits that only equal strings have in common; those of a pool only within its chunk.

    Two of a million different strings have the same number once in 10^7 recordings.
    """
    if at >= stop or int(data[at]) > LAST_ENCODING:
        return NO_STRING
    encoding = int(data[at])
    if encoding < POOLED:
        return encoding
    length, place = number_at(data, at + 1, stop)
    if place < 0:
        return NO_STRING
    value = signed((length ^ encoding << 56) * MIX)
    if encoding == POOLED:
        value = signed((value ^ chunk) * MIX)
    else:
        while length > 0 and place < stop:
            value = signed((value ^ int(data[place])) * MIX)
            if encoding != UNITS or int(data[place]) < 128:
                length -= 1
            place += 1
        if length > 0:
            # The end is not there: it equals no other string.
            value = signed((value ^ base + at) * MIX)
    return value ^ value >> 29
