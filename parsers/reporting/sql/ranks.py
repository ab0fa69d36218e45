"""Ranks of many values as numbers, by numpy: sorting them holds no lock of Python for long."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from parsers.model.distinct import begins
from parsers.model.tables.column_values import Known, TextArrays

if TYPE_CHECKING:
    from parsers.model.arrays import AnyArray, BoolArray, I64Array, U64Array

UNKNOWN = -1
"""Rank of NULL."""
AT_ONCE = 7
"""Bytes of a text that are compared at a time; the eighth of a key is their number."""


def number_ranks(values: Known) -> I64Array:
    """Returns the ranks of numbers from the smallest, equal ones with the same rank: int64[n]; NaN is the largest."""
    ranks = np.full(len(values.numbers), UNKNOWN, np.int64)
    known = values.numbers[values.is_known]
    order = np.argsort(known, kind="stable")
    ordered = known[order]
    dense = np.empty(len(known), np.int64)
    dense[order] = np.cumsum(begins(ordered)) - 1
    ranks[values.is_known] = dense
    return ranks


def text_ranks(texts: TextArrays) -> I64Array:
    """Returns the ranks of texts by their code points, equal ones with the same rank: int64[n]."""
    count = len(texts.starts) - 1
    ranks = np.zeros(count, np.int64)
    starts, ends = texts.starts[:-1], texts.starts[1:]
    left, offset = np.arange(count), 0
    while len(left):
        keys = _keys(texts.data, starts[left] + offset, ends[left])
        order = np.lexsort((keys, ranks[left]))
        left, keys = left[order], keys[order]
        before = ranks[left]
        is_group, is_run = begins(before), begins(before, keys)
        places = np.arange(len(left))
        group_starts, run_starts = (np.maximum.accumulate(np.where(each, places, 0)) for each in (is_group, is_run))
        ranks[left] = before + run_starts - group_starts
        is_tied = ~(is_run & np.append(is_run[1:], True)) & (keys & np.uint64(0xFF) > AT_ONCE)
        left, offset = left[is_tied], offset + AT_ONCE
    return ranks if texts.is_known is None else np.where(texts.is_known, ranks, UNKNOWN)


def _keys(data: AnyArray, starts: I64Array, ends: I64Array) -> U64Array:
    """The next bytes of texts as big-endian numbers, with the number of bytes left, 8 for more, as the last one."""
    keys = np.zeros(len(starts), np.uint64)
    for byte in range(AT_ONCE):
        at = starts + byte
        is_there: BoolArray = at < ends
        keys <<= np.uint64(8)
        keys[is_there] |= data[at[is_there]].astype(np.uint64)
    keys <<= np.uint64(8)
    keys |= np.minimum(ends - starts, AT_ONCE + 1).astype(np.uint64)
    return keys
