"""An opened recording with its views."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from parsers.formats.jfr.report import JfrReport
from parsers.model.late import late
from parsers.model.report import Shape, View

if TYPE_CHECKING:
    from parsers.formats.jfr.profiles import RecordedProfiles
    from parsers.model.table import Tables


class JfrWithViews(JfrReport):
    """Report of one recording with its views."""

    def makers(self) -> dict[str, Callable[[], View]]:
        """Returns makers of the views by name, in display order. Each is imported on first use."""
        return {
            "Events": late("parsers.formats.jfr.events_view:EventsView", self),
            "Call tree": lambda: self._merged("Call tree", "down"),
            "Callers": lambda: self._merged("Callers", "up"),
            "Flame": lambda: self._merged("Flame", "down", "flame"),
            "Methods": self._methods,
            "Threads": late("parsers.formats.jfr.threads_view:ThreadsView", self),
        }

    @cached_property
    def profiles(self) -> RecordedProfiles:
        """The events with stacks as a profile."""
        from parsers.formats.jfr.profiles import RecordedProfiles

        return RecordedProfiles(self.data)

    def own_tables(self) -> Tables:
        """Threads, events, stacks, and a table of each type of events."""
        from parsers.formats.jfr.tables import recording_tables

        return recording_tables(self.data, self.profiles)

    def _merged(self, name: str, direction: Literal["down", "up"], shape: Shape = "tree") -> View:
        from parsers.profile.views.call_views import CallView

        view: Any = CallView(self.profiles, name, direction, shape)
        found: View = view
        return found

    def _methods(self) -> View:
        from parsers.profile.views.cost_view import CostView

        view: Any = CostView(self.profiles, "Methods", ("by method", "by class", "by package"))
        found: View = view
        return found
