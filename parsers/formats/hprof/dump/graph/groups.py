"""Groups of a dump's objects: by class, package, loader; and retained sizes of the groups."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from parsers.formats.hprof.dump.index.heap_engine import PlainSteps
from parsers.formats.hprof.dump.index.sizes import UNIT, MeasuredHeap
from parsers.formats.hprof.dump.read.heap import ParsedHeap
from parsers.graph.dominator_tree.build import Dominators
from parsers.heapdump.dominators.dominated import find_dominated
from parsers.heapdump.graph.columns import CLASS_OBJECT
from parsers.heapdump.paths.reachability import NO_ROW
from parsers.model.none import NONE

if TYPE_CHECKING:
    from parsers.model.arrays import AnyArray, I64Array, U32Array

GROUPINGS = ("type", "package", "loader")
"""Groupings of types: themselves, their package, their loader."""


def group_arrays(
    steps: PlainSteps,
    heap: ParsedHeap,
    measured: MeasuredHeap,
    packages: I64Array,
    of_classes: int,
    dominated: Dominators,
) -> dict[str, AnyArray]:
    """Returns arrays of an index.

    packages    numbers of packages by type
    of_classes  the type that class objects are counted for; NO_ROW: each for its own

    object_dominated  uint32: see `parsers.heapdump.dominators.dominated`
    type_retained, package_retained, loader_retained  int64 by type: retained size of it, its package, its loader
    """
    loaders = np.unique(loaders_of(heap, measured), return_inverse=True)[1]
    groups = np.array([np.arange(len(packages)), packages, loaders])
    types, groups_of_types = _counted_types(steps, heap, of_classes), groups.astype(np.uint32)
    dominators, retained_bytes = dominated.dominators, dominated.retained
    below = find_dominated(dominators, retained_bytes, types, groups_of_types, steps.scratch_array)
    retained = {
        f"{name}_retained": units[numbers] * UNIT
        for name, units, numbers in zip(GROUPINGS, below.sums, groups, strict=True)
    }
    return {"object_dominated": below.dominated, **retained}


def loaders_of(heap: ParsedHeap, measured: MeasuredHeap) -> U32Array:
    """Returns uint32 by type: the object of the class loader, NONE for none."""
    loaders = np.zeros(len(heap.type_ids), np.uint64)
    loaders[heap.class_types] = heap.classes.loaders
    found = np.full(len(loaders), NONE, np.uint32)
    has_loader = loaders != 0
    found[has_loader] = measured.find_all(loaders[has_loader])
    return found


def _counted_types(steps: PlainSteps, heap: ParsedHeap, of_classes: int) -> U32Array:
    """Returns the type that each object is counted for."""
    if of_classes == NO_ROW:
        return heap.types
    types = steps.scratch_array("counted_types", "u4", heap.objects)
    types[:] = heap.types
    types[heap.kinds == CLASS_OBJECT] = of_classes
    return types
