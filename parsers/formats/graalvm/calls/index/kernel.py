"""Compiled classifier of a row of a call tree. Plain twin: `row.parse_call_row`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from parsers.formats.graalvm.calls.index.row import (
    DIRECT,
    ENTRY,
    ID_DIGITS,
    IMPLEMENTED,
    INTERFACE,
    OVERRIDDEN,
    REASON,
    UNKNOWN,
    VIRTUAL,
    WORDS,
)
from parsers.formats.graalvm.text.read.chunk import CONTINUES, DECLARES, HAS_VERTEX, NAMED, PROBLEM
from parsers.kernels.decorators import int64, part, uint64
from parsers.kernels.text_table import number_of
from parsers.kernels.vector import equal64, find, hash64, high_zeros, load64, lowest_bit

if TYPE_CHECKING:
    from parsers.model.arrays import U8Array

NEGATIVE, CHAINED, HAS_REASON, ENTRY_LOADER = 1, 2, 4, 8
"""Bits of a row's tag: a bytecode index is negative; there are several; the entry has a reason; it has a loader."""

BLANK, MINUS, GREATER, EQUALS, COLON, LEFT, RIGHT, COMMA, DOT, DOLLAR = (ord(sign) for sign in " ->=:(),.$")
ZERO, NINE = ord("0"), ord("9")


def word_of(text: bytes) -> tuple[int, int]:
    """Returns the first eight bytes of a text as a number, and their mask."""
    return uint64(int.from_bytes(text[:8], "little")), uint64((1 << 8 * len(text[:8])) - 1)


HEADS = np.array([word_of(word)[0] for word in WORDS], np.uint64)
HEAD_MASKS = np.array([word_of(word)[1] for word in WORDS], np.uint64)
NEXTS = np.array([word_of(word[8:])[0] for word in WORDS], np.uint64)
NEXT_MASKS = np.array([word_of(word[8:])[1] for word in WORDS], np.uint64)
LASTS = np.array([word_of(word[-6:])[0] for word in WORDS], np.uint64)
SIX = word_of(WORDS[ENTRY])[1]
LENGTHS = np.array([len(word) for word in WORDS], np.int64)
"""Words at the start of a row: their first eight bytes, the next eight, the last six, and their lengths. The longest
has 20 bytes, so all bytes are covered."""
ORDER = (OVERRIDDEN, DIRECT, VIRTUAL, ENTRY, INTERFACE, IMPLEMENTED)
"""The most frequent kinds first."""

BCI, BCI_MASK = word_of(b" @bci=")
ID, ID_MASK = word_of(b" id=")
ID_REF, _ = word_of(b" id-ref=")
REASON_HEAD, _ = word_of(REASON)
REASON_TAIL, _ = word_of(REASON[8:])
REASON_LENGTH = len(REASON)
ZEROS, LOW_BITS, HIGH_BITS = uint64(0x3030303030303030), uint64(0x7F7F7F7F7F7F7F7F), uint64(0x8080808080808080)
TEN_UP = uint64(0x7676767676767676)
"""Added to a value below ten in seven bits, it leaves the eighth bit clear."""
PAIRS = uint64(0x000000FF000000FF)
LAMBDA, _ = word_of(b"$$Lambda")
REASON_BYTES = np.frombuffer(REASON, np.uint8)


@part
def digits_before(data: U8Array, start: int, stop: int) -> tuple[int, int]:
    """Number of digits that end at `stop`, and their value; -1 digits if there are, or may be, eight or more."""
    if stop - start < 8:
        return -1, 0
    digits = load64(data, stop - 8) ^ ZEROS
    others = ((digits & LOW_BITS) + TEN_UP | digits) & HIGH_BITS
    if not others:
        return -1, 0
    count = high_zeros(others) >> 3
    if not count:
        return 0, 0
    # Digits are in the highest bytes, the last one highest; two, four, eight of them are summed at once.
    digits &= ~uint64(0) << uint64(64 - 8 * count)
    digits = digits * uint64(10) + (digits >> uint64(8))
    first, second = digits & PAIRS, digits >> uint64(16) & PAIRS
    return count, int64(first * uint64(0x000F424000000064) + second * uint64(0x0000271000000001) >> uint64(32))


@part
def number_before(data: U8Array, start: int, stop: int) -> tuple[int, int, int]:
    """Returns the id that ends at `stop`: its number (-1: none), 1 if it is a reference, end of the text before it."""
    count, number = digits_before(data, start, stop)
    at = stop - count
    if count < 0:
        at = stop
        number = 0
        unit = 1
        while at > start and ZERO <= data[at - 1] <= NINE and stop - at < ID_DIGITS:
            at -= 1
            number += (int64(data[at]) - ZERO) * unit
            unit *= 10
    if at == stop or at - start < 4 or data[at - 1] != EQUALS:
        return -1, 0, stop
    if load64(data, at - 4) & ID_MASK == ID:
        return number, 0, at - 4
    if at - start >= 8 and load64(data, at - 8) == ID_REF:
        return number, 1, at - 8
    return -1, 0, stop


@part
def bci_before(data: U8Array, start: int, stop: int) -> tuple[int, int]:
    """Returns the start of the bytecode indexes that end at `stop`, with their ` @bci=` (-1: none), and their tag."""
    count, _ = digits_before(data, start, stop)
    at = stop - count
    if count >= 0 and data[at - 1] != MINUS and data[at - 1] != GREATER:
        is_bci = count > 0 and at - start >= 6 and load64(data, at - 6) & BCI_MASK == BCI
        return (at - 6, 0) if is_bci else (-1, 0)
    at = stop
    tag = 0
    while at > start:
        sign = data[at - 1]
        if not ZERO <= sign <= NINE:
            if sign == GREATER:
                tag |= CHAINED
            elif sign == MINUS:
                tag |= NEGATIVE
            else:
                break
        at -= 1
    if at == stop or at - start < 6 or load64(data, at - 6) & BCI_MASK != BCI:
        return -1, 0
    if not tag:
        return at - 6, 0
    # An index is digits, perhaps after a minus; an arrow separates two indexes.
    tag = 0
    place = at
    while True:
        if place < stop and data[place] == MINUS:
            tag |= NEGATIVE
            place += 1
        digits = place
        while place < stop and ZERO <= data[place] <= NINE:
            place += 1
        if place == digits:
            return -1, 0
        if place == stop:
            return at - 6, tag
        if place + 1 < stop and data[place] == MINUS and data[place + 1] == GREATER:
            tag |= CHAINED
            place += 2
        else:
            return -1, 0


@part
def reason_of(data: U8Array, start: int, stop: int) -> tuple[int, int]:
    """Returns the id before the first parsing reason of an entry (-1: none), and the end of the method."""
    at = find(data, start, stop, COMMA)
    while at >= 0:
        if (
            at + REASON_LENGTH <= stop
            and load64(data, at) == REASON_HEAD
            and load64(data, at + 8) == REASON_TAIL
            and data[at + 16] == COLON
        ):
            number, is_ref, end = number_before(data, start, at)
            if number >= 0 and not is_ref and end > start + LENGTHS[ENTRY]:
                return number, end
        at = find(data, at + 1, stop, COMMA)
    return -1, stop


@part
def torn_reason_of(data: U8Array, start: int, stop: int) -> tuple[int, int]:
    """As `reason_of`, at the end of a truncated file, where only the comma of the reason may be left."""
    at = stop - 1
    while at >= start and data[at] != COMMA:
        at -= 1
    if at < start or stop - at > REASON_LENGTH:
        return -1, stop
    for place in range(at, stop):
        if data[place] != REASON_BYTES[place - at]:
            return -1, stop
    number, is_ref, end = number_before(data, start, at)
    if number >= 0 and not is_ref and end > start + LENGTHS[ENTRY]:
        return number, end
    return -1, stop


@part
def loader_before(data: U8Array, start: int, stop: int) -> int:
    """Returns the length of the loader of a method with its colon, 0 if none: a colon before the first parenthesis."""
    at = start
    while at < stop:
        colons = equal64(data, at, COLON)
        lefts = equal64(data, at, LEFT)
        if colons | lefts:
            colon, left = at + lowest_bit(colons), at + lowest_bit(lefts)
            if left < colon or colon >= stop or colon == start:
                return 0
            return colon + 1 - start if find(data, colon, stop, LEFT) >= 0 else 0
        at += 64
    return 0


@part
def classify_call(data: U8Array, start: int, stop: int, is_cut: bool) -> tuple[int, int, int, int, int, int, int]:
    """Classifies the body data[start:stop]: kind, flags, tag, id (-1 if none), start and end of its name, and the
    length of the loader before the name without its colon.

    is_cut: the body is the end of a file without line end.
    """
    kind = UNKNOWN
    head = load64(data, start)
    for candidate in ORDER:
        if head & HEAD_MASKS[candidate] == HEADS[candidate]:
            length = LENGTHS[candidate]
            if (
                start + length <= stop
                and load64(data, start + 8) & NEXT_MASKS[candidate] == NEXTS[candidate]
                and load64(data, start + length - 6) & SIX == LASTS[candidate]
            ):
                kind = candidate
            break
    number, tag = -1, 0
    end = stop
    if kind == ENTRY:
        number, end = reason_of(data, start, stop)
        if number >= 0:
            tag = HAS_REASON
        elif is_cut:
            number, end = torn_reason_of(data, start, stop)
        if number >= 0:
            flags = DECLARES | HAS_VERTEX | NAMED | (CONTINUES if tag else 0)
            name = start + LENGTHS[ENTRY]
            loader = loader_before(data, name, end)
            if loader:
                return ENTRY, flags, tag | ENTRY_LOADER, number, name + loader, end, loader - 1
            return ENTRY, flags, tag, number, name, end, 0
    if stop > start and data[stop - 1] == BLANK:
        end = stop - 1
        is_cut = False
    else:
        end = stop
    has_bci = False
    before, tag = bci_before(data, start, end)
    if before >= 0:
        has_bci = True
        end = before
        is_cut = False
    name = start + LENGTHS[kind] if kind != UNKNOWN else start
    if kind in (VIRTUAL, INTERFACE) and has_bci and end > name:
        return kind, HAS_VERTEX | NAMED, tag, -1, name, end, 0
    is_ref = 0
    if not is_cut:
        number, is_ref, end = number_before(data, start, end)
    if number < 0:
        return UNKNOWN, PROBLEM, 0, -1, start, start, 0
    if kind == ENTRY:
        fits = not has_bci and not is_ref
    elif kind == DIRECT:
        fits = has_bci
    else:
        fits = kind in (OVERRIDDEN, IMPLEMENTED) and not has_bci
    flags = HAS_VERTEX if is_ref else HAS_VERTEX | DECLARES
    if not fits or end <= name:
        return UNKNOWN, flags | PROBLEM, tag, number, start, start, 0
    loader = loader_before(data, name, end)
    if kind == ENTRY and loader:
        tag |= ENTRY_LOADER
    if loader:
        return kind, flags | NAMED, tag, number, name + loader, end, loader - 1
    return kind, flags | NAMED, tag, number, name, end, 0


@part
def opening_of(text: U8Array, start: int, stop: int) -> int:
    """Place of the parenthesis before a method's parameters; `stop` if there is none. Twin: `method_parts`."""
    at = stop - 2
    while at >= start and not (text[at] == RIGHT and text[at + 1] == COLON):
        at -= 1
    if at >= start:
        depth = 1
        while depth and at > start:
            at -= 1
            if text[at] == LEFT:
                depth -= 1
            elif text[at] == RIGHT:
                depth += 1
        if not depth:
            return at
    return stop


@part
def holder_end(text: U8Array, start: int, opening: int) -> int:
    """Returns the end of the class of a method whose parameters begin at `opening`."""
    at = opening - 1
    while at >= start and text[at] != DOT:
        at -= 1
    return max(at, start)


@part
def holder_length(text: U8Array, start: int, stop: int) -> int:
    """Returns the length of the class of a method. Twin: `row.method_parts`."""
    return holder_end(text, start, opening_of(text, start, stop)) - start


@part
def package_end(text: U8Array, start: int, stop: int) -> int:
    """Returns the end of the package of a class. Twin: `row.package_of`."""
    end = stop
    for at in range(start, stop - 7):
        if text[at] == DOLLAR and load64(text, at) == LAMBDA:
            end = at
            break
    at = end - 1
    while at >= start and text[at] != DOT:
        at -= 1
    return at if at >= start else end


@part
def number_class(tables: Any, data: U8Array, start: int, length: int, hash: int) -> int:
    """Returns the number of a class; a new one gets the next number, and the number of its package.

    tables  `TextState` or `CsvNameTable`
    """
    facts = tables.facts[0]
    number = number_of(
        tables.class_slots, tables.class_starts, tables.class_bytes, facts.classes, data, start, length, hash
    )
    if number < facts.classes:
        return number
    facts.classes += 1
    facts.class_bytes += length
    length = package_end(data, start, start + length) - start
    slots, starts, texts = tables.package_slots, tables.package_starts, tables.package_bytes
    package = number_of(slots, starts, texts, facts.packages, data, start, length, hash64(data, start, length))
    if package == facts.packages:
        facts.packages += 1
        facts.package_bytes += length
    tables.class_package[number] = package
    return number
