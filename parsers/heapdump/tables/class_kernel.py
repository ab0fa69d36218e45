"""Kernels of `class_sums`. Those that are there too have the same arguments and results."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parsers.heapdump.graph.columns import CLASS_OBJECT, PRIMITIVE_ARRAY
from parsers.heapdump.paths.reachability import NO_ROW, NOT_REACHED
from parsers.heapdump.tables.object_size import ALIGNMENT
from parsers.heapdump.tables.sum_rows import (
    BYTES,
    GARBAGE,
    GARBAGE_BYTES,
    LARGEST,
    MOST_SIZE,
    OBJECTS,
    PRINTED,
    SMALLEST,
)
from parsers.kernels.decorators import int64, kernel, part

if TYPE_CHECKING:
    from parsers.model.arrays import I64Array, U8Array, U32Array

FIRST_BUCKET, BUCKET_LIMIT = range(2)
"""Rows of `buckets` by class: its first bucket; the size from which on objects are in that one."""


@part
def type_of(object: int, types: U32Array, kinds: U8Array, of_classes: int) -> int:
    """See `class_sums.counted_for`."""
    return of_classes if kinds[object] == CLASS_OBJECT and of_classes != NO_ROW else int64(types[object])


@kernel
def measure(
    types: U32Array, kinds: U8Array, of_classes: int, printed: U32Array, elements: U32Array, element_sizes: I64Array,
    header: int, sizes: U32Array, sums: I64Array,
) -> None:  # fmt: skip
    """See `class_sums.measure`."""
    for object in range(len(types)):
        type = type_of(object, types, kinds, of_classes)
        bytes = int64(printed[object])
        size = bytes
        each = element_sizes[type] if kinds[object] == PRIMITIVE_ARRAY else 0
        if each > 0 and bytes == int64(elements[object]) * each:
            size = (bytes + header + ALIGNMENT - 1) // ALIGNMENT * ALIGNMENT
        shown = min(size, MOST_SIZE)
        sizes[object] = shown
        if sums[OBJECTS, type] == 0 or shown < sums[SMALLEST, type]:
            sums[SMALLEST, type] = shown
        if shown > sums[LARGEST, type]:
            sums[LARGEST, type] = shown
        sums[OBJECTS, type] += 1
        sums[BYTES, type] += size
        sums[PRINTED, type] += bytes
    for type in range(len(element_sizes)):
        if sums[OBJECTS, type] == 0:
            sums[SMALLEST, type] = MOST_SIZE


@kernel
def add_garbage(
    types: U32Array, kinds: U8Array, of_classes: int, reached_by: U32Array, sizes: U32Array, sums: I64Array
) -> None:
    """See `class_sums.add_garbage`."""
    for object in range(len(types)):
        if reached_by[object] == NOT_REACHED:
            type = type_of(object, types, kinds, of_classes)
            sums[GARBAGE, type] += 1
            sums[GARBAGE_BYTES, type] += int64(sizes[object])


@part
def bucket_of(object: int, types: U32Array, kinds: U8Array, of_classes: int, sizes: U32Array, buckets: I64Array) -> int:
    """Returns the bucket of an object. Buckets of a class are contiguous, those of larger objects first.

    buckets  int64[2, types]: rows FIRST_BUCKET and BUCKET_LIMIT
    """
    type = type_of(object, types, kinds, of_classes)
    return int64(buckets[FIRST_BUCKET, type] + max(buckets[BUCKET_LIMIT, type] - int64(sizes[object]), 0))


@kernel
def count(
    types: U32Array, kinds: U8Array, of_classes: int, sizes: U32Array, buckets: I64Array, counts: I64Array
) -> None:
    """Counts the objects of each bucket. counts: int64, zeros, filled"""
    for object in range(len(types)):
        counts[bucket_of(object, types, kinds, of_classes, sizes, buckets)] += 1


@kernel
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
        order[starts[bucket]] = first + object
        starts[bucket] += 1
