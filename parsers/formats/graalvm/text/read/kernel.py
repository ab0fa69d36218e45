"""First of four steps of indexing a text tree: parses the lines of a chunk and builds its part of the tree.

1. `parse_chunk` (here; by several threads at once) uses its chunk only.
2. `resolve_chunk` (`resolve_kernel`; by several threads at once) looks up ids and names of the chunks before it.
3. `join_chunk` (`join_kernel`; chunk after chunk in the order of the file) numbers rows and vertices and joins
   the chunk's part of the tree to the chunks before it. It is short: at most one row of each depth crosses the border.
4. `shape_chunk` (`shape_kernel`; by several threads at once) converts arrays to their stored form.

After the last chunk `end_kernel` sorts rows by vertex and computes the counts that need the whole document.

Formats differ in one function, the classifier of a row: `classify_call`, `classify_object`. Both are compiled into this
kernel, chosen by `format`. A classifier returns (kind, flags, tag, id, name start, name end, loader length); the flags
are in `chunk`. `tag` is a small number whose frequencies are counted in `TextChunk.tags`. If it returns `CONTINUES`, it
is called again with the row's text and all lines directly below that begin with `at `.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from parsers.formats.graalvm.calls.index.kernel import classify_call
from parsers.formats.graalvm.calls.index.row import INTERFACE, VIRTUAL
from parsers.formats.graalvm.objects.index.kernel import classify_object
from parsers.formats.graalvm.text.columns import LARGE
from parsers.formats.graalvm.text.read.chunk import CONTINUES, DECLARES, NONE, PROBLEM
from parsers.formats.graalvm.text.read.control_kernel import count_controls
from parsers.formats.graalvm.text.read.line import DEEPEST, LONGEST
from parsers.formats.graalvm.text.summary import KEPT_PROBLEMS
from parsers.kernels.decorators import int64, kernel, part, uint64
from parsers.kernels.vector import differ64, find, load64, lowest_bit

if TYPE_CHECKING:
    from parsers.formats.graalvm.text.read.chunk import TextChunk
    from parsers.model.arrays import I32Array, RecordArray, U8Array

CALL, OBJECT = 0, 1
"""Formats."""

LF, CR = 10, 13
AT = uint64(int.from_bytes(b"at ", "little"))
THREE = uint64(0xFFFFFF)
BOM = uint64(0xBFBBEF)
BAR, BLANKS, TEE, CORNER = range(4)
BLANK_WORD, BLANK_MASK = uint64(0x20202020), uint64(0xFFFFFFFF)
MORE = -1
"""Returned by `parse_chunk` if a line doesn't end in the bytes read."""


@part
def body_of(data: U8Array, start: int, stop: int, words: RecordArray, groups: I32Array, depth: int) -> tuple[int, int]:
    """Returns the start of a row's body (-1: the line is no row), and its depth. Twin: `line.split_line`.

    depth   number of groups known already
    groups  int32: end of each group in the line; those after the known ones are filled
    """
    bar, bar_mask, bar_length = words[BAR].head, words[BAR].head_mask, int64(words[BAR].length)
    at = start + groups[depth]
    while at < stop:
        word = load64(data, at)
        if word & bar_mask == bar:
            at += bar_length
        elif word & BLANK_MASK == BLANK_WORD:
            at += 4
        else:
            break
        depth += 1
        groups[depth] = at - start
    word, next_word = load64(data, at), load64(data, at + 8)
    for which in (TEE, CORNER):
        prefix = words[which]
        if word & prefix.head_mask == prefix.head and next_word & prefix.tail_mask == prefix.tail:
            at += int64(prefix.length)
            return (at, depth) if at <= stop else (-1, 0)
    return -1, 0


@part
def same_groups(data: U8Array, start: int, stop: int, before: int, groups: I32Array, depth: int) -> int:
    """Returns the number of groups that a line shares with the row before it, which begins at `before`.

    groups  int32: end of each group in that row; depth: number of groups
    """
    length = groups[depth]
    if start + length > stop:
        return 0
    common = 0
    while common < length:
        mask = differ64(data, start + common, data, before + common)
        if mask:
            common += lowest_bit(mask)
            break
        common += 64
    while groups[depth] > common:
        depth -= 1
    return depth


@part
def classify(
    format: int, data: U8Array, start: int, stop: int, is_cut: bool
) -> tuple[int, int, int, int, int, int, int]:
    """Classifies the body of a row."""
    if format == CALL:
        return classify_call(data, start, stop, is_cut)
    return classify_object(data, start, stop, is_cut)


@part
def text_end(data: U8Array, start: int, end: int) -> int:
    """Returns the end of a line's text; `end` is its LF or the end of the file."""
    return end - 1 if end > start and data[end - 1] == CR else end


@part
def joined_end(data: U8Array, start: int, end: int, filled: int, is_end: bool) -> tuple[int, bool]:
    """Returns the end of a row's text including continuation lines, and True if that is the end of the file.

    start: of the row's line; end: its LF. MORE: it may continue after the bytes read.
    """
    stop = text_end(data, start, end)
    while True:
        at = end + 1
        if at + 3 > filled:
            return (stop, False) if is_end else (MORE, False)
        if load64(data, at) & THREE != AT:
            return stop, False
        end = find(data, at, filled, LF)
        if end < 0:
            if filled - start > LONGEST + 2:
                return stop, False
            if not is_end:
                return MORE, False
            end = text_end(data, at, filled)
            return (end, True) if end - start <= LONGEST else (stop, False)
        if text_end(data, at, end) - start > LONGEST:
            return stop, False
        stop = text_end(data, at, end)


@kernel
def parse_chunk(
    chunk: TextChunk, start: int, stop: int, filled: int, is_first: bool, is_end: bool, words: RecordArray, format: int
) -> int:
    """Finds the rows of a chunk.

    chunk     `TextChunk`; its `data` holds the chunk's bytes from `start` to `stop`, the byte before them if any, and
              some after them
    start     start of the chunk in `data`: 0 for the first chunk, else 1
    stop      its end in `data`
    filled    bytes in `data`; at least 128 more are readable, and are 0 after the file's end
    is_first  True if the chunk begins the file; is_end: True if `data` ends with the file
    words     PREFIX[4]: `prefix_words`
    returns   the number of rows, or MORE if a line doesn't end in `data`: call again with more bytes

    Fills all arrays of `chunk` except those that other kernels fill. Lines are counted from 0 in the chunk. Lines
    that begin with `at ` at the chunk's start (`lead`) may continue a row before it: they count neither as stray nor as
    continuing.

    One loop over lines, so that its counters stay in registers. Sections: the line and what is no row (continuing,
    blank, stray); the content of the row; its place in the tree. After the loop: control characters, sizes of subtrees,
    facts.
    """
    groups = chunk.groups
    # Unpacked once: each access to an array of the tuple costs time.
    data = chunk.data
    facts = chunk.facts[0]
    offsets = chunk.offset
    depths = chunk.depth
    kinds = chunk.kind
    flags_of = chunk.flags
    tags = chunk.tag
    ids = chunk.id
    name_starts = chunk.name_start
    name_lengths = chunk.name_length
    loaders = chunk.loader_length
    ends = chunk.end
    belows = chunk.below
    listed_rows = chunk.listed
    owners = chunk.owner
    stack = chunk.open_row
    children = chunk.open_children
    low_depth = chunk.low_depth
    low_row = chunk.low_row
    low_count = chunk.low_count
    gap_row = chunk.gap_row
    gap_lines = chunk.gap_lines
    continued_row = chunk.continued_row
    continued_lines = chunk.continued_lines
    stray_line = chunk.stray_line
    stray_offset = chunk.stray_offset
    unknown_row = chunk.unknown_row
    jump_row = chunk.jump_row
    facts.controls = facts.nuls = 0
    facts.first_lf = facts.open_line = facts.last_line = -1
    rows = lines = between = lows = gaps = strays = blank = continued = continued_rows = crlf = 0
    longest = lead = with_loader = listed = unknown = jumps = childless = most_children = 0
    open_rows = level = before = 0
    groups[0] = 0
    continues = False
    is_leading = not is_first
    stop = min(stop, filled)
    at = start
    if start:
        first = find(data, 0, stop, LF)
        facts.first_lf = first
        at = first + 1 if first >= 0 else stop
    while at < stop:
        line = at
        facts.last_line = line
        end = find(data, at, filled, LF)
        is_cut = False
        if end < 0:
            end = filled
            if is_end:
                is_cut = True
            elif filled - line <= LONGEST + 2:
                return MORE
            else:
                facts.open_line = line
        at = end + 1
        text = text_end(data, line, end)
        if not is_cut and text < end and facts.open_line < 0:
            crlf += 1
        length = text - line
        if length > longest:
            longest = length
        is_long = length > LONGEST
        number = lines
        lines += 1
        if length >= 3 and load64(data, line) & THREE == AT:
            if is_leading:
                lead += 1
                between += 1
                if lead <= KEPT_PROBLEMS:
                    stray_line[lead - 1] = number
                    stray_offset[lead - 1] = line
                continue
            if continues:
                continued += 1
                between += 1
                continued_lines[continued_rows - 1] += 1
                continue
        is_leading = False
        if length == 0:
            blank += 1
            between += 1
            continues = False
            continue
        begin = line + 3 if is_first and number == 0 and load64(data, line) & THREE == BOM else line
        limit = min(text, begin + LONGEST)
        level = same_groups(data, begin, limit, before, groups, level)
        body, level = body_of(data, begin, limit, words, groups, level)
        if body < 0:
            level = 0
            between += 1
            continues = False
            if not (is_first and number == 0):
                strays += 1
                if strays <= KEPT_PROBLEMS:
                    stray_line[KEPT_PROBLEMS + strays - 1] = number
                    stray_offset[KEPT_PROBLEMS + strays - 1] = line
            continue

        before = begin
        depth = min(level, DEEPEST)

        # -- content of the row ---------------------------------------------------------------------------------------
        said = text
        if is_long:
            body = text
        is_torn = is_cut
        continues = False
        while True:
            kind, flags, tag, id, name, name_end, loader = classify(format, data, body, said, is_torn)
            if continues or is_cut or not flags & CONTINUES:
                break
            continues = True
            said, is_torn = joined_end(data, line, end, filled, is_end)
            if said == MORE:
                return MORE
            if said <= text:
                break
        offsets[rows] = line
        depths[rows] = depth
        kinds[rows] = kind
        flags_of[rows] = flags
        ids[rows] = id
        name_starts[rows] = name
        name_lengths[rows] = name_end - name
        loaders[rows] = loader
        with_loader += loader > 0
        tags[rows] = tag
        if flags & PROBLEM:
            if unknown < KEPT_PROBLEMS:
                unknown_row[unknown] = rows
            unknown += 1
        if between:
            gap_row[gaps] = rows
            gap_lines[gaps] = between
            gaps += 1
            between = 0
        if continues:
            continued_row[continued_rows] = rows
            continued_lines[continued_rows] = 0
            continued_rows += 1

        # -- its place in the tree ------------------------------------------------------------------------------------
        if rows:
            above = depths[rows - 1]
            if depth > above + 1:
                if jumps < KEPT_PROBLEMS:
                    jump_row[jumps] = rows
                jumps += 1
            elif depth <= above and (kinds[rows - 1] == VIRTUAL or kinds[rows - 1] == INTERFACE):
                childless += 1
        while open_rows and depths[stack[open_rows - 1]] >= depth:
            open_rows -= 1
            ends[stack[open_rows]] = rows
            most_children = max(most_children, children[open_rows])
        if open_rows:
            parent = stack[open_rows - 1]
            children[open_rows - 1] += 1
            owners[rows] = parent if flags_of[parent] & DECLARES else owners[parent]
        else:
            owners[rows] = NONE
            if not lows or depth < low_depth[lows - 1]:
                low_depth[lows] = depth
                low_row[lows] = rows
                low_count[lows] = 0
                lows += 1
            low_count[lows - 1] += 1
        ends[rows] = NONE
        stack[open_rows] = rows
        children[open_rows] = 0
        open_rows += 1
        rows += 1

    if format == OBJECT:
        controls, nuls = count_controls(data, start, stop)
        if is_end and stop == filled and stop > start and data[stop - 1] == CR:
            controls -= 1
        facts.controls = controls
        facts.nuls = nuls
    for row in range(rows):
        below = min(int64(ends[row]) - row - 1, LARGE)
        belows[row] = below
        if below == LARGE:
            listed_rows[listed] = row
            listed += 1
    facts.rows = rows
    facts.lines = lines
    facts.blank = blank
    facts.continued = continued
    facts.stray = strays
    facts.crlf = crlf
    facts.longest_line = longest
    facts.lead = lead
    facts.lead_only = lead == lines
    facts.ends_open = continues
    facts.tail_lines = between
    facts.open = open_rows
    facts.lows = lows
    facts.gaps = gaps
    facts.continued_rows = continued_rows
    facts.unknown = unknown
    facts.jumps = jumps
    facts.childless = childless
    facts.most_children = most_children
    facts.loaders = with_loader
    facts.listed = listed
    return rows
