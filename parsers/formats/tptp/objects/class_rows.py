"""Rows of packages, classes and objects of a recording."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from parsers.formats.tptp.heap.views import OBJECTS_VIEW, heap_objects
from parsers.formats.tptp.objects.allocated import age, allocation_links
from parsers.formats.tptp.objects.class_choices import MOMENT, ClassChoices
from parsers.formats.tptp.objects.class_groups import BY_ID, TraceClassGroup, groups_of
from parsers.formats.tptp.objects.class_moments import END, TIME, MomentPosition, alive, born, end_of
from parsers.formats.tptp.objects.class_objects import ClassObjects
from parsers.formats.tptp.objects.class_sums import (
    ACTIVE_SIZE,
    DEFINED,
    GENERATIONS,
    LIVE,
    OLDEST,
    SUMS,
    TOTAL,
    TOTAL_SIZE,
)
from parsers.formats.tptp.schema.columns import IS_DEFINED_ONLY, NOWHERE
from parsers.formats.tptp.views.typed_moment import typed_moment
from parsers.model.late import numpy as np
from parsers.model.names.java_name import class_spans
from parsers.model.none import NONE
from parsers.model.row import Badge, Column, Link, counted
from parsers.model.trees.grouped_preorder import GroupedPreorder
from parsers.views.grouped_view import GroupedView
from parsers.views.list_view import ListRow

if TYPE_CHECKING:
    from parsers.formats.tptp.objects.class_objects import ClassObjects
    from parsers.heapdump.graph.heap_object import HeapObjects
    from parsers.model.arrays import AnyArray, U32Array

ACTIVE = Column("active_size", "Active size", "bytes", (("active_size", ""),), 15, 9, adds_up=True, bar=3)
LIVE_COLUMN = Column("live", "Live", badges=(("live", ""),), width=9, priority=8, adds_up=True)
COLLECTED = Column("collected", "Collected", badges=(("collected", ""),), width=9, priority=6, adds_up=True)
TOTAL_COLUMN = Column("total", "Total", badges=(("total", ""),), width=9, priority=7, adds_up=True)
SIZE = Column("total_size", "Total size", "bytes", (("total_size", ""),), 13, 5, adds_up=True)
OLDEST_COLUMN = Column("oldest", "Oldest", badges=(("oldest", ""),), width=6, priority=4)
AGES = Column("generations", "Ages", badges=(("generations", ""),), width=5, priority=3)
DEFINED_COLUMN = Column("defined_only", "Defined", badges=(("defined_only", ""),), width=8, priority=2, adds_up=True)

SINCE = "only what was allocated since monitoring began"


class ClassRows(ClassChoices, GroupedView):
    """Packages by the bytes of live objects, in them classes, in them objects, the largest first."""

    group_kinds = ("package", "class", "finding")

    @property
    def columns(self) -> tuple[Column, ...]:
        """Columns; objects known by their definition alone have their own, if there are any."""
        columns = (ACTIVE, LIVE_COLUMN, TOTAL_COLUMN, COLLECTED, SIZE, OLDEST_COLUMN, AGES)
        has_defined = self.is_ready and self.is_prepared and any(group.sums[DEFINED] for group in self.groups)
        return (*columns, DEFINED_COLUMN) if has_defined else columns

    @property
    def orders(self) -> tuple[str, ...]:
        """Orders: all numbers, and names."""
        return (*(column.name for column in self.columns), "name")

    @cached_property
    def groups(self) -> list[TraceClassGroup]:
        """Groups in the order of their rows; the last one is the remark under the table."""
        found = groups_of(self.recording, self.names, self.found.value, self.choice("group"), self.sessions)
        return [*found, TraceClassGroup("finding", SINCE, -1, (), (0,) * len(SUMS))]

    @cached_property
    def objects(self) -> ClassObjects:
        moments = {session: self.moment_in(session) for session in self.sessions}
        return ClassObjects(self.recording, moments, self.choice("objects"))

    def make_rows(self) -> GroupedPreorder:
        """Builds the rows: groups, and the objects of classes as leaves."""
        return GroupedPreorder([group.depth for group in self.groups], [self.leaves(group) for group in self.groups])

    @cached_property
    def _kept(self) -> str:
        """The objects that are listed."""
        return self.choice("objects")

    def leaves(self, group: TraceClassGroup) -> int:
        if group.kind != "class":
            return 0
        live = group.sums[LIVE] + group.sums[DEFINED]
        collected = group.sums[TOTAL] - group.sums[LIVE]
        listed = self._kept
        return live if listed == "live" else collected if listed == "collected" else live + collected

    @cached_property
    def _listed(self) -> Callable[[int], U32Array]:
        return lru_cache(16)(lambda group: self.objects.of(self.groups[group].classes, self.groups[group].session))

    def object_at(self, group: int, leaf: int) -> int:
        """Returns the row of objects of a leaf."""
        return int(self._listed(group)[leaf])

    # -- rows ---------------------------------------------------------------------------------------------------------

    def group(self, group: int) -> ListRow:
        """Returns the row of a session, a package, a class, or the remark under the table."""
        each = self.groups[group]
        if each.kind == "finding":
            return ListRow("finding", each.label)
        sums = each.sums
        badges: dict[str, Badge] = {
            "active_size": sums[ACTIVE_SIZE],
            "live": sums[LIVE],
            "total": sums[TOTAL],
            "collected": sums[TOTAL] - sums[LIVE],
            "total_size": sums[TOTAL_SIZE],
        }
        if sums[LIVE]:
            badges |= {"oldest": sums[OLDEST], "generations": sums[GENERATIONS]}
        if sums[DEFINED]:
            badges["defined_only"] = sums[DEFINED]
        is_session = each.kind == "session"
        return ListRow(
            each.kind,
            each.label,
            badges=badges,
            ref=self._ref(group),
            spans=tuple(class_spans(each.label, 0)) if each.kind == "class" else (),
            bars={} if is_session else {"active_size": sums[ACTIVE_SIZE] / max(each.largest, 1)},
            key=("session", each.session + 1) if is_session else (each.kind, each.label),
        )

    def _ref(self, group: int) -> str:
        each = self.groups[group]
        if each.kind == "session":
            return f"session:{each.session + 1}"
        run = f"run:{each.session + 1}/" if each.session else ""
        if self.choice("group") == BY_ID and each.classes[0] < self.recording.rows("class"):
            return self.names.ref("class", each.classes[0])
        return f"{run}{each.kind}:{each.label}"

    def leaf(self, group: int, leaf: int) -> ListRow:
        """Returns the row of an object."""
        row, column, label = self.object_at(group, leaf), self.recording.column, self.groups[group].label
        size, flags = int(column("object_size")[row]), int(column("object_flags")[row])
        badges: dict[str, Badge] = {"total_size": size, "oldest": age(self.recording, row)}
        if column("object_freed_collection")[row] == NONE:
            badges["active_size"] = size
        offset = int(column("object_offset")[row])
        is_defined = bool(flags & IS_DEFINED_ONLY)
        return ListRow(
            "object",
            label,
            badges=badges,
            ref=self.names.ref("object", row),
            offset=None if offset == NOWHERE else offset,
            flags=("partial",) if is_defined else (),
            spans=tuple(class_spans(label, 0)),
            look="object" if "active_size" in badges else "garbage",
            key=("object", row),
            links=(Link("the object", self.names.ref("object", row), OBJECTS_VIEW),)
            if self.in_heap(row) is not None
            else tuple(allocation_links(self.recording, self.names, row)[:1]),
        )

    def labels(self, start: int, stop: int) -> list[str]:
        """Returns labels of a range of nodes: objects are labelled by class."""
        found: list[str] = []
        while start < stop:
            group, leaf = self.rows.place(start)
            each = self.groups[group]
            end = start + 1 if leaf < 0 else min(stop, start + self.leaves(each) - leaf)
            found += [each.label] * (end - start)
            start = end
        return found

    def remark_of(self, group: int, leaf: int) -> str:
        """Returns an object's id, allocator and free; for a class, a note if others have its name."""
        if leaf < 0:
            each = self.groups[group]
            if each.kind == "class" and self.choice("group") == BY_ID:
                return self.class_id(each.classes[0])
            return f"{counted(len(each.classes), 'class')} of this name" if len(each.classes) > 1 else ""
        row, column = self.object_at(group, leaf), self.recording.column
        words = [f"#{self.names.id_text(int(column('object_id')[row]))}"]
        thread = int(column("object_thread")[row])
        if column("object_flags")[row] & IS_DEFINED_ONLY:
            words.append("defined only")
        elif thread != NONE:
            words.append(f"by {self.names.thread_label(thread)}")
        if column("object_freed_collection")[row] != NONE:
            words.append("collected")
        return " ".join(words)

    def class_id(self, row: int) -> str:
        ids = self.recording.column("class_id")
        return f"#{self.names.id_text(int(ids[row]))}" if row < len(ids) else ""

    def keys_of_leaves(self, order: str, group: int, leaves: range) -> AnyArray:
        """Returns sort keys of the objects of a class."""
        objects = self._listed(group)[leaves.start : leaves.stop]
        if order in ("active_size", "total_size"):
            return self.objects.sizes(objects)
        if order == "oldest":
            return self.objects.ages(objects, self.moment_in(self.groups[group].session).collections)
        return np.zeros(len(objects), np.int64)

    # -- REFs and keys ------------------------------------------------------------------------------------------------

    @cached_property
    def _by_name(self) -> dict[tuple[str, str], list[int]]:
        found: dict[tuple[str, str], list[int]] = {}
        for number, each in enumerate(self.groups):
            found.setdefault((each.kind, each.label), []).append(number)
        return found

    @cached_property
    def _of_class(self) -> dict[int, int]:
        """Group by row of classes."""
        return {row: number for number, each in enumerate(self.groups) for row in each.classes if each.kind == "class"}

    def nodes_of(self, ref: str) -> Sequence[int]:
        """Returns nodes of classes by name or id, of objects, packages, sessions; of objects of heap dumps."""
        found = self.names.find(ref)
        if found is not None and found[0] in ("object", "class"):
            node = self.node_of_object(found[1]) if found[0] == "object" else self._node_of_class(found[1])
            return () if node is None else (node,)
        place = self._place_of(ref)
        if place is not None:
            groups = [number for number, each in enumerate(self.groups) if each.session == place.session]
            return [self.rows.node(next(iter(groups), 0))]
        run, slash, rest = ref.rpartition("/") if ref.startswith("run:") else ("", "", ref)
        kind, _, value = rest.partition(":")
        if kind == "session":
            sessions = [f"session:{each.session + 1}" for each in self.groups]
            return [self.rows.node(sessions.index(rest))] if rest in sessions else ()
        kinds = ("class", "package") if kind == "name" else (kind,)
        groups = [number for each in kinds for number in self._by_name.get((each, value), ())]
        nodes = [self.rows.node(n) for n in groups if not slash or f"run:{self.groups[n].session + 1}" == run]
        return nodes or self._nodes_in_dump(ref)

    def _place_of(self, ref: str) -> MomentPosition | None:
        """Returns the place of a moment: `moment:SECONDS`, a collection, a heap dump."""
        if ref.rpartition("/")[2].startswith("moment:"):
            typed = typed_moment(self.recording, ref)
            return None if typed is None else MomentPosition(typed.session, TIME, typed.nanos)
        found = self.names.find(ref)
        if found is None or found[0] not in ("collection", "dump"):
            return None
        return MomentPosition(self.recording.session_of(*found), *found)

    def chosen_for(self, ref: str) -> Mapping[str, str]:
        """Returns the choices with which a REF has a row: its moment, and the list that contains its object."""
        if not self.is_ready:
            return {}
        place, found = self._place_of(ref), self.names.find(ref)
        if place is not None:
            recorded_label = next((label for label, each in self._recorded_moments.items() if each == place), None)
            label = recorded_label or (self.meant(MOMENT, ref) if place.table == TIME else None)
            return {} if label is None else {MOMENT: label}
        if found is None or found[0] != "object":
            return {}
        row, chosen = found[1], dict[str, str]()
        session, one = self.recording.session_of("object", row), slice(found[1], found[1] + 1)
        moment = self.moment_in(session) if session in self.sessions else None
        if moment is None or not born(self.recording, moment, one)[0]:
            chosen[MOMENT], moment = END, end_of(self.recording, session)
        is_alive = bool(alive(self.recording, moment, one)[0])
        if self.choice("objects") != "all" and (self.choice("objects") == "live") != is_alive:
            chosen["objects"] = "all"
        return chosen

    def _nodes_in_dump(self, ref: str) -> Sequence[int]:
        """Returns nodes for a REF of a heap dump: an object, or a class or package of its session."""
        heap = self.heap
        if heap is None:
            return ()
        dumps, rest = heap.split(ref)
        kind, _, name = rest.partition(":")
        sessions = {self.recording.session_of("dump", dump.number) for dump in dumps}
        groups = [group for group in self._by_name.get((kind, name), ()) if self.groups[group].session in sessions]
        if groups:
            return [self.rows.node(group) for group in groups]
        object = heap.resolve(ref)
        node = None if object is None else self.find_key(heap.key(object))
        return () if node is None else (node,)

    def node_of_object(self, row: int) -> int | None:
        """Returns the node of an object; None if it is not listed."""
        kind = int(self.recording.column("object_class")[row])
        none = self.recording.rows("class") + self.recording.session_of("object", row)
        group = self._of_class.get(min(kind, none))
        if group is None:
            return None
        found = np.flatnonzero(self._listed(group) == row)
        return self.rows.node(group, int(found[0])) if len(found) else self.rows.node(group)

    def _node_of_class(self, row: int) -> int | None:
        group = self._of_class.get(row)
        return None if group is None else self.rows.node(group)

    def find_key(self, key: Hashable) -> int | None:
        """Returns the node of an object, a class, a package or a session."""
        if not self.is_ready or not self.is_prepared:
            return None
        match key:
            case ("object", int(row)) if row < self.recording.rows("object"):
                return self.node_of_object(row)
            case ("session", int(number)):
                return next(iter(self.nodes_of(f"session:{number}")), None)
            case (("class" | "package") as kind, str(name)):
                groups = self._by_name.get((kind, name))
                return self.rows.node(groups[0]) if groups else None
        return None

    @property
    def heap(self) -> HeapObjects | None:
        """Objects of the heap dumps, if there are any."""
        return heap_objects(self.report)

    def in_heap(self, row: int) -> int | None:
        """Returns an object's number in the last dump that has it."""
        return None if self.heap is None else self.heap.of_key(("object", row))

    def object_links(self, row: int) -> list[Link]:
        """Returns links from an object to the heap dump that has it, and to its allocator."""
        object = self.in_heap(row)
        if object is not None and self.heap is not None:
            return list(self.heap.links(object))
        return allocation_links(self.recording, self.names, row)

    @cached_property
    def _dumped(self) -> frozenset[int]:
        """Rows of the classes that have objects in any heap dump."""
        return frozenset() if self.heap is None else frozenset(self.heap.graph.table("heap_class"))

    def in_dumps(self, classes: Sequence[int]) -> bool:
        """True if a heap dump has objects of any of some classes."""
        return not self._dumped.isdisjoint(classes)
