"""Unique texts by number: contiguous bytes, their offsets, and a hash table that compares bytes.

slots   uint64[2^k]  0: free; else the upper half of the text's hash in the upper half, its number + 1 in the lower
starts  uint64[n+1]  offset of each text in `blob`, and the end of the last one
blob    uint8        the texts; 128 bytes after the last one are readable
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from parsers.kernels.decorators import int64, kernel, part, uint64
from parsers.kernels.id_table import HALF, LOWER, free_slot
from parsers.kernels.vector import copy64, hash64, is_equal

if TYPE_CHECKING:
    from parsers.model.arrays import I64Array, U8Array, U32Array, U64Array

UNLIMITED = 1 << 62


@part
def number_of(
    slots: U64Array, starts: U64Array, blob: U8Array, count: int, data: U8Array, start: int, length: int, hash: int,
    most: int = UNLIMITED,
) -> int:  # fmt: skip
    """The number of a text; `count` if it is new: then it was appended and its `starts` entry set, unless there are
    `most` texts already.

    All three arrays must have space for one more text.
    """
    mask = uint64(len(slots) - 1)
    place = hash & mask
    upper = hash >> HALF
    while True:
        slot = slots[place]
        if slot == 0:
            break
        if slot >> HALF == upper:
            number = int64(slot & LOWER) - 1
            begin = int64(starts[number])
            if int64(starts[number + 1]) - begin == length and is_equal(data, start, blob, begin, length):
                return number
        place = (place + uint64(1)) & mask
    if count >= most:
        return count
    slots[place] = upper << HALF | uint64(count + 1)
    begin = int64(starts[count])
    at = 0
    while at < length:
        copy64(blob, begin + at, data, start + at)
        at += 64
    starts[count + 1] = begin + length
    return count


@kernel
def note_text(slots: U64Array, starts: U64Array, blob: U8Array, count: int, data: U8Array, length: int) -> int:
    """`number_of` for one text alone: the first `length` bytes of `data`."""
    return number_of(slots, starts, blob, count, data, 0, length, hash64(data, 0, length))


@kernel
def number_all(
    slots: U64Array, starts: U64Array, blob: U8Array, count: int, text_starts: I64Array, texts: U8Array,
    numbers: U32Array,
) -> int:  # fmt: skip
    """Assigns a number to each text, new texts the next one; returns the count of numbers.

    slots, starts, blob  the table, with capacity for all of them
    count                numbers that are already assigned
    text_starts, texts   int64[n+1], uint8: the texts; 128 bytes after the last one are readable
    numbers              uint32[n], filled
    """
    for place in range(len(numbers)):
        start = int64(text_starts[place])
        length = int64(text_starts[place + 1]) - start
        number = number_of(slots, starts, blob, count, texts, start, length, hash64(texts, start, length))
        numbers[place] = number
        if number == count:
            count += 1
    return count


@kernel
def rehash(slots: U64Array, larger: U64Array, starts: U64Array, blob: U8Array) -> None:
    """Moves all texts of a hash table to a larger, empty one."""
    mask = uint64(len(larger) - 1)
    for slot in slots:
        if slot != 0:
            number = int64(slot & LOWER) - 1
            begin = int64(starts[number])
            place = hash64(blob, begin, int64(starts[number + 1]) - begin) & mask
            larger[free_slot(larger, place)] = slot


def larger_slots(slots: U64Array, count: int, starts: U64Array, blob: U8Array) -> Any:
    """Returns a larger hash table of the same texts, with capacity for `count` texts."""
    larger = np.zeros(1 << (2 * count).bit_length(), np.uint64)
    rehash(slots, larger, starts, blob)
    return larger
