"""GraalVM object tree: a report with its views."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parsers.graalvm.object_report import ObjectReport
from parsers.graalvm.object_view import HeapRootsView
from parsers.views import Views

if TYPE_CHECKING:
    from collections.abc import Sequence

    from parsers.cache import Cache
    from parsers.graalvm.object_filter import ObjectFilters
    from parsers.input.source import Source
    from parsers.report import View


class ObjectTreeReport(ObjectReport):
    """One opened object tree. Views: "Heap roots", "Types", "Referrers"."""

    def __init__(self, source: Source, cache: Cache) -> None:
        super().__init__(source, cache)
        self.document = HeapRootsView(self)
        self.views = Views({"Heap roots": lambda: self.document, "Types": self._types, "Referrers": self._referrers})

    def _types(self) -> View:
        from parsers.graalvm.object_types_view import TypesView

        return TypesView(self, self.document)

    def _referrers(self) -> View:
        from parsers.graalvm.object_referrers import ReferrersView

        return ReferrersView(self, self.document)

    def why(self, view: str, node: int) -> Sequence[int]:
        """The way from a root to the declaration of the object that `node` of `view` shows or refers to, all its rows.

        To what nothing declares: to the row itself.
        """
        row = next(found for found in self.views if found.name == view).row_of(node)  # type: ignore[attr-defined]
        if row is None:
            return ()
        tree = self.tree
        thing = tree.thing(row)
        declaration = tree.declaration(thing) if thing >= 0 else -1
        return self.document.path(declaration if declaration >= 0 else row)

    def row_filters(self) -> ObjectFilters:
        """What filters ask of all rows at once."""
        from parsers.graalvm.object_filter import ObjectFilters

        return ObjectFilters(self)
