"""The first of two steps by which kernels read HPROF text: finds and parses the lines of a chunk.

1. `parse_text` (here; by two threads at once) knows nothing but its chunk. It reads the frequent lines of large files:
   objects, arrays, references, traces, frames, if they are as the agent prints them. All others are left to plain code.
2. `join_text` (`join_kernel`; chunk after chunk in file order) makes rows of them.

Twin: `plain_text.PlainText`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from parsers.formats.hprof.data.columns import LINE_BLOCK
from parsers.formats.hprof.text.chunk import (
    ARRAY_OF_PRIMITIVES,
    ARRAY_OF_REFERENCES,
    BEFORE,
    CLS,
    COUNT,
    FRAME,
    MADE,
    OBJ,
    OTHER,
    REFERENCE,
    TRACE,
)
from parsers.formats.hprof.text.lines import MOST_PIECE
from parsers.heapdump.graph.columns import CONSTANT, DOMAIN, ELEMENT, FIELD, LOADER, SIGNERS, STATIC, SUPER
from parsers.kernels.decorators import kernel, part, uint64
from parsers.kernels.vector import SLACK, bits_of, copy64, equal64, find, hash64, load64
from parsers.model.none import NONE

if TYPE_CHECKING:
    from parsers.formats.hprof.text.chunk import LineChunk
    from parsers.model.arrays import U8Array

LF, CR, TAB, BLANK = 10, 13, 9, 32
OPENING, CLOSING, DOT, COLON, AT, LEFT, RIGHT = 40, 41, 46, 58, 64, 91, 93
ZERO = 48
LETTER_O, LETTER_A, LETTER_T = 79, 65, 84
LETTER_CLS = 67
LETTER_C, LETTER_D, LETTER_L, LETTER_S = 99, 100, 108, 115


def word(text: str) -> int:
    """Returns up to eight bytes as a number."""
    return uint64(int.from_bytes(text.encode(), "little"))


def mask(length: int) -> int:
    """Returns the mask of that many bytes of a number."""
    return uint64((1 << 8 * length) - 1)


FOUR, FIVE, SIX, SEVEN = (mask(length) for length in (4, 5, 6, 7))
CLS_WORD, NAME_WORD = word("CLS "), word(" (name=")
OBJ_WORD, ARR_WORD, SZ_WORD = word("OBJ "), word("ARR "), word(" (sz=")
TRACE_WORD, CLASS_WORD, NELEMS_WORD, ELEMS_REST = word(", trace="), word(", class="), word(", nelems"), ord("=")
ELEM_WORD, TYPE_WORD = word(", elem t"), word("ype=")
TRACE_LINE, THREAD_WORD, THREAD_REST = word("TRACE "), word(" (thread"), ord("=")
SUPER_WORD, LOADER_WORD, SIGNERS_WORD, DOMAIN_WORD = word("super"), word("loader"), word("signers"), word("domain")
STATIC_WORD, CONSTANT_WORD, POOL_WORD, ENTRY_WORD = word("static "), word("constant"), word(" pool en"), word("try ")
LOW_HALVES, HIGH_HALVES, ONES, SIXES, ZEROS, BLANKS = (
    uint64(0x0101010101010101 * byte) for byte in (0x0F, 0xF0, 1, 6, 0x30, 0x20)
)
NO_NUMBER = uint64(0xFFFF_FFFF_FFFF_FFFF)
MOST_DIGITS = 9
MOST_HEX = 15


@part
def hex_digit(byte: int) -> int:
    """Returns the value of a hexadecimal digit; -1 if it is none."""
    if 48 <= byte <= 57:
        return byte - 48
    byte |= 32
    if 97 <= byte <= 102:
        return byte - 87
    return -1


@part
def eight_digits(word: int) -> int:
    """Returns the number of eight hexadecimal digits, the first one in the lowest byte; NO_NUMBER if they are none.

    No branch for each digit: the processor can't predict which of them are letters.
    """
    digits = (word & LOW_HALVES) + (word >> uint64(6) & ONES) * uint64(9)
    letters = (digits + SIXES) >> uint64(4) & ONES
    # The numbers converted back to digits, in small letters, must equal the input.
    if digits & HIGH_HALVES or digits + ZEROS + letters * uint64(39) != word | word >> uint64(1) & BLANKS:
        return NO_NUMBER
    pairs = digits << uint64(4) & uint64(0x00F000F000F000F0) | digits >> uint64(8) & uint64(0x000F000F000F000F)
    fours = pairs << uint64(8) & uint64(0x0000FF000000FF00) | pairs >> uint64(16) & uint64(0x000000FF000000FF)
    return (fours & uint64(0xFFFF)) << uint64(16) | fours >> uint64(32)


@part
def digits_end(data: U8Array, at: int) -> int:
    """Returns the end of the decimal digits from a position on."""
    while 48 <= data[at] <= 57:
        at += 1
    return at


@part
def decimal(data: U8Array, at: int, end: int) -> int:
    """Returns the number of some decimal digits."""
    value = 0
    while at < end:
        value = value * 10 + data[at] - ZERO
        at += 1
    return value


@part
def put_text(chunk: LineChunk, row: int, start: int, end: int) -> None:
    """Stores a text of an entry."""
    chunk.text_at[row] = start
    chunk.text_length[row] = end - start
    chunk.text_hash[row] = hash64(chunk.data, start, end - start)


@part
def read_object(chunk: LineChunk, row: int, at: int, end: int, is_array: bool) -> int:
    """Reads an OBJ or ARR line; returns its kind, OTHER if it isn't as the agent prints it."""
    data = chunk.data
    place = at + 12
    id = eight_digits(load64(data, at + 4))
    if id == NO_NUMBER or data[place] != BLANK:
        id = uint64(0)
        place = at + 4
        while True:
            digit = hex_digit(data[place])
            if digit < 0:
                break
            id = id << uint64(4) | uint64(digit)
            place += 1
    count = place - at - 4
    if count < 1 or count > MOST_HEX or load64(data, place) & FIVE != SZ_WORD:
        return OTHER
    start = place + 5
    place = digits_end(data, start)
    if place == start or place - start > MOST_DIGITS or load64(data, place) != TRACE_WORD:
        return OTHER
    size = decimal(data, start, place)
    start = place + 8
    place = digits_end(data, start)
    if place == start or place - start > MOST_DIGITS:
        return OTHER
    serial = decimal(data, start, place)
    kind = OBJ
    elements = 0
    if not is_array:
        if load64(data, place) != CLASS_WORD:
            return OTHER
        start = place + 8
    else:
        if load64(data, place) != NELEMS_WORD or data[place + 8] != ELEMS_REST:
            return OTHER
        start = place + 9
        place = digits_end(data, start)
        if place == start or place - start > MOST_DIGITS:
            return OTHER
        elements = decimal(data, start, place)
        if load64(data, place) != ELEM_WORD or load64(data, place + 8) & FOUR != TYPE_WORD:
            return OTHER
        start = place + 12
    if start >= end or data[end - 1] != CLOSING:
        return OTHER
    if is_array:
        place = end - 2
        while place > start and hex_digit(data[place]) >= 0:
            place -= 1
        count = end - 2 - place
        has_id = place >= start and data[place] == AT and 1 <= count <= 16
        kind = ARRAY_OF_REFERENCES if has_id else ARRAY_OF_PRIMITIVES
    chunk.id[row] = id
    chunk.size[row] = size
    chunk.serial[row] = serial
    chunk.elements[row] = elements
    put_text(chunk, row, start, end - 1)
    return kind


@part
def read_class(chunk: LineChunk, row: int, at: int, end: int) -> int:
    """Reads a CLS line; returns its kind, OTHER if it isn't as the agent prints it. Composes its text: `name@id`."""
    data = chunk.data
    id = uint64(0)
    after = at + 4
    while True:
        digit = hex_digit(data[after])
        if digit < 0:
            break
        id = id << uint64(4) | uint64(digit)
        after += 1
    count = after - at - 4
    if count < 1 or count > MOST_HEX or load64(data, after) & SEVEN != NAME_WORD or data[end - 1] != CLOSING:
        return OTHER
    place = end - 1
    while 48 <= data[place - 1] <= 57:
        place -= 1
    start = after + 7
    length = place - 8 - start
    if length < 0 or place == end - 1 or end - 1 - place > MOST_DIGITS or load64(data, place - 8) != TRACE_WORD:
        return OTHER
    made = chunk.facts[MADE]
    done = 0
    while done < length:
        copy64(data, made + done, data, start + done)
        done += 64
    data[made + length] = AT
    copy64(data, made + length + 1, data, at + 4)
    whole = length + 1 + count
    chunk.facts[MADE] = made + whole
    chunk.id[row] = id
    chunk.size[row] = 0
    chunk.serial[row] = decimal(data, place, end - 1)
    chunk.elements[row] = 0
    put_text(chunk, row, made, made + whole)
    return CLS


@part
def read_reference(chunk: LineChunk, row: int, at: int, end: int) -> int:
    """Reads a line `\\tNAME\\t\\tID`; returns its kind, OTHER if it isn't as the agent prints it."""
    data = chunk.data
    place = end - 9
    id = eight_digits(load64(data, end - 8)) if data[place] == TAB and place > at else NO_NUMBER
    if id == NO_NUMBER:
        id = uint64(0)
        shift = uint64(0)
        place = end - 1
        while True:
            digit = hex_digit(data[place])
            if digit < 0:
                break
            if shift < uint64(60):
                id |= uint64(digit) << shift
            shift += uint64(4)
            place -= 1
    count = end - 1 - place
    if count < 1 or count > MOST_HEX or data[place] != TAB:
        return OTHER
    while place > at + 1 and data[place - 1] == TAB:
        place -= 1
    start = at + 1
    length = place - start
    if length < 1:
        return OTHER
    chunk.id[row] = id
    first = data[start]
    what = FIELD
    if first == LEFT:
        last = digits_end(data, start + 1)
        if last > start + 1 and data[last] == RIGHT and last == place - 1:
            if last - start - 1 > 8:
                return OTHER
            chunk.elements[row] = decimal(data, start + 1, last)
            chunk.what[row] = ELEMENT
            return REFERENCE
    elif first == LETTER_S:
        head = load64(data, start)
        if length == 5 and head & FIVE == SUPER_WORD:
            what = SUPER
        elif length == 7 and head & SEVEN == SIGNERS_WORD:
            what = SIGNERS
        elif length >= 7 and head & SEVEN == STATIC_WORD:
            what = STATIC
            start += 7
    elif first == LETTER_L:
        if length == 6 and load64(data, start) & SIX == LOADER_WORD:
            what = LOADER
    elif first == LETTER_D:
        if length == 6 and load64(data, start) & SIX == DOMAIN_WORD:
            what = DOMAIN
    elif first == LETTER_C and length > 8 and load64(data, start) == CONSTANT_WORD:
        if data[start + 8] == LEFT:
            return OTHER
        if load64(data, start + 8) == POOL_WORD and load64(data, start + 16) & FOUR == ENTRY_WORD:
            last = digits_end(data, start + 20)
            if last != place or last - start - 20 > 8 or last == start + 20:
                return OTHER
            chunk.elements[row] = decimal(data, start + 20, last)
            chunk.what[row] = CONSTANT
            return REFERENCE
    chunk.what[row] = what
    put_text(chunk, row, start, place)
    return REFERENCE


@part
def read_frame(chunk: LineChunk, row: int, at: int, end: int) -> int:
    """Reads a line of a stack; returns its kind, OTHER if it isn't as the agent prints it."""
    data = chunk.data
    bracket = find(data, at + 1, end, OPENING)
    if bracket < 0:
        return OTHER
    dot = bracket - 1
    while dot > at and data[dot] != DOT:
        dot -= 1
    if dot < at + 2 or bracket - dot < 2:
        return OTHER
    put_text(chunk, row, at + 1, end)
    return FRAME


@part
def read_trace(chunk: LineChunk, row: int, at: int, end: int) -> int:
    """Reads a TRACE line; returns its kind, OTHER if it isn't as the agent prints it."""
    data = chunk.data
    if load64(data, at) & SIX != TRACE_LINE:
        return OTHER
    place = digits_end(data, at + 6)
    count = place - at - 6
    if count < 1 or count > MOST_DIGITS or data[place] != COLON:
        return OTHER
    chunk.id[row] = uint64(decimal(data, at + 6, place))
    chunk.serial[row] = NONE
    if place + 1 == end:
        return TRACE
    start = place + 10
    if load64(data, place + 1) != THREAD_WORD or data[place + 9] != THREAD_REST:
        return OTHER
    place = digits_end(data, start)
    if place == start or place - start > MOST_DIGITS or data[place] != CLOSING or place + 1 != end:
        return OTHER
    chunk.serial[row] = decimal(data, start, place)
    return TRACE


@part
def read_line(chunk: LineChunk, row: int, at: int, end: int) -> int:
    """Parses the line data[at:end]; returns its kind."""
    data = chunk.data
    if end > at and data[end - 1] == CR:
        end -= 1
    if end - at < 4:
        return OTHER
    first = data[at]
    if first == TAB:
        if data[end - 1] == CLOSING:
            return read_frame(chunk, row, at, end)
        return read_reference(chunk, row, at, end)
    if first == LETTER_T:
        return read_trace(chunk, row, at, end)
    if first in (LETTER_O, LETTER_A):
        head = load64(data, at) & FOUR
        if head in (OBJ_WORD, ARR_WORD):
            return read_object(chunk, row, at, end, head == ARR_WORD)
    if first == LETTER_CLS and load64(data, at) & FOUR == CLS_WORD:
        return read_class(chunk, row, at, end)
    return OTHER


@kernel
def parse_text(chunk: LineChunk, stop: int, filled: int) -> None:
    """Parses the lines that begin in data[BEFORE:stop], and counts line ends there.

    filled  bytes of `data` that were read; there may be more in the file
    """
    data = chunk.data
    block = 0
    at = BEFORE
    while at < stop:
        last = min(at + LINE_BLOCK, stop)
        ends = 0
        while at < last:
            found = equal64(data, at, LF)
            if last - at < 64:
                found &= (uint64(1) << uint64(last - at)) - uint64(1)
            ends += bits_of(found)
            at += 64
        at = last
        chunk.lines[block] = ends
        block += 1
    at = BEFORE
    if data[BEFORE - 1] != LF:
        at = find(data, BEFORE, filled, LF) + 1
        if at == 0:
            at = stop
    chunk.facts[MADE] = filled + 2 * SLACK
    row = 0
    is_run = False
    while at < stop:
        end = find(data, at, min(at + MOST_PIECE, filled), LF)
        kind = OTHER
        if end >= 0:
            kind = read_line(chunk, row, at, end)
        else:
            end = find(data, at, filled, LF)
            if end < 0:
                end = filled
        if kind != OTHER or not is_run:
            chunk.kind[row] = kind
            chunk.start[row] = at
            row += 1
        is_run = kind == OTHER
        at = end + 1
    chunk.facts[COUNT] = row
