"""GraalVM object tree: a report with its views."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from parsers.formats.graalvm.objects.report import ObjectReport
from parsers.formats.graalvm.objects.view import HeapRootsView
from parsers.graph.views.shared import views_of
from parsers.model.late import late
from parsers.model.views import Views

if TYPE_CHECKING:
    from collections.abc import Mapping

    from parsers.formats.graalvm.objects.filter import ObjectFilters
    from parsers.formats.graalvm.objects.graph import ObjectGraphModel
    from parsers.io.cache import Cache
    from parsers.io.source import Source
    from parsers.model.tables.table import Tables
    from parsers.reporting.comparison.lines import ComparableSubject


class ObjectTreeReport(ObjectReport):
    """One opened object tree. Views: "Heap roots", "Types", "Referrers", and those of a graph."""

    def __init__(self, source: Source, cache: Cache) -> None:
        super().__init__(source, cache)
        self.document = HeapRootsView(self)
        self.views = Views(
            {
                "Heap roots": lambda: self.document,
                "Types": late("parsers.formats.graalvm.objects.types_view:TypesView", self, self.document),
                "Referrers": late("parsers.formats.graalvm.objects.referrers:ObjectReferrersView", self, self.document),
                **views_of(lambda: self.graph),
            }
        )

    @cached_property
    def graph(self) -> ObjectGraphModel:  # type: ignore[override]  # made on first access
        """The reference graph."""
        from parsers.formats.graalvm.objects.graph import ObjectGraphModel

        return ObjectGraphModel(self)

    @cached_property
    def comparable(self) -> Mapping[str, ComparableSubject]:
        """Content that can be compared with another object tree."""
        from parsers.formats.graalvm.builds.comparable_objects import comparable_objects

        return comparable_objects(self)

    def own_tables(self) -> Tables:
        """Objects, references, fields, roots and types."""
        from parsers.formats.graalvm.objects.tables import object_tables

        return object_tables(self)

    def row_filters(self) -> ObjectFilters:
        """Returns the columns of all rows that filters use."""
        from parsers.formats.graalvm.objects.filter import ObjectFilters

        return ObjectFilters(self)
