"""The view "Classes": packages or loaders, classes, objects, by size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from operator import mul
from typing import TYPE_CHECKING, cast

from parsers.heapdump.graph.heap_object import CLASSES_VIEW, OBJECTS_VIEW, PATHS_VIEW
from parsers.heapdump.graph.labels import NO_OBJECT, HeapDump
from parsers.heapdump.paths.reachability import NO_ROW
from parsers.heapdump.tables.class_groups import (
    BY_LOADER,
    CLASS,
    DUMP,
    GROUPINGS,
    TOP,
    ClassGroup,
    ClassGroups,
    dump_label,
)
from parsers.heapdump.views.kinds import BYTES, CHANGE, GARBAGE, OBJECTS, PRINTED, REFERRERS, RETAINED
from parsers.heapdump.views.object_rows import GroupedObjects
from parsers.index.bitpacked.columns import numbers
from parsers.model.late import numpy as np
from parsers.model.late.cached import forget
from parsers.model.names.patterns import Subject, type_pattern
from parsers.model.row import Badge, Column, Link, Section, SectionRow, counted
from parsers.model.trees.grouped_preorder import GroupedPreorder
from parsers.model.view import References, Switch
from parsers.views.list_view import ListRow
from parsers.views.switches import SwitchableView

if TYPE_CHECKING:
    from parsers.heapdump.views.paths_view import PathsView
    from parsers.model.arrays import AnyArray

GROUP = Switch("group", "g", "group", GROUPINGS)
WITHOUT_LOADERS = Switch("group", "g", "group", tuple(each for each in GROUPINGS if each != BY_LOADER))
RETAINED_BY = {"package": "package", "loader": "loader", "class": "type"}
"""The graph's name of a grouping, by kind of group."""


class HeapClassesView(SwitchableView, GroupedObjects):
    """Packages or loaders by bytes, in them classes by bytes, in them objects by bytes."""

    name = CLASSES_VIEW
    sorted_by = "bytes"
    description = "Classes with objects and retained sizes"
    group_kinds = ("dump", "package", "loader", "class")

    @property
    def switches(self) -> tuple[Switch, ...]:
        """The choice of the level above classes."""
        has_class_loaders = not self.is_ready or self.objects.graph.has_class_loaders
        return (GROUP if has_class_loaders else WITHOUT_LOADERS,)

    @property
    def columns(self) -> tuple[Column, ...]:
        """Columns, with retained size if known, and change since the previous dump if there are several.

        Only text dumps have printed sizes that differ from true ones.
        """
        has_retained_sizes = self.is_ready and self.objects.graph.has_retained_sizes
        change = (CHANGE,) if self._has_several else ()
        return (
            BYTES,
            *change,
            *((RETAINED,) if has_retained_sizes else ()),
            OBJECTS,
            GARBAGE,
            *(() if has_retained_sizes else (PRINTED,)),
            REFERRERS,
        )

    @property
    def orders(self) -> tuple[str, ...]:
        """Orders of the columns, and by name."""
        return (*(column.name for column in self.columns), "name")

    @property
    def _has_several(self) -> bool:
        """True if there are several dumps of one process, which can be compared."""
        if not self.is_ready:
            return False
        processes = [dump.process for dump in self.objects.graph.dumps]
        return len(set(processes)) < len(processes)

    # -- groups -------------------------------------------------------------------------------------------------------

    def on_stage_complete(self) -> None:
        """Discards cached sums when garbage or retained sizes become known. Groups keep their places."""
        forget(self, HeapClassesView.groups, HeapClassesView._largest)

    @cached_property
    def groups(self) -> ClassGroups:
        """All groups, in row order."""
        return ClassGroups(self.objects, self.choice("group"))

    @cached_property
    def _largest(self) -> list[int]:
        """By dump the bytes of its longest bar."""
        found, groups, bytes = [], self.groups, self.groups.bytes
        for dump in range(len(self.objects.graph.dumps)):
            part = groups.range_of(dump)
            bars = bytes[part.start + (groups.kinds[part.start] == DUMP) : part.stop] if part else []
            found.append(max(1, max(bars, default=1)))
        return found

    def make_rows(self) -> GroupedPreorder:
        """Builds the tree of groups with the objects of classes as leaves."""
        groups, above = self.groups, int(len(self.objects.graph.dumps) > 1)
        depths = bytes((0, above, above + (TOP in groups.kinds)))
        leaves = map(mul, map(CLASS.__eq__, groups.kinds), groups.objects)
        return GroupedPreorder([*map(depths.__getitem__, groups.kinds)], [*leaves])

    def object_at(self, group: int, leaf: int) -> int:
        """Returns the object of a leaf."""
        return int(self.objects.graph.table("object_order")[self.groups[group].first + leaf])

    def group(self, group: int) -> ListRow:
        """Returns the row of a dump, a package, a class."""
        each = self.groups[group]
        badges: dict[str, Badge] = {"bytes": each.bytes, "objects": each.objects}
        if not self.objects.graph.has_retained_sizes:
            badges["printed"] = each.printed
        if each.garbage:
            badges["garbage"] = each.garbage_bytes
        if each.change is not None:
            badges["change"] = each.change
        retained = self._retained(each)
        if retained is not None:
            badges["retained"] = retained
        is_dump = each.kind == "dump"
        spans = self.objects.spans(each.label) if each.kind == "class" else ()
        return ListRow(
            each.kind,
            each.label,
            badges=badges,
            ref=self._ref(group),
            spans=spans,
            flags=() if not is_dump or each.dump.is_whole else ("truncated",),
            bars={} if is_dump else {"bytes": each.bytes / self._largest[each.dump.number]},
            key=None if is_dump else (each.kind, each.label),
            offset=each.dump.offset if is_dump else None,
        )

    def _retained(self, each: ClassGroup) -> int | None:
        """Returns the bytes that would be freed without the objects of a group; None if unknown."""
        grouping = RETAINED_BY.get(each.kind)
        return None if grouping is None else self.objects.graph.retained_by(grouping, each.member, each.dump)

    def _ref(self, group: int) -> str:
        each, run = self.groups[group], self.objects.run(self.groups[group].dump)
        if each.kind == "dump":
            return run.rstrip("/")
        if each.kind == "package":
            return f"{run}package:{each.label}"
        if each.kind == "loader":
            return f"{run}name:{each.label}"
        is_first = self.groups.named("class", each.label, each.dump.number)[0] == group
        name = each.label if is_first else self.objects.graph.type_text(each.type)
        return f"{run}class:{name}"

    def leaf(self, group: int, leaf: int) -> ListRow:
        """Returns the row of an object."""
        object, objects = self.object_at(group, leaf), self.objects
        return objects.list_row(object, objects.badges(object), flags=objects.flags(object))

    def labels(self, start: int, stop: int) -> list[str]:
        """Returns labels of a range of nodes: the class name, except for class objects."""
        found: list[str] = []
        while start < stop:
            group, leaf = self.rows.place(start)
            each = self.groups[group]
            if leaf < 0:
                found.append(each.label)
                start += 1
                continue
            end = min(stop, start + each.objects - leaf)
            of_classes = self.objects.graph.table("heap_dump_classes")[each.dump.number]
            if of_classes in (NO_ROW, each.type):
                places = range(leaf, leaf + end - start)
                found += [self.objects.label(self.object_at(group, place)) for place in places]
            else:
                found += [self.objects.label(self.object_at(group, leaf))] * (end - start)
            start = end
        return found

    def remark_of(self, group: int, leaf: int) -> str:
        """Returns an object's id, and a remark for garbage; the loader, where several classes share a name."""
        if leaf >= 0:
            return self.objects.remark(self.object_at(group, leaf))
        each = self.groups[group]
        if each.kind == "class" and len(self.groups.named("class", each.label, each.dump.number)) > 1:
            graph = self.objects.graph
            if not graph.has_class_loaders:
                return graph.type_text(each.type)
            return self.objects.loader_label(graph.loader(each.type, each.dump))
        return "" if each.kind != "dump" or each.dump.is_whole else "the file ends in it"

    def keys_of_leaves(self, order: str, group: int, leaves: range) -> AnyArray | None:
        """Returns sort keys of objects of a class; class objects have individual names."""
        each = self.groups[group]
        if order == "name" and self.objects.graph.table("heap_dump_classes")[each.dump.number] == each.type:
            return None
        if order == "bytes":
            # Already in this order.
            return np.arange(len(leaves), 0, -1)
        if order not in ("printed", "referrers", "retained"):
            return np.zeros(len(leaves), np.int64)
        first = each.first + leaves.start
        objects = numbers(self.objects.graph.table("object_order"), slice(first, first + len(leaves)))
        return self.objects.graph.column(order, objects)

    # -- REFs and keys ------------------------------------------------------------------------------------------------

    @property
    def names(self) -> Sequence[bytes]:
        """The names of all classes with objects; empty until they are known."""
        return self._names if self.is_ready else ()

    @cached_property
    def _names(self) -> list[bytes]:
        # Independent of the grouping: numbers of other classes don't change.
        graph = self.objects.graph
        names = dict.fromkeys(map(graph.type_names().__getitem__, graph.table("heap_class")))
        return [name.encode("utf-8", "surrogatepass") for name in names]

    def name_count(self, name: int) -> int:
        """Returns the number of classes with a name, in all dumps and loaders."""
        return len(self.name_nodes(name))

    def name_nodes(self, name: int) -> Sequence[int]:
        """Returns the rows of those classes."""
        label = self._names[name].decode("utf-8", "surrogatepass")
        numbers = (dump.number for dump in self.objects.graph.dumps)
        return [self.rows.node(group) for number in numbers for group in self.groups.named("class", label, number)]

    key_kinds = tuple(RETAINED_BY)

    def nodes_named(self, dumps: Sequence[HeapDump], kind: str, name: str) -> Sequence[int]:
        """Returns the rows of classes, packages, loaders, dumps."""
        kinds = tuple(RETAINED_BY) if kind == "name" else (kind,)
        return [
            self.rows.node(group)
            for dump in dumps
            for each in kinds
            for group in self.groups.named(each, name or dump_label(dump), dump.number)
        ]

    def node_of(self, object: int) -> int:
        """Returns the row of an object."""
        graph = self.objects.graph
        dump = graph.dump_of(object)
        group = self.groups.of_type(self.objects.counted_type(object), dump.number)
        if group is None:
            raise KeyError(object)
        each = self.groups[group]
        order = numbers(graph.table("object_order"), slice(each.first, each.first + each.objects))
        return self.rows.node(group, int(np.flatnonzero(order == object)[0]))

    # -- side pane ----------------------------------------------------------------------------------------------------

    def sections_of(self, group: int, leaf: int) -> Sequence[Section]:
        """Returns sums of a group; for an object the sections of all views."""
        if leaf >= 0:
            return self.objects.sections(self.object_at(group, leaf))
        each = self.groups[group]
        rows = [
            SectionRow("objects", f"{each.objects:,}"),
            SectionRow("shallow", f"{each.bytes:,}"),
        ]
        if each.printed != each.bytes:
            rows.append(SectionRow("sz", f"{each.printed:,} as printed"))
        retained = self._retained(each)
        if retained is not None:
            rows.append(SectionRow("retained", f"{counted(retained, 'byte')} would be freed without them"))
        if each.garbage:
            rows.append(SectionRow("garbage", each.garbage_words))
        if each.change_words:
            rows.append(SectionRow("dump before", each.change_words))
        if each.kind == "dump" or len(self.objects.graph.dumps) == 1:
            dump = each.dump
            # Only text dumps contain their date and the totals of the agent.
            printed = f"the agent counted {dump.printed}" if dump.date and dump.printed else dump.printed
            rows.append(SectionRow("dump", ", ".join(filter(None, (dump.date, printed)))))
        if not each.dump.is_whole:
            rows.append(SectionRow("", "the dump lacks its end: garbage is unknown"))
        if each.type < 0:
            return (Section(each.label, tuple(rows)),)
        graph = self.objects.graph
        if graph.has_class_loaders:
            loader = graph.loader(each.type, each.dump)
            loader_link = (self.objects.ref(loader), OBJECTS_VIEW) if loader != NO_OBJECT else ()
            rows.append(SectionRow("loader", self.objects.loader_label(loader), *loader_link))
        of = graph.class_object(each.type, each.dump)
        if of != NO_OBJECT:
            rows.append(SectionRow("class object", self.objects.id_text(of), self.objects.ref(of), OBJECTS_VIEW))
        return (Section(each.label, tuple(rows)), *(self.objects.sections(of)[1:] if of != NO_OBJECT else ()))

    def links_of(self, group: int, leaf: int) -> Sequence[Link]:
        """Returns links from an object; from a class to its class object and its largest instance."""
        if leaf >= 0:
            return self.objects.links(self.object_at(group, leaf))
        each = self.groups[group]
        if each.kind == "dump":
            return self.objects.dump_links(each.dump)
        if each.type < 0:
            return ()
        links = [Link("largest object", self.objects.ref(self.object_at(group, 0)), OBJECTS_VIEW)]
        of = self.objects.graph.class_object(each.type, each.dump)
        if of != NO_OBJECT:
            links.append(Link("object of the class", self.objects.ref(of), OBJECTS_VIEW))
        return [*links, *self.objects.type_links(each.type, each.dump)]

    def why(self, node: int) -> References:
        """Returns the shortest path from a root to an object; for groups the merged paths of their objects."""
        group, leaf = self.rows.place(node)
        each = self.groups[group]
        if leaf >= 0 or each.kind not in ("class", "package"):
            return super().why(node)
        paths = cast("PathsView", self._heap.view(PATHS_VIEW))
        if not paths.is_ready:
            return References(f"paths from roots: {paths.waits_for}", PATHS_VIEW, ())
        if each.dump != paths.dump:
            # The other view shows one dump.
            return self.path_from_root(self.object_at(group + (each.kind == "package"), 0))
        return paths.why(paths.node_of_group(each.kind, each.label, each.type))

    def object_of(self, group: int, leaf: int) -> int:
        """Returns an object; of a class its class object."""
        if leaf >= 0:
            return self.object_at(group, leaf)
        each = self.groups[group]
        return self.objects.graph.class_object(each.type, each.dump) if each.type >= 0 else NO_OBJECT

    def patterns(self, node: int) -> Mapping[Subject, str]:
        """Returns a pattern that matches the class."""
        group, _ = self.rows.place(node)
        each = self.groups[group]
        return type_pattern(each.label) if each.kind == "class" else {}
