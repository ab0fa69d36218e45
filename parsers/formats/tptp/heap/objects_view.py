"""The view "Objects" of recordings: objects and their recorded references."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from parsers.formats.tptp.heap.objects import TraceFinder
from parsers.heapdump.views.objects_view import ObjectsView
from parsers.model.report import Switch

if TYPE_CHECKING:
    from parsers.query.search.pattern import Pattern


class TraceObjectsView(ObjectsView):
    """References have no names, so contents of collections are unknown."""

    closes = ""
    closed = frozenset[str]()

    @property
    def switches(self) -> tuple[Switch, ...]:
        """No switches: rows have one form only."""
        return ()

    def finder(self, pattern: Pattern, is_patient: bool = False) -> TraceFinder:
        """Returns a finder for a pattern among many objects."""
        objects: Any = self.objects
        return TraceFinder(objects, pattern)
