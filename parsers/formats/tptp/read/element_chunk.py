"""Result of a kernel for a chunk of a recording, for the next reading step: plain arrays."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from parsers.formats.tptp.read.scanner import MOST
from parsers.formats.tptp.schema.vocabulary import SLOTS
from parsers.kernels.vector import SLACK

CHUNK = 2 << 20
"""Bytes of a chunk."""
ROWS = 128 << 10
"""Capacity in rows: a chunk with more is read in several steps."""
MOST_FINDINGS = 2 * ROWS
"""Maximum findings of a batch: a chunk with more is read in several steps."""
MOST_WORDS = 2 * ROWS
"""Maximum words of a batch."""
MOST_NAMES = 64
"""Maximum attributes of an element that a kernel reads."""
SURPRISE = 254
"""Code of a row that plain code has to read."""


class ElementChunk(NamedTuple):
    """Some bytes, and the rows of an `EventBatch` for the elements that begin in them."""

    data: Any
    """uint8: the bytes, those of a tag after them, SLACK zeros"""
    code: Any
    """uint8[ROWS + SLACK]"""
    name: Any
    """uint8"""
    start: Any
    """uint32: in `data`"""
    end: Any
    """uint32; for a SURPRISE its start"""
    numbers: Any
    """int64[ROWS * SLOTS]"""
    last_rows: Any
    """int64[256]: by attribute, the last row + 1 of this call that has it"""
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
    """Creates arrays for chunks of `size` bytes; memory is allocated as it is used."""
    return ElementChunk(
        data=np.zeros(size + MOST + SLACK, np.uint8),
        code=np.zeros(ROWS + SLACK, np.uint8),
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
