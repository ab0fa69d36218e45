"""The view "Suspects": the few objects or classes that retain most of the heap, each with its path from a root."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import cast

from parsers.heapdump.graph.dominated_graph import DominatedGraph
from parsers.heapdump.graph.heap_context import HeapContext
from parsers.heapdump.graph.labels import NO_OBJECT
from parsers.heapdump.graph.suspects import DumpSuspects
from parsers.heapdump.views.chosen_dump import DUMP, HeapDumpView
from parsers.heapdump.views.dominators.objects import RETAINED_SHARE
from parsers.heapdump.views.kinds import OBJECTS, RETAINED, SIZE
from parsers.heapdump.views.object_rows import ObjectRows
from parsers.heapdump.views.suspect_rows import SuspectRows
from parsers.model.late.preparation import LazyValue
from parsers.model.names.patterns import Subject, type_pattern
from parsers.model.row import Column, Section
from parsers.views.lazy_view import LazyView
from parsers.views.list_view import ListRow, ListView

SUSPECTS_VIEW = "Suspects"


class SuspectsView(HeapDumpView, LazyView, ObjectRows, ListView):
    """Children of a suspect: its path, its contents by class, the largest of these objects."""

    name = SUSPECTS_VIEW
    sorted_by = "retained"
    description = "Objects that probably leak memory, and why"
    needs = "dominators"
    label_width = 48
    work = "looking for what holds most"
    columns: tuple[Column, ...] = (RETAINED, replace(RETAINED_SHARE, priority=6), OBJECTS, replace(SIZE, priority=1))
    orders: tuple[str, ...] = ("retained", "bytes", "objects", "name")

    def __init__(self, heap: HeapContext) -> None:
        HeapDumpView.__init__(self, heap)
        ListView.__init__(self)
        self._found: dict[str, LazyValue[SuspectRows]] = {}
        self._vertices: list[int] = []
        """By row its object, NO_OBJECT where there is none."""

    # -- preparation --------------------------------------------------------------------------------------------------

    @property
    def graph(self) -> DominatedGraph:
        """The graph, with dominators."""
        return cast(DominatedGraph, self.objects.graph)

    @property
    def found(self) -> LazyValue[SuspectRows]:
        """The suspects of the dump shown."""
        dump = self.choice(DUMP)
        return self._found.setdefault(dump, LazyValue(lambda: self._find(dump)))

    def _find(self, dump: str) -> SuspectRows:
        """Finds suspects and builds their rows: a path may have many thousands of steps."""
        finder = DumpSuspects(self.graph, self.dump_named(dump))
        rows, suspects = SuspectRows(self.graph, self.objects, finder), finder.find()
        for suspect in suspects:
            rows.add_suspect(suspect)
        if not suspects:
            rows.add_none()
        return rows

    @property
    def state(self) -> Hashable:
        """Identifies the rows: none before the view is ready, others for another dump."""
        return self.is_ready, self.choice(DUMP)

    def make(self) -> Sequence[ListRow]:
        """Returns all rows."""
        if not self.is_ready:
            return ()
        rows = self.found.value
        self._vertices = rows.vertices
        return rows.entries

    # -- rows ---------------------------------------------------------------------------------------------------------

    def object_in(self, node: int) -> int:
        """Returns the object of a row, NO_OBJECT if it has none."""
        return self._vertices[node]

    def filtered_names(self, start: int, stop: int) -> Sequence[str]:
        """Returns the classes of a range of rows; labels of rows that show neither an object nor a class."""
        return [self._class_of(node) or self.entries[node].label for node in range(start, stop)]

    def patterns(self, node: int) -> Mapping[Subject, str]:
        """Returns a pattern that matches the row's class, if it has children: the others can't be closed."""
        name = self._class_of(node) if self.tree.has_children(node) else ""
        return type_pattern(name) if name else {}

    def _class_of(self, node: int) -> str:
        """Returns the class of a row's object or objects; empty if it shows none."""
        object = self.object_in(node)
        if object != NO_OBJECT:
            return self.objects.type_name(object)
        match self.entries[node].key:
            case ("class", str(name)):
                return name
        return ""

    def sections(self, node: int) -> Sequence[Section]:
        """Returns the text of a suspect; for other rows what is known of their object, else of their suspect."""
        own, vertex = self.entries[node].sections, self.object_in(node)
        if vertex != NO_OBJECT:
            return (*own, *self.objects.sections(vertex))
        above = self.path(node)[0]
        return self.entries[above].sections or super().sections(node)
