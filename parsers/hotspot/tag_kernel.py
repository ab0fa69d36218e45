"""Tags for kernels: which ones are looked at, and what their attributes say. Twin of `tags`."""

from __future__ import annotations

from typing import Any

from parsers.hotspot import tags
from parsers.hotspot.columns import NO_LEVEL, NONE
from parsers.hotspot.log_chunk import (
    ACTION,
    BCI,
    BLOCKING,
    COMPILER,
    FLAGS,
    HAS_PHASE,
    HAS_THREAD,
    HASH,
    ID,
    IS_NAMED,
    LEVEL,
    METHOD,
    NATIVE,
    OK,
    OSR,
    REASON,
    STAMP_OF,
    TEXT_AT,
    TEXT_LENGTH,
    TEXTS,
    VALUE,
    WHO,
    ZOMBIE,
)
from parsers.hotspot.name_table import (
    ATTRIBUTE_BITS,
    ATTRIBUTE_MIX,
    ATTRIBUTES,
    DROPPED,
    LISTED,
    LONGEST_KNOWN,
    PASSED,
    WORD_BITS,
    WORD_MIX,
)
from parsers.index.jit import int64, part, uint32, uint64
from parsers.index.vector import equal64, hash64, load64, lowest_bit

BLANK, TAB, LF, CR, QUOTE, SLASH, LESS, MORE_THAN, EQUALS, DOT, COMMA = 32, 9, 10, 13, 39, 47, 60, 62, 61, 46, 44
NO_TAG = -1

KEPT_KINDS = len(tags.KEPT)
UNKNOWN, COMMENT, LAST_END, LONGEST, LONGEST_NAME = (
    tags.UNKNOWN,
    tags.COMMENT,
    tags.KINDS,
    tags.LONGEST,
    tags.LONGEST_NAME,
)
TRAP = tags.KEPT.index("uncommon_trap")
NMETHOD = tags.KEPT.index("nmethod")
NOT_COMPILABLE = tags.KEPT.index("make_not_compilable")
DEPENDENCY, FAILURE = tags.KEPT.index("dependency_failed"), tags.FAILURE
LOGFILE, START, LOG, TASK_DONE, JVMS = (
    tags.KEPT.index("thread_logfile"),
    tags.START,
    tags.LOG,
    tags.TASK_DONE,
    tags.JVMS,
)

(
    _,
    A_COMPILE_ID,
    A_COMPILE_KIND,
    A_COMPILER,
    A_METHOD,
    A_OSR_BCI,
    A_LEVEL,
    A_BLOCKING,
    A_STAMP,
    A_SUCCESS,
    A_NMSIZE,
    A_INLINED,
    A_REASON,
    A_COMMENT,
    A_TYPE,
    A_STATE,
    A_FILENAME,
    A_PHASE,
    A_NAME,
    A_THREAD,
    A_PROCESS,
    A_SIZE,
    A_ZOMBIE,
    A_ACTION,
    A_COUNT,
    A_FREE,
    A_BCI,
    A_OSR,
    A_TIME,
    A_CONTEXT,
) = range(len(ATTRIBUTES))

OSR_WORD = uint64(int.from_bytes(b"osr", "little"))
COMMENT_WORD = uint64(int.from_bytes(b"!--", "little"))
THREE_BYTES = uint64(0xFFFFFF)
FOUR_BYTES = uint64(0xFFFFFFFF)
THREAD_WORD = uint64(int.from_bytes(b" thread=", "little"))
WORD_FACTOR, ATTRIBUTE_FACTOR = uint64(WORD_MIX), uint64(ATTRIBUTE_MIX)
WORD_SHIFT, ATTRIBUTE_SHIFT = uint64(32 - WORD_BITS), uint64(64 - ATTRIBUTE_BITS)
NONE_NUMBER = uint64(0xFFFF_FFFF_FFFF_FFFF)
"""What `number_at` gives for what is no number; nothing that is written is as large."""
MOST_NUMBER = uint64(NONE - 1)
MOST_FREE = uint64((NONE << 10) - 1)


@part
def is_delimiter(byte: int) -> bool:
    """Whether a byte ends a tag's name."""
    return byte in (BLANK, MORE_THAN, SLASH, LF, CR, TAB)


@part
def is_blank(byte: int) -> bool:
    """Whether a byte separates attributes."""
    return byte in (BLANK, LF, CR, TAB)


@part
def is_word(byte: int) -> bool:
    """Whether a byte may stand in an element's name, but as its first one perhaps."""
    return 97 <= byte <= 122 or 65 <= byte <= 90 or 48 <= byte <= 57 or byte == 95


@part
def is_name(byte: int) -> bool:
    """Whether a byte may stand in an attribute's name."""
    return is_word(byte) or byte == 58 or byte == 46 or byte == 45


@part
def word_end(data: Any, at: int) -> int:
    """Where an element's name ends that begins at a position; -1 if none of a fair length does."""
    stop = at
    while stop - at <= LONGEST_NAME and is_word(data[stop]):
        stop += 1
    return stop if stop > at and stop - at <= LONGEST_NAME and is_delimiter(data[stop]) else -1


@part
def kind_at(data: Any, at: int, names: Any) -> tuple[int, int]:
    """What tag a `<` at a position begins, and where its name ends; NO_TAG if none that is looked at."""
    first = load64(data, at + 1)
    word = first & FOUR_BYTES
    place = ((word * WORD_FACTOR) & FOUR_BYTES) >> WORD_SHIFT
    mask = uint64((1 << WORD_BITS) - 1)
    group = 0
    while names.word[place]:
        if names.word[place] & FOUR_BYTES == word:
            group = int64(names.word[place] >> uint64(32))
            break
        place = (place + uint64(1)) & mask
    if group == DROPPED:
        return NO_TAG, 0
    if group >= LISTED:
        group -= LISTED
        begin = int64(names.lists[group, 0])
        second, third = load64(data, at + 9), load64(data, at + 17)
        for number in range(begin, begin + int64(names.lists[group, 1])):
            if (
                first & names.kept[number, 3] == names.kept[number, 0]
                and second & names.kept[number, 4] == names.kept[number, 1]
                and third & names.kept[number, 5] == names.kept[number, 2]
            ):
                end = at + 1 + int64(names.kept[number, 6])
                kind = int64(names.kept[number, 7])
                if kind == TRAP:
                    if load64(data, end) == THREAD_WORD and data[end + 8] == QUOTE:
                        return kind, end
                elif is_delimiter(data[end]):
                    return kind, end
        if names.lists[group, 2]:
            return NO_TAG, 0
    if first & THREE_BYTES == COMMENT_WORD:
        return COMMENT, at + 4
    if data[at - 1] == LF and is_word(data[at + 1]) and not 48 <= data[at + 1] <= 57:
        end = word_end(data, at + 1)
        if end >= 0:
            return UNKNOWN, end
    return NO_TAG, 0


@part
def number_at(data: Any, start: int, stop: int, most: Any) -> Any:
    """Decimal digits as a number; NONE_NUMBER for anything else, and for more than `most`."""
    if stop <= start or stop - start > 20:
        return NONE_NUMBER
    value = uint64(0)
    for at in range(start, stop):
        digit = uint64(data[at] - 48)
        if not 48 <= data[at] <= 57:
            return NONE_NUMBER
        if at - start == 19 and (
            value > uint64(1844674407370955161) or (value == uint64(1844674407370955161) and digit > uint64(5))
        ):
            return NONE_NUMBER
        value = value * uint64(10) + digit
    return value if value <= most else NONE_NUMBER


@part
def small_at(data: Any, start: int, stop: int) -> Any:
    """Digits as a number of 32 bits; NONE for anything else."""
    value = number_at(data, start, stop, MOST_NUMBER)
    return uint32(NONE) if value == NONE_NUMBER else uint32(value)


@part
def milliseconds_at(data: Any, start: int, stop: int) -> Any:
    """A stamp in milliseconds; NONE for anything else."""
    at = start
    value = int64(0)
    while at < stop and 48 <= data[at] <= 57:
        value = value * 10 + int64(data[at]) - 48
        at += 1
        if at - start > 7:
            return uint32(NONE)
    if at == start:
        return uint32(NONE)
    if at < stop and data[at] != DOT and data[at] != COMMA:
        return uint32(NONE)
    at += 1
    for _ in range(3):
        value *= 10
        if at < stop:
            if not 48 <= data[at] <= 57:
                return uint32(NONE)
            value += int64(data[at]) - 48
            at += 1
    return uint32(value) if value < NONE else uint32(NONE)


@part
def quote_or_tag(data: Any, at: int, limit: int) -> int:
    """The first quote or `<` from a position on; `limit` if there is none before it."""
    while at < limit:
        mask = equal64(data, at, QUOTE) | equal64(data, at, LESS)
        if mask:
            at += lowest_bit(mask)
            return min(at, limit)
        at += 64
    return limit


@part
def ends_tag(data: Any, at: int, limit: int) -> bool:
    """Whether a line may end here, or the next tag begins."""
    return at >= limit or data[at] == LF or data[at] == CR or data[at] == LESS


@part
def ends_value(data: Any, quote: int, limit: int) -> bool:
    """Whether a quote ends the value of an element whose values aren't escaped."""
    at = quote + 1
    while at < limit and is_blank(data[at]):
        at += 1
    if at >= limit:
        return False
    if data[at] == MORE_THAN:
        return ends_tag(data, at + 1, limit)
    if data[at] == SLASH:
        return at + 1 < limit and data[at + 1] == MORE_THAN and ends_tag(data, at + 2, limit)
    if at == quote + 1:
        return False
    name = at
    while at < limit and at - name <= LONGEST_NAME and is_name(data[at]):
        at += 1
    if at == name or at - name > LONGEST_NAME or at + 1 >= limit:
        return False
    is_next: bool = data[at] == EQUALS and data[at + 1] == QUOTE
    return is_next


@part
def is_bound(data: Any, at: int, limit: int, names: Any) -> bool:
    """Whether a `<` in a value that isn't escaped begins another tag."""
    kind, end = kind_at(data, at, names)
    if (0 <= kind < KEPT_KINDS or kind > COMMENT) and (end + 9 if kind == TRAP else end + 1) <= limit:
        return True
    if data[at - 1] != LF or at + 1 >= limit:
        return False
    byte = int64(data[at + 1])
    is_start: bool = 97 <= byte <= 122 or 65 <= byte <= 90 or byte == 95 or byte == SLASH or byte == 33
    return is_start


@part
def value_end(data: Any, at: int, limit: int, names: Any) -> tuple[int, int, bool]:
    """Where a value ends that isn't escaped, where its tag goes on, and whether the tag is torn there."""
    first = -1
    while True:
        at = quote_or_tag(data, at, limit)
        if at >= limit:
            return (first if first >= 0 else limit), limit, True
        if data[at] == LESS:
            if is_bound(data, at, limit, names):
                return (first if first >= 0 else at), at, True
        else:
            if first < 0:
                first = at
            if ends_value(data, at, limit):
                return at, at + 1, False
        at += 1


@part
def is_whole_name(data: Any, start: int, stop: int) -> bool:
    """Whether all bytes of a range may stand in an attribute's name."""
    while start < stop and is_name(data[start]):
        start += 1
    return start == stop


@part
def attribute_at(data: Any, name: int, length: int, names: Any) -> int:
    """The number of an attribute's name; 0 if it is none that is taken."""
    if length > LONGEST_KNOWN:
        return 0
    full = uint64(0xFFFF_FFFF_FFFF_FFFF)
    word, second, third = load64(data, name), uint64(0), uint64(0)
    if length < 8:
        word &= (uint64(1) << uint64(8 * length)) - uint64(1)
    elif length > 8:
        second = load64(data, name + 8)
        if length <= 16:
            second &= full >> uint64(8 * (16 - length))
        else:
            third = load64(data, name + 16) & full >> uint64(8 * (24 - length))
    place = ((word ^ uint64(length)) * ATTRIBUTE_FACTOR) >> ATTRIBUTE_SHIFT
    mask = uint64((1 << ATTRIBUTE_BITS) - 1)
    while names.attribute[place, 4]:
        if (
            names.attribute[place, 0] == word
            and names.attribute[place, 1] == second
            and names.attribute[place, 2] == third
            and int64(names.attribute[place, 3]) == length
        ):
            number: int = int64(names.attribute[place, 4])
            return number
        place = (place + uint64(1)) & mask
    return 0


@part
def put_text(chunk: Any, row: int, which: int, start: int, stop: int) -> None:
    """Notes a text of a tag."""
    chunk.number[row, TEXT_AT + which] = start
    chunk.number[row, TEXT_LENGTH + which] = stop - start
    chunk.long[row, HASH + which] = hash64(chunk.data, start, stop - start)


@part
def is_one(data: Any, start: int, stop: int) -> bool:
    """Whether a value is `1`."""
    return stop - start == 1 and data[start] == 49


@part
def clear(chunk: Any, row: int) -> None:
    """A tag without attributes."""
    none = uint32(NONE)
    chunk.number[row, FLAGS] = 0
    chunk.number[row, LEVEL] = NO_LEVEL
    chunk.number[row, ID] = chunk.number[row, BCI] = chunk.number[row, STAMP_OF] = chunk.number[row, VALUE] = none
    chunk.long[row, WHO] = 0
    for which in range(TEXTS):
        chunk.number[row, TEXT_LENGTH + which] = none


@part
def take(chunk: Any, row: int, kind: int, attribute: int, start: int, stop: int, reason: int) -> int:
    """Takes the value of an attribute; gives which attribute tells the reason by now."""
    data = chunk.data
    flag = 0
    if attribute == A_METHOD:
        put_text(chunk, row, METHOD, start, stop)
    elif attribute == A_STAMP:
        chunk.number[row, STAMP_OF] = milliseconds_at(data, start, stop)
    elif attribute == A_COMPILE_ID:
        if kind != START and kind != LOG:
            chunk.number[row, ID] = small_at(data, start, stop)
    elif attribute == A_LEVEL:
        if stop - start == 1 and 48 <= data[start] <= 57:
            chunk.number[row, LEVEL] = data[start] - 48
    elif A_REASON <= attribute <= A_FILENAME:
        if attribute < reason and kind != START:
            put_text(chunk, row, REASON, start, stop)
            return attribute
    elif attribute == A_COMPILER:
        put_text(chunk, row, COMPILER, start, stop)
    elif attribute == A_ACTION:
        put_text(chunk, row, ACTION, start, stop)
    elif attribute == A_NAME:
        if kind == START:
            put_text(chunk, row, REASON, start, stop)
    elif attribute == A_COMPILE_KIND:
        if stop - start == 3 and load64(data, start) & THREE_BYTES == OSR_WORD:
            flag = OSR
        elif kind == NMETHOD:
            flag = NATIVE
    elif attribute == A_OSR_BCI:
        if kind != JVMS and kind != TASK_DONE:
            chunk.number[row, BCI] = small_at(data, start, stop)
    elif attribute == A_BCI:
        if kind == JVMS:
            chunk.number[row, BCI] = small_at(data, start, stop)
    elif attribute == A_INLINED:
        if kind == TASK_DONE:
            chunk.number[row, BCI] = small_at(data, start, stop)
    elif attribute == A_NMSIZE:
        if kind == TASK_DONE:
            chunk.number[row, VALUE] = small_at(data, start, stop)
    elif attribute == A_SIZE:
        if kind == NMETHOD:
            chunk.number[row, VALUE] = small_at(data, start, stop)
    elif attribute == A_COUNT:
        if kind == TRAP:
            chunk.number[row, VALUE] = small_at(data, start, stop)
    elif attribute == A_FREE:
        if kind != NMETHOD and kind != TRAP and kind != TASK_DONE:
            free = number_at(data, start, stop, MOST_FREE)
            chunk.number[row, VALUE] = uint32(NONE) if free == NONE_NUMBER else uint32(free >> uint64(10))
    elif attribute == A_THREAD:
        value = number_at(data, start, stop, NONE_NUMBER - uint64(1))
        if kind != LOG:
            chunk.long[row, WHO] = uint64(0) if value == NONE_NUMBER else value
        flag = HAS_THREAD
    elif attribute == A_TIME:
        if kind == LOG:
            value = number_at(data, start, stop, uint64(1) << uint64(62))
            chunk.long[row, WHO] = uint64(0) if value == NONE_NUMBER else value
    elif attribute == A_PROCESS:
        if kind in (START, LOG):
            chunk.number[row, ID] = small_at(data, start, stop)
    elif attribute == A_BLOCKING:
        flag = BLOCKING if is_one(data, start, stop) else 0
    elif attribute == A_SUCCESS:
        flag = OK if is_one(data, start, stop) else 0
    elif attribute == A_ZOMBIE:
        flag = ZOMBIE if is_one(data, start, stop) else 0
    elif attribute == A_PHASE:
        flag = HAS_PHASE
    elif attribute == A_CONTEXT:
        if kind == DEPENDENCY and number_at(data, start, stop, NONE_NUMBER - uint64(1)) == NONE_NUMBER:
            flag = IS_NAMED
    elif attribute == A_OSR:
        flag = OSR if kind == NOT_COMPILABLE and is_one(data, start, stop) else 0
    chunk.number[row, FLAGS] |= flag
    return reason


@part
def read_attributes(chunk: Any, row: int, kind: int, at: int, limit: int, names: Any) -> tuple[int, bool]:
    """Takes the attributes of a tag from behind its name on; where the tag ends, and whether it is torn."""
    data = chunk.data
    is_unescaped = kind in (DEPENDENCY, FAILURE, NOT_COMPILABLE, LOGFILE)
    seen = uint64(0)
    reason = A_FILENAME + 1
    while True:
        while at < limit and is_blank(data[at]):
            at += 1
        if at >= limit:
            return limit, True
        if data[at] == MORE_THAN:
            return at + 1, False
        if data[at] == SLASH and at + 1 < limit and data[at + 1] == MORE_THAN:
            return at + 2, False
        name = at
        length = lowest_bit(equal64(data, at, EQUALS))
        at += length
        if length == 0 or at + 1 >= limit or data[at] != EQUALS or data[at + 1] != QUOTE:
            return name, True
        attribute = attribute_at(data, name, length, names)
        if attribute == 0 and not is_whole_name(data, name, at):
            return name, True
        value = at + 2
        is_torn = False
        if is_unescaped:
            stop, at, is_torn = value_end(data, value, limit, names)
        else:
            stop = quote_or_tag(data, value, limit)
            is_torn = stop >= limit or data[stop] == LESS
            at = stop if is_torn else stop + 1
        bit = uint64(1) << uint64(attribute)
        if 0 < attribute < PASSED and not seen & bit:
            seen |= bit
            reason = take(chunk, row, kind, attribute, value, stop, reason)
        if is_torn:
            return at, True
