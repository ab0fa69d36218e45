"""Kernel for the most frequent elements of large recordings: those whose attributes are all numbers.

Anything else (an entity, an unknown name, an unexpected end of a tag, text between elements) becomes a SURPRISE row,
which plain code reads. Twin: `blocks.PlainReader`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from parsers.formats.tptp.read.element_chunk import ROWS, SURPRISE
from parsers.formats.tptp.schema.element_names import (
    FACTORS,
    KEY,
    KIND_MASK,
    KIND_SHIFT,
    LONGEST,
    NAME_SLOTS,
    SECOND_BIT,
    SHIFT,
    SLOT_MASK,
)
from parsers.formats.tptp.schema.vocabulary import ID, NUMBER, ROOT_WORD, SECONDS, SLOTS, TRUTH
from parsers.kernels.decorators import int64, intrinsic, ir, kernel, part, types, uint64
from parsers.kernels.vector import VECTOR, byte_vector, equal64, find, load64, load_vector, lowest_bit

if TYPE_CHECKING:
    from parsers.formats.tptp.read.element_chunk import ElementChunk
    from parsers.formats.tptp.schema.element_names import ElementNameArrays
    from parsers.model.arrays import U8Array, U64Array

NEVER = -(1 << 63)
LF, CR, TAB, BLANK = 10, 13, 9, 32
QUOTE, APOSTROPHE, SLASH, LESS, EQUAL, GREATER, DOT = 34, 39, 47, 60, 61, 62, 46
MOST_DIGITS = 18
MOST_SECONDS_DIGITS = 10
MOST_SECONDS = 9_223_372_035
NANOS_DIGITS = 9
BILLION = 1_000_000_000
POWERS = tuple(10**power for power in range(19))
ZEROS, SIXES, HIGHS = (uint64(0x0101010101010101 * byte) for byte in (0x30, 0x06, 0xF0))
TRUE, FALSE = (uint64(int.from_bytes(word, "little")) for word in (b"true", b"false"))
FOUR, FIVE = uint64(0xFFFF_FFFF), uint64(0xFF_FFFF_FFFF)
FIRST, SECOND, THIRD = (uint64(factor) for factor in FACTORS)
BAD = -1
"""No position."""


@intrinsic
def odd64(typing_context: Any, data: Any, index: Any) -> Any:
    """Mask of the 64 bytes from a position on that aren't plain: control characters, `<`, `&`, any above 127."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = byte_vector()
        loaded = load_vector(context, builder, signature.args[0], *arguments)
        odd = builder.icmp_signed("<", loaded, ir.Constant(kind, [BLANK] * VECTOR))
        for byte in (LESS, ord("&")):
            odd = builder.or_(odd, builder.icmp_unsigned("==", loaded, ir.Constant(kind, [byte] * VECTOR)))
        return builder.bitcast(odd, ir.IntType(64))

    return types.uint64(data, types.int64), generate


@part
def low_bytes(word: int, count: int) -> int:
    """Returns the `count` low bytes of a word, 0 to 8."""
    if count >= 8:
        return word
    return word & ((uint64(1) << uint64(8 * count)) - uint64(1))


@part
def place_of(table: U64Array, data: U8Array, at: int, length: int) -> int:
    """Returns the number of a name in a table of `element_names`; BAD if it isn't there."""
    if length > LONGEST:
        return BAD
    first, second, third = load64(data, at), uint64(0), uint64(0)
    if length < 8:
        first = low_bytes(first, length)
    elif length <= 16:
        second = low_bytes(load64(data, at + 8), length - 8)
    else:
        second = load64(data, at + 8)
        third = low_bytes(load64(data, at + 16), length - 16)
    value = (first ^ uint64(length)) * FIRST ^ second * SECOND ^ third * THIRD
    slot = int64((value ^ value >> uint64(29)) * SECOND >> uint64(SHIFT))
    while True:
        row = slot * KEY
        known = table[row + 3]
        if known == uint64(0):
            return BAD
        is_long_so = known & uint64(0xFF) == uint64(length)
        if is_long_so and table[row] == first and table[row + 1] == second and table[row + 2] == third:
            return int64(known >> uint64(8))
        slot = (slot + 1) & (NAME_SLOTS - 1)


@part
def digits_at(word: int) -> int:
    """Returns how many of the eight bytes of a word, from the lowest on, are decimal digits."""
    digits = word ^ ZEROS
    others = ((digits + SIXES) | digits) & HIGHS
    return lowest_bit(others) >> 3


@part
def number_of(word: int, count: int) -> int:
    """Returns the number that the lowest `count` bytes of a word spell in digits: 1 to 8."""
    digits = (word ^ ZEROS) << uint64(8 * (8 - count))
    digits = (digits * uint64(10) + (digits >> uint64(8))) & uint64(0x00FF00FF00FF00FF)
    digits = (digits * uint64(100) + (digits >> uint64(16))) & uint64(0x0000FFFF0000FFFF)
    return int64((digits * uint64(10000) + (digits >> uint64(32))) & uint64(0xFFFFFFFF))


@part
def integer(data: U8Array, at: int) -> tuple[int, int]:
    """Reads the number at `at`, at most 18 digits, and the position of its end: `at` if there are no digits."""
    word = load64(data, at)
    count = digits_at(word)
    if count == 0:
        return int64(0), at
    value = number_of(word, count)
    at += count
    if count == 8:
        word = load64(data, at)
        count = digits_at(word)
        if count > 0:
            value = value * POWERS[count] + number_of(word, count)
            at += count
            if count == 8:
                for _ in range(MOST_DIGITS - 16):
                    if 48 <= data[at] <= 57:
                        value = value * 10 + data[at] - 48
                        at += 1
    return value, at


@part
def seconds(data: U8Array, at: int) -> tuple[int, int]:
    """The nanoseconds of seconds with up to 18 digits behind a point, and where they end: there if they are none."""
    value, end = integer(data, at)
    if end == at or end > at + MOST_SECONDS_DIGITS or value > MOST_SECONDS:
        return value, at
    value *= BILLION
    if data[end] != DOT:
        return value, end
    nanos, last = integer(data, end + 1)
    count = last - end - 1
    if count == 0:
        return value, at
    if count > NANOS_DIGITS:
        return value + nanos // POWERS[count - NANOS_DIGITS], last
    return value + nanos * POWERS[NANOS_DIGITS - count], last


@part
def truth(data: U8Array, at: int) -> tuple[int, int]:
    """Reads 1 for true, 0 for false, and the position of the word's end: its beginning if it is neither."""
    word = load64(data, at)
    if word & FOUR == TRUE:
        return int64(1), at + 4
    if word & FIVE == FALSE:
        return int64(0), at + 5
    if data[at] == 48 or data[at] == 49:
        return int64(data[at]) - 48, at + 1
    return int64(0), at


@part
def value_of(data: U8Array, at: int, quote: int, kind: int, words: U64Array) -> tuple[int, int]:
    """Reads the number of a value of a kind, and the position of its end; BAD if it is no such value."""
    value, end = int64(0), at
    if kind in (ID, NUMBER):
        value, end = integer(data, at)
    elif kind == SECONDS:
        value, end = seconds(data, at)
    elif kind == TRUTH:
        value, end = truth(data, at)
    else:
        length = lowest_bit(equal64(data, at, quote))
        if kind == ROOT_WORD:
            value = place_of(words, data, at, length)
            if value < 0:
                return value, BAD
        elif length == 64 or lowest_bit(odd64(data, at)) < length:
            return value, BAD
        return value, at + length
    if end == at or data[end] != quote:
        return value, BAD
    return value, end


@part
def behind_white(data: U8Array, at: int) -> int:
    """Returns the end of the white space at a position."""
    while data[at] == LF or data[at] == BLANK or data[at] == CR or data[at] == TAB:
        at += 1
    return at


@part
def attributes_at(chunk: ElementChunk, names: ElementNameArrays, at: int, row: int, how: int) -> int:
    """Reads the attributes of a row's element into its numbers. Returns the end of its `/>`, BAD for other contents.

    how  position in `names.reads` of the element's first attribute
    """
    data, numbers, last_rows = chunk.data, chunk.numbers, chunk.last_rows
    base, of_seconds = row * SLOTS, 0
    while data[at] == BLANK:
        at = behind_white(data, at)
        if data[at] == SLASH:
            break
        length = lowest_bit(equal64(data, at, EQUAL))
        attribute = place_of(names.attributes, data, at, length)
        if attribute < 0 or last_rows[attribute] == row + 1:
            return BAD
        last_rows[attribute] = row + 1
        read, quote = int64(names.reads[how + attribute]), data[at + length + 1]
        if read == 0 or (quote != QUOTE and quote != APOSTROPHE):
            return BAD
        value, end = value_of(data, at + length + 2, quote, (read >> KIND_SHIFT & KIND_MASK) - 1, names.words)
        if end < 0:
            return BAD
        at = end + 1
        slot = read & SLOT_MASK
        if slot < SLOTS:
            bit, is_free = 1 << slot, numbers[base + slot] == NEVER
            if read & SECOND_BIT:
                if is_free:
                    numbers[base + slot] = value
                    of_seconds |= bit
                elif of_seconds & bit:
                    return BAD
            elif is_free or of_seconds & bit:
                numbers[base + slot] = value
                of_seconds &= ~bit
            else:
                return BAD
    if data[at] == SLASH and data[at + 1] == GREATER:
        return at + 2
    return BAD


@part
def is_in_name(byte: int) -> bool:
    """Returns True if a byte may be in a name; digits, `-` and `.` not at its beginning."""
    return is_first_in_name(byte) or 48 <= byte <= 57 or byte == 45 or byte == 46


@part
def is_first_in_name(byte: int) -> bool:
    """Returns True if a name may begin with a byte."""
    return 97 <= byte <= 122 or 65 <= byte <= 90 or byte == 95 or byte == 58 or byte >= 128


@part
def may_begin(data: U8Array, at: int) -> bool:
    """Returns True if a construct may begin with the `<` at `at`, by its first bytes; see `scanner.next_start`."""
    byte = int64(data[at + 1])
    if byte == SLASH or byte == 33 or byte == 63:
        return True
    if not is_first_in_name(byte):
        return False
    at += 2
    while is_in_name(int64(data[at])):
        at += 1
    end = behind_white(data, at)
    if data[end] == GREATER or (data[end] == SLASH and data[end + 1] == GREATER):
        return True
    if end == at or not is_first_in_name(int64(data[end])):
        return False
    at = end + 1
    while is_in_name(int64(data[at])):
        at += 1
    at = behind_white(data, at)
    if data[at] != EQUAL:
        return False
    at = behind_white(data, at + 1)
    return bool(data[at] == QUOTE or data[at] == APOSTROPHE)


@kernel
def read_elements(chunk: ElementChunk, names: ElementNameArrays, at: int, stop: int) -> tuple[int, int]:
    """Reads rows of the elements that begin in the bytes of a chunk from `at` to `stop`.

    Returns their number, and where reading ended: at or after `stop`, unless the capacity was reached. Between rows is
    only white space, unless the first of two is a SURPRISE.
    """
    data, code, start, end, numbers = chunk.data, chunk.code, chunk.start, chunk.end, chunk.numbers
    row = 0
    chunk.last_rows[:] = 0
    at = find(data, at, stop, LESS)
    if at < 0:
        at = stop
    while at < stop and row < ROWS:
        start[row] = at
        behind = BAD
        if data[at] == LESS:
            length = lowest_bit(equal64(data, at + 1, BLANK) | equal64(data, at + 1, SLASH))
            place = place_of(names.elements, data, at + 1, length)
            if place >= 0 and names.codes[place] > 0:
                for slot in range(row * SLOTS, row * SLOTS + SLOTS):
                    numbers[slot] = NEVER
                code[row] = names.codes[place]
                chunk.name[row] = place
                behind = attributes_at(chunk, names, at + 1 + length, row, int64(code[row]) * 256)
        if behind >= 0:
            end[row] = behind
            at = behind_white(data, behind)
        else:
            code[row] = SURPRISE
            end[row] = at
            at = find(data, at + 1, stop, LESS)
            while at >= 0 and not may_begin(data, at):
                at = find(data, at + 1, stop, LESS)
            if at < 0:
                at = stop
        row += 1
    return row, at
