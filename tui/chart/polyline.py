"""Where a line of a chart is: for each column of dots the range of values that it goes through.

However many points there are, no peak is lost: a column reaches from the lowest to the highest point in it, and to the
straight lines by which it is joined to its neighbours.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan
from typing import NamedTuple


class Reach(NamedTuple):
    """The values that a line has in a column."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Polyline:
    """Points joined by straight lines; `places` never fall."""

    places: Sequence[float]
    values: Sequence[float]

    @classmethod
    def of(cls, places: Sequence[float], values: Sequence[float]) -> Polyline:
        """The line through all points that there are: a NaN is none."""
        if not any(map(isnan, values)):
            return cls(places, values)
        known = [node for node, value in enumerate(values) if not isnan(value)]
        return cls([places[node] for node in known], [values[node] for node in known])

    def at(self, place: float) -> float | None:
        """The value at a place, between two points on the line from one to the other; None before and behind all."""
        if not self.places or not self.places[0] <= place <= self.places[-1]:
            return None
        after = bisect_left(self.places, place)
        if self.places[after] == place:
            return self.values[after]
        start, end = self.places[after - 1], self.places[after]
        share = (place - start) / (end - start)
        return self.values[after - 1] + share * (self.values[after] - self.values[after - 1])

    def reach(self, start: float, stop: float) -> Reach | None:
        """The lowest and the highest value from a place up to another one; None: there is no line."""
        first, last = bisect_left(self.places, start), bisect_right(self.places, stop)
        found: list[float] = []
        if first < last:
            within = self.values[first:last]
            found += [min(within), max(within)]
        found += [value for value in (self.at(start), self.at(stop)) if value is not None]
        return Reach(min(found), max(found)) if found else None

    def columns(self, start: float, stop: float, count: int) -> list[Reach | None]:
        """The reach of each of so many columns from a place to another one.

        Column n is all that is nearer to its own place, `start + n × (stop - start) / (count - 1)`, than to others.
        """
        if count < 2 or stop <= start:
            return [self.reach(start, stop)] * count
        width = (stop - start) / (count - 1)
        edges = [max(start, min(stop, start + (column - 0.5) * width)) for column in range(count + 1)]
        return [self.reach(edges[column], edges[column + 1]) for column in range(count)]
