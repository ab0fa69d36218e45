"""The loops of `class_sums`, compiled: same arguments, same results."""

from __future__ import annotations

from typing import Any

from parsers.hprof.class_sums import BYTES, GARBAGE, GARBAGE_BYTES, LARGEST, MOST_SIZE, OBJECTS, PRINTED, SMALLEST
from parsers.hprof.columns import PRIMITIVE_ARRAY
from parsers.hprof.heap_size import ALIGNMENT, HEADER
from parsers.hprof.ways import NOT_REACHED
from parsers.index.jit import int64, kernel


@kernel
def measure(types: Any, kinds: Any, printed: Any, elements: Any, element_sizes: Any, sizes: Any, sums: Any) -> None:
    """See `class_sums.measure`."""
    for object in range(len(types)):
        type = types[object]
        bytes = int64(printed[object])
        size = bytes
        each = element_sizes[type] if kinds[object] == PRIMITIVE_ARRAY else 0
        if each > 0 and bytes == int64(elements[object]) * each:
            size = (bytes + HEADER + ALIGNMENT - 1) // ALIGNMENT * ALIGNMENT
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
def add_garbage(types: Any, ways: Any, sizes: Any, sums: Any) -> None:
    """See `class_sums.add_garbage`."""
    for object in range(len(types)):
        if ways[object] == NOT_REACHED:
            sums[GARBAGE, types[object]] += 1
            sums[GARBAGE_BYTES, types[object]] += int64(sizes[object])


@kernel
def place(types: Any, starts: Any, order: Any) -> None:
    """See `class_sums.place`."""
    for object in range(len(types)):
        type = types[object]
        order[starts[type]] = object
        starts[type] += 1
