"""The visible part of an axis: all of it or less, zoomed around a place."""

from __future__ import annotations

from dataclasses import dataclass

LEAST_SHARE = 1e-6
"""Minimum share of the whole axis in a window."""

EDGE = 0.1
"""Share of a window that it keeps beyond a place it was moved to show."""


@dataclass(frozen=True, slots=True)
class Window:
    """The part from `start` to `stop` of an axis from `first` to `last`."""

    first: float
    last: float
    start: float
    stop: float

    @classmethod
    def whole(cls, first: float, last: float) -> Window:
        """The whole axis; if it has no length, a range around its only place."""
        if last <= first:
            first, last = first - 0.5, first + 0.5
        return cls(first, last, first, last)

    @property
    def span(self) -> float:
        """The length of the part."""
        return self.stop - self.start

    @property
    def is_whole(self) -> bool:
        """True if the whole axis is shown."""
        return self.start <= self.first and self.stop >= self.last

    def grown(self, first: float, last: float) -> Window:
        """The same part of a longer axis; the whole axis if all was shown."""
        new = Window.whole(first, last)
        return new if self.is_whole else new._with(self.start, self.span)

    def zoomed(self, place: float, factor: float, least: float | None = None) -> Window:
        """Zooms by a factor; the place keeps its position. least: minimum length, if not LEAST_SHARE."""
        whole = self.last - self.first
        span = max(self.span * factor, whole * LEAST_SHARE if least is None else least)
        if span >= whole:
            return Window.whole(self.first, self.last)
        return self._with(place - (place - self.start) * span / self.span, span)

    def part(self, start: float, stop: float, least: float | None = None) -> Window:
        """The part between two shares of the window, 0 to 1. least: minimum length, if not LEAST_SHARE."""
        whole = self.last - self.first
        span = max(self.span * (stop - start), whole * LEAST_SHARE if least is None else least)
        return self._with(self.start + start * self.span, min(span, whole))

    def moved(self, distance: float) -> Window:
        """Moves the window right, or left if negative; never beyond the axis."""
        return self._with(self.start + distance, self.span)

    def showing(self, place: float) -> Window:
        """The nearest window that shows a place and its surroundings."""
        if self.start <= place <= self.stop:
            return self
        edge = self.span * EDGE
        return self._with(place - edge if place < self.start else place + edge - self.span, self.span)

    def _with(self, start: float, span: float) -> Window:
        start = max(self.first, min(start, self.last - span))
        return Window(self.first, self.last, start, min(start + span, self.last))
