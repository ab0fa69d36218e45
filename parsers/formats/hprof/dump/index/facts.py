"""Totals and inferred facts of a heap dump, under the names that `info --json` prints."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from parsers.formats.hprof.dump.index.object_sizes import ObjectSizes
from parsers.formats.hprof.dump.index.sizes import UNIT, MeasuredHeap
from parsers.formats.hprof.dump.read.file import DumpFile
from parsers.formats.hprof.dump.read.heap import ParsedHeap
from parsers.formats.hprof.dump.records.tags import THREAD_OBJECT
from parsers.formats.hprof.dump.references.references import HeapReferences
from parsers.graph.dominator_tree.build import Dominators
from parsers.model.distinct import distinct
from parsers.model.none import NONE

if TYPE_CHECKING:
    from parsers.model.arrays import U32Array

PIECE = 1 << 20
"""Numbers processed at a time."""


def object_totals(
    heap: ParsedHeap, measured: MeasuredHeap, sizes: ObjectSizes, root_objects: U32Array
) -> dict[str, int]:
    """Returns counts of the objects and roots of the last dump."""
    class_bytes = int(measured.class_sizes.sum())
    found = root_objects[root_objects != NONE]
    return {
        "objects": heap.objects - len(heap.classes) + len(heap.also),
        "roots": len(heap.roots),
        "shallow_bytes": int(sizes.units.sum(dtype=np.int64)) * UNIT - class_bytes,
        "class_bytes": class_bytes,
        "classes_with_instances": int(np.count_nonzero(sizes.counts[0])),
        "objects_without_class": int(sizes.counts[1][measured.type_sizes < 0].sum()),
        "roots_dangling": int(np.count_nonzero((heap.roots.ids != 0) & (root_objects == NONE))),
        "root_objects": len(distinct(found)),
        "threads": int(np.count_nonzero((heap.roots.tags == THREAD_OBJECT) & (root_objects != NONE))),
    }


def reference_totals(references: HeapReferences) -> dict[str, int]:
    """Returns counts of its references."""
    return {
        "references_fields": references.fields,
        "references_elements": references.elements,
        "references_classes": references.of_classes,
        "references": len(references.targets),
        "references_dangling": _dangling(references.targets),
    }


def _dangling(targets: U32Array) -> int:
    """Returns the number of references without a target. Works in pieces, which need little memory."""
    pieces = (targets[start : start + PIECE] for start in range(0, len(targets), PIECE))
    return sum(int(np.count_nonzero(piece == NONE)) for piece in pieces)


def dominated_totals(heap: ParsedHeap, dominated: Dominators) -> dict[str, int]:
    """Returns the totals of objects that roots reach."""
    return {
        "reachable_objects": dominated.reachable,
        "reachable_bytes": dominated.size * UNIT,
        "unreachable_objects": heap.objects - dominated.reachable,
    }


def heap_facts(heap: ParsedHeap, measured: MeasuredHeap, file: DumpFile) -> dict[str, Any]:
    """Returns the inferred facts, as JSON values."""
    return {
        "id_size": heap.id_size,
        "java_version": measured.java_version,
        "layout": asdict(measured.layout),
        "dumps": file.profile.walked.dumps,
    }
