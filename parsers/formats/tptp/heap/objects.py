"""Objects of a recording's heap dumps as rows and side panes, with id, allocator and position; the view "Objects"."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from parsers.formats.tptp.heap.graph import TraceGraph
from parsers.formats.tptp.objects.allocated import allocation_links, allocation_section
from parsers.formats.tptp.schema.columns import CLASS_ENTITY, NEVER, OBJECT_ENTITY, THREAD_ENTITY, UNKNOWN_ENTITY
from parsers.formats.tptp.store.names import ROW
from parsers.formats.tptp.views.links import element_link
from parsers.formats.tptp.views.typed_moment import moment_ref
from parsers.heapdump.collections.contents import Contents
from parsers.heapdump.graph.dominated_object import DominatedObjects
from parsers.heapdump.graph.heap_object import CLASSES_VIEW
from parsers.heapdump.graph.labels import NO_OBJECT, HeapDump
from parsers.heapdump.views.objects_view import ObjectsView
from parsers.model.late import numpy as np
from parsers.model.row import Badge, Link, Section, SectionRow, counted
from parsers.model.view import Switch, UnknownReference
from parsers.query.search.pattern import in_line

if TYPE_CHECKING:
    from parsers.formats.tptp.store.names import TraceNames
    from parsers.formats.tptp.store.recording import TraceRecording
    from parsers.query.search.pattern import Pattern

TABLES = {"object": OBJECT_ENTITY, "class": CLASS_ENTITY, "thread": THREAD_ENTITY}
"""Kinds of entities by kind of a REF."""


class TraceObjects(DominatedObjects):
    """Formats objects of all dumps of a recording as text."""

    graph: TraceGraph
    none_unreachable = ""

    def __init__(self, graph: TraceGraph, recording: TraceRecording, names: TraceNames) -> None:
        super().__init__(graph, None, lambda id: "")
        self._recorded = recording
        self._names = names
        self._prefixes = [names.ref("dump", dump.number) for dump in graph.dumps]

    def entity(self, object: int) -> tuple[int, int]:
        """Returns the kind and row of an object's entity."""
        entity = self.graph.entity(object)
        return entity & ~ROW, entity & ROW

    # -- labels -------------------------------------------------------------------------------------------------------

    def label(self, object: int) -> str:
        """Returns the label of a row; also for ends of references that are not objects."""
        kind, row = self.entity(object)
        if kind in (CLASS_ENTITY, THREAD_ENTITY):
            return self._names.entity_class(kind | row)
        if kind == UNKNOWN_ENTITY:
            return f"object #{self.id_text(object)} (not defined)"
        return self.graph.type_name(self.graph.type(object))

    def type_name(self, object: int) -> str:
        """Returns the class of an object; for a class, the class itself."""
        kind, row = self.entity(object)
        return self._names.class_label(row) if kind == CLASS_ENTITY else super().type_name(object)

    def kind(self, object: int) -> str:
        """Returns the kind of a row."""
        kind = self.entity(object)[0]
        return {CLASS_ENTITY: "class object", THREAD_ENTITY: "thread"}.get(kind) or super().kind(object)

    def badges(self, object: int) -> dict[str, Badge]:
        """Returns the numbers of an object; other entities have no size."""
        badges = super().badges(object)
        left_out = ("printed",) if self.entity(object)[0] == OBJECT_ENTITY else ("printed", "bytes", "garbage")
        return {name: value for name, value in badges.items() if name not in left_out}

    def is_garbage(self, object: int) -> bool:
        """True if no root reaches it; always false for classes, threads and undefined ids."""
        return self.entity(object)[0] == OBJECT_ENTITY and super().is_garbage(object)

    def flags(self, object: int) -> tuple[str, ...]:
        """Returns the flags of a row."""
        return ("dangling",) if self.entity(object)[0] == UNKNOWN_ENTITY else ()

    def contents(self, object: int) -> tuple[Contents, str] | None:
        """Returns None: contents of collections are unknown, since references have no names."""
        return None

    # -- REFs and keys ------------------------------------------------------------------------------------------------

    def written_id(self, id: int) -> str:
        """Returns an id as the file writes it."""
        return self._names.id_text(id)

    def read_id(self, text: str) -> int | None:
        """Returns an id as columns encode it."""
        return self._names.id_of(text)

    def run(self, dump: HeapDump) -> str:
        """Returns the dump's prefix if there are several."""
        return f"{self._prefixes[dump.number]}/" if len(self._prefixes) > 1 else ""

    def ref(self, object: int) -> str:
        """Returns the REF of an object in all views, with the dump as prefix if there are several."""
        kind, row = self.entity(object)
        dump = self.graph.dump_of(object)
        table = next((table for table, of in TABLES.items() if of == kind), None)
        named = f"object:{self.id_text(object)}" if table is None else self._names.ref(table, row)
        return self.run(dump) + named.removeprefix(f"run:{self._session(dump) + 1}/")

    def _session(self, dump: HeapDump) -> int:
        return self._recorded.session_of("dump", dump.number)

    def split(self, ref: str) -> tuple[Sequence[HeapDump], str]:
        """Returns the possible dumps of a REF, the last one first, and the rest of it. Raises `UnknownReference`."""
        dumps = self.graph.dumps
        for dump, prefix in zip(dumps, self._prefixes, strict=True):
            if ref == prefix or ref.startswith(f"{prefix}/"):
                return [dump], ref[len(prefix) + 1 :]
        before, _, rest = ref.partition("/")
        if not before.startswith("run:"):
            return dumps[::-1], ref
        found = [dump for dump in reversed(dumps) if before == f"run:{self._session(dump) + 1}"]
        if not found:
            raise UnknownReference(f"{ref}: no heap dump is part of that session")
        return found, rest

    def resolve(self, ref: str) -> int | None:
        """Returns the object of a REF, by its entity in the recording, else by its id at the time of the dump."""
        dumps, rest = self.split(ref)
        kind, _, value = rest.partition(":")
        if kind not in TABLES or (kind == "class" and not value[:1].isdigit()):
            return None
        for dump in dumps:
            session = self._session(dump)
            found = self._names.find(f"run:{session + 1}/{rest}")
            object = NO_OBJECT if found is None else self.graph.of_entity(TABLES[found[0]] | found[1], dump)
            if object == NO_OBJECT and kind == "object" and "@" not in value:
                id = self.read_id(value)
                object = NO_OBJECT if id is None else self.graph.find(id, dump)
            if object != NO_OBJECT:
                return object
        if kind != "object":
            return None
        raise UnknownReference(f"{ref}: no object of a heap dump has this id")

    def key(self, object: int) -> Hashable:
        """Returns the key that identifies it in other views, and in other dumps."""
        kind, row = self.entity(object)
        if kind == CLASS_ENTITY:
            return ("class", self._names.class_label(row))
        return ({THREAD_ENTITY: "thread", OBJECT_ENTITY: "object"}.get(kind, "undefined"), row)

    def of_key(self, key: Hashable, dump: HeapDump | None = None) -> int | None:
        """Returns the object of a key, in the last dump that has it or in a given one."""
        match key:
            case (("object" | "thread" | "undefined") as table, int(row)):
                entity = {**TABLES, "undefined": UNKNOWN_ENTITY}[table] | row
            case _:
                return None
        found = (self.graph.of_entity(entity, each) for each in ([dump] if dump else reversed(self.graph.dumps)))
        return next((object for object in found if object != NO_OBJECT), None)

    # -- side pane ----------------------------------------------------------------------------------------------------

    def _class_link(self, object: int) -> tuple[str | None, str | None]:
        kind, row = self.entity(object)
        if kind not in (OBJECT_ENTITY, CLASS_ENTITY):
            return None, None
        dump = self.graph.dump_of(object)
        return self._path_to_class(row if kind == CLASS_ENTITY else self.graph.type(object), dump) or (None, None)

    def _path_to_class(self, type: int, dump: HeapDump) -> tuple[str, str] | None:
        """Returns the REF of a class, and the view that has it; None if it has no objects."""
        # An object may have no class.
        if not self._names.has_objects(type):
            return None
        is_recorded = type < self._recorded.rows("class")
        ref = self._names.ref("class", type) if is_recorded else f"{self.run(dump)}class:{self.graph.type_name(type)}"
        return ref, CLASSES_VIEW

    def _facts(self, object: int) -> Section:
        found, graph = super()._facts(object), self.graph
        is_object = self.entity(object)[0] == OBJECT_ENTITY
        rows = [row for row in found.rows if row.label != "elements" and (is_object or row.label != "bytes")]
        distance = graph.distance(object)
        if distance is not None:
            rows.append(
                SectionRow("dominates", f"{counted(graph.retained_objects(object), 'object')}, itself included")
            )
            rows.append(
                SectionRow("distance", f"{counted(distance, 'step')} from a root" if distance else "0: held by a root")
            )
        return Section(found.title, tuple(rows))

    def sections(self, object: int) -> Sequence[Section]:
        """Returns sections, including the allocation."""
        first, *more = super().sections(object)
        kind, row = self.entity(object)
        made = allocation_section(self._recorded, self._names, row) if kind == OBJECT_ENTITY else None
        return [first, *([made] if made else ()), *more]

    def dump_links(self, dump: HeapDump) -> list[Link]:
        """Returns links, including the moment of the dump."""
        ref, time = self._names.ref("dump", dump.number), int(self._recorded.column("dump_time")[dump.number])
        found = [*super().dump_links(dump), Link("what was alive then", ref, CLASSES_VIEW)]
        if time != NEVER:
            found.append(Link("when it was made", moment_ref(time, self._session(dump)), "Time line"))
        return [*found, *element_link(self._names.offset("dump", dump.number))]

    def type_links(self, type: int, dump: HeapDump) -> list[Link]:
        """Returns links to all allocations of a class."""
        return [Link("in all of the recording", *path)] if (path := self._path_to_class(type, dump)) else []

    def links(self, object: int) -> list[Link]:
        """Returns links from an object, including its allocator and the time of allocation."""
        kind, row = self.entity(object)
        links = super().links(object)
        # "Classes" doesn't list class objects and thread objects.
        found = [each for each in links if each.view != CLASSES_VIEW or "class:" in each.ref]
        found = [replace(each, label="its class") if each.view == CLASSES_VIEW else each for each in found]
        if kind == CLASS_ENTITY:
            found = [each for each in found if each.view != CLASSES_VIEW or each.ref == self._class_link(object)[0]]
        if kind == OBJECT_ENTITY:
            found.append(Link("among the objects of its class", self.ref(object), CLASSES_VIEW))
            found += allocation_links(self._recorded, self._names, row)
        if kind == THREAD_ENTITY:
            found.append(Link("the thread", self._names.ref("thread", row), "Threads"))
        return found


class TraceFinder:
    """Finds a pattern in the labels and ids of objects."""

    def __init__(self, objects: TraceObjects, pattern: Pattern) -> None:
        self._objects = objects
        self._pattern = pattern

    def find(self, nodes: Any) -> dict[str, Any]:
        """Returns, by use of the pattern, which of some objects (int64[]) match: bool[]."""
        objects, graph = self._objects, self._objects.graph
        types, ids = graph.column("type", nodes).tolist(), graph.ids(nodes).tolist()
        classes = graph.types - 4
        labels: dict[int, str] = {}
        texts = []
        for node, type, id in zip(nodes.tolist(), types, ids, strict=True):
            label = labels.get(type)
            if label is None:
                label = objects.label(node)
                if type < classes:
                    labels[type] = label
            texts.append(f"{label}  {objects.written_id(id)}")
        found = {}
        for kind, expression in (("regex", self._pattern.regex), ("text", self._pattern.plain)):
            if expression is not None:
                is_match = np.array([in_line(expression, text) for text in texts], np.bool_)
                found[kind] = ~is_match if self._pattern.is_negated else is_match
        return found


class TraceObjectsView(ObjectsView):
    """The view "Objects": objects and their references, which have no names, so contents of collections are unknown."""

    closes = ""
    closed = frozenset[str]()

    @property
    def switches(self) -> tuple[Switch, ...]:
        """No switches: rows have one form only."""
        return ()

    def finder(self, pattern: Pattern, is_patient: bool = False) -> TraceFinder:
        """Returns a finder for a pattern among many objects."""
        return TraceFinder(cast(TraceObjects, self.objects), pattern)
