"""What is kept of a piece of HPROF text between the kernels that read it: plain arrays, and the places in them.

A *chunk* is a range of bytes of the file. It owns the lines that begin in it. Two threads take chunks in turn; each has
one `Chunk` that it fills again and again. `Whole` is the file so far: the tables that large files fill.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from parsers.hprof.columns import COLUMNS, LINE_BLOCK
from parsers.hprof.lines import MOST_PIECE
from parsers.index.vector import SLACK

CHUNK = 2 << 20
"""Bytes of a chunk."""
BEFORE = 64
"""Bytes before a chunk that are read with it; at the start of a file line ends."""
TAIL = 2 * MOST_PIECE
"""Bytes behind a chunk that are read with it, for its last line to end in; longer ones are for plain code."""

OTHER, OBJ, ARRAY_OF_REFERENCES, ARRAY_OF_PRIMITIVES, REFERENCE, FRAME, TRACE = range(7)
"""Kinds of lines. OTHER stands for a run of lines that are for plain code."""

COUNT = 0
"""Place in `Chunk.facts`: entries."""

(
    OBJECTS,
    REFERENCES,
    TRACES,
    STACK,
    CLASSES,
    CLASS_BYTES,
    WORDS,
    WORD_BYTES,
    FRAMES,
    FRAME_BYTES,
    SECTION,
    OPEN,
    SECTION_OFFSET,
    LAST_KIND,
) = range(14)
"""Places in `Whole.state`: rows of tables, texts and their bytes; then where reading stands, as in `PlainText`, and
the kind of the last object."""


COLUMN_TYPES = {**COLUMNS, "reference_id": "u8"}
"""Of columns that kernels fill."""


class Chunk(NamedTuple):
    """The lines of one chunk, by entry. Only the first `COUNT` count."""

    data: Any
    """uint8: the bytes, BEFORE of them before the chunk and some behind it"""
    kind: Any
    """uint8"""
    what: Any
    """uint8: of a reference what it is, as in `columns.FIELD` and the following"""
    start: Any
    """uint32: where in `data` the line begins"""
    id: Any
    """uint64: of an object its id, of a reference that of its target, of a trace its number"""
    size: Any
    """uint32: sz"""
    serial: Any
    """uint32: number of the trace; of a trace that of its thread, NONE if none is named"""
    elements: Any
    """uint32: nelems; of a reference the index"""
    text_at: Any
    """uint32: where the class, the name or the frame begins in `data`"""
    text_length: Any
    """uint32"""
    text_hash: Any
    """uint64"""
    lines: Any
    """uint32 by block of LINE_BLOCK bytes: line ends"""
    number: Any
    """uint32: of an object its class, of a reference its label; set by `join_text`"""
    trace: Any
    """uint32: of an object its row of traces; set by `join_text`"""
    facts: Any
    """int64[4]"""


class Whole(NamedTuple):
    """The file so far: columns of `columns`, texts with hash tables, traces by their numbers."""

    state: Any
    """int64[16]"""
    trace_of: Any
    """uint32: by number of a trace its row + 1; 0 if there is none. Larger numbers are for plain code."""
    object_id: Any
    object_at: Any
    object_size: Any
    object_trace: Any
    object_class: Any
    object_elements: Any
    object_first: Any
    object_kind: Any
    object_flags: Any
    reference_id: Any
    reference_label: Any
    trace_offset: Any
    trace_serial: Any
    trace_thread: Any
    trace_first: Any
    trace_frames: Any
    trace_phase: Any
    trace_flags: Any
    stack: Any
    class_slots: Any
    class_starts: Any
    class_bytes: Any
    word_slots: Any
    word_starts: Any
    word_bytes: Any
    frame_slots: Any
    frame_starts: Any
    frame_bytes: Any


class HeapRows(NamedTuple):
    """Rows of a chunk as they go into the columns of the same names."""

    object_id: Any
    object_at: Any
    object_size: Any
    object_trace: Any
    object_class: Any
    object_elements: Any
    object_first: Any
    object_kind: Any
    reference_id: Any
    reference_label: Any


class Segment(NamedTuple):
    """Entries of a chunk, from `start` up to `stop`, whose rows have their numbers: where their rows begin."""

    start: int
    stop: int
    objects: int
    references: int
    section_offset: int


def new_rows(size: int) -> HeapRows:
    """Arrays for the rows of chunks of so many bytes; memory is taken as it is used."""
    most = size // 2 + 64
    types = [COLUMN_TYPES[name] for name in HeapRows._fields]
    return HeapRows(*(np.zeros(most, np.dtype(type)) for type in types))


def new_chunk(size: int) -> Chunk:
    """Arrays for chunks of so many bytes; memory is taken as it is used."""
    # A line that kernels read has five bytes at least, and there is at most one run of others between two of them.
    most = size // 2 + 64

    def numbers(kind: Any, length: int = most) -> Any:
        return np.zeros(length, kind)

    byte, word, long = np.uint8, np.uint32, np.uint64
    return Chunk(
        data=numbers(byte, BEFORE + size + TAIL + 2 * SLACK),
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
