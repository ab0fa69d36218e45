"""Loops over columns of blocks (`blocks`): plain functions, which `compiled` makes kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parsers.index.bitpacked.columns import BLOCK
from parsers.kernels.compiled import signed

if TYPE_CHECKING:
    from parsers.model.arrays import AnyArray, I64Array, U32Array

PENDING, WORDS = 0, 1
"""State of a column that is written, int64[2]: numbers of an unfinished block; words so far."""


def width_of(spread: int) -> int:
    """Returns the bits of a difference of two numbers; a negative one has overflowed."""
    if spread < 0:
        return 64
    width = 0
    while spread > 0:
        spread >>= 1
        width += 1
    return width


def pack_block(numbers: AnyArray, first: int, words: I64Array, at: int) -> int:
    """Packs the BLOCK numbers from `first` on; returns the place behind their words."""
    least, most = int(numbers[first]), int(numbers[first])
    for place in range(first + 1, first + BLOCK):
        least = min(least, int(numbers[place]))
        most = max(most, int(numbers[place]))
    width = width_of(signed(most - least))
    words[at] = least
    at += 1
    if width == 0:
        return at
    word, filled = 0, 0
    for place in range(first, first + BLOCK):
        rest = signed(int(numbers[place]) - least)
        word = signed(word | rest << filled)
        filled += width
        if filled >= 64:
            words[at] = word
            at += 1
            filled -= 64
            word = rest >> (width - filled) if filled > 0 else 0
    return at


def pack_blocks(numbers: AnyArray, pending: I64Array, state: I64Array, words: I64Array, ends: U32Array) -> int:
    """Packs a piece of a column; returns the number of blocks that were finished.

    pending  int64[BLOCK]: the numbers of the unfinished block
    state    PENDING and WORDS, changed
    words    filled with the words of the finished blocks; ends: with their ends in the words of the column
    """
    held, total, used, blocks, place = int(state[PENDING]), int(state[WORDS]), 0, 0, 0
    while held + len(numbers) - place >= BLOCK:
        if held > 0:
            while held < BLOCK:
                pending[held] = numbers[place]
                held += 1
                place += 1
            used = pack_block(pending, 0, words, used)
            held = 0
        else:
            used = pack_block(numbers, place, words, used)
            place += BLOCK
        ends[blocks] = total + used
        blocks += 1
    while place < len(numbers):
        pending[held] = numbers[place]
        held += 1
        place += 1
    state[PENDING] = held
    state[WORDS] = total + used
    return blocks


def number_in(words: I64Array, ends: U32Array, row: int) -> int:
    """Returns the number of a row."""
    block = row // BLOCK
    start = int(ends[block - 1]) if block > 0 else 0
    width = int(ends[block]) - start - 1
    base = int(words[start])
    if width == 0:
        return base
    bit = row % BLOCK * width
    at, shift = start + 1 + (bit >> 6), bit & 63
    value = int(words[at]) >> shift
    if shift + width > 64:
        value = value & (1 << (64 - shift)) - 1 | int(words[at + 1]) << (64 - shift)
    if width < 64:
        value &= (1 << width) - 1
    return signed(base + value)


def unpack_slice(words: I64Array, ends: U32Array, first: int, numbers: AnyArray) -> None:
    """Fills an array with the numbers from row `first` on."""
    for place in range(len(numbers)):
        numbers[place] = number_in(words, ends, first + place)


def unpack_rows(words: I64Array, ends: U32Array, rows: I64Array, numbers: AnyArray) -> None:
    """Fills an array with the numbers of some rows."""
    for place in range(len(numbers)):
        numbers[place] = number_in(words, ends, int(rows[place]))


def find_number(words: I64Array, ends: U32Array, count: int, number: int, rows: I64Array) -> int:
    """Finds the rows of a number, ascending, up to as many as there is space for; returns how many it found.

    count  number of rows
    """
    found, start = 0, 0
    for block in range(len(ends)):
        base, width = int(words[start]), int(ends[block]) - start - 1
        start = int(ends[block])
        above = signed(number - base)
        if width < 63 and not 0 <= above < 1 << width:
            continue
        for row in range(block * BLOCK, min((block + 1) * BLOCK, count)):
            if found == len(rows):
                return found
            if width == 0 or number_in(words, ends, row) == number:
                rows[found] = row
                found += 1
    return found
