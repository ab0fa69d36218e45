"""The course of a chart's line: for each column of dots the range of its values.

No peak is lost, however many points there are: a column extends from the lowest to the highest point in it, and to the
segments that join it to its neighbours. Many points are processed by numpy; few don't wait for it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan
from typing import TYPE_CHECKING, NamedTuple

from parsers.model.late import numpy as np

if TYPE_CHECKING:
    from parsers.model.arrays import F64Array, I64Array

MANY = 2048
"""Number of points from which numpy is used."""


class Reach(NamedTuple):
    """The range of a line's values in a column."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Polyline:
    """Points joined by straight lines; `places` are ascending."""

    places: Sequence[float] | F64Array
    values: Sequence[float] | F64Array

    @classmethod
    def of(cls, places: Sequence[float], values: Sequence[float]) -> Polyline:
        """The line through all existing points: NaN is not one."""
        if len(values) >= MANY:
            whole = np.asarray(values, np.float64)
            there = ~np.isnan(whole)
            return cls(np.asarray(places, np.float64)[there], whole[there])
        if not any(map(isnan, values)):
            return cls(places, values)
        known = [node for node, value in enumerate(values) if not isnan(value)]
        return cls([places[node] for node in known], [values[node] for node in known])

    def at(self, place: float) -> float | None:
        """The value at a place, interpolated between points; None outside the points."""
        if not len(self.places) or not self.places[0] <= place <= self.places[-1]:
            return None
        after = bisect_left(self.places, place)
        if self.places[after] == place:
            return self.values[after]
        start, end = self.places[after - 1], self.places[after]
        share = (place - start) / (end - start)
        return self.values[after - 1] + share * (self.values[after] - self.values[after - 1])

    def reach(self, start: float, stop: float) -> Reach | None:
        """The lowest and highest value between two places; None: no line there."""
        first, last = bisect_left(self.places, start), bisect_right(self.places, stop)
        found: list[float] = []
        if first < last:
            within = self.values[first:last]
            found += [min(within), max(within)]
        found += [value for value in (self.at(start), self.at(stop)) if value is not None]
        return Reach(min(found), max(found)) if found else None

    def columns(self, start: float, stop: float, count: int) -> list[Reach | None]:
        """The reach of each of `count` columns from one place to another.

        Column n contains everything nearer to its place, `start + n × (stop - start) / (count - 1)`, than to others.
        """
        if count < 2 or stop <= start:
            return [self.reach(start, stop)] * count
        width = (stop - start) / (count - 1)
        edges = [max(start, min(stop, start + (column - 0.5) * width)) for column in range(count + 1)]
        if len(self.places) >= MANY:
            return self._many(edges)
        return [self.reach(edges[column], edges[column + 1]) for column in range(count)]

    def _many(self, edges: list[float]) -> list[Reach | None]:
        """The reach between each edge and the next."""
        places, values = np.asarray(self.places), np.asarray(self.values)
        firsts = np.searchsorted(places, edges[:-1], "left")
        stops = np.searchsorted(places, edges[1:], "right")
        # Beyond all points the value is NaN, which compares false with all numbers.
        at_edges = np.interp(edges, places, values, np.nan, np.nan)
        lows, highs = np.fmin(at_edges[:-1], at_edges[1:]), np.fmax(at_edges[:-1], at_edges[1:])
        some = np.flatnonzero(firsts < stops)
        for found, choose in ((lows, np.fmin), (highs, np.fmax)):
            found[some] = choose(found[some], _reduced(choose, values, firsts[some], stops[some]))
        return [
            None if low != low else Reach(low, high) for low, high in zip(lows.tolist(), highs.tolist(), strict=True)
        ]


def _reduced(choose: np.ufunc, values: F64Array, firsts: I64Array, stops: I64Array) -> F64Array:
    """Minimum or maximum of each of some non-empty ranges of values."""
    # Ranges overlap by a point where one is on an edge, so their ends are marked too, and the ranges between them
    # are reduced in vain.
    marks = np.empty(2 * len(firsts), np.int64)
    marks[0::2], marks[1::2] = firsts, np.minimum(stops, len(values) - 1)
    reduced = choose.reduceat(values, marks)[0::2] if len(marks) else values[:0]
    found: F64Array = choose(reduced, values[stops - 1])
    return found
