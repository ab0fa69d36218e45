"""Kernels that find names in blocks of two builds' reports. Importing this module imports numba."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parsers.formats.graalvm.calls.index.kernel import number_before, word_of
from parsers.formats.graalvm.objects.index.kernel import (
    ROOT_LENGTH,
    ROOT_MASK,
    ROOT_WORD,
    VALUE_LENGTH,
    VALUE_MASK,
    VALUE_WORD,
    has_loader,
    text_before,
)
from parsers.formats.graalvm.objects.index.row import POSITION, ROOT_REFERENCE, ROOT_VALUE
from parsers.kernels.decorators import int64, kernel, part, uint64
from parsers.kernels.vector import copy64, equal64, find, hash64, load64, lowest_bit, strange64

if TYPE_CHECKING:
    from parsers.model.arrays import BoolArray, I64Array, U8Array, U64Array

LF, CR, COLON, LEFT, ZERO, NINE = (ord(sign) for sign in "\n\r:(09")
PERCENT, DOLLAR, UNDERSCORE = (ord(sign) for sign in "%$_")
SMALL_X, LARGE_A, LARGE_L, LARGE_P = (ord(sign) for sign in "xALP")


ACCESSOR, _ = word_of(b"Accessor")
LAMBDA, LAMBDA_MASK = word_of(b"Lambda$")
PROXY, PROXY_MASK = word_of(b"Proxy")
HASH = 41
"""Length of `_` and a hash, before a parenthesis."""
POSITION_WORD, POSITION_MASK = word_of(POSITION)
POSITION_LENGTH = len(POSITION)


@kernel
def cut_lines(
    data: U8Array, size: int, begins: I64Array, starts: I64Array, stops: I64Array, is_doubtful: BoolArray,
    hashes: U64Array,
) -> None:  # fmt: skip
    """Finds and hashes the names in lines of a list, which may have a loader before them.

    data         uint8: a block; 128 bytes after `size` are readable
    begins       int64[n]: start of each line
    starts       int64[n], filled: start of each name; stops: its end
    is_doubtful  bool[n], filled: True if normalising may change it, or if it isn't ASCII
    hashes       uint64[n], filled
    """
    for row in range(len(begins)):
        start = int64(begins[row])
        stop = find(data, start, size, LF)
        if stop < 0:
            stop = size
        if stop > start and data[stop - 1] == CR:
            stop -= 1
        colon = find(data, start, stop, COLON)
        if colon >= 0 and find(data, start, colon, LEFT) < 0:
            start = colon + 1
        starts[row], stops[row] = start, stop
        is_doubtful[row] = may_lose(data, start, stop)
        hashes[row] = hash64(data, start, stop - start)


@kernel
def hash_all(data: U8Array, starts: I64Array, hashes: U64Array) -> None:
    """Hashes concatenated texts: int64[n+1] start of each, uint64[n] filled."""
    for number in range(len(hashes)):
        start = int64(starts[number])
        hashes[number] = hash64(data, start, int64(starts[number + 1]) - start)


@part
def may_lose(data: U8Array, start: int, stop: int) -> bool:
    """Returns True if a name contains a text that occurs in every name changed by normalising, or isn't ASCII."""
    at = start
    while at < stop:
        marks = equal64(data, at, SMALL_X) | equal64(data, at, LEFT) | equal64(data, at, PERCENT)
        marks |= equal64(data, at, LARGE_A) | equal64(data, at, LARGE_L) | equal64(data, at, LARGE_P)
        marks |= strange64(data, at)
        while marks:
            place = at + lowest_bit(marks)
            if place >= stop:
                return False
            if is_mark(data, start, place):
                return True
            marks &= marks - uint64(1)
        at += 64
    return False


@part
def is_mark(data: U8Array, start: int, place: int) -> bool:
    """Returns True if a byte begins or ends such a text in the name that begins at `start`."""
    byte = data[place]
    before = data[place - 1] if place > start else 0
    if byte == SMALL_X:
        return bool(before == ZERO)
    if byte == LEFT:
        return bool(place - start >= HASH and data[place - HASH] == UNDERSCORE)
    if byte == PERCENT:
        return bool(before == PERCENT)
    if byte == LARGE_A:
        return bool(load64(data, place) == ACCESSOR and ZERO <= data[place + 8] <= NINE)
    if byte == LARGE_L:
        return bool(before == DOLLAR and load64(data, place) & LAMBDA_MASK == LAMBDA)
    if byte == LARGE_P:
        return bool(before == DOLLAR and load64(data, place) & PROXY_MASK == PROXY)
    return True


@kernel
def cut_sources(
    data: U8Array, size: int, begins: I64Array, forms: U8Array, prefix: int, drops_loaders: bool, texts: U8Array,
    at: int, stops: I64Array,
) -> int:  # fmt: skip
    """Concatenates the sources of some roots; returns the end of the last one.

    data, begins   as in `cut_lines`: lines of roots
    forms          uint8[n]: from the index
    prefix         bytes of the branch before each row
    drops_loaders  True leaves out loaders, and the first word of a position
    texts, at      uint8: the output, with capacity for the whole block, and the start in it
    stops          int64[n], filled: end of each in `texts`; -1 for one that plain code must parse
    """
    for row in range(len(begins)):
        start = int64(begins[row]) + prefix
        stops[row] = -1
        line_end = find(data, start, size, LF)
        if line_end < 0 or load64(data, start) & ROOT_MASK != ROOT_WORD:
            continue
        if line_end > start and data[line_end - 1] == CR:
            line_end -= 1
        start += ROOT_LENGTH
        stop = -1
        if forms[row] == ROOT_VALUE:
            # If the last blank is missing, or the line has changed, plain code parses it.
            if line_end - VALUE_LENGTH > start and load64(data, line_end - VALUE_LENGTH) & VALUE_MASK == VALUE_WORD:
                stop = line_end - VALUE_LENGTH
        elif forms[row] == ROOT_REFERENCE:
            text = text_before(data, start, line_end)
            if text >= 0:
                _, is_reference, end = number_before(data, start, text)
                stop = end if is_reference else -1
        if stop <= start:
            continue
        if drops_loaders:
            if load64(data, start) & POSITION_MASK == POSITION_WORD:
                if find(data, start, stop, LEFT) < 0:
                    continue
                start += POSITION_LENGTH
            elif has_loader(data, start, stop):
                start = find(data, start, stop, COLON) + 1
        done = 0
        while done < stop - start:
            copy64(texts, at + done, data, start + done)
            done += 64
        at += stop - start
        stops[row] = at
    return at
