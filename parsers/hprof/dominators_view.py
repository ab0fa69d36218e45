"""The view "Dominators": what would be freed without an object, or without those of a class, a package, a loader."""

from __future__ import annotations

from typing import Any

from parsers.hprof.dominator_groups import DominatorGroups
from parsers.hprof.dominator_objects import DominatorObjects
from parsers.hprof.dump_objects import DOMINATORS_VIEW
from parsers.hprof.known_heap import Heap
from parsers.report import Shape, Switch
from parsers.switched import Switched

OBJECTS, BY_CLASS, BY_PACKAGE, BY_LOADER = "objects", "by class", "by package", "by loader"
GROUPINGS = {BY_CLASS: "type", BY_PACKAGE: "package", BY_LOADER: "loader"}
"""How the graph calls what is grouped so."""
MERGE = Switch("merge", "m", "merge", (OBJECTS, *GROUPINGS))


class DominatorsView(Switched):
    """Answers as the view of objects, or as the one of the groups that are chosen."""

    name = DOMINATORS_VIEW
    shape: Shape = "tree"
    switches = (MERGE,)

    def __init__(self, heap: Heap) -> None:
        super().__init__()
        self._heap = heap
        self._views: dict[str, Any] = {OBJECTS: DominatorObjects(heap)}

    def __getattr__(self, name: str) -> Any:
        choice = self.choice("merge")
        view = self._views.get(choice)
        if view is None:
            view = self._views[choice] = DominatorGroups(self._heap, GROUPINGS[choice])
        return getattr(view, name)
