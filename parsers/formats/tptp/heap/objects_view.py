"""The view "Objects" of recordings: what objects refer to, as it is told."""

from __future__ import annotations

from parsers.heapdump.views.objects_view import ObjectsView
from parsers.model.report import Switch


class TraceObjectsView(ObjectsView):
    """References have no names, so that what collections hold can't be told."""

    closes = ""
    closed = frozenset[str]()

    @property
    def switches(self) -> tuple[Switch, ...]:
        """Nothing can be shown in another way."""
        return ()
