"""Sums of a dump's classes, and its objects put by class. For small dumps here, for large ones by `class_kernel`."""

from __future__ import annotations

from typing import Any

from parsers.hprof.columns import NONE, PRIMITIVE_ARRAY
from parsers.hprof.heap_size import true_sizes
from parsers.hprof.ways import FEW, NOT_REACHED

SUMS = 7
OBJECTS, BYTES, PRINTED, GARBAGE, GARBAGE_BYTES, SMALLEST, LARGEST = range(SUMS)
"""Rows of the sums: objects, bytes in the heap, bytes as printed; of those that no root reaches; of one object."""

MOST_SIZE = NONE
"""Larger objects are put in order as if they were of this size."""


def measure(types: Any, kinds: Any, printed: Any, elements: Any, element_sizes: Any, sizes: Any, sums: Any) -> None:
    """Sizes of objects and sums of classes, but for garbage.

    types          uint32[objects]    the class that each object is counted for
    kinds          uint8[objects]     PLAIN_OBJECT …
    printed        uint32[objects]    sz
    elements       uint32[objects]    nelems
    element_sizes  int64[types]       of arrays of primitives, else 0
    sizes          uint32[objects]    filled: bytes in the heap, at most MOST_SIZE
    sums           int64[SUMS, types] filled; zero before
    """
    import numpy as np

    count = sums.shape[1]
    exact = true_sizes(printed, elements, np.where(kinds == PRIMITIVE_ARRAY, element_sizes[types], 0))
    sizes[:] = np.minimum(exact, MOST_SIZE)
    sums[OBJECTS] = np.bincount(types, minlength=count)
    # Sums of whole numbers below 2^53 are exact in floating point.
    sums[BYTES], sums[PRINTED] = (np.bincount(types, weights, count) for weights in (exact, printed))
    sums[SMALLEST] = MOST_SIZE
    np.minimum.at(sums[SMALLEST], types, sizes)
    np.maximum.at(sums[LARGEST], types, sizes)


def add_garbage(types: Any, ways: Any, sizes: Any, sums: Any) -> None:
    """Adds what no root reaches to the sums of its class.

    ways  uint32[objects]: NOT_REACHED for garbage; the others as for `measure`
    """
    import numpy as np

    is_garbage = ways == NOT_REACHED
    sums[GARBAGE] = np.bincount(types[is_garbage], minlength=sums.shape[1])
    sums[GARBAGE_BYTES] = np.bincount(types[is_garbage], sizes[is_garbage], sums.shape[1])


def place(types: Any, starts: Any, order: Any) -> None:
    """Objects by class, those of each in the order of the file.

    types   uint32[objects]
    starts  int64[types]     where the objects of each class begin in the order; moved to where they end
    order   uint32[objects]  filled
    """
    import numpy as np

    order[:] = np.argsort(starts[types], kind="stable")


def sums_of(types: Any, kinds: Any, printed: Any, elements: Any, element_sizes: Any) -> tuple[Any, Any]:
    """`sizes` and `sums` of `measure`."""
    import numpy as np

    sizes, sums = np.empty(len(types), np.uint32), np.zeros((SUMS, len(element_sizes)), np.int64)
    _compiled(types, "measure")(types, kinds, printed, elements, element_sizes, sizes, sums)
    return sizes, sums


def count_garbage(types: Any, ways: Any, sizes: Any, sums: Any) -> None:
    """`add_garbage`, by what is quicker."""
    _compiled(types, "add_garbage")(types, ways, sizes, sums)


def _compiled(types: Any, name: str) -> Any:
    """One of the loops: compiled where there are many objects."""
    if len(types) <= FEW:
        return globals()[name]
    from parsers.hprof import class_kernel

    return getattr(class_kernel, name)


def order_of(types: Any, ranked: Any, sizes: Any, sums: Any) -> tuple[Any, Any]:
    """Objects by class, the largest of each class first, and where each class begins.

    ranked  int64[classes]: the classes that have objects, in their order
    """
    import numpy as np

    firsts = np.append(0, np.cumsum(sums[OBJECTS][ranked])[:-1])[: len(ranked)].astype(np.int64)
    starts = np.zeros(sums.shape[1], np.int64)
    starts[ranked] = firsts
    order = np.empty(len(types), np.uint32)
    _compiled(types, "place")(types, starts, order)
    ends = np.append(firsts[1:], len(order))
    # Objects of most classes are all of one size.
    for number in np.flatnonzero(sums[SMALLEST][ranked] != sums[LARGEST][ranked]).tolist():
        part = slice(firsts[number], ends[number])
        largest = int(sums[LARGEST][ranked[number]])
        # Of 16 bits numbers are sorted in linear time.
        keys = (largest - sizes[order[part]]).astype(np.uint16 if largest < 1 << 16 else np.uint32)
        order[part] = order[part][np.argsort(keys, kind="stable")]
    return order, firsts
