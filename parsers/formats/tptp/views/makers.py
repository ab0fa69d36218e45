"""An opened recording with its views by name, in display order. Each is imported on first use."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from parsers.formats.tptp.heap.views import heap_makers, heap_objects
from parsers.formats.tptp.report import TraceReport
from parsers.formats.tptp.summary.facts import PARTS, why_not
from parsers.formats.tptp.threads import state_kinds as state_words
from parsers.heapdump.views.kinds import HEAP_KINDS
from parsers.model.late import late
from parsers.model.row import Kind
from parsers.model.view import Shape, View
from parsers.model.views import Views

if TYPE_CHECKING:
    from parsers.formats.tptp.calls.source import CallProfiles
    from parsers.formats.tptp.store.name_search import TraceNameSearch
    from parsers.io.cache import Cache
    from parsers.io.source import Source
    from parsers.model.tables.table import Tables
    from parsers.reporting.comparison.lines import Comparing

KINDS = (
    *HEAP_KINDS,
    Kind("session", "▤", "S", "session: one start of recording"),
    Kind("method", "●", "*", "method"),
    Kind("call", "→", ">", "call, in the order of the recording"),
    Kind("thread", "▢", "t", "thread"),
    Kind("frame", "↳", ">", "line of a method"),
    Kind("group", "▣", "g", "list of elements, or of facts about the recording"),
    Kind("option", "·", ".", "option"),
    Kind("filter", "·", ".", "filter: what was recorded"),
    Kind("agent", "·", ".", "agent: what recorded it"),
    Kind("missing", "∅", "0", "what was not recorded, and why"),
    *state_words.KINDS,
)

VIEW_CLASSES: Mapping[str, str] = {
    "Threads": "parsers.formats.tptp.threads.threads_view:TraceThreadsView",
    "Time line": "parsers.formats.tptp.threads.timeline:TraceTimelineView",
    "Monitors": "parsers.formats.tptp.threads.monitors_view:TraceMonitorsView",
    "Classes": "parsers.formats.tptp.objects.classes_view:TraceClassesView",
    "Collections": "parsers.formats.tptp.objects.collections_view:CollectionsView",
    "Flow": "parsers.formats.tptp.calls.flow_view:FlowView",
    "Methods": "parsers.formats.tptp.calls.methods_view:TraceMethodsView",
    "Elements": "parsers.formats.tptp.elements.view:ElementsView",
}
"""Views whose class takes the report as its only argument."""

NEEDS: Mapping[str, str] = {
    "Threads": "thread",
    "Time line": "thread",
    "Monitors": "state",
    "Classes": "object",
    "Collections": "collection",
    "Dumps": "dump",
    "Roots": "dump",
    "Objects": "dump",
    "Referrers": "dump",
    "Paths": "dump",
    "Dominators": "dump",
    "Suspects": "dump",
    "Unreachable": "dump",
    "Call tree": "call",
    "Callers": "call",
    "Flame": "call",
    "Flow": "call",
    "Methods": "method",
}
"""Table that must have rows, by view, in display order. Views not listed here always exist."""


def view_makers(report: TraceReport) -> dict[str, Callable[[], View]]:
    """Returns makers of all possible views."""
    makers: dict[str, Callable[[], View]] = {name: late(place, report) for name, place in VIEW_CLASSES.items()}
    makers["Threads"] = _threads(report, makers["Threads"])
    makers |= _profile_makers(report) | heap_makers(report)
    order = [*NEEDS, *(name for name in makers if name not in NEEDS)]
    return {name: makers[name] for name in order if name in makers}


def _threads(report: TraceReport, make: Callable[[], View]) -> Callable[[], View]:
    """Returns the view of the threads in the first bytes, later of all threads."""

    def both() -> View:
        from parsers.formats.tptp.threads.threads_view import HeadThreadsView
        from parsers.views.preview_switch import PreviewSwitch

        return PreviewSwitch(HeadThreadsView(report), make())

    return both


def _profile_makers(report: TraceReport) -> dict[str, Callable[[], View]]:
    """Returns makers of the call views that any profile has."""
    sources: dict[str, CallProfiles] = {}

    def merged(name: str, direction: Literal["down", "up"], shape: Shape = "tree") -> View:
        from parsers.formats.tptp.calls.source import DOWN, UP, CallProfiles
        from parsers.profile.views.call_views import CallView

        weights = DOWN if direction == "down" else UP

        profiles = CallProfiles(report.recording, report.names_of, weights, lambda: report.clock)
        source = sources.setdefault(direction, profiles)
        return CallView(source, name, direction, shape)

    return {
        "Call tree": lambda: merged("Call tree", "down"),
        "Callers": lambda: merged("Callers", "up"),
        "Flame": lambda: merged("Flame", "down", "flame"),
    }


class RecordingReport(TraceReport):
    """Report of one recording with its views."""

    def __init__(self, sources: Sequence[Source], cache: Cache) -> None:
        """Reads the head. Raises `ReportError` for several files."""
        super().__init__(sources, cache)
        self.kinds: Mapping[str, Kind] = {kind.name: kind for kind in KINDS}
        self.views = Views(view_makers(self), self.has_view)

    def has_view(self, name: str) -> bool:
        """True if the recording has data for a view."""
        return name not in NEEDS or bool(self.recording.rows(NEEDS[name]))

    def why_not(self, name: str) -> str:
        """Returns the reason why a view is missing; empty if unknown."""
        table = next((table for view, table in NEEDS.items() if view.lower() == name.lower()), "")
        return why_not(self.recording, table) if table in PARTS else ""

    @property
    def comparable(self) -> Mapping[str, Comparing]:
        """Views that can be compared with another recording."""
        from parsers.formats.tptp.objects.class_lines import comparable_of

        return comparable_of(self)

    @property
    def missing_views(self) -> Mapping[str, str]:
        """Views without data in the recording, and the reasons; empty until the recording is complete."""
        if not self.is_complete:
            return {}
        return {name: self.why_not(name) for name in NEEDS if not self.has_view(name)}

    def own_tables(self) -> Tables:
        """Threads, states, monitors, collections, methods, calls, and those of heap dumps."""
        from parsers.formats.tptp.tables import trace_tables

        return trace_tables(self, heap_objects(self))

    def name_table(self) -> TraceNameSearch:
        """Returns the names of classes, methods and threads."""
        from parsers.formats.tptp.store.name_search import TraceNameSearch

        return TraceNameSearch(self)
