"""The time ranges of a recording that views can show."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from parsers.model.view import Switch
from parsers.views.timelines.moments import exact_seconds, typed_last, typed_range

if TYPE_CHECKING:
    from parsers.formats.jfr.data.recorded_data import RecordedData, TimeSpan

WHOLE = "all"
RANGE = Switch(
    "range", "i", "time range", (WHOLE,), "FROM-TO in seconds since the start, or last SECONDS", is_shared=True
)
MOST_TYPED = 6
"""Most ranges that stay available as choices."""


class TimeRanges:
    """The time ranges of a recording that can be chosen."""

    def __init__(self, data: RecordedData) -> None:
        self._data = data
        self._typed: dict[str, TimeSpan] = {}
        """Typed ranges, the last one first."""

    @property
    def switch(self) -> Switch:
        """The switch with all ranges typed so far."""
        return replace(RANGE, choices=(WHOLE, *self._typed))

    def meant(self, text: str) -> str | None:
        """Adds a typed range to the choices and returns it; None if the text is none."""
        typed, at_end = typed_range(text), typed_last(text)
        if (typed is None and at_end is None) or not self._data.is_complete:
            return None
        first, last = self._data.column("span").tolist()
        start, end = typed or (max(last - first - (at_end or 0), 0), None)
        end = last - first if end is None else end
        return self.add(start, end) if start <= end else None

    def add(self, start: int, end: int) -> str:
        """Adds a range, in nanoseconds since the start of the recording, to the choices and returns it."""
        first = int(self._data.column("span")[0])
        label = f"{exact_seconds(start)}-{exact_seconds(end)} s"
        others = [item for item in self._typed.items() if item[0] != label]
        self._typed = {label: (first + start, first + end), **dict(others[: MOST_TYPED - 1])}
        return label

    def span(self, label: str) -> TimeSpan | None:
        """Returns start and end of a range, in nanoseconds since 1970; None: the whole recording."""
        return self._typed.get(label)
