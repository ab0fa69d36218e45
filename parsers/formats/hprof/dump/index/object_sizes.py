"""Sizes of the objects of a heap, and sums by type: a loop that is compiled as it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from parsers.formats.hprof.dump.index.sizes import MeasuredHeap
from parsers.formats.hprof.dump.read.heap import ParsedHeap
from parsers.formats.hprof.dump.records.tags import UNIT
from parsers.heapdump.graph.columns import CLASS_OBJECT, PLAIN_OBJECT, PRIMITIVE_ARRAY
from parsers.heapdump.tables.sum_rows import MOST_SIZE, TYPE_LARGEST, TYPE_SMALLEST, TYPE_UNITS
from parsers.index.scratch import Scratch
from parsers.io.background_task import in_halves
from parsers.kernels.compiled import compiled
from parsers.model.distinct import distinct
from parsers.model.late import numpy as np

if TYPE_CHECKING:
    from parsers.model.arrays import I64Array, Numbers, U32Array


class ObjectSizes(NamedTuple):
    """Sizes of objects, and sums by type."""

    units: U32Array
    """uint32 by object: bytes / UNIT."""
    counts: I64Array
    """int64[5, types]: rows TYPE_OBJECTS to TYPE_LARGEST"""


def object_sizes(heap: ParsedHeap, measured: MeasuredHeap, make: Scratch) -> ObjectSizes:
    """Computes the sizes of all objects. make: allocates large tables"""
    layout, types = measured.layout, len(heap.type_ids)
    class_sizes = np.zeros(types, np.int64)
    class_sizes[heap.class_types] = measured.class_sizes
    units: U32Array = make("sizes", "u4", heap.objects)
    parts: list[I64Array] = []

    def work(low: int, high: int) -> None:
        counts = np.zeros((TYPE_LARGEST + 1, types), np.int64)
        counts[TYPE_SMALLEST] = MOST_SIZE
        compiled(measure)(
            heap.kinds[low:high], heap.types[low:high], heap.lengths[low:high], measured.type_sizes,
            *measured.array_rules, layout.object_header, layout.alignment, class_sizes, units[low:high], *counts,
        )  # fmt: skip
        parts.append(counts)

    in_halves(heap.objects, work)
    counts: I64Array = np.sum(parts, axis=0)
    counts[TYPE_SMALLEST] = np.minimum(*(each[TYPE_SMALLEST] for each in parts))
    counts[TYPE_LARGEST] = np.maximum(*(each[TYPE_LARGEST] for each in parts))
    stacks, bytes = measured.stacks()
    for type in distinct(heap.types[stacks]).tolist():
        chosen = heap.types[stacks] == type
        found = (bytes[chosen] // UNIT).astype(np.uint32)
        units[stacks[chosen]] = found
        counts[TYPE_UNITS:, type] = found.sum(dtype=np.int64), found.min(), found.max()
    return ObjectSizes(units, counts)


def measure(
    kinds: Numbers, types: Numbers, lengths: Numbers, type_sizes: Numbers, elements_at: Numbers, widths: Numbers,
    header: int, alignment: int, class_sizes: Numbers, sizes: Numbers, objects: Numbers, instances: Numbers,
    sums: Numbers, smallest: Numbers, largest: Numbers,
) -> None:  # fmt: skip
    """Computes sizes of objects in units.

    type_sizes   int64: bytes of an instance, -1 for a class that is not in the dump
    elements_at, widths  int64 by type of array, arrays of objects last: offset of the elements, bytes of one
    class_sizes  int64: by type of its class object
    sizes        uint32, filled
    objects …    int64 by type, added to: `ObjectSizes.counts`
    """
    for number in range(len(kinds)):
        kind, type, length = kinds[number], int(types[number]), int(lengths[number])
        if kind == CLASS_OBJECT:
            bytes = class_sizes[type]
        elif kind == PLAIN_OBJECT:
            bytes = type_sizes[type] if type_sizes[type] >= 0 else header + length
        else:
            of = type if kind == PRIMITIVE_ARRAY else len(widths) - 1
            bytes = elements_at[of] + length * widths[of]
        units = (bytes + alignment - 1) // alignment * alignment // UNIT
        sizes[number] = units & MOST_SIZE
        if kind != CLASS_OBJECT:
            objects[type] += 1
            instances[type] += kind == PLAIN_OBJECT
            sums[type] += units
            smallest[type] = min(smallest[type], units)
            largest[type] = max(largest[type], min(units, MOST_SIZE))
