"""Sums of a dump's classes, and its objects sorted by class: loops over objects, which `compiled` makes kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parsers.heapdump.graph.columns import CLASS_OBJECT, PRIMITIVE_ARRAY
from parsers.heapdump.paths.reachability import NO_ROW, NOT_REACHED
from parsers.heapdump.tables.object_size import true_size
from parsers.heapdump.tables.sum_rows import (
    BYTES,
    GARBAGE,
    GARBAGE_BYTES,
    LARGEST,
    MOST_SIZE,
    OBJECTS,
    PRINTED,
    SMALLEST,
    SUMS,
)
from parsers.io.background_task import in_halves
from parsers.kernels.compiled import compiled, fixed
from parsers.model.late import numpy as np

if TYPE_CHECKING:
    from parsers.model.arrays import AnyArray, I64Array, U8Array, U32Array


MOST_SPAN, MOST_BUCKETS = 1 << 12, 1 << 20
"""Counting sort covers sizes up to MOST_SPAN above the smallest object of a class, MOST_BUCKETS for all classes
together. Larger objects are sorted by comparison."""
FIRST_BUCKET, BUCKET_LIMIT = range(2)
"""Rows of `buckets` by class: its first bucket; the size from which on objects are in that one."""


def counted_for(types: U32Array, kinds: U8Array, of_classes: int) -> U32Array:
    """Returns the class that each object is counted for.

    types       uint32[objects]  its class; for a class object the class that it represents
    kinds       uint8[objects]   PLAIN_OBJECT …
    of_classes  the class that class objects are counted for; NO_ROW: each for its own
    """
    return types if of_classes == NO_ROW else np.where(kinds == CLASS_OBJECT, np.uint32(of_classes), types)


def type_of(object: int, types: U32Array, kinds: U8Array, of_classes: int) -> int:
    """Returns the class that one object is counted for: see `counted_for`."""
    return of_classes if kinds[object] == CLASS_OBJECT and of_classes != NO_ROW else int(types[object])


def measure(
    types: U32Array, kinds: U8Array, of_classes: int, printed: U32Array, elements: U32Array, element_sizes: I64Array,
    header: int, sizes: U32Array, sums: I64Array,
) -> None:  # fmt: skip
    """Sizes of objects and sums of classes, but for garbage.

    types, kinds, of_classes  see `counted_for`
    printed        uint32[objects]    sz
    elements       uint32[objects]    nelems
    element_sizes  int64[types]       of arrays of primitives, else 0
    header         bytes of an array before its elements
    sizes          uint32[objects]    filled: bytes in the heap, at most MOST_SIZE
    sums           int64[SUMS, types] filled; zero before
    """
    for object in range(len(types)):
        type = type_of(object, types, kinds, of_classes)
        each = int(element_sizes[type]) if kinds[object] == PRIMITIVE_ARRAY else 0
        size = true_size(int(printed[object]), int(elements[object]), each, header)
        shown = min(size, MOST_SIZE)
        sizes[object] = shown
        if sums[OBJECTS, type] == 0 or shown < sums[SMALLEST, type]:
            sums[SMALLEST, type] = shown
        if shown > sums[LARGEST, type]:
            sums[LARGEST, type] = shown
        sums[OBJECTS, type] += 1
        sums[BYTES, type] += size
        sums[PRINTED, type] += printed[object]
    for type in range(len(element_sizes)):
        if sums[OBJECTS, type] == 0:
            sums[SMALLEST, type] = MOST_SIZE


def add_garbage(
    types: U32Array, kinds: U8Array, of_classes: int, reached_by: U32Array, sizes: U32Array, sums: I64Array
) -> None:
    """Adds unreachable objects to the sums of their classes.

    reached_by  uint32[objects]: NOT_REACHED for garbage; the others as for `measure`
    """
    for object in range(len(types)):
        if reached_by[object] == NOT_REACHED:
            type = type_of(object, types, kinds, of_classes)
            sums[GARBAGE, type] += 1
            sums[GARBAGE_BYTES, type] += sizes[object]


def bucket_of(object: int, types: U32Array, kinds: U8Array, of_classes: int, sizes: U32Array, buckets: I64Array) -> int:
    """Returns the bucket of an object. Buckets of a class are contiguous, those of larger objects first.

    buckets  int64[2, types]: rows FIRST_BUCKET and BUCKET_LIMIT
    """
    type = type_of(object, types, kinds, of_classes)
    return int(buckets[FIRST_BUCKET, type]) + max(int(buckets[BUCKET_LIMIT, type]) - int(sizes[object]), 0)


def count(
    types: U32Array, kinds: U8Array, of_classes: int, sizes: U32Array, buckets: I64Array, counts: I64Array
) -> None:
    """Counts the objects of each bucket. counts: int64, zeros, filled"""
    for object in range(len(types)):
        counts[bucket_of(object, types, kinds, of_classes, sizes, buckets)] += 1


def place(
    types: U32Array, kinds: U8Array, of_classes: int, sizes: U32Array, buckets: I64Array, starts: I64Array, first: int,
    order: U32Array,
) -> None:  # fmt: skip
    """Sorts objects by bucket, stably.

    starts  int64     start of each bucket in the order; updated to its end
    first   the number of the first object
    order   uint32[objects]  filled
    """
    for object in range(len(types)):
        bucket = bucket_of(object, types, kinds, of_classes, sizes, buckets)
        order[int(starts[bucket])] = first + object
        starts[bucket] += 1


def sums_of(
    types: U32Array,
    kinds: U8Array,
    of_classes: int,
    printed: U32Array,
    elements: U32Array,
    element_sizes: I64Array,
    header: int,
) -> tuple[U32Array, I64Array]:
    """Returns `sizes` and `sums` of `measure`."""
    sizes, sums = np.empty(len(types), np.uint32), np.zeros((SUMS, len(element_sizes)), np.int64)
    columns = fixed(types), fixed(kinds), of_classes, fixed(printed), fixed(elements)
    compiled(measure)(*columns, element_sizes, header, sizes, sums)
    return sizes, sums


def add_to_sums(sums: I64Array, types: AnyArray, sizes: U32Array) -> None:
    """Adds a few more objects with their true sizes."""
    np.add.at(sums[OBJECTS], types, np.ones(len(sizes), np.int64))
    for row in (BYTES, PRINTED):
        np.add.at(sums[row], types, sizes.astype(np.int64))
    np.minimum.at(sums[SMALLEST], types, sizes.astype(np.int64))
    np.maximum.at(sums[LARGEST], types, sizes.astype(np.int64))


def count_garbage(
    types: U32Array, kinds: U8Array, of_classes: int, reached_by: U32Array, sizes: U32Array, sums: I64Array
) -> None:
    """Calls `add_garbage`, compiled."""
    compiled(add_garbage)(fixed(types), fixed(kinds), of_classes, fixed(reached_by), fixed(sizes), sums)


def order_of(
    types: U32Array,
    kinds: U8Array,
    of_classes: int,
    ranked: I64Array,
    sizes: U32Array,
    sums: I64Array,
    buffer: U32Array | None = None,
) -> tuple[U32Array, I64Array]:
    """Returns objects by class, the largest of each class first, and the first place of each class.

    It counts: a bucket for each size of each class, in two halves.

    ranked  int64[classes]: the classes with objects, in their order
    buffer  uint32[objects] for the first result, optional
    """
    firsts = np.append(0, np.cumsum(sums[OBJECTS][ranked])[:-1])[: len(ranked)].astype(np.int64)
    smallest, largest = (sums[row][ranked] for row in (SMALLEST, LARGEST))
    spans = np.minimum(largest - smallest, min(MOST_SPAN, MOST_BUCKETS // max(len(ranked), 1)))
    buckets = np.zeros((2, sums.shape[1]), np.int64)
    begins = np.append(0, np.cumsum(spans + 1))
    buckets[FIRST_BUCKET, ranked], buckets[BUCKET_LIMIT, ranked] = begins[:-1], smallest + spans
    counts = np.zeros((2, int(begins[-1])), np.int64)
    order = np.empty(len(types), np.uint32) if buffer is None else buffer

    def columns(low: int, high: int) -> tuple[U32Array, U8Array, int, U32Array, I64Array]:
        part = slice(low, high)
        return fixed(types[part]), fixed(kinds[part]), of_classes, fixed(sizes[part]), buckets

    def half(high: int) -> int:
        return int(high == len(types))

    in_halves(len(types), lambda low, high: compiled(count)(*columns(low, high), counts[half(high)]))
    ends = np.cumsum(counts.sum(axis=0))
    starts = ends - counts[::-1].cumsum(axis=0)[::-1]
    in_halves(len(types), lambda low, high: compiled(place)(*columns(low, high), starts[half(high)], low, order))
    for number in np.flatnonzero(largest > smallest + spans).tolist():
        first = firsts[number]
        part = slice(first, first + int(counts[:, begins[number]].sum()))
        order[part] = order[part][np.argsort(-sizes[order[part]].astype(np.int64), kind="stable")]
    return order, firsts
