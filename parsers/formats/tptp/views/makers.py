"""The views of a recording by name, in display order. Each is imported on first use."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

from parsers.formats.tptp.heap.views import heap_makers
from parsers.formats.tptp.threads import state_kinds as state_words
from parsers.heapdump.views.kinds import HEAP_KINDS
from parsers.model.report import Kind, Shape, View

if TYPE_CHECKING:
    from parsers.formats.tptp.calls.source import CallProfiles
    from parsers.formats.tptp.report import TraceReport

KINDS = (
    *HEAP_KINDS,
    Kind("session", "▤", "S", "session: one start of recording"),
    Kind("method", "●", "*", "method"),
    Kind("call", "→", ">", "call, in the order of the recording"),
    Kind("class", "○", "o", "class"),
    Kind("package", "▪", "#", "package"),
    Kind("thread", "▢", "t", "thread"),
    Kind("frame", "↳", ">", "line of a method"),
    Kind("group", "▣", "g", "list of elements, or of facts about the recording"),
    Kind("element", "·", ".", "element as it is written"),
    Kind("option", "·", ".", "option"),
    Kind("filter", "·", ".", "filter: what was recorded"),
    Kind("agent", "·", ".", "agent: what recorded it"),
    Kind("missing", "∅", "0", "what was not recorded, and why"),
    Kind("finding", "!", "!", "something that is not as it should be"),
    *state_words.KINDS,
    *HEAP_KINDS,
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
    makers = {name: _of_class(report, place) for name, place in VIEW_CLASSES.items()}
    makers["Threads"] = _threads(report, makers["Threads"])
    makers |= _profile_makers(report) | heap_makers(report)
    order = [*NEEDS, *(name for name in makers if name not in NEEDS)]
    return {name: makers[name] for name in order if name in makers}


def _threads(report: TraceReport, make: Callable[[], View]) -> Callable[[], View]:
    """Returns the view of the threads in the first bytes, later of all threads."""

    def both() -> View:
        from parsers.formats.tptp.threads.head_threads_view import HeadThreadsView
        from parsers.views.preview_switch import changing

        return changing(HeadThreadsView(report), make())

    return both


def _of_class(report: TraceReport, place: str) -> Callable[[], View]:
    def make() -> View:
        module, _, name = place.partition(":")
        view: View = getattr(import_module(module), name)(report)
        return view

    return make


def _profile_makers(report: TraceReport) -> dict[str, Callable[[], View]]:
    """Returns makers of the call views that any profile has."""
    sources: dict[str, CallProfiles] = {}

    def merged(name: str, direction: Literal["down", "up"], shape: Shape = "tree") -> View:
        from parsers.formats.tptp.calls.source import DOWN, UP, CallProfiles
        from parsers.profile.views.call_views import CallView

        weights = DOWN if direction == "down" else UP

        def clock() -> str:
            return report.clock

        source = sources.setdefault(direction, CallProfiles(report.recording, report.names_of, weights, clock))
        view: Any = CallView(source, name, direction, shape)
        found: View = view
        return found

    return {
        "Call tree": lambda: merged("Call tree", "down"),
        "Callers": lambda: merged("Callers", "up"),
        "Flame": lambda: merged("Flame", "down", "flame"),
    }
