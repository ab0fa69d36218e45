"""Opened output of `-Xprof` and of `-Xaprof` with its views."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, partial

from parsers.formats.jdkprofilers.array_view import ArrayView
from parsers.formats.jdkprofilers.xprof.allocation_view import AllocationView
from parsers.formats.jdkprofilers.xprof.methods_view import TickMethodsView
from parsers.formats.jdkprofilers.xprof.report import OutputReport
from parsers.formats.jdkprofilers.xprof.threads_view import TickThreadsView
from parsers.model.view import View

VIEWS = (TickMethodsView, TickThreadsView, AllocationView)


class ProfilerOutput(OutputReport):
    """Views of the parts that are there, those of the format first."""

    own: tuple[str, ...] = ()
    """Views that the format always has."""

    def makers(self) -> dict[str, Callable[[], View]]:
        """Returns the views by name, in display order."""
        return {view.name: partial(view, self) for view in sorted(VIEWS, key=lambda view: view.name not in self.own)}

    def has(self, view: str) -> bool:
        """True if there is such a view: classes with an allocation profile, methods and threads with a flat one."""
        return view in self.own or bool(self.recording.tables if view == "Classes" else self.recording.blocks)

    @cached_property
    def name_list(self) -> Sequence[tuple[str, Sequence[int]]]:
        """Methods or classes of the first view, and their nodes there."""
        first, found = self.views[0], dict[str, list[int]]()
        assert isinstance(first, ArrayView)
        for node in range(first.row_count or 0):
            method, holder = first.subject_of(node)
            if (method or holder) and first.place(node)[0] == 0:
                found.setdefault(method or holder, []).append(node)
        return list(found.items())


class FlatProfileReport(ProfilerOutput):
    """`-Xprof`: "Methods", "Threads", and "Classes" if `-Xaprof` was on too."""

    format = "xprof"
    format_title = "-Xprof flat profile"
    own = ("Methods", "Threads")


class AllocationReport(ProfilerOutput):
    """`-Xaprof`: "Classes", and the other views if `-Xprof` was on too."""

    format = "xaprof"
    format_title = "-Xaprof allocation profile"
    own = ("Classes",)
