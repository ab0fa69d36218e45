"""Kernels that find Strings with equal texts. Twin: `plain_texts` of `parsers.formats.hprof.dump.index.strings`.

A text is identified by its length and a 64-bit hash over its UTF-16 units: Latin-1 and UTF-16 strings of one text are
equal. Among millions of different texts, the chance that two have one hash is one in a million.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from parsers.formats.hprof.dump.read.kernel import id_at, u4
from parsers.heapdump.tables.numbers_kernel import NONE
from parsers.kernels.decorators import int64, kernel, part, uint64
from parsers.kernels.id_table import number_of_key

if TYPE_CHECKING:
    from parsers.formats.hprof.dump.index.strings import StringLayout
    from parsers.model.arrays import I64Array, U8Array, U32Array, U64Array

WITH_DATA = 0x23
"""Tag of an array of primitives with its elements."""
CHARS, BYTES = 5, 8
"""Types of elements."""
BIG_ENDIAN, LATIN_1, UTF_16 = range(3)
"""Encodings of a text: char[]; byte[] by the `coder` of the String."""
WHOLE = 0xFFFF_FFFF
"""Special count: the whole array."""
NO_TEXT = uint64(0)
FIRST, SECOND = uint64(0x9E37_79B9_7F4A_7C15), uint64(0xD6E8_FEB8_6659_FD93)
TURN, BACK, FOLD = uint64(31), uint64(33), uint64(32)
U8, U16, U32, U48 = uint64(8), uint64(16), uint64(32), uint64(48)


class Slices(NamedTuple):
    """Position of the text by String."""

    arrays: U32Array
    """uint32: the object with the text, NONE for none."""
    coders: U8Array
    """uint8: value of the field, 0 if there is none."""
    starts: U32Array
    """uint32: elements before it."""
    counts: U32Array
    """uint32: number of elements, WHOLE for all."""


@kernel
def read_strings(
    data: U8Array, base: int, size: int, strings: U32Array, offsets: U64Array, layout: StringLayout, before: I64Array,
    firsts: U32Array, targets: U32Array, slices: Slices,
) -> None:  # fmt: skip
    """Reads some Strings, all of whose bytes are in `data`, which begins at byte `base` of the file.

    strings  uint32: objects
    offsets  uint64[n], firsts uint32[n+1], targets uint32[r]: of all objects
    before   int64: offsets in its values of the references before that to its array
    slices   of these Strings, filled
    """
    for place in range(len(strings)):
        string = int64(strings[place])
        at = int64(offsets[string]) - base + 5 + size
        length = u4(data, at + size)
        values = at + size + 4
        slices.arrays[place] = NONE
        slices.coders[place] = 0
        slices.starts[place] = 0
        slices.counts[place] = WHOLE
        if layout.value + size > length or id_at(data, values + layout.value, size) == 0:
            continue
        reference = int64(firsts[string])
        for other in before:
            if id_at(data, values + other, size) != 0:
                reference += 1
        slices.arrays[place] = targets[reference]
        if layout.coder >= 0 and layout.coder < length:
            slices.coders[place] = data[values + layout.coder]
        if layout.start >= 0 and layout.units >= 0 and max(layout.start, layout.units) + 4 <= length:
            start = u4(data, values + layout.start)
            count = u4(data, values + layout.units)
            slices.starts[place] = 0 if start >> 31 else start
            slices.counts[place] = 0 if count >> 31 else count


@part
def mixed(hash: int, word: int) -> int:
    """Returns a hash updated with four more units."""
    hash = (hash ^ word) * FIRST
    hash = (hash << TURN | hash >> BACK) * SECOND
    return hash ^ hash >> FOLD


@part
def unit_at(data: U8Array, at: int, form: int) -> int:
    """Returns the UTF-16 unit whose first byte is at `at`."""
    if form == LATIN_1:
        return uint64(data[at])
    if form == UTF_16:
        return uint64(data[at]) | uint64(data[at + 1]) << U8
    return uint64(data[at]) << U8 | uint64(data[at + 1])


@part
def four_at(data: U8Array, at: int, form: int) -> int:
    """Returns four units, the first one lowest."""
    if form == LATIN_1:
        return (
            uint64(data[at]) | uint64(data[at + 1]) << U16 | uint64(data[at + 2]) << U32 | uint64(data[at + 3]) << U48
        )
    low, high = (U8, uint64(0)) if form == BIG_ENDIAN else (uint64(0), U8)
    return (
        uint64(data[at]) << low
        | uint64(data[at + 1]) << high
        | uint64(data[at + 2]) << (U16 + low)
        | uint64(data[at + 3]) << (U16 + high)
        | uint64(data[at + 4]) << (U32 + low)
        | uint64(data[at + 5]) << (U32 + high)
        | uint64(data[at + 6]) << (U48 + low)
        | uint64(data[at + 7]) << (U48 + high)
    )


@part
def hashed(data: U8Array, at: int, units: int, form: int) -> int:
    """Returns the hash of a number of units, never NO_TEXT."""
    width = 1 if form == LATIN_1 else 2
    hash = uint64(units) * SECOND
    for _ in range(units >> 2):
        hash = mixed(hash, four_at(data, at, form))
        at += 4 * width
    word = uint64(0)
    for place in range(units & 3):
        word |= unit_at(data, at + place * width, form) << (U16 * uint64(place))
    hash = mixed(hash, word)
    return hash if hash != NO_TEXT else FIRST


@kernel
def hash_texts(
    data: U8Array, base: int, size: int, most: int, order: U32Array, offsets: U64Array, slices: Slices,
    hashes: U64Array, lengths: U32Array, wholes: U8Array,
) -> None:  # fmt: skip
    """Hashes the texts of some Strings whose arrays are in `data`, up to a number of elements.

    most     most elements of a text that are hashed
    order    uint32: indices of Strings in the following arrays, and in slices
    offsets  uint64[n]: of all objects
    hashes   uint64, filled; NO_TEXT if it is not in the file
    lengths  uint32, filled: UTF-16 units
    wholes   uint8, filled: 1 if the text is all of its array
    """
    last: int = int64(-1)
    for string in order:
        # Strings that share an array mostly use all of it, which may be long.
        if (
            last >= 0
            and slices.arrays[string] == slices.arrays[last]
            and slices.starts[string] == slices.starts[last]
            and slices.counts[string] == slices.counts[last]
            and slices.coders[string] == slices.coders[last]
        ):
            hashes[string], lengths[string], wholes[string] = hashes[last], lengths[last], wholes[last]
            continue
        last = int64(string)
        at = int64(offsets[slices.arrays[string]]) - base
        type = data[at + 9 + size]
        hashes[string] = NO_TEXT
        lengths[string] = 0
        wholes[string] = 0
        if data[at] != WITH_DATA or (type != CHARS and type != BYTES):
            continue
        length = u4(data, at + 5 + size)
        start, count = int64(slices.starts[string]), int64(slices.counts[string])
        if count == WHOLE:
            count = length
        count = max(min(count, length - start), 0)
        form = BIG_ENDIAN if type == CHARS else UTF_16 if slices.coders[string] == 1 else LATIN_1
        width = 2 if type == CHARS else 1
        values = at + 10 + size + start * width
        units, looked_at = count, min(count, most)
        if form == UTF_16:
            units, looked_at = units >> 1, looked_at >> 1
        hash = hashed(data, values, looked_at, form)
        if units != looked_at:
            hash = mixed(hash, uint64(units))
        hashes[string] = hash if hash != NO_TEXT else FIRST
        lengths[string] = units
        wholes[string] = 1 if count == length else 0


@kernel
def number_texts(hashes: U64Array, table: U32Array, found: U64Array, texts: U32Array) -> int:
    """Numbers equal texts equally, by first occurrence; returns the number of texts.

    table  uint32[2^k], zeros, more than there are hashes
    found  uint64: by text, filled: its hash
    texts  uint32: by String, filled: the number of its text, NONE for none
    """
    total: int = int64(0)
    for string in range(len(hashes)):
        hash = hashes[string]
        if hash == NO_TEXT:
            texts[string] = NONE
            continue
        text = number_of_key(table, found, hash, total)
        total = max(total, text + 1)
        texts[string] = text
    return total
