"""Start tags with any attributes, by kernels. Twins: `construct_reader`, `values`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from parsers.formats.tptp.read.decoding import BEGINS_LONGER, IS_CHARACTER, LIKE_MARKUP, NO_CHARACTER
from parsers.formats.tptp.read.element_chunk import MOST_NAMES
from parsers.formats.tptp.read.kernels.element import (
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
    place_of,
    value_of,
)
from parsers.formats.tptp.read.kernels.session import NODE, TRACE, is_white, note, note_element, restart
from parsers.formats.tptp.read.kernels.text import (
    AMPERSAND,
    DECLARED,
    HAS_CONTROLS,
    IS_MODIFIED,
    MODIFIED,
    UTF_8,
    VALID,
    WINDOWS,
    checked_characters,
    checked_utf_8,
    first_from,
    is_foreign,
    reference_at,
    resolve,
    windows_or_latin,
)
from parsers.formats.tptp.read.session_facts import MOST_FACTS, WITH_FACTS
from parsers.formats.tptp.read.session_state import IN_OTHERS, IN_SIGNS, IN_UTF_8, MOST_SESSIONS
from parsers.formats.tptp.schema.counters import FindingKind
from parsers.formats.tptp.schema.element_names import KIND_MASK, KIND_SHIFT, SECOND_BIT, SLOT_MASK
from parsers.formats.tptp.schema.values import MOST_OTHERS, MOST_UNKNOWN_NAMES
from parsers.formats.tptp.schema.vocabulary import ID, NOTHING, ROOT_WORD, SLOTS, UNKNOWN, WORD
from parsers.kernels.decorators import apart, int64, part, uint64
from parsers.kernels.text_table import UNLIMITED, number_of
from parsers.kernels.vector import VECTOR, copy64, hash64, is_equal, load64

if TYPE_CHECKING:
    from parsers.formats.tptp.read.element_chunk import ElementChunk
    from parsers.formats.tptp.read.kernels.ordered_arrays import OrderedArrays
    from parsers.formats.tptp.schema.element_names import ElementNameArrays
    from parsers.model.arrays import U8Array

TO_PLAIN, TO_MORE_NAMES, TO_MORE_OTHERS, TO_DECODING = -2, -3, -4, -5
"""Instead of the end of a construct."""
COLON = 58
NAMESPACE = uint64(int.from_bytes(b"xmlns", "little"))
LOW_5 = uint64((1 << 40) - 1)
FACT_CODES = tuple(sorted(WITH_FACTS))


@part
def has_room(table: Any, known: int, length: int) -> bool:
    """True if a table of `known` names has room for another one."""
    is_room = 2 * known < len(table.slots) and known + 2 < len(table.starts)
    return is_room and int64(table.starts[known]) + length + 2 * VECTOR <= len(table.blob)


@part
def numbered(table: Any, known: int, data: U8Array, at: int, length: int, most: int = UNLIMITED) -> int:
    """Number of a name; `known` if it is new. It is not added if there are `most` names."""
    hash = hash64(data, at, length)
    return number_of(table.slots, table.starts, table.blob, known, data, at, length, hash, most)


@part
def behind_prefix(data: U8Array, at: int, length: int) -> int:
    """Position behind the last colon of a name."""
    first = at
    for place in range(at, at + length):
        if data[place] == COLON:
            first = place + 1
    return first


@part
def is_namespace(data: U8Array, at: int, length: int) -> bool:
    """True if an attribute declares a namespace."""
    if load64(data, at) & LOW_5 != NAMESPACE:
        return False
    return length == 5 or data[at + 5] == COLON


@apart
def take_names(
    ordered: OrderedArrays, data: U8Array, count: int, code: int, is_telling: bool, names: ElementNameArrays
) -> int:
    """Removes prefixes of attributes, and notes unknown ones; 0 or TO_MORE_OTHERS. Twin: `values.numbers_of`.

    is_telling  unknown attributes of the element are not noted
    """
    state, places = ordered.state[0], ordered.places
    for attribute in range(count):
        at, length = places.name_starts[attribute], places.name_lengths[attribute]
        if is_namespace(data, at, length):
            places.name_lengths[attribute] = 0
            continue
        first = behind_prefix(data, at, length)
        length -= first - at
        places.name_starts[attribute], places.name_lengths[attribute] = first, length
        place = place_of(names.attributes, data, first, length)
        is_known = place >= 0 and names.all_reads[code * 256 + place] != 0
        if is_known or is_telling or state.others == MOST_OTHERS:
            continue
        known = state.others
        if not has_room(ordered.attributes, known, length + 1):
            return TO_MORE_OTHERS
        ordered.key[0] = code
        done = 0
        while done < length:
            copy64(ordered.key, 1 + done, data, first + done)
            done += 64
        if numbered(ordered.attributes, known, ordered.key, 0, length + 1) == known:
            state.others = known + 1
    return 0


@apart
def take_values(
    ordered: OrderedArrays, chunk: ElementChunk, names: ElementNameArrays, row: int, count: int, code: int,
    is_escaped: bool, written: int,
) -> None:  # fmt: skip
    """Reads the values of an element's attributes into its numbers. Twin: `values.numbers_of`.

    is_escaped  values may have references and line ends: they are resolved in place, as nothing reads them again; plain
                code does it in words of another encoding
    written     encoding of the attributes
    """
    state, places, base = ordered.state[0], ordered.places, row * SLOTS
    data, numbers = chunk.data, chunk.numbers
    has_signs = written == DECLARED and state.has_codec == IN_SIGNS
    for second in range(2):
        has_second = False
        for attribute in range(count):
            place = place_of(names.attributes, data, places.name_starts[attribute], places.name_lengths[attribute])
            read = int64(names.all_reads[code * 256 + place]) if place >= 0 else int64(0)
            is_second = int64(read & SECOND_BIT != 0)
            has_second |= is_second != 0
            slot = read & SLOT_MASK
            if read == 0 or is_second != second or slot >= SLOTS or numbers[base + slot] != NEVER:
                continue
            kind = (read >> KIND_SHIFT & KIND_MASK) - 1
            at, length = places.value_starts[attribute], places.value_lengths[attribute]
            is_other = written != UTF_8 and (has_signs or is_foreign(data, at, at + length))
            encoding = written if is_other else UTF_8
            if is_escaped and encoding == UTF_8:
                length = resolve(data, at, length)
            value, end = int64(0), int64(BAD)
            if kind == ROOT_WORD:
                value = place_of(names.words, data, at, length)
                end = at + length if value >= 0 else end
            elif kind != WORD:
                value, end = value_of(data, at, int64(data[at + length]), kind, names.words)
            if end == at + length:
                numbers[base + slot] = value
            elif kind in (WORD, ROOT_WORD) or (kind == ID and length > 0):
                word = state.words
                ordered.found.word_starts[word], ordered.found.word_lengths[word] = at, length
                ordered.found.word_encodings[word] = encoding
                state.words = word + 1
                numbers[base + slot] = -1 - word
        if not has_second:
            return


@part
def is_name(data: U8Array, at: int, stop: int) -> bool:
    """True if a name is in UTF-8."""
    return checked_utf_8(data, at, stop) & ~HAS_CONTROLS == VALID


@apart
def encoding_of(ordered: OrderedArrays, data: U8Array, at: int, stop: int) -> tuple[int, int, bool]:
    """Encoding of attributes, place in `USED_NAMES` if it is not the declared one, and if a strict parser refuses them.

    The encoding is TO_DECODING if it depends on characters of more than two bytes, that are not known yet.
    Twin: `decoding.decode`
    """
    codec = ordered.state[0].has_codec
    if codec == IN_OTHERS:
        return TO_PLAIN, 0, False
    if codec != IN_UTF_8:
        kind = checked_characters(ordered.characters, data, at, stop)
        if kind == BEGINS_LONGER:
            if ordered.state[0].decoded < stop:
                return TO_DECODING, 0, False
            if ordered.undecodable[0] < 0:
                return TO_PLAIN, 0, False
            kind = NO_CHARACTER if first_from(ordered.undecodable, at) < stop else IS_CHARACTER
        if kind in (IS_CHARACTER, LIKE_MARKUP):
            return DECLARED if kind == IS_CHARACTER else TO_PLAIN, 0, False
    checked = checked_utf_8(data, at, stop)
    if checked:
        return MODIFIED if checked & IS_MODIFIED else UTF_8, int64(codec != 0), checked & HAS_CONTROLS != 0
    encoding, counted = windows_or_latin(data, at, stop)
    return encoding, 3 if counted == WINDOWS else 2, False


@part
def note_texts(ordered: OrderedArrays, used: int, is_odd: bool, offset: int, length: int) -> None:
    """Notes an element whose texts are in encoding `used` instead of the declared one, or that is not well-formed."""
    if used:
        note(ordered, FindingKind.LYING_ENCODING, offset, length)
        if ordered.state[0].used == 0:
            ordered.state[0].used = used
    if is_odd:
        note(ordered, FindingKind.NOT_WELL_FORMED, offset, length)


@apart
def take_element(
    ordered: OrderedArrays, chunk: ElementChunk, names: ElementNameArrays, at: int, limit: int, base: int, row: int,
    has_long_names: bool,
) -> int:  # fmt: skip
    """Reads the element that begins at a position into a row; returns its end, BAD, or which code reads it instead.

    In order: name, attributes, end of the tag, encoding, meaning and values, the row.
    """
    state, places, data = ordered.state[0], ordered.places, chunk.data
    end = at + 1
    first = end
    has_foreign_name, has_foreign_value = False, False
    byte = int64(data[end])
    while is_in_name(byte):
        has_foreign_name |= byte >= 128
        end += 1
        if byte == COLON:
            first = end
        byte = int64(data[end])
    length = end - first
    name_end = end
    count = 0
    is_odd, is_escaped = False, False
    next = behind_white(data, end)
    while next > end and is_first_in_name(int64(data[next])):
        if count == MOST_NAMES:
            return TO_PLAIN
        name_start = next
        while is_in_name(int64(data[next])):
            has_foreign_name |= data[next] >= 128
            next += 1
        name_length = next - name_start
        for other in range(count):
            if places.name_lengths[other] == name_length:
                is_odd |= is_equal(data, places.name_starts[other], data, name_start, name_length)
        places.name_starts[count] = name_start
        places.name_lengths[count] = name_length
        count += 1
        next = behind_white(data, next)
        if data[next] != EQUAL:
            return BAD
        next = behind_white(data, next + 1)
        quote = data[next]
        if quote != QUOTE and quote != APOSTROPHE:
            return BAD
        next += 1
        places.value_starts[count - 1] = next
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
                is_odd |= reference_at(data, next)[0] < 0
                is_escaped = True
            has_foreign_value |= byte >= 128
            next += 1
        places.value_lengths[count - 1] = next - places.value_starts[count - 1]
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
    if has_long_names:
        return TO_PLAIN
    written, used = UTF_8, 0
    if has_foreign_value or has_foreign_name:
        written, used, has_controls = encoding_of(ordered, data, name_end, next)
        if written == TO_DECODING:
            return written
        if written == TO_PLAIN or (has_foreign_name and (written != UTF_8 or used or not is_name(data, at, name_end))):
            return TO_PLAIN
        is_odd |= has_controls
    place = place_of(names.elements, data, first, length)
    code_of_it = int64(UNKNOWN)
    for slot in range(row * SLOTS, row * SLOTS + SLOTS):
        chunk.numbers[slot] = NEVER
    if place >= 0:
        code_of_it = int64(names.all_codes[place])
        if code_of_it in FACT_CODES and state.facts < MOST_FACTS:
            return TO_PLAIN
        is_second = code_of_it == TRACE and (state.has_root or state.has_any)
        is_second = is_second or (code_of_it == NODE and state.has_node)
        if is_second and state.begun < MOST_SESSIONS:
            return TO_PLAIN
        if count:
            if take_names(ordered, data, count, code_of_it, names.codes[place] == 0, names):
                return TO_MORE_OTHERS
            take_values(ordered, chunk, names, row, count, code_of_it, is_escaped, written)
        note_texts(ordered, used, is_odd, base + at, next - at)
        if is_second:
            restart(ordered, base + at)
    else:
        known = state.odd_names
        if known < MOST_UNKNOWN_NAMES and not has_room(ordered.elements, known, length):
            return TO_MORE_NAMES
        number = numbered(ordered.elements, known, data, first, length, MOST_UNKNOWN_NAMES)
        if number == known:
            if known == MOST_UNKNOWN_NAMES:
                return TO_MORE_NAMES
            if known < MOST_UNKNOWN_NAMES:
                state.odd_names = known + 1
            else:
                number = MOST_UNKNOWN_NAMES
        ordered.found.odd[state.odds] = number
        state.odds += 1
        note_texts(ordered, used, is_odd, base + at, next - at)
    chunk.code[row] = code_of_it
    chunk.name[row] = place if place >= 0 else NOTHING
    note_element(ordered, code_of_it, base + at, base + next, is_open)
    return next
