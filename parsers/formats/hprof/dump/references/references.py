"""References of the objects of a heap dump: by plain code here, by `kernel_references` in large dumps.

References of an instance are in the order of its fields, those of the class itself first, then of its superclasses; of
an array in element order; of a class: superclass, loader, signers, protection domain, constants, statics. Without null.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from parsers.formats.hprof.agent_binary.records import Read
from parsers.formats.hprof.dump.read.class_record import MOST_SUPERS, HeapClass, width_of
from parsers.formats.hprof.dump.read.heap import ParsedHeap, WeakFields
from parsers.formats.hprof.dump.records.tags import OBJECT
from parsers.formats.hprof.dump.references.reference_layouts import (
    LARGEST_BODY,
    ReferencePlaces,
    elements_in,
    fields_in,
    reference_layouts,
)
from parsers.heapdump.graph.columns import CLASS_OBJECT, OBJECT_ARRAY, PLAIN_OBJECT
from parsers.model.none import NONE

if TYPE_CHECKING:
    from parsers.model.arrays import Numbers, U32Array


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


SMALL_BODY = 1 << 16
"""Bytes of the values of an instance that are searched for references regardless of the size that its class states."""
WEAK = ("Soft", "Weak", "Phantom", "Final")
REFERENCE, FINALIZER = "java.lang.ref.Reference", "java.lang.ref.Finalizer"
OF_REFERENCE, OF_FINALIZER = (b"referent", b"next", b"discovered"), (b"next", b"prev")
"""Fields that the garbage collector treats as weak; those of FINALIZER form one list of all finalizable objects."""
IS_REFERENCE, IS_WEAK = 1, 1 << 32
"""Numbers that are summed over superclasses: one is REFERENCE; one is of the kinds in WEAK."""


def weak_fields(heap: ParsedHeap, names: Mapping[int, str], texts: Mapping[int, bytes]) -> WeakFields:
    """Returns the weak fields. names: of classes, as Java writes them; texts: of fields

    Fields of these names that subclasses declare are strong. Source: `java.lang.ref` of the JDK.
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
    kinds = {id: weak[name] for id, name in names.items() if name in weak and id in heap.classes}
    counts = np.zeros(len(heap.classes), np.int64)
    counts[heap.classes.rows(np.array([*kinds], np.uint64))] = [*kinds.values()]
    above, _ = heap.classes.over_supers(counts)
    return WeakFields(own, always, frozenset(heap.classes.ids[(above > IS_WEAK) & (above % IS_WEAK > 0)].tolist()))


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
    size = heap.id_size
    number_of = {id: number for number, id in enumerate(heap.ids.tolist())}
    places = ReferencePlaces(reference_layouts(heap, read), size)
    class_firsts, class_ids = places.layouts.class_firsts, places.layouts.class_ids
    firsts, targets, counts, weak = [0], list[int](), [0, 0, 0, 0], list[int]()
    columns = (heap.offsets, heap.kinds, heap.types, heap.lengths)
    for offset, kind, type, length in zip(*(column.tolist() for column in columns), strict=True):
        found: Numbers = []
        if kind == PLAIN_OBJECT:
            fields = fields_in(read(length, offset + 1 + 2 * size + 8), places.of(type, length), size)
            found = [target for target, _ in fields]
            weak += [len(targets) + number for number, (_, is_weak) in enumerate(fields) if is_weak]
        elif kind == OBJECT_ARRAY:
            found = elements_in(read(length * size, offset + 1 + 2 * size + 8), size)
        elif kind == CLASS_OBJECT:
            found = class_ids[class_firsts[type] : class_firsts[type + 1]]
        counts[kind] += len(found)
        targets += found
        firsts.append(len(targets))
    return HeapReferences(
        np.array(firsts, np.uint32),
        np.array([number_of.get(target, NONE) for target in targets], np.uint32),
        counts[PLAIN_OBJECT],
        counts[OBJECT_ARRAY],
        counts[CLASS_OBJECT],
        np.array(weak, np.uint32),
    )
