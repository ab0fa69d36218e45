"""Views of the events in a time range, which is a choice for all views of a recording."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from parsers.formats.jfr.data.time_ranges import RANGE, WHOLE
from parsers.formats.jfr.events.event_rows import EventRows
from parsers.model.view import Switch
from parsers.views.grouped_view import GroupedView
from parsers.views.switches import SwitchableView

if TYPE_CHECKING:
    from parsers.formats.jfr.data.recorded_data import TimeSpan
    from parsers.formats.jfr.events.event_finder import Part
    from parsers.formats.jfr.report import JfrReport
    from parsers.model.arrays import I64Array
    from parsers.query.search.pattern import Pattern
    from parsers.query.search.row_finder import RowFinder


class RangedView(SwitchableView):
    """A view of the events in the chosen time range. `rows_of` gives them."""

    def __init__(self, report: JfrReport) -> None:
        super().__init__()
        self._report, self._data, self._ranges = report, report.data, report.ranges
        self._events = EventRows(report.data, lambda: report.is_private_shown)

    @property
    def is_ready(self) -> bool:
        """True if the index is finished."""
        return self._data.is_complete

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


class SearchedView(RangedView, GroupedView):
    """A view whose rows can be searched together, see `HasFinder`."""

    @property
    def vertices(self) -> int:
        """Number of these rows: all."""
        return self.rows.rows if self.is_ready else 0

    def finder(self, pattern: Pattern, is_patient: bool = False) -> RowFinder:
        """Returns a search among them."""
        from parsers.formats.jfr.events.event_finder import EventFinder

        return EventFinder(self._data, self._events, self.parts, pattern, is_patient)

    def parts(self, nodes: I64Array) -> Iterator[Part]:
        """Returns which of some nodes are events of these rows, or the label of the only one."""
        raise NotImplementedError
