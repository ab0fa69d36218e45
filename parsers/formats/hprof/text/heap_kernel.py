"""Joins the references of a dump's objects: targets by their ids, and references by their targets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parsers.heapdump.graph.columns import NONE
from parsers.kernels.decorators import int64, kernel
from parsers.kernels.vector import prefetch

if TYPE_CHECKING:
    from parsers.model.arrays import U32Array, U64Array

NO_ROW = NONE
AHEAD = 32
"""Number of entries ahead at which memory is prefetched."""


@kernel
def number_rows(ids: U64Array, lowest: int, start: int, table: U32Array) -> None:
    """Puts row + 1 of each object into a table by id; of two with one id the later. `ids` are those from `start` on."""
    for place in range(len(ids)):
        table[int64(ids[place]) - lowest] = start + place + 1


@kernel
def find_targets(ids: U64Array, lowest: int, table: U32Array, targets: U32Array) -> None:
    """Looks up the row of each id; NONE where the table has none."""
    size = len(table)
    for place in range(len(ids)):
        at = int64(ids[place]) - lowest
        row = int64(table[at]) if 0 <= at < size else 0
        targets[place] = row - 1 if row else NO_ROW


@kernel
def count_targets(targets: U32Array, counts: U32Array) -> None:
    """Computes counts[row] += 1 for each reference to a row."""
    for place in range(len(targets)):
        row = int64(targets[place])
        if row != NO_ROW:
            counts[row] += 1


@kernel
def add_up(counts: U32Array) -> None:
    """Replaces counts by cumulative sums, in place: each with its own count."""
    total = int64(0)
    for place in range(len(counts)):
        total += int64(counts[place])
        counts[place] = total


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
