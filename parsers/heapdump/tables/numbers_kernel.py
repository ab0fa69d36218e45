"""Kernels that find the numbers of objects by id.

Ids are uint64; a *slot* is the distance of an id from the lowest one, in units. Slots are stored as bits, 4,096 per
page; empty pages are not stored. Beside each word of bits are the number of objects before it, and the number of its
first object if those of the word are numbered consecutively. Almost all words of a heap are. So most lookups take two
reads: the page, which is in the processor's cache, and the word.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from parsers.kernels.decorators import int64, kernel, part, uint32, uint64
from parsers.kernels.id_table import HALF, LOWER
from parsers.kernels.vector import bits_of

if TYPE_CHECKING:
    from parsers.model.arrays import U32Array, U64Array

PAGE_BITS = uint64(12)
"""Slots per page, as a power of two."""
PAGE_WORDS = uint64(6)
"""Words per page, as a power of two."""
WORD_BITS = uint64(6)
WORD_MASK = uint64(63)
ONE = uint64(1)
NONE = uint32(0xFFFF_FFFF)


class Numbered(NamedTuple):
    """Objects by their ids."""

    unit: U64Array
    """uint64[2]: the lowest id, log2 of a unit."""
    pages: U32Array
    """uint32: by page the start of its words, in pages; 0 for an empty one. Empty: use `sorted`."""
    words: U64Array
    """uint64, two for each word, the first page empty: bits of slots; in the upper half the number of the first object,
    NONE if not consecutive; then in the lower half their start in `order`."""
    sorted: U64Array
    """uint64: sorted ids, where they are too sparse for pages; else empty."""
    order: U32Array
    """uint32: numbers of objects in the order of ids; with pages only those that are not consecutive."""


@kernel
def mark_pages(ids: U64Array, unit: U64Array, pages: U32Array) -> None:
    """Sets 1 for each page with an object. pages uint32, zeros"""
    low, shift = unit[0], unit[1] + PAGE_BITS
    for place in range(len(ids)):
        pages[int64((ids[place] - low) >> shift)] = 1


@kernel
def mark_slots(ids: U64Array, unit: U64Array, pages: U32Array, words: U64Array) -> None:
    """Sets the bit of each object."""
    low, shift = unit[0], unit[1]
    for place in range(len(ids)):
        slot = (ids[place] - low) >> shift
        page = uint64(pages[int64(slot >> PAGE_BITS)])
        word = (page << PAGE_WORDS) | ((slot >> WORD_BITS) & WORD_MASK)
        words[int64(word << ONE)] |= ONE << (slot & WORD_MASK)


@kernel
def count_slots(words: U64Array) -> int:
    """Sets the number of objects before each word; returns the total."""
    total: int = int64(0)
    for place in range(0, len(words), 2):
        words[place + 1] = uint64(total)
        total += bits_of(words[place])
    return total


@kernel
def put_in_order(ids: U64Array, start: int, unit: U64Array, pages: U32Array, words: U64Array, order: U32Array) -> None:
    """Stores numbers, from `start` on, at the places of their ids; of equal ids the later one wins."""
    low, shift = unit[0], unit[1]
    for place in range(len(ids)):
        slot = (ids[place] - low) >> shift
        word = (uint64(pages[int64(slot >> PAGE_BITS)]) << PAGE_WORDS) | ((slot >> WORD_BITS) & WORD_MASK)
        at = int64(word << ONE)
        before = words[at] & ((ONE << (slot & WORD_MASK)) - ONE)
        order[int64(words[at + 1]) + bits_of(before)] = start + place


@kernel
def note_runs(words: U64Array, order: U32Array, low: int, high: int) -> int:
    """Sets the first number of each word from `low` to `high`; returns the count of non-consecutive objects."""
    rest: int = int64(0)
    for place in range(2 * low, 2 * high, 2):
        first = int64(words[place + 1])
        count = bits_of(words[place])
        number = uint64(NONE)
        if count > 0:
            number = uint64(order[first])
            for more in range(1, count):
                if uint64(order[first + more]) != number + uint64(more):
                    number = uint64(NONE)
                    rest += count
                    break
        words[place + 1] = uint64(first) | (number << HALF)
    return rest


@kernel
def keep_rest(words: U64Array, order: U32Array, rest: U32Array) -> None:
    """Stores the numbers of non-consecutive objects. rest uint32, filled"""
    filled: int = int64(0)
    for place in range(0, len(words), 2):
        known = words[place + 1]
        if known >> HALF == uint64(NONE):
            first = int64(known & LOWER)
            words[place + 1] = (uint64(NONE) << HALF) | uint64(filled)
            for more in range(bits_of(words[place])):
                rest[filled] = order[first + more]
                filled += 1


@part
def number_of(id: int, numbered: Numbered) -> int:
    """Returns the number of the object with an id; NONE if there is none."""
    unit, pages = numbered.unit, numbered.pages
    if len(pages) == 0:
        return search(id, numbered)
    low, shift = unit[0], unit[1]
    distance = id - low
    slot = distance >> shift
    page = slot >> PAGE_BITS
    if id < low or page >= uint64(len(pages)) or slot << shift != distance:
        return NONE
    word = (uint64(pages[int64(page)]) << PAGE_WORDS) | ((slot >> WORD_BITS) & WORD_MASK)
    at = int64(word << ONE)
    here = numbered.words[at]
    bit = slot & WORD_MASK
    if (here >> bit) & ONE == 0:
        return NONE
    before = bits_of(here & ((ONE << bit) - ONE))
    known = numbered.words[at + 1]
    number = known >> HALF
    if number != uint64(NONE):
        return uint32(number + uint64(before))
    return uint32(numbered.order[int64(known & LOWER) + before])


@part
def search(id: int, numbered: Numbered) -> int:
    """Returns the number of an id by bisection, where ids are too sparse for pages; NONE if there is none."""
    ids = numbered.sorted
    low, high = 0, len(ids)
    while low < high:
        middle = (low + high) >> 1
        if ids[middle] < id:
            low = middle + 1
        else:
            high = middle
    if low < len(ids) and ids[low] == id:
        return uint32(numbered.order[low])
    return NONE


@kernel
def find_numbers(ids: U64Array, numbered: Numbered, found: U32Array) -> None:
    """Looks up the number of each id. found uint32, filled"""
    for place in range(len(ids)):
        found[place] = number_of(ids[place], numbered)
