"""The view "Roots": what holds objects from outside of the heap: threads with their stacks, then the other kinds."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from parsers.hprof.heap_object import OBJECTS_VIEW, ROOTS_VIEW
from parsers.hprof.heap_words import FRAME, REFERRERS, ROOTS, SIZE
from parsers.hprof.known_heap import OfHeap
from parsers.hprof.object_graph import NO_OBJECT, Dump, Root
from parsers.leaf_rows import LeafRows
from parsers.leaf_view import LeafView
from parsers.listed_view import Entry
from parsers.report import Badge, Column, Link, References, Section, SectionRow

OF_THREADS = frozenset(("thread", "JNI local ref", "Java stack", "native stack", "thread block"))
"""Kinds whose roots stand below their thread."""


@dataclass(frozen=True, slots=True)
class Group:
    """A dump, all threads, a thread, or a kind of roots."""

    kind: str
    depth: int
    dump: Dump
    label: str
    roots: int
    first: int = 0
    """Of what has leaves: where they begin in the order."""
    leaves: int = 0
    thread: int | None = None


class RootsView(OfHeap, LeafView):
    """Threads first, each with all that its stack holds; then each other kind."""

    name = ROOTS_VIEW
    columns: tuple[Column, ...] = (SIZE, ROOTS, FRAME, REFERRERS)
    orders: tuple[str, ...] = ("bytes", "roots", "frame", "referrers", "name")

    # -- groups -------------------------------------------------------------------------------------------------------

    @cached_property
    def _ordered(self) -> tuple[memoryview, list[Group]]:
        """Roots in the order of their rows, and the groups."""
        import numpy as np

        graph = self.objects.graph
        kinds, threads, ids = (np.asarray(graph.root_column(name)) for name in ("kind", "thread", "id"))
        is_of_thread = np.isin(kinds, [n for n, kind in enumerate(graph.root_kinds) if kind in OF_THREADS])
        orders, groups, start = [np.empty(0, np.int64)], list[Group](), 0
        several = len(graph.dumps) > 1
        for dump in graph.dumps:
            # Root 0 is the thread that the agent doesn't know.
            roots = np.flatnonzero(ids[dump.roots.start : dump.roots.stop] != 0) + dump.roots.start
            outer = np.where(is_of_thread[roots], -1, kinds[roots].astype(np.int64))
            inner = np.where(is_of_thread[roots], threads[roots].astype(np.int64), 0)
            order = np.lexsort((kinds[roots], inner, outer))
            orders.append(roots[order])
            keys = list(zip(outer[order].tolist(), inner[order].tolist(), strict=True))
            if several:
                label = f"dump {dump.run}, {dump.date}" if dump.date else f"dump {dump.run}"
                groups.append(Group("dump", 0, dump, label, len(roots)))
            groups += self._groups_of(dump, keys, start, int(several))
            start += len(roots)
        return np.concatenate(orders).astype(np.uint32).data, groups

    def _groups_of(self, dump: Dump, keys: list[tuple[int, int]], start: int, depth: int) -> list[Group]:
        groups, graph = [], self.objects.graph
        in_threads = sum(outer < 0 for outer, _ in keys)
        if in_threads:
            groups.append(Group("group", depth, dump, "threads", in_threads))
        place = 0
        while place < len(keys):
            end = place
            while end < len(keys) and keys[end] == keys[place]:
                end += 1
            outer, inner = keys[place]
            if outer < 0:
                label = self.objects.thread_text(inner) if inner != NO_THREAD else "no thread named"
                thread = inner if inner != NO_THREAD else None
                groups.append(Group("thread", depth + 1, dump, label, end - place, start + place, end - place, thread))
            else:
                groups.append(
                    Group("group", depth, dump, graph.root_kinds[outer], end - place, start + place, end - place)
                )
            place = end
        return groups

    @property
    def groups(self) -> list[Group]:
        """All groups, in the order of their rows."""
        return self._ordered[1]

    def make_rows(self) -> LeafRows:
        """Groups, and roots as leaves."""
        return LeafRows([group.depth for group in self.groups], [group.leaves for group in self.groups])

    def root_at(self, group: int, leaf: int) -> int:
        """The root of a leaf, by number."""
        return int(self._ordered[0][self.groups[group].first + leaf])

    def group(self, group: int) -> Entry:
        """A dump, a thread, a kind."""
        each = self.groups[group]
        ref, key = "", None
        if each.kind == "dump":
            ref = self.objects.run(each.dump).rstrip("/")
        elif each.thread is not None:
            ref, key = f"{self.objects.run(each.dump)}thread:{each.thread}", ("thread", each.thread)
        links = self.objects.thread_links(each.thread)
        return Entry(each.kind, each.label, badges={"roots": each.roots}, ref=ref, key=key, links=links)

    def leaf(self, group: int, leaf: int) -> Entry:
        """A root: what it holds, and how."""
        objects = self.objects
        root = objects.graph.root(self.root_at(group, leaf))
        in_thread = self.groups[group].kind == "thread"
        before = f"{root.kind}: " if in_thread else ""
        badges: dict[str, Badge] = {"kind": root.kind}
        if root.frame is not None:
            badges["frame"] = root.frame
        if root.object == NO_OBJECT:
            badges["object"] = objects.written_id(root.id)
            label = before + (root.name or "an object that the dump lacks")
            return Entry("root", label, badges=badges, offset=root.offset, flags=("dangling",))
        label = before + objects.label(root.object)
        return Entry(
            "root",
            label,
            badges={**badges, **objects.badges(root.object)},
            ref=objects.ref(root.object) if self._first_nodes.get(root.object) == self.rows.node(group, leaf) else "",
            offset=root.offset,
            flags=objects.flags(root.object),
            spans=objects.spans(label, len(before)),
            look=objects.look(root.object),
            links=(Link("the object", objects.ref(root.object), OBJECTS_VIEW),),
            key=objects.key(root.object),
        )

    def remark_of(self, group: int, leaf: int) -> str:
        """The id of the object that a root holds, and the frame that does."""
        if leaf < 0:
            return ""
        root = self._root(group, leaf)
        place = self.objects.frame_text(root)
        return self.objects.written_id(root.id) + (f" in {place}" if place else "")

    # -- REFs and keys ------------------------------------------------------------------------------------------------

    @cached_property
    def _first_nodes(self) -> dict[int, int]:
        """By object that a root holds: the first row."""
        targets = self.objects.graph.root_column("object")
        found: dict[int, int] = {}
        for group, each in enumerate(self.groups):
            first = self.rows.node(group) + 1
            for leaf, root in enumerate(self._ordered[0][each.first : each.first + each.leaves]):
                found.setdefault(targets[root], first + leaf)
        return found

    def nodes_of(self, ref: str) -> Sequence[int]:
        """Objects that roots hold, threads, dumps. Raises `UnknownReference`."""
        object = self.objects.resolve(ref)
        if object is not None:
            return [self._first_nodes[object]] if object in self._first_nodes else ()
        dumps, rest = self.objects.split(ref)
        kind, _, value = rest.partition(":")
        found = []
        for dump in dumps:
            for group, each in enumerate(self.groups):
                if each.dump.number != dump.number:
                    continue
                is_it = (kind == "thread" and str(each.thread) == value) or (kind == "name" and each.label == value)
                if is_it or (not rest and each.kind == "dump"):
                    found.append(self.rows.node(group))
        return found

    def find_key(self, key: Hashable) -> int | None:
        """The row of an object that a root holds, or of a thread."""
        if not self.is_ready:
            return None
        object = self.objects.of_key(key)
        if object is not None:
            return self._first_nodes.get(object)
        match key:
            case ("thread", int(thread)):
                groups = [group for group, each in enumerate(self.groups) if each.thread == thread]
                return self.rows.node(groups[-1]) if groups else None
        return None

    # -- beside a row -------------------------------------------------------------------------------------------------

    def _root(self, group: int, leaf: int) -> Root:
        return self.objects.graph.root(self.root_at(group, leaf))

    def sections_of(self, group: int, leaf: int) -> Sequence[Section]:
        """A root and the object it holds; of a group how many it has."""
        if leaf < 0:
            each = self.groups[group]
            return (Section(each.label, (SectionRow("roots", f"{each.roots:,}"),)),)
        root = self._root(group, leaf)
        sections = self.objects.root_sections(root)
        return sections if root.object == NO_OBJECT else [*sections, *self.objects.sections(root.object)]

    def links_of(self, group: int, leaf: int) -> Sequence[Link]:
        """Ways from the object that a root holds, and to its thread."""
        if leaf < 0:
            return self.group(group).links
        root = self._root(group, leaf)
        links = self.objects.links(root.object) if root.object != NO_OBJECT else []
        return [*links, *self.objects.thread_links(root.thread)]

    def references(self, node: int) -> References:
        """Referrers of the object that a root holds."""
        group, leaf = self.rows.place(node)
        root = self._root(group, leaf) if leaf >= 0 else None
        if root is None or root.object == NO_OBJECT:
            return super().references(node)
        found: References = self._heap.view("Referrers").referrers_of(root.object)
        return found

    def why(self, node: int) -> References:
        """The shortest way from a root to the object that a root holds: often the object alone."""
        group, leaf = self.rows.place(node)
        root = self._root(group, leaf) if leaf >= 0 else None
        if root is None or root.object == NO_OBJECT:
            return super().why(node)
        found: References = self._heap.view(OBJECTS_VIEW).way_to(root.object)
        return found

    def keys_of_leaves(self, order: str, group: int, leaves: range) -> Any:
        """Sort keys of roots by what they hold."""
        import numpy as np

        if order not in ("bytes", "referrers"):
            return None
        graph, first = self.objects.graph, self.groups[group].first + leaves.start
        roots = np.asarray(self._ordered[0])[first : first + len(leaves)]
        targets = np.asarray(graph.root_column("object"))[roots].astype(np.int64)
        is_there = targets < graph.objects
        if not graph.objects:
            return np.full(len(roots), -1, np.int64)
        return np.where(is_there, graph.column(order, np.where(is_there, targets, 0)), -1)


NO_THREAD = 0xFFFF_FFFF
"""In the column of threads."""
