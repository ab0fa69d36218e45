"""Positions of references in instances, and the references of classes themselves, as arrays by type."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from parsers.formats.hprof.agent_binary.records import Read
from parsers.formats.hprof.dump.read.class_columns import FIELDS, NO_CLASS, SUPER
from parsers.formats.hprof.dump.read.class_record import width_of
from parsers.formats.hprof.dump.read.heap import ParsedHeap
from parsers.formats.hprof.dump.records.tags import OBJECT, WIDTHS
from parsers.heapdump.graph.columns import OBJECT_ARRAY, PLAIN_OBJECT

if TYPE_CHECKING:
    from parsers.model.arrays import AnyArray, I64Array, Numbers, U32Array

LARGEST_BODY = 1 << 20
"""Maximum bytes of the values of an instance that are searched for references: more than any JVM lays out."""


class Layouts(NamedTuple):
    """Arrays, or lists. Types without a class in the dump have neither fields nor references.

    A chain of classes is followed for each instance, as far as its values reach. So memory and time are linear in the
    size of the file, however deep the hierarchy is.
    """

    firsts: Numbers
    """uint32[types + 1]: where the positions of its own fields begin."""
    places: Numbers
    """uint32: byte offsets relative to the first own value."""
    weak: Numbers
    """uint8, by position: 1 for a weak reference, 2 for one that is weak in instances of `is_holder`."""
    bytes: Numbers
    """int64, by type: bytes of its own fields."""
    totals: Numbers
    """int64, by type: bytes of its fields and those of all superclasses."""
    above: Numbers
    """int64, by type: the next superclass that has fields, 0 for none."""
    is_holder: Numbers
    """int64, by type"""
    class_firsts: Numbers
    """uint32[types + 1]: where the references of the class itself begin."""
    class_ids: Numbers
    """uint64"""


def reference_layouts(heap: ParsedHeap, read: Read) -> Layouts:
    """Returns the layouts of a heap."""
    classes, count = heap.classes, len(heap.type_ids)
    types, columns = heap.class_types.astype(np.int64), classes.columns
    is_field, is_object = classes.kinds == FIELDS, columns.types == OBJECT
    widths = np.array([width_of(type, heap.id_size) for type in range(len(WIDTHS))])[columns.types[is_field]]
    owners = classes.owners[is_field]
    bytes = np.bincount(owners, widths, len(classes)).astype(np.int64)
    places = np.cumsum(widths) - widths - (np.cumsum(bytes) - bytes)[owners]
    places, owners = places[is_object[is_field]], owners[is_object[is_field]]
    weak = np.zeros(len(places), np.uint8)
    for id, own in heap.weak.own.items():
        is_declared = owners == classes.rows(np.array([id], np.uint64))
        weak[is_declared & np.isin(places, [*own])] = 1 if id in heap.weak.always else 2
    totals, above = classes.over_supers(bytes)
    holders = np.isin(classes.ids, np.array([*heap.weak.holders], np.uint64))
    order, firsts = _by_type(types[owners], count)

    def by_type(values: AnyArray) -> I64Array:
        found = np.zeros(count, np.int64)
        found[types] = values
        return found

    layouts = Layouts(
        firsts, places[order].astype(np.uint32), weak[order], by_type(bytes), by_type(totals),
        by_type(np.where(above == NO_CLASS, 0, types[above])), by_type(holders),
        np.zeros(count + 1, np.uint32), np.empty(0, np.uint64),
    )  # fmt: skip
    also = _references_of_also(heap, layouts, read)
    heads, is_value = columns.heads[:, SUPER:], is_object & ~is_field
    ids = np.concatenate([heads.ravel(), columns.values[is_value], np.array([id for _, id in also], np.uint64)])
    owners = np.repeat(np.arange(len(classes)), heads.shape[1])
    of_also = classes.rows(np.array([of for of, _ in also], np.uint64))
    owners = np.concatenate([owners, classes.owners[is_value], of_also])[ids != 0]
    order, class_firsts = _by_type(types[owners], count)
    return layouts._replace(class_firsts=class_firsts, class_ids=ids[ids != 0][order])


def _by_type(types: I64Array, count: int) -> tuple[I64Array, U32Array]:
    """Returns the order by type of what belongs to some types, and where that of each type begins: uint32."""
    firsts = np.cumulative_sum(np.bincount(types, minlength=count), dtype=np.uint32, include_initial=True)
    return np.argsort(types, kind="stable"), firsts


class ReferencePlaces:
    """Reader of the references in instances, by plain code."""

    def __init__(self, layouts: Layouts, id_size: int) -> None:
        self.layouts = Layouts(*(np.asarray(each).tolist() for each in layouts))
        self._size = id_size
        self._known: dict[int, list[tuple[int, bool]]] = {}

    def of(self, type: int, length: int) -> list[tuple[int, bool]]:
        """Returns the references in an instance with `length` bytes of values: byte offset of each, True if weak."""
        found, layouts = self._known.get(type), self.layouts
        if found is not None and length >= layouts.totals[type]:
            return found
        found, start, at, most = list[tuple[int, bool]](), 0, type, min(length, layouts.totals[type], LARGEST_BODY)
        while start < most:
            for number in range(layouts.firsts[at], layouts.firsts[at + 1]):
                place, kind = start + layouts.places[number], layouts.weak[number]
                if place + self._size <= most:
                    found.append((place, kind == 1 or (kind == 2 and bool(layouts.is_holder[type]))))
            start += layouts.bytes[at]
            at = layouts.above[at]
        if length >= layouts.totals[type]:
            self._known[type] = found
        return found


def _references_of_also(heap: ParsedHeap, layouts: Layouts, read: Read) -> list[tuple[int, int]]:
    """Returns references of objects whose ids are those of classes: id of the owner, id of the target."""
    if not heap.also:
        return []
    places, size, found = ReferencePlaces(layouts, heap.id_size), heap.id_size, list[tuple[int, int]]()
    types = {id: type for type, id in enumerate(heap.type_ids)}
    for owner, (offset, kind) in heap.also.items():
        head = read(1 + 2 * size + 8, offset)
        if kind == PLAIN_OBJECT:
            of, length = int.from_bytes(head[5 + size : 5 + 2 * size], "big"), int.from_bytes(head[-4:], "big")
            values = read(length, offset + len(head))
            targets = [target for target, _ in fields_in(values, places.of(types[of], length), size)]
        elif kind == OBJECT_ARRAY:
            length = int.from_bytes(head[5 + size : 9 + size], "big")
            targets = elements_in(read(length * size, offset + len(head)), size)
        else:
            continue
        found += [(owner, target) for target in targets]
    return found


def fields_in(values: bytes, places: list[tuple[int, bool]], size: int) -> list[tuple[int, bool]]:
    """Returns the references of an instance, each with True if weak."""
    return [(id, is_weak) for at, is_weak in places if (id := int.from_bytes(values[at : at + size], "big"))]


def elements_in(values: bytes, size: int) -> list[int]:
    """Returns the references of an array of objects."""
    return [id for at in range(0, len(values), size) if (id := int.from_bytes(values[at : at + size], "big"))]
