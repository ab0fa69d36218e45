"""Arrays of a chunk of a table of a CSV call tree, and of all names of the chunks so far."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from parsers.formats.graalvm.text.read.line import LONGEST
from parsers.kernels.vector import SLACK

CHUNK = 2 << 20
"""Bytes read at a time."""
TAIL = 64 << 10
LONG_TAIL = LONGEST + (64 << 10)
"""Bytes read after a chunk: the first number, or the second if a line doesn't end in these."""

SHORTEST_ROW = 2
SHORTEST_METHOD = 7
"""Bytes of the shortest rows with their line ends: a digit; a digit and five commas."""


class RowChunk(NamedTuple):
    """Rows of numbers; see `kernel.parse_rows`."""

    data: Any
    facts: Any
    first: Any
    second: Any
    third: Any
    """int64"""
    bci: Any
    """uint32"""
    flag: Any
    """uint8"""
    strange_start: Any
    strange_length: Any
    strange_first: Any
    bad_line: Any
    bad_start: Any


class MethodChunk(NamedTuple):
    """Rows of methods; see `kernel.parse_methods`."""

    data: Any
    facts: Any
    commas: Any
    id: Any
    """int64"""
    texts: Any
    """uint8: methods as in a text tree"""
    text_start: Any
    text_length: Any
    holder: Any
    """int32: length of the class in a text"""
    opening: Any
    """int32: place in a text of the parenthesis before the parameters; its length if there is none"""
    hash: Any
    holder_hash: Any
    is_entry: Any
    """uint8"""
    new_row: Any
    """int32: rows with new names, by the number of the name in the chunk"""
    odd_row: Any
    odd_start: Any
    odd_stop: Any
    bad_line: Any
    bad_start: Any


def new_row_chunk(chunk: int) -> RowChunk:
    """Allocates a chunk for rows of so many bytes."""
    rows = chunk // SHORTEST_ROW + 2
    return RowChunk(
        data=np.zeros(chunk + LONG_TAIL + 2 * SLACK + 1, np.uint8),
        facts=np.zeros(16, np.int64),
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
        facts=np.zeros(16, np.int64),
        commas=np.zeros(16, np.int64),
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
        **{name: np.empty(rows, np.int64) for name in ("odd_row", "odd_start", "odd_stop")},
        **{name: np.empty(bad, np.int64) for name in ("bad_line", "bad_start")},
    )
