"""What is kept of a piece of a text tree between the kernels that read it: plain arrays, and the places in them.

A *chunk* is a range of bytes of the file. It owns the lines that begin in it. Two threads take chunks in turn; each has
one `Chunk` that it fills again and again. Nothing in it knows another chunk: rows are numbered from 0 in it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from parsers.formats.graalvm.text.read.line import DEEPEST, LONGEST
from parsers.formats.graalvm.text.summary import KEPT_PROBLEMS
from parsers.io.charset import Boxes
from parsers.kernels.vector import SLACK

NONE = np.uint32(0xFFFFFFFF)
"""No row, no thing, no name."""

LATE = np.uint32(1 << 31)
"""Bit of an entry of the table of ids: the thing had no name when it was met first."""

CHUNK = 4 << 20
"""Bytes of a chunk: half as many cost a twelfth of the speed, a quarter a third; more gain nothing."""
TAIL = 64 << 10
"""Bytes that are read behind a chunk, for its last line to end in."""
LONG_TAIL = LONGEST + TAIL
"""As much is read where that was not enough."""

DECLARES, THING, NAMED, CONTINUES, PROBLEM, KNOWN = 1, 2, 4, 8, 16, 32
"""Flags of a row: it declares its id; shows or refers to a thing; tells the thing's name; lines that begin with `at `
may continue it; it fits no known form; its thing was known before its chunk was joined."""

KINDS = 32
TAGS = 256

(
    ROWS,
    LINES,
    BLANK,
    CONTINUED,
    STRAY,
    CRLF,
    LONGEST_LINE,
    LEAD,
    LEAD_ONLY,
    ENDS_OPEN,
    TAIL_LINES,
    OPEN,
    LOWS,
    GAPS,
    CONTINUED_ROWS,
    UNKNOWN,
    JUMPS,
    CHILDLESS,
    FIRST_LF,
    LAST_LINE,
    OPEN_LINE,
    MOST_CHILDREN,
    CONTROLS,
    NULS,
    BIG_IDS,
    LOADERS,
    BUSY,
    REFERENCES,
    LISTED,
    OTHERWISE,
) = range(30)
"""Places in `Chunk.facts` and, for those that can be summed up, in `Whole.facts`; see `parse_chunk`."""

(
    THINGS,
    NAMES,
    NAME_BYTES,
    IDS,
    MAX_ID,
    ID_REFS,
    DUPLICATES,
    DECLARED,
    STACK,
    LAST_DEPTH,
    LAST_KIND,
    EXTRA_LINES,
    FAR,
    BLOCK_START,
    BIG_USED,
    STRAYS_KEPT,
    UNKNOWN_KEPT,
    JUMPS_KEPT,
    DUPLICATES_KEPT,
    CLASSES,
    CLASS_BYTES,
    PACKAGES,
    PACKAGE_BYTES,
) = range(32, 55)
"""Places in `Whole.facts` alone; see `join_chunk`."""

BLOCK = 64
"""Rows whose offsets are kept relative to the first of them."""
FARTHEST = 65_535
"""What stands for an offset that is too far from the first row of its block; those are listed."""


class Chunk(NamedTuple):
    """The rows of one chunk, by row unless said otherwise. All arrays are reused, only the first `ROWS` count."""

    data: Any
    """uint8: the bytes, one before the chunk and some behind it"""
    offset: Any
    """uint32: where in `data` the line begins"""
    depth: Any
    """uint16"""
    kind: Any
    """uint8"""
    flags: Any
    """uint8"""
    tag: Any
    """uint8"""
    id: Any
    """int64: -1 without"""
    name_start: Any
    """uint32: where in `data` the name begins"""
    name_length: Any
    """uint32"""
    loader_length: Any
    """uint32: the loader ends one byte before the name; 0 without"""
    hash: Any
    """uint64, of busy rows: of the name if it is needed, else 0"""
    holder_length: Any
    """uint32, of busy rows: bytes of the name that are the class if a row of a call tree declares it, else 0"""
    holder_hash: Any
    """uint64 beside it: of the class"""
    end: Any
    """uint32: first row of the chunk after the subtree; NONE if it goes on behind the chunk"""
    owner: Any
    """uint32: row of the chunk that is the nearest above to declare an id; NONE if that stands before the chunk"""
    thing: Any
    """uint32: NONE without; filled by `settle_chunk` if it is known then, by `join_chunk` for the busy rows"""
    busy: Any
    """uint32: rows that may bring a new thing or name, or declare one: all that has to be done in order"""
    batch: Any
    """uint32: rows that `settle_chunk` is at"""
    open_row: Any
    """uint32 by place from the outside: rows whose subtree goes on behind the chunk"""
    open_children: Any
    """uint32 beside it"""
    low_depth: Any
    """uint16: depths that are lower than all before in the chunk"""
    low_row: Any
    """uint32: first row of that depth"""
    low_count: Any
    """uint32: rows of that depth before the next lower one that have no parent in the chunk"""
    gap_row: Any
    """uint32: rows with lines before them that are no rows"""
    gap_lines: Any
    """uint32: how many"""
    continued_row: Any
    """uint32: rows with lines that continue them"""
    continued_lines: Any
    """uint32: how many"""
    stray_line: Any
    """uint32: the first stray lines, from 0 in the chunk: `KEPT_PROBLEMS` of those that begin with `at ` at the chunk's
    start, then of the others"""
    stray_offset: Any
    """uint32"""
    unknown_row: Any
    """uint32: the first rows that fit no form"""
    jump_row: Any
    """uint32: the first rows deeper than their predecessor by more than one"""
    below: Any
    """uint8: rows below it, LARGE for so many and more and for rows whose subtree goes on behind the chunk"""
    listed: Any
    """uint32: the rows of which `below` is LARGE"""
    delta: Any
    """uint16: offset from the first row of the block of 64 rows; filled by `shape_chunk`"""
    base: Any
    """uint64 by block that begins in the chunk: offset of its first row in the file; filled by `shape_chunk`"""
    otherwise: Any
    """uint32: rows that call a thing otherwise than its first row did; filled by `settle_chunk` and `shape_chunk`"""
    groups: Any
    """int32: where in the row at hand each group of its prefix ends"""
    facts: Any
    """int64: counts and lengths"""
    depths: Any
    """int64 by depth: rows, of all chunks that this memory has held"""
    kinds: Any
    """int64 by kind: the same"""
    tags: Any
    """int64 by tag: the same"""


def new_chunk(size: int = CHUNK) -> Chunk:
    """Memory for chunks of that many bytes. What is not used is never touched, so it costs nothing."""
    rows = size // 5 + 2
    depths = min(rows, DEEPEST + 1) + 1

    def numbers(kind: Any, length: int = rows) -> Any:
        return np.empty(length, kind)

    word, small = np.uint32, np.uint16
    return Chunk(
        data=np.zeros(size + LONG_TAIL + 2 * SLACK, np.uint8),
        offset=numbers(word),
        depth=numbers(small),
        kind=numbers(np.uint8),
        flags=numbers(np.uint8),
        tag=numbers(np.uint8),
        id=numbers(np.int64),
        name_start=numbers(word),
        name_length=numbers(word),
        loader_length=numbers(word),
        hash=numbers(np.uint64),
        holder_length=numbers(word),
        holder_hash=numbers(np.uint64),
        end=numbers(word),
        owner=numbers(word),
        thing=numbers(word),
        busy=numbers(word),
        batch=numbers(word, 64),
        open_row=numbers(word, depths),
        open_children=numbers(word, depths),
        low_depth=numbers(small, depths),
        low_row=numbers(word, depths),
        low_count=numbers(word, depths),
        gap_row=numbers(word),
        gap_lines=numbers(word),
        continued_row=numbers(word),
        continued_lines=numbers(word),
        stray_line=numbers(word, 2 * KEPT_PROBLEMS),
        stray_offset=numbers(word, 2 * KEPT_PROBLEMS),
        unknown_row=numbers(word, KEPT_PROBLEMS),
        jump_row=numbers(word, KEPT_PROBLEMS),
        below=numbers(np.uint8),
        listed=numbers(word),
        delta=numbers(small),
        base=numbers(np.uint64, rows // BLOCK + 2),
        otherwise=numbers(word),
        groups=numbers(np.int32, LONGEST // 4 + 8),
        facts=np.zeros(64, np.int64),
        depths=np.zeros(DEEPEST + 1, np.int64),
        kinds=np.zeros(KINDS, np.int64),
        tags=np.zeros(TAGS, np.int64),
    )


class Whole(NamedTuple):
    """What is known of all chunks that were joined so far."""

    facts: Any
    """int64[64]: counts and lengths"""
    id_thing: Any
    """uint32 by id below its length: the thing + 1, perhaps with the bit LATE; 0: the id was not met"""
    big_id: Any
    """int64[2^k]: hash table of the ids that are larger; -1: free"""
    big_thing: Any
    """uint32 beside it"""
    name_slots: Any
    """uint64[2^k]: see `text_table`"""
    name_starts: Any
    """uint64"""
    name_bytes: Any
    """uint8"""
    name_target: Any
    """uint32 by name: the thing without id that has it"""
    thing_name: Any
    """uint32 by thing: NONE if only unknown rows spoke of it"""
    thing_text: Any
    """uint64 by thing: where its name begins and, in the lowest 24 bits, how long it is"""
    thing_id: Any
    """int64: -1 without"""
    declaration: Any
    """uint32: the first row that declares it"""
    distance: Any
    """uint32: calls from an entry, as the tree has it; NONE: no entry above"""
    declared_row: Any
    """uint32: known rows that declare an id, in order"""
    entries: Any
    """uint32 by thing: rows that are entries"""
    thing_class: Any
    """uint32 by thing: class that declares it, by its first row that tells one; NONE without"""
    class_slots: Any
    """uint64[2^k]: classes as a text table, in the order of their first declaration"""
    class_starts: Any
    """uint64"""
    class_bytes: Any
    """uint8"""
    class_package: Any
    """uint32 by class"""
    package_slots: Any
    """uint64[2^k]: packages as a text table"""
    package_starts: Any
    """uint64"""
    package_bytes: Any
    """uint8"""
    stack_row: Any
    """uint32 by place from the outside: rows whose subtree is open"""
    stack_depth: Any
    """uint16 beside it"""
    stack_children: Any
    """uint32 beside it"""
    stack_owner: Any
    """uint32 beside it: the thing that owns the calls right below the row"""
    stack_listed: Any
    """uint32 beside it: the row's place in `listed_row`"""
    listed_row: Any
    """uint32: rows with LARGE or more below them, and others whose subtree went on behind their chunk"""
    listed_end: Any
    """uint32 beside it: first row after the subtree; NONE while it is open"""
    gap_row: Any
    """uint32: rows with lines before them that are no rows"""
    gap_lines: Any
    """uint64: all such lines of the file before that row"""
    continued_row: Any
    """uint32: rows with lines that continue them"""
    continued_lines: Any
    """uint32"""
    far_row: Any
    """uint32: rows too far from the first of their block"""
    far_offset: Any
    """uint64"""
    loader_slots: Any
    """uint64[2^k]: loaders of declarations as a text table"""
    loader_starts: Any
    """uint64"""
    loader_bytes: Any
    """uint8"""
    loader_counts: Any
    """int64 by loader: ids it declares"""
    stray_line: Any
    """int64: the first stray lines, from 1"""
    stray_offset: Any
    """int64"""
    unknown_row: Any
    """uint32: the first rows that fit no form"""
    jump_row: Any
    """uint32: the first rows deeper than their predecessor by more than one"""
    duplicate_row: Any
    """uint32: the first rows that declare an id again"""


def prefix_words(boxes: Boxes) -> Any:
    """The box characters of a charset as words to compare with: uint64[4, 6].

    By row: bar, blanks, tee, corner. By column: the first eight bytes, a mask of those that count, 8, the bytes behind
    them, their mask, the length.
    """
    words = np.zeros((4, 6), np.uint64)
    for place, text in enumerate((boxes.bar, b"    ", boxes.tee, boxes.corner)):
        head, tail = text[:8], text[8:]
        words[place] = (
            int.from_bytes(head, "little"),
            (1 << 8 * len(head)) - 1,
            8,
            int.from_bytes(tail, "little"),
            (1 << 8 * len(tail)) - 1,
            len(text),
        )
    return words
