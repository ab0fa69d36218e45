"""The object graph of a binary heap dump. Data missing in the index is read from the file on first use."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from parsers.formats.hprof.dump.read.class_record import HeapClass, chain_of, read_class, width_of
from parsers.formats.hprof.dump.read.instance import DumpInstance, InstanceLayout, layout_of
from parsers.formats.hprof.dump.read.values import UTF_16, FieldValue, ObjectPlace, place_at, text_of
from parsers.formats.hprof.dump.records.tags import CHAR, FIRST_CLASS, FIRST_PRIMITIVE, OBJECT, UNIT, WIDTHS
from parsers.heapdump.graph.columns import CLASS_OBJECT, OBJECT_ARRAY, PLAIN_OBJECT, PRIMITIVE_ARRAY
from parsers.heapdump.graph.dominated_graph import DominatedGraph
from parsers.heapdump.graph.elements import NO_ELEMENTS, Elements
from parsers.heapdump.graph.labels import CLASS_LABEL, NO_OBJECT, HeapDump, ReferenceLabel
from parsers.model.late import numpy as np
from parsers.model.lookup import place_in
from parsers.model.names.java_method import decode
from parsers.model.none import NONE

if TYPE_CHECKING:
    from parsers.formats.hprof.data.recording import ProfileRecording
    from parsers.formats.hprof.dump.graph.steps_in_file import StepsInFile
    from parsers.heapdump.graph.label_columns import ReferenceLabels
    from parsers.model.arrays import AnyArray, I64Array, U32Array

CLASS_BYTES = (1 << 12, 1 << 16, 1 << 22)
"""Bytes read, in steps, to find the end of a class."""
MOST_LENGTHS = 1 << 20
"""Most objects read for the lengths of arrays."""
KEPT_ARRAYS = 32
"""Most arrays whose null elements are cached."""
KEPT_FIELDS = 1 << 18
"""Most cached fields of instances, of all layouts together: a class in a long chain has those of all superclasses."""
KEPT_LABELS = 64
"""Most objects whose reference names are cached."""
LARGEST_ID = (1 << 64) - 1
MADE_BY = {"references": "references", "referrers": "references", "retained": "dominators"}
"""Stage of the index that makes a column, by column."""
PIECE = 1 << 20
"""Bytes of an array searched at a time."""


class _Classes(Mapping[int, HeapClass]):
    """Classes by id, read on first use; listed are those that were read."""

    def __init__(self, graph: DumpGraph) -> None:
        self._graph = graph
        self._read: dict[int, HeapClass] = {}

    def __getitem__(self, id: int) -> HeapClass:
        found = self._read.get(id)
        if found is None:
            found = self._graph.read_class(id)
            if found is None:
                raise KeyError(id)
            self._read[id] = found
        return found

    def __iter__(self) -> Iterator[int]:
        return iter(self._read)

    def __len__(self) -> int:
        return len(self._read)


class DumpGraph(DominatedGraph):
    """The object graph over the index of a binary file."""

    unit = UNIT
    _recording: ProfileRecording

    def __init__(self, recording: ProfileRecording) -> None:
        super().__init__(recording)
        self.id_size: int = recording.facts["id_size"]
        self.read = recording.pread
        self.classes = _Classes(self)
        self._layouts: dict[int, InstanceLayout] = {}
        self._kept_fields = 0
        self._names_of = lru_cache(KEPT_LABELS)(self._labels)
        self._elements_of = lru_cache(KEPT_ARRAYS)(self._elements)

    # -- objects ------------------------------------------------------------------------------------------------------

    def find(self, id: int, dump: HeapDump) -> int:
        """Returns the object of an id."""
        return super().find(id & LARGEST_ID, dump)

    def size(self, object: int) -> int:
        """Returns the bytes in the heap."""
        return int(self._column("object_size")[object]) * UNIT

    def printed_size(self, object: int) -> int:
        """Returns the same: the file has no printed sizes."""
        return self.size(object)

    def elements(self, object: int) -> int:
        """Returns the number of elements of an array."""
        place = self._place(object, is_length_enough=True)
        return 0 if place is None else place.length

    def trace(self, object: int) -> int | None:
        """Returns the row of the trace that allocated it. HotSpot gives all objects one trace without frames."""
        offset = self.offset(object)
        return self._recording.trace_row(self._u4(offset + 1 + self.id_size))

    def made_at(self, trace: int) -> Sequence[int]:
        """Returns nothing: not indexed."""
        return ()

    def offset(self, object: int) -> int:
        """Returns the offset of its sub-record in bytes."""
        return int(self._column("object_offset")[object])

    def is_cut(self, object: int) -> bool:
        """Returns False: names are never truncated."""
        return False

    def is_weak(self, site: int) -> bool:
        """True if a reference keeps nothing alive: the referent of a weak reference and the like."""
        return place_in(self._column("weak"), site) is not None

    def loader(self, type: int, dump: HeapDump) -> int:
        """Returns the object of the loader of a class."""
        try:
            found = self._column("type_loader")[type]
        except LookupError:
            return super().loader(type, dump)
        return NO_OBJECT if found == NONE else int(found)

    # -- references ---------------------------------------------------------------------------------------------------

    def label(self, site: int) -> ReferenceLabel:
        """Returns the label of a reference in its owner."""
        if site >= self.references:
            return CLASS_LABEL
        owner = self.owner(site)
        if self.kind(owner) == OBJECT_ARRAY:
            index = self.array(owner).index_of(site)
            return ReferenceLabel("element", f"[{'?' if index is None else index}]")
        labels = self._names_of(owner)
        place = site - int(self._column("object_first")[owner])
        return labels[place] if place < len(labels) else ReferenceLabel("field", "?")

    def labels_of(self, sites: range | I64Array, owners: I64Array) -> ReferenceLabels:
        """Returns `label` of references, as `ObjectGraph.labels_of`; fields of the instances of a class together."""
        from parsers.formats.hprof.dump.graph.bulk_labels import labels_of

        return labels_of(self, sites, owners)

    def _labels(self, object: int) -> list[ReferenceLabel]:
        """Returns the names of the references of an instance or a class, leaving out null like the references."""
        if self.kind(object) == PLAIN_OBJECT:
            return [
                ReferenceLabel("field", decode(field.name)) for field in self.fields(object) if field.site is not None
            ]
        declared = self.class_of(object)
        return [] if declared is None else [self.class_label(kind, name) for kind, name, _ in declared.references()]

    def class_label(self, kind: str, name: int) -> ReferenceLabel:
        """Returns the label of a reference of a class. name: id of a static's name, index of a constant"""
        if kind == "static":
            return ReferenceLabel(kind, f"static {decode(self.name(name))}")
        return ReferenceLabel(kind, f"constant {name}" if kind == "constant" else kind)

    def array(self, object: int) -> Elements:
        """Returns the elements of an array of objects; none for anything else."""
        return self._elements_of(object) if object >= 0 else NO_ELEMENTS

    def _elements(self, object: int) -> Elements:
        at = self._place(object)
        if at is None or at.kind != OBJECT_ARRAY or not self.has_references:
            return NO_ELEMENTS
        firsts = self._column("object_first")
        first, end = int(firsts[object]), int(firsts[object + 1])
        places = None if end - first == at.length else self._present(at)
        return Elements(at.length, first, places, self.target, self.targets)

    def _present(self, at: ObjectPlace) -> Sequence[int]:
        """Returns the indices of an array's references that are not null."""
        code, step, found = f">u{self.id_size}", PIECE // self.id_size, [np.empty(0, np.uint32)]
        for start in range(0, at.length, step):
            data = self.read(min(step, at.length - start) * self.id_size, at.offset + start * self.id_size)
            ids = np.frombuffer(data[: len(data) // self.id_size * self.id_size], code)
            found.append((np.flatnonzero(ids) + start).astype(np.uint32))
        return np.concatenate(found).data

    # -- values -------------------------------------------------------------------------------------------------------

    def name(self, id: int) -> bytes:
        """Returns the name of a field or static by its id."""
        column = self._recording.column
        place, starts = place_in(column("name_id"), id), column("name_starts")
        return b"?" if place is None else bytes(column("name_bytes")[starts[place] : starts[place + 1]])

    def _place(self, object: int, is_length_enough: bool = False) -> ObjectPlace | None:
        kind, offset, size = self.kind(object), self.offset(object), self.id_size
        if kind == CLASS_OBJECT:
            return None
        length = self._u4(offset + 5 + size + (size if kind == PLAIN_OBJECT else 0))
        if is_length_enough:
            return ObjectPlace(kind, 0, offset, length if kind != PLAIN_OBJECT else 0)
        return place_at(self._recording.pread, size, self.id(object), kind, offset, length)

    def _u4(self, offset: int) -> int:
        return int.from_bytes(self.read(4, offset), "big")

    @cached_property
    def _types_by_id(self) -> dict[int, int]:
        texts = self._recording.texts("class")
        return {int(texts[type].rpartition(b"@")[2], 16): type for type in range(FIRST_CLASS, len(texts))}

    def read_class(self, id: int) -> HeapClass | None:
        """Returns a class from the file; None if the dump has none with that id."""
        type = self._types_by_id.get(id)
        object = self.class_object(type, self.dumps[0]) if type is not None else NO_OBJECT
        if object == NO_OBJECT or self.kind(object) != CLASS_OBJECT:
            return None
        for count in CLASS_BYTES:
            found = read_class(self.read(count, self.offset(object)), 0, self.id_size)
            if found is not None:
                return found if found.id == id else None
        return None

    def supers(self, type: int) -> Sequence[str]:
        """Returns names of a class and of its superclasses, as far as known."""
        if type < FIRST_CLASS:
            return [self.type_name(type)]
        return [name for name, _ in self.layout(type).classes] or [self.type_name(type)]

    def fields_below(self, type: int, known: str) -> int:
        """Returns the number of fields that subclasses of a known superclass add, up to a class."""
        return next((place for name, place in self.layout(type).classes if name == known), 0)

    def layout(self, type: int) -> InstanceLayout:
        """Returns the fields of the instances of a class."""
        found = self._layouts.get(type)
        if found is None:
            id = int(self._recording.texts("class")[type].rpartition(b"@")[2], 16)
            classes = chain_of(id, self.classes)
            names = [self.type_name(self._types_by_id[each.id]) for each in classes]
            width = lambda type: width_of(type, self.id_size)  # noqa: E731
            found = layout_of(classes, names, self.name, decode, width)
            self._kept_fields += len(found.fields)
            if self._kept_fields > KEPT_FIELDS:
                self._layouts.clear()
                self._kept_fields = len(found.fields)
            self._layouts[type] = found
        return found

    def instance(self, object: int, since: str = "") -> DumpInstance:
        """Returns the fields of an object by name, without those of subclasses of `since`.

        None for other objects, and before references are known.
        """
        is_plain = self.kind(object) == PLAIN_OBJECT and self.has_references
        layout = self.layout(self.type(object)) if is_plain else NO_FIELDS
        data = b""
        if layout.size:
            # Tag, id, trace, class, length, values.
            head = 1 + 2 * self.id_size + 8
            data = self.read(head + layout.size, self.offset(object))
            data = data[head : head + int.from_bytes(data[head - 4 : head], "big")]
        first = int(self._column("object_first")[object]) if is_plain else 0
        return DumpInstance(layout, since, data, self.id_size, first, self.target)

    def field_names(self, type: int) -> Collection[str]:
        """Returns the names of the fields of instances of a class."""
        return self.layout(type).named("")

    def many_references(self, objects: I64Array, names: Sequence[str]) -> list[I64Array]:
        """Returns the targets of fields of many instances, by name: see `bulk`."""
        from parsers.formats.hprof.dump.graph.bulk import references_by_name

        return references_by_name(self, objects, names)

    def fields(self, object: int) -> list[FieldValue]:
        """Returns the fields of an instance with their values."""
        return self.instance(object).fields()

    def class_of(self, object: int) -> HeapClass | None:
        """Returns the dump's record of a class."""
        return self.classes.get(self.id(object))

    def numbers_of(self, object: int) -> ObjectPlace | None:
        """Returns the position of the values of an array of primitives; None for anything else."""
        place = self._place(object) if object >= 0 else None
        return place if place is not None and place.kind == PRIMITIVE_ARRAY else None

    def text(self, object: int, most: int) -> str | None:
        """Returns the first characters of a String's text; None for anything else."""
        if self.kind(object) != PLAIN_OBJECT or self.type_name(self.type(object)) != "java.lang.String":
            return None
        return self.text_in(self.instance(object), most)

    def text_of(self, object: int, most: int) -> str | None:
        """Returns the text of a String, or of an array of characters; None for anything else."""
        if object < 0:
            return None
        place = self.numbers_of(object)
        if place is not None and place.of == CHAR:
            return text_of(self.read, place, None, False, most)
        return self.text(object, most)

    def text_in(self, instance: DumpInstance, most: int) -> str | None:
        """Returns the characters in the field `value` of an instance, which all Strings and string builders have."""
        place = self.numbers_of(instance.reference("value"))
        if place is None:
            return None
        start, count = instance.number("offset"), instance.number("count")
        part = (start, count) if start is not None and count is not None else None
        return text_of(self.read, place, part, instance.number("coder") == UTF_16, most)

    @property
    def has_weak(self) -> bool:  # type: ignore[override]  # for text dumps it is known in advance
        """True if there are references that keep nothing alive."""
        return len(self._column("weak")) > 0

    def fill_path_steps(self, reached_by: U32Array, holders: U32Array, keys: U32Array) -> tuple[int, StepsInFile]:
        """Fills the steps from the file: the index doesn't have the fields of references."""
        from parsers.formats.hprof.dump.graph.steps_in_file import fill_from_file

        return fill_from_file(self, reached_by, holders, keys)

    @cached_property
    def type_ids(self) -> list[int]:
        """Ids of classes by type; 0 for arrays of primitives."""
        ids = {type: id for id, type in self._types_by_id.items()}
        return [ids.get(type, 0) for type in range(self.types)]

    def reference_names(self, type: int) -> list[str]:
        """Returns the names of the reference fields of a class and its superclasses."""
        chain = chain_of(self.type_ids[type], self.classes)
        return [decode(self.name(name)) for each in chain for name, of in each.fields if of == OBJECT]

    # -- bulk access --------------------------------------------------------------------------------------------------

    def _sizes(self, chosen: slice | AnyArray) -> I64Array:
        return self._numbers("object_size", chosen) * UNIT

    def _capacities(self, chosen: slice | AnyArray) -> I64Array:
        """Returns how many elements fit into arrays of the objects' sizes; 0 for objects that are not arrays."""
        layout = self._recording.facts["layout"]
        widths = np.array([*WIDTHS[FIRST_PRIMITIVE:], layout["reference"]], np.int64)
        starts = -(-layout["array_header"] // widths) * widths
        kinds, types = self._numbers("object_kind", chosen), self._numbers("object_class", chosen)
        places = np.where(kinds == PRIMITIVE_ARRAY, np.minimum(types, FIRST_CLASS), FIRST_CLASS)
        capacities = (self._sizes(chosen) - starts[places]) // widths[places]
        return np.where((kinds == OBJECT_ARRAY) | (kinds == PRIMITIVE_ARRAY), np.maximum(capacities, 0), 0)

    def column(self, name: str, objects: range | AnyArray) -> AnyArray:
        """Returns a column as `ObjectGraph.column`; also "retained". Zeros while unknown.

        "elements" of up to a million objects are read from the file; for more, as many as fit into the array's size.
        """
        chosen = slice(objects.start, objects.stop) if isinstance(objects, range) else np.asarray(objects)
        if not self.has(MADE_BY.get(name, "objects")):
            return np.zeros(len(objects), np.int64)
        if name == "printed":
            return self._sizes(chosen)
        if name == "elements":
            if len(objects) > MOST_LENGTHS:
                return self._capacities(chosen)
            from parsers.formats.hprof.dump.graph.bulk import lengths_of

            found, kinds = np.zeros(len(objects), np.int64), self._numbers("object_kind", chosen)
            rows = np.flatnonzero((kinds == OBJECT_ARRAY) | (kinds == PRIMITIVE_ARRAY))
            found[rows] = lengths_of(self, rows + chosen.start if isinstance(chosen, slice) else chosen[rows])
            return found
        return super().column(name, objects)


NO_FIELDS = InstanceLayout((), (), 0, ())
