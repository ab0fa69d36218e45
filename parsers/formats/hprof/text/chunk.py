"""State of a piece of HPROF text between the kernels that read it: plain arrays, and the indexes into them.

A *chunk* is a range of bytes of the file. It owns the lines that begin in it. Two threads take chunks in turn; each has
one `LineChunk` that it fills again and again. `JoinedProfile` is the file so far: the tables that large files fill.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from parsers.formats.hprof.data.columns import COLUMNS, LINE_BLOCK
from parsers.formats.hprof.text.lines import MOST_PIECE
from parsers.heapdump.graph.columns import PACKED
from parsers.kernels.vector import SLACK

if TYPE_CHECKING:
    from parsers.model.arrays import AnyArray, I64Array, U8Array, U16Array, U32Array, U64Array

CHUNK = 2 << 20
"""Bytes of a chunk."""
BEFORE = 64
"""Bytes before a chunk that are read with it; at the start of a file line ends."""
TAIL = 2 * MOST_PIECE
"""Bytes after a chunk that are read with it, for its last line to end in; longer ones are for plain code."""

OTHER, OBJ, ARRAY_OF_REFERENCES, ARRAY_OF_PRIMITIVES, CLS, REFERENCE, FRAME, TRACE = range(8)
"""Kinds of lines. OTHER is a run of lines that are for plain code."""

COUNT, MADE = range(2)
"""Indexes in `LineChunk.facts`: entries; where in `data` the next text is composed."""

(
    OBJECTS,
    REFERENCES,
    TRACES,
    STACK,
    CLASSES,
    WORDS,
    FRAMES,
    SECTION,
    OPEN,
    LAST_KIND,
    FIRST_TRACE,
    REPEATED,
) = range(12)
"""Indexes in `JoinedProfile.state`: rows of tables, texts; then the state of reading (`PlainText`),
the kind of the last object, the first row of traces of the joined file that is read, and the number of repeated traces,
-1 as long as each is recorded, which is for plain code.
"""


class LineChunk(NamedTuple):
    """The lines of one chunk, by entry. Only the first `COUNT` are valid."""

    data: U8Array
    """uint8: the bytes, BEFORE of them before the chunk and some behind it; then composed texts"""
    kind: U8Array
    """uint8"""
    what: U8Array
    """uint8: kind of a reference, as in `columns.FIELD` and the following"""
    start: U32Array
    """uint32: where in `data` the line begins"""
    id: U64Array
    """uint64: of an object its id, of a reference that of its target, of a trace its number"""
    size: U32Array
    """uint32: sz"""
    serial: U32Array
    """uint32: number of the trace; of a trace that of its thread, NONE if it has none"""
    elements: U32Array
    """uint32: nelems; of a reference the index"""
    text_at: U32Array
    """uint32: where the class, the name or the frame begins in `data`"""
    text_length: U32Array
    """uint32"""
    text_hash: U64Array
    """uint64"""
    lines: U32Array
    """uint32 by block of LINE_BLOCK bytes: line ends"""
    number: U32Array
    """uint32: of an object its class, of a reference its label; set by `join_text`"""
    trace: U32Array
    """uint32: of an object its row of traces; set by `join_text`"""
    facts: I64Array
    """int64[4]"""


class JoinedProfile(NamedTuple):
    """The file so far: columns of `columns`, texts with hash tables, traces by their numbers."""

    state: I64Array
    """int64[16]"""
    trace_of: U32Array
    """uint32: by number of a trace its row + 1; 0 if there is none. Larger numbers are for plain code."""
    object_id_base: U64Array
    """uint64 by block of objects; like the following fields a part of a packed column"""
    object_offset_base: U64Array
    object_first_base: U32Array
    trace_offset: U64Array
    trace_serial: U32Array
    trace_thread: U32Array
    trace_first: U32Array
    trace_frames: U32Array
    trace_phase: U8Array
    trace_flags: U8Array
    stack: U32Array
    class_slots: U64Array
    class_starts: U64Array
    class_bytes: U8Array
    known_objects: U64Array
    known_bytes: U64Array
    known_printed: U64Array
    word_slots: U64Array
    word_starts: U64Array
    word_bytes: U8Array
    frame_slots: U64Array
    frame_starts: U64Array
    frame_bytes: U8Array


class HeapRows(NamedTuple):
    """Rows of a chunk for the columns of the same names; for packed columns the small numbers.

    Exceptions are listed: column (its index in APART), row, number.
    """

    object_id: U8Array
    object_offset: U16Array
    object_size: U8Array
    object_trace: U16Array
    object_class: U16Array
    object_elements: U8Array
    object_first: U16Array
    object_kind: U8Array
    reference_label: U16Array
    reference_id: U64Array
    apart_column: U8Array
    apart_row: U32Array
    apart_number: U64Array


APART = tuple(name for name in HeapRows._fields if name in PACKED)
(APART_ID, APART_OFFSET, APART_SIZE, APART_TRACE, APART_CLASS, APART_ELEMENTS, APART_FIRST, APART_LABEL) = range(
    len(APART)
)
ROW_TYPES = {
    **{name: COLUMNS[name] for name in HeapRows._fields if name in COLUMNS},
    **{name: packing.small for name, packing in PACKED.items()},
    "reference_id": "u8",
    "apart_column": "u1",
    "apart_row": "u4",
    "apart_number": "u8",
}
"""Dtypes of `HeapRows`."""


class ChunkSegment(NamedTuple):
    """Entries of a chunk, from `start` up to `stop`, whose rows have their numbers; the first rows of each table."""

    start: int
    stop: int
    objects: int
    references: int


def new_rows(size: int) -> HeapRows:
    """Makes arrays for the rows of chunks of so many bytes; memory is allocated as it is used."""
    most = size // 2 + 64
    return HeapRows(*(np.zeros(most, np.dtype(ROW_TYPES[name])) for name in HeapRows._fields))


def new_chunk(size: int) -> LineChunk:
    """Makes arrays for chunks of so many bytes; memory is allocated as it is used."""
    # A line that kernels read has five bytes at least, and there is at most one run of others between two of them.
    most = size // 2 + 64

    def numbers(kind: type[np.generic], length: int = most) -> AnyArray:
        return np.zeros(length, kind)

    byte, word, long = np.uint8, np.uint32, np.uint64
    return LineChunk(
        data=numbers(byte, 2 * (BEFORE + size + TAIL + 2 * SLACK)),
        kind=numbers(byte),
        what=numbers(byte),
        start=numbers(word),
        id=numbers(long),
        size=numbers(word),
        serial=numbers(word),
        elements=numbers(word),
        text_at=numbers(word),
        text_length=numbers(word),
        text_hash=numbers(long),
        lines=numbers(word, size // LINE_BLOCK + 1),
        number=numbers(word),
        trace=numbers(word),
        facts=numbers(np.int64, 4),
    )
