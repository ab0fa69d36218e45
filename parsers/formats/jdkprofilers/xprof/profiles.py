"""Opened output of `-Xprof` and of `-Xaprof` with its views."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, partial

from parsers.formats.jdkprofilers.xprof.allocation_view import AllocationView
from parsers.formats.jdkprofilers.xprof.methods_view import TickMethodsView
from parsers.formats.jdkprofilers.xprof.report import OutputReport
from parsers.formats.jdkprofilers.xprof.threads_view import TickThreadsView
from parsers.model.report import View

VIEWS = (TickMethodsView, TickThreadsView, AllocationView)


class FlatProfileReport(OutputReport):
    """`-Xprof`: "Methods", "Threads", and "Classes" if `-Xaprof` was on too."""

    format = "xprof"
    format_title = "-Xprof flat profile"

    def makers(self) -> dict[str, Callable[[], View]]:
        """Returns the views by name, in display order."""
        return {view.name: partial(view, self) for view in VIEWS}

    def has(self, view: str) -> bool:
        """True if there is such a view: classes only with an allocation profile."""
        return view != "Classes" or bool(self.recording.tables)

    @cached_property
    def _name_list(self) -> Sequence[tuple[str, Sequence[int]]]:
        tree, found = self.views[0].tree, dict[str, list[int]]()
        for node in tree.roots():
            found.setdefault(tree.row(node).label, []).append(node)
        return list(found.items())


class AllocationReport(OutputReport):
    """`-Xaprof`: "Classes", and the other views if `-Xprof` was on too."""

    format = "xaprof"
    format_title = "-Xaprof allocation profile"

    def makers(self) -> dict[str, Callable[[], View]]:
        """Returns the views by name, in display order."""
        return {view.name: partial(view, self) for view in (VIEWS[-1], *VIEWS[:-1])}

    def has(self, view: str) -> bool:
        """True if there is such a view: methods and threads only with a flat profile."""
        return view == "Classes" or bool(self.recording.blocks)

    @cached_property
    def _name_list(self) -> Sequence[tuple[str, Sequence[int]]]:
        first, found = self.views[0], dict[str, list[int]]()
        assert isinstance(first, AllocationView)
        for node in range(first.row_count or 0):
            name = first.subject_of(node)[1]
            if name:
                found.setdefault(name, []).append(node)
        return list(found.items())
