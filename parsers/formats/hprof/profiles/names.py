"""The names of a profile: methods that frames show, classes, threads; each with the view that has its rows."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, cast

from parsers.formats.hprof.data.names import decode, method_label
from parsers.heapdump.graph.heap_object import CLASSES_VIEW, OBJECTS_VIEW, TRACES_VIEW
from parsers.heapdump.graph.labels import NO_OBJECT
from parsers.model.capabilities import HasNames
from parsers.model.late import numpy as np
from parsers.model.none import NONE
from parsers.model.view import UnknownReference

if TYPE_CHECKING:
    from parsers.formats.hprof.profiles.traces_view import TracesView
    from parsers.formats.hprof.report import HprofReport
    from parsers.heapdump.views.classes_view import HeapClassesView
    from parsers.model.arrays import I64Array

THREADS_VIEW = "Threads"
SITES_VIEW = "Allocation sites"


class ProfileNames:
    """Names by number: the methods, as numbered in the recording; the classes, as in their view; the others.

    Those are threads, classes without instances, and classes that only sites have.
    """

    def __init__(self, report: HprofReport) -> None:
        self._report = report

    @cached_property
    def texts(self) -> list[bytes]:
        """All names, in UTF-8."""
        methods = [method_label(bytes(text)) for text in self._report.recording.texts("method")]
        names = [name.encode("utf-8", "surrogatepass") for name in methods]
        classes = () if self._classes is None else self._classes.names
        self._before_others = len(names) + len(classes)
        self._others = self._others_than(set(classes))
        return [*names, *classes, *self._others]

    def count(self, name: int) -> int:
        """Returns the number of frames of a method, or of classes of that name."""
        return int(self._frames[name]) if self._is_method(name) else len(self.nodes(name))

    def view(self, name: int) -> str:
        """Returns the view of `nodes`: for methods the first one that has a row of it."""
        return self._place(name)[0]

    def nodes(self, name: int) -> Sequence[int]:
        """Returns the rows of a name in its view."""
        return self._place(name)[1]

    # -- private ------------------------------------------------------------------------------------------------------

    @cached_property
    def _classes(self) -> HasNames | None:
        view = next((view for view in self._report.views if view.name == CLASSES_VIEW), None)
        return view if isinstance(view, HasNames) else None

    @cached_property
    def _methods(self) -> int:
        return len(self._report.recording.texts("method"))

    @cached_property
    def _frames(self) -> I64Array:
        """By method: its number of frames in all stacks, plus rows without a stack."""
        column = self._report.recording.column
        of_frames = np.asarray(column("frame_method"))[np.asarray(column("stack"))]
        names, traces = np.asarray(column("rank_name")), np.asarray(column("rank_trace"))
        return np.bincount(np.append(of_frames, names[traces == NONE]).astype(np.int64), minlength=self._methods)

    def _is_method(self, name: int) -> bool:
        return name < self._methods

    def _others_than(self, classes: set[bytes]) -> dict[bytes, tuple[str, list[str]]]:
        """Returns by name the view, and the REFs in it. Several threads may have one name."""
        recording = self._report.recording
        threads: dict[bytes, tuple[str, list[str]]] = {}
        for thread, word in dict(
            zip(recording.column("thread_id"), recording.column("thread_name"), strict=True)
        ).items():
            threads.setdefault(_name(decode(recording.word(word))), (THREADS_VIEW, []))[1].append(f"thread:{thread}")
        labels = [decode(recording.word(word)) for word in sorted(set(recording.column("site_class")))]
        sites = {_name(label): (SITES_VIEW, [f"class:{label}"]) for label in labels if _name(label) not in classes}
        return {name: place for name, place in (self._idle_classes(classes) | threads | sites).items() if name}

    def _idle_classes(self, classes: set[bytes]) -> dict[bytes, tuple[str, list[str]]]:
        """Returns by name the view and the REFs of the class objects of classes without instances."""
        found: dict[bytes, tuple[str, list[str]]] = {}
        view = cast("HeapClassesView", self._classes)
        if not classes or not view.is_ready:
            return found
        objects, graph = view.objects, view.objects.graph
        for type, label in enumerate(graph.type_names()):
            if (name := _name(label)) not in classes:
                of = [graph.class_object(type, dump) for dump in graph.dumps]
                refs = [objects.ref(object) for object in of if object != NO_OBJECT]
                if refs:
                    found.setdefault(name, (OBJECTS_VIEW, []))[1].extend(refs)
        return found

    def _place_of_refs(self, view: str, refs: Sequence[str]) -> tuple[str, Sequence[int]]:
        """Returns the current rows of a view for some REFs."""
        nodes = []
        for ref in refs:
            with suppress(UnknownReference):
                nodes.append(self._report.locate(ref, view)[1])
        return view, nodes

    def _place(self, name: int) -> tuple[str, Sequence[int]]:
        other = name - self._before_others if name < len(self.texts) else -1
        if other >= 0:
            return self._place_of_refs(*self._others[self.texts[name]])
        if not self._is_method(name):
            assert self._classes is not None
            return CLASSES_VIEW, self._classes.name_nodes(name - self._methods)
        key = ("method", self.texts[name].decode("utf-8", "surrogatepass"))
        for view in self._report.views:
            node = view.find_key(key) if view.is_ready else None
            if node is not None:
                return view.name, [node]
        return TRACES_VIEW, cast("TracesView", self._report.view(TRACES_VIEW)).first_of_method(name)


def _name(label: str) -> bytes:
    """Returns a label as a name, which has to be one line."""
    return label.replace("\n", " ").encode("utf-8", "surrogatepass")
