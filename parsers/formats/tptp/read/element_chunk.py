"""Result of a kernel for a chunk of a recording, for the next reading step: plain arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from parsers.formats.tptp.read.scanner import MOST
from parsers.formats.tptp.schema.vocabulary import SLOTS
from parsers.kernels.vector import SLACK

if TYPE_CHECKING:
    from parsers.model.arrays import I64Array, U8Array, U32Array

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


class FoundArrays(NamedTuple):
    """Findings, words and unknown elements of a batch."""

    kinds: U8Array
    """uint8[MOST_FINDINGS], as the following: findings"""
    offsets: I64Array
    values: I64Array
    word_starts: U32Array
    """uint32[MOST_WORDS], as the following: words, in the bytes of the chunk"""
    word_lengths: U32Array
    word_encodings: U8Array
    """How to decode them, see `kernels.text`."""
    odd: U32Array
    """uint32[ROWS]: see `EventBatch.odd`"""


class ElementChunk(NamedTuple):
    """Some bytes, and the rows of an `EventBatch` for the elements that begin in them."""

    data: U8Array
    """uint8: the bytes, those of a tag after them, SLACK zeros"""
    code: U8Array
    """uint8[ROWS + SLACK]"""
    name: U8Array
    start: U32Array
    """uint32[ROWS]: in `data`"""
    end: U32Array
    """uint32[ROWS]; for a SURPRISE its start"""
    numbers: I64Array
    """int64[ROWS * SLOTS]"""
    last_rows: I64Array
    """int64[256]: by attribute, the last row + 1 of this call that has it"""
    found: FoundArrays


def new_chunk(size: int) -> ElementChunk:
    """Creates arrays for chunks of `size` bytes, with any contents; memory is allocated as it is used."""
    found = FoundArrays(
        kinds=np.empty(MOST_FINDINGS, np.uint8),
        offsets=np.empty(MOST_FINDINGS, np.int64),
        values=np.empty(MOST_FINDINGS, np.int64),
        word_starts=np.empty(MOST_WORDS, np.uint32),
        word_lengths=np.empty(MOST_WORDS, np.uint32),
        word_encodings=np.empty(MOST_WORDS, np.uint8),
        odd=np.empty(ROWS, np.uint32),
    )
    return ElementChunk(
        data=np.empty(size + MOST + SLACK, np.uint8),
        code=np.empty(ROWS + SLACK, np.uint8),
        name=np.empty(ROWS, np.uint8),
        start=np.empty(ROWS, np.uint32),
        end=np.empty(ROWS, np.uint32),
        numbers=np.empty(ROWS * SLOTS, np.int64),
        last_rows=np.empty(256, np.int64),
        found=found,
    )
