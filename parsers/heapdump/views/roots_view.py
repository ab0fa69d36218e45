"""The view "Roots": GC roots: threads with their stacks, then the other kinds."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from parsers.heapdump.graph.heap_object import ROOTS_VIEW
from parsers.heapdump.graph.labels import NO_OBJECT, HeapDump, Root
from parsers.heapdump.tables.class_groups import dump_label
from parsers.heapdump.tables.root_groups import ALL_THREADS, OF_DUMP, OF_THREAD, RootGroup, RootGroups
from parsers.heapdump.views.kinds import FRAME, REFERRERS, ROOTS, SIZE
from parsers.heapdump.views.object_rows import GroupedObjects
from parsers.model.lookup import place_in
from parsers.model.row import Badge, Column, Link, Section, SectionRow
from parsers.model.trees.grouped_preorder import GroupedPreorder
from parsers.views.list_view import ListRow

if TYPE_CHECKING:
    from parsers.model.arrays import AnyArray, I64Array, U32Array

OF_THREADS = frozenset(("thread", "JNI local ref", "Java stack", "native stack", "thread block"))
"""Kinds of roots that are children of their thread."""
KINDS = ("dump", "group", "thread", "group")
"""Kinds of rows, by kind of group."""


class RootsView(GroupedObjects):
    """Threads first, each with all roots of its stack; then each other kind."""

    name = ROOTS_VIEW
    description = "GC roots by kind"
    begins_at_roots = True
    columns: tuple[Column, ...] = (SIZE, ROOTS, FRAME, REFERRERS)
    orders: tuple[str, ...] = ("bytes", "roots", "frame", "referrers", "name")

    # -- groups -------------------------------------------------------------------------------------------------------

    @cached_property
    def _ordered(self) -> tuple[memoryview, RootGroups]:
        """Roots in row order, and the groups."""
        graph = self.objects.graph
        kinds, threads, ids = (np.asarray(graph.root_column(name)) for name in ("kind", "thread", "id"))
        is_of_thread = np.isin(kinds, [n for n, kind in enumerate(graph.root_kinds) if kind in OF_THREADS])
        orders, groups, start = [np.empty(0, np.uint32)], list[RootGroups](), 0
        for number, dump in enumerate(graph.dumps):
            # Root 0 is the agent's unknown thread.
            roots = np.flatnonzero(ids[dump.roots.start : dump.roots.stop] != 0) + dump.roots.start
            outer = np.where(is_of_thread[roots], -1, kinds[roots].astype(np.int64))
            inner = np.where(is_of_thread[roots], threads[roots].astype(np.int64), 0)
            order = np.lexsort((kinds[roots], inner, outer))
            orders.append(roots[order].astype(np.uint32))
            groups.append(RootGroups.of(number, start, outer[order], inner[order], len(graph.dumps) > 1))
            start += len(roots)
        nothing = [np.empty(0, np.int64)]
        return np.concatenate(orders).data, RootGroups(
            *(np.concatenate([*nothing, *each]) for each in zip(*groups, strict=True))
        ) if groups else RootGroups(*(nothing * len(RootGroups._fields)))

    @property
    def groups(self) -> RootGroups:
        """All groups."""
        return self._ordered[1]

    def group_at(self, group: int) -> RootGroup:
        """Returns one group."""
        what, dump, number, first, roots = (int(each[group]) for each in self.groups)
        return RootGroup(what, self.objects.graph.dumps[dump], number, first, roots)

    def make_rows(self) -> GroupedPreorder:
        """Builds the tree of groups with roots as leaves."""
        groups = self.groups
        depths = np.array([0, 0, 1, 0])[groups.whats] + (groups.whats != OF_DUMP) * (len(self.objects.graph.dumps) > 1)
        return GroupedPreorder(depths.tolist(), groups.leaves.tolist())

    def label_of(self, group: RootGroup) -> str:
        """Returns the label of a group."""
        dump = group.dump
        if group.what == OF_DUMP:
            return dump_label(dump)
        if group.what == ALL_THREADS:
            return "threads"
        if group.what == OF_THREAD:
            return "no thread named" if group.thread is None else self.objects.thread_text(group.thread)
        return self.objects.graph.root_kinds[group.number]

    def root_at(self, group: int, leaf: int) -> int:
        """Returns the number of a leaf's root."""
        return int(self._ordered[0][self.group_at(group).first + leaf])

    def group(self, group: int) -> ListRow:
        """Returns the row of a dump, a thread, a kind."""
        each = self.group_at(group)
        ref, key = "", None
        if each.what == OF_DUMP:
            ref = self.objects.run(each.dump).rstrip("/")
        elif each.thread is not None:
            ref, key = f"{self.objects.run(each.dump)}thread:{each.thread}", ("thread", each.thread)
        links = self.objects.thread_links(each.thread)
        badges: dict[str, Badge] = {"roots": each.roots}
        return ListRow(KINDS[each.what], self.label_of(each), badges=badges, ref=ref, key=key, links=links)

    def leaf(self, group: int, leaf: int) -> ListRow:
        """Returns the row of a root: its object and its kind."""
        objects = self.objects
        root = objects.graph.root(self.root_at(group, leaf))
        in_thread = self.group_at(group).what == OF_THREAD
        before = f"{root.kind}: " if in_thread else ""
        badges: dict[str, Badge] = {"kind": root.kind}
        if root.frame is not None:
            badges["frame"] = root.frame
        if root.object == NO_OBJECT:
            badges["object"] = objects.written_id(root.id)
            label = before + (root.name or "an object that the dump lacks")
            return ListRow("root", label, badges=badges, offset=root.offset, flags=("dangling",))
        is_first = self.node_of(root.object) == self.rows.node(group, leaf)
        return objects.list_row(
            root.object,
            {**badges, **objects.badges(root.object)},
            before,
            kind="root",
            ref=objects.ref(root.object) if is_first else "",
            offset=root.offset,
            flags=objects.flags(root.object),
        )

    def remark_of(self, group: int, leaf: int) -> str:
        """Returns the id of a root's object, and its stack frame."""
        if leaf < 0:
            return ""
        root = self._root(group, leaf)
        place = self.objects.frame_text(root)
        return self.objects.written_id(root.id) + (f" in {place}" if place else "")

    # -- REFs and keys ------------------------------------------------------------------------------------------------

    @cached_property
    def _first_places(self) -> tuple[U32Array, I64Array]:
        """Objects of roots, ascending, and the place of the first root of each."""
        targets = np.asarray(self.objects.graph.root_column("object"))[np.asarray(self._ordered[0])]
        return np.unique(targets, return_index=True)

    def node_of(self, object: int) -> int | None:
        """Returns the first row of an object with roots."""
        objects, places = self._first_places
        found = place_in(objects, object)
        if found is None:
            return None
        # Groups without roots of their own have the start of the next group.
        place, firsts = int(places[found]), self.groups.firsts
        group = bisect_right(firsts, place) - 1
        return self.rows.node(group, place - int(firsts[group]))

    key_kinds = ("thread",)

    def nodes_named(self, dumps: Sequence[HeapDump], kind: str, name: str) -> Sequence[int]:
        """Returns the rows of threads, kinds of roots, dumps."""
        found, numbers = [], {dump.number for dump in dumps}
        for group in range(len(self.groups.whats)):
            each = self.group_at(group)
            if each.dump.number in numbers and (
                (kind == "thread" and str(each.thread) == name)
                or (kind == "name" and self.label_of(each) == name)
                or (kind == "dump" and not name and each.what == OF_DUMP)
            ):
                found.append(self.rows.node(group))
        return found

    def node_named(self, kind: str, name: int) -> int | None:
        """Returns the row of a thread, in the last dump that has it."""
        groups = self.groups.of_thread(name)
        return self.rows.node(int(groups[-1])) if len(groups) else None

    # -- side pane ----------------------------------------------------------------------------------------------------

    def _root(self, group: int, leaf: int) -> Root:
        return self.objects.graph.root(self.root_at(group, leaf))

    def sections_of(self, group: int, leaf: int) -> Sequence[Section]:
        """Returns a root and its object; for a group the number of roots."""
        if leaf < 0:
            each = self.group_at(group)
            return (Section(self.label_of(each), (SectionRow("roots", f"{each.roots:,}"),)),)
        root = self._root(group, leaf)
        sections = self.objects.root_sections(root)
        return sections if root.object == NO_OBJECT else [*sections, *self.objects.sections(root.object)]

    def links_of(self, group: int, leaf: int) -> Sequence[Link]:
        """Returns links from the root's object, and to its thread."""
        if leaf < 0:
            return self.group(group).links
        root = self._root(group, leaf)
        links = self.objects.links(root.object) if root.object != NO_OBJECT else []
        return [*links, *self.objects.thread_links(root.thread)]

    def object_of(self, group: int, leaf: int) -> int:
        """Returns the object of a root."""
        return NO_OBJECT if leaf < 0 else self._root(group, leaf).object

    def keys_of_leaves(self, order: str, group: int, leaves: range) -> AnyArray | None:
        """Returns sort keys of roots by their objects."""
        if order not in ("bytes", "referrers"):
            return None
        graph, first = self.objects.graph, self.group_at(group).first + leaves.start
        roots = np.asarray(self._ordered[0])[first : first + len(leaves)]
        targets = np.asarray(graph.root_column("object"))[roots].astype(np.int64)
        is_there = targets < graph.objects
        if not graph.objects:
            return np.full(len(roots), -1, np.int64)
        return np.where(is_there, graph.column(order, np.where(is_there, targets, 0)), -1)
