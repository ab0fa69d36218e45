"""The view "Dominators": memory that would be freed without an object, a class, a package, a loader."""

from __future__ import annotations

from parsers.heapdump.graph.dominated_object import DOMINATORS_VIEW
from parsers.heapdump.graph.heap_context import HeapContext
from parsers.heapdump.views.chosen_dump import DUMP, HeapDumpView
from parsers.heapdump.views.dominators.groups import DominatorGroups
from parsers.heapdump.views.dominators.objects import DominatorObjects
from parsers.model.view import Shape, Switch
from parsers.views.proxy import ViewProxy

OBJECTS, BY_CLASS, BY_PACKAGE, BY_LOADER = "objects", "by class", "by package", "by loader"
GROUPINGS = {BY_CLASS: "type", BY_PACKAGE: "package", BY_LOADER: "loader"}
"""The graph's name of each grouping."""
MERGE = Switch("merge", "m", "merge", (OBJECTS, *GROUPINGS))
WITHOUT_LOADERS = Switch("merge", "m", "merge", (OBJECTS, BY_CLASS, BY_PACKAGE))


class HeapDominatorsView(HeapDumpView, ViewProxy):
    """Proxy of the view of objects, or of that of the chosen groups."""

    name = DOMINATORS_VIEW
    description = "Objects by retained size"
    begins_at_roots = True
    needs = "dominators"
    shape: Shape = "tree"

    def __init__(self, heap: HeapContext) -> None:
        super().__init__(heap)
        self._views: dict[tuple[str, str], DominatorObjects | DominatorGroups] = {}

    @property
    def switches(self) -> tuple[Switch, ...]:
        """The choices of grouping and dump."""
        objects = self._heap.objects
        merge = MERGE if objects is None or objects.graph.has_class_loaders else WITHOUT_LOADERS
        # Objects are below their dump.
        is_merged = self._chosen.get(MERGE.name, OBJECTS) != OBJECTS
        return (merge, *super().switches) if is_merged else (merge,)

    def shown_view(self) -> DominatorObjects | DominatorGroups:
        """The chosen view."""
        merge, dump = chosen = self.choice(MERGE.name), self.choice(DUMP)
        found = self._views.get(chosen)
        if found is None:
            if merge == OBJECTS:
                found = DominatorObjects(self._heap)
            else:
                found = DominatorGroups(self._heap, GROUPINGS[merge], lambda: self.dump_named(dump))
            self._views[chosen] = found
        return found
