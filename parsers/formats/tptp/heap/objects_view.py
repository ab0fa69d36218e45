"""The view "Objects" of recordings: objects and their recorded references."""

from __future__ import annotations

from parsers.heapdump.views.objects_view import ObjectsView
from parsers.model.report import Switch


class TraceObjectsView(ObjectsView):
    """References have no names, so contents of collections are unknown."""

    closes = ""
    closed = frozenset[str]()

    @property
    def switches(self) -> tuple[Switch, ...]:
        """No switches: rows have one form only."""
        return ()
