"""Tables of the heap dumps of any format: objects, references, classes, roots, leak suspects."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, lru_cache, partial
from typing import TYPE_CHECKING, cast

import numpy as np

from parsers.graph.dominator_tree.semi_nca import ROOTS as NO_DOMINATOR
from parsers.heapdump.graph.columns import CLASS_OBJECT
from parsers.heapdump.graph.heap_object import HeapObjects
from parsers.heapdump.graph.labels import NO_OBJECT, HeapDump
from parsers.heapdump.paths.reachability import NO_STEP, NOT_REACHED, distances_of
from parsers.heapdump.paths.shortest_paths import steps_from_root
from parsers.index.bitpacked.columns import numbers
from parsers.model.none import NONE
from parsers.model.tables.column_values import (
    Known,
    Named,
    TableColumn,
    TextArrays,
    Values,
    numbered,
    text_arrays,
    unless,
    whole,
)
from parsers.model.tables.table import SqlView, Table, Tables, TableSet, TableType
from parsers.views.report_tables import listed

if TYPE_CHECKING:
    from parsers.heapdump.graph.dominated_graph import DominatedGraph
    from parsers.heapdump.graph.label_columns import ReferenceLabels
    from parsers.heapdump.graph.suspects import Suspect
    from parsers.model.arrays import AnyArray, I64Array

FEW = 16
"""Objects whose paths are followed one by one."""
KEPT_LABELS = 2
"""Ranges of references whose labels are kept: a query reads their kinds, then their names."""
OBJECT_KINDS = ("object", "object array", "primitive array", "class object")
"""By the number of a kind in `columns`."""

OBJECT = TableType(
    "object",
    "Objects, in file order; those of several dumps follow each other.",
    (
        TableColumn("object_id", "BIGINT", "number of the object"),
        TableColumn("dump", "INTEGER", "its heap dump, from 1"),
        TableColumn("class_id", "INTEGER", "its class; that of a class object is java.lang.Class", key="class"),
        TableColumn("class", "VARCHAR", "name of the class", is_interned=True),
        TableColumn("kind", "VARCHAR", "object, object array, primitive array or class object", is_interned=True),
        TableColumn("shallow", "BIGINT", "own size in the heap", "bytes"),
        TableColumn("retained", "BIGINT", "size of all that is reachable only through it", "bytes", is_nullable=True),
        TableColumn(
            "dominator_id", "BIGINT", "the nearest object on every path from the roots", is_nullable=True, key="object"
        ),
        TableColumn("distance", "INTEGER", "references on its shortest path from a root", is_nullable=True),
        TableColumn("is_reachable", "BOOLEAN", "true if there is such a path", is_nullable=True),
        TableColumn("references_out", "BIGINT", "its references that are not null"),
        TableColumn("references_in", "BIGINT", "references to it"),
        TableColumn("elements", "BIGINT", "length of an array"),
        TableColumn("declared_class_id", "INTEGER", "the class that a class object is", is_nullable=True, key="class"),
        TableColumn("address", "VARCHAR", "id in the file"),
        TableColumn("position", "BIGINT", "offset of its record in the file", "bytes"),
        TableColumn("ref", "VARCHAR", "REF of the object"),
    ),
)
REFERENCE = TableType(
    "reference",
    "References that are not null, by owner.",
    (
        TableColumn("reference_id", "BIGINT", "number of the reference"),
        TableColumn("from_id", "BIGINT", "its owner", key="object"),
        TableColumn("to_id", "BIGINT", "its target, unless the dump lacks it", is_nullable=True, key="object"),
        TableColumn("from_class_id", "INTEGER", "class of the owner", key="class"),
        TableColumn("to_class_id", "INTEGER", "class of the target", is_nullable=True, key="class"),
        TableColumn("from_class", "VARCHAR", "name of that of the owner", is_interned=True),
        TableColumn("to_class", "VARCHAR", "name of that of the target", is_nullable=True, is_interned=True),
        TableColumn(
            "kind", "VARCHAR", "field, element, static, constant, super, loader …; read from the file", is_interned=True
        ),
        TableColumn("field", "VARCHAR", "name of the field, index of the element; read from the file"),
        TableColumn("ref", "VARCHAR", "REF of the owner"),
    ),
)
CLASS = TableType(
    "class",
    "Classes of each dump, also those without instances.",
    (
        TableColumn("class_id", "INTEGER", "number of the class"),
        TableColumn("dump", "INTEGER", "its heap dump, from 1"),
        TableColumn("name", "VARCHAR", "name; several loaders may define one"),
        TableColumn("instances", "BIGINT", "objects of the class, without subclasses"),
        TableColumn("shallow", "BIGINT", "their size in the heap", "bytes"),
        TableColumn("retained", "BIGINT", "size of all that is reachable only through them", "bytes", is_nullable=True),
        TableColumn(
            "loader_id", "BIGINT", "its class loader; none for that of the JVM", is_nullable=True, key="object"
        ),
        TableColumn("object_id", "BIGINT", "its class object", is_nullable=True, key="object"),
        TableColumn("ref", "VARCHAR", "REF of the class; without instances that of its class object", is_nullable=True),
    ),
)
ROOT = TableType(
    "root",
    "GC roots.",
    (
        TableColumn("root_id", "BIGINT", "number of the root"),
        TableColumn("object_id", "BIGINT", "its object, unless the dump lacks it", is_nullable=True, key="object"),
        TableColumn("address", "VARCHAR", "id of its object in the file"),
        TableColumn("kind", "VARCHAR", "thread, Java stack, system class …", is_interned=True),
        TableColumn("thread", "BIGINT", "number of its thread", is_nullable=True),
        TableColumn("name", "VARCHAR", "name of a system class"),
        TableColumn("ref", "VARCHAR", "REF of its object", is_nullable=True),
    ),
)
SUSPECT = TableType(
    "suspect",
    "Leak suspects of the last dump: objects, and classes without a common dominator, that retain a tenth or more.",
    (
        TableColumn("suspect_id", "BIGINT", "number of the suspect, the largest first"),
        TableColumn("object_id", "BIGINT", "the object; of a class its largest one", key="object"),
        TableColumn("class", "VARCHAR", "the class, or that of the object"),
        TableColumn("is_class", "BOOLEAN", "true for all objects of the class"),
        TableColumn("retained", "BIGINT", "size of all freed without it, but for other suspects in it", "bytes"),
        TableColumn("share", "DOUBLE", "share of the reachable bytes", "percent"),
        TableColumn("objects", "BIGINT", "objects that it retains, itself included"),
        TableColumn("ref", "VARCHAR", "REF of the object"),
    ),
)
VIEWS = (
    SqlView(
        "largest_classes",
        "classes by the bytes of their objects, as the view Classes",
        "SELECT name, instances, shallow, retained, ref FROM class WHERE instances > 0 ORDER BY shallow DESC, name",
    ),
    SqlView(
        "class_references",
        "references from class to class",
        "SELECT from_class, to_class, count(*) AS refs FROM reference GROUP BY ALL"
        " ORDER BY refs DESC, from_class, to_class",
    ),
)
SUSPECT_VIEW = SqlView(
    "leak_suspects",
    "objects and classes that retain much, as the view Suspects",
    "SELECT class, is_class, retained, share, objects, ref FROM suspect ORDER BY suspect_id",
)
QUESTIONS = (
    (
        "Which classes retain most?",
        "SELECT class, count(*) AS objects, sum(shallow) AS shallow, max(retained) AS largest FROM object"
        " GROUP BY class ORDER BY shallow DESC, class LIMIT 10",
    ),
    (
        "Which fields refer to most arrays of bytes?",
        "SELECT from_class, field, count(*) AS refs FROM reference WHERE to_class = 'byte[]' AND kind = 'field'"
        " GROUP BY ALL ORDER BY refs DESC, from_class, field LIMIT 10",
    ),
    (
        "How many objects keep which kinds of roots alive?",
        "SELECT kind, count(DISTINCT object_id) AS objects FROM root GROUP BY kind ORDER BY objects DESC, kind",
    ),
)
HEAP_TABLES = TableSet((OBJECT, REFERENCE, CLASS, ROOT, SUSPECT), (*VIEWS, SUSPECT_VIEW), QUESTIONS)


def heap_tables(objects: HeapObjects) -> Tables:
    """Returns the tables of all dumps of a file, with all stages complete."""
    return _HeapTables(objects).tables()


def refs_of(objects: HeapObjects, rows: range | I64Array) -> Values:
    """Returns the REFs of objects: a range or int64; NULL for NO_OBJECT."""
    graph = objects.graph
    if not _is_hexadecimal(objects) or len(graph.dumps) != 1 or not len(rows):
        return text_arrays(objects.ref(each) if each != NO_OBJECT else None for each in list(rows))
    if isinstance(rows, range):
        return numbered("object:0x", numbers(graph.table("object_id"), slice(rows.start, rows.stop)), 16)
    is_known = rows != NO_OBJECT
    ids = numbers(graph.table("object_id"), np.where(is_known, rows, 0))
    return numbered("object:0x", Known(ids, is_known), 16)


def _is_hexadecimal(objects: HeapObjects) -> bool:
    """True if ids and REFs of objects are of the usual form."""
    own = type(objects)
    return own.written_id is HeapObjects.written_id and own.ref is HeapObjects.ref


class _HeapTables:
    """Columns of the tables."""

    def __init__(self, objects: HeapObjects) -> None:
        self._objects = objects
        self._graph = objects.graph

    def tables(self) -> Tables:
        """Returns the tables; suspects only if retained sizes are known."""
        tables = (self._object_table(), self._reference_table(), self._class_table(), self._root_table())
        if not self._has_dominators:
            return Tables(tables, VIEWS)
        return Tables((*tables, self._suspect_table()), (*VIEWS, SUSPECT_VIEW))

    @property
    def _has_dominators(self) -> bool:
        graph = self._graph
        return bool(graph.has_retained_sizes and graph.has("dominators") and graph.roots)

    # -- objects ------------------------------------------------------------------------------------------------------

    def _object_table(self) -> Table:
        graph = self._graph

        def of(read: Callable[[range], Values]) -> Callable[[int, int], Values]:
            return lambda start, stop: read(range(start, stop))

        columns = {
            "dump": of(lambda objects: self._runs[self._dumps(objects)]),
            "class_id": of(self._classes),
            "class": of(lambda objects: self._class_named(self._classes(objects))),
            "kind": of(lambda objects: Named(graph.column("kind", objects), text_arrays(OBJECT_KINDS))),
            "shallow": of(partial(graph.column, "bytes")),
            "retained": of(self._retained),
            "dominator_id": of(self._dominators),
            "distance": self._distance_of(),
            "is_reachable": of(self._reachable),
            "references_out": of(partial(graph.column, "references")),
            "references_in": of(partial(graph.column, "referrers")),
            "elements": of(partial(graph.column, "elements")),
            "declared_class_id": of(self._declared),
            "address": of(lambda objects: self._written(numbers(graph.table("object_id"), _part(objects)))),
            "position": of(partial(graph.column, "offset")),
            "ref": of(partial(refs_of, self._objects)),
        }
        return Table(OBJECT, lambda: graph.objects, columns)

    @cached_property
    def _runs(self) -> I64Array:
        return np.array([dump.run for dump in self._graph.dumps], np.int64)

    @cached_property
    def _firsts(self) -> I64Array:
        return np.array([dump.objects.start for dump in self._graph.dumps], np.int64)

    def _dumps(self, objects: range | I64Array) -> I64Array:
        """By object the number of its dump."""
        if len(self._firsts) == 1:
            return np.zeros(len(objects), np.int64)
        return np.searchsorted(self._firsts, np.asarray(objects), "right") - 1

    @cached_property
    def _of_classes(self) -> I64Array:
        """By dump the class of class objects; NONE: each is of the class that it declares."""
        return np.asarray(self._graph.table("heap_dump_classes")).astype(np.int64)

    def _classes(self, objects: range | I64Array) -> I64Array:
        """By object the row of its class."""
        types: I64Array = self._graph.column("type", objects)
        is_class = self._graph.column("kind", objects) == CLASS_OBJECT
        if len(self._firsts) == 1:
            of_classes = self._of_classes[0]
            return types if of_classes == NONE or not is_class.any() else np.where(is_class, of_classes, types)
        dumps = self._dumps(objects)
        of_classes = self._of_classes[dumps]
        return np.where(is_class & (of_classes != NONE), of_classes, types) + dumps * self._graph.types

    def _declared(self, objects: range) -> Values:
        types = self._graph.column("type", objects) + self._dumps(objects) * self._graph.types
        return Known(types, self._graph.column("kind", objects) == CLASS_OBJECT)

    def _class_named(self, classes: I64Array) -> Named:
        """Names of classes; -1 gives NULL."""
        numbers, names = self._type_names
        if len(self._firsts) > 1:
            classes = np.where(classes >= 0, classes % self._graph.types, -1)
        return Named(numbers[classes], names)

    @cached_property
    def _type_names(self) -> tuple[I64Array, TextArrays]:
        """By type the number of its name, -1 at the end, and the names, each once: writers of Parquet need that."""
        names = self._graph.type_names()
        places = {name: place for place, name in enumerate(dict.fromkeys(names))}
        return np.array([*(places[name] for name in names), -1], np.int64), text_arrays(places)

    def _retained(self, objects: range) -> Values:
        if not self._has_dominators:
            return unless(np.full(len(objects), NO_OBJECT), NO_OBJECT)
        has_roots = np.array([bool(dump.roots) for dump in self._graph.dumps])
        return Known(self._graph.column("retained", objects), has_roots[self._dumps(objects)])

    def _dominators(self, objects: range) -> Values:
        if not self._has_dominators:
            return unless(np.full(len(objects), NO_OBJECT), NO_OBJECT)
        found = numbers(self._graph.table("object_dominator"), _part(objects)).astype(np.int64)
        return Known(found, found < NO_DOMINATOR)

    def _reachable(self, objects: range) -> Values:
        steps = numbers(self._graph.table("object_step"), _part(objects))
        is_whole = np.array([dump.is_whole for dump in self._graph.dumps])
        return Known(steps != NO_STEP, is_whole[self._dumps(objects)] | (steps != NO_STEP))

    def _distance_of(self) -> Callable[[int, int], Values]:
        """Reader of distances: those of a few objects one by one, else all together."""
        every, graph = whole(self._distances), self._graph

        def read(start: int, stop: int) -> Values:
            if stop - start > FEW or stop - start == graph.objects:
                return every(start, stop)
            is_known = [graph.reached_by(object) != NOT_REACHED for object in range(start, stop)]
            steps = [len(steps_from_root(graph, object)) for object in range(start, stop)]
            return Known(np.array(steps, np.int64), np.array(is_known, bool))

        return read

    def _distances(self) -> Values:
        """Lengths of the paths."""
        from parsers.heapdump.paths.path_to_root import stored_reached_by

        graph = self._graph
        reached_by = stored_reached_by(graph)
        is_known = reached_by != NOT_REACHED
        targets = np.asarray(graph.table("reference_target"))
        return Known(distances_of(numbers(graph.table("object_first")), targets, reached_by), is_known)

    def _written(self, ids: AnyArray) -> Values:
        if _is_hexadecimal(self._objects):
            return numbered("0x", ids, 16)
        return text_arrays(map(self._objects.written_id, ids.tolist()))

    # -- references ---------------------------------------------------------------------------------------------------

    def _reference_table(self) -> Table:
        graph = self._graph

        @lru_cache(KEPT_LABELS)
        def labels(start: int, stop: int) -> ReferenceLabels:
            return graph.labels_of(range(start, stop), self._owners(start, stop))

        columns = {
            "from_id": self._owners,
            "to_id": lambda start, stop: unless(graph.targets(range(start, stop)), NO_OBJECT),
            "from_class_id": self._owner_classes,
            "to_class_id": lambda start, stop: _known(self._target_classes(start, stop)),
            "from_class": lambda start, stop: self._class_named(self._owner_classes(start, stop)),
            "to_class": lambda start, stop: self._class_named(self._target_classes(start, stop)),
            "kind": lambda start, stop: labels(start, stop).kinds(),
            "field": lambda start, stop: labels(start, stop).texts(),
            "ref": lambda start, stop: refs_of(self._objects, self._owners(start, stop)),
        }
        return Table(REFERENCE, lambda: graph.references, columns)

    def _owner_range(self, start: int, stop: int) -> tuple[int, int, I64Array]:
        """The owners of a range of references, and how many of them each has."""
        if start == stop:
            return 0, 0, np.zeros(0, np.int64)
        graph = self._graph
        first, last = graph.owner(start), graph.owner(stop - 1)
        firsts = graph.column("first", range(first, last + 2)).astype(np.int64)
        bounds = np.clip(firsts, start, stop)
        return first, last + 1, bounds[1:] - bounds[:-1]

    def _owners(self, start: int, stop: int) -> I64Array:
        first, end, counts = self._owner_range(start, stop)
        return np.repeat(np.arange(first, end), counts)

    def _owner_classes(self, start: int, stop: int) -> I64Array:
        first, end, counts = self._owner_range(start, stop)
        return np.repeat(self._classes(range(first, end)), counts)

    def _target_classes(self, start: int, stop: int) -> I64Array:
        """By reference the row of its target's class; -1 without one."""
        targets: I64Array = self._graph.targets(range(start, stop))
        is_known = targets >= 0
        if not self._graph.objects:
            return targets
        return np.where(is_known, self._classes(np.where(is_known, targets, 0)), -1)

    # -- classes ------------------------------------------------------------------------------------------------------

    def _class_table(self) -> Table:
        graph = self._graph
        rows = len(graph.dumps) * graph.types

        def each(make: Callable[[int, HeapDump], int | None]) -> Callable[[], Values]:
            def values() -> Values:
                found = [make(type, dump) for dump in graph.dumps for type in range(graph.types)]
                is_known = np.array([number is not None and number >= 0 for number in found], bool)
                return Known(np.array([number or 0 for number in found], np.int64), is_known)

            return values

        columns = {
            "dump": whole(lambda: self._runs.repeat(graph.types)),
            "name": lambda start, stop: self._class_named(np.arange(start, stop)),
            "instances": whole(lambda: self._sums()[0]),
            "shallow": whole(lambda: self._sums()[1]),
            "retained": whole(each(lambda type, dump: graph.retained_by("type", type, dump))),
            "loader_id": whole(each(graph.loader)),
            "object_id": whole(each(graph.class_object)),
            "ref": whole(self._class_refs),
        }
        return Table(CLASS, lambda: rows, columns)

    def _sums(self) -> tuple[I64Array, I64Array]:
        """Instances and bytes by class."""
        graph = self._graph
        bounds, types = graph.table("heap_dump_first"), np.asarray(graph.table("heap_class")).astype(np.int64)
        counts = np.diff(np.asarray(graph.table("heap_class_first")).astype(np.int64))
        found = np.zeros((2, len(graph.dumps) * graph.types), np.int64)
        for dump in range(len(graph.dumps)):
            part = slice(bounds[dump], bounds[dump + 1])
            rows = types[part] + dump * graph.types
            found[0, rows] = counts[part]
            found[1, rows] = np.asarray(graph.table("heap_class_bytes"))[part]
        return found[0], found[1]

    def _class_refs(self) -> Values:
        graph, objects = self._graph, self._objects

        def ref(type: int, dump: HeapDump, instances: int) -> str | None:
            if instances:
                return f"{objects.run(dump)}class:{graph.type_text(type)}"
            declared = graph.class_object(type, dump)
            return None if declared is None or declared < 0 else objects.ref(declared)

        types = [(type, dump) for dump in graph.dumps for type in range(graph.types)]
        return text_arrays(ref(*each, rows) for each, rows in zip(types, self._sums()[0].tolist(), strict=True))

    # -- roots --------------------------------------------------------------------------------------------------------

    def _root_table(self) -> Table:
        graph = self._graph

        def column(name: str, start: int, stop: int) -> I64Array:
            return np.asarray(graph.root_column(name))[start:stop].astype(np.int64)

        def objects(start: int, stop: int) -> I64Array:
            found = column("object", start, stop)
            return np.where(found == NONE, NO_OBJECT, found)

        columns = {
            "object_id": lambda start, stop: _known(objects(start, stop)),
            "address": lambda start, stop: self._written(np.asarray(graph.root_column("id"))[start:stop]),
            "kind": lambda start, stop: Named(column("kind", start, stop), text_arrays(graph.root_kinds)),
            "thread": lambda start, stop: unless(column("thread", start, stop), NONE),
            "name": lambda start, stop: text_arrays(graph.root(root).name for root in range(start, stop)),
            "ref": lambda start, stop: refs_of(self._objects, objects(start, stop)),
        }
        return Table(ROOT, lambda: graph.roots, columns)

    # -- suspects -----------------------------------------------------------------------------------------------------

    def _suspect_table(self) -> Table:
        return listed(SUSPECT, lambda: [self._suspect(each, share) for each, share in self._suspects()])

    def _suspects(self) -> list[tuple[Suspect, float]]:
        from parsers.heapdump.graph.suspects import DumpSuspects

        finder = DumpSuspects(cast("DominatedGraph", self._graph), self._graph.dumps[-1])
        return [(each, round(100 * each.bytes / max(finder.reachable, 1), 1)) for each in finder.find()]

    def _suspect(self, suspect: Suspect, share: float) -> tuple[object, ...]:
        graph, is_class = self._graph, suspect.type >= 0
        name = graph.type_name(suspect.type) if is_class else self._objects.label(suspect.object)
        ref = self._objects.ref(suspect.object)
        return suspect.object, name, is_class, suspect.bytes, share, suspect.total, ref


def _part(objects: range) -> slice:
    return slice(objects.start, objects.stop)


def _known(numbers: I64Array) -> Known:
    """Numbers of which negative ones are unknown."""
    return Known(numbers, numbers >= 0)
