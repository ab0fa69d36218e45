"""The view "Unreachable": unreachable objects by class, those that retain most first."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, cast

import numpy as np

from parsers.heapdump.graph.heap_object import CLASSES_VIEW, REFERRERS_VIEW
from parsers.heapdump.graph.labels import NO_OBJECT, HeapDump
from parsers.heapdump.paths.unreachable import CLASSES, UnreachableClass, find_unreachable
from parsers.heapdump.tables.class_groups import dump_label
from parsers.heapdump.views.kinds import OBJECTS, SIZE
from parsers.heapdump.views.object_rows import GroupedObjects
from parsers.model.late.preparation import LazyValue
from parsers.model.row import Badge, Column, Link, Section, SectionRow, counted
from parsers.model.trees.grouped_preorder import GroupedPreorder
from parsers.model.view import References
from parsers.views.grouped_view import GroupedView
from parsers.views.lazy_view import LazyView
from parsers.views.list_view import ListRow

if TYPE_CHECKING:
    from parsers.model.arrays import AnyArray

UNREACHABLE_VIEW = "Unreachable"
RETAINED_SIZE = Column("held", "Holds", "bytes", width=12, priority=3)
TOPS = Column("tops", "Tops", width=9, priority=2, adds_up=True)
CLASS_OF_CLASSES = "java.lang.Class"
GARBAGE_UNKNOWN = "which objects roots reach is not known: the dump lacks its end"
NO_GARBAGE = "no object is unreachable"


class UnreachableView(LazyView, GroupedObjects):
    """Classes by bytes, with objects by retained size."""

    name = UNREACHABLE_VIEW
    sorted_by = "bytes"
    description = "Objects that no GC root reaches, by class"
    group_kinds = ("dump", "class")
    needs = "paths"
    work = "looking for what no root reaches"
    columns: tuple[Column, ...] = (SIZE, OBJECTS, RETAINED_SIZE, TOPS)
    orders: tuple[str, ...] = ("bytes", "objects", "held", "tops", "name")

    # -- preparation --------------------------------------------------------------------------------------------------

    @cached_property
    def found(self) -> LazyValue[list[UnreachableClass | HeapDump]]:
        """The groups, once they are found."""
        return LazyValue(self._find)

    def _find(self) -> list[UnreachableClass | HeapDump]:
        """Returns groups; before them their dump, if there are several or it has no unreachable objects."""
        graph, found = self.objects.graph, list[UnreachableClass | HeapDump]()
        for dump in graph.dumps:
            groups = find_unreachable(graph, dump) if dump.is_whole else []
            if len(graph.dumps) > 1 or not groups:
                found.append(dump)
            found += groups
        return found

    @property
    def _groups(self) -> list[UnreachableClass | HeapDump]:
        return self.found.value

    def make_rows(self) -> GroupedPreorder:
        """Builds the tree of classes with their objects as leaves."""
        several = len(self.objects.graph.dumps) > 1
        depths = [int(several and isinstance(group, UnreachableClass)) for group in self._groups]
        return GroupedPreorder(
            depths, [len(group.objects) if isinstance(group, UnreachableClass) else 0 for group in self._groups]
        )

    # -- rows ---------------------------------------------------------------------------------------------------------

    def _of(self, group: int) -> UnreachableClass:
        return cast(UnreachableClass, self._groups[group])

    def object_at(self, group: int, leaf: int) -> int:
        """Returns the object of a leaf."""
        return int(self._of(group).objects[leaf])

    def _label(self, group: UnreachableClass) -> str:
        return CLASS_OF_CLASSES if group.type == CLASSES else self.objects.graph.type_name(group.type)

    def group(self, group: int) -> ListRow:
        """Returns the row of a class; of a dump."""
        each = self._groups[group]
        if isinstance(each, HeapDump):
            return self._dump(each, group)
        label = self._label(each)
        badges: dict[str, Badge] = {"bytes": each.bytes, "objects": len(each.objects)}
        if each.tops:
            badges |= {"held": each.retained_by_tops, "tops": each.tops}
        return ListRow(
            "class",
            label,
            badges=badges,
            ref=f"{self.objects.run(each.dump)}class:{label}",
            spans=self.objects.spans(label),
            key=("class", label),
            links=(Link("all objects of this class", f"class:{label}", CLASSES_VIEW),),
        )

    @property
    def _no_garbage(self) -> str:
        """Returns the text for no unreachable objects, with a possible reason."""
        hint = self.objects.none_unreachable
        return f"{NO_GARBAGE}: {hint}" if hint else NO_GARBAGE

    def _dump(self, dump: HeapDump, group: int) -> ListRow:
        following = self._groups[group + 1 : group + 2]
        text = (
            ""
            if following and isinstance(following[0], UnreachableClass)
            else self._no_garbage
            if dump.is_whole
            else GARBAGE_UNKNOWN
        )
        if len(self.objects.graph.dumps) == 1:
            return ListRow("finding", text)
        label = f"{dump_label(dump)}: {text}" if text else dump_label(dump)
        return ListRow("dump", label, ref=self.objects.run(dump).rstrip("/"), offset=dump.offset)

    def leaf(self, group: int, leaf: int) -> ListRow:
        """Returns the row of an object."""
        object, objects = self.object_at(group, leaf), self.objects
        badges: dict[str, Badge] = {"bytes": objects.graph.size(object), "held": int(self._of(group).retained[leaf])}
        return objects.list_row(object, badges, links=tuple(objects.links(object)))

    def remark_of(self, group: int, leaf: int) -> str:
        """Returns the id of an object and its value."""
        return self.objects.remark(self.object_at(group, leaf)) if leaf >= 0 else ""

    def labels(self, start: int, stop: int) -> list[str]:
        """Returns labels of a range of nodes: the class name."""
        found, rows, node = list[str](), self.rows, start
        while node < min(stop, rows.rows):
            group, leaf = rows.place(node)
            if leaf < 0 or self._of(group).type == CLASSES:
                found.append(self.at(group, leaf).label)
                node += 1
                continue
            count = min(stop, rows.node(group) + 1 + rows.leaves(group)) - node
            found += [self.objects.label(self.object_at(group, leaf))] * count
            node += count
        return found

    def keys_of_leaves(self, order: str, group: int, leaves: range) -> AnyArray | None:
        """Returns retained or shallow sizes of objects."""
        part, mine = slice(leaves.start, leaves.stop), self._of(group)
        if order == "held":
            return mine.retained[part]
        if order == "bytes":
            return self.objects.graph.column("bytes", mine.objects[part].astype(np.int64))
        return np.zeros(len(leaves), np.int64) if order != "name" else None

    # -- REFs and keys ------------------------------------------------------------------------------------------------

    def why_absent(self, object: int) -> str:
        """Returns that a root reaches it: only unreachable objects have rows."""
        return "a root reaches it"

    def nodes_named(self, dumps: Sequence[HeapDump], kind: str, name: str) -> Sequence[int]:
        """Returns the rows of classes, dumps."""
        if kind == "dump" and not name:
            return [self.rows.node(number) for number, each in enumerate(self._groups) if each in dumps]
        if kind not in ("class", "name"):
            return ()
        groups = [(number, each) for number, each in enumerate(self._groups) if isinstance(each, UnreachableClass)]
        return [self.rows.node(number) for number, each in groups if each.dump in dumps and self._label(each) == name]

    def node_of(self, object: int) -> int | None:
        """Returns the row of an object; None if a root reaches it."""
        type = self.objects.graph.type(object)
        for number, each in enumerate(self._groups):
            if isinstance(each, UnreachableClass) and each.type in (type, CLASSES):
                found = np.flatnonzero(each.objects == object)
                if len(found):
                    return self.rows.node(number, int(found[0]))
        return None

    # -- side pane ----------------------------------------------------------------------------------------------------

    def sections_of(self, group: int, leaf: int) -> Sequence[Section]:
        """Returns object details, or unreachable totals of the selected class, or totals of the heap."""
        if leaf >= 0:
            return self.objects.sections(self.object_at(group, leaf))
        each = self._groups[group]
        mine = [one for one in self._groups if isinstance(one, UnreachableClass)]
        whole = (
            SectionRow("objects", f"{sum(len(one.objects) for one in mine):,}"),
            SectionRow("shallow", f"{sum(one.bytes for one in mine):,}"),
        )
        if isinstance(each, HeapDump):
            return (Section("Unreachable", (SectionRow("", self.group(group).label), *whole)),)
        rows = [
            SectionRow("objects", f"{len(each.objects):,}"),
            SectionRow("shallow", f"{each.bytes:,}"),
            SectionRow("tops", f"{each.tops:,} that nothing else unreachable refers to, or that begin a cycle"),
            SectionRow("hold", f"{counted(each.retained_by_tops, 'byte')} with all that each of them alone keeps"),
        ]
        if each.type == CLASSES:
            rows.append(SectionRow("", "no garbage: dumps lack the fields of class objects that hold other classes"))
        return (Section("Unreachable objects of the class", tuple(rows)), Section("All that is unreachable", whole))

    # Unreachable objects have no path from a root: groups are explained as in other lists.
    why = GroupedView.why

    def object_of(self, group: int, leaf: int) -> int:
        """Returns the object of a leaf."""
        return NO_OBJECT if leaf < 0 else self.object_at(group, leaf)

    def references(self, node: int) -> References:
        """Returns the referrers of an object."""
        is_group = self.rows.place(node)[1] < 0
        return References("references", REFERRERS_VIEW, ()) if is_group else super().references(node)
