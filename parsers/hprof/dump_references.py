"""What objects of a heap dump refer to: by plain code here, by `dump_kernel` in large dumps.

References of an instance stand in the order of its fields, the class itself first, then those above it; of an array in
that of its elements; of a class: superclass, loader, signers, protection domain, constants, statics. Null is none.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from parsers.hprof.binary_records import Read
from parsers.hprof.columns import CLASS_OBJECT, NONE, OBJECT_ARRAY, PLAIN_OBJECT
from parsers.hprof.dump_class import HeapClass, chain_of, width_of
from parsers.hprof.dump_heap import FIRST_CLASS, Heap
from parsers.hprof.dump_words import OBJECT


@dataclass(frozen=True, slots=True)
class References:
    """Arrays of an index, and what is counted."""

    firsts: Any
    """uint32, one more than there are objects: where those of each begin."""
    targets: Any
    """uint32: objects, NONE where the dump lacks them."""
    fields: int
    elements: int
    of_classes: int
    weak: Any
    """uint32, ascending: those of `Heap.weak`."""


SMALL_BODY, LARGEST_BODY = 1 << 16, 1 << 20
"""Bytes of the values of an instance up to which references are looked for: so many whatever the class says of itself,
and what no JVM lays out."""
WEAK = ("Soft", "Weak", "Phantom", "Final")
REFERENCE, FINALIZER = "java.lang.ref.Reference", "java.lang.ref.Finalizer"
OF_REFERENCE, OF_FINALIZER = (b"referent", b"next", b"discovered"), (b"next", b"prev")
"""Fields that the garbage collector doesn't follow as others; those of FINALIZER are one list of all finalizable."""


def weak_fields(heap: Heap, names: Mapping[int, str], texts: Mapping[int, bytes]) -> dict[int, frozenset[int]]:
    """What `Heap.weak` holds. names: of classes, as Java writes them; texts: of fields

    Source: format page of binary HPROF, section 4.2.
    """
    found = {}
    weak = {f"java.lang.ref.{kind}Reference" for kind in WEAK}
    for id in heap.classes:
        chain = chain_of(id, heap.classes)
        above = {names.get(declared.id) for declared in chain}
        if REFERENCE not in above and FINALIZER not in above:
            continue
        places, at = set(), 0
        for declared in chain:
            name = names.get(declared.id)
            wanted = OF_REFERENCE if name == REFERENCE and above & weak else OF_FINALIZER if name == FINALIZER else ()
            for field, type in declared.fields:
                if type == OBJECT and texts.get(field) in wanted:
                    places.add(at)
                at += width_of(type, heap.id_size)
        if places:
            found[id] = frozenset(places)
    return found


def reference_fields(id: int, classes: Mapping[int, HeapClass], id_size: int) -> list[int]:
    """Where in the values of an instance of a class its references stand; as far as instances may reach."""
    places, at = list[int](), 0
    most = max(classes[id].size, SMALL_BODY) if id in classes else 0
    for declared in chain_of(id, classes):
        if at >= min(most, LARGEST_BODY):
            break
        for _, type in declared.fields:
            if type == OBJECT:
                places.append(at)
            at += width_of(type, id_size)
    return places


def read_references(heap: Heap, read: Read) -> References:
    """All of a dump, by plain code."""
    import numpy as np

    size = heap.id_size
    number_of = {id: number for number, id in enumerate(heap.ids.tolist())}
    places = {id: reference_fields(id, heap.classes, size) for id in heap.type_ids[FIRST_CLASS:]}
    firsts, targets, counts, weak = [0], list[int](), [0, 0, 0, 0], list[int]()
    columns = (heap.ids, heap.offsets, heap.kinds, heap.types, heap.lengths)
    for id, offset, kind, type, length in zip(*(column.tolist() for column in columns), strict=True):
        found: list[int] = []
        if kind == PLAIN_OBJECT:
            of = heap.type_ids[type]
            fields = _fields(read(length, offset + 1 + 2 * size + 8), places[of], size)
            found = [target for _, target in fields]
            weak_places = heap.weak.get(of, ())
            weak += [len(targets) + number for number, (place, _) in enumerate(fields) if place in weak_places]
        elif kind == OBJECT_ARRAY:
            found = _elements(read(length * size, offset + 1 + 2 * size + 8), size)
        elif kind == CLASS_OBJECT:
            found = class_references(heap, id, read)
        counts[kind] += len(found)
        targets += [number_of.get(target, NONE) for target in found]
        firsts.append(len(targets))
    return References(
        np.array(firsts, np.uint32),
        np.array(targets, np.uint32),
        counts[PLAIN_OBJECT],
        counts[OBJECT_ARRAY],
        counts[CLASS_OBJECT],
        np.array(weak, np.uint32),
    )


def class_references(heap: Heap, id: int, read: Read) -> list[int]:
    """Ids that a class refers to; behind them those of the object that has its id, too."""
    found = [target for _, _, target in heap.classes[id].references()]
    if id in heap.also:
        offset, kind = heap.also[id]
        size = heap.id_size
        head = read(1 + 2 * size + 8, offset)
        if kind == PLAIN_OBJECT:
            of, length = int.from_bytes(head[5 + size : 5 + 2 * size], "big"), int.from_bytes(head[-4:], "big")
            fields = _fields(read(length, offset + len(head)), reference_fields(of, heap.classes, size), size)
            found += [target for _, target in fields]
        elif kind == OBJECT_ARRAY:
            length = int.from_bytes(head[5 + size : 9 + size], "big")
            found += _elements(read(length * size, offset + len(head)), size)
    return found


def _fields(values: bytes, places: list[int], size: int) -> list[tuple[int, int]]:
    """The references of an instance with their places; of values that are too short those that fit."""
    ids = ((at, int.from_bytes(values[at : at + size], "big")) for at in places if at + size <= len(values))
    return [(at, id) for at, id in ids if id]


def _elements(values: bytes, size: int) -> list[int]:
    ids = (int.from_bytes(values[at : at + size], "big") for at in range(0, len(values), size))
    return [id for id in ids if id]
