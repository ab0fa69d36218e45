"""The part of an axis that is shown: all of it, or less, made less and more around a place."""

from __future__ import annotations

from dataclasses import dataclass

LEAST_SHARE = 1e-6
"""Of the whole axis that a window shows at least."""

EDGE = 0.1
"""Share of a window that it keeps beyond what it has been moved to show."""


@dataclass(frozen=True, slots=True)
class Window:
    """From `start` to `stop` of an axis that goes from `first` to `last`."""

    first: float
    last: float
    start: float
    stop: float

    @classmethod
    def whole(cls, first: float, last: float) -> Window:
        """All of an axis; of one without length some of what is around its only place."""
        if last <= first:
            first, last = first - 0.5, first + 0.5
        return cls(first, last, first, last)

    @property
    def span(self) -> float:
        """How much is shown."""
        return self.stop - self.start

    @property
    def is_whole(self) -> bool:
        """Whether all is shown."""
        return self.start <= self.first and self.stop >= self.last

    def grown(self, first: float, last: float) -> Window:
        """The same part of an axis that has grown; all of it if all was shown."""
        new = Window.whole(first, last)
        return new if self.is_whole else new._with(self.start, self.span)

    def zoomed(self, place: float, factor: float, least: float | None = None) -> Window:
        """So many times as much, with the place where it was. least: how much is shown at least, if not LEAST_SHARE."""
        whole = self.last - self.first
        span = max(self.span * factor, whole * LEAST_SHARE if least is None else least)
        if span >= whole:
            return Window.whole(self.first, self.last)
        return self._with(place - (place - self.start) * span / self.span, span)

    def moved(self, distance: float) -> Window:
        """What is so far right of it, or left; never beyond the axis."""
        return self._with(self.start + distance, self.span)

    def showing(self, place: float) -> Window:
        """The nearest window that shows a place, and a little beyond."""
        if self.start <= place <= self.stop:
            return self
        edge = self.span * EDGE
        return self._with(place - edge if place < self.start else place + edge - self.span, self.span)

    def _with(self, start: float, span: float) -> Window:
        start = max(self.first, min(start, self.last - span))
        return Window(self.first, self.last, start, min(start + span, self.last))
