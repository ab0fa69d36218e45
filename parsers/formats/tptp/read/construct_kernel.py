"""Constructs of a recording in file order, by a kernel: elements, end tags, comments, and bytes that are no construct.

The kernel stops at each construct that plain code has to read: one with texts, or one that begins a session.
Twins: `construct_reader`, `sessions`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from parsers.formats.tptp.read.element_chunk import MOST_FINDINGS, MOST_NAMES, MOST_WORDS, SURPRISE
from parsers.formats.tptp.read.element_kernel import (
    APOSTROPHE,
    BAD,
    EQUAL,
    GREATER,
    LESS,
    NEVER,
    QUOTE,
    SLASH,
    behind_white,
    is_first_in_name,
    is_in_name,
    may_begin,
    place_of,
    value_of,
)
from parsers.formats.tptp.read.scanner import MOST, MOST_UNMATCHED
from parsers.formats.tptp.read.session_state import (
    AT,
    BEGUN,
    FINDINGS,
    GAP,
    GAP_END,
    GAP_IS_TORN,
    GOOD,
    HAS_ANY,
    HAS_CODEC,
    HAS_NODE,
    HAS_PROLOGUE,
    HAS_ROOT,
    IS_CLOSED,
    IS_CONTENT,
    IS_FRESH,
    IS_FULL_OF_OTHERS,
    MOST_SESSIONS,
    NO_COMMENT_END,
    ODD_NAMES,
    ODDS,
    PART_START,
    RECORDINGS,
    ROW,
    UNMATCHED,
    WORDS,
    ZEROS,
)
from parsers.formats.tptp.schema.columns import FINDING_KINDS
from parsers.formats.tptp.schema.element_names import KIND_MASK, KIND_SHIFT, SECOND_BIT, SLOT_MASK
from parsers.formats.tptp.schema.vocabulary import CODES, ID, NOTHING, ROOT_WORD, SECOND, SLOTS, UNKNOWN, WORD
from parsers.kernels.decorators import apart, int64, kernel, part, uint64
from parsers.kernels.text_table import number_of
from parsers.kernels.vector import VECTOR, find, hash64, is_equal, load64

DONE, PLAIN, FULL, MORE_NAMES = range(4)
"""Why the kernel returns: all rows are read; plain code reads the construct; too many findings; too many names."""
TO_PLAIN, TO_MORE_NAMES = -2, -3
"""Returned instead of the end of a construct."""
CUT, TORN, JUNK, ZERO, NO_END, SECOND_SESSION, ODD = (
    FINDING_KINDS.index(name)
    for name in ("cut element", "torn element", "junk", "zeros", "no end mark", "second session", "not well formed")
)
MARGIN = 16
"""Findings that one construct may add."""
TRACE, NODE, START = CODES["TRACE"], CODES["node"], CODES["traceStart"]
EXCLAMATION, QUESTION, MINUS, AMPERSAND, HASH, SEMICOLON, COLON = 33, 63, 45, 38, 35, 59, 58
COMMENT, DATA, INSTRUCTION = range(3)
BOM = (0xEF, 0xBB, 0xBF)
LT, GT, AMP, QUOT, APOS, BEGINS_DATA, BEGINS_TYPE = (
    uint64(int.from_bytes(word, "little"))
    for word in (b"lt;", b"gt;", b"amp;", b"quot;", b"apos;", b"![CDATA[", b"!DOCTYPE")
)
BEGINS_SECOND = uint64(int.from_bytes(SECOND[:8].encode(), "little"))
LOW_3, LOW_4, LOW_5 = (uint64((1 << 8 * count) - 1) for count in (3, 4, 5))


class OrderedBuffers(NamedTuple):
    """Arrays that are read and written in file order."""

    state: Any
    """int64: see `session_state`"""
    kinds: Any
    """uint8, as the following: findings"""
    offsets: Any
    """int64"""
    values: Any
    """int64"""
    odd: Any
    """uint32: numbers of the names of unknown elements, in the order of their rows"""
    name_starts: Any
    """int64[MOST_NAMES]: attributes of an element"""
    name_lengths: Any
    """int64[MOST_NAMES]"""
    value_starts: Any
    """int64[MOST_NAMES]"""
    value_lengths: Any
    """int64[MOST_NAMES]"""
    word_starts: Any
    """uint32: words of the batch, in the chunk"""
    word_lengths: Any
    """uint32"""
    slots: Any
    """names of unknown elements: see `text_table`"""
    starts: Any
    blob: Any


class ElementTables(NamedTuple):
    """Tables of `element_names`."""

    elements: Any
    attributes: Any
    words: Any
    codes: Any
    all_codes: Any
    reads: Any
    """With words."""


@part
def note(ordered: Any, kind: int, offset: int, value: int) -> None:
    """Adds a finding."""
    place = ordered.state[FINDINGS]
    ordered.kinds[place] = kind
    ordered.offsets[place] = offset
    ordered.values[place] = value
    ordered.state[FINDINGS] = place + 1


@part
def is_white(byte: int) -> bool:
    """True for white space."""
    return byte == 32 or byte == 9 or byte == 10 or byte == 13


@apart
def close_gap(ordered: Any) -> None:
    """Ends bytes that belong to no construct. Twin: `Sessions._close_gap`."""
    state = ordered.state
    if state[GAP] < 0:
        return
    length = state[GAP_END] - state[GAP]
    if length:
        note(ordered, TORN if state[GAP_IS_TORN] else JUNK, state[GAP], length)
    else:
        note(ordered, ZERO, state[GAP], state[ZEROS])
    state[GAP] = state[GAP_END] = -1
    state[GAP_IS_TORN] = state[ZEROS] = 0


@apart
def add_gap(ordered: Any, data: Any, at: int, until: int, base: int) -> None:
    """Adds bytes that belong to no construct. Twin: `Sessions.gap`."""
    state = ordered.state
    if at >= until or (state[IS_CONTENT] and data[at] != LESS):
        return
    is_begin = base + at == state[PART_START] and until >= at + 3
    if is_begin and data[at] == BOM[0] and data[at + 1] == BOM[1] and data[at + 2] == BOM[2]:
        at += 3
    last = until
    zeros = 0
    while last > at and (is_white(data[last - 1]) or data[last - 1] == 0):
        last -= 1
        if data[last] == 0:
            zeros += 1
    if last == at:
        state[ZEROS] += zeros
        if state[ZEROS] and state[GAP] < 0:
            while data[at] != 0:
                at += 1
            state[GAP] = state[GAP_END] = base + at
        return
    if state[GAP] < 0 or state[GAP_END] == state[GAP]:
        first = at
        if state[GAP] < 0:
            first = behind_white(data, at)
            state[GAP] = base + first
        state[GAP_IS_TORN] = data[first] == LESS
    state[IS_CONTENT] = 0
    state[GAP_END] = base + last
    state[ZEROS] = zeros


@apart
def pass_by(ordered: Any, data: Any, at: int, until: int, base: int) -> None:
    """Passes bytes between constructs. Twin: `KernelReader._pass`."""
    if behind_white(data, at) >= until:
        return
    start = find(data, at, until, LESS)
    if start > at:
        add_gap(ordered, data, at, start, base)
        at = start
    add_gap(ordered, data, at, until, base)


@part
def next_start(data: Any, at: int, stop: int) -> int:
    """Position where the next construct may begin before `stop`; `stop` if none does. Twin: `scanner.next_start`."""
    at = find(data, at, stop, LESS)
    while at >= 0 and not may_begin(data, at):
        at = find(data, at + 1, stop, LESS)
    return at if at >= 0 else stop


@apart
def restart(ordered: Any, start: int) -> None:
    """Begins a session of which no mark is needed. Twin: `Sessions._restart`. start: offset"""
    state = ordered.state
    rest = int64(0)
    if state[GAP] >= 0:
        rest = max(int64(0), state[GAP_END] - state[GAP])
    is_cut = False
    if rest:
        is_cut = state[GAP_IS_TORN] != 0 and state[IS_CLOSED] == 0
        note(ordered, CUT if is_cut else TORN if state[GAP_IS_TORN] else JUNK, state[GAP], rest)
    if state[ZEROS]:
        note(ordered, ZERO, state[GAP_END] if rest else state[GAP], state[ZEROS])
    if not is_cut and state[IS_CLOSED] == 0:
        note(ordered, NO_END, state[GOOD], 0)
    state[BEGUN] += 1
    state[GOOD] = start
    state[HAS_PROLOGUE] = state[HAS_ROOT] = state[HAS_NODE] = state[HAS_ANY] = 0
    state[IS_CLOSED] = state[IS_CONTENT] = state[HAS_CODEC] = 0
    state[GAP] = state[GAP_END] = -1
    state[GAP_IS_TORN] = state[ZEROS] = state[RECORDINGS] = 0
    state[IS_FRESH] = 1
    note(ordered, SECOND_SESSION, start, 0)


@part
def element(ordered: Any, code: int, start: int, end: int, is_open: Any) -> None:
    """Notes an element. Twin: `Sessions.element`."""
    state = ordered.state
    close_gap(ordered)
    if code == TRACE:
        state[HAS_ROOT] = 1
    else:
        state[HAS_ANY] = 1
        if code == NODE:
            state[HAS_NODE] = 1
        elif code == START:
            state[RECORDINGS] += 1
    state[GOOD] = end
    state[IS_CLOSED] = 0
    state[IS_CONTENT] = 1 if is_open and code != TRACE else 0


@part
def hex_digit(byte: int) -> int:
    """Value of a hexadecimal digit; BAD if a byte is none."""
    if 48 <= byte <= 57:
        return byte - 48
    if 65 <= byte <= 70:
        return byte - 55
    return byte - 87 if 97 <= byte <= 102 else BAD


@apart
def is_reference(data: Any, at: int) -> Any:
    """True if the `&` at a position begins a reference that means a character. Twin: `scanner._referred_well`."""
    at += 1
    if data[at] == HASH:
        at += 1
        is_hex = data[at] == 120
        if is_hex:
            at += 1
        value, digits = int64(0), 0
        while digits < 8:
            digit = hex_digit(int64(data[at]))
            if digit < 0 or (digit > 9 and not is_hex):
                break
            value = value * (16 if is_hex else 10) + digit
            digits += 1
            at += 1
        if digits == 0 or digits > (6 if is_hex else 7) or data[at] != SEMICOLON:
            return False
        if value == 9 or value == 10 or value == 13 or 0x20 <= value < 0xD800:
            return True
        return 0xE000 <= value < 0xFFFE or 0x10000 <= value < 0x110000
    word = load64(data, at)
    if word & LOW_3 == LT or word & LOW_3 == GT or word & LOW_4 == AMP:
        return True
    return word & LOW_5 == QUOT or word & LOW_5 == APOS


@apart
def is_utf_8(data: Any, at: int, stop: int) -> Any:
    """True if bytes are UTF-8 as Python reads it, without U+FFFE and U+FFFF."""
    while at < stop:
        byte = int64(data[at])
        if byte < 128:
            at += 1
            continue
        second, third, fourth = int64(data[at + 1]), int64(data[at + 2]), int64(data[at + 3])
        if byte < 0xC2 or byte > 0xF4 or second & 0xC0 != 0x80:
            return False
        if byte < 0xE0:
            at += 2
        elif byte < 0xF0:
            if third & 0xC0 != 0x80 or (byte == 0xE0 and second < 0xA0) or (byte == 0xED and second >= 0xA0):
                return False
            if byte == 0xEF and second == 0xBF and third >= 0xBE:
                return False
            at += 3
        else:
            if third & 0xC0 != 0x80 or fourth & 0xC0 != 0x80:
                return False
            if (byte == 0xF0 and second < 0x90) or (byte == 0xF4 and second >= 0x90):
                return False
            at += 4
    return at == stop


@apart
def take_values(ordered: Any, data: Any, row: int, count: int, how: int, numbers: Any, names: Any) -> Any:
    """Reads the values of an element's attributes into its numbers; False if plain code has to do it.

    how  position in `reads` of the element's first attribute
    """
    state, base = ordered.state, row * SLOTS
    known = state[WORDS]
    for slot in range(base, base + SLOTS):
        numbers[slot] = NEVER
    for attribute in range(count):
        at, length = ordered.name_starts[attribute], ordered.name_lengths[attribute]
        place = place_of(names.attributes, data, at, length)
        read = int64(names.reads[how + place]) if place >= 0 else int64(0)
        slot = read & SLOT_MASK
        if read == 0:
            is_text = load64(data, at) != BEGINS_SECOND and find(data, at, at + length, COLON) < 0
            if not state[IS_FULL_OF_OTHERS] or not is_text:
                state[WORDS] = known
                return False
        elif slot < SLOTS:
            kind = (read >> KIND_SHIFT & KIND_MASK) - 1
            at, length = ordered.value_starts[attribute], ordered.value_lengths[attribute]
            value, end = int64(0), int64(BAD)
            if kind == ROOT_WORD:
                value = place_of(names.words, data, at, length)
                end = at if value >= 0 else end
            elif kind != WORD:
                value, end = value_of(data, at, int64(data[at + length]), kind, names.words)
            is_number = end >= 0
            is_word = kind in (WORD, ROOT_WORD) or (kind == ID and length > 0)
            if read & SECOND_BIT or numbers[base + slot] != NEVER or not (is_number or is_word):
                state[WORDS] = known
                return False
            if is_number:
                numbers[base + slot] = value
            else:
                word = state[WORDS]
                ordered.word_starts[word], ordered.word_lengths[word] = at, length
                state[WORDS] = word + 1
                numbers[base + slot] = -1 - word
    return True


@apart
def take_element(
    ordered: Any, data: Any, at: int, limit: int, base: int, row: int,
    code: Any, name: Any, numbers: Any, names: Any, has_long_names: bool,
) -> Any:  # fmt: skip
    """Reads the element that begins at a position into a row; its end, BAD, TO_PLAIN or TO_MORE_NAMES."""
    state = ordered.state
    end = at + 1
    first = end
    is_foreign = False
    byte = int64(data[end])
    while is_in_name(byte):
        is_foreign |= byte >= 128
        end += 1
        if byte == COLON:
            first = end
        byte = int64(data[end])
    length = end - first
    count = 0
    is_odd, is_escaped = False, False
    next = behind_white(data, end)
    while next > end and is_first_in_name(int64(data[next])):
        if count == MOST_NAMES:
            return TO_PLAIN
        name_start = next
        while is_in_name(int64(data[next])):
            is_foreign |= data[next] >= 128
            next += 1
        name_length = next - name_start
        for other in range(count):
            if ordered.name_lengths[other] == name_length:
                is_odd |= is_equal(data, ordered.name_starts[other], data, name_start, name_length)
        ordered.name_starts[count] = name_start
        ordered.name_lengths[count] = name_length
        count += 1
        next = behind_white(data, next)
        if data[next] != EQUAL:
            return BAD
        next = behind_white(data, next + 1)
        quote = data[next]
        if quote != QUOTE and quote != APOSTROPHE:
            return BAD
        next += 1
        ordered.value_starts[count - 1] = next
        while data[next] != quote:
            byte = int64(data[next])
            if byte == 0 or next >= limit:
                return BAD
            if byte < 32:
                is_odd |= not is_white(byte)
                is_escaped = True
            elif byte == LESS:
                is_odd = True
            elif byte == AMPERSAND:
                is_odd |= not is_reference(data, next)
                is_escaped = True
            is_foreign |= byte >= 128
            next += 1
        ordered.value_lengths[count - 1] = next - ordered.value_starts[count - 1]
        end = next + 1
        next = behind_white(data, end)
    is_open = data[next] == GREATER
    if not is_open:
        if data[next] != SLASH or data[next + 1] != GREATER:
            return BAD
        next += 1
    next += 1
    if next > limit:
        return BAD
    if has_long_names or (is_foreign and (state[HAS_CODEC] or not is_utf_8(data, at, next))):
        return TO_PLAIN
    place = place_of(names.elements, data, first, length)
    code_of_it = int64(UNKNOWN)
    if place >= 0:
        code_of_it = int64(names.all_codes[place])
        if count:
            if is_odd or is_escaped or is_foreign or names.codes[place] == 0:
                return TO_PLAIN
            if not take_values(ordered, data, row, count, code_of_it * 256, numbers, names):
                return TO_PLAIN
        is_second = code_of_it == TRACE and (state[HAS_ROOT] or state[HAS_ANY])
        if is_second or (code_of_it == NODE and state[HAS_NODE]):
            if state[BEGUN] < MOST_SESSIONS:
                return TO_PLAIN
            restart(ordered, base + at)
    else:
        known = state[ODD_NAMES]
        has_space = 2 * known < len(ordered.slots) and known + 2 < len(ordered.starts)
        if not has_space or int64(ordered.starts[known]) + length + 2 * VECTOR > len(ordered.blob):
            return TO_MORE_NAMES
        hash = hash64(data, first, length)
        number = number_of(ordered.slots, ordered.starts, ordered.blob, known, data, first, length, hash)
        if number == known:
            state[ODD_NAMES] = known + 1
        ordered.odd[state[ODDS]] = number
        state[ODDS] += 1
        if is_odd:
            note(ordered, ODD, base + at, next - at)
    code[row] = code_of_it
    name[row] = place if place >= 0 else NOTHING
    if not count or place < 0:
        for slot in range(row * SLOTS, row * SLOTS + SLOTS):
            numbers[slot] = NEVER
    element(ordered, code_of_it, base + at, base + next, is_open)
    return next


@apart
def take_end_tag(ordered: Any, data: Any, at: int, limit: int, base: int) -> Any:
    """Reads the end tag that begins at a position; its end, or BAD."""
    state = ordered.state
    end = at + 2
    if not is_first_in_name(int64(data[end])):
        return BAD
    while is_in_name(int64(data[end])):
        end += 1
    is_root = end == at + 7 and data[at + 2] == 84 and data[at + 3] == 82 and data[at + 4] == 65
    is_root = is_root and data[at + 5] == 67 and data[at + 6] == 69
    end = behind_white(data, end)
    if data[end] != GREATER or end >= limit:
        return BAD
    close_gap(ordered)
    state[GOOD] = base + end + 1
    state[IS_CONTENT] = 0
    if is_root:
        state[IS_CLOSED] = 1
    return end + 1


@apart
def end_of(state: Any, data: Any, kind: int, at: int, content_start: int, limit: int, base: int) -> Any:
    """End of the comment, character data or instruction that begins at a position; BAD: none. Twin: `Constructs`.

    content_start  position after its beginning
    """
    known = NO_COMMENT_END + kind
    at = max(content_start, state[known] - base)
    byte = MINUS if kind == COMMENT else 93 if kind == DATA else QUESTION
    while True:
        at = find(data, at, limit, byte)
        if at < 0:
            break
        if kind == INSTRUCTION:
            if at + 1 < limit and data[at + 1] == GREATER:
                return at + 2
        elif at + 2 < limit and data[at + 1] == byte and data[at + 2] == GREATER:
            return at + 3
        at += 1
    state[known] = base + limit - 2
    return BAD


@apart
def take_other(ordered: Any, data: Any, at: int, limit: int, base: int) -> Any:
    """Reads a comment, an instruction or character data; its end, BAD or TO_PLAIN."""
    state = ordered.state
    if data[at + 1] == QUESTION:
        is_prologue = data[at + 2] == 120 and data[at + 3] == 109 and data[at + 4] == 108 and is_white(data[at + 5])
        if is_prologue and state[BEGUN] < MOST_SESSIONS:
            return TO_PLAIN
        end = end_of(state, data, INSTRUCTION, at, at + 2, limit, base)
        if is_prologue and end >= 0:
            for place in range(at, end - 8):
                if data[place] == 101 and data[place + 1] == 110 and data[place + 2] == 99:
                    return TO_PLAIN
            if not (state[HAS_PROLOGUE] or state[HAS_ROOT] or state[HAS_ANY]):
                return TO_PLAIN
            restart(ordered, base + at)
            state[HAS_PROLOGUE] = 1
    elif data[at + 2] == MINUS and data[at + 3] == MINUS:
        end = end_of(state, data, COMMENT, at, at + 4, limit, base)
    else:
        word = load64(data, at + 1)
        if word == BEGINS_DATA:
            end = end_of(state, data, DATA, at, at + 9, limit, base)
        else:
            if state[UNMATCHED] < MOST_UNMATCHED:
                if word == BEGINS_TYPE:
                    return TO_PLAIN
                state[UNMATCHED] += 1
            return BAD
    if end >= 0:
        close_gap(ordered)
    return end


@kernel
def take_rows(
    ordered: Any,
    data: Any,
    length: int,
    rows: int,
    reached: int,
    stop: int,
    base: int,
    code: Any,
    name: Any,
    start: Any,
    end: Any,
    numbers: Any,
    names: Any,
    has_long_names: bool,
) -> Any:
    """Takes the rows of a chunk from state[ROW] on, where reading is at state[AT]; DONE, PLAIN, FULL or MORE_NAMES.

    length  bytes of the chunk
    rows    rows that `read_elements` made, and where it ended: `reached`
    stop    what begins there belongs to the next chunk
    base    offset of the chunk
    """
    state = ordered.state
    row, at = state[ROW], state[AT]
    result = DONE
    while row < rows:
        begin = int64(start[row])
        if begin < at:
            # Inside of something that was taken.
            code[row] = NOTHING
            row += 1
            continue
        if state[FINDINGS] > MOST_FINDINGS - MARGIN or state[WORDS] > MOST_WORDS - 2 * MARGIN:
            result = FULL
            break
        if at < begin:
            pass_by(ordered, data, at, begin, base)
            at = begin
        if code[row] != SURPRISE:
            if state[GAP] >= 0:
                close_gap(ordered)
            at = int64(end[row])
            state[HAS_ANY] = 1
            state[GOOD] = base + at
            state[IS_CLOSED] = state[IS_CONTENT] = 0
            row += 1
            continue
        behind = int64(BAD)
        limit = min(length, at + MOST)
        byte = int64(data[at + 1])
        if data[at] == LESS:
            if byte == SLASH:
                behind = take_end_tag(ordered, data, at, limit, base)
            elif byte in (EXCLAMATION, QUESTION):
                behind = take_other(ordered, data, at, limit, base)
            elif is_first_in_name(byte):
                behind = take_element(ordered, data, at, limit, base, row, code, name, numbers, names, has_long_names)
            if behind == TO_PLAIN:
                result = PLAIN
                break
            if behind == TO_MORE_NAMES:
                result = MORE_NAMES
                break
        if code[row] == SURPRISE:
            code[row] = NOTHING
        if behind >= 0:
            end[row] = behind
            at = behind
        else:
            until = next_start(data, at + 1 if data[at] == LESS else at, stop)
            pass_by(ordered, data, at, until, base)
            at = until
        row += 1
    if result == DONE:
        last = max(at, min(reached, stop))
        if last > at:
            pass_by(ordered, data, at, last, base)
            at = last
    state[ROW], state[AT] = row, at
    return result
