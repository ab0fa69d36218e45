"""Sorts the references of a dump's objects by their targets."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from parsers.kernels.decorators import int64, kernel
from parsers.kernels.vector import prefetch
from parsers.model.none import NONE

if TYPE_CHECKING:
    from parsers.model.arrays import U32Array

NO_ROW = NONE
AHEAD = 32
"""Number of entries ahead at which memory is prefetched."""


def transpose(targets: U32Array, firsts: U32Array, make_buffer: Callable[[int], U32Array]) -> U32Array:
    """Returns references by their targets, ascending for each.

    targets      an object or NONE for each reference
    firsts       uint32[objects + 1], zeros; filled: the start of the references to each object
    make_buffer  returns an array for so many references
    """
    # The last entry is 0 until the counts are added up, then the number of all references.
    count_targets(targets, firsts)
    np.cumsum(firsts, dtype=np.uint32, out=firsts)
    referrers = make_buffer(int(firsts[-1]))
    transpose_references(targets, firsts, referrers)
    return referrers


@kernel
def count_targets(targets: U32Array, counts: U32Array) -> None:
    """Computes counts[row] += 1 for each reference to a row."""
    for place in range(len(targets)):
        row = int64(targets[place])
        if row != NO_ROW:
            counts[row] += 1


@kernel
def transpose_references(targets: U32Array, ends: U32Array, referrers: U32Array) -> None:
    """Groups references by their targets, ascending.

    ends  by row the end of its references; afterwards the start
    """
    last = len(targets) - 1
    for done in range(len(targets)):
        place = last - done
        ahead = place - AHEAD
        if ahead >= 0:
            soon = int64(targets[ahead])
            if soon != NO_ROW:
                prefetch(ends, soon)
        row = int64(targets[place])
        if row != NO_ROW:
            end = int64(ends[row]) - 1
            ends[row] = end
            referrers[end] = place
