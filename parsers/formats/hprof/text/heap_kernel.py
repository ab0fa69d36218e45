"""Joins the references of a dump's objects: targets by their ids, and references by their targets."""

from __future__ import annotations

from typing import Any

from parsers.heapdump.graph.columns import NONE
from parsers.kernels.decorators import int64, kernel
from parsers.kernels.vector import prefetch

NO_ROW = NONE
AHEAD = 32
"""Number of entries ahead at which memory is prefetched."""


@kernel
def number_rows(ids: Any, lowest: int, start: int, table: Any) -> None:
    """Puts row + 1 of each object into a table by id; of two with one id the later. `ids` are those from `start` on."""
    for place in range(len(ids)):
        table[int64(ids[place]) - lowest] = start + place + 1


@kernel
def find_targets(ids: Any, lowest: int, table: Any, targets: Any) -> None:
    """Looks up the row of each id; NONE where the table has none."""
    size = len(table)
    for place in range(len(ids)):
        at = int64(ids[place]) - lowest
        row = int64(table[at]) if 0 <= at < size else 0
        targets[place] = row - 1 if row else NO_ROW


@kernel
def count_targets(targets: Any, counts: Any) -> None:
    """Computes counts[row] += 1 for each reference to a row."""
    for place in range(len(targets)):
        row = int64(targets[place])
        if row != NO_ROW:
            counts[row] += 1


@kernel
def add_up(counts: Any) -> None:
    """Replaces counts by cumulative sums, in place: each with its own count."""
    total = int64(0)
    for place in range(len(counts)):
        total += int64(counts[place])
        counts[place] = total


@kernel
def transpose_references(targets: Any, ends: Any, referrers: Any) -> None:
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
