"""Names of two builds found in blocks of their reports. Importing this module imports numba."""

from __future__ import annotations

from typing import Any

import numpy as np

from parsers.formats.graalvm.calls.index.kernel import number_before
from parsers.formats.graalvm.objects.index.kernel import (
    ROOT_LENGTH,
    VALUE_LENGTH,
    VALUE_MASK,
    VALUE_WORD,
    has_loader,
    text_before,
)
from parsers.formats.graalvm.objects.index.row import POSITION, ROOT, ROOT_REFERENCE, ROOT_VALUE
from parsers.kernels.decorators import int64, kernel, part
from parsers.kernels.vector import copy64, equal64, find, hash64, load64, lowest_bit, strange64

LF, CR, COLON, LEFT, ZERO, NINE = (ord(sign) for sign in "\n\r:(09")
PERCENT, DOLLAR, UNDERSCORE = (ord(sign) for sign in "%$_")
SMALL_X, LARGE_A, LARGE_L, LARGE_P = (ord(sign) for sign in "xALP")


def _word(text: bytes) -> tuple[Any, Any]:
    """The first eight bytes of a text as a number, and which of its bits count."""
    return np.uint64(int.from_bytes(text[:8], "little")), np.uint64((1 << 8 * len(text[:8])) - 1)


ACCESSOR, _ = _word(b"Accessor")
LAMBDA, LAMBDA_MASK = _word(b"Lambda$")
PROXY, PROXY_MASK = _word(b"Proxy")
HASH = 41
"""Bytes of `_` and a hash, before a parenthesis."""
ROOT_WORD, ROOT_MASK = _word(ROOT)
POSITION_WORD, POSITION_MASK = _word(POSITION)
POSITION_LENGTH = len(POSITION)


@kernel
def cut_lines(data: Any, size: int, begins: Any, starts: Any, stops: Any, is_doubtful: Any, hashes: Any) -> None:
    """Finds the names in lines of a list, which are perhaps behind a loader, and gives each its hash.

    data         uint8: a block; 128 bytes behind `size` are readable
    begins       int64[n]: where each line begins
    starts       int64[n], filled: where each name begins; stops: where it ends
    is_doubtful  bool[n], filled: whether it may be another one once it is normalised, or isn't ASCII
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
def hash_all(data: Any, starts: Any, hashes: Any) -> None:
    """Hashes of texts that stand one behind the other: int64[n+1] where each begins, uint64[n] filled."""
    for number in range(len(hashes)):
        start = int64(starts[number])
        hashes[number] = hash64(data, start, int64(starts[number + 1]) - start)


@part
def may_lose(data: Any, start: int, stop: int) -> bool:
    """Whether a name holds what stands in every name that is another one when it is normalised, or is no ASCII."""
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
            marks &= marks - np.uint64(1)
        at += 64
    return False


@part
def is_mark(data: Any, start: int, place: int) -> bool:
    """Whether a byte begins or ends such a text in the name that begins at `start`."""
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
    data: Any, size: int, begins: Any, forms: Any, prefix: int, drops_loaders: bool, texts: Any, at: int, stops: Any
) -> int:
    """Puts the sources of some roots one behind the other; where the last one ends.

    data, begins   as in `cut_lines`: lines of roots
    forms          uint8[n]: what the index says they are
    prefix         bytes of the branch before each row
    drops_loaders  whether they are left out, and the first word of a position
    texts, at      uint8: where they are put, with room for all that is in the block, and from where on
    stops          int64[n], filled: where each ends in `texts`; -1 for one that must be looked at more closely
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
            # Where the last blank is missing, or the line is another one by now, plain code says what it is.
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
