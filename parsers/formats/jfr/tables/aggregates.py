"""Aggregates of numbers by group. Percentiles are those of `jfr view`: interpolated, stretched for few numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from parsers.model.distinct import begins

if TYPE_CHECKING:
    from parsers.model.arrays import AnyArray, BoolArray, I64Array

PERCENTILES = {"p50": 0.5, "p90": 0.9, "p95": 0.95, "p99": 0.99, "p999": 0.999}


def aggregate(how: str, groups: I64Array, count: int, numbers: AnyArray) -> tuple[AnyArray, BoolArray]:
    """Returns an aggregate by group, and whether the group has any number.

    groups   by number: its group, 0 to count - 1; numbers: int64 or float64 of the same length
    how      count, sum, average, least, longest, first, last (in the order given), difference (of two or more), unique,
             or a percentile
    """
    counts = np.bincount(groups, minlength=count)
    has_any: BoolArray = counts > 0
    if how == "count":
        return counts, np.ones(count, np.bool_)
    if how in ("sum", "average"):
        sums = np.zeros(count, numbers.dtype)
        np.add.at(sums, groups, numbers)
        return (sums, has_any) if how == "sum" else (sums / np.maximum(counts, 1), has_any)
    if how in ("least", "longest"):
        found = np.zeros(count, numbers.dtype)
        # Each group begins with any of its numbers.
        found[groups] = numbers
        (np.minimum if how == "least" else np.maximum).at(found, groups, numbers)
        return found, has_any
    ends = np.cumsum(counts)
    starts = ends - counts
    if how in ("first", "last", "difference"):
        ordered = numbers[np.argsort(groups, kind="stable")]
        if not len(ordered):
            return np.zeros(count, numbers.dtype), has_any
        first, last = (ordered[np.clip(places, 0, len(ordered) - 1)] for places in (starts, ends - 1))
        if how == "difference":
            return last - first, counts > 1
        return (first if how == "first" else last), has_any
    order = np.lexsort((numbers, groups))
    ordered = numbers[order]
    if not len(ordered):
        return np.zeros(count, numbers.dtype), has_any
    if how == "unique":
        of = groups[order]
        return np.bincount(of[begins(ordered, of)], minlength=count), has_any
    return _percentiles(PERCENTILES[how], ordered, starts, counts), has_any


def _percentiles(share: float, ordered: AnyArray, starts: I64Array, counts: I64Array) -> AnyArray:
    """Returns percentiles of sorted groups."""
    positions = (counts + 1) * share if share != 0.5 else (counts + 1) / 2
    below = np.clip(positions.astype(np.int64) - 1, 0, np.maximum(counts - 1, 0))
    above = np.clip(positions.astype(np.int64), 0, np.maximum(counts - 1, 0))
    fractions = np.where(below == above, 0, positions - np.floor(positions))
    low, high = (ordered[np.minimum(starts + places, len(ordered) - 1)] for places in (below, above))
    found: AnyArray = low + fractions * (high - low)
    return np.round(found).astype(np.int64) if ordered.dtype.kind == "i" else found
