"""Rows sorted by a key."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from parsers.formats.tptp.kernels import KERNELS
from parsers.index.scratch import Scratch, anonymous
from parsers.kernels.library import has_kernels
from parsers.model.none import NONE

if TYPE_CHECKING:
    from parsers.model.arrays import U32Array


def rows_by(keys: U32Array, count: int, scratch: Scratch = anonymous) -> tuple[U32Array, U32Array]:
    """Returns the first row of each key, one entry more than keys, and the rows by key, then in order.

    keys   by row, less than `count`
    """
    firsts = np.zeros(count + 1, np.uint32)
    if len(keys) and has_kernels(KERNELS):
        from parsers.formats.tptp.join.kernels.calls import order_by

        rows = scratch("rows", "u4", len(keys))
        order_by(keys, firsts, rows)
        return firsts, rows
    np.cumsum(np.bincount(keys, minlength=count), out=firsts[1:])
    # Sorting distinct numbers is faster than a stable sort of equal ones.
    pairs = np.sort(keys.astype(np.uint64) << np.uint64(32) | np.arange(len(keys), dtype=np.uint64))
    return firsts, (pairs & np.uint64(NONE)).astype(np.uint32)
