"""References of the objects of a heap dump: by plain code here, by `kernel_references` in large dumps.

References of an instance are in the order of its fields, those of the class itself first, then of its superclasses; of
an array in element order; of a class: superclass, loader, signers, protection domain, constants, statics. Without null.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import add, or_
from typing import TYPE_CHECKING

from parsers.formats.hprof.agent_binary.records import Read
from parsers.formats.hprof.dump.read.class_record import MOST_SUPERS, HeapClass, over_supers, width_of
from parsers.formats.hprof.dump.read.heap import ParsedHeap, WeakFields
from parsers.formats.hprof.dump.read.tags import OBJECT
from parsers.heapdump.graph.columns import CLASS_OBJECT, NONE, OBJECT_ARRAY, PLAIN_OBJECT

if TYPE_CHECKING:
    from parsers.model.arrays import U32Array


@dataclass(frozen=True, slots=True)
class HeapReferences:
    """Arrays of an index, and counts."""

    firsts: U32Array
    """uint32, one more than there are objects: where those of each begin."""
    targets: U32Array
    """uint32: objects, NONE where the dump lacks them."""
    fields: int
    elements: int
    of_classes: int
    weak: U32Array
    """uint32, ascending: those that keep nothing alive, see `ParsedHeap.weak`."""


SMALL_BODY, LARGEST_BODY = 1 << 16, 1 << 20
"""Maximum bytes of the values of an instance that are searched for references: regardless of the size that its class
states, and more than any JVM lays out."""
WEAK = ("Soft", "Weak", "Phantom", "Final")
REFERENCE, FINALIZER = "java.lang.ref.Reference", "java.lang.ref.Finalizer"
OF_REFERENCE, OF_FINALIZER = (b"referent", b"next", b"discovered"), (b"next", b"prev")
"""Fields that the garbage collector treats as weak; those of FINALIZER form one list of all finalizable objects."""
IS_REFERENCE, IS_WEAK = 1, 2
"""Bits: a superclass is REFERENCE; one is of the kinds in WEAK."""


def weak_fields(heap: ParsedHeap, names: Mapping[int, str], texts: Mapping[int, bytes]) -> WeakFields:
    """Returns the weak fields. names: of classes, as Java writes them; texts: of fields

    Source: format page of binary HPROF, section 4.2.
    """
    weak = {f"java.lang.ref.{kind}Reference": IS_WEAK for kind in WEAK} | {REFERENCE: IS_REFERENCE}
    own: dict[int, frozenset[int]] = {}
    for id, name in names.items():
        if name in (REFERENCE, FINALIZER) and id in heap.classes:
            declared = heap.classes[id]
            wanted = OF_REFERENCE if name == REFERENCE else OF_FINALIZER
            fields = [field for field, type in declared.fields if type == OBJECT]
            places, _ = own_references(declared, heap.id_size)
            own[id] = frozenset(at for at, field in zip(places, fields, strict=True) if texts.get(field) in wanted)
    always = frozenset(id for id in own if names[id] == FINALIZER)
    if len(own) == len(always):
        return WeakFields(own, always, frozenset())
    bits = {id: weak.get(names.get(id, ""), 0) for id in heap.classes}
    every = over_supers(heap.classes, bits, or_)
    return WeakFields(own, always, frozenset(id for id, found in every.items() if found == IS_REFERENCE | IS_WEAK))


class ReferencePlaces:
    """Positions of references in instances: those of each class alone, and its next superclass with fields.

    A chain of classes is followed for each instance, as far as its values reach. So memory and time are linear in the
    size of the file, however deep the hierarchy is.
    """

    def __init__(self, heap: ParsedHeap) -> None:
        classes, self._weak = heap.classes, heap.weak
        self._size = heap.id_size
        with_fields = {id: declared for id, declared in classes.items() if declared.fields}
        self.own: dict[int, Sequence[int]] = dict.fromkeys(classes, ())
        """By class: byte offsets relative to its first own value."""
        self.bytes = dict.fromkeys(classes, 0)
        """By class: bytes of its own fields."""
        for id, declared in with_fields.items():
            self.own[id], self.bytes[id] = own_references(declared, heap.id_size)
        self.totals = over_supers(classes, self.bytes, add)
        """By class: bytes of its fields and those of superclasses."""
        self.above = _next_with_fields(classes, self.bytes)
        """By class: the next superclass that has fields; 0 for none."""
        self._known: dict[int, list[tuple[int, bool]]] = {}

    def weak_kind(self, id: int, place: int) -> int:
        """Returns the kind of a declared reference: 0 strong, 1 always weak, 2 weak in instances of `holders`."""
        return 0 if place not in self._weak.own.get(id, ()) else 1 if id in self._weak.always else 2

    def of(self, id: int, length: int) -> list[tuple[int, bool]]:
        """Returns the references in an instance with `length` bytes of values: byte offset of each, True if weak."""
        total = self.totals.get(id, 0)
        if length >= total and id in self._known:
            return self._known[id]
        found, start, at, most = list[tuple[int, bool]](), 0, id, min(length, total, LARGEST_BODY)
        is_holder = id in self._weak.holders
        while start < most:
            for place in self.own[at]:
                if start + place + self._size <= most:
                    kind = self.weak_kind(at, place)
                    found.append((start + place, kind == 1 or (kind == 2 and is_holder)))
            start += self.bytes[at]
            at = self.above[at]
        if length >= total:
            self._known[id] = found
        return found


def own_references(declared: HeapClass, id_size: int) -> tuple[Sequence[int], int]:
    """Returns byte offsets of references among the fields that a class itself declares, relative to the first one, and
    the bytes of these fields.
    """
    return _references_among(tuple([type for _, type in declared.fields]), id_size)


@lru_cache(1 << 12)
def _references_among(types: Sequence[int], id_size: int) -> tuple[Sequence[int], int]:
    places, at = list[int](), 0
    for type in types:
        if type == OBJECT:
            places.append(at)
        at += width_of(type, id_size)
    return places, at


def _next_with_fields(classes: Mapping[int, HeapClass], sizes: Mapping[int, int]) -> dict[int, int]:
    """Returns by class the next superclass that has fields, 0 for none. Each class is visited once."""
    found: dict[int, int] = {}
    for id, declared in classes.items():
        last = declared.super_id
        if id in found:
            continue
        if last not in classes or sizes[last]:
            found[id] = last if last in classes else 0
            continue
        path: dict[int, None] = {}
        at = id
        while at not in found and at not in path:
            path[at] = None
            last = classes[at].super_id
            if last not in classes or sizes[last]:
                last = last if last in classes else 0
                break
            at = last
        else:
            last = found.get(at, 0)
        found |= dict.fromkeys(path, last)
    return found


def reference_fields(ids: Iterable[int], classes: Mapping[int, HeapClass], id_size: int, most: int) -> list[list[int]]:
    """Returns by class the offsets of references in the values of an instance, as far as instances may reach.

    Superclasses without references are skipped, so the time depends only on the references found.

    most  maximum references of all classes together: further ones are omitted
    """
    chains, found, left = _ReferenceChains(classes, id_size), list[list[int]](), most
    for id in ids:
        found.append(chains.fields(id, left) if left else [])
        left -= len(found[-1])
    return found


class _ReferenceChains:
    """Superclasses with references. Each class is looked up once, since that may read the file."""

    def __init__(self, classes: Mapping[int, HeapClass], id_size: int) -> None:
        self._classes = classes
        self._id_size = id_size
        self._known: dict[int, tuple[int, int, Sequence[int], int]] = {}
        """By class: its superclass, 0 for none; its `size`; offsets of its own references; bytes of its own fields."""
        self._following: dict[int, tuple[int, int, int]] = {}
        """By class: the next superclass with references, 0 for none; bytes of fields and classes until there."""

    def fields(self, id: int, most: int) -> list[int]:
        """See `reference_fields`."""
        places, seen, at, start, count = list[int](), set[int](), id, 0, 0
        end = min(max(self._known[id][1], SMALL_BODY), LARGEST_BODY) if self._is_there(id) else 0
        known, following, most_classes = self._known, self._following, MOST_SUPERS
        while at not in seen and count < most_classes and start < end and len(places) < most:
            for place in known[at][2]:
                places.append(start + place)
            seen.add(at)
            at, bytes, passed = following[at] if at in following else self._next(at)
            if not passed:
                break
            start += bytes
            count += passed
        return places[:most]

    def _is_there(self, id: int) -> bool:
        if id not in self._known:
            declared = self._classes.get(id)
            if declared is None:
                return False
            self._known[id] = declared.super_id, declared.size, *own_references(declared, self._id_size)
        return True

    def _next(self, id: int) -> tuple[int, int, int]:
        """Returns the next superclass with references; zeros if there is none."""
        found, path, at = self._following, dict[int, None](), id
        while at not in found:
            path[at] = None
            above, _, _, own = self._known[at]
            is_last = above in path or not self._is_there(above)
            if not is_last and not self._known[above][2]:
                at = above
                continue
            # A superclass in a cycle is the next one, too, if it has references.
            found[at] = (above, own, 1) if above in self._known and self._known[above][2] else (0, 0, 0)
        last = found[at]
        for each in reversed(path):
            if each not in found:
                above, bytes, passed = last
                last = found[each] = (above, bytes + self._known[each][3], passed + 1) if passed else last
        return found[id]


def read_references(heap: ParsedHeap, read: Read) -> HeapReferences:
    """Reads all references of a dump by plain code."""
    import numpy as np

    size = heap.id_size
    number_of = {id: number for number, id in enumerate(heap.ids.tolist())}
    places = ReferencePlaces(heap)
    firsts, targets, counts, weak = [0], list[int](), [0, 0, 0, 0], list[int]()
    columns = (heap.ids, heap.offsets, heap.kinds, heap.types, heap.lengths)
    for id, offset, kind, type, length in zip(*(column.tolist() for column in columns), strict=True):
        found: list[int] = []
        if kind == PLAIN_OBJECT:
            fields = _fields(read(length, offset + 1 + 2 * size + 8), places.of(heap.type_ids[type], length), size)
            found = [target for target, _ in fields]
            weak += [len(targets) + number for number, (_, is_weak) in enumerate(fields) if is_weak]
        elif kind == OBJECT_ARRAY:
            found = _elements(read(length * size, offset + 1 + 2 * size + 8), size)
        elif kind == CLASS_OBJECT:
            found = class_references(heap, places, id, read)
        counts[kind] += len(found)
        targets += [number_of.get(target, NONE) for target in found]
        firsts.append(len(targets))
    return HeapReferences(
        np.array(firsts, np.uint32),
        np.array(targets, np.uint32),
        counts[PLAIN_OBJECT],
        counts[OBJECT_ARRAY],
        counts[CLASS_OBJECT],
        np.array(weak, np.uint32),
    )


def class_references(heap: ParsedHeap, places: ReferencePlaces, id: int, read: Read) -> list[int]:
    """Returns the ids that a class refers to, then those of the other object with its id."""
    found = heap.classes[id].targets
    if id in heap.also:
        offset, kind = heap.also[id]
        size = heap.id_size
        head = read(1 + 2 * size + 8, offset)
        if kind == PLAIN_OBJECT:
            of, length = int.from_bytes(head[5 + size : 5 + 2 * size], "big"), int.from_bytes(head[-4:], "big")
            values = read(length, offset + len(head))
            found += [target for target, _ in _fields(values, places.of(of, length), size)]
        elif kind == OBJECT_ARRAY:
            length = int.from_bytes(head[5 + size : 9 + size], "big")
            found += _elements(read(length * size, offset + len(head)), size)
    return found


def _fields(values: bytes, places: list[tuple[int, bool]], size: int) -> list[tuple[int, bool]]:
    """Returns the references of an instance, each with True if weak."""
    ids = ((int.from_bytes(values[at : at + size], "big"), is_weak) for at, is_weak in places)
    return [(id, is_weak) for id, is_weak in ids if id]


def _elements(values: bytes, size: int) -> list[int]:
    ids = (int.from_bytes(values[at : at + size], "big") for at in range(0, len(values), size))
    return [id for id in ids if id]
