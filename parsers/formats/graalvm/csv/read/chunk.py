"""Arrays of a chunk of a table of a CSV call tree, and of all names of the chunks so far."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from parsers.formats.graalvm.text.read.chunk import LONG_TAIL
from parsers.formats.graalvm.text.read.line import LONGEST
from parsers.kernels.vector import SLACK

if TYPE_CHECKING:
    from parsers.model.arrays import I32Array, I64Array, RecordArray, U8Array, U32Array, U64Array

CHUNK = 2 << 20
"""Bytes read at a time."""
SHORTEST_ROW = 2
SHORTEST_METHOD = 7
"""Bytes of the shortest rows with their line ends: a digit; a digit and five commas."""


COUNTS = "lines rows good bad strange negative chained crlf odd text highest"
FACTS = np.dtype([(name, "i8") for name in COUNTS.split()], align=True)
"""Counts of a chunk: lines; non-empty rows; well-formed rows, and malformed ones; bytecode indexes kept as text, with a
negative number, with several; lines that end in CR LF; method rows with too many fields; bytes of methods; the highest
id."""


class RowChunk(NamedTuple):
    """Rows of numbers; see `kernel.parse_rows`."""

    data: U8Array
    facts: RecordArray
    """FACTS[1]"""
    first: I64Array
    second: I64Array
    third: I64Array
    """int64"""
    bci: U32Array
    """uint32"""
    flag: U8Array
    """uint8"""
    strange_start: I64Array
    strange_length: I64Array
    strange_first: I64Array
    bad_line: I64Array
    bad_start: I64Array


class MethodChunk(NamedTuple):
    """Rows of methods; see `kernel.parse_methods`."""

    data: U8Array
    facts: RecordArray
    """FACTS[1]"""
    commas: I64Array
    """int64: places of the commas of a row"""
    id: I64Array
    """int64"""
    texts: U8Array
    """uint8: methods as in a text tree"""
    text_start: I64Array
    text_length: I32Array
    holder: I32Array
    """int32: length of the class in a text"""
    opening: I32Array
    """int32: place in a text of the parenthesis before the parameters; its length if there is none"""
    hash: U64Array
    holder_hash: U64Array
    is_entry: U8Array
    """uint8"""
    new_row: I32Array
    """int32: rows with new names, by the number of the name in the chunk"""
    bad_line: I64Array
    bad_start: I64Array


def new_row_chunk(chunk: int) -> RowChunk:
    """Allocates a chunk for rows of so many bytes."""
    rows = chunk // SHORTEST_ROW + 2
    return RowChunk(
        data=np.zeros(chunk + LONG_TAIL + 2 * SLACK + 1, np.uint8),
        facts=np.zeros(1, FACTS),
        **{name: np.empty(rows, np.int64) for name in ("first", "second", "third")},
        bci=np.empty(rows, np.uint32),
        flag=np.empty(rows, np.uint8),
        **{name: np.empty(rows // 2 + 2, np.int64) for name in ("strange_start", "strange_length", "strange_first")},
        **{name: np.empty(rows, np.int64) for name in ("bad_line", "bad_start")},
    )


def new_method_chunk(chunk: int) -> MethodChunk:
    """Allocates a chunk for methods of so many bytes."""
    rows, bad = chunk // SHORTEST_METHOD + 2, chunk // SHORTEST_ROW + 2
    size = chunk + LONG_TAIL + 2 * SLACK + 1
    return MethodChunk(
        data=np.zeros(size, np.uint8),
        facts=np.zeros(1, FACTS),
        commas=np.empty(LONGEST + 64, np.int64),
        id=np.empty(rows, np.int64),
        texts=np.zeros(2 * size, np.uint8),
        text_start=np.empty(rows, np.int64),
        text_length=np.empty(rows, np.int32),
        holder=np.empty(rows, np.int32),
        opening=np.empty(rows, np.int32),
        hash=np.empty(rows, np.uint64),
        holder_hash=np.empty(rows, np.uint64),
        is_entry=np.empty(rows, np.uint8),
        new_row=np.empty(rows, np.int32),
        **{name: np.empty(bad, np.int64) for name in ("bad_line", "bad_start")},
    )
