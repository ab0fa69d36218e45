"""Arrays of a piece of a text tree that the reading kernels share, and the places in them.

A *chunk* is a range of bytes of the file. It owns the lines that begin in it. Two threads take chunks in turn; each has
one `TextChunk` that it reuses. A `TextChunk` is independent of other chunks: its rows are numbered from 0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from parsers.formats.graalvm.text.read.line import DEEPEST, LONGEST
from parsers.formats.graalvm.text.summary import KEPT_PROBLEMS
from parsers.io.charset import Boxes
from parsers.kernels.vector import SLACK

if TYPE_CHECKING:
    from parsers.kernels.id_table import IdTable
    from parsers.model.arrays import I32Array, I64Array, RecordArray, U8Array, U16Array, U32Array, U64Array

NONE = np.uint32(0xFFFFFFFF)
"""No row, no vertex, no name."""

LATE = np.uint32(1 << 31)
"""Bit of an entry of the table of ids: the first row of the vertex had no name."""

CHUNK = 4 << 20
"""Bytes of a chunk: half as many cost a twelfth of the speed, a quarter a third; more gain nothing."""
TAIL = 64 << 10
"""Bytes read after a chunk, to complete its last line."""
LONG_TAIL = LONGEST + TAIL
"""Bytes read if that was not enough."""

DECLARES, HAS_VERTEX, NAMED, CONTINUES, PROBLEM, KNOWN = 1, 2, 4, 8, 16, 32
"""Flags of a row: it declares its id; shows or refers to a vertex; names the vertex; lines that begin with `at ` may
continue it; it fits no known form; its vertex was known before its chunk was joined."""

KINDS = 32
TAGS = 256

COUNTS = """
rows lines blank continued stray crlf longest_line lead lead_only ends_open tail_lines open lows gaps
continued_rows unknown jumps childless first_lf last_line open_line most_children controls nuls big_ids loaders
busy references listed otherwise
"""
"""Counts of a chunk and, as far as they can be summed, of the whole; see `parse_chunk`."""
WHOLE_COUNTS = """
vertices names name_bytes ids max_id id_refs duplicates declared stack last_depth last_kind extra_lines far
block_start strays_kept unknown_kept jumps_kept classes class_bytes packages package_bytes
"""
"""Counts of the whole alone; see `join_chunk`."""
FACTS = np.dtype([(name, "i8") for name in (COUNTS + WHOLE_COUNTS).split()], align=True)
"""The record in `TextChunk.facts` and `TextState.facts`."""

BLOCK = 64
"""Rows of a block; their offsets are stored relative to its first row."""
FARTHEST = 65_535
"""Marks an offset too far from the first row of its block; these offsets are listed."""


class TextChunk(NamedTuple):
    """Rows of one chunk; arrays are by row unless noted. They are reused; only the first `rows` entries are valid."""

    data: U8Array
    """uint8: the bytes, one before the chunk and some after it"""
    offset: U32Array
    """uint32: start of the line in `data`"""
    depth: U16Array
    """uint16"""
    kind: U8Array
    """uint8"""
    flags: U8Array
    """uint8"""
    tag: U8Array
    """uint8"""
    id: I64Array
    """int64: -1 if none"""
    name_start: U32Array
    """uint32: start of the name in `data`"""
    name_length: U32Array
    """uint32"""
    loader_length: U32Array
    """uint32: length of the loader, which ends one byte before the name; 0 if none"""
    hash: U64Array
    """uint64, of busy rows: hash of the name if it is needed, else 0"""
    holder_length: U32Array
    """uint32, of busy rows: length of the class in the name if a row of a call tree declares it, else 0"""
    holder_hash: U64Array
    """uint64, parallel: hash of the class"""
    end: U32Array
    """uint32: first row of the chunk after the subtree; NONE if the subtree extends beyond the chunk"""
    owner: U32Array
    """uint32: row in the chunk of the nearest ancestor that declares an id; NONE if that is before the chunk"""
    vertex: U32Array
    """uint32: NONE if none; filled by `resolve_chunk` if known then, by `join_chunk` for the busy rows"""
    busy: U32Array
    """uint32: rows that may add or declare a vertex or name, so must be processed in order"""
    batch: U32Array
    """uint32: rows that `resolve_chunk` is processing"""
    open_row: U32Array
    """uint32, outermost first: rows whose subtree extends beyond the chunk"""
    open_children: U32Array
    """uint32, parallel"""
    low_depth: U16Array
    """uint16: depths lower than all before them in the chunk"""
    low_row: U32Array
    """uint32: first row of that depth"""
    low_count: U32Array
    """uint32: rows of that depth before the next lower one that have no parent in the chunk"""
    gap_row: U32Array
    """uint32: rows preceded by lines that are no rows"""
    gap_lines: U32Array
    """uint32: number of these lines"""
    continued_row: U32Array
    """uint32: rows with continuation lines"""
    continued_lines: U32Array
    """uint32: number of these lines"""
    stray_line: U32Array
    """uint32: the first stray lines, from 0 in the chunk: `KEPT_PROBLEMS` of those that begin with `at ` at the chunk's
    start, then of the others"""
    stray_offset: U32Array
    """uint32"""
    unknown_row: U32Array
    """uint32: the first rows that fit no form"""
    jump_row: U32Array
    """uint32: the first rows deeper than their predecessor by more than one"""
    below: U8Array
    """uint8: its descendants; LARGE for that many or more and for rows whose subtree extends beyond the chunk"""
    listed: U32Array
    """uint32: the rows of which `below` is LARGE"""
    delta: U16Array
    """uint16: offset from the first row of the block of 64 rows; filled by `shape_chunk`"""
    base: U64Array
    """uint64 by block that begins in the chunk: offset of its first row in the file; filled by `shape_chunk`"""
    otherwise: U32Array
    """uint32: rows that name a vertex differently from its first row; filled by `resolve_chunk` and `shape_chunk`"""
    groups: I32Array
    """int32: end of each group of the prefix of the current row"""
    facts: RecordArray
    """FACTS[1]: counts and lengths"""
    depths: I64Array
    """int64 by depth: number of rows, summed over all chunks read into this memory"""
    kinds: I64Array
    """int64 by kind: the same"""
    tags: I64Array
    """int64 by tag: the same"""


def new_chunk(size: int = CHUNK) -> TextChunk:
    """Allocates memory for chunks of that many bytes. Unused pages are never touched, so they cost nothing."""
    rows = size // 5 + 2
    depths = min(rows, DEEPEST + 1) + 1

    def numbers(kind: Any, *names: str, length: int = rows) -> dict[str, Any]:
        return {name: np.empty(length, kind) for name in names}

    word, small = np.uint32, np.uint16
    return TextChunk(
        data=np.zeros(size + LONG_TAIL + 2 * SLACK, np.uint8),
        **numbers(np.uint8, "kind", "flags", "tag", "below"),
        **numbers(small, "depth", "delta"),
        **numbers(word, "offset", "name_start", "name_length", "loader_length", "holder_length", "end", "owner"),
        **numbers(word, "vertex", "busy", "listed", "otherwise"),
        **numbers(word, "gap_row", "gap_lines", "continued_row", "continued_lines"),
        **numbers(np.uint64, "hash", "holder_hash"),
        **numbers(np.int64, "id"),
        **numbers(word, "batch", length=64),
        **numbers(word, "open_row", "open_children", "low_row", "low_count", length=depths),
        **numbers(small, "low_depth", length=depths),
        **numbers(word, "stray_line", "stray_offset", length=2 * KEPT_PROBLEMS),
        **numbers(word, "unknown_row", "jump_row", length=KEPT_PROBLEMS),
        **numbers(np.uint64, "base", length=rows // BLOCK + 2),
        **numbers(np.int32, "groups", length=LONGEST // 4 + 8),
        facts=np.zeros(1, FACTS),
        depths=np.zeros(DEEPEST + 1, np.int64),
        kinds=np.zeros(KINDS, np.int64),
        tags=np.zeros(TAGS, np.int64),
    )


class TextState(NamedTuple):
    """State of all chunks joined so far."""

    facts: RecordArray
    """FACTS[1]: counts and lengths"""
    id_vertex: U32Array
    """uint32 by id below its length: the vertex + 1, perhaps with the bit LATE; 0: the id was not seen"""
    large_ids: IdTable
    """the vertices of other ids"""
    name_slots: U64Array
    """uint64[2^k]: see `text_table`"""
    name_starts: U64Array
    """uint64"""
    name_bytes: U8Array
    """uint8"""
    name_target: U32Array
    """uint32 by name: the vertex without id that has it"""
    vertex_name: U32Array
    """uint32 by vertex: NONE if only unknown rows referred to it"""
    vertex_text: U64Array
    """uint64 by vertex: start of its name and, in the lowest 24 bits, its length"""
    vertex_id: I64Array
    """int64: -1 if none"""
    declaration: U32Array
    """uint32: the first row that declares it"""
    distance: U32Array
    """uint32: calls from an entry, as shown by the tree; NONE: no entry above"""
    declared_row: U32Array
    """uint32: known rows that declare an id, in order"""
    entries: U32Array
    """uint32 by vertex: number of its entry rows"""
    vertex_class: U32Array
    """uint32 by vertex: class that declares it, from its first row that names one; NONE if none"""
    class_slots: U64Array
    """uint64[2^k]: classes as a text table, in the order of their first declaration"""
    class_starts: U64Array
    """uint64"""
    class_bytes: U8Array
    """uint8"""
    class_package: U32Array
    """uint32 by class"""
    package_slots: U64Array
    """uint64[2^k]: packages as a text table"""
    package_starts: U64Array
    """uint64"""
    package_bytes: U8Array
    """uint8"""
    stack_row: U32Array
    """uint32, outermost first: rows whose subtree is open"""
    stack_depth: U16Array
    """uint16, parallel"""
    stack_children: U32Array
    """uint32, parallel"""
    stack_owner: U32Array
    """uint32, parallel: the vertex that owns the calls directly below the row"""
    stack_listed: U32Array
    """uint32, parallel: the row's place in `listed_row`"""
    listed_row: U32Array
    """uint32: rows with LARGE or more descendants, and others whose subtree extended beyond their chunk"""
    listed_end: U32Array
    """uint32, parallel: first row after the subtree; NONE while it is open"""
    gap_row: U32Array
    """uint32: rows preceded by lines that are no rows"""
    gap_lines: U64Array
    """uint64: number of such lines in the file before that row"""
    continued_row: U32Array
    """uint32: rows with continuation lines"""
    continued_lines: U32Array
    """uint32"""
    far_row: U32Array
    """uint32: rows too far from the first of their block"""
    far_offset: U64Array
    """uint64"""
    loader_slots: U64Array
    """uint64[2^k]: loaders of declarations as a text table"""
    loader_starts: U64Array
    """uint64"""
    loader_bytes: U8Array
    """uint8"""
    loader_counts: I64Array
    """int64 by loader: number of ids it declares"""
    stray_line: I64Array
    """int64: the first stray lines, from 1"""
    stray_offset: I64Array
    """int64"""
    unknown_row: U32Array
    """uint32: the first rows that fit no form"""
    jump_row: U32Array
    """uint32: the first rows deeper than their predecessor by more than one"""
    duplicate_row: U32Array
    """uint32: the first rows that declare an id again"""


PREFIX = np.dtype([(name, "u8") for name in ("head", "head_mask", "tail", "tail_mask", "length")], align=True)
"""Box characters for comparison: the first eight bytes, their mask, the bytes after them, their mask, the length."""


def prefix_words(boxes: Boxes) -> RecordArray:
    """Box characters of a charset: PREFIX[4], bar, blanks, tee, corner."""
    words = np.zeros(4, PREFIX)
    for place, text in enumerate((boxes.bar, b"    ", boxes.tee, boxes.corner)):
        head, tail = text[:8], text[8:]
        words[place] = (
            int.from_bytes(head, "little"),
            (1 << 8 * len(head)) - 1,
            int.from_bytes(tail, "little"),
            (1 << 8 * len(tail)) - 1,
            len(text),
        )
    return words
