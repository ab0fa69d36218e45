"""Tags for kernels: the tags that are read, and the values of their attributes. Twin of `tags`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parsers.formats.hotspot.log.columns import NO_LEVEL, EventKind
from parsers.formats.hotspot.log.read import tags
from parsers.formats.hotspot.log.read.chunk import (
    ACTION,
    BLOCKING,
    COMPILER,
    HAS_PHASE,
    HAS_THREAD,
    IS_NAMED,
    METHOD,
    NATIVE,
    OK,
    OSR,
    REASON,
    ZOMBIE,
)
from parsers.formats.hotspot.log.read.name_table import (
    ATTRIBUTE_BITS,
    ATTRIBUTE_MIX,
    DROPPED,
    LISTED,
    LONGEST_KNOWN,
    PASSED,
    WORD_BITS,
    WORD_MIX,
    LogAttribute,
)
from parsers.kernels.decorators import apart, int64, part, uint32, uint64
from parsers.kernels.vector import equal64, hash64, load64, lowest_bit
from parsers.model.none import NONE

if TYPE_CHECKING:
    from parsers.formats.hotspot.log.read.chunk import LogChunk
    from parsers.formats.hotspot.log.read.name_table import LogNames
    from parsers.model.arrays import RecordArray, U8Array

BLANK, TAB, LF, CR, QUOTE, SLASH, LESS, MORE_THAN, EQUALS, DOT, COMMA = 32, 9, 10, 13, 39, 47, 60, 62, 61, 46, 44
DASH = 45
NO_TAG = -1
WHOLE, IS_TORN, IS_COMMENTED = range(3)
"""Result of reading a tag: read to its end, up to a syntax error, or up to a comment in it."""

KEPT_KINDS = len(tags.KEPT)
UNESCAPED = tuple(tags.KEPT.index(name) for name in tags.UNESCAPED)
OSR_WORD = uint64(int.from_bytes(b"osr", "little"))
COMMENT_WORD = uint64(int.from_bytes(b"!--", "little"))
THREE_BYTES = uint64(0xFFFFFF)
FOUR_BYTES = uint64(0xFFFFFFFF)
THREAD_WORD = uint64(int.from_bytes(b" thread=", "little"))
WORD_FACTOR, ATTRIBUTE_FACTOR = uint64(WORD_MIX), uint64(ATTRIBUTE_MIX)
WORD_SHIFT, ATTRIBUTE_SHIFT = uint64(32 - WORD_BITS), uint64(64 - ATTRIBUTE_BITS)
NONE_NUMBER = uint64(0xFFFF_FFFF_FFFF_FFFF)
"""Result of `number_at` for all that is no number; larger than any written number."""
MOST_NUMBER = uint64(NONE - 1)
MOST_FREE = uint64((NONE << 10) - 1)


@part
def ends_name(data: U8Array, at: int) -> bool:
    """True if the name of a tag may end at a position: a delimiter or a comment follows."""
    if data[at] == LESS:
        is_comment: bool = load64(data, at + 1) & THREE_BYTES == COMMENT_WORD
        return is_comment
    return data[at] in (BLANK, MORE_THAN, SLASH, LF, CR, TAB)


@part
def is_blank(byte: int) -> bool:
    """True if a byte separates attributes."""
    return byte in (BLANK, LF, CR, TAB)


@part
def is_word(byte: int) -> bool:
    """True if a byte is allowed in an element's name; not all are allowed as its first one."""
    return 97 <= byte <= 122 or 65 <= byte <= 90 or 48 <= byte <= 57 or byte == 95


@part
def is_name(byte: int) -> bool:
    """True if a byte is allowed in an attribute's name."""
    return is_word(byte) or byte == 58 or byte == 46 or byte == 45


@part
def word_end(data: U8Array, at: int) -> int:
    """Returns the end of an element's name that begins at a position; -1 if there is none of a plausible length."""
    stop = at
    while stop - at <= tags.LONGEST_NAME and is_word(data[stop]):
        stop += 1
    return stop if stop > at and stop - at <= tags.LONGEST_NAME and ends_name(data, stop) else -1


@part
def kind_at(data: U8Array, at: int, names: LogNames) -> tuple[int, int]:
    """Returns the kind of the tag that a `<` at a position begins, and the end of its name; NO_TAG if none is read."""
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
        begin = int64(names.lists[group].first)
        second, third = load64(data, at + 9), load64(data, at + 17)
        for number in range(begin, begin + int64(names.lists[group].length)):
            name = names.kept[number]
            if (
                first & name.first_mask == name.first
                and second & name.second_mask == name.second
                and third & name.third_mask == name.third
            ):
                end = at + 1 + int64(name.length)
                kind = int64(name.kind)
                if kind == EventKind.UNCOMMON_TRAP:
                    if load64(data, end) == THREAD_WORD and data[end + 8] == QUOTE:
                        return kind, end
                elif ends_name(data, end):
                    return kind, end
        if names.lists[group].is_more:
            return NO_TAG, 0
    if first & THREE_BYTES == COMMENT_WORD:
        return tags.COMMENT, at + 4
    if data[at - 1] == LF and is_word(data[at + 1]) and not 48 <= data[at + 1] <= 57:
        end = word_end(data, at + 1)
        if end >= 0:
            return tags.UNKNOWN, end
    return NO_TAG, 0


@part
def number_at(data: U8Array, start: int, stop: int, most: int) -> int:
    """Parses decimal digits; returns NONE_NUMBER for anything else, and for more than `most`."""
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
def small_at(data: U8Array, start: int, stop: int) -> int:
    """Parses digits as a number of 32 bits; returns NONE for anything else."""
    value = number_at(data, start, stop, MOST_NUMBER)
    return uint32(NONE) if value == NONE_NUMBER else uint32(value)


@part
def milliseconds_at(data: U8Array, start: int, stop: int) -> int:
    """Parses a stamp in milliseconds; returns NONE for anything else."""
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
def quote_or_tag(data: U8Array, at: int, limit: int) -> int:
    """Returns the first quote or `<` from a position on; `limit` if there is none before it."""
    while at < limit:
        mask = equal64(data, at, QUOTE) | equal64(data, at, LESS)
        if mask:
            at += lowest_bit(mask)
            return min(at, limit)
        at += 64
    return limit


@part
def ends_tag(data: U8Array, at: int, limit: int) -> bool:
    """True if a line may end here, or the next tag begins."""
    return at >= limit or data[at] == LF or data[at] == CR or data[at] == LESS


@part
def begins_attribute(data: U8Array, at: int, limit: int) -> bool:
    """True if an attribute begins at a position: a name of a plausible length, `=` and a quote."""
    name = at
    while at < limit and at - name <= tags.LONGEST_NAME and is_name(data[at]):
        at += 1
    if at == name or at - name > tags.LONGEST_NAME or at + 1 >= limit:
        return False
    has_value: bool = data[at] == EQUALS and data[at + 1] == QUOTE
    return has_value


@part
def ends_value(data: U8Array, quote: int, limit: int) -> bool:
    """True if a quote ends the value of an element whose values aren't escaped."""
    at = quote + 1
    while at < limit and is_blank(data[at]):
        at += 1
    if at >= limit:
        return False
    if data[at] == MORE_THAN:
        return ends_tag(data, at + 1, limit)
    if data[at] == SLASH:
        return at + 1 < limit and data[at + 1] == MORE_THAN and ends_tag(data, at + 2, limit)
    return at > quote + 1 and begins_attribute(data, at, limit)


@part
def comment_end(data: U8Array, at: int, limit: int) -> int:
    """Returns the end of a comment at a `<` in a tag, with its line end unless behind a tag; -1 if there is none."""
    if at + 7 > limit or load64(data, at + 1) & THREE_BYTES != COMMENT_WORD:
        return -1
    close = at + 4
    while close < limit and close - at <= 6 + tags.LONGEST_COMMENT and data[close] != MORE_THAN and data[close] != LESS:
        close += 1
    length = close - at - 6
    if close >= limit or length < 0 or length > tags.LONGEST_COMMENT or data[close] != MORE_THAN:
        return -1
    if data[close - 1] != DASH or data[close - 2] != DASH:
        return -1
    end = close + 1
    if data[at - 1] != MORE_THAN and data[at - 1] != LF:
        if end < limit and data[end] == LF:
            return end + 1
        if end + 1 < limit and data[end] == CR and data[end + 1] == LF:
            return end + 2
    return end


@part
def looks_like_tag(data: U8Array, at: int, limit: int) -> bool:
    """True if a `<` is followed by a name with an attribute, or by an end tag of any name."""
    is_end = at + 1 < limit and data[at + 1] == SLASH
    name = at + 2 if is_end else at + 1
    stop = name
    while stop < limit and stop - name <= tags.LONGEST_NAME and is_word(data[stop]):
        stop += 1
    if stop == name or stop - name > tags.LONGEST_NAME or stop >= limit or 48 <= data[name] <= 57:
        return False
    if is_end:
        closes: bool = data[stop] == MORE_THAN
        return closes
    key = stop
    while key < limit and is_blank(data[key]):
        key += 1
    return key > stop and begins_attribute(data, key, limit)


@apart
def begins_any(data: U8Array, at: int, limit: int) -> bool:
    """True if a `<` in a value begins a tag of any name: at the start of a line, with an attribute, or an end tag."""
    if data[at - 1] == LF and at + 1 < limit:
        byte = int64(data[at + 1])
        if 97 <= byte <= 122 or 65 <= byte <= 90 or byte == 95 or byte == SLASH or byte == 33:
            return True
    return looks_like_tag(data, at, limit)


@apart
def is_bound(data: U8Array, at: int, limit: int, names: LogNames) -> bool:
    """True if a `<` in a value begins another tag."""
    kind, end = kind_at(data, at, names)
    if 0 <= kind < KEPT_KINDS or kind > tags.COMMENT:
        behind = 9 if kind == EventKind.UNCOMMON_TRAP else 4 if data[end] == LESS else 1
        if end + behind <= limit:
            return True
    return begins_any(data, at, limit)


@part
def value_end(
    data: U8Array, at: int, limit: int, is_unescaped: bool, has_comments: bool, names: LogNames
) -> tuple[int, int, int]:
    """Returns the end of a value, the next position in its tag, and the result of reading.

    is_unescaped  True if it may contain quotes; has_comments: True to look for comments
    """
    first = -1
    while True:
        at = quote_or_tag(data, at, limit)
        if at >= limit:
            return (first if first >= 0 else limit), limit, IS_TORN
        if data[at] == LESS:
            if has_comments and comment_end(data, at, limit) >= 0:
                return at, at, IS_COMMENTED
            if is_bound(data, at, limit, names):
                return (first if first >= 0 else at), at, IS_TORN
        elif not is_unescaped:
            return at, at + 1, WHOLE
        else:
            if first < 0:
                first = at
            if ends_value(data, at, limit):
                return at, at + 1, WHOLE
        at += 1


@part
def is_whole_name(data: U8Array, start: int, stop: int) -> bool:
    """True if all bytes of a range are allowed in an attribute's name."""
    while start < stop and is_name(data[start]):
        start += 1
    return start == stop


@part
def attribute_at(data: U8Array, name: int, length: int, table: RecordArray) -> int:
    """Returns the number of an attribute's name in a table; 0 if it is not there."""
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
    while table[place].number:
        known = table[place]
        if (
            known.first == word
            and int64(known.length) == length
            and (length <= 8 or (known.second == second and known.third == third))
        ):
            number: int = int64(known.number)
            return number
        place = (place + uint64(1)) & mask
    return 0


@part
def put_text(chunk: LogChunk, row: int, which: int, start: int, stop: int) -> None:
    """Stores position, length and hash of a tag's text."""
    text = chunk.texts[row, which]
    text.start = start
    text.length = stop - start
    text.hash = hash64(chunk.data, start, stop - start)


@part
def is_one(data: U8Array, start: int, stop: int) -> bool:
    """True if a value is `1`."""
    return stop - start == 1 and data[start] == 49


@part
def clear(chunk: LogChunk, row: int) -> None:
    """Clears the attributes of a tag."""
    tag = chunk.tags[row]
    tag.flags = 0
    tag.level = NO_LEVEL
    tag.id = tag.bci = tag.stamp = tag.value = uint32(NONE)
    tag.who = 0
    for which in range(4):
        chunk.texts[row, which].length = uint32(NONE)


@part
def take(chunk: LogChunk, row: int, kind: int, attribute: int, start: int, stop: int, reason: int) -> int:
    """Stores the value of an attribute; returns the attribute that gives the reason so far."""
    data, tag = chunk.data, chunk.tags[row]
    flag = 0
    if attribute == LogAttribute.METHOD:
        put_text(chunk, row, METHOD, start, stop)
    elif attribute == LogAttribute.STAMP:
        tag.stamp = milliseconds_at(data, start, stop)
    elif attribute == LogAttribute.COMPILE_ID:
        if kind != tags.START and kind != tags.LOG:
            tag.id = small_at(data, start, stop)
    elif attribute == LogAttribute.LEVEL:
        if stop - start == 1 and 48 <= data[start] <= 57:
            tag.level = data[start] - 48
    elif LogAttribute.REASON <= attribute <= LogAttribute.FILENAME:
        if attribute < reason and kind != tags.START:
            put_text(chunk, row, REASON, start, stop)
            return attribute
    elif attribute == LogAttribute.COMPILER:
        put_text(chunk, row, COMPILER, start, stop)
    elif attribute == LogAttribute.ACTION:
        put_text(chunk, row, ACTION, start, stop)
    elif attribute == LogAttribute.NAME:
        if kind == tags.START:
            put_text(chunk, row, REASON, start, stop)
    elif attribute == LogAttribute.COMPILE_KIND:
        if stop - start == 3 and load64(data, start) & THREE_BYTES == OSR_WORD:
            flag = OSR
        elif kind == EventKind.NMETHOD:
            flag = NATIVE
    elif attribute == LogAttribute.OSR_BCI:
        if kind != tags.JVMS and kind != tags.TASK_DONE:
            tag.bci = small_at(data, start, stop)
    elif attribute == LogAttribute.BCI:
        if kind == tags.JVMS:
            tag.bci = small_at(data, start, stop)
    elif attribute == LogAttribute.INLINED_BYTES:
        if kind == tags.TASK_DONE:
            tag.bci = small_at(data, start, stop)
    elif attribute == LogAttribute.NMSIZE:
        if kind == tags.TASK_DONE:
            tag.value = small_at(data, start, stop)
    elif attribute == LogAttribute.SIZE:
        if kind == EventKind.NMETHOD:
            tag.value = small_at(data, start, stop)
    elif attribute == LogAttribute.COUNT:
        if kind == EventKind.UNCOMMON_TRAP:
            tag.value = small_at(data, start, stop)
    elif attribute == LogAttribute.FREE_CODE_CACHE:
        if kind != EventKind.NMETHOD and kind != EventKind.UNCOMMON_TRAP and kind != tags.TASK_DONE:
            free = number_at(data, start, stop, MOST_FREE)
            tag.value = uint32(NONE) if free == NONE_NUMBER else uint32(free >> uint64(10))
    elif attribute == LogAttribute.THREAD:
        value = number_at(data, start, stop, NONE_NUMBER - uint64(1))
        if kind != tags.LOG:
            tag.who = uint64(0) if value == NONE_NUMBER else value
        flag = HAS_THREAD
    elif attribute == LogAttribute.TIME_MS:
        if kind == tags.LOG:
            value = number_at(data, start, stop, uint64(1) << uint64(62))
            tag.who = uint64(0) if value == NONE_NUMBER else value
    elif attribute == LogAttribute.PROCESS:
        if kind in (tags.START, tags.LOG):
            tag.id = small_at(data, start, stop)
    elif attribute == LogAttribute.BLOCKING:
        flag = BLOCKING if is_one(data, start, stop) else 0
    elif attribute == LogAttribute.SUCCESS:
        flag = OK if is_one(data, start, stop) else 0
    elif attribute == LogAttribute.ZOMBIE:
        flag = ZOMBIE if is_one(data, start, stop) else 0
    elif attribute == LogAttribute.PHASE:
        flag = HAS_PHASE
    elif attribute == LogAttribute.CTXK:
        if kind == EventKind.DEPENDENCY_FAILED and number_at(data, start, stop, NONE_NUMBER - uint64(1)) == NONE_NUMBER:
            flag = IS_NAMED
    elif attribute == LogAttribute.OSR:
        flag = OSR if kind == EventKind.MAKE_NOT_COMPILABLE and is_one(data, start, stop) else 0
    tag.flags |= flag
    return reason


@part
def how_it_stops(data: U8Array, at: int, limit: int, has_comments: bool) -> int:
    """Returns IS_COMMENTED if a comment explains the syntax error in a tag, else IS_TORN."""
    near = at
    limit_of_near = min(at + tags.NEAR, limit)
    while near < limit_of_near and data[near] != LESS:
        near += 1
    is_comment = has_comments and near < limit_of_near and comment_end(data, near, limit) >= 0
    return IS_COMMENTED if is_comment else IS_TORN


@apart
def read_pairs(
    chunk: LogChunk, row: int, kind: int, at: int, limit: int, has_comments: bool, names: LogNames
) -> tuple[int, int]:
    """Reads the attributes of a tag from after its name; returns the end of the tag and the result of reading.

    has_comments  True to look for comments; False: they are text like any other
    """
    data = chunk.data
    is_unescaped = kind in UNESCAPED
    seen = uint64(0)
    reason = LogAttribute.FILENAME + 1
    while True:
        while at < limit and is_blank(data[at]):
            at += 1
        if at >= limit:
            return limit, IS_TORN
        if data[at] == MORE_THAN:
            return at + 1, WHOLE
        if data[at] == SLASH and at + 1 < limit and data[at + 1] == MORE_THAN:
            return at + 2, WHOLE
        name = at
        length = lowest_bit(equal64(data, at, EQUALS))
        at += length
        if length == 0 or at + 1 >= limit or data[at] != EQUALS or data[at + 1] != QUOTE:
            return name, how_it_stops(data, name, limit, has_comments)
        attribute = attribute_at(data, name, length, names.attribute)
        if attribute == 0 and not is_whole_name(data, name, at):
            return name, how_it_stops(data, name, limit, has_comments)
        value = at + 2
        stop, at, how = value_end(data, value, limit, is_unescaped, has_comments, names)
        if how == IS_COMMENTED:
            return at, how
        bit = uint64(1) << uint64(attribute)
        if 0 < attribute < PASSED and not seen & bit:
            seen |= bit
            reason = take(chunk, row, kind, attribute, value, stop, reason)
        if how == IS_TORN:
            return at, how


@apart
def read_without_comments(
    chunk: LogChunk, row: int, kind: int, at: int, limit: int, names: LogNames
) -> tuple[int, int]:
    """Does the same for a tag with comments: first copies its bytes without them after those of the chunk."""
    data = chunk.data
    begin = int64(chunk.facts[0].scratch)
    filled, place = begin, at
    while place < limit:
        if data[place] == LESS:
            end = comment_end(data, place, limit)
            if end >= 0:
                place = end
                continue
            if is_bound(data, place, limit, names):
                break
        data[filled] = data[place]
        filled += 1
        place += 1
    clear(chunk, row)
    end, how = read_pairs(chunk, row, kind, begin, filled, False, names)
    chunk.facts[0].scratch = filled
    # Maps the end back by counting as many bytes of the tag itself, to the position after the last byte read.
    place, rest = at, end - begin
    while rest > 0:
        after = comment_end(data, place, limit) if data[place] == LESS else -1
        place = after if after >= 0 else place + 1
        rest -= after < 0
    return place, how


@part
def read_attributes(chunk: LogChunk, row: int, kind: int, at: int, limit: int, names: LogNames) -> tuple[int, bool]:
    """Reads the attributes of a tag from after its name; returns the end of the tag, and True if it is torn."""
    end, how = read_pairs(chunk, row, kind, at, limit, True, names)
    if how == IS_COMMENTED:
        end, how = read_without_comments(chunk, row, kind, at, limit, names)
    return end, how == IS_TORN
