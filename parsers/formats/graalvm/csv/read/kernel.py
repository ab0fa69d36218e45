"""Compiled parsers of the rows of the tables of a CSV call tree. Plain twin: `table`.

A chunk of a file is read with one byte before it and some after it; it owns the lines that begin in it. For rare fields
(bytecode indexes of inlined calls) only the place is stored.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from parsers.formats.graalvm.calls.index.kernel import holder_end, opening_of
from parsers.formats.graalvm.calls.index.row import ID_DIGITS
from parsers.formats.graalvm.csv.read.graph import HIGHEST_BCI
from parsers.formats.graalvm.csv.read.table import LEAST_FIELDS
from parsers.formats.graalvm.text.read.line import LONGEST
from parsers.kernels.decorators import int64, kernel, part, uint32, uint64
from parsers.kernels.vector import copy64, equal64, find, hash64, is_equal, load64, lowest_bit

if TYPE_CHECKING:
    from parsers.formats.graalvm.csv.read.chunk import MethodChunk, RowChunk
    from parsers.model.arrays import I64Array, U8Array

COUNT, NUMBER, PAIR, EDGE, INVOKE = range(5)
"""Forms of rows: of `vm`, which are only counted; of `entry_points`; of `override_by_edges` and `targets`; of
`direct_edges` and `virtual_edges`; of `invokes`."""

MORE = 1
"""A line continues after the bytes read."""

SMALL_BCI = 0xFFFE
"""Bytecode indexes below this are stored as numbers if written as such; others as STRANGE_BCI and the number of their
text in the chunk."""
STRANGE_BCI = 0x80000000

LF, CR, COMMA, MINUS, GREATER, ZERO, NINE, BLANK, DOT = (ord(sign) for sign in "\n\r,->09 .")
DIGITS, BELOW_SIGN, SIGNS = uint64(0x3030303030303030), uint64(0x7676767676767676), uint64(0x8080808080808080)
PAIRS, FOURS, EIGHT = uint64(0x00FF00FF00FF00FF), uint64(0x0000FFFF0000FFFF), uint64(0xFFFFFFFF)
EMPTY = uint64(int.from_bytes(b"empty", "little"))
EMPTY_MASK = uint64((1 << 40) - 1)
TRUE = uint64(int.from_bytes(b"true", "little"))
TRUE_MASK = uint64((1 << 32) - 1)
FALSE = uint64(int.from_bytes(b"false", "little"))


@part
def short_number(data: U8Array, at: int, stop: int) -> tuple[int, int]:
    """Returns the number at a place and the end of its digits, if these are one to seven; else -1.

    Eight bytes are processed at once: non-digits are found, then pairs, fours and eights of digits are summed.
    """
    word = load64(data, at) ^ DIGITS
    others = ((word + BELOW_SIGN) | word) & SIGNS
    if others == 0:
        return int64(-1), at
    count = lowest_bit(others) >> 3
    if count == 0 or at + count > stop:
        return int64(-1), at
    word <<= uint64(64 - 8 * count)
    word = (word * uint64(10) + (word >> uint64(8))) & PAIRS
    word = (word * uint64(100) + (word >> uint64(16))) & FOURS
    word = (word * uint64(10_000) + (word >> uint64(32))) & EIGHT
    return int64(word), at + count


@part
def number_at(data: U8Array, at: int, stop: int) -> tuple[int, int]:
    """Returns the number at a place (-1: none, or too many digits), and the end of its digits."""
    start = at
    value, end = short_number(data, at, stop)
    if value >= 0:
        return value, end
    value = int64(0)
    while at < stop and ZERO <= data[at] <= NINE:
        if at - start < ID_DIGITS:
            value = value * 10 + (int64(data[at]) - ZERO)
        at += 1
    return (value, at) if 0 < at - start <= ID_DIGITS else (int64(-1), at)


@part
def bci_at(data: U8Array, at: int, stop: int) -> tuple[int, int, int, bool]:
    """All bytecode indexes of a field: the first number (at most HIGHEST_BCI), 1 if any is negative, 1 if there are
    several, True if they are well formed."""
    first, at_end = short_number(data, at, stop)
    if first >= 0 and at_end == stop:
        return first, 0, 0, True
    first = int64(0)
    negative = chained = 0
    while True:
        sign = int64(1)
        if at < stop and data[at] == MINUS:
            sign = int64(-1)
            negative = 1
            at += 1
        begin = at
        value = int64(0)
        while at < stop and ZERO <= data[at] <= NINE:
            value = min(min(value, HIGHEST_BCI // 10) * 10 + (int64(data[at]) - ZERO), HIGHEST_BCI)
            at += 1
        if at == begin:
            return first, negative, chained, False
        if not chained:
            first = sign * value
        if at == stop:
            return first, negative, chained, True
        if at + 2 > stop or data[at] != MINUS or data[at + 1] != GREATER:
            return first, negative, chained, False
        chained = 1
        at += 2


@part
def first_start(data: U8Array, begin: int, end: int, filled: int, is_first: bool) -> int:
    """Returns the start of the first line of a chunk; `end` if none begins in it."""
    if is_first:
        return begin
    at = find(data, begin - 1, filled, LF)
    return end if at < 0 else min(at + 1, end)


@part
def line_at(data: U8Array, at: int, filled: int, is_end: bool, facts: Any) -> tuple[int, int]:
    """End of a line, without a CR, and start of the next one; -1 if a line that isn't too long ends after the bytes
    read. The line is counted."""
    stop = find(data, at, filled, LF)
    if stop < 0:
        if not is_end and filled - at <= LONGEST:
            return int64(-1), at
        stop = filled
    facts.lines += 1
    behind = stop + 1
    if stop > at and data[stop - 1] == CR:
        stop -= 1
        facts.crlf += behind - 1 < filled
    return stop, behind


@kernel
def parse_rows(chunk: RowChunk, begin: int, end: int, filled: int, is_first: bool, is_end: bool, form: int) -> int:
    """Parses the rows of a chunk. Returns MORE if a line that isn't too long ends after the bytes read.

    chunk   `chunk.RowChunk`; `data` is filled so far. begin, end: the chunk in it; is_first: it begins the file;
            is_end: the file ends where `data` does
    """
    data, facts = chunk.data, chunk.facts[0]
    facts.lines = facts.rows = facts.crlf = facts.negative = facts.chained = 0
    at = first_start(data, begin, end, filled, is_first)
    good = bad = strange = 0
    while at < end:
        start = at
        stop, at = line_at(data, start, filled, is_end, facts)
        if stop < 0:
            return MORE
        if (is_first and facts.lines == 1) or stop == start:
            continue
        facts.rows += 1
        if form == COUNT:
            continue
        first, place = number_at(data, start, stop)
        second = third = int64(0)
        code = uint32(0)
        flag = 0
        is_good = first >= 0 and stop - start <= LONGEST
        if form == NUMBER:
            is_good = is_good and place == stop
        else:
            is_good = is_good and place < stop and data[place] == COMMA
            second, place = number_at(data, place + 1, stop)
            is_good = is_good and second >= 0
            if form == PAIR:
                is_good = is_good and place == stop
            elif is_good:
                is_good = place < stop and data[place] == COMMA
                text = place + 1
                tail = stop
                if form == INVOKE and is_good:
                    tail = find(data, text, stop, COMMA)
                    is_good = tail >= 0
                    if is_good:
                        third, place = number_at(data, tail + 1, stop)
                        is_good = third >= 0 and place < stop and data[place] == COMMA
                        word = load64(data, place + 1)
                        if stop - place == 5 and word & TRUE_MASK == TRUE:
                            flag = 1
                        elif not (stop - place == 6 and word & EMPTY_MASK == FALSE):
                            is_good = False
                if is_good:
                    value, negative, chained, is_good = bci_at(data, text, tail)
                    if is_good:
                        facts.negative += negative
                        facts.chained += chained
                        is_plain = not negative and not chained and value < SMALL_BCI
                        if is_plain and tail - text <= 5 and (data[text] != ZERO or tail - text == 1):
                            code = uint32(value)
                        else:
                            code = uint32(STRANGE_BCI + strange)
                            chunk.strange_start[strange] = text
                            chunk.strange_length[strange] = tail - text
                            chunk.strange_first[strange] = value
                            strange += 1
        if not is_good:
            chunk.bad_line[bad] = facts.lines - 1
            chunk.bad_start[bad] = start
            bad += 1
            continue
        chunk.first[good] = first
        chunk.second[good] = second
        chunk.third[good] = third
        chunk.bci[good] = code
        chunk.flag[good] = flag
        good += 1
    facts.good, facts.bad, facts.strange = good, bad, strange
    return 0


@part
def put_text(texts: U8Array, place: int, data: U8Array, start: int, stop: int) -> int:
    """Copies some bytes; returns their end."""
    at = start
    while at < stop:
        copy64(texts, place + at - start, data, at)
        at += 64
    return place + stop - start


@part
def put_types(texts: U8Array, place: int, data: U8Array, start: int, stop: int) -> int:
    """Copies types of parameters with a comma before each blank; returns their end."""
    at = start
    while at < stop:
        copy64(texts, place, data, at)
        mask = equal64(data, at, BLANK)
        count = lowest_bit(mask) if mask else 64
        if at + count >= stop:
            return place + stop - at
        at += count
        place += count
        if mask:
            texts[place] = COMMA
            texts[place + 1] = BLANK
            at += 1
            place += 2
    return place


@part
def commas_in_name(data: U8Array, commas: I64Array, count: int, columns: int, stop: int) -> int:
    """Returns the number of commas in the name of a method's row with more fields than columns. Twin:
    `_commas_in_name`.

    commas  places of all commas of the row; stop: its end
    """
    more = columns - LEAST_FIELDS
    end = commas[count - more] if more else stop
    name = commas[0] + 1
    for found in range((count + 1 - columns) // 2, 0, -1):
        length = commas[1 + found] - name
        if data[end - length - 1] == DOT and is_equal(data, name, data, end - length, length):
            return found
    return 0


@kernel
def parse_methods(
    chunk: MethodChunk, begin: int, end: int, filled: int, is_first: bool, is_end: bool, columns: int
) -> int:
    """Parses the rows of a chunk of a table of methods and composes their texts; otherwise as `parse_rows`.

    chunk  `chunk.MethodChunk`
    """
    data, facts, texts, commas = chunk.data, chunk.facts[0], chunk.texts, chunk.commas
    facts.lines = facts.rows = facts.crlf = 0
    facts.highest = -1
    at = first_start(data, begin, end, filled, is_first)
    good = bad = odd = 0
    before = -1
    place = int64(0)
    while at < end:
        start = at
        stop, at = line_at(data, start, filled, is_end, facts)
        if stop < 0:
            return MORE
        if (is_first and facts.lines == 1) or stop == start:
            continue
        facts.rows += 1
        id, behind = number_at(data, start, stop)
        count = 0
        if id >= 0 and behind < stop and data[behind] == COMMA and stop - start <= LONGEST:
            base = start
            while base < stop:
                mask = equal64(data, base, COMMA)
                if stop - base < 64:
                    mask &= (uint64(1) << uint64(stop - base)) - uint64(1)
                while mask:
                    commas[count] = base + lowest_bit(mask)
                    count += 1
                    mask &= mask - uint64(1)
                base += 64
        if count < columns - 1:
            chunk.bad_line[bad] = facts.lines - 1
            chunk.bad_start[bad] = start
            bad += 1
            continue
        facts.highest = max(facts.highest, id)
        chunk.id[good] = id
        chunk.text_start[good] = place
        more = columns - LEAST_FIELDS
        in_name = commas_in_name(data, commas, count, columns, stop) if count >= columns else 0
        odd += count >= columns
        flag = commas[count - 1]
        chunk.is_entry[good] = more == 2 and stop - flag == 5 and load64(data, flag + 1) & TRUE_MASK == TRUE
        name_end, display = commas[1 + in_name], count - more - in_name
        parameters, result = commas[display - 3] + 1, commas[display - 2] + 1
        text = place
        place = put_text(texts, place, data, name_end + 1, parameters - 1)
        texts[place] = 0x2E
        place = put_text(texts, place + 1, data, commas[0] + 1, name_end)
        texts[place] = 0x28
        place += 1
        if result - 1 - parameters != 5 or load64(data, parameters) & EMPTY_MASK != EMPTY:
            place = put_types(texts, place, data, parameters, result - 1)
        texts[place] = 0x29
        texts[place + 1] = 0x3A
        place = put_text(texts, place + 2, data, result, commas[display - 1])
        chunk.text_length[good] = place - text
        finish_text(chunk, good, before)
        before = good
        good += 1
    facts.good, facts.bad, facts.odd, facts.text = good, bad, odd, place
    return 0


@part
def finish_text(chunk: MethodChunk, row: int, before: int) -> None:
    """Derives values of a row from its text: hashes of it and of its class, starts of its parameters and its name.

    before: an earlier row with a finished text, often of the same class; -1: none
    """
    start, length = chunk.text_start[row], int64(chunk.text_length[row])
    chunk.hash[row] = hash64(chunk.texts, start, length)
    opening = opening_of(chunk.texts, start, start + length)
    chunk.opening[row] = opening - start
    holder = int64(holder_end(chunk.texts, start, opening)) - start
    chunk.holder[row] = holder
    is_same = before >= 0 and chunk.holder[before] == holder
    if is_same and is_equal(chunk.texts, int64(chunk.text_start[before]), chunk.texts, start, holder):
        chunk.holder_hash[row] = chunk.holder_hash[before]
    else:
        chunk.holder_hash[row] = hash64(chunk.texts, start, holder)


@kernel
def finish_texts(chunk: MethodChunk, rows: I64Array) -> None:
    """Calls `finish_text` for rows whose texts were added later."""
    for row in rows:
        finish_text(chunk, row, -1)
