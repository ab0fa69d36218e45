"""Base classes of heap views: for rows that show objects, and for rows that are computed on first use, in a thread."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from parsers.heapdump.graph.heap_context import HeapView
from parsers.heapdump.graph.heap_object import REFERRERS_VIEW
from parsers.heapdump.graph.labels import NO_OBJECT
from parsers.model.names.patterns import Subject, element_type, proposed
from parsers.model.report import References, Row
from parsers.views.grouped_view import GroupedView

if TYPE_CHECKING:
    from parsers.model.preparation import LazyValue, Preparation


class ObjectRows(HeapView):
    """A view of which any row may show an object."""

    def object_in(self, node: int) -> int:
        """Returns the object of a row; NO_OBJECT if it shows none."""
        raise NotImplementedError

    def remark(self, row: Row) -> str:
        """Returns the value and the id of the object, and a remark for garbage."""
        object = self.object_in(row.node)
        return self.objects.remark(object) if object != NO_OBJECT else ""

    def references(self, node: int) -> References:
        """Returns the referrers of the object: its child rows in "Referrers"."""
        object = self.object_in(node)
        return self.referrers_of(object) if object != NO_OBJECT else References("references", REFERRERS_VIEW, ())

    def why(self, node: int) -> References:
        """Returns the shortest path from a root to the object, as nodes of "Objects"; empty if unreachable."""
        return self.path_from_root(self.object_in(node))

    def patterns(self, node: int) -> Mapping[Subject, str]:
        """Returns a pattern that matches the object's class."""
        object = self.object_in(node)
        return {"types": proposed(element_type(self.objects.type_name(object)))} if object != NO_OBJECT else {}


class GroupedObjects(HeapView, GroupedView):
    """A view of groups with objects as leaves; some groups show an object, too."""

    def object_of(self, group: int, leaf: int) -> int:
        """Returns the object of a row; a negative number if it shows none."""
        raise NotImplementedError

    def references(self, node: int) -> References:
        """Returns the referrers of the object."""
        object = self.object_of(*self.rows.place(node))
        return super().references(node) if object < 0 else self.referrers_of(object)

    def why(self, node: int) -> References:
        """Returns the shortest path from a root to the object."""
        object = self.object_of(*self.rows.place(node))
        return super().why(node) if object < 0 else self.path_from_root(object)


class LazyView(HeapView):
    """A view without rows until `found` is computed, from all of the heap."""

    work = ""
    """Label of the computation, for screens."""
    found: LazyValue[Any]
    """The source of the rows."""

    @property
    def is_ready(self) -> bool:
        """True if it can be shown now."""
        return super().is_ready and not self.found.is_running

    @property
    def is_prepared(self) -> bool:
        """True if rows are available without much work."""
        return self.found.is_prepared

    @property
    def waits_for(self) -> str:
        """Label of the computation that rows wait for."""
        return self.work if self.found.is_running else super().waits_for

    def preparation(self) -> Preparation | None:
        """Returns the computation that has to run before there are rows."""
        return self.found.preparation() if self.is_ready else None
