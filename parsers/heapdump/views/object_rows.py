"""Base classes of heap views: rows that show objects, rows found by key."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from parsers.heapdump.graph.heap_context import HeapView
from parsers.heapdump.graph.heap_object import REFERRERS_VIEW
from parsers.heapdump.graph.labels import NO_OBJECT, HeapDump
from parsers.model.names.patterns import Subject, type_pattern
from parsers.model.row import Row
from parsers.model.view import References, UnknownReference
from parsers.views.grouped_view import GroupedView


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
        return type_pattern(self.objects.type_name(object)) if object != NO_OBJECT else {}


class KeyedObjects(HeapView):
    """A view that finds the row of an object, of a class, a package, a loader or a thread by its key."""

    name = ""
    key_kinds: tuple[str, ...] = ("class",)
    """Kinds of keys, besides those of objects, that rows have."""

    @property
    def only_dump(self) -> HeapDump | None:
        """The only dump whose objects have rows; None: all have."""
        return None

    def node_of(self, object: int) -> int | None:
        """Returns the row of an object; None if it has none."""
        raise NotImplementedError

    def why_absent(self, object: int) -> str:
        """Returns the reason why an object has no row; may be empty if it has one."""
        return f"nothing of that name in {self.name}"

    def node_named(self, kind: str, name: Any) -> int | None:
        """Returns the row of a class, a package, a loader by its name, or of a thread by its id; None without one."""
        raise NotImplementedError

    def find_key(self, key: Hashable) -> int | None:
        """Returns the row of a key."""
        if not self.is_ready:
            return None
        object = self.objects.of_key(key, self.only_dump)
        if object is not None:
            return self.node_of(object)
        match key:
            case (str(kind), name) if kind in self.key_kinds:
                return self.node_named(kind, name)
        return None

    def node_in_ref(self, ref: str) -> int | None:
        """Returns the row of an object's REF; None for other kinds of REFs. Raises `UnknownReference`."""
        object = self.objects.resolve(ref)
        if object is None:
            return None
        node = self.node_of(object)
        if node is None:
            raise UnknownReference(f"{ref}: {self.why_absent(object)}")
        return node


class GroupedObjects(KeyedObjects, GroupedView):
    """A view of groups with objects as leaves; some groups show an object, too."""

    def object_of(self, group: int, leaf: int) -> int:
        """Returns the object of a row; a negative number if it shows none."""
        raise NotImplementedError

    def nodes_named(self, dumps: Sequence[HeapDump], kind: str, name: str) -> Sequence[int]:
        """Returns the groups that a REF `kind:name` means in some dumps; kind "dump" without a name: the dumps."""
        return ()

    def node_named(self, kind: str, name: Any) -> int | None:
        """Returns the first row of a name, beginning with the last dump."""
        return next(iter(self.nodes_named(self.objects.graph.dumps[::-1], kind, name)), None)

    def nodes_of(self, ref: str) -> Sequence[int]:
        """Returns the rows of a REF. Raises `UnknownReference`."""
        node = self.node_in_ref(ref)
        if node is not None:
            return [node]
        dumps, rest = self.objects.split(ref)
        kind, _, name = rest.partition(":")
        return self.nodes_named(dumps, kind or "dump", name)

    def references(self, node: int) -> References:
        """Returns the referrers of the object."""
        object = self.object_of(*self.rows.place(node))
        return super().references(node) if object < 0 else self.referrers_of(object)

    def why(self, node: int) -> References:
        """Returns the shortest path from a root to the object."""
        object = self.object_of(*self.rows.place(node))
        return super().why(node) if object < 0 else self.path_from_root(object)
