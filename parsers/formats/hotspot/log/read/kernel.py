"""The first of two steps of pass 1: finds the tags of a chunk and their attributes. Twin: `tags.tags`.

1. `parse_log` (here; by two threads at once) knows nothing but its chunk.
2. `join_log` (`join_kernel`; chunk after chunk in the order of the files) makes rows of the columns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from parsers.formats.hotspot.log.part import KEPT_PROBLEMS, LINE_BLOCK
from parsers.formats.hotspot.log.read import tags
from parsers.formats.hotspot.log.read.chunk import BEFORE, REASON, TORN
from parsers.formats.hotspot.log.read.name_table import DROP_BITS, DROP_MIX, NAME_BITS
from parsers.formats.hotspot.log.read.tag_kernel import (
    BLANK,
    FOUR_BYTES,
    LESS,
    LF,
    MORE_THAN,
    NO_TAG,
    SLASH,
    clear,
    kind_at,
    put_text,
    read_attributes,
    word_end,
)
from parsers.kernels.decorators import kernel, part, uint64
from parsers.kernels.vector import bits_of, equal64, hash64, load64, lowest_bit, strange64

if TYPE_CHECKING:
    from parsers.formats.hotspot.log.read.chunk import LogChunk
    from parsers.formats.hotspot.log.read.name_table import LogNames
    from parsers.model.arrays import U8Array

MORE = -1
"""Returned by `parse_log` if a tag doesn't end in the bytes that were read."""
ARGUMENTS = uint64(int.from_bytes(b"/args", "little"))
DEPENDENCY = uint64(int.from_bytes(b"depe", "little"))
DROP_FACTOR, DROP_SHIFT = uint64(DROP_MIX), uint64(32 - DROP_BITS)
FIVE_BYTES = uint64(0xFF_FFFF_FFFF)


@part
def known_length(data: U8Array, at: int, names: LogNames) -> int:
    """Returns the length of the known name behind a `<` in mid-line, with the slash of an end tag; 0 if none."""
    name = at + 2 if data[at + 1] == SLASH else at + 1
    end = word_end(data, name)
    if end < 0 or (end - at == 6 and load64(data, at + 1) & FIVE_BYTES == ARGUMENTS):
        return 0
    hash = hash64(data, name, end - name)
    mask = uint64((1 << NAME_BITS) - 1)
    place = hash & mask
    while names.known[place]:
        if names.known[place] == hash:
            return end - at - 1
        place = (place + uint64(1)) & mask
    return 0


@part
def add_tag(
    chunk: LogChunk, row: int, kind: int, at: int, end: int, filled: int, is_end: bool, names: LogNames
) -> bool:
    """Reads a tag. Returns False if it doesn't end in the bytes that were read."""
    data = chunk.data
    clear(chunk, row)
    is_torn = False
    if kind > tags.COMMENT:
        if data[end] == MORE_THAN:
            end += 1
        elif end + 1 < filled and data[end + 1] == MORE_THAN:
            end += 2
        else:
            is_torn = True
    elif kind <= tags.UNKNOWN:
        name, limit = end, min(filled, end + tags.LONGEST)
        end, is_torn = read_attributes(chunk, row, kind, end, limit, names)
        if not is_end and limit == filled and end + 256 >= filled:
            return False
        if kind == tags.UNKNOWN:
            put_text(chunk, row, REASON, at + 1, name)
    tag = chunk.tags[row]
    tag.kind = kind
    tag.start = at
    tag.end = end
    if is_torn:
        tag.flags |= TORN
        if is_end and end >= filled:
            chunk.facts[0].ends_in = at
    return True


@kernel
def parse_log(chunk: LogChunk, stop: int, filled: int, is_first: bool, is_end: bool, names: LogNames) -> int:
    """Finds the tags of a chunk.

    chunk     `LogChunk`; its `data` has the chunk's bytes from BEFORE to `stop`, some before them (zeros if there are
              none), more after
    stop      where the chunk ends in `data`
    filled    bytes in `data`; at least 128 after them are readable, and are 0
    is_first  True if the chunk begins the file; is_end: True if `data` ends with the file
    names     `LogNames`
    returns   the number of tags, or MORE if one doesn't end in `data`: to be called again with more
    """
    data, facts, lines = chunk.data, chunk.facts[0], chunk.lines
    dropped = names.dropped
    facts.ends_in = -1
    facts.scratch = len(data) // 2
    lines[:] = 0
    rows = nuls = mid_lines = 0
    high = uint64(0)
    at = BEFORE
    while at < stop:
        rest = stop - at
        valid = uint64(0xFFFF_FFFF_FFFF_FFFF) if rest >= 64 else (uint64(1) << uint64(rest)) - uint64(1)
        lines[(at - BEFORE) // LINE_BLOCK] += bits_of(equal64(data, at, LF) & valid)
        strange = strange64(data, at) & valid
        if strange:
            zeros = equal64(data, at, 0) & valid
            nuls += bits_of(zeros)
            high |= strange & ~zeros
        found = equal64(data, at, LESS) & valid
        while found:
            tag = at + lowest_bit(found)
            found &= found - uint64(1)
            if data[tag - 1] != LF and not (is_first and tag == BEFORE):
                length = known_length(data, tag, names)
                if length:
                    if mid_lines < KEPT_PROBLEMS:
                        chunk.mid[mid_lines].start = tag
                        chunk.mid[mid_lines].length = length
                    mid_lines += 1
            word = load64(data, tag + 1) & FOUR_BYTES
            if dropped[((word * DROP_FACTOR) & FOUR_BYTES) >> DROP_SHIFT] == word:
                continue
            if word == DEPENDENCY and data[tag + 11] == BLANK:
                continue
            kind, end = kind_at(data, tag, names)
            if kind != NO_TAG:
                if not add_tag(chunk, rows, kind, tag, end, filled, is_end, names):
                    return MORE
                rows += 1
        at += 64
    facts.tags = rows
    facts.nuls = nuls
    facts.is_high = high != 0
    facts.mid_lines = mid_lines
    return rows
