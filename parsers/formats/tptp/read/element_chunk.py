"""What is kept of a piece of a recording between the kernel that reads it and what comes after: plain arrays."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from parsers.formats.tptp.read.scanner import MOST
from parsers.formats.tptp.schema.vocabulary import SLOTS
from parsers.kernels.vector import SLACK

CHUNK = 2 << 20
"""Bytes of a chunk."""
ROWS = 128 << 10
"""Rows that there is room for: a chunk with more is read in several steps."""
MOST_FINDINGS = 2 * ROWS
"""Findings of a batch; where there are more, the chunk is read in several steps."""
MOST_WORDS = 2 * ROWS
"""Words of a batch."""
MOST_NAMES = 64
"""Attributes of an element that a kernel reads."""
SURPRISE = 254
"""Code of a row that plain code has to look at."""


class ElementChunk(NamedTuple):
    """Some bytes, and the rows of an `EventBatch` of what begins in them."""

    data: Any
    """uint8: the bytes, those of a tag behind them, SLACK zeros"""
    code: Any
    """uint8"""
    name: Any
    """uint8"""
    start: Any
    """uint32: in `data`"""
    end: Any
    """uint32; of a surprise its start"""
    numbers: Any
    """int64[ROWS * SLOTS]"""
    last_rows: Any
    """int64[256]: by attribute the last row + 1 of the call that has it"""
    kinds: Any
    """uint8[MOST_FINDINGS], as the following: findings of the batch"""
    offsets: Any
    """int64"""
    values: Any
    """int64"""
    word_starts: Any
    """uint32[MOST_WORDS]: words of the batch, in `data`"""
    word_lengths: Any
    """uint32[MOST_WORDS]"""
    word_encodings: Any
    """uint8[MOST_WORDS]: how to decode it, see `kernels.text`"""
    odd: Any
    """uint32[ROWS]: see `EventBatch.odd`"""


def new_chunk(size: int) -> ElementChunk:
    """Arrays for chunks of so many bytes; memory is taken as it is used."""
    return ElementChunk(
        data=np.zeros(size + MOST + SLACK, np.uint8),
        code=np.zeros(ROWS, np.uint8),
        name=np.zeros(ROWS, np.uint8),
        start=np.zeros(ROWS, np.uint32),
        end=np.zeros(ROWS, np.uint32),
        numbers=np.zeros(ROWS * SLOTS, np.int64),
        last_rows=np.zeros(256, np.int64),
        kinds=np.zeros(MOST_FINDINGS, np.uint8),
        offsets=np.zeros(MOST_FINDINGS, np.int64),
        values=np.zeros(MOST_FINDINGS, np.int64),
        word_starts=np.zeros(MOST_WORDS, np.uint32),
        word_lengths=np.zeros(MOST_WORDS, np.uint32),
        word_encodings=np.zeros(MOST_WORDS, np.uint8),
        odd=np.zeros(ROWS, np.uint32),
    )
