"""The object graph of a text dump, over the columns of its index; base class of the graphs of other dumps.

Numbers of objects run through all heap dumps of a file. So do those of references, types (classes by name and
loader) and roots. A *site* is the number of one edge:

    0 … references-1                                  a reference: a field, an element, a static, a superclass …
    references … references+objects-1                 the class of the object `site - references`
    references+objects … references+objects+roots-1   a root: a reference to an object from outside of the heap

A plain model of the same in tests is `tests/support/heaps/plain_heap.py`.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

from parsers.heapdump.graph.columns import (
    CLASS_OBJECT,
    CONSTANT,
    DOMAIN,
    ELEMENT,
    FIELD,
    HAS_END,
    HEAP_DUMP,
    LABEL_BITS,
    LABEL_MASK,
    LOADER,
    OBJECT_ARRAY,
    PRIMITIVE_ARRAY,
    ROOT_KINDS,
    SIGNERS,
    STATIC,
    SUPER,
)
from parsers.heapdump.graph.elements import NO_ELEMENTS, Elements
from parsers.heapdump.graph.labels import CLASS_LABEL, NO_OBJECT, HeapDump, ReferenceLabel, Root
from parsers.heapdump.paths.reachability import FROM_ROOT, NOT_REACHED, decode_step
from parsers.heapdump.tables.class_names import readable_class
from parsers.heapdump.tables.object_size import element_size, element_sizes, true_size, true_sizes
from parsers.heapdump.text_dumps.recorded import RecordedHeap, RecordedInstance
from parsers.index.bitpacked.columns import Packed, numbers
from parsers.model.distinct import distinct
from parsers.model.late import numpy as np
from parsers.model.late.cached import forget
from parsers.model.late.lazy_sequence import LazySequence
from parsers.model.lookup import place_in
from parsers.model.names.java_method import decode
from parsers.model.none import NONE
from parsers.model.trees.preorder import RankedNodes

if TYPE_CHECKING:
    from parsers.heapdump.collections.contents import Instance
    from parsers.heapdump.graph.label_columns import ReferenceLabels
    from parsers.model.arrays import AnyArray, I64Array, U32Array, U64Array

OF_CLASS = {SUPER: "super", LOADER: "loader", SIGNERS: "signers", DOMAIN: "domain"}
PLAIN_COLUMNS = {
    "type": "object_class",
    "elements": "object_elements",
    "printed": "object_size",
    "first": "object_first",
    "offset": "object_offset",
    "kind": "object_kind",
}
PIECE = 1 << 20
"""Objects processed in one batch."""
MOST_SUPERS = 256
"""Maximum of superclasses that are followed."""
MOST_FIELDS = 1000
"""Maximum of references examined, of an object that is not an array."""
KEPT_TYPES = 4096
"""Classes whose superclasses are cached."""


class JoinedSequence(LazySequence[int]):
    """A short, a long and a short sequence, concatenated without a copy."""

    def __init__(self, before: Sequence[int], middle: Sequence[int], after: Sequence[int]) -> None:
        self._before, self._middle, self._after = before, middle, after

    def __len__(self) -> int:
        return len(self._before) + len(self._middle) + len(self._after)

    def item(self, index: int) -> int:
        """Returns one of them."""
        for part in (self._before, self._middle):
            if index < len(part):
                return part[index]
            index -= len(part)
        return self._after[index]


class ObjectGraph:
    """The objects of a file, over a complete column store. Any query of one object costs the same in large heaps."""

    def __init__(self, recording: RecordedHeap) -> None:
        self._recording = recording
        self._kept: dict[str, Any] = {}
        self._made: dict[str, AnyArray] | None = None
        self._class_rows, self._idle_rows = map(lru_cache(None), (self._find_classes, self._find_idle_classes))
        self.objects = recording.rows("object")
        self.references = recording.rows("reference")
        self.has_references = recording.has_stage("references")
        self.roots = recording.rows("root")
        self.types = len(recording.texts("class"))
        self.dumps: Sequence[HeapDump] = [self._dump(*each) for each in enumerate(recording.sections(HEAP_DUMP))]
        """Dumps of the file. Results of an index stage are unknown until it is complete: see `has`."""
        self._firsts = [dump.objects.start for dump in self.dumps]
        self._supers_of = lru_cache(KEPT_TYPES)(self._find_supers)

    def _dump(self, number: int, section: int) -> HeapDump:
        column = self._recording.column
        first, date = column("section_more")[section], column("section_date")[section]
        return HeapDump(
            number=number,
            run=column("section_snapshot")[section] + 1,
            objects=self._recording.section_range(section),
            roots=range(first, first + column("section_more_rows")[section]),
            offset=column("section_offset")[section],
            date=decode(self._recording.word(date)),
            printed=decode(self._recording.word(column("section_printed")[section])),
            is_whole=bool(column("section_flags")[section] & HAS_END),
        )

    def has(self, stage: str) -> bool:
        """True if a stage of the index is complete: "references" both ways, "paths" (shortest paths) …"""
        return self._recording.has_stage(stage)

    def follow(self) -> None:
        """Takes over stages that have become complete."""
        self._kept = {}
        self.references = self._recording.rows("reference")
        self.has_references = self.has("references")
        forget(self, ObjectGraph.holds_class, ObjectGraph._rooted)

    def table(self, name: str) -> Any:
        """Returns a table of `heap_tables`: from the index, or computed now."""
        kept = self._kept
        try:
            return self._column(name)
        except LookupError:
            if self._made is None:
                from parsers.heapdump.tables.heap_tables import make_tables

                self._made = make_tables(self._recording)
            kept[name] = self._made[name].data
            return kept[name]

    def _column(self, name: str) -> memoryview | Packed:
        # Read first: `follow` replaces it, and a late thread must not add an earlier column to the new one.
        kept = self._kept
        found: memoryview | Packed | None = kept.get(name)
        if found is None:
            found = kept[name] = self._recording.column(name)
        return found

    def _numbers(self, name: str, chosen: slice | AnyArray) -> I64Array:
        """Returns selected numbers of a column, as int64."""
        found: I64Array = numbers(self._column(name), chosen).astype(np.int64, copy=False)
        return found

    # -- objects ------------------------------------------------------------------------------------------------------

    def dump_of(self, object: int) -> HeapDump:
        """Returns the dump of an object. Objects of dumps are contiguous."""
        return self.dumps[bisect_right(self._firsts, object) - 1]

    def id(self, object: int) -> int:
        """Returns the id as printed."""
        return int(self._column("object_id")[object])

    def find(self, id: int, dump: HeapDump) -> int:
        """Returns the object with an id; the last one, if a damaged dump has several."""
        ids = self._column("object_id")
        rows = ids.find(id) if isinstance(ids, Packed) else [row for row in dump.objects if ids[row] == id]
        return next((row for row in reversed(rows) if row in dump.objects), NO_OBJECT)

    def kind(self, object: int) -> int:
        """Returns one of the four kinds of records."""
        return int(self._column("object_kind")[object])

    def type(self, object: int) -> int:
        """Returns the class of an object; for a class object the class that it represents."""
        return int(self._column("object_class")[object])

    def type_name(self, type: int) -> str:
        """Returns the name in Java syntax; adds the brackets that JVMPI omits for primitive arrays."""
        return readable_class(self._recording.texts("class")[type])

    def type_names(self) -> Sequence[str]:
        """Returns `type_name` of all types."""
        return [*map(readable_class, self._recording.texts("class"))]

    def type_text(self, type: int) -> str:
        """Returns `name@id`; for primitive arrays the name alone."""
        text = self._recording.texts("class")[type]
        _, at, id = text.rpartition(b"@")
        return f"{readable_class(text)}@{decode(id)}" if at else readable_class(text)

    def class_object(self, type: int, dump: HeapDump) -> int:
        """Returns the class object of a class."""
        found = self._class_rows(dump.number).get(type)
        return self._idle_rows(dump.number).get(type, NO_OBJECT) if found is None else found

    def _find_classes(self, dump: int) -> dict[int, int]:
        """Returns the class objects of the classes of a dump that have instances."""
        first, end = self.table("heap_dump_first")[dump : dump + 2]
        types, objects = self.table("heap_class")[first:end], self.table("heap_class_object")[first:end]
        return {type: object for type, object in zip(types, objects, strict=True) if object != NONE}

    def _find_idle_classes(self, dump: int) -> dict[int, int]:
        """Returns all class objects of a dump, from the class declarations."""
        rows = self.dumps[dump].objects
        kinds = numbers(self._column("object_kind"), slice(rows.start, rows.stop))
        classes = rows.start + np.flatnonzero(kinds == CLASS_OBJECT)
        return dict(zip(self._numbers("object_class", classes).tolist(), classes.tolist(), strict=True))

    def loader(self, type: int, dump: HeapDump) -> int:
        """Returns the loader object of a class."""
        of = self.class_object(type, dump)
        if of == NO_OBJECT:
            return NO_OBJECT
        firsts = self._column("object_first")
        sites = range(firsts[of], firsts[of + 1])
        return next((self.target(site) for site in sites if self.label(site).kind == "loader"), NO_OBJECT)

    root_kinds: Sequence[str] = ROOT_KINDS
    """Kinds of roots, by number in their column."""

    def of_heap(self, objects: I64Array) -> I64Array:
        """Returns those of many objects (numpy array) that have a record in the heap: all of them."""
        return objects

    has_class_loaders = True
    """Text dumps have the loaders of classes."""

    has_retained_sizes = False
    """Text dumps have no retained sizes."""

    def retained_by(self, grouping: str, type: int, dump: HeapDump) -> int | None:
        """Returns None: unknown."""
        return None

    @cached_property
    def _array_header(self) -> int:
        from parsers.heapdump.tables.array_header import array_header

        return array_header(self._recording)

    def size(self, object: int) -> int:
        """Returns the bytes in the heap."""
        each = element_size(self.type_name(self.type(object))) if self.kind(object) == PRIMITIVE_ARRAY else 0
        return true_size(self.printed_size(object), self.elements(object), each, self._array_header)

    def printed_size(self, object: int) -> int:
        """Returns the bytes as printed."""
        return int(self._column("object_size")[object])

    def elements(self, object: int) -> int:
        """Returns `nelems`."""
        return int(self._column("object_elements")[object])

    def trace(self, object: int) -> int | None:
        """Returns the row of the stack trace that allocated it."""
        trace = self._column("object_trace")[object]
        return None if trace == NONE else int(trace)

    def made_at(self, trace: int) -> Sequence[int]:
        """Returns the objects that a trace allocated, in all dumps."""
        found: list[int] = []
        for start in range(0, self.objects, PIECE):
            piece = numbers(self._column("object_trace"), slice(start, min(start + PIECE, self.objects)))
            found += (start + np.flatnonzero(piece == trace)).tolist()
        return found

    def offset(self, object: int) -> int | None:
        """Returns the byte offset of its line."""
        return int(self._column("object_offset")[object])

    def is_cut(self, object: int) -> bool:
        """True if the end of its class name is missing in the file."""
        return place_in(self._column("cut_object"), object) is not None

    # -- steps --------------------------------------------------------------------------------------------------------

    def sites(self, object: int) -> Sequence[int]:
        """Returns its references, and the step to its class if that is reachable by its instances only."""
        firsts = self._column("object_first")
        references = range(firsts[object], firsts[object + 1])
        type = self.class_object(self.type(object), self.dump_of(object)) if self.holds_class else NO_OBJECT
        if type >= 0 and self.reached_by(type) == self.references + object:
            return JoinedSequence((), references, (self.references + object,))
        return references

    @cached_property
    def holds_class(self) -> bool:
        """True if any class is reachable by its instances only."""
        return self.has("paths") and any(self.table("heap_dump_held"))

    def target(self, site: int) -> int:
        """Returns the target of a site."""
        if site < self.references:
            target = self._column("reference_target")[site]
            return NO_OBJECT if target == NONE else int(target)
        site -= self.references
        if site < self.objects:
            return self.class_object(self.type(site), self.dump_of(site))
        target = self._column("root_object")[site - self.objects]
        return NO_OBJECT if target == NONE else int(target)

    def owner(self, site: int) -> int:
        """Returns the owner of a site, NO_OBJECT for a root."""
        if site < self.references:
            return bisect_right(self._column("object_first"), site) - 1
        site -= self.references
        return site if site < self.objects else NO_OBJECT

    def owners(self, references: I64Array) -> I64Array:
        """Returns `owner` of many references, as numpy array."""
        low, high = np.zeros(len(references), np.int64), np.full(len(references), self.objects)
        for _ in range(self.objects.bit_length()):
            middle = (low + high) // 2
            is_behind = self._numbers("object_first", middle) <= references
            low, high = np.where(is_behind, middle, low), np.where(is_behind, high, middle)
        return low

    def label(self, site: int) -> ReferenceLabel:
        """Returns the kind and name of a reference."""
        if site >= self.references:
            return CLASS_LABEL
        return self.label_of(self._column("reference_label")[site])

    def labels_of(self, sites: range | I64Array, owners: I64Array) -> ReferenceLabels:
        """Returns `label` of a range of references, or of ascending ones.

        owners: int64 by reference, as `owner` returns them
        """
        from parsers.heapdump.graph.label_columns import ReferenceLabels

        chosen = slice(sites.start, sites.stop) if isinstance(sites, range) else sites
        stored = self._numbers("reference_label", chosen)
        is_element = stored & LABEL_MASK == ELEMENT
        others = distinct(stored[~is_element])
        found = np.where(is_element, -1 - (stored >> LABEL_BITS), np.searchsorted(others, stored))
        return ReferenceLabels(found, [self.label_of(label) for label in others.tolist()])

    def label_of(self, label: int) -> ReferenceLabel:
        """Decodes a number of the column of labels."""
        kind, value = label & LABEL_MASK, label >> LABEL_BITS
        match kind:
            case _ if kind == ELEMENT:
                return ReferenceLabel("element", f"[{value}]")
            case _ if kind == STATIC:
                return ReferenceLabel("static", f"static {decode(self._recording.word(value))}")
            case _ if kind == CONSTANT:
                return ReferenceLabel("constant", f"constant {value}")
            case _ if kind == FIELD:
                return ReferenceLabel("field", decode(self._recording.word(value)))
        return ReferenceLabel(OF_CLASS[kind], OF_CLASS[kind])

    def supers(self, type: int) -> Sequence[str]:
        """Returns the names of a class and its known superclasses."""
        return self._supers_of(type)

    def _find_supers(self, type: int) -> list[str]:
        dump, found = self.dumps[-1], {type: self.type_name(type)}
        while len(found) < MOST_SUPERS:
            of = self.class_object(type, dump)
            sites = self.sites(of)[:MOST_FIELDS] if of != NO_OBJECT else ()
            above = next((self.target(site) for site in sites if self.label(site).kind == "super"), NO_OBJECT)
            if above == NO_OBJECT or self.type(above) in found:
                break
            type = self.type(above)
            found[type] = self.type_name(type)
        return list(found.values())

    def instance(self, object: int, since: str = "") -> Instance:
        """Returns the fields of an object by name, without those of subclasses of `since` if known."""
        sites = self.sites(object)[:MOST_FIELDS] if object >= 0 else ()
        return RecordedInstance(((self.label(site), site) for site in sites), self.target)

    def array(self, object: int) -> Elements:
        """Returns the elements of an array of objects; empty for other objects."""
        if object < 0 or self.kind(object) != OBJECT_ARRAY:
            return NO_ELEMENTS
        firsts = self._column("object_first")
        first, end = firsts[object], firsts[object + 1]
        labels = self._numbers("reference_label", slice(first, end))
        places = (labels[labels & LABEL_MASK == ELEMENT] >> LABEL_BITS).tolist()
        return (
            Elements(max(self.elements(object), places[-1] + 1), first, places, self.target) if places else NO_ELEMENTS
        )

    def referrers(self, object: int) -> Sequence[int]:
        """Returns the sites that lead to it: roots first."""
        firsts = self._column("referrer_first")
        references: Sequence[int] = self._column("referrer")[firsts[object] : firsts[object + 1]]
        roots = self.roots_of(object)
        by_class = self._steps_by_class(object)
        return JoinedSequence(roots, references, by_class) if roots or by_class else references

    def referrer_count(self, object: int) -> int:
        """Returns the number of `referrers`."""
        firsts, others = self._column("referrer_first"), (self.roots_of(object), self._steps_by_class(object))
        return int(firsts[object + 1]) - int(firsts[object]) + sum(map(len, others))

    def _steps_by_class(self, object: int) -> tuple[int, ...]:
        """Returns the step from an instance to a class that is reachable by its instances only; empty for others."""
        reached_by = self.reached_by(object) if self.has("paths") else NOT_REACHED
        return (reached_by,) if self.references <= reached_by < FROM_ROOT else ()

    def roots_of(self, object: int) -> Sequence[int]:
        """Returns the sites of the roots that lead to it."""
        objects, sites = self._rooted
        start, stop = bisect_left(objects, object), bisect_right(objects, object)
        return RankedNodes(sites[start:stop]) if stop > start else ()

    @cached_property
    def _rooted(self) -> tuple[I64Array, I64Array]:
        """Objects with roots, ascending, and the site of each root: a million threads have many."""
        objects = np.asarray(self._column("root_object")).astype(np.int64)
        order = np.argsort(objects, kind="stable")
        return objects[order], order + self.references + self.objects

    def root(self, root: int) -> Root:
        """Returns one root."""
        column = self._column
        object, thread, frame, trace, name = (
            column(f"root_{field}")[root] for field in ("object", "thread", "frame", "trace", "name")
        )
        return Root(
            kind=self.root_kinds[column("root_kind")[root]],
            object=NO_OBJECT if object == NONE else object,
            id=column("root_id")[root],
            thread=None if thread == NONE else thread,
            frame=None if frame == NONE else frame,
            trace=None if trace == NONE else trace,
            name=decode(self._recording.word(name)),
            offset=column("root_offset")[root],
        )

    def roots_to(self, object: int, most: int) -> Iterator[Root]:
        """Yields the first `most` roots of an object."""
        first = self.references + self.objects
        return (self.root(site - first) for site in self.roots_of(object)[:most])

    def root_of(self, site: int) -> Root | None:
        """Returns the root that a site is; None for a reference."""
        root = site - self.references - self.objects
        return self.root(root) if root >= 0 else None

    def root_column(self, name: str) -> Any:
        """Returns "kind" (place in `root_kinds`), "object", "thread" or "id" of all roots; all bits set for none."""
        return self._recording.column(f"root_{name}")

    def reached_by(self, object: int) -> int:
        """Returns the last site of the shortest path from a root, NOT_REACHED or FROM_ROOT."""
        first = self._column("referrer_first")[object]
        return decode_step(self.table("object_step")[object], self.references, first, self._column("referrer"))

    def reached_by_any(self) -> U32Array:
        """Returns `reached_by` of all objects for paths through any references, also weak ones: uint32."""
        from parsers.heapdump.tables.heap_tables import HeapTables

        return HeapTables(self._recording).find_reached_by()

    has_weak = False
    """Text dumps don't mark weak references."""

    def is_weak(self, site: int) -> bool:
        """Returns False: text dumps don't mark weak references."""
        return False

    # -- batches -----------------------------------------------------------------------------------------------------

    @cached_property
    def _element_sizes(self) -> I64Array:
        return element_sizes(self.type_names())

    def _sizes(self, chosen: slice | AnyArray) -> I64Array:
        is_plain = numbers(self._column("object_kind"), chosen) == PRIMITIVE_ARRAY
        sizes = np.where(is_plain, self._element_sizes[self._numbers("object_class", chosen)], 0)
        printed, elements = (self._numbers(f"object_{name}", chosen) for name in ("size", "elements"))
        return true_sizes(printed, elements, sizes, self._array_header)

    def column(self, name: str, objects: range | AnyArray) -> I64Array:
        """Returns a column of numbers for many objects (a range or numpy array), as numpy array.

        "bytes", "printed" (sizes), "elements", "references", "referrers", "type", "first" (its first reference) or
        "offset"; "retained" if known.
        """
        chosen = slice(objects.start, objects.stop) if isinstance(objects, range) else np.asarray(objects)
        if name == "bytes":
            return self._sizes(chosen)
        if name in PLAIN_COLUMNS:
            return self._numbers(PLAIN_COLUMNS[name], chosen)
        firsts = "object_first" if name == "references" else "referrer_first"
        if isinstance(chosen, slice):
            return np.diff(self._numbers(firsts, slice(chosen.start, chosen.stop + 1)))
        return self._numbers(firsts, chosen + 1) - self._numbers(firsts, chosen)

    def ids(self, objects: AnyArray) -> U64Array:
        """Returns `id` of many objects, as numpy array."""
        found: U64Array = numbers(self._column("object_id"), np.asarray(objects))
        return found

    def targets(self, sites: range | AnyArray) -> I64Array:
        """Returns `target` of many references."""
        chosen = slice(sites.start, sites.stop) if isinstance(sites, range) else np.asarray(sites)
        targets = self._numbers("reference_target", chosen)
        return np.where(targets == NONE, NO_OBJECT, targets)
