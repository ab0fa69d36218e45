"""Sums of a dump's classes, and its objects sorted by class. `class_kernel` has the functions as kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from parsers.heapdump.graph.columns import CLASS_OBJECT, PRIMITIVE_ARRAY
from parsers.heapdump.kernels import KERNELS
from parsers.heapdump.paths.reachability import NO_ROW, NOT_REACHED
from parsers.heapdump.tables.object_size import true_sizes
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
from parsers.kernels.compiled import fixed
from parsers.kernels.library import has_kernels
from parsers.model.late import numpy as np

if TYPE_CHECKING:
    from parsers.model.arrays import AnyArray, I64Array, U8Array, U32Array


MOST_SPAN, MOST_BUCKETS = 1 << 12, 1 << 20
"""Counting sort covers sizes up to MOST_SPAN above the smallest object of a class, MOST_BUCKETS for all classes
together. Larger objects are sorted by comparison."""


def counted_for(types: U32Array, kinds: U8Array, of_classes: int) -> U32Array:
    """Returns the class that each object is counted for.

    types       uint32[objects]  its class; for a class object the class that it represents
    kinds       uint8[objects]   PLAIN_OBJECT …
    of_classes  the class that class objects are counted for; NO_ROW: each for its own
    """
    return types if of_classes == NO_ROW else np.where(kinds == CLASS_OBJECT, np.uint32(of_classes), types)


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
    count, types = sums.shape[1], counted_for(types, kinds, of_classes)
    exact = true_sizes(printed, elements, np.where(kinds == PRIMITIVE_ARRAY, element_sizes[types], 0), header)
    sizes[:] = np.minimum(exact, MOST_SIZE)
    sums[OBJECTS] = np.bincount(types, minlength=count)
    # Sums of integers below 2^53 are exact in floating point.
    sums[BYTES], sums[PRINTED] = (np.bincount(types, weights, count) for weights in (exact, printed))
    sums[SMALLEST] = MOST_SIZE
    np.minimum.at(sums[SMALLEST], types, sizes)
    np.maximum.at(sums[LARGEST], types, sizes)


def add_garbage(
    types: U32Array, kinds: U8Array, of_classes: int, reached_by: U32Array, sizes: U32Array, sums: I64Array
) -> None:
    """Adds unreachable objects to the sums of their classes.

    reached_by  uint32[objects]: NOT_REACHED for garbage; the others as for `measure`
    """
    is_garbage = reached_by == NOT_REACHED
    types = counted_for(types, kinds, of_classes)[is_garbage]
    sums[GARBAGE] = np.bincount(types, minlength=sums.shape[1])
    sums[GARBAGE_BYTES] = np.bincount(types, sizes[is_garbage], sums.shape[1])


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
    _faster("measure")(*columns, element_sizes, header, sizes, sums)
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
    """Calls `add_garbage`, compiled where it can be."""
    _faster("add_garbage")(fixed(types), fixed(kinds), of_classes, fixed(reached_by), fixed(sizes), sums)


def _faster(name: str) -> Any:
    """Returns a function: its kernel if there are kernels."""
    if not has_kernels(KERNELS):
        return globals()[name]
    from parsers.heapdump.tables import class_kernel

    return getattr(class_kernel, name)


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

    ranked  int64[classes]: the classes with objects, in their order
    buffer  uint32[objects] for the first result, optional
    """
    objects = sums[OBJECTS][ranked]
    firsts = np.append(0, np.cumsum(objects)[:-1])[: len(ranked)].astype(np.int64)
    if has_kernels(KERNELS):
        return _sorted_by_kernels(types, kinds, of_classes, ranked, sizes, sums, buffer, firsts), firsts
    ranks = np.zeros(sums.shape[1], np.int64)
    ranks[ranked] = np.arange(len(ranked))
    by_class = ranks[counted_for(types, kinds, of_classes)]
    return np.lexsort((-sizes.astype(np.int64), by_class)).astype(np.uint32), firsts


def _sorted_by_kernels(
    types: U32Array,
    kinds: U8Array,
    of_classes: int,
    ranked: I64Array,
    sizes: U32Array,
    sums: I64Array,
    buffer: U32Array | None,
    firsts: I64Array,
) -> U32Array:
    """Returns the first result of `order_of` by counting: a bucket for each size of each class, in two halves."""
    from parsers.heapdump.tables.class_kernel import BUCKET_LIMIT, FIRST_BUCKET, count, place
    from parsers.io.background_task import in_halves

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

    in_halves(len(types), lambda low, high: count(*columns(low, high), counts[half(high)]))
    ends = np.cumsum(counts.sum(axis=0))
    starts = ends - counts[::-1].cumsum(axis=0)[::-1]
    in_halves(len(types), lambda low, high: place(*columns(low, high), starts[half(high)], low, order))
    for number in np.flatnonzero(largest > smallest + spans).tolist():
        first = firsts[number]
        part = slice(first, first + int(counts[:, begins[number]].sum()))
        order[part] = order[part][np.argsort(-sizes[order[part]].astype(np.int64), kind="stable")]
    return order
