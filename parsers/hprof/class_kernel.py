"""The loops of `class_sums`, compiled: same arguments, same results."""

from __future__ import annotations

from typing import Any

from parsers.hprof.class_sums import BYTES, GARBAGE, GARBAGE_BYTES, LARGEST, OBJECTS, PRINTED, SMALLEST
from parsers.hprof.columns import PRIMITIVE_ARRAY
from parsers.hprof.heap_size import ALIGNMENT, HEADER
from parsers.hprof.ways import NOT_REACHED
from parsers.index.jit import int64, kernel


@kernel
def measure(
    types: Any, kinds: Any, printed: Any, elements: Any, element_sizes: Any, ways: Any, sizes: Any, sums: Any
) -> None:
    """See `class_sums.measure`."""
    for object in range(len(types)):
        type = types[object]
        bytes = int64(printed[object])
        size = bytes
        each = element_sizes[type] if kinds[object] == PRIMITIVE_ARRAY else 0
        if each > 0 and bytes == int64(elements[object]) * each:
            size = (bytes + HEADER + ALIGNMENT - 1) // ALIGNMENT * ALIGNMENT
        sizes[object] = size
        if sums[OBJECTS, type] == 0 or size < sums[SMALLEST, type]:
            sums[SMALLEST, type] = size
        if size > sums[LARGEST, type]:
            sums[LARGEST, type] = size
        sums[OBJECTS, type] += 1
        sums[BYTES, type] += size
        sums[PRINTED, type] += bytes
        if ways[object] == NOT_REACHED:
            sums[GARBAGE, type] += 1
            sums[GARBAGE_BYTES, type] += size
    for type in range(len(element_sizes)):
        if sums[OBJECTS, type] == 0:
            sums[SMALLEST, type] = 0x7FFF_FFFF_FFFF_FFFF


@kernel
def place(types: Any, starts: Any, order: Any) -> None:
    """See `class_sums.place`."""
    for object in range(len(types)):
        type = types[object]
        order[starts[type]] = object
        starts[type] += 1
