"""The views of a recording that are profiles, and the marks of their rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

from parsers.formats.hprof.data.columns import CPU_SAMPLES, CPU_TIME, SITES_KIND
from parsers.model.row import Kind
from parsers.model.view import Shape, View

if TYPE_CHECKING:
    from parsers.formats.hprof.data.recording import ProfileRecording
    from parsers.formats.hprof.profiles.source import HprofProfiles

PROFILE_KINDS = (
    Kind("method", "●", "*", "method"),
    Kind("class", "○", "o", "class"),
    Kind("package", "▪", "#", "package"),
)


def profile_makers(recording: ProfileRecording) -> dict[str, Callable[[], View]]:
    """Returns the views by name; each is imported on first use."""
    sources: dict[tuple[int, ...], HprofProfiles] = {}

    def source(*kinds: int) -> HprofProfiles:
        from parsers.formats.hprof.profiles.source import HprofProfiles

        return sources.setdefault(kinds, HprofProfiles(recording, kinds))

    def ranked(name: str, kind: int) -> View:
        from parsers.profile.views.cost_view import AS_WRITTEN, CostView

        modes: tuple[str, ...] = ("by method", "by class", "by package", AS_WRITTEN)
        if kind == SITES_KIND:
            modes = ("by class", "by package", "by trace", "by method", AS_WRITTEN)
        return CostView(source(kind), name, modes)

    def merged(name: str, direction: Literal["down", "up"], shape: Shape = "tree") -> View:
        from parsers.profile.views.call_views import CallView

        return CallView(source(CPU_SAMPLES, CPU_TIME, SITES_KIND), name, direction, shape)

    return {
        "CPU samples": lambda: ranked("CPU samples", CPU_SAMPLES),
        "CPU time": lambda: ranked("CPU time", CPU_TIME),
        "Call tree": lambda: merged("Call tree", "down"),
        "Callers": lambda: merged("Callers", "up"),
        "Flame": lambda: merged("Flame", "down", "flame"),
        "Allocation sites": lambda: ranked("Allocation sites", SITES_KIND),
    }
