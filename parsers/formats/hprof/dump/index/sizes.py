"""Sizes of the objects of a heap, computed with the layout that explains their addresses."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from parsers.formats.hprof.agent_binary.profile import BinaryProfile
from parsers.formats.hprof.agent_binary.records import Read
from parsers.formats.hprof.dump.index.field_rules import up
from parsers.formats.hprof.dump.index.layout import (
    FEWEST_DISTANCES,
    FEWEST_OBJECTS,
    Group,
    InstanceSizes,
    JvmLayout,
    Witness,
    class_object_sizes,
    infer,
    jdk_of,
    own_statics,
)
from parsers.formats.hprof.dump.index.vm_fields import STACK
from parsers.formats.hprof.dump.read.class_record import fields_of
from parsers.formats.hprof.dump.read.heap import FIRST_CLASS, FIRST_PRIMITIVE, PIECE, ParsedHeap
from parsers.formats.hprof.dump.read.values import ObjectPlace, ValueReader, place_at
from parsers.formats.hprof.dump.records.tags import INT, OBJECT, PRIMITIVES, WIDTHS
from parsers.formats.hprof.dump.records.tags import UNIT as UNIT
from parsers.heapdump.graph.columns import OBJECT_ARRAY, PLAIN_OBJECT, PRIMITIVE_ARRAY
from parsers.heapdump.tables.class_names import readable_class

if TYPE_CHECKING:
    from parsers.model.arrays import AnyArray, I64Array, U32Array, U64Array

MOST_PROPERTIES = 20_000
"""Most objects of the system properties that are searched for the version."""
MEASURED = 1 << 19
"""Most objects whose distances are measured; of more objects, this many stretches by address:"""
STRETCHES = 16
ADDRESS = 8
"""All addresses of objects are multiples of this number of bytes."""
MOST_ALIGNMENT = 256
"""Largest value of `-XX:ObjectAlignmentInBytes`."""
CLASS = "java.lang.Class"
VERSION, DATA_MODEL = "java.version", "sun.arch.data.model"
PROPERTIES = (VERSION, DATA_MODEL)
Find = Callable[[int], int | None]
"""Returns the number of the object of an id."""


@dataclass(slots=True)
class Addresses:
    """Objects by id."""

    find: Find
    find_all: Callable[[U64Array], U32Array]
    """Returns the same for many: uint32, NONE for none."""
    order: AnyArray
    """Objects in the order of their ids, until the layout is known."""


class MeasuredHeap:
    """Properties inferred from a heap."""

    def __init__(
        self, heap: ParsedHeap, profile: BinaryProfile, version: bytes, read: Read, addresses: Addresses
    ) -> None:
        self.heap = heap
        self._profile = profile
        self._version = version
        self._read = read
        self._addresses = addresses
        self.find, self.find_all = addresses.find, addresses.find_all
        """Return the number of the object of an id; those of many: uint32, NONE for none."""

    @cached_property
    def names(self) -> dict[int, str]:
        """Classes that records name, by id, in Java notation."""
        text = self._profile.class_text
        return {id: readable_class(text(id)) for id in self._profile.loaded if id}

    @property
    def texts(self) -> Mapping[int, bytes]:
        """Names of fields by id."""
        return self._profile.names

    @cached_property
    def values(self) -> ValueReader:
        """Reader of the values in objects."""
        return ValueReader(self._read, self.heap.id_size, self.heap.classes, self._profile.names, self.place_of)

    def place_of(self, id: int) -> ObjectPlace | None:
        """Returns the position of the values of an object."""
        number = self.find(id)
        if number is None:
            return None
        heap = self.heap
        kind, offset, length = (int(column[number]) for column in (heap.kinds, heap.offsets, heap.lengths))
        return place_at(self._read, heap.id_size, id, kind, offset, length)

    @cached_property
    def _properties(self) -> dict[str, str]:
        """The required system properties, as far as the heap has them."""
        found: dict[str, str] = {}
        system = self._class_called("java.lang.System")
        if system is None:
            return found
        names, statics = self._profile.names, self.heap.classes[system].statics
        left = [value for name, type, value in statics if type == OBJECT and names.get(name) == b"props"]
        seen: set[int] = set()
        while left and len(seen) < MOST_PROPERTIES and len(found) < len(PROPERTIES):
            id = left.pop()
            if id in seen or not id:
                continue
            seen.add(id)
            fields = self.values.named(id)
            key, value = fields.get(b"key"), fields.get(b"val", fields.get(b"value"))
            if key is not None and value is not None:
                name = self.values.text(int(key.value))
                text = self.values.text(int(value.value)) if name in PROPERTIES else None
                if name is not None and text is not None:
                    found.setdefault(name, text)
            left += [int(fields[name].value) for name in (b"map", b"table", b"defaults", b"next") if name in fields]
            left += self.values.elements(id)
        return found

    @property
    def java_version(self) -> str | None:
        """The system property `java.version`, if the heap has it."""
        return self._properties.get(VERSION)

    @cached_property
    def jdk(self) -> int:
        """Number of the JDK; 0 if unknown. Without a version, it is inferred from fields of threads and texts."""
        if self.java_version:
            return jdk_of(self.java_version)
        fields = self._own_fields("java.lang.Thread")
        if not fields:
            return 0
        if b"holder" in fields or b"interrupted" in fields:
            return 21 if b"holder" in fields else 17
        if b"threadLocalRandomSeed" in fields:
            return 8
        return 6 if b"offset" in self._own_fields("java.lang.String") else 7

    def _own_fields(self, name: str) -> set[bytes]:
        """Returns names of the fields that a class adds; none if the dump lacks it."""
        id = self._class_called(name)
        return set() if id is None else {self.texts.get(text, b"") for text, _ in self.heap.classes[id].fields}

    def _class_called(self, name: str) -> int | None:
        """Returns the id of a class in the dump by its name."""
        ids = self._ids_called(name)
        return next((id for id in self.heap.classes if id in ids), None) if ids else None

    def _ids_called(self, name: str) -> set[int]:
        return {id for id, each in self.names.items() if each == name}

    @cached_property
    def layout(self) -> JvmLayout:
        """Layout of objects."""
        heap = self.heap
        are_addresses = not heap.id_bits % ADDRESS
        model = self._properties.get(DATA_MODEL, "")
        witness = Witness(
            version=self._version,
            id_size=heap.id_size,
            jdk=self.jdk,
            data_model=int(model) if model in ("32", "64") else 0,
            alignment=max(ADDRESS, min(heap.id_bits & -heap.id_bits, MOST_ALIGNMENT)),
            are_addresses=are_addresses,
            groups=self._groups() if are_addresses or heap.id_size == ADDRESS else self._sites(),
        )
        layout = infer(witness, heap.classes, self.names, self.texts)
        layout = replace(layout, class_object_base=self._class_object_base(layout, are_addresses))
        self._addresses.order = np.empty(0, np.int64)
        return layout

    def _sites(self) -> Mapping[Group, int]:
        """Returns the bytes of an instance of each class in allocation sites, if the dump has the class."""
        return {
            (PLAIN_OBJECT, id, 0): bytes for id, bytes in self._profile.site_sizes().items() if id in self.heap.classes
        }

    def _groups(self) -> Mapping[Group, int]:
        """Returns the smallest distance of each group that has enough of them."""
        heap = self.heap
        stretches = self._stretches()
        order = np.concatenate([np.empty(0, np.int64), *(each[:-1] for each in stretches)])
        if not len(order):
            return {}
        distances = np.concatenate([np.diff(heap.ids[each]) for each in stretches])
        kinds, types, lengths = heap.kinds[order], heap.types[order], heap.lengths[order].astype(np.uint64)
        lengths[kinds == PLAIN_OBJECT] = 0
        keys = (lengths << np.uint64(26)) | (types.astype(np.uint64) << np.uint64(2)) | kinds
        keys[kinds == OBJECT_ARRAY] &= ~np.uint64(((1 << 24) - 1) << 2)
        found, places, counts = np.unique(keys, return_inverse=True, return_counts=True)
        smallest = np.full(len(found), np.iinfo(np.uint64).max, np.uint64)
        np.minimum.at(smallest, places, distances)
        groups: dict[Group, int] = {}
        for place in np.flatnonzero(counts >= FEWEST_DISTANCES).tolist():
            key, distance = int(found[place]), int(smallest[place])
            kind, type, length = key & 3, (key >> 2) & ((1 << 24) - 1), key >> 26
            if kind == PLAIN_OBJECT and heap.type_ids[type] in heap.classes:
                groups[kind, heap.type_ids[type], 0] = distance
            elif kind == OBJECT_ARRAY:
                groups[kind, 0, length] = distance
            elif kind == PRIMITIVE_ARRAY:
                groups[kind, type + FIRST_PRIMITIVE, length] = distance
        return groups

    def _stretches(self) -> list[I64Array]:
        """Returns objects by id: all objects of a small heap, else pieces of it."""
        order = self._addresses.order
        if len(order) <= MEASURED:
            return [np.asarray(order, np.int64)]
        length = MEASURED // STRETCHES
        starts = np.linspace(0, len(order) - length, STRETCHES).astype(np.int64).tolist()
        return [np.asarray(order[start : start + length], np.int64) for start in starts]

    def _class_object_base(self, layout: JvmLayout, are_addresses: bool) -> int:
        """Returns the bytes of a class object without statics: as measured, else of an instance of java.lang.Class."""
        measured = self._smallest_class_object() if are_addresses and not layout.takes_size else None
        if measured is not None:
            return measured
        id = self._class_called(CLASS)
        declared = None if id is None or layout.takes_size else self.heap.classes[id]
        if id is None or declared is None or not declared.fields:
            return layout.class_object_base
        return InstanceSizes(layout, self.heap.classes, self.names, self.texts).instance(id) or layout.class_object_base

    def _smallest_class_object(self) -> int | None:
        """Returns the smallest distance from a class without statics to its next neighbour; None if there are few."""
        heap = self.heap
        if heap.objects - len(heap.classes) + len(heap.also) < FEWEST_OBJECTS:
            return None
        is_bare = np.ones(len(heap.classes), bool)
        is_bare[heap.classes.owners[own_statics(heap.classes, self.texts, self.jdk)]] = False
        order, ids = self._addresses.order, heap.classes.ids[is_bare]
        places = places_behind(heap.ids, order, ids)
        is_there = places < heap.objects
        distances = heap.ids[order[places[is_there]]] - ids[is_there]
        return int(distances.min()) if len(distances) >= FEWEST_DISTANCES else None

    @cached_property
    def type_sizes(self) -> I64Array:
        """int64 by type: bytes of an instance, -1 if the dump has no such class, or no instance of it."""
        heap, sizes = self.heap, InstanceSizes(self.layout, self.heap.classes, self.names, self.texts)
        found = np.full(len(heap.type_ids), -1, np.int64)
        has_instances = np.zeros(len(heap.type_ids), bool)
        for start in range(0, heap.objects, PIECE):
            part = slice(start, start + PIECE)
            has_instances[heap.types[part][heap.kinds[part] == PLAIN_OBJECT]] = True
        types = heap.class_types[has_instances[heap.class_types]].tolist()
        found[types] = [sizes.instance(heap.type_ids[type]) or -1 for type in types]
        if not self.layout.takes_size:
            # Instances of java.lang.Class represent primitive types: like classes without statics.
            types = [type for type in self.types_called(CLASS) if found[type] >= 0]
            found[types] = self.layout.class_object_base
        return found

    @cached_property
    def type_names(self) -> list[str]:
        """Names of types, in Java notation."""
        names, ids = self.names, self.heap.type_ids[FIRST_CLASS:]
        of_classes = [f"class@0x{id:x}" if (name := names.get(id)) is None else name for id in ids]
        return [f"{name}[]" for name in PRIMITIVES.values()] + of_classes

    def types_called(self, name: str) -> list[int]:
        """Returns types of all classes with a name."""
        ids = self._ids_called(name)
        return [type for type, id in enumerate(self.heap.type_ids) if id in ids] if ids else []

    def fields(self, type: int) -> Iterator[tuple[bytes, int, int]]:
        """Yields the fields of the instances of a type, in file order: name, type, offset in the values."""
        for name, of, at in fields_of(self.heap.type_ids[type], self.heap.classes, self.heap.id_size):
            yield self.texts.get(name, b"?"), of, at

    def stacks(self) -> tuple[I64Array, I64Array]:
        """Returns the stacks of virtual threads, and the bytes of each: int64[n] twice.

        `size` counts words; after the frames comes a bit for each reference that may be in them, in whole words.
        Source: `instanceStackChunkKlass.inline.hpp` of JDK 21 and 25.
        """
        from parsers.formats.hprof.dump.graph.bulk import near

        heap, layout, head = self.heap, self.layout, 1 + 2 * self.heap.id_size + 8
        every, sizes = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
        for type in self.types_called(STACK):
            at = next((at for name, of, at in self.fields(type) if of == INT and name == b"size"), None)
            if at is None:
                continue
            objects = np.flatnonzero((heap.types == type) & (heap.kinds == PLAIN_OBJECT) & (heap.lengths >= at + 4))
            words = np.zeros(len(objects), np.int64)
            for rows, data in near(self._read, heap.offsets[objects].astype(np.int64) + head + at, 4):
                words[rows] = np.maximum(data.copy().view(">i4").ravel(), 0)
            bitmap = -(-words * layout.word // (layout.reference * 8 * layout.word))
            bare = int(self.type_sizes[type]) + (words + bitmap) * layout.word
            every.append(objects)
            sizes.append(-(-bare // layout.alignment) * layout.alignment)
        return np.concatenate(every), np.concatenate(sizes)

    @cached_property
    def class_sizes(self) -> I64Array:
        """Bytes of each class object, in the order of classes: int64."""
        return class_object_sizes(self.layout, self.heap.classes, self.texts)

    @cached_property
    def array_rules(self) -> I64Array:
        """int64[2], by type of array (arrays of objects last): offset of its elements; bytes of one."""
        layout = self.layout
        widths = [*WIDTHS[FIRST_PRIMITIVE:], layout.reference]
        return np.array([[up(layout.array_header, width) for width in widths], widths], np.int64)


def places_behind(ids: U64Array, order: AnyArray, wanted: U64Array) -> I64Array:
    """Returns the index in `order`, by which `ids` ascend, of the first id greater than each wanted one: int64."""
    low, high = np.zeros(len(wanted), np.int64), np.full(len(wanted), len(order), np.int64)
    while (low < high).any():
        middle = (low + high) // 2
        is_above = ids[order[np.minimum(middle, len(order) - 1)]] > wanted
        is_open = low < high
        high = np.where(is_open & is_above, middle, high)
        low = np.where(is_open & ~is_above, middle + 1, low)
    return low
