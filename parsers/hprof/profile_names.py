"""The names of a profile: methods that frames show, and classes of heap dumps; each with the view that has its rows."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from parsers.hprof.heap_object import CLASSES_VIEW
from parsers.hprof.names import method_label
from parsers.report import HasNames

if TYPE_CHECKING:
    from parsers.hprof.report import HprofReport
    from parsers.report import View

TRACES_VIEW = "Traces"


class ProfileNames:
    """Names by number: first the methods, as numbered in the recording, then the classes, as in their view."""

    def __init__(self, report: HprofReport) -> None:
        self._report = report

    @cached_property
    def texts(self) -> list[bytes]:
        """All names, in UTF-8."""
        methods = [method_label(bytes(text)) for text in self._report.recording.texts("method")]
        names = [name.encode("utf-8", "surrogatepass") for name in methods]
        return names if self._classes is None else [*names, *self._classes.names]

    def count(self, name: int) -> int:
        """How many frames are of that method, or how many classes have that name."""
        return int(self._frames[name]) if self._is_method(name) else len(self.nodes(name))

    def view(self, name: int) -> str:
        """The view of `nodes`: for methods the first one that has a row of it."""
        return self._place(name)[0]

    def nodes(self, name: int) -> Sequence[int]:
        """The rows of a name in its view."""
        return self._place(name)[1]

    # -- private ------------------------------------------------------------------------------------------------------

    @cached_property
    def _classes(self) -> HasNames | None:
        view: Any = next((view for view in self._report.views if view.name == CLASSES_VIEW), None)
        return view if isinstance(view, HasNames) else None

    @cached_property
    def _methods(self) -> int:
        return len(self._report.recording.texts("method"))

    @cached_property
    def _frames(self) -> Any:
        """By method, in how many places of all stacks it stands."""
        import numpy as np

        column = self._report.recording.column
        of_frames = np.asarray(column("frame_method"))[np.asarray(column("stack"))]
        return np.bincount(of_frames, minlength=self._methods)

    def _is_method(self, name: int) -> bool:
        return name < self._methods

    def _place(self, name: int) -> tuple[str, Sequence[int]]:
        if not self._is_method(name):
            assert self._classes is not None
            return CLASSES_VIEW, self._classes.name_nodes(name - self._methods)
        key = ("method", self.texts[name].decode("utf-8", "surrogatepass"))
        views: Sequence[View] = self._report.views
        for view in views:
            node = view.find_key(key) if view.is_ready else None
            if node is not None:
                return view.name, [node]
        traces: Any = self._report.view(TRACES_VIEW)
        return TRACES_VIEW, traces.first_of_method(name)
