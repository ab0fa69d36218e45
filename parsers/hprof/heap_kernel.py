"""Joining what the objects of a dump refer to: targets by their ids, and references by their targets."""

from __future__ import annotations

from typing import Any

from parsers.hprof.columns import NONE
from parsers.index.jit import int64, kernel

NO_ROW = NONE


@kernel
def number_rows(ids: Any, lowest: int, start: int, table: Any) -> None:
    """Puts row + 1 of each object into a table by id; of two with one id the later. `ids` are those from `start` on."""
    for place in range(len(ids)):
        table[int64(ids[place]) - lowest] = start + place + 1


@kernel
def find_targets(ids: Any, lowest: int, table: Any, targets: Any) -> None:
    """The row of each id; NONE where the table has none."""
    size = len(table)
    for place in range(len(ids)):
        at = int64(ids[place]) - lowest
        row = int64(table[at]) if 0 <= at < size else 0
        targets[place] = row - 1 if row else NO_ROW


@kernel
def count_targets(targets: Any, counts: Any, low: int, high: int) -> None:
    """counts[row + 1] += 1 for each reference that leads to a row, of the rows from `low` up to `high`."""
    for place in range(len(targets)):
        row = int64(targets[place])
        if low <= row < high:
            counts[row + 1] += 1


@kernel
def add_up(counts: Any) -> None:
    """Sums from the start on, in place."""
    total = int64(0)
    for place in range(len(counts)):
        total += int64(counts[place])
        counts[place] = total


@kernel
def turn_round(targets: Any, firsts: Any, filled: Any, referrers: Any, low: int, high: int) -> None:
    """Puts references under their targets, of the rows from `low` up to `high`.

    firsts  by row where its references begin; filled: zeros by row
    """
    for place in range(len(targets)):
        row = int64(targets[place])
        if low <= row < high:
            referrers[int64(firsts[row]) + int64(filled[row])] = place
            filled[row] += 1
