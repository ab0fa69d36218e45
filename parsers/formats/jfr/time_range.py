"""The time range of views: a choice shared by all views of a recording, and the events of the chosen range."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from parsers.model.report import Switch
from parsers.views.moments import exact_seconds, typed_range
from parsers.views.switches import SwitchableView

if TYPE_CHECKING:
    from parsers.formats.jfr.recorded_data import RecordedData, TimeSpan
    from parsers.formats.jfr.report import JfrReport
    from parsers.model.arrays import I64Array

WHOLE = "all"
RANGE = Switch("range", "i", "time range", (WHOLE,), "FROM-TO in seconds since the start", is_shared=True)
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
        typed = typed_range(text)
        if typed is None or not self._data.is_complete:
            return None
        first, last = self._data.column("span").tolist()
        start, end = typed[0], last - first if typed[1] is None else typed[1]
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


class RangedView(SwitchableView):
    """A view of the events in the chosen time range. `rows_of` gives them."""

    def __init__(self, report: JfrReport) -> None:
        super().__init__()
        self._data, self._ranges = report.data, report.ranges

    @property
    def own_switches(self) -> tuple[Switch, ...]:
        """Switches of this view besides the time range."""
        return ()

    @property
    def switches(self) -> tuple[Switch, ...]:
        """Switches of this view, and the time range."""
        return (*self.own_switches, self._ranges.switch)

    def meant(self, name: str, text: str) -> str | None:
        """Returns the choice that a text means; a typed time range becomes a choice."""
        found = super().meant(name, text)
        return self._ranges.meant(text) if found is None and name == RANGE.name else found

    @property
    def time_span(self) -> TimeSpan | None:
        """Start and end of the chosen time range, in nanoseconds since 1970; None: the whole recording."""
        return self._ranges.span(self._chosen.get(RANGE.name, WHOLE))

    def rows_of(self, type: str | int) -> I64Array:
        """Returns the rows of the events of a type in the chosen time range, ascending."""
        return self._data.rows_of(type, self.time_span)
